"""T01: draws from laws without ends are exact roundings too, whatever their size.

The references are mpmath's functions, and for large shapes Arb's incomplete Gamma function with 400 bits:
where they judge, what is judged computes by something else (quadrature, or Arb's functions).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

import flint
import mpmath
import pytest

from digits import Digits
from privior.randomness import Bits, GammaLaw, NormalLaw, rounded
from privior.randomness.concave import ball
from sampler_checks import UNBOUNDED, Unbounded, check_unbounded, some

UNIFORMS = [
    Fraction(2**200 // 3, 2**200),
    Fraction(1, 2**70) + Fraction(1, 2**90),
    1 - Fraction(1, 2**75) - Fraction(1, 2**91),
    Fraction(5**86, 2**200),
]
GAMMAS = [
    ("0.001", "1"),
    ("0.5", "0.000001"),
    ("1", "1"),
    ("22/7", "1000000"),
    ("41.5", "1"),
    ("4095.25", "3"),
    ("4097", "1/3"),
    ("1000000", "0.000001"),
    ("1000000.5", "1000000"),
    ("1000000000", "1"),
    ("3000000001/3", "977"),
]
NORMALS = [
    ("0", "1"),
    ("-1/3", "1e-40"),
    ("1e9", "1e-18"),
    ("1e30", "2"),
    ("-7", "1e40"),
    ("0", "1e600"),
    ("1e-200", "1e-500"),
]
LAWS: list[Unbounded] = [
    *(GammaLaw(Fraction(a), Fraction(b)) for a, b in GAMMAS),
    *(NormalLaw(Fraction(m), Fraction(v)) for m, v in NORMALS),
]


def real(number: Fraction) -> mpmath.mpf:
    return mpmath.mpf(number.numerator) / number.denominator


def reference(law: Unbounded, point: Fraction) -> mpmath.mpf:
    """F, to some 100 digits."""
    with mpmath.workdps(130):
        if isinstance(law, NormalLaw):
            t = real(point - law.mean) / mpmath.sqrt(2 * real(law.variance))
            return mpmath.erfc(-t) / 2
        if point <= 0:
            return mpmath.mpf(0)
        if law.shape <= 4096:
            return mpmath.gammainc(real(law.shape), 0, real(point * law.rate), regularized=True)
        with flint.ctx.workprec(400):
            upper = ball(point * law.rate).gamma_upper(ball(law.shape), regularized=True)
            assert float(upper.rad()) < 1e-60
            return 1 - mpmath.mpf(upper.mid().str(120, radius=False))


def is_rounding(law: Unbounded, places: int, uniform: Fraction, cell: int) -> bool:
    """Say whether F^-1(uniform) lies in the cell."""
    unit = Fraction(2) ** -places
    with mpmath.workdps(130):
        low, high = (reference(law, (cell + side) * unit) for side in (Fraction(-1, 2), Fraction(1, 2)))
        return bool(low <= real(uniform) <= high)


def float_draw(law: Unbounded, places: int, bits: Bits) -> int:
    """A fault: the quantile of a 53-bit uniform number, in floating point."""
    guess = law.guess(bits.bits(53) / 2.0**53)
    return 0 if guess is None else round(guess * Fraction(2) ** places)


def agreements(draw: Callable[[Unbounded, int, Bits], int], law: Unbounded) -> int:
    places = max(-1024, min(60 - law.size, 1024))  # 60 bits within a standard deviation
    return sum(is_rounding(law, places, u, draw(law, places, Digits(u))) for u in UNIFORMS)


@pytest.mark.parametrize(
    "law", LAWS, ids=[*(f"gamma-{a}" for a, _ in GAMMAS), *(f"normal-{v}" for _, v in NORMALS)]
)
def test_every_draw_is_the_rounding_of_the_exact_inverse(law: Unbounded) -> None:
    assert agreements(rounded, law) == len(UNIFORMS)


def test_a_float_draw_is_not_and_the_same_comparison_says_so() -> None:
    faulty = sum(len(UNIFORMS) - agreements(float_draw, law) for law in LAWS)
    assert faulty > len(LAWS)


@pytest.mark.parametrize("places", [-1024, -40, -3, 0, 1, 40, 100, 1024])
def test_any_grid_will_do(places: int) -> None:
    uniform = Fraction(3**120, 2**200)
    for law in (GammaLaw(Fraction(5, 2), Fraction(1)), NormalLaw(Fraction(-3), Fraction(10**30))):
        cell = rounded(law, places, Digits(uniform))
        if places == -1024:
            assert cell == 0
        elif places <= 100:
            assert is_rounding(law, places, uniform, cell)
        else:  # the same draw, on a finer grid
            coarse = rounded(law, 60, Digits(uniform))
            assert abs(Fraction(cell, 2**places) - Fraction(coarse, 2**60)) <= Fraction(1, 2**61)


@pytest.mark.parametrize("places", [-1025, 1025])
def test_grids_beyond_are_refused(places: int) -> None:
    with pytest.raises(ValueError, match="places"):
        rounded(NormalLaw(Fraction(0), Fraction(1)), places, Bits())


@pytest.mark.parametrize("depth", [90, 180])
@pytest.mark.parametrize(
    "law",
    [
        GammaLaw(Fraction(3, 2), Fraction(2)),
        GammaLaw(Fraction(10**6), Fraction(10**3)),
        NormalLaw(Fraction(1), Fraction(3)),
    ],
    ids=str,
)
def test_a_uniform_number_next_to_a_border_is_decided_by_its_later_bits(law: Unbounded, depth: int) -> None:
    cell = rounded(law, 40, Digits(Fraction(2, 5)))
    with mpmath.workdps(130):
        value = reference(law, (cell - Fraction(1, 2)) / 2**40)
        border = Fraction(int(mpmath.floor(value * 2**220)), 2**220)
    for side in (-1, 1):
        digits = Digits(border + side * Fraction(1, 2**depth))
        assert rounded(law, 40, digits) == (cell if side > 0 else cell - 1)
        assert depth - 5 <= digits.taken


class CoarseGamma(GammaLaw):
    """Enclosures that are far too wide until there are 500 bits of precision."""

    def below(self, point: Fraction) -> flint.arb:
        wide = flint.arb(0, 1e-3) if flint.ctx.prec < 500 else flint.arb(0)
        return super().below(point) + wide


class CoarseNormal(NormalLaw):
    """The same fault in another law."""

    def below(self, point: Fraction) -> flint.arb:
        wide = flint.arb(0, 1e-3) if flint.ctx.prec < 500 else flint.arb(0)
        return super().below(point) + wide


def test_an_undecided_draw_gets_more_bits_of_the_same_number() -> None:
    for law, coarse in (
        (GammaLaw(Fraction(5), Fraction(1)), CoarseGamma(Fraction(5), Fraction(1))),
        (NormalLaw(Fraction(5), Fraction(1)), CoarseNormal(Fraction(5), Fraction(1))),
    ):
        uniform = Fraction(3**300, 2**480)
        first, later = Digits(uniform), Digits(uniform)
        assert rounded(law, 40, first) == rounded(coarse, 40, later)
        assert first.taken < 100
        assert later.taken >= 400


def test_the_guess_and_the_size_never_decide() -> None:
    class MisledGamma(GammaLaw):
        size = -500

        def guess(self, share: float) -> Fraction | None:
            return None if share < 0.5 else Fraction(10) ** 60

    class MisledNormal(NormalLaw):
        size = 300

        def guess(self, share: float) -> Fraction | None:
            return None if share < 0.5 else -(Fraction(10) ** 60)

    for uniform in UNIFORMS:
        gamma, normal = (Fraction(10**5), Fraction(7)), (Fraction(10**5), Fraction(7))
        assert rounded(MisledGamma(*gamma), 40, Digits(uniform)) == rounded(
            GammaLaw(*gamma), 40, Digits(uniform)
        )
        assert rounded(MisledNormal(*normal), 40, Digits(uniform)) == rounded(
            NormalLaw(*normal), 40, Digits(uniform)
        )


@pytest.mark.parametrize(("law", "places", "size", "off"), some(UNBOUNDED, 0, 2, 4, 5), ids=str)
def test_draws_follow_the_law_and_reject_one_slightly_off(
    law: Unbounded, places: int, size: int, off: Fraction
) -> None:
    """A quarter of the draws of evidence/, and a law twice as far off: seven standard deviations of room."""
    check_unbounded(law, places, size // 4, 2 * off)


@pytest.mark.parametrize("shape", ["0.001", "1", "41.5", "1000", "1000000", "1000000001/2"])
def test_the_quadrature_encloses_what_arb_computes(shape: str) -> None:
    law = GammaLaw(Fraction(shape), Fraction(3))
    for share in (1e-12, 0.1, 0.5, 0.99, 1 - 1e-12):
        point = law.guess(share)
        assert point is not None
        if not point:
            continue
        with flint.ctx.workprec(101 + law.guard):
            upper = ball(point * 3).gamma_upper(ball(law.shape), regularized=True)
            below, above = law.mass(None, point), law.mass(point, None)
            assert above.overlaps(upper)
            assert below.overlaps(1 - upper)
            assert below.rel_accuracy_bits() > 90
            assert above.rel_accuracy_bits() > 90


def test_the_quadrature_of_the_normal_law_is_good_in_relative_terms() -> None:
    law = NormalLaw(Fraction(0), Fraction(1))
    for low, high in ((1, None), (30, None), (10**6, None), (-1, 2), (30, 31), (-5, -4)):
        with flint.ctx.workprec(120):
            found = law.mass(Fraction(low), None if high is None else Fraction(high))
        with flint.ctx.workprec(400):
            ends = [Fraction(low)] if high is None else [Fraction(low), Fraction(high)]
            tails = [(ball(end) / flint.arb(2).sqrt()).erfc() / 2 for end in ends]
            exact = tails[0] - (tails[1] if len(tails) > 1 else 0)
            assert found.overlaps(exact)
        assert found.rel_accuracy_bits() > 60


def test_impossible_parameters_are_refused() -> None:
    for shape, rate in ((0, 1), (1, 0), (-1, 1), (1, -1)):
        with pytest.raises(ValueError, match="positive"):
            GammaLaw(Fraction(shape), Fraction(rate))
    with pytest.raises(ValueError, match="positive"):
        NormalLaw(Fraction(0), Fraction(0))


def test_one_draw_takes_milliseconds() -> None:
    """Measured .1 to 3 ms on one core; the test leaves room for a busy machine."""
    for shape in ("0.001", "10", "4000", "1000000", "1000000000"):
        law, bits = GammaLaw(Fraction(shape), Fraction(1)), Bits()
        rounded(law, 40, bits)
        begin = time.process_time()
        for _ in range(20):
            rounded(law, 40, bits)
        assert time.process_time() - begin < 20 * 0.05
