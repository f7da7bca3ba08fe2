"""Calibration: the smallest or largest parameter that keeps a promise, on a decimal grid, rounded safely.

Every search assumes that a promise which holds at a parameter holds at every safer one. The answer has so
many digits, was itself checked, and is off by one unit in the last digit at most, on the safe side.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from privior.exact import shortened_up

#: digits of an answer
DIGITS = 10
#: parameters are sought between these
LEAST, MOST = Fraction(1, 10**9), Fraction(10**12)

Holds = Callable[[Fraction], bool]


def smallest(holds: Holds, least: Fraction = LEAST, most: Fraction = MOST) -> Fraction | None:
    """Return the smallest parameter that keeps a promise which all larger ones keep; None if none does.

    >>> smallest(lambda x: x * x >= 2)
    Fraction(1414213563, 1000000000)
    """
    return _found(holds, least, most, DIGITS)


def largest(
    holds: Holds, least: Fraction = LEAST, most: Fraction = MOST, *, digits: int = DIGITS
) -> Fraction | None:
    """Return the largest parameter that keeps a promise which all smaller ones keep; None if none does.

    >>> largest(lambda x: x * x <= 2)
    Fraction(707106781, 500000000)
    """
    return _found(holds, most, least, digits)


def _found(holds: Holds, unsafe: Fraction, safe: Fraction, digits: int) -> Fraction | None:
    if holds(unsafe):
        return unsafe
    if not holds(safe):
        return None
    while abs(unsafe - safe) > min(unsafe, safe) / 10 ** (digits + 2):
        far = max(unsafe, safe) > 2 * min(unsafe, safe)
        middle = Fraction(math.sqrt(unsafe * safe)) if far else (unsafe + safe) / 2
        unsafe, safe = (unsafe, middle) if holds(middle) else (middle, safe)
    if safe > unsafe:
        return shortened_up(safe, digits)
    unit = Fraction(10) ** (math.floor(math.log10(safe)) - digits + 1)
    return unit * math.floor(safe / unit)
