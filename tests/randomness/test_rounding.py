"""T01: a posterior draw is the exact rounding of an ideal one: every bit of the uniform number counts.

The reference inverts Arb's own incomplete Beta function by bisection with 260 bits; it shares neither the
quadrature, nor the guess, nor the jumps with what it judges.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import flint
import pytest

from chi_square import fits
from digits import Digits
from privior.randomness.beta import BetaLaw
from privior.randomness.entropy import Bits
from privior.randomness.rounding import rounded
from sampler_checks import BETAS, check_beta, some

PLACES = 53
#: places, draws, and how far off a law is
Few = tuple[int, int, Fraction]
PARAMETERS = [
    ("1", "1"),
    ("0.001", "0.001"),
    ("0.001", "1000000000"),
    ("1000000000", "0.001"),
    ("0.5", "0.5"),
    ("1/3", "7"),
    ("3", "1000"),
    ("70", "90"),
    ("65.5", "500"),
    ("700", "12345.6"),
    ("10000", "30000"),
    ("1000000", "1000000000"),
]


def law_of(parameters: tuple[str, str]) -> BetaLaw:
    return BetaLaw(*(Fraction(text) for text in parameters))


def chance_below(law: BetaLaw, cell: int, places: int, precision: int = 260) -> flint.arb:
    """Enclose the chance of a draw below the beginning of a cell."""
    with flint.ctx.workprec(precision):
        a, b = (flint.arb(flint.fmpq(p.numerator, p.denominator)) for p in (law.first, law.second))
        point = flint.arb(2 * cell - 1) / (1 << (places + 1))
        if 2 * cell > 1 << places:
            return 1 - (1 - point).beta_lower(b, a, regularized=True)
        return point.beta_lower(a, b, regularized=True)


def inverted(law: BetaLaw, uniform: Fraction, places: int = PLACES) -> int:
    """Return the cell of F^-1(uniform) by bisection, from a bracket that is checked."""
    near = float_draw(law, places, Digits(uniform))
    low, high = max(0, near - 2**20), min(1 << places, near + 2**20)
    with flint.ctx.workprec(260):
        exact = flint.arb(flint.fmpq(uniform.numerator, uniform.denominator))
        assert low == 0 or chance_below(law, low, places) <= exact
        assert high == 1 << places or exact < chance_below(law, high + 1, places)
        while low < high:
            middle = (low + high + 1) // 2
            below = chance_below(law, middle, places)
            assert (below <= exact) != (exact < below)
            low, high = (middle, high) if below <= exact else (low, middle - 1)
    return int(low)


def float_draw(law: BetaLaw, places: int, bits: Bits) -> int:
    """A fault: the quantile of a 53-bit uniform number, in floating point."""
    guess = law.guess(bits.bits(53) / 2.0**53)
    assert guess is not None
    return round(float(guess) * 2.0**places)


UNIFORMS = [Fraction(number, 2**200) for number in (2**200 // 3, 2**199 + 12345, 2**200 // 97, 5**86)]
#: each law with two of the four numbers, in turn
CASES = [
    (law_of(parameters), uniform)
    for place, parameters in enumerate(PARAMETERS)
    for uniform in UNIFORMS[place % 2 :: 2]
]


def disagreements(draw: Callable[[BetaLaw, int, Bits], int], cases: list[tuple[BetaLaw, Fraction]]) -> int:
    return sum(draw(law, PLACES, Digits(u)) != inverted(law, u) for law, u in cases)


def test_every_draw_is_the_rounding_of_the_exact_inverse() -> None:
    assert disagreements(rounded, CASES) == 0


def test_a_float_draw_is_not_and_the_same_comparison_says_so() -> None:
    laws = [law_of(parameters) for parameters in PARAMETERS]
    quick = [(law, u) for law in laws if law.first < 1000 for u in UNIFORMS]
    assert disagreements(float_draw, quick) > 3


@pytest.mark.parametrize("parameters", [("0.5", "3"), ("70", "90"), ("5000", "7000")])
@pytest.mark.parametrize("depth", [90, 180])
def test_a_uniform_number_next_to_a_border_is_decided_by_its_later_bits(
    parameters: tuple[str, str], depth: int
) -> None:
    """More bits of the same number, as many as it takes, and the side that they say."""
    law = law_of(parameters)
    cell = inverted(law, Fraction(2, 5))
    middle = chance_below(law, cell, PLACES, 300).mid().fmpq()
    border = Fraction(int(middle.p), int(middle.q))
    for side in (-1, 1):
        digits = Digits(border + side * Fraction(1, 2**depth))
        assert rounded(law, PLACES, digits) == (cell if side > 0 else cell - 1)
        assert depth - 5 <= digits.taken


def test_the_ends_are_cells_like_all_others() -> None:
    """Nothing is drawn again at 0 or 1: tiny parameters put nearly everything there."""
    law = law_of(("0.001", "0.001"))
    sample = [rounded(law, PLACES, Bits()) for _ in range(2000)]
    at_zero = float(chance_below(law, 1, PLACES).mid())
    assert 0.4 < at_zero < 0.5
    assert fits([min(j, 1) if j < 2**PLACES else 2 for j in sample], {0: at_zero, 2: at_zero})


@pytest.mark.parametrize(("law", "few", "_many"), some(BETAS, 0, 2, 3), ids=str)
def test_draws_follow_the_law_and_reject_one_that_is_off(law: BetaLaw, few: Few, _many: Few) -> None:
    check_beta(law, *few)


@pytest.mark.parametrize("places", [1, 8, 100, 1024])
def test_any_grid_will_do(places: int) -> None:
    law = law_of(("2", "3"))
    uniform = Fraction(3**120, 2**200)
    with flint.ctx.workprec(2500):
        cell = rounded(law, places, Digits(uniform))
        assert cell == 0 or chance_below(law, cell, places, 2500) <= flint.arb(flint.fmpq(3**120, 2**200))
        assert chance_below(law, cell + 1, places, 2500) >= flint.arb(flint.fmpq(3**120, 2**200))
    with pytest.raises(ValueError, match="places"):
        rounded(law, 1025, Bits())


def test_the_guess_never_decides() -> None:
    class Misled(BetaLaw):
        def guess(self, share: float) -> Fraction | None:
            return None if share < 0.5 else Fraction(-3e300)

    for uniform in (Fraction(1, 3), Fraction(2, 3)):
        for parameters in (("0.5", "3"), ("5000", "7000")):
            law = law_of(parameters)
            misled = Misled(law.first, law.second)
            assert rounded(misled, PLACES, Digits(uniform)) == inverted(law, uniform)


def test_the_quadrature_encloses_what_arb_computes() -> None:
    for parameters in (("64", "64"), ("100", "700"), ("1000", "100000"), ("1000000", "2000000")):
        law = law_of(parameters)
        for share in (1e-12, 0.1, 0.5, 0.99, 1 - 1e-12):
            with flint.ctx.workprec(101 + law.guard):
                point = law.guess(share)
                assert point is not None
                a, b = flint.arb(law.first.numerator), flint.arb(law.second.numerator)
                found = law.mass(None, point)
                exact = flint.arb(flint.fmpq(point.numerator, point.denominator))
                assert found.overlaps(exact.beta_lower(a, b, regularized=True))
                assert float(found.rad()) < 1e-25


def test_a_border_far_out_in_a_tail_is_decided_at_once() -> None:
    """Arb's incomplete Beta function says nothing there with a hundred thousand bits."""
    digits = Digits(Fraction(1, 3))
    assert rounded(law_of(("0.01", "1000000")), 0, digits) == 0
    assert digits.taken < 100


def test_the_precision_of_others_is_left_alone() -> None:
    before = flint.ctx.prec
    rounded(law_of(("5000", "7000")), PLACES, Bits())
    assert flint.ctx.prec == before
