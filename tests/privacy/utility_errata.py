"""Counterexamples to what the papers say about error: numbers of the errata B5 to B8 and D5 to D8."""

from __future__ import annotations

import math
from collections.abc import Iterator

import hellinger_accuracy as accuracy
import hellinger_comparison as comparison
import histogram_utility as histogram
from prior_utility import equation_23
from scipy import optimize, stats
from two_level_release import TwoLevels

from privior.papers.dirichlet_prior import printed_prior
from privior.papers.histogram_loss import draw_loss, gaussian_loss
from privior.papers.published import Verdict


def show(number: float, digits: int) -> str:
    return f"{number:.{digits}g}"


def laplace_line() -> Iterator[str]:
    """The first line of Theorem 4.5: one of ten records is a one, t between its neighbours' distances."""
    case = TwoLevels(1, 10)
    claim = accuracy.theorem_4_5_laplace(case, 1, float(case.distances[0] + case.distances[2]) / 2)
    assert claim.verdict is Verdict.FALSE
    yield from (show(claim.value, 4), show(claim.better or 0, 4))


def local_lines() -> Iterator[str]:
    """The third line of Theorem 4.5, both sides, epsilon 0.001."""
    even = TwoLevels(5, 10)
    low = accuracy.theorem_4_5_exponential(even, "0.001", even.sensitivity * 1.01, upper=False, local=True)
    nine = TwoLevels(9, 10)
    between = float(nine.distances[8] + nine.distances[10]) / 2
    high = accuracy.theorem_4_5_exponential(nine, "0.001", between, upper=True, local=True)
    assert low.verdict is high.verdict is Verdict.FALSE
    yield from (show(low.value, 4), show(low.better or 0, 4), show(high.value, 4), show(high.better or 0, 4))


def b6() -> Iterator[str]:
    case = TwoLevels(5, 10)
    claim = accuracy.theorem_4_2(case, "0.01")
    assert claim.verdict is Verdict.FALSE
    assert round(claim.better or 0, 9) == 100
    printed = 1 - (math.exp(-1) + math.exp(-2)) / 2
    found = float(case.lshist(1)[case.distances < case.sensitivity].sum())
    assert found < printed
    yield from (show(printed, 4), show(found, 4))


def b7() -> Iterator[str]:
    claim = accuracy.theorem_4_3(TwoLevels(5, 10), 10, "0.4")
    assert claim.verdict is Verdict.FALSE
    assert claim.better == 1
    yield show(claim.value, 4)
    fourth = accuracy.theorem_4_4(1, 1)
    assert fourth.verdict is Verdict.VACUOUS
    yield from (show(fourth.value, 4), show(fourth.better or 0, 4))
    assert accuracy.corollary_4_4_1(TwoLevels(5, 10), 1).better == 1


def b8() -> Iterator[str]:
    one = TwoLevels(1, 3_607_816)
    between = float(one.distances[0] + one.distances[2]) / 2
    assert comparison.corollary_4_5_1(one, 14, between).verdict is Verdict.FALSE
    near = one.distances < between
    yield show(float(one.ehd(14)[near].sum()), 4)
    assert show(float(one.lshist(14)[near].sum()), 4) == "0.5"
    none = TwoLevels(0, 10)
    second = comparison.corollary_4_5_2(none, "0.1", float(none.distances[1]) * 1.001)
    assert second.verdict is Verdict.FALSE
    near = none.distances < none.distances[1] * 1.001
    chances = (float(law[near].sum()) for law in (none.ehd("0.1"), none.lshist("0.1")))
    yield from (show(second.value, 4), *(show(chance, 4) for chance in chances))
    tiny = TwoLevels(1, 65, "1e-36", 1)
    assert comparison.corollary_4_5_3(tiny, "0.05").verdict is Verdict.FALSE
    near = tiny.near_as_neighbours
    yield from (show(float(law[near].sum()), 4) for law in (tiny.ehd("0.05"), tiny.lshist("0.05")))


def d5() -> Iterator[str]:
    claim = histogram.theorem_5(2, 1, 1000, "1e-9")
    assert claim.verdict is Verdict.FALSE
    chance = histogram.two_even_levels(1, 1000, claim.value)
    assert chance > 1e-9
    yield from (show(claim.value, 4), show(chance, 4), show(claim.better or 0, 4))
    # many records: the law is normal, and the bound is sqrt(2 + 3/2 ln(1/b)) of its standard deviations
    limit = optimize.brentq(
        lambda t: t + math.log(2 * stats.norm.sf(math.sqrt(2 + 1.5 * t))), 1.0, 40.0, xtol=1e-12
    )
    yield show(math.exp(-float(limit)), 4)


def d6() -> Iterator[str]:
    claim = histogram.equation_16(10, "0.1", "0.05", 1000, 1000)
    assert claim.verdict is Verdict.FALSE
    yield show(claim.value, 5)
    yield show(math.sqrt(draw_loss(10, printed_prior(1000, 1000), round(6 * claim.value), 1)), 4)


def d7() -> Iterator[str]:
    claim = histogram.equation_18(1000, "0.1", 2, "0.01", "1/1000")
    assert claim.verdict is Verdict.FALSE
    assert (claim.value, claim.better) == (4473, 91)
    drawn = math.sqrt(draw_loss(1000, printed_prior(2, "0.01"), 1000, "1/1000"))
    yield from (show(drawn, 4), show(math.sqrt(gaussian_loss(1000, 1000, 2, "0.01")), 4))
    other = histogram.equation_18(1000, "0.1", 2, "0.01", 1)
    assert other.verdict is Verdict.SOUND
    assert other.better == 1812498


def d8() -> Iterator[str]:
    claim = equation_23(["0.1"] * 10, 1000, 1, 3)
    assert claim.verdict is Verdict.LOOSE
    yield from (show(claim.value, 4), show(claim.better or 0, 4))
