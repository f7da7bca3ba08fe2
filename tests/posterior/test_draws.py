"""The posterior given posterior draws or virtual records: exact by enumeration, and intervals that cover."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.models import ExactStatistics

KINDS: list[Any] = [pv.DirichletDraw, pv.VirtualRecords]
BOTH = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)


def planned(kind: Any, levels: int, records: int, **how: object) -> pv.Plan:
    schema = pv.Schema(
        {"x": pv.Categorical([f"level {i}" for i in range(levels)])}, population="p", unit="person"
    )
    model = pv.DirichletCategorical("x", prior=how.pop("prior", 1))
    return pv.plan(model, schema, records=records, mechanism=kind, **how)  # type: ignore[arg-type]


def measured(plan: pv.Plan, counts: list[int]) -> pv.Release:
    rows = [f"level {i}" for i, count in enumerate(counts) for _ in range(count)]
    ledger = pv.Ledger.in_memory(epsilon=1000, delta="0.5")
    return pv.measure(plan, pa.table({"x": rows}), ledger=ledger)


def tables(total: int, cells: int) -> Iterator[tuple[int, ...]]:
    if cells == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in tables(total - first, cells - 1):
            yield (first, *rest)


def enumerated(releases: list[pv.Release]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and stddev of the counts over all tables, by the mechanisms' own likelihoods."""
    plan = releases[0].plan
    a = plan.model.parameters(plan.schema)
    totals = [plan.records] if plan.total_public else range(plan.records + 1)
    every = [c for total in totals for c in tables(total, a.size)]
    logs = []
    for c in every:
        n = sum(c)
        prior = math.lgamma(n + 1) - math.lgamma(n + a.sum())
        prior += sum(math.lgamma(x + y) - math.lgamma(x + 1) for x, y in zip(c, a, strict=True))
        exact = ExactStatistics(np.array(c))
        logs.append(prior + sum(r.plan.mechanism.log_likelihood(r.statistics, exact) for r in releases))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    found = np.array(every)
    mean = weights @ found
    return mean, np.sqrt(weights @ (found - mean) ** 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("relation", BOTH)
@pytest.mark.parametrize("prior", ["0.2", "1", "3"])
@pytest.mark.parametrize("levels", [2, 3])
def test_the_posterior_is_that_of_all_tables(
    kind: type[pv.DirichletDraw], relation: pv.Neighbours, prior: str, levels: int
) -> None:
    draws = {"draws": 2} if kind is pv.DirichletDraw and prior == "3" else {}
    plan = planned(kind, levels, 9, prior=prior, epsilon=2, delta="1e-2", neighbours=relation, **draws)
    release = measured(plan, [4, 5, 0][:levels])
    mean, stddev = enumerated([release])
    latent = pv.infer(release).latent
    assert latent.exact
    assert latent.mean == pytest.approx(mean, abs=1e-9)
    assert latent.stddev == pytest.approx(stddev, abs=1e-9)


def test_releases_of_several_kinds_multiply() -> None:
    how = {"prior": "1/2", "epsilon": 1, "delta": "1e-3"}
    every = [planned(kind, 3, 8, **how) for kind in (*KINDS, pv.KNorm, pv.GaussianCounts)]
    releases = [measured(plan, [5, 1, 2]) for plan in every]
    mean, stddev = enumerated(releases)
    latent = pv.infer(releases).latent
    assert latent.mean == pytest.approx(mean, abs=1e-9)
    assert latent.stddev == pytest.approx(stddev, abs=1e-9)


@pytest.mark.parametrize("kind", KINDS)
def test_many_records_against_a_direct_sum(kind: type[pv.DirichletDraw]) -> None:
    """Two levels, 200,000 records: hulls are searched, not listed; the reference lists all counts."""
    n = 200_000
    plan = planned(kind, 2, n, prior="0.3", epsilon="0.5", delta="1e-6")
    release = measured(plan, [150, n - 150])
    from scipy.special import gammaln

    c = np.arange(n + 1)
    gammas = plan.mechanism.cell_gammas(release.statistics)
    logs = np.zeros(n + 1)
    for cell, counts in enumerate((c, n - c)):
        logs += gammaln(counts + 0.3) - gammaln(counts + 1) + gammas.slopes[cell] * counts
        for shifts, weights in gammas.terms:
            logs += weights[cell] * gammaln(0.3 + gammas.rate * counts + shifts[cell])
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    mean = weights @ c
    latent = pv.infer(release).latent
    assert latent.mean[0] == pytest.approx(mean, rel=1e-6)
    assert latent.stddev[0] == pytest.approx(math.sqrt(weights @ (c - mean) ** 2), rel=1e-5)


def test_theta_for_two_levels_against_numerical_integration() -> None:
    """p(theta | x) by a sum over the latent count and quadrature over theta, for one draw x."""
    plan = planned(pv.DirichletDraw, 2, 30, epsilon=1, delta="1e-3")
    release = measured(plan, [21, 9])
    x, rate = float(release.draws[0, 0]), float(plan.mechanism.rate)
    theta = (np.arange(20_000) + 0.5) / 20_000
    density = np.zeros_like(theta)
    for c in range(31):
        a, b = 1 + rate * c, 1 + rate * (30 - c)
        log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
        seen = (a - 1) * math.log(x) + (b - 1) * math.log(1 - x) - log_beta
        density += math.comb(30, c) * theta**c * (1 - theta) ** (30 - c) * math.exp(seen)
    density /= density.sum()
    below = np.cumsum(density)
    posterior = pv.infer(release)
    assert posterior.mean()[0] == pytest.approx(float(density @ theta), abs=1e-7)
    low, high = posterior.interval(0.9)[0]
    assert [low, high] == pytest.approx([theta[np.searchsorted(below, t)] for t in (0.05, 0.95)], abs=1e-4)


SETS, RECORDS = 400, 40


@pytest.mark.parametrize("kind", KINDS)
def test_t43_intervals_cover_and_taking_the_draw_for_the_truth_does_not(kind: type[pv.DirichletDraw]) -> None:
    """400 tables from the prior; bounds that a right 90% interval leaves once in 1e9."""
    from scipy.special import betaincinv
    from scipy.stats import binom

    rng = np.random.default_rng(7)
    plan = planned(kind, 2, RECORDS, epsilon=1, delta="1e-3")
    first = measured(plan, [RECORDS, 0])
    hits, naive = [], []
    for _ in range(SETS):
        theta = rng.dirichlet([1, 1])
        ones = int(rng.binomial(RECORDS, theta[0]))
        drawn = plan.mechanism.release(ExactStatistics(np.array([ones, RECORDS - ones])))
        release = replace(first, statistics=drawn)
        low, high = pv.infer(release).interval(0.9)[0]
        hits.append(low <= theta[0] <= high)
        seen = (
            release.draws[0]
            if kind is pv.DirichletDraw
            else np.array(release.statistics.counts) / sum(release.statistics.counts)
        )
        ends = betaincinv(1 + RECORDS * seen[0], 1 + RECORDS * seen[1], [0.05, 0.95])
        naive.append(ends[0] <= theta[0] <= ends[1])
    least, most = binom.ppf([5e-10, 1 - 5e-10], SETS, 0.9) / SETS
    assert least <= np.mean(hits) <= most
    assert np.mean(naive) < least


def test_records_are_sampled_from_a_released_draw() -> None:
    plan = planned(pv.DirichletDraw, 3, 30, epsilon=1, delta="1e-3", draws=2)
    posterior = pv.infer(measured(plan, [20, 5, 5]))
    release = posterior.releases[0]
    for place in (0, 1):
        records = posterior.sample(20_000, seed=1, released=place)["x"]
        shares = [records.count(f"level {i}") / 20_000 for i in range(3)]
        assert shares == pytest.approx(release.draws[place], abs=0.03)
    for bad in (2, -1, True):
        with pytest.raises(pv.InferenceError, match="no such draw"):
            posterior.sample(10, released=bad)


def test_ignoring_noise_is_refused() -> None:
    for kind in KINDS:
        release = measured(planned(kind, 2, 10, epsilon=1, delta="1e-3"), [5, 5])
        with pytest.raises(pv.InferenceError, match="no noise that could be ignored"):
            pv.infer(release, noise="ignore")


def test_a_stick_at_one_is_said_and_one_at_zero_is_exact() -> None:
    """Half of the sticks of a tiny prior are rounded to 0 or 1; those at 1 leave a factor out, in words."""
    plan = planned(pv.DirichletDraw, 4, 3, prior="1e-3", epsilon=5, delta="1e-2")
    said = exact = 0
    for _ in range(60):
        release = measured(plan, [1, 1, 1, 0])
        posterior = pv.infer(release)
        if (np.array(release.statistics.counts)[:-1] == 2**53).any():
            said += 1
            assert "rounded to 1" in posterior.warnings[0]
        else:
            exact += 1
            assert not posterior.warnings
            assert posterior.latent.mean == pytest.approx(enumerated([release])[0], abs=1e-8)
    assert said
    assert exact


@pytest.mark.parametrize("seed", range(12))
def test_searched_hulls_hold_what_listed_ones_hold(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random priors, rates and draws of 30,000 records: no count within the cut of the peak is outside."""
    from privior.mechanisms import CellGammas
    from privior.posterior.counts import cell_weights
    from privior.posterior.counts.dirichlet_weights import DirichletWeights

    rng = np.random.default_rng(seed)
    cells, most = 5, 30_000
    prior = 10.0 ** rng.uniform(-3, 1.5, cells)
    drawn, rate = int(rng.integers(1, 4)), 10.0 ** rng.uniform(-4, 0)
    shares = rng.dirichlet(np.ones(cells) * 0.3, drawn)
    slopes = rate * np.log(np.maximum(shares, 1e-15)).sum(axis=0)
    one, seen = np.ones(cells), rng.integers(0, 500, cells) * (rng.random(cells) < 0.5)
    draws = CellGammas(prior, rate, slopes, ((0 * one, -drawn * one),), ((0.0, float(drawn)),))
    urn = CellGammas(prior, rate, 0 * one, ((seen * one, one), (0 * one, -one)), ((0.0, 1.0),))
    gammas = ((draws,), (urn,), (draws, urn))[seed % 3]
    weights = DirichletWeights.of([], 10.0 ** rng.uniform(-3, 1, cells), most, gammas)
    for tilt in rng.uniform(-0.1, 0.1, 4) - slopes.mean() * (seed % 3 != 1):
        searched = weights.hull(float(tilt), 40.0)
        with monkeypatch.context() as patched:
            patched.setattr(cell_weights, "_DENSE", 10**9)
            listed = weights.hull(float(tilt), 40.0)
        assert (searched.low <= listed.low).all()
        assert (searched.high >= listed.high).all()
        assert (searched.width <= listed.width + 8).all()
