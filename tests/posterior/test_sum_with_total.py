"""Events where the number of records is private: exact, by the same sums, however many cells they have."""

from __future__ import annotations

import itertools

import numpy as np
import pyarrow as pa
import pytest
from latent_enumeration import CASES, enumerate_tables
from numpy.typing import NDArray
from scipy.special import betainc

import privior as pv
from privior.posterior.counts import sum_with_total
from privior.posterior.counts.exact_counts import ExactCounts, exact_counts
from privior.posterior.counts.share_law import ShareLaw

PRIVATE = [name for name, case in CASES.items() if not case.total.known and case.prior.size > 1]


def events(name: str) -> tuple[ExactCounts, list[NDArray[np.bool_]]]:
    found = exact_counts(CASES[name].evidence, CASES[name].prior, CASES[name].total)
    assert found is not None
    chosen = [np.array(one) for one in itertools.product([False, True], repeat=CASES[name].prior.size)]
    return found, [one for one in chosen if one.any() and not one.all()]


@pytest.mark.parametrize("name", PRIVATE)
def test_probabilities_of_events_are_those_of_the_enumeration(name: str) -> None:
    truth, (found, chosen), prior = enumerate_tables(CASES[name]), events(name), CASES[name].prior
    size = prior.sum() + truth.tables.sum(axis=1)
    for cells in chosen:
        first = prior[cells].sum() + truth.tables[:, cells].sum(axis=1)
        law = found.of_event(cells)
        assert law is not None
        mean = truth.weights @ (first / size)
        second = truth.weights @ (first * (first + 1) / size / (size + 1))
        assert law.mean[0] == pytest.approx(mean, abs=1e-12)
        assert law.stddev[0] ** 2 == pytest.approx(second - mean**2, abs=1e-12)
        privacy = truth.weights @ (first / size - mean) ** 2
        assert law.variance_parts.privacy[0] == pytest.approx(privacy, abs=1e-12)
        for x, tail in zip(law.interval(0.8)[0], (0.1, 0.9), strict=True):
            # One step of a float may already change the probability, where x is close to 0 or to 1.
            near = [x, x * (1 - 4e-16), min(x * (1 + 4e-16), 1.0)]
            below = [float(truth.weights @ betainc(first, size - first, one)) for one in near]
            assert min(below) - 1e-9 <= tail <= max(below) + 1e-9 or x < 1e-290


@pytest.mark.parametrize("name", PRIVATE)
def test_shares_of_the_table_are_those_of_the_enumeration(name: str) -> None:
    truth, (found, chosen) = enumerate_tables(CASES[name]), events(name)
    totals = truth.tables.sum(axis=1)
    for cells in chosen:
        counts = found.sum_with_total(cells)
        assert counts is not None
        law, some = ShareLaw(counts), totals > 0
        shares = truth.tables[some][:, cells].sum(axis=1) / totals[some]
        weights = truth.weights[some] / truth.weights[some].sum()
        assert law.undefined == pytest.approx(truth.weights[~some].sum(), abs=1e-12)
        assert law.mean == pytest.approx(weights @ shares, abs=1e-12)
        order = np.argsort(shares, kind="stable")
        for end, tail in zip(law.interval(0.8), (0.1, 0.9), strict=True):
            place = np.searchsorted(np.cumsum(weights[order]), tail)
            assert end == pytest.approx(shares[order][place], abs=1e-12)


@pytest.fixture(scope="module")
def private() -> pv.CategoricalPosterior:
    size, records = 600, 5000
    schema = pv.Schema({"x": pv.Integer(0, size - 1)}, population="p", unit="person")
    values = (np.random.default_rng(1).beta(2, 5, records) * size).astype(int)
    model, add = pv.DirichletCategorical("x", prior=1), pv.ADD_OR_REMOVE_ONE
    plan = pv.plan(model, schema, records=2 * records, epsilon="0.5", neighbours=add)
    found: pv.CategoricalPosterior = pv.infer(
        pv.measure(plan, pa.table({"x": values}), ledger=pv.Ledger.in_memory())
    )
    return found


def test_events_of_hundreds_of_cells_need_no_draws(private: pv.CategoricalPosterior) -> None:
    event = {"x": list(range(100, 300))}
    asked, share = private.probability(event), private.counts().probability(event)
    assert asked.simulation_error == share.simulation_error == 0
    assert "_drawn" not in vars(private)
    theta = private.draws(4000, seed=2)[:, 100:300].sum(axis=1)
    assert asked.mean == pytest.approx(theta.mean(), abs=5 * theta.std() / 4000**0.5)
    assert asked.stddev == pytest.approx(theta.std(), rel=0.06)
    assert asked.interval() == pytest.approx(tuple(np.quantile(theta, [0.05, 0.95])), abs=0.15 * theta.std())
    tables = private.counts().draws(4000, seed=2)
    shares = tables[:, 100:300].sum(axis=1) / tables.sum(axis=1)
    assert share.mean == pytest.approx(shares.mean(), abs=5 * shares.std() / 4000**0.5)
    assert share.interval() == pytest.approx(
        tuple(np.quantile(shares, [0.05, 0.95])), abs=0.15 * shares.std()
    )


def test_passing_over_totals_changes_nothing(
    private: pv.CategoricalPosterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    cells = np.arange(600) < 200
    monkeypatch.setattr(sum_with_total, "_ALL", 0)
    few = private.latent.sum_with_total(cells)
    law = private.latent.of_event(cells)
    monkeypatch.setattr(sum_with_total, "_ALL", 10**9)
    every = private.latent.sum_with_total(cells)
    whole = private.latent.of_event(cells)
    assert few is not None
    assert every is not None
    assert len(few.sums) < len(every.sums) / 10
    assert law is not None
    assert whole is not None
    assert law.mean[0] == pytest.approx(whole.mean[0], rel=1e-13)
    assert law.stddev[0] == pytest.approx(whole.stddev[0], rel=1e-10)
    assert law.interval(0.9)[0] == pytest.approx(whole.interval(0.9)[0], rel=1e-10)


def test_too_many_pairs_are_left_to_draws(
    private: pv.CategoricalPosterior, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sum_with_total, "_MOST", 10)
    assert private.latent.of_event(np.arange(600) < 200) is None
