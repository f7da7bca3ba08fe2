"""Balls: real numbers enclosed by interval arithmetic (Arb), so that bounds are rounded up by proof.

A formula is written once, in balls, and evaluated with more and more bits until the enclosure is narrow.
What is returned is a float that is not below any number in the enclosure.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privior.interval_arithmetic import arb, flint

#: an enclosure this narrow, in bits, is narrow enough; numbers below LEAST are rounded up to it
_BITS = 44
LEAST = 1e-300
#: bits that are enough to see that a logarithm is far below that of LEAST
_SOME_BITS = 192
#: an enclosure this narrow, in bits, that more precision does not make half as wide stays as it is; a wider
#: one may be cut to what is possible at all (a chance to [0, 1]) and shrinks later
_USEFUL_BITS = 16
_MOST_PRECISION = 96 << 6


def ball(number: Fraction | float | int) -> arb:
    """Return an enclosure of an exact number; a float means its exact binary value."""
    numerator, denominator = number.as_integer_ratio()
    return flint.arb(flint.fmpq(numerator, denominator))


def balls(*numbers: Fraction | float | int) -> tuple[arb, ...]:
    """Return an enclosure of each number."""
    return tuple(ball(number) for number in numbers)


def upper(evaluate: Callable[[], arb], precision: int = 96) -> float:
    """Evaluate a formula in balls and return its upper end as a float, rounded up.

    Args:
        evaluate: computes the formula from exact numbers; called again with more bits if it came out wide
        precision: the bits to begin with
    """
    before = math.inf
    while True:
        with flint.ctx.workprec(precision):
            found = evaluate()
            high = float(found.upper())
            width = float(found.rad())
        if math.isfinite(high) and (high < LEAST or width <= abs(high) * 2.0**-_BITS):
            return math.nextafter(high, math.inf) if high > LEAST else LEAST
        settled = before / 2 < width <= abs(high) * 2.0**-_USEFUL_BITS
        if settled or precision >= _MOST_PRECISION:
            return math.nextafter(high, math.inf) if math.isfinite(high) else math.inf
        precision, before = 2 * precision, width


def is_nothing(log_bound: Callable[[], arb]) -> bool:
    """Say whether a number is surely below `LEAST`, by the logarithm of a bound: `upper` would say LEAST."""
    with flint.ctx.workprec(_SOME_BITS):
        return bool(log_bound() < ball(LEAST).log())


def powers(exponent: arb, size: int) -> arb:
    """Return 1 + x + ... + x^(size-1), x = e^exponent."""
    if exponent.is_zero():
        return ball(size)
    return (size * exponent).expm1() / exponent.expm1()
