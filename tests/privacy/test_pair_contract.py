"""One suite for every pair (T09): never below the truth in 60 digits, within 1e-9 of it; then planted faults.

The truths (tests/oracles) integrate or sum the two densities; they share no formula with the pairs.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise
from typing import Any

import pytest
from counts_oracle import lattice_k_norm, signs
from dirichlet_oracle import beta_line
from discrete_gaussian_oracle import lattice_gaussian
from finite_oracle import TwoPoint, told
from gamma_oracle import gamma_line
from gaussian_oracle import normal_line
from two_laws import Points as Outcomes
from two_laws import both_ways
from virtual_records_oracle import urn

from privior.privacy.composition import Composed
from privior.privacy.composition.two_levels_draws import TwoLevelsDraws
from privior.privacy.pairs import (
    ApproximatePair,
    BetaPair,
    BoundedRangePair,
    Concentrated,
    DiscreteGaussianShift,
    FinitePair,
    GammaScalePair,
    GammaShapePair,
    GaussianPair,
    GroupPair,
    KNormPair,
    ShapeMoves,
    SignedSteps,
    TwoLevelsPair,
    VirtualRecordsPair,
    Within,
    WorstOf,
    beta,
    both_orders,
    gamma_scale,
    gamma_shape,
)

F = Fraction
ONE = F(1)
EPSILONS = (-3.0, -0.6, 0.0, 0.3, 1.0, 2.5)
ORDERS = (0.5, 1.0, 1.25, 2.0, 7.0)


@dataclass(frozen=True)
class Case:
    """A pair and how to find the truth about it; None if only the rules that hold for any bound apply."""

    pair: Any
    truth: Callable[[], Any] | None
    epsilons: tuple[float, ...] = EPSILONS
    orders: tuple[float, ...] = ORDERS

    def __str__(self) -> str:
        return str(self.pair)


FINITE = FinitePair.of(("0.5", "0.3", "0.2"), ("0.2", "0.2", "0.6"))
HALVES = F(1, 2)
CASES = [
    Case(BetaPair(ONE, ONE, ONE), lambda: beta_line(ONE, ONE, ONE, -90, -20, 20, 90)),
    Case(BetaPair(F(1, 2), F(3), F(3, 4)), lambda: beta_line(F(1, 2), F(3), F(3, 4), -170, -30, 20, 40)),
    Case(BetaPair(F(37), F(20), ONE), lambda: beta_line(F(37), F(20), ONE, -6, 8), (-0.5, 0.0, 0.4, 2.0)),
    Case(GammaShapePair(ONE, ONE), lambda: gamma_line((F(2), ONE), (ONE, ONE), -90, -20, 6)),
    Case(
        GammaShapePair(F(5, 2), F(1, 3), less=True),
        lambda: gamma_line((F(5, 2), ONE), (F(17, 6), ONE), -300, -40, -8, 6),
    ),
    Case(
        GammaShapePair(F(24), ONE),
        lambda: gamma_line((F(25), ONE), (F(24), ONE), -3, 6),
        (-1.0, 0.0, 0.5, 1.0),
    ),
    Case(GammaScalePair(F(2), F(3)), lambda: gamma_line((F(2), ONE), (F(2), F(3)), -50, -10, 6)),
    Case(
        GammaScalePair(F(21, 2), F(11, 10), steeper=True),
        lambda: gamma_line((F(21, 2), F(11, 10)), (F(21, 2), ONE), -9, 6),
        (-1.1, -0.5, 0.0, 0.2, 0.9, 1.1),
    ),
    Case(GaussianPair(F(2)), lambda: normal_line(F(2), 20)),
    Case(GaussianPair(F(1, 20)), lambda: normal_line(F(1, 20), 18), (-0.5, 0.0, 0.3, 1.0)),
    Case(BoundedRangePair(F(2)), lambda: TwoPoint(F(2)), (-2.5, -1.2, 0.0, 0.3, 1.0, 1.9)),
    Case(BoundedRangePair(F(1, 5)), lambda: TwoPoint(F(1, 5)), (-0.3, -0.1, 0.0, 0.05, 0.19)),
    Case(FINITE, lambda: Outcomes([F(1, 2), F(3, 10), F(1, 5)], [F(1, 5), F(1, 5), F(3, 5)])),
    Case(SignedSteps(F(1, 2), 3), lambda: signs(F(1, 2), 3)),
    Case(SignedSteps(F(3)), lambda: signs(F(3), 1)),
    Case(ApproximatePair(F(1, 2), F(1, 50)), lambda: told(F(1, 2), F(1, 50)), orders=(0.5,)),
    Case(KNormPair(3, F(2)), lambda: lattice_k_norm(3, F(2), 34), (-2.5, -1.0, 0.0, 0.7, 1.9)),
    Case(KNormPair(5, F(3)), lambda: lattice_k_norm(5, F(3), 26), (-2.5, -1.0, 0.0, 0.7, 1.9)),
    Case(VirtualRecordsPair(9, HALVES, F(2)), lambda: urn(9, HALVES, F(2), ONE)),
    Case(VirtualRecordsPair(4, F(3), F(1, 3), F(2, 5)), lambda: urn(4, F(3), F(1, 3), F(2, 5))),
    Case(DiscreteGaussianShift(F(3, 2), 1), lambda: lattice_gaussian(F(3, 2), 1)),
    Case(DiscreteGaussianShift(F(1, 3), 2), lambda: lattice_gaussian(F(1, 3), 2)),
    Case(DiscreteGaussianShift(F(7, 2), 1, 3), lambda: lattice_gaussian(F(7, 2), 1, 3)),
    Case(
        TwoLevelsPair(ONE, F(2), HALVES, 3),
        lambda: both_ways(
            *(beta_line(1 + HALVES * s, 2 + HALVES * (2 - s), HALVES, -90, -20, 20, 60) for s in range(3))
        ),
        (-0.6, 0.0, 0.5, 1.0),
        (0.5, 1.0, 2.0),
    ),
    Case(
        both_orders(BetaPair(F(2), F(5), ONE)),
        lambda: both_ways(beta_line(F(2), F(5), ONE, -50, -10, 10, 30)),
        (-0.6, 0.0, 0.5, 1.0),
        (0.5, 1.0, 2.0),
    ),
    Case(Within(GaussianPair(F(1, 4)), F(1, 10**6)), None),
    Case(Within(BetaPair(F(2), F(5), ONE), F(1, 1000)), None),
    Case(GroupPair(KNormPair(3, F(1, 2)), 3), None),
    Case(GroupPair(BetaPair(F(20), F(30), ONE), 2), None),
    Case(Composed(((BetaPair(F(20), F(30), ONE), 3), (GaussianPair(F(1, 9)), 1))), None),
    Case(TwoLevelsDraws(TwoLevelsPair(F(8), F(9), ONE, 6), 3), None, (-0.6, 0.0, 0.5, 1.0)),
    Case(Concentrated(F(1, 10)), None),
    Case(Concentrated(F(3)), None),
    Case(ShapeMoves(F(3), F(2), ONE), None),
    Case(ShapeMoves(F(200), F(30), F(5)), None),
]

ORDINARY = len(CASES)
TINY, HUGE = F(1, 10**6), F(10**9)
#: far from ordinary sizes, where curves cancel; the same quadrature serves
CASES += [
    Case(
        BetaPair(TINY, TINY, ONE),
        lambda: beta_line(TINY, TINY, ONE, -1.7e8, -1e4, -60, 60, 1e4, 1.7e8),
        (-30.0, -1.0, 0.0, 1.0, 30.0),
        (0.5,),
    ),
    Case(
        BetaPair(HUGE, HUGE, ONE),
        lambda: beta_line(HUGE, HUGE, ONE, -9e-4, 9e-4),
        (-1e-4, 0.0, 3e-5, 2e-4),
        (0.5, 2.0),
    ),
    Case(
        BetaPair(F(3, 2), HUGE, ONE),
        lambda: beta_line(F(3, 2), HUGE, ONE, -130, -30, -10),
        (-1.0, 0.0, 0.5, 3.0),
        (0.5, 2.0),
    ),
    Case(
        BetaPair(HALVES, F(1, 3), TINY),
        lambda: beta_line(HALVES, F(1, 3), TINY, -330, -30, 30, 500),
        (-1e-5, 0.0, 3e-6, 2e-5),
        (0.5, 2.0),
    ),
    Case(
        GammaShapePair(TINY, ONE),
        lambda: gamma_line((TINY + 1, ONE), (TINY, ONE), -1.7e8, -1e4, -60, 6),
        (-30.0, -1.0, 0.0, 1.0, 30.0),
        (0.5,),
    ),
    Case(
        GammaShapePair(HUGE, F(100)),
        lambda: gamma_line((HUGE + 100, ONE), (HUGE, ONE), 20.7226, 20.7240),
        (-1e-3, 0.0, 3e-3, 2e-2),
        (0.5, 2.0),
    ),
    Case(
        GammaScalePair(HUGE, 1 + F(1, 10**6)),
        lambda: gamma_line((HUGE, ONE), (HUGE, 1 + F(1, 10**6)), 20.7226, 20.7240),
        (-3e-2, 0.0, 1e-2, 0.1),
        (0.5, 2.0),
    ),
    Case(
        GaussianPair(F(900)),
        lambda: normal_line(F(900), 48, parts=64),
        (-300.0, 0.0, 400.0, 500.0),
        (0.5, 1.25),
    ),
    Case(GaussianPair(F(1, 10**12)), lambda: normal_line(F(1, 10**12), 18), (-1e-6, 0.0, 2e-6, 8e-6), (2.0,)),
    Case(BoundedRangePair(TINY), lambda: TwoPoint(TINY), (-5e-7, 0.0, 5e-7), (0.5, 1.0, 2.0)),
    Case(BoundedRangePair(F(100)), lambda: TwoPoint(F(100)), (-50.0, 0.0, 60.0, 99.0), (0.5, 1.0, 2.0)),
    Case(SignedSteps(TINY, 2), lambda: signs(TINY, 2), (-1e-6, 0.0, 1e-6)),
    Case(SignedSteps(F(1000)), lambda: signs(F(1000), 1), (-500.0, 0.0, 999.0), (1.0, 2.0)),
    Case(VirtualRecordsPair(30, TINY, HUGE), lambda: urn(30, TINY, HUGE, ONE), (-1.0, 0.0, 5.0), (1.0, 2.0)),
]


@cache
def truths(index: int) -> tuple[Any, Any]:
    truth = CASES[index].truth
    assert truth is not None
    found = truth()
    return found, found.swapped


@cache
def known(index: int, mirrored: bool, what: str, at: float) -> Any:
    return getattr(truths(index)[mirrored], what)(at)


def off(stated: float, truth: Any) -> bool:
    """Whether a bound is below the truth, or more than 1e-9 of it above."""
    return not truth * (1 - 1e-20) - 1e-35 <= stated <= truth * (1 + 1e-9) + 1e-32


def complaints(index: int, pair: Any = None) -> Iterator[str]:
    """Say everything that is wrong with the pair of a case, or with another one in its place."""
    case = CASES[index]
    pair = case.pair if pair is None else pair
    mirror = pair.mirror
    yield from _curves(case, pair, mirror)
    if case.truth is None:
        return
    for mirrored, one in ((False, pair), (True, mirror)):
        # quadrature in 60 digits takes long, and the mirror has been compared with the pair itself
        some = slice(1, None, 2) if mirrored else slice(None)
        for e in case.epsilons[some]:
            if off(one.delta(e), known(index, mirrored, "delta", e)):
                yield f"delta({e}) mirrored={mirrored}: {one.delta(e)}, {known(index, mirrored, 'delta', e)}"
        for order in case.orders[some]:
            stated = one.renyi(order)
            if math.isfinite(stated) and off(stated, truth := known(index, mirrored, "renyi", order)):
                yield f"renyi({order}) mirrored={mirrored}: {stated}, {truth}"
            if not math.isfinite(stated) and math.isfinite(case.pair.renyi(order)) and not mirrored:
                yield f"renyi({order}) is finite"


def _curves(case: Case, pair: Any, mirror: Any) -> Iterator[str]:
    """What must hold of any curve, whatever the laws."""
    for one, other in ((pair, mirror), (mirror, pair)):
        deltas = [one.delta(e) for e in case.epsilons]
        if any(later > earlier for earlier, later in pairwise(deltas)):
            yield "delta increases"
        for e, delta in zip(case.epsilons, deltas, strict=True):
            factor = math.exp(min(e, 600.0))
            if not max(0.0, 1 - factor) * (1 - 1e-12) <= delta <= 1:
                yield f"delta({e}) = {delta} out of range"
            swapped = 1 - factor + factor * other.delta(-e)
            size = max(delta, factor * other.delta(-e))
            if case.truth is not None and e < 600 and abs(delta - swapped) > 1e-9 * size + 1e-15:
                yield f"the mirror at {e}: {delta} but {swapped}"
            for order in (1.25, 2.0, 7.0, 60.0):
                gap = (order - 1) * (min(one.renyi(order), 1e6) - e)
                bound = math.exp(min(gap, 700.0)) / order * (1 - 1 / order) ** (order - 1)
                if delta > bound * (1 + 1e-9) + 1e-299:
                    yield f"delta({e}) = {delta} above the Renyi conversion {bound}"
        curve = [one.renyi(order) for order in (0.3, *case.orders, 60.0)]
        if any(later < earlier * (1 - 1e-12) for earlier, later in pairwise(curve)) or curve[0] <= 0:
            yield f"Renyi divergences decrease: {curve}"
        if one.pure is not None:
            largest = float(one.pure)
            if one.delta(math.nextafter(largest, math.inf)) != 0 or one.delta(largest * 0.999) <= 0:
                yield "delta does not end at the largest loss"
            if not 0.99 * largest <= one.renyi(1e15) <= largest * (1 + 1e-12):
                yield f"Renyi divergences end at {one.renyi(1e15)}, the loss at {largest}"


@pytest.mark.parametrize("index", range(len(CASES)), ids=lambda i: str(CASES[i]))
def test_every_pair_keeps_the_contract(index: int) -> None:
    assert list(complaints(index)) == []


@dataclass(frozen=True)
class Lie:
    """A pair with one answer changed."""

    honest: Any
    what: str
    how: Callable[[Any], Any]

    def __getattr__(self, name: str) -> Any:
        return self.how(self.honest) if name == self.what else getattr(self.honest, name)


def lies(pair: Any) -> Iterator[tuple[str, Any]]:
    """Faults that any pair may have: signs, orders, sizes, every parameter a thousandth off or swapped."""
    yield "the sign of epsilon", Lie(pair, "delta", lambda p: lambda e: p.delta(-e))
    yield "delta too small", Lie(pair, "delta", lambda p: lambda e: p.delta(e) * (1 - 1e-8))
    yield "delta too large", Lie(pair, "delta", lambda p: lambda e: p.delta(e) * (1 + 1e-8))
    yield "delta not below zero", Lie(pair, "delta", lambda p: lambda e: p.delta(max(e, 0.0)))
    yield (
        "delta without e^epsilon",
        Lie(pair, "delta", lambda p: lambda e: min(1.0, p.delta(e) * math.exp(e))),
    )
    yield "Renyi too small", Lie(pair, "renyi", lambda p: lambda order: p.renyi(order) * (1 - 1e-8))
    yield "Renyi of the order before", Lie(pair, "renyi", lambda p: lambda order: p.renyi(order * 0.999))
    if pair.mirror != pair:
        yield "one order only", Lie(pair, "mirror", lambda p: p)
        yield "the other order", pair.mirror
        yield "delta of the other order", Lie(pair, "delta", lambda p: p.mirror.delta)
        yield "Renyi of the other order", Lie(pair, "renyi", lambda p: p.mirror.renyi)
    if pair.pure is not None:
        yield "half the loss", Lie(pair, "pure", lambda p: p.pure / 2)
        yield "twice the loss", Lie(pair, "pure", lambda p: p.pure * 2)
    names = [f.name for f in dataclasses.fields(pair)]
    for name in names:
        value = getattr(pair, name)
        if isinstance(value, Fraction):
            yield f"{name} a thousandth off", replace(pair, **{name: value * F(1001, 1000)})
            if value != 1 and name != "ratio":
                yield f"{name} dropped", replace(pair, **{name: ONE})
        elif isinstance(value, int) and not isinstance(value, bool):
            try:
                lie = replace(pair, **{name: value + 1})
            except ValueError:  # the pair itself refuses that
                continue
            yield f"{name} one more", lie
    if (
        {"first", "second"} <= set(names)
        and pair.first != pair.second
        and not isinstance(pair, TwoLevelsPair)
    ):
        yield "first and second swapped", replace(pair, first=pair.second, second=pair.first)


LIES = [
    (index, name, lie)
    for index, case in enumerate(CASES[:ORDINARY])
    if case.truth is not None
    for name, lie in lies(case.pair)
]


@pytest.mark.parametrize("index", range(ORDINARY), ids=lambda i: str(CASES[i]))
def test_the_suite_rejects_planted_faults(index: int) -> None:
    unnoticed = [name for i, name, lie in LIES if i == index and not any(True for _ in complaints(i, lie))]
    assert unnoticed == []


def find(pair: Any) -> int:
    return next(i for i, case in enumerate(CASES) if case.pair == pair)


def one_branch(logit: Any, first: Any, second: Any) -> Any:
    """Forget the branch: what lies below half is taken for what lies above."""
    rest = 1 / (1 + abs(logit).exp())
    return rest.beta_lower(second, first, regularized=True)


@pytest.mark.parametrize("pair", [CASES[0].pair, CASES[1].pair, CASES[2].pair], ids=str)
def test_one_branch_of_the_beta_tail_is_noticed(pair: BetaPair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beta, "beta_above", one_branch)
    assert any(True for _ in complaints(find(pair)))


@pytest.mark.parametrize("pair", [case.pair for case in CASES[3:8]], ids=str)
@pytest.mark.parametrize("fault", ["swap", "shape"])
def test_a_wrong_gamma_tail_is_noticed(pair: Any, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    module: Any = gamma_shape if isinstance(pair, GammaShapePair) else gamma_scale
    above, below = module.gamma_above, module.gamma_below
    if fault == "swap":
        monkeypatch.setattr(module, "gamma_above", below)
        monkeypatch.setattr(module, "gamma_below", above)
    else:
        monkeypatch.setattr(module, "gamma_above", lambda x, shape: above(x, shape * 2))
        monkeypatch.setattr(module, "gamma_below", lambda x, shape: below(x, shape * 2))
    assert any(True for _ in complaints(find(pair)))


WRONG = [
    (KNormPair(3, F(2)), SignedSteps(F(2)), "loose: randomised response"),
    (KNormPair(5, F(3)), KNormPair(2, F(3)), "the levels are forgotten"),
    (BoundedRangePair(F(2)), SignedSteps(F(2)), "pure only"),
    (BoundedRangePair(F(2)), SignedSteps(F(1)), "half of the range"),
    (
        TwoLevelsPair(ONE, F(2), HALVES, 3),
        WorstOf((BetaPair(ONE, F(4), HALVES), BetaPair(F(4), ONE, HALVES))),
        "r",
    ),
    (TwoLevelsPair(ONE, F(2), HALVES, 3), BetaPair(ONE, F(3), HALVES), "one s and one order"),
    (TwoLevelsPair(ONE, F(2), HALVES, 3), both_orders(BetaPair(ONE, F(2), HALVES)), "as for three levels"),
    (both_orders(BetaPair(F(2), F(5), ONE)), BetaPair(F(2), F(5), ONE), "one order"),
    (GammaScalePair(F(2), F(3)), GammaScalePair(F(2), F(4)), "ratio plus one"),
    (GammaShapePair(F(24), ONE), GammaShapePair(F(23), ONE), "shape less one"),
    (DiscreteGaussianShift(F(1, 3), 2), DiscreteGaussianShift(F(1, 3), 1), "one coordinate"),
]


@pytest.mark.parametrize(("right", "wrong", "why"), WRONG, ids=lambda x: str(x)[:40])
def test_a_wrong_pair_is_noticed(right: Any, wrong: Any, why: str) -> None:
    assert any(True for _ in complaints(find(right), wrong))
