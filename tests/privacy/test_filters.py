"""Filters (T09): exact at the cap, and never exceeded by an adversary who looks before choosing."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from privior.errors import NumberError, PlanError
from privior.privacy.budget import Budget
from privior.privacy.composition import Composed
from privior.privacy.filters import BasicFilter, ConcentratedFilter, GaussianFilter, RenyiFilter
from privior.privacy.pairs import (
    BetaPair,
    BoundedRangePair,
    Concentrated,
    DiscreteGaussianShift,
    DominatingPair,
    FinitePair,
    GammaScalePair,
    GaussianPair,
    SignedSteps,
    WorstOf,
    both_orders,
)

F = Fraction
SHARP = FinitePair.of(("0.5", "0.5"), ("0", "1"))


def test_ten_tenths_fit_and_no_more() -> None:
    basic = BasicFilter(Budget.of(1, "1e-5"))
    tenth = Budget.of("0.1", "1e-6")
    total = basic.nothing
    for _ in range(10):
        assert basic.admits(total, tenth)
        total = basic.add(total, tenth)
    assert total == basic.cap == basic.converts(total)
    assert not basic.admits(total, Budget.of("1e-9"))
    gaussian, concentrated = GaussianFilter.of("0.1", "1e-6"), ConcentratedFilter.of("0.1", "1e-6")
    sums = [gaussian.nothing, concentrated.nothing]
    for _ in range(10):
        assert gaussian.admits(sums[0], GaussianPair(F(1, 100)))
        assert concentrated.admits(sums[1], Concentrated(F(1, 100)))
        sums = [
            gaussian.add(sums[0], GaussianPair(F(1, 100))),
            concentrated.add(sums[1], Concentrated(F(1, 100))),
        ]
    assert sums == [F(1, 10), F(1, 10)]
    assert not gaussian.admits(sums[0], GaussianPair(F(1, 10**30)))
    assert not concentrated.admits(sums[1], Concentrated(F(1, 10**30)))


def test_pairs_are_charged_what_they_cost_in_both_orders() -> None:
    basic, rho = BasicFilter(Budget.of(1)), ConcentratedFilter.of(1, "1e-6")
    assert basic.add(basic.nothing, SignedSteps(F(1, 4))) == Budget(F(1, 4), F(0))
    assert rho.add(F(0), GaussianPair(F(1, 5))) == F(1, 10)
    assert rho.add(F(0), BoundedRangePair(F(1, 5))) == F(1, 200)
    assert rho.add(F(0), DiscreteGaussianShift(F(50), 2)) == F(1, 50)
    assert rho.add(F(0), SignedSteps(F(1, 4))) == F(1, 32)
    assert rho.add(F(0), SignedSteps(F(1, 4), 3)) == F(3, 32)  # not (3/4)^2 / 2
    worst = WorstOf((GaussianPair(F(1, 5)), GaussianPair(F(1, 3))))
    both = Composed(((GaussianPair(F(1, 7)), 3), (worst, 2)))
    assert GaussianFilter.of(9, "1e-6").add(F(1), both) == 1 + F(3, 7) + F(2, 3)
    skew = FinitePair.of(("0.9", "0.1"), ("0.5", "0.5"))
    assert basic.add(basic.nothing, skew).epsilon >= F(math.log(5)) > F(math.log(1.8))
    renyi = RenyiFilter.of((2, 3), 5, "1e-3")
    for order, found in zip((2.0, 3.0), renyi.add(renyi.nothing, skew), strict=True):
        assert found == F(max(skew.renyi(order), skew.mirror.renyi(order)))


def test_what_a_sum_would_promise() -> None:
    epsilon, delta = GaussianFilter.of(1, "1e-6").converts(F("0.0560289635"))
    assert epsilon == pytest.approx(1, rel=1e-4)
    assert delta == F(1, 10**6)
    rho, _ = ConcentratedFilter.of(1, "1e-6").converts(F("0.0280144817"))
    assert 1 < rho < 1.3
    assert GaussianFilter.of(1, "1e-6").converts(F(0))[0] == 0
    single = RenyiFilter.of((11,), 2, "1e-6")
    assert single.converts((F(1, 2),))[0] == pytest.approx(0.5 + math.log(1e6) / 10, rel=1e-12)
    pair = RenyiFilter.of((11, 21), 2, "1e-6")
    expected = min(0.5 + math.log(2e6) / 10, 1.5 + math.log(2e6) / 20)
    assert pair.converts((F(1, 2), F(3, 2)))[0] == pytest.approx(expected, rel=1e-12)
    assert pair.converts((None, None))[0] == math.inf


def test_an_infinite_order_stays_infinite_and_the_others_go_on() -> None:
    renyi = RenyiFilter.of((2, 50), 9, "1e-2")
    pair = both_orders(BetaPair(F(20), F(20)))
    total = renyi.add(renyi.nothing, pair)
    assert total[1] is None
    assert total[0] is not None
    assert renyi.admits(renyi.nothing, pair)
    assert renyi.add(total, GaussianPair(F(1)))[1] is None


def test_the_cap_of_an_order_is_not_rounded_up() -> None:
    """At order 2 with one order: epsilon - ln(1/delta), a rational just above it is refused."""
    renyi = RenyiFilter.of((2,), 9, "1e-3")
    with mpmath.workdps(40):
        room = F(int(mpmath.floor((9 - mpmath.log(1000)) * 2**60)), 2**60)
    assert renyi.admits((room - F(1, 2**40),), GaussianPair(F(1, 2**60)))
    assert not renyi.admits((room,), GaussianPair(F(1, 2**58)))


@pytest.mark.parametrize(
    ("filter_", "pair", "words"),
    [
        (BasicFilter(Budget.of(1)), GaussianPair(F(1)), "no place in a sum of \\(epsilon, delta\\)"),
        (BasicFilter(Budget.of(1)), GammaScalePair(F(2), F(2), steeper=True), "no place in a sum"),
        (GaussianFilter.of(1, "1e-6"), DiscreteGaussianShift(F(5), 1), "no place in a sum of mu"),
        (GaussianFilter.of(1, "1e-6"), Composed(((BetaPair(F(1), F(1)), 2),)), "no place in a sum of mu"),
        (ConcentratedFilter.of(1, "1e-6"), BetaPair(F(9), F(9)), "no place in a sum of rho"),
        (ConcentratedFilter.of(1, "1e-6"), SHARP, "no place in a sum of rho"),
        (RenyiFilter.of((2, 3), 1, "1e-6"), SHARP, "no place in sums of Renyi"),
        (RenyiFilter.of((3,), 1, "1e-6"), BetaPair(F(1), F(1)), "no place in sums of Renyi"),
    ],
    ids=str,
)
def test_what_has_no_such_cost_is_refused(filter_: Any, pair: DominatingPair, words: str) -> None:
    for ask in (filter_.add, filter_.admits):
        with pytest.raises(PlanError, match=words):
            ask(filter_.nothing, pair)


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.0, 60.0])
def test_what_is_charged_bounds_every_divergence(order: float) -> None:
    """D_l <= l rho for each pair with a rho of its own; the charge of SignedSteps is nearly attained."""
    rho = ConcentratedFilter.of(10**9, "1e-6")
    for pair in (
        SignedSteps(F(1, 50)),
        SignedSteps(F(3), 4),
        BoundedRangePair(F(1, 5)),
        BoundedRangePair(F(9)),
        FinitePair.of(("0.9", "0.1"), ("0.5", "0.5")),
        DiscreteGaussianShift(F(1, 3), 2),
        GaussianPair(F(4)),
    ):
        charged = rho.add(F(0), pair)
        for one in (pair, pair.mirror):
            assert F(one.renyi(order)) <= F(order) * charged * (1 + F(1, 10**12))
    small = SignedSteps(F(1, 50))
    assert F(small.renyi(2.0)) >= 2 * rho.add(F(0), small) * F(999, 1000)


@pytest.mark.parametrize("delta", [0, 1, "-0.1"])
def test_settings_are_in_range(delta: object) -> None:
    makers: list[Callable[[], object]] = [
        lambda: GaussianFilter.of(1, delta),
        lambda: ConcentratedFilter.of(1, delta),
        lambda: RenyiFilter.of((2,), 1, delta),
        lambda: GaussianFilter.of(0, "0.1"),
        lambda: RenyiFilter.of((), 1, "0.1"),
        lambda: RenyiFilter.of((1,), 1, "0.1"),
        lambda: RenyiFilter.of((2, "2.0"), 1, "0.1"),
        lambda: RenyiFilter.of((2,), 0, "0.1"),
    ]
    for make in makers:
        with pytest.raises(NumberError):
            make()


# ---- an adversary who looks -------------------------------------------------------------------------------

STEPS = [F(1, 20), F(1, 4), F(1, 2), F(1)]
DEPTH = 8


def transcripts(
    filter_: Any, choose: Callable[[float], list[Fraction]], cheat: bool = False
) -> Iterator[tuple[float, float]]:
    """Every run of randomised responses whose sizes depend on the loss so far: (P, loss) at its end.

    A run takes the first size on the adversary's list that the filter admits, and ends when it admits none.
    `cheat` leaves the next release out of the sum.
    """

    def walk(total: Any, chance: float, loss: float, depth: int) -> Iterator[tuple[float, float]]:
        for step in choose(loss) if depth < DEPTH else []:
            pair = SignedSteps(step)
            if filter_.admits(total, SignedSteps(F(1, 10**9)) if cheat else pair):
                up = 1 / (1 + math.exp(-step))
                after = filter_.add(total, pair)
                yield from walk(after, chance * up, loss + float(step), depth + 1)
                yield from walk(after, chance * (1 - up), loss - float(step), depth + 1)
                return
        yield chance, loss

    return walk(filter_.nothing, 1.0, 0.0, 0)


ADVERSARIES: list[Callable[[float], list[Fraction]]] = [
    lambda loss: STEPS[::-1],
    lambda loss: STEPS[::-1] if loss > 0 else STEPS,
    lambda loss: STEPS if loss > 0.4 else STEPS[::-1],
    lambda loss: [F(1, 4)] if abs(loss) < 0.3 else STEPS[::-1],
    lambda loss: [] if loss > 1.2 else STEPS[::-1],  # stops when it is ahead
]


def stick(runs: Iterator[tuple[float, float]], epsilon: float) -> float:
    return math.fsum(chance * max(0.0, -math.expm1(epsilon - loss)) for chance, loss in runs)


@pytest.mark.parametrize(
    "choose",
    [
        pytest.param(choose, marks=[pytest.mark.slow] if place in (1, 3) else [])
        for place, choose in enumerate(ADVERSARIES)
    ],
)
def test_no_adversary_exceeds_what_the_cap_promises(choose: Callable[[float], list[Fraction]]) -> None:
    basic = BasicFilter(Budget.of("1.5"))
    assert max(loss for _, loss in transcripts(basic, choose)) <= 1.5 + 1e-12
    rho = ConcentratedFilter.of("0.4", "0.05")
    promised, delta = rho.converts(rho.cap)
    assert stick(transcripts(rho, choose), promised) <= delta
    for orders in ((3,), (2, 3, 5), (2, 4, 8, 16)):
        renyi = RenyiFilter.of(orders, "2.4", "0.2")
        assert stick(transcripts(renyi, choose), 2.4) <= 0.2
        for promised in (0.5, 1.0):
            smaller = RenyiFilter.of(orders, str(promised), "0.9")
            assert stick(transcripts(smaller, choose), promised) <= 0.9


def test_a_filter_that_forgets_the_next_release_is_seen() -> None:
    basic = BasicFilter(Budget.of("1.5"))
    runs = transcripts(basic, lambda loss: [F(1)], cheat=True)
    assert max(loss for _, loss in runs) > 1.5
