"""Forecasts that look at whole tables: against sums over all tables and against the posteriors of `infer`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gammaln, kl_div, xlogy

import privior as pv
from forecast_grid import NEAR, Case, Tally, noisy, simulated
from privior.forecasting import Expect, error_law, forecast, squared_error
from privior.forecasting.draws import DrawnLaw
from privior.forecasting.hellinger import SampledLaw
from privior.forecasting.one_cell import CountNoise
from privior.forecasting.whole_tables import remainder_means
from privior.mechanisms import CellGammas, HellingerMechanism, TableMechanism
from privior.mechanisms.hellinger.hellinger import distances
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.latent import latent_counts
from privior.privacy.hellinger import all_tables

Floats = np.ndarray
ROOTS = np.array([0.5, 1, 0.5, 1])


def at(rate: float) -> SampledLaw:
    return SampledLaw(lambda tables: np.full(len(tables), rate))


def as_they_are(rate: float, prior: Floats, records: int, expect: Expect) -> list[float]:
    """Sum the errors of a table drawn by its Hellinger distance over every truth and every output."""
    tables = all_tables(records, prior.size)
    true = (gammaln(tables + prior) - gammaln(tables + 1)).sum(axis=1)
    if expect is not Expect.TYPICAL:
        true = (xlogy(tables, expect.shares(prior)) - gammaln(tables + 1)).sum(axis=1)
    chances = np.exp(true - true.max())
    p, smooth = tables / records, (tables + prior) / (records + prior.sum())
    found = np.zeros(4)
    for x, chance, truth in zip(tables, chances / chances.sum(), p, strict=True):
        weights = np.exp(-rate * distances(x, tables, prior))
        gaps = (
            (p - truth) ** 2,
            np.abs(p - truth),
            (np.sqrt(p) - np.sqrt(truth)) ** 2,
            kl_div(truth, smooth),
        )
        found += chance * np.array([weights @ gap.sum(axis=1) / weights.sum() for gap in gaps])
    return list(found**ROOTS)


@pytest.mark.parametrize("rate", [0.5, 5.0, 16.0])
@pytest.mark.parametrize(
    ("prior", "records", "expect"),
    [
        ((0.4, 1.5), 150, Expect.SKEWED),
        ((1.0, 1.0, 1.0), 20, Expect.TYPICAL),
        ((5.0, 0.2, 1.0), 20, Expect.UNIFORM),
        ((0.1, 0.1, 0.1, 0.1), 9, Expect.SKEWED),
        ((1.0,) * 6, 5, Expect.TYPICAL),
    ],
)
def test_some_outputs_stand_for_all(
    prior: tuple[float, ...], records: int, expect: Expect, rate: float
) -> None:
    """From nearly all tables alike to a few near ones."""
    ahead, _ = at(rate).errors(np.array(prior), records, expect)
    ratios = ahead**ROOTS / as_they_are(rate, np.array(prior), records, expect)
    assert np.maximum(ratios, 1 / ratios).max() <= NEAR
    assert np.maximum(ratios, 1 / ratios)[:3].max() <= 1.1


def test_another_temperature_is_found_out() -> None:
    """The comparison can fail."""
    prior = np.ones(3)
    exact = as_they_are(8.0, prior, 20, Expect.TYPICAL)
    for rate, near in ((8.0, True), (4.0, False), (16.0, False)):
        ratios = at(rate).errors(prior, 20, Expect.TYPICAL)[0] ** ROOTS / exact
        assert (np.maximum(ratios, 1 / ratios) <= NEAR).all() == near


@pytest.mark.parametrize("records", [60_000, 10**6])
def test_the_error_of_two_cells_with_many_records(records: int) -> None:
    """One truth, every output."""
    mechanism = pv.EHD(2, 6, records)
    counts, prior = np.array([records // 2, records - records // 2]), np.ones(2)
    first = np.arange(records + 1)
    weights = np.exp(
        -float(mechanism.temperature) * distances(counts, np.stack([first, records - first], axis=1), prior)
    )
    exact = 2 * float(weights @ (first - counts[0]) ** 2.0) / float(weights.sum())
    assert squared_error(mechanism) == pytest.approx(exact, rel=0.1)


@pytest.mark.parametrize(
    "mechanism",
    [pv.EHD(2, 1, 10**9), pv.EHD(300, 1, 1000), pv.EHDS(8, 1, 10**6, gamma="1e-6")],
    ids=lambda one: f"{one.name}-{one.cells}",
)
def test_the_largest_tables_have_forecasts(mechanism: HellingerMechanism) -> None:
    """What is forecast is what the table tells: not less than nothing, no more than 1."""
    prior = np.ones(mechanism.cells)
    ahead = forecast(error_law(mechanism), prior, mechanism.records)
    assert ahead == forecast(error_law(mechanism), prior, mechanism.records)
    assert 0 < ahead.l2 < 1
    assert 0 < ahead.total_variation < 1
    assert ahead.kl is not None
    assert 0 < ahead.kl < 50


@pytest.mark.parametrize("draws", [1, 30])
@pytest.mark.parametrize(
    ("prior", "records", "rate"),
    [((0.4, 1.5), 60, 0.5), ((0.2, 0.7, 3.0), 50, 0.3), ((6.0,) * 5, 300, 0.8), ((0.3,) * 12, 40, 0.1)],
)
def test_means_given_draws_are_those_of_infer(
    prior: tuple[float, ...], records: int, rate: float, draws: int
) -> None:
    """Up to a small share of what the draws leave open."""
    alpha, rng = np.array(prior), np.random.default_rng(3)
    tables = np.array([rng.multinomial(records, rng.dirichlet(alpha)) for _ in range(12)])
    used = [np.maximum(rng.dirichlet(alpha + rate * counts, draws), 1e-300) for counts in tables]
    logs = np.array([np.log(one).mean(axis=0) for one in used])
    means, _ = DrawnLaw(rate, None, draws, 0, total_known=True).means_given_total(logs, alpha, records)
    total, one = Total(most=records, known=True), np.ones(alpha.size)
    missed, left = [], []
    for mean, slopes in zip(means, draws * rate * logs, strict=True):
        seen = CellGammas(alpha, rate, slopes, ((0 * one, -draws * one),), ((0.0, float(draws)),), "")
        exact = latent_counts([], alpha, total, gammas=[seen])
        missed.append(((mean - np.asarray(exact.mean)) ** 2).sum())
        left.append((np.asarray(exact.stddev) ** 2).sum())
    assert np.mean(missed) <= 0.1**2 * np.mean(left)


@pytest.mark.parametrize(
    ("prior", "records", "epsilon"),
    [((0.2, 0.7, 3.0), 50, "0.5"), ((1.0,) * 8, 300, "0.1"), ((0.15,) * 6, 700, "1"), ((8.0,) * 4, 90, "5")],
)
def test_means_given_all_counts_but_one_are_those_of_infer(
    prior: tuple[float, ...], records: int, epsilon: str
) -> None:
    """Up to a small share of what the noise leaves open."""
    alpha, rng = np.array(prior), np.random.default_rng(4)
    mechanism = pv.LSHist(alpha.size, epsilon, records)
    tables = np.array([rng.multinomial(records, rng.dirichlet(alpha)) for _ in range(12)])
    seen = np.array([noisy(mechanism, counts, rng) for counts in tables])
    law = CountNoise(mechanism.variance, laplace=True)
    means = remainder_means(seen[:, :-1].astype(float), law, alpha, records)
    noise, total = mechanism.cell_noise, Total(most=records, known=True)
    exact = [latent_counts([CellEvidence(one, noise.rates, noise.curvatures)], alpha, total) for one in seen]
    missed = np.array([one.mean for one in exact]) - means
    left = np.mean([(np.asarray(one.stddev) ** 2).sum() for one in exact])
    assert (missed**2).sum(axis=1).mean() <= 0.08**2 * left + 1e-4


@pytest.mark.parametrize("kind", [pv.LSHist, pv.LSDim], ids=lambda kind: kind.name)
def test_forecasts_of_all_counts_but_one_are_near(kind: type[TableMechanism]) -> None:
    """Few facts, always the same ones; evidence/ draws many at run time."""
    rng, tally = np.random.default_rng(9), Tally()
    for _ in range(5):
        case, plan = Case.planned(rng, kind, 10, 300, 0)
        tally.compare(case, [(plan, *simulated(plan, [case.truth(rng) for _ in range(80)], rng))])
    assert (tally.near == tally.judged).all()
    assert tally.judged.sum() >= 10


@pytest.mark.parametrize("neighbours", ["replace-one", "add-or-remove-one"])
def test_forecasts_of_many_draws_are_near(neighbours: str) -> None:
    """Thirty draws, whose spread tells as much as their mean; a forecast for five is found out."""
    rng, tally, others = np.random.default_rng(10), Tally(), Tally()
    for prior, expect in ((("4",) * 3, Expect.SKEWED), (("0.5", "2", "6", "1"), Expect.TYPICAL)):
        case = Case(prior, 120, "3", "1e-3", neighbours, expect, draws=30)
        plan = case.plan(pv.DirichletDraw)
        found = simulated(plan, [case.truth(rng) for _ in range(80)], rng)
        tally.compare(case, [(plan, *found)])
        assert isinstance(plan.mechanism, pv.DirichletDraw)
        fewer = replace(plan.mechanism, draws=5)
        others.compare(case, [(replace(plan, mechanism=fewer), *found)])
    assert (tally.near == tally.judged).all()
    assert tally.judged[:3].all()
    assert (others.near < others.judged)[:3].all()
