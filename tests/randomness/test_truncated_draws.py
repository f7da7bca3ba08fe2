"""T01: draws within bounds are exact roundings, also where the law hardly ever is.

The reference is Arb's own certified integral of the density, in x itself and with twice the precision; it
shares neither coordinate nor panels nor bounds with what it judges.
"""

from __future__ import annotations

import time
from fractions import Fraction

import flint
import pytest

from digits import Digits
from privior.randomness import BetaLaw, Bits, GammaLaw, NormalLaw, TruncatedLaw, rounded
from privior.randomness.concave import ball
from sampler_checks import TRUNCATED, Base, check_truncated, some


def within(law: Base, lower: str | None, upper: str | None) -> TruncatedLaw:
    low, high = (None if text is None else Fraction(text) for text in (lower, upper))
    return TruncatedLaw(law, low, high)


def gamma(shape: str, rate: str) -> GammaLaw:
    return GammaLaw(Fraction(shape), Fraction(rate))


def beta(first: str, second: str) -> BetaLaw:
    return BetaLaw(Fraction(first), Fraction(second))


def normal(mean: str, variance: str) -> NormalLaw:
    return NormalLaw(Fraction(mean), Fraction(variance))


#: law, and a number of places by which there are many cells in it
CASES = [
    (within(normal("0", "1"), "-1", "2"), 53),
    (within(normal("0", "1"), "30", None), 53),  # a chance of 1e-197
    (within(normal("0", "1"), None, "-30"), 53),
    (within(normal("0", "1"), "1000", "1001"), 60),  # of 1e-217151
    (within(normal("1/3", "1e-12"), "1", "2"), 80),
    (within(normal("5", "1e12"), "-1", "1/7"), 53),
    (within(normal("0", "1"), "-1", "-0.999999999999999999999999999999"), 150),
    (within(normal("0", "1"), "-1e-40", "1e-41"), 190),
    (within(gamma("3", "1"), "0.5", "2"), 53),
    (within(gamma("3", "1"), "700", None), 53),
    (within(gamma("3", "1"), None, "1e-70"), 280),
    (within(gamma("0.001", "1"), "2", "3"), 53),
    (within(gamma("0.001", "1"), "1e-30", "1"), 53),
    (within(gamma("1000000", "1"), "999000", "1000500"), 40),
    (within(gamma("1000000000", "1"), "1e8", "2e8"), 53),  # of e^-409437912
    (within(gamma("1000000000", "1"), "2e9", "3e9"), 53),
    (within(beta("10", "90"), "0.2", "0.8"), 53),
    (within(beta("10", "1000000"), "0.2", "0.8"), 70),
    (within(beta("1000000", "10"), "0.2", "0.8"), 70),
    (within(beta("0.001", "3"), "0.001", "0.999"), 53),
    (within(beta("1000000", "1000001"), "0.499", "0.502"), 60),
]
UNIFORMS = [Fraction(2**200 // 3, 2**200), Fraction(5**86, 2**200), Fraction(1, 2**30) + Fraction(1, 2**90)]


def log_density(law: Base, x: flint.acb, *, analytic: bool = False) -> flint.acb:
    """In x, up to a constant; not finite where a logarithm is cut, if it is to be analytic."""
    if isinstance(law, NormalLaw):
        return -((x - ball(law.mean)) ** 2) / (2 * ball(law.variance))
    if isinstance(law, GammaLaw):
        return ball(law.shape - 1) * x.log(analytic=analytic) - ball(law.rate) * x
    return ball(law.first - 1) * x.log(analytic=analytic) + ball(law.second - 1) * (1 - x).log(
        analytic=analytic
    )


def integral(law: Base, low: Fraction, high: Fraction, unit: flint.acb) -> flint.arb:
    """Integrate the density / e^unit."""
    if low >= high:
        return flint.arb(0)

    def density(x: flint.acb, analytic: bool) -> flint.acb:
        return (log_density(law, x, analytic=analytic) - unit).exp()

    found = flint.acb.integral(
        density, flint.acb(ball(low)), flint.acb(ball(high)), rel_tol=flint.arb(2) ** -200
    )
    return found.real


def is_rounding(truncated: TruncatedLaw, places: int, uniform: Fraction, cell: int) -> bool:
    """Say whether F^-1(uniform) lies in the cell; where there is no end, what is left out is below e^-190."""
    law = truncated.law
    assert isinstance(law, BetaLaw | GammaLaw | NormalLaw)
    with flint.ctx.workprec(400):
        first, last = (None if end is None else Fraction(end) for end in truncated.ends)
        low = first if first is not None else Fraction(last or 0) - 60
        high = last if last is not None else Fraction(first or 0) + 200
        low = low or high / 10**70
        unit = log_density(law, flint.acb(ball(min(max(law.centre, low), high))))
        cuts = [Fraction(2 * cell + side, 2) * Fraction(2) ** -places for side in (-1, 1)]
        cuts = [min(max(cut, low), high) for cut in cuts]
        pairs = ((low, cuts[0]), (cuts[0], cuts[1]), (cuts[1], high))
        before, inside, after = (integral(law, a, b, unit) for a, b in pairs)
        share = ball(uniform) * (before + inside + after)
        assert (before <= share) != (share < before)
        assert (share <= before + inside) != (before + inside < share)
        return bool(before <= share <= before + inside)


@pytest.mark.parametrize(("law", "places"), CASES, ids=[str(number) for number in range(len(CASES))])
def test_every_draw_is_the_rounding_of_the_exact_inverse(law: TruncatedLaw, places: int) -> None:
    for uniform in UNIFORMS:
        cell = rounded(law, places, Digits(uniform))
        assert is_rounding(law, places, uniform, cell)
        assert not is_rounding(law, places, uniform, cell + 1)
        assert not is_rounding(law, places, uniform, cell - 1)


@pytest.mark.parametrize(("law", "places", "size"), some(TRUNCATED, 0, 3, 4), ids=str)
def test_draws_follow_the_law_and_reject_one_that_is_off(law: TruncatedLaw, places: int, size: int) -> None:
    """Two fifths of the draws of evidence/, and a law that is twice as far off: eight standard deviations."""
    check_truncated(law, places, 2 * size // 5, Fraction(1, 5))


def test_a_rounded_draw_may_lie_half_a_unit_outside() -> None:
    law = within(normal("0", "1"), "0.6", "1.4")
    assert {rounded(law, 0, Bits()) for _ in range(50)} == {1}
    law = within(normal("0", "1"), "-0.9", "0.9")
    assert {rounded(law, 0, Bits()) for _ in range(200)} == {-1, 0, 1}


def test_bounds_beyond_the_support_are_no_bounds() -> None:
    for uniform in UNIFORMS:
        for law, low, high in ((gamma("7", "2"), "-3", None), (beta("2", "3"), "0", "17")):
            assert rounded(within(law, low, high), 40, Digits(uniform)) == rounded(law, 40, Digits(uniform))


def test_an_interval_without_draws_is_refused() -> None:
    for law, low, high in (
        (gamma("1", "1"), "-2", "-1"),
        (gamma("1", "1"), None, "0"),
        (beta("1", "1"), "1", None),
        (normal("0", "1"), "2", "2"),
        (normal("0", "1"), "3", "2"),
    ):
        with pytest.raises(ValueError, match="no draws"):
            within(law, low, high)


def test_an_undecided_draw_gets_more_bits_of_the_same_number() -> None:
    class Coarse(TruncatedLaw):
        def below(self, point: Fraction) -> flint.arb:
            wide = flint.arb(0, 1e-3) if flint.ctx.prec < 500 else flint.arb(0)
            return super().below(point) + wide

    law = within(normal("0", "1"), "30", "40")
    first, later = Digits(Fraction(3**300, 2**480)), Digits(Fraction(3**300, 2**480))
    assert rounded(law, 40, first) == rounded(Coarse(law.law, law.lower, law.upper), 40, later)
    assert first.taken < 100
    assert later.taken >= 400


def test_a_tail_that_is_a_straight_line_is_not_followed_for_ever() -> None:
    """Measured 10 to 50 ms; the whole tail, panel by panel, takes seconds."""
    law = within(beta("100000", "0.0005"), "0.1", None)
    begin = time.process_time()
    rounded(law, 64, Bits())
    assert time.process_time() - begin < 1.5


def test_the_precision_of_others_is_left_alone() -> None:
    before = flint.ctx.prec
    rounded(within(gamma("1000000000", "1"), "1e8", "2e8"), 40, Bits())
    assert flint.ctx.prec == before


def test_chances_outside_of_a_support_are_none() -> None:
    law = gamma("2", "1")
    assert law.mass(Fraction(-2), Fraction(-1)) == 0
    assert law.mass(Fraction(2), Fraction(1)) == 0
    assert law.mass(Fraction(-1), None) == 1
    assert beta("2", "1").mass(Fraction(2), None) == 0
