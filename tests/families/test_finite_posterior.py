"""The posterior of a finite family against brute force over all latent tables; draws have their law."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from finite_cases import CASES, DIE, PAIR, SCHEMA, STRICT, all_tables, chances_of, rows_of
from numpy.typing import NDArray
from scipy.special import gammaln

import privior as pv
from chi_square import fits
from privior.curator import measure_statistics
from privior.forecasting.finite_families import model_forecast
from privior.mechanisms import ModelDraws
from privior.models import ExactStatistics
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.finite.known_cells import log_evidence
from privior.posterior.finite.model_chances import _by_drawing

Floats = NDArray[np.float64]


def tables_of(records: int, cells: int, known: bool) -> NDArray[np.int64]:
    totals = [records] if known else range(records + 1)
    return np.concatenate([all_tables(total, cells) for total in totals])


def by_hand(model: pv.FiniteFamily, tables: NDArray[np.int64], likelihoods: Floats) -> Floats:
    """prior * sum over tables of multinomial chance * likelihood of the release, normalised."""
    prior = np.array([float(one) for one in model.prior])
    ways = np.exp(gammaln(tables.sum(axis=1) + 1) - gammaln(tables + 1).sum(axis=1))
    found = [
        weight * float((ways * np.prod(law**tables, axis=1) * likelihoods).sum())
        for weight, law in zip(prior, chances_of(model), strict=True)
    ]
    return np.asarray(np.array(found) / sum(found))


@pytest.mark.parametrize("epsilon", ["0.1", "1", "10"])
@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("delta", ["0", "1e-3"])
@pytest.mark.parametrize("name", CASES)
def test_noisy_counts(name: str, delta: str, relation: pv.Neighbours, epsilon: str) -> None:
    model, records = CASES[name], 6
    kinds = (pv.GaussianCounts,) if delta != "0" else (pv.LaplaceCounts, pv.KNorm)
    for kind in kinds:
        if kind is pv.KNorm and relation is not pv.REPLACE_ONE:
            continue
        plan = pv.plan(
            model, SCHEMA, records=records, epsilon=epsilon, delta=delta, neighbours=relation, mechanism=kind
        )
        rng = np.random.default_rng(1)
        counts = rng.multinomial(records, chances_of(model)[1])
        ledger = pv.Ledger.in_memory(epsilon=100, delta="0.5")
        release = pv.measure(plan, pa_table(model, counts), ledger=ledger)
        tables = tables_of(records, len(counts), relation is pv.REPLACE_ONE)
        logs = [plan.mechanism.log_likelihood(release.statistics, ExactStatistics(table)) for table in tables]
        expected = by_hand(model, tables, np.exp(np.array(logs) - max(logs)))
        assert np.allclose(pv.infer(release).chances.shares, expected, rtol=1e-8, atol=1e-15)


def pa_table(model: pv.FiniteFamily, counts: NDArray[np.int64]) -> object:
    import pyarrow as pa

    return pa.table(rows_of(model, counts))


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("draws", [1, 7])
def test_draws(draws: int, relation: pv.Neighbours) -> None:
    """Listed exactly; drawing tables agrees, within its stated error."""
    for model in (DIE, PAIR):
        mechanism = ModelDraws(model, 6, 3, draws=draws, neighbours=relation)
        observed = mechanism.release(
            ExactStatistics(np.random.default_rng(1).multinomial(6, chances_of(model)[2]))
        )
        known = relation is pv.REPLACE_ONE
        tables = tables_of(6, len(model.chances[0]), known)
        logs = [mechanism.log_likelihood(observed, ExactStatistics(table)) for table in tables]
        expected = by_hand(model, tables, np.exp(np.array(logs) - max(logs)))
        plan = pv.Plan(SCHEMA, model, mechanism, relation, 6)
        ledger = pv.Ledger.in_memory(epsilon=100)
        table = pa_table(model, np.random.default_rng(1).multinomial(6, chances_of(model)[2]))
        release = pv.measure(plan, table, ledger=ledger)
        found = pv.infer(release)
        logs = [mechanism.log_likelihood(release.statistics, ExactStatistics(one)) for one in tables]
        assert np.allclose(
            found.chances.shares, by_hand(model, tables, np.exp(np.array(logs) - max(logs))), rtol=1e-9
        )
        simulated = _by_drawing(model, Total(6, known), [(mechanism, observed)])
        assert 0 < simulated.error < 0.02
        assert np.abs(simulated.shares - expected).max() < 6 * simulated.error


def test_both_kinds_of_release_together() -> None:
    """One table, released with noise and as draws."""
    counts = np.array([3, 1, 2])
    ledger = pv.Ledger.in_memory(epsilon=100)
    table = pa_table(DIE, counts)
    releases = [
        pv.measure(pv.plan(DIE, SCHEMA, records=6, epsilon=1, mechanism=kind), table, ledger=ledger)
        for kind in (pv.LaplaceCounts, pv.ModelDraws)
    ]
    tables = all_tables(6, 3)
    logs = sum(
        np.array(
            [one.plan.mechanism.log_likelihood(one.statistics, ExactStatistics(each)) for each in tables]
        )
        for one in releases
    )
    assert np.allclose(pv.infer(releases).chances.shares, by_hand(DIE, tables, np.exp(logs)))
    other = pv.FiniteFamily("die", {"a": ["1/3", "1/3", "1/3"], "b": [0, 0, 1]})
    plan = pv.plan(other, SCHEMA, records=6, epsilon=1)
    third = pv.measure(plan, table, ledger=ledger)
    with pytest.raises(pv.InferenceError, match="family"):
        pv.infer([releases[0], third])


def test_evidence_of_many_random_releases() -> None:
    """Any evidence, known and private totals, models that exclude cells: differences of log masses."""
    rng = np.random.default_rng(2)
    for _ in range(60):
        cells, records, known = int(rng.integers(2, 5)), int(rng.integers(1, 8)), bool(rng.integers(2))
        laplace = bool(rng.integers(2))
        rate = np.full(cells, float(rng.choice([0.05, 0.5, 3.0])))
        seen = rng.integers(-4, records + 5, size=cells)
        evidence = [CellEvidence(seen, rate * laplace, rate * (not laplace))]
        tables = tables_of(records, cells, known)
        away = seen - tables
        logs = -np.abs(away) @ (rate * laplace) - away**2 @ (rate * (not laplace)) / 2
        logs = logs + gammaln(tables.sum(axis=1) + 1) - gammaln(tables + 1).sum(axis=1)
        gaps = []
        for _ in range(3):
            law = rng.dirichlet(np.full(cells, 0.5))
            if rng.random() < 0.3:
                law[rng.integers(cells)] = 0
                law /= law.sum()
            with np.errstate(divide="ignore"):
                found = log_evidence(evidence, np.log(law), Total(records, known))
            truth = math.log(float((np.prod(law**tables, axis=1) * np.exp(logs)).sum()))
            assert found is not None
            gaps.append(found - truth)
        assert np.ptp(gaps) < 1e-11


@pytest.mark.parametrize("weight", ["1", "0.4"])
def test_draws_have_their_law_and_no_other(weight: str) -> None:
    """A posterior whose counts are off by 5% is noticed."""
    counts = np.array([150, 116, 134])
    model = pv.FiniteFamily(
        "die",
        {
            "a": ["0.36", "0.3", "0.34"],
            "b": ["0.4", "0.28", "0.32"],
            "c": ["0.33", "0.33", "0.34"],
            "d": ["0.37", "0.23", "0.4"],
        },
        prior=[1, 2, 1, 3],
    )
    mechanism = ModelDraws(model, 400, 10_000, draws=8000, weight=weight)

    def law(off: float) -> dict[int, float]:
        logs = np.log([float(one) for one in model.prior])
        logs = logs + float(Fraction(weight)) * (np.log(chances_of(model)) @ (counts * [off, 1, 2 - off]))
        shares = np.exp(logs - logs.max())
        return dict(enumerate(shares / shares.sum()))

    drawn = mechanism.release(ExactStatistics(counts)).counts
    sample = [index for index, times in enumerate(drawn) for _ in range(times)]
    assert len(sample) == 8000
    assert fits(sample, law(1.0))
    assert not fits(sample, law(1.05))
    laws = np.exp(mechanism.log_laws(counts[np.newaxis])[0])
    assert np.allclose(laws, list(law(1.0).values()))


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("epsilon", ["0.1", "1"])
@pytest.mark.parametrize("way", [pv.LaplaceCounts, pv.KNorm, pv.ModelDraws])
def test_forecasts_are_about_right(way: type, epsilon: str) -> None:
    """What is forecast of wrong models is what releases of data from the prior show, on average."""
    rng, records = np.random.default_rng(4), 60
    plan = pv.plan(DIE, SCHEMA, records=records, epsilon=epsilon, mechanism=way)
    prior = np.exp(DIE.log_prior())
    ledger = pv.Ledger.in_memory(epsilon=10_000)
    wrong = []
    for _ in range(60):
        truth = int(rng.choice(4, p=prior))
        counts = rng.multinomial(records, chances_of(DIE)[truth])
        release = measure_statistics(plan, ExactStatistics(counts), ledger=ledger)
        wrong.append(1 - float(pv.infer(release).chances.shares[truth]))
    assert abs(float(np.mean(wrong)) - plan.forecast.error) < 0.04 + 2.5 * float(np.std(wrong)) / 60**0.5
    assert plan.without_noise.error <= plan.forecast.error + 0.02 <= plan.without_release.error + 0.04
    assert math.isclose(plan.without_release.error, 1 - float((prior**2).sum()))


def test_forecasts_of_strict_models() -> None:
    """Models that exclude cells are told apart by few records."""
    assert model_forecast(STRICT, 40, None).error < 0.01
    private = pv.plan(STRICT, SCHEMA, records=200, epsilon=1, neighbours=pv.ADD_OR_REMOVE_ONE)
    assert private.forecast.error < 0.05
    assert not private.warnings
