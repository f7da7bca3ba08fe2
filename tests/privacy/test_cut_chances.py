"""Draws of a chance cut to an interval: the bound encloses the truth, and is there soon, for many records."""

from __future__ import annotations

import math
import time
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx

from privior.privacy.pairs import balls
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.truncated import TruncatedBernoulli

F = Fraction


def truth(case: TruncatedBernoulli) -> tuple[mpmath.mpf, mpmath.mpf]:
    """The losses by mpmath's own integrals, with many digits, by tails that do not cancel."""

    def number(value: F) -> mpmath.mpf:
        return mpmath.mpf(value.numerator) / value.denominator

    def log_mass(ones: int) -> mpmath.mpf:
        a = number(case.first + case.rate * ones)
        b = number(case.second + case.rate * (case.records - ones))
        low, high = number(case.lower), number(case.upper)
        peak = min(max((a - 1) / (a + b - 2), low), high) if a > 1 and b > 1 else (low if a < b else high)
        top = (a - 1) * mpmath.log(peak) + (b - 1) * mpmath.log(1 - peak)
        scale = max(abs((a - 1) / peak - (b - 1) / (1 - peak)), mpmath.sqrt(a + b), 1)
        steps = sorted({low, peak, high, *(  # the peak is narrow: towards it, finer
            min(max(peak + side * 2**k / scale, low), high) for side in (-1, 1) for k in range(-2, 40, 2)
        )})  # fmt: skip

        def density(x: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp((a - 1) * mpmath.log(x) + (b - 1) * mpmath.log(1 - x) - top)

        return mpmath.log(mpmath.quad(density, steps)) + top

    (one, two), (three, four) = case.corners()
    low, high = (mpmath.log(number(end / (1 - end))) for end in (case.lower, case.upper))
    rate = number(case.rate)
    return (
        log_mass(one) - log_mass(two) - rate * low,
        log_mass(three) - log_mass(four) + rate * high,
    )


CASES = [
    TruncatedBernoulli(F("0.1"), F("0.9"), 12),
    TruncatedBernoulli(F("5e-7"), F("0.999999"), 20_000),
    TruncatedBernoulli(F("0.0001"), F("0.999"), 45_211, F(1, 2), F(3, 2)),
    TruncatedBernoulli(F("0.2"), F("0.3"), 45_211, F(1, 2), F(1, 2), F(1, 10)),
    TruncatedBernoulli(F("0.499"), F("0.501"), 10, F(30), F(30)),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{float(case.lower)}-{case.records}")
def test_the_bound_encloses_what_mpmath_integrates(case: TruncatedBernoulli) -> None:
    with mpmath.workdps(40):
        exact = truth(case)
        for order, loss in enumerate(exact):
            with ctx.workprec(160):
                found = case.losses()[order]
            near = mpmath.mpf(str(found.mid().str(40, radius=False)))
            assert abs(near - loss) <= mpmath.mpf(float(found.rad())) + mpmath.mpf(10) ** -25 * abs(loss)
        largest = max(exact)
        assert largest <= mpmath.mpf(float(case.pure)) <= largest * (1 + mpmath.mpf(2) ** -40)


def test_every_way_of_taking_the_tails_encloses_one_number() -> None:
    """By two lower tails, as before, where that ends soon."""
    for case in (CASES[0], CASES[3], CASES[4]):
        for ones in (0, 1, case.records // 2, case.records - 1, case.records):
            with ctx.workprec(400):
                a = ball(case.first + case.rate * ones)
                b = ball(case.second + case.rate * (case.records - ones))
                low, high = ball(case.lower), ball(case.upper)
                lower_tails = (high.beta_lower(a, b) - low.beta_lower(a, b)).log()
                assert case.log_mass(ones).overlaps(lower_tails)


@pytest.mark.parametrize("records", [45_211, 10**9])
@pytest.mark.parametrize("prior", [F(1), F(1, 2)])
def test_many_records_are_no_reason_to_wait(records: int, prior: F) -> None:
    begun = time.process_time()
    found = TruncatedBernoulli(F("5e-7"), F("0.999999"), records, prior, prior).pure
    assert time.process_time() - begun < 5  # it took ten minutes
    few = TruncatedBernoulli(F("5e-7"), F("0.999999"), 1000, prior, prior)
    assert few.pure < found <= few.oscillation


def test_more_bits_are_not_asked_for_where_they_change_nothing() -> None:
    asked = []

    def stubborn() -> arb:
        asked.append(ctx.prec)
        return arb(2, 1e-9)

    assert 2 + 1e-9 <= upper(stubborn) < 2 + 1.1e-9
    assert asked == [96, 192]


def test_a_bound_that_is_wide_at_first_is_waited_for() -> None:
    """A chance that is cut to [0, 1], or is nothing at all, until the bits suffice."""

    def late() -> arb:
        if ctx.prec < 300:
            return arb("nan")
        return arb(0.5, 0.5) if ctx.prec < 2000 else arb(0.25, 1e-20)

    assert 0.25 <= upper(late) < math.nextafter(0.25, 1) + 1e-15
    assert balls._MOST_PRECISION > 2000
