"""What follows from noisy numbers of others, against brute force over all tables, or all sums."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import privior as pv
from privior.models import Observed
from privior.plans import Plan
from privior.release import LedgerReceipt, Release

SCHEMA = pv.Schema({"x": pv.Categorical(["a", "b", "c"])}, population="p", unit="person")
PRIOR = (0.5, 1.0, 3.0)
CLAIM: dict[str, Any] = {"records": 9, "epsilon": 1, "neighbours": pv.REPLACE_ONE, "source": "Office"}
#: between what the noisy number lay: an end may be infinite; one point if both are the same
Ends = tuple[float, float]


def imported(numbers: Any, noise: Any, treatment: pv.Treatment = pv.AS_DRAWN, **facts: Any) -> Release:
    model = pv.DirichletCategorical("x", prior=list(map(str, PRIOR)))
    return pv.import_release(model, SCHEMA, numbers, noise=noise, treatment=treatment, **CLAIM | facts)


def brute(likelihoods: Sequence[Callable[[int], float]], records: Sequence[int]) -> np.ndarray[Any, Any]:
    """Return the posterior mean of each count, over all tables of so many records."""
    weights, tables = [], []
    for n in records:
        for table in product(range(n + 1), repeat=3):
            if sum(table) == n:
                log = math.lgamma(n + 1) + math.lgamma(sum(PRIOR)) - math.lgamma(n + sum(PRIOR))
                for count, a in zip(table, PRIOR, strict=True):
                    log += math.lgamma(count + a) - math.lgamma(a) - math.lgamma(count + 1)
                parts = [one(count) for one, count in zip(likelihoods, table, strict=True)]
                weights.append(math.exp(log) * math.prod(parts))
                tables.append(table)
    found = np.array(weights) @ np.array(tables) / sum(weights)
    return np.asarray(found)


def continuous(law: Any, low: float, high: float) -> Callable[[int], float]:
    if low == high:
        return lambda count: float(law.pdf(low - count))
    return lambda count: float(law.cdf(high - count) - law.cdf(low - count))


def discrete(scale: float, weights: dict[int, float]) -> Callable[[int], float]:
    """Noise on the whole numbers that ends at one of these, each with the chance that it is published so."""
    return lambda count: sum(
        weight * math.exp(-abs(there - count) / scale) for there, weight in weights.items()
    )


def assert_equal(release: Release, likelihoods: Sequence[Callable[[int], float]]) -> None:
    public = release.plan.neighbours is pv.REPLACE_ONE
    found = pv.infer(release).counts().mean()
    expected = brute(likelihoods, [9] if public else range(10))
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize(
    ("noise", "law"),
    [
        (pv.LaplaceNoise("1.5", discrete=False), stats.laplace(scale=1.5)),
        (pv.GaussianNoise("1.5", discrete=False), stats.norm(scale=1.5)),
    ],
)
def test_decimals_of_continuous_noise_are_kept(relation: Any, noise: Any, law: Any) -> None:
    numbers = ["2.37", "-0.84", "6.5"]
    release = imported(numbers, noise, neighbours=relation)
    assert release.statistics.counts == (237, -84, 650)
    assert_equal(release, [continuous(law, float(one), float(one)) for one in numbers])
    nearest = imported(numbers, pv.LaplaceNoise("1.6", discrete=False), neighbours=relation)
    assert pv.infer(release).mean() != pytest.approx(pv.infer(nearest).mean(), rel=1e-3)


@pytest.mark.parametrize(
    ("treatment", "numbers", "ends"),
    [
        (pv.Treatment(clipped_at=0), ["0", "2.37", "7.15"], [(-math.inf, 0), (2.37, 2.37), (7.15, 7.15)]),
        (pv.Treatment(rounded_to=5), [0, -5, 10], [(-2.5, 2.5), (-7.5, -2.5), (7.5, 12.5)]),
        (pv.Treatment(rounded_to=1), [1, 3, 8], [(0.5, 1.5), (2.5, 3.5), (7.5, 8.5)]),
        (
            pv.Treatment(suppressed_below="2.5"),
            [None, None, "6.52"],
            [(-math.inf, 2.5), (-math.inf, 2.5), (6.52, 6.52)],
        ),
        (
            pv.Treatment(suppressed_below=3, rounded_to=4),
            [None, 4, 8],
            [(-math.inf, 3), (3, 6), (6, 10)],
        ),
        (pv.Treatment(clipped_at=0, rounded_to=3), [0, 3, 6], [(-math.inf, 1.5), (1.5, 4.5), (4.5, 7.5)]),
    ],
)
def test_treated_numbers_tell_of_intervals(treatment: Any, numbers: Any, ends: Sequence[Ends]) -> None:
    release = imported(numbers, pv.LaplaceNoise("1.5", discrete=False), treatment)
    law = stats.laplace(scale=1.5)
    assert_equal(release, [continuous(law, low, high) for low, high in ends])


def test_discrete_noise_that_was_treated() -> None:
    """Ties of rounding count half on either side; clipping and suppression have none."""
    noise, below = pv.LaplaceNoise(2, discrete=True), range(-80, 3)
    blank = imported([None, 4, 5], noise, pv.Treatment(suppressed_below=3))
    points = [discrete(2, {4: 1}), discrete(2, {5: 1})]
    assert_equal(blank, [discrete(2, dict.fromkeys(below, 1.0)), *points])
    clipped = imported([0, 4, 5], noise, pv.Treatment(clipped_at=0))
    assert_equal(clipped, [discrete(2, dict.fromkeys(range(-80, 1), 1.0)), *points])
    rounded = imported([0, 4, 8], noise, pv.Treatment(rounded_to=4))
    around = {-2: 0.5, -1: 1.0, 0: 1.0, 1: 1.0, 2: 0.5}
    assert_equal(rounded, [discrete(2, {at + more: w for at, w in around.items()}) for more in (0, 4, 8)])


def test_a_rounded_number_is_not_taken_as_drawn() -> None:
    noise = pv.LaplaceNoise(2, discrete=True)
    rounded = pv.infer(imported([0, 4, 8], noise, pv.Treatment(rounded_to=4)))
    assert rounded.mean() != pytest.approx(pv.infer(imported([0, 4, 8], noise)).mean(), rel=1e-2)


def _released(mechanism: Any, counts: Sequence[int], model: Any, schema: pv.Schema, records: int) -> Release:
    """Return privior's own release of these numbers."""
    plan = Plan(schema, model, mechanism, mechanism.guarantee.neighbours, records)
    book = pv.Ledger.in_memory(population=plan.schema.population, epsilon=100, delta="0.1")
    receipt = LedgerReceipt.of(book.spend(plan), durable=False)
    return Release(plan, Observed.of(counts), receipt, "0" * 32, "0.4.0", "own")


@pytest.mark.parametrize("prior", ["1", "learned"])
@pytest.mark.parametrize("gaussian", [False, True])
def test_tables_are_inferred_as_releases_of_the_same_law(gaussian: bool, prior: str) -> None:
    columns = {name: pv.Categorical(["a", "b", "c"]) for name in ("x", "y")}
    schema = pv.Schema(columns, population="p", unit="person")
    model = pv.MarkovChain("x", "y", prior=prior)
    own: Any = pv.GaussianCounts(9, 1, "1e-6") if gaussian else pv.LaplaceCounts(9, "0.7")
    noise: Any = (
        pv.GaussianNoise(own.stddev, discrete=True)
        if gaussian
        else pv.LaplaceNoise(own.laplace_scale, discrete=True)
    )
    counts = [40, -3, 12, 5, 70, 8, 0, 31, 44]
    claim = {**CLAIM, "records": 200, "epsilon": own.epsilon, "delta": own.guarantee.cost.delta}
    theirs = pv.import_release(model, schema, counts, noise=noise, treatment=pv.AS_DRAWN, **claim)
    ours = _released(own, counts, model, schema, 200)
    assert (pv.infer(theirs).mean() == pv.infer(ours).mean()).all()
    assert (pv.infer(theirs).interval() == pv.infer(ours).interval()).all()
    assert pv.infer(theirs).conflict == pv.infer(ours).conflict


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_families_are_inferred_as_releases_of_the_same_law(relation: pv.Neighbours) -> None:
    schema = pv.Schema({"visits": pv.Integer(0, 20)}, population="p", unit="person")
    model = pv.GammaPoisson("visits", prior=pv.Gamma(2, 1))
    plan = pv.plan(model, schema, records=300, epsilon=1, neighbours=relation)
    counts = [900] if relation is pv.REPLACE_ONE else [290, 900]
    noise = [pv.LaplaceNoise(one, discrete=True) for one in plan.mechanism.scales]
    claim = {**CLAIM, "records": 300, "neighbours": relation}
    theirs = pv.import_release(model, schema, counts, noise=noise, treatment=pv.AS_DRAWN, **claim)
    ours = _released(plan.mechanism, counts, model, schema, 300)
    assert pv.infer(theirs).mean() == pv.infer(ours).mean()
    assert pv.infer(theirs).interval() == pv.infer(ours).interval()


@pytest.mark.parametrize(
    ("noise", "law"),
    [
        (pv.LaplaceNoise(6, discrete=False), stats.laplace(scale=6)),
        (pv.GaussianNoise(6, discrete=False), stats.norm(scale=6)),
    ],
)
def test_a_treated_sum_of_a_family(noise: Any, law: Any) -> None:
    """Of Beta-Bernoulli the sum is summed out by hand: a mixture of Betas."""
    schema = pv.Schema({"ill": pv.Boolean()}, population="p", unit="person")
    model = pv.BetaBernoulli("ill", prior=pv.Beta(2, 3))
    claim = {**CLAIM, "records": 40}
    treatment = pv.Treatment(clipped_at=0, rounded_to=5)
    found = pv.infer(pv.import_release(model, schema, [0], noise=noise, treatment=treatment, **claim))
    sums = np.arange(41)
    weights = stats.betabinom(40, 2, 3).pmf(sums) * law.cdf(2.5 - sums)
    assert found.mean() == pytest.approx(float(weights @ ((2 + sums) / 45) / weights.sum()), rel=1e-5)


def test_a_finite_family() -> None:
    schema = pv.Schema({"x": pv.Integer(0, 10)}, population="p", unit="person")
    model = pv.FiniteFamily("x", {"low": ["0.15"] * 5 + ["1/24"] * 6, "flat": ["1/11"] * 11})
    numbers = [f"{one}.25" for one in (9, 11, 8, 12, 10, 1, 2, 3, 1, 2, 2)]
    noise = pv.LaplaceNoise(2, discrete=False)
    claim = {**CLAIM, "records": 60}
    release = pv.import_release(model, schema, numbers, noise=noise, treatment=pv.AS_DRAWN, **claim)
    assert pv.infer(release).models()["low"] > 0.99


def test_rounded_gaussian_numbers() -> None:
    noise, law = pv.GaussianNoise(5, discrete=False), stats.norm(scale=5)
    found = pv.infer(imported([1, 3, 8], noise, pv.Treatment(rounded_to=1))).counts().mean()
    expected = brute([continuous(law, one - 0.5, one + 0.5) for one in (1, 3, 8)], [9])
    assert found == pytest.approx(expected, rel=1e-5)


def test_what_is_not_understood_is_refused() -> None:
    rounded, blank = pv.Treatment(rounded_to=5), pv.Treatment(suppressed_below=5)
    with pytest.raises(pv.InferenceError, match="not inferred from such numbers"):
        pv.infer(imported([0, 5, 5], pv.GaussianNoise(4, discrete=False), rounded))
    with pytest.raises(pv.InferenceError, match="not inferred from such numbers"):
        pv.infer(imported([0, 500, 0], pv.LaplaceNoise(4, discrete=False), pv.Treatment(rounded_to=500)))
    shown = imported([7, 6, 8], pv.GaussianNoise(4, discrete=True), blank)  # none is blank
    assert pv.infer(shown).mean() == pytest.approx(
        pv.infer(imported([7, 6, 8], pv.GaussianNoise(4, discrete=True))).mean()
    )


def test_decimals_in_tables_that_are_walked_or_learned() -> None:
    """A shift by nearly nothing changes nearly nothing: in sums, in chains and in learned priors."""
    levels = [f"l{one}" for one in range(30)]
    schema = pv.Schema({"x": pv.Categorical(levels)}, population="p", unit="person")
    whole = [int(1000 / (1 + one)) for one in range(30)]
    claim = {**CLAIM, "records": sum(whole), "neighbours": pv.REPLACE_ONE}
    for prior in ("0.5", "learned"):
        model = pv.DirichletCategorical("x", prior=prior)
        found = [
            pv.infer(
                pv.import_release(
                    model,
                    schema,
                    [f"{one}.{more}" for one in whole],
                    noise=pv.LaplaceNoise(20, discrete=False),
                    treatment=pv.AS_DRAWN,
                    **claim,
                )
            ).mean()
            for more in ("02", "01")
        ]
        assert found[0] == pytest.approx(found[1], abs=5e-3)


def test_a_network_is_imported_by_its_tables() -> None:
    columns = {"smoker": pv.Boolean(), "ill": pv.Boolean()}
    schema = pv.Schema(columns, population="p", unit="person")
    model = pv.BayesianNetwork({"smoker": [], "ill": ["smoker"]}, prior=1)
    numbers = {"smoker": ["151.25", "48.5"], "ill": [["130.5", "20.25"], ["31.75", "18.5"]]}
    claim = {**CLAIM, "records": 200}
    noise = pv.LaplaceNoise(3, discrete=False)
    made = pv.import_release(model, schema, numbers, noise=noise, treatment=pv.AS_DRAWN, **claim)
    assert pv.Release.from_json(made.to_json()) == made
    found = pv.infer(made).probability({"ill": True}, given={"smoker": True})
    assert found.mean == pytest.approx(18.5 / 50, abs=0.05)
    with pytest.raises(pv.ReleaseError, match="for each table"):
        pv.import_release(model, schema, [1], noise=noise, treatment=pv.AS_DRAWN, **claim)
