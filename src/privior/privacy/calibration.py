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


def largest_within(
    measure: Callable[[Fraction], float], bound: float, guess: Fraction, most: Fraction, digits: int
) -> Fraction | None:
    """Return the largest parameter at which an increasing, costly measure is within a positive bound.

    By secants between logarithms in a bracket (the Illinois rule), which takes far fewer looks than halving.
    The answer has so many digits and was itself checked; None if there is none above 1e-9.

    >>> largest_within(lambda x: float(x) ** 3, 0.0011, Fraction(1, 2), Fraction(1), 4)
    Fraction(129, 1250)
    """

    def height(at: Fraction) -> float:
        return math.log(max(measure(at), 1e-300)) - math.log(bound)

    above, top = most, height(most)
    if top < 0:
        return most
    below, bottom = guess, height(guess)
    while bottom > 0:
        above, top = below, bottom
        below = below / 2
        if below < LEAST:
            return None
        bottom = height(below)
    while above - below > below / 10**digits and bottom < 0:
        share = bottom / (bottom - top)
        middle = Fraction(float(below) * (float(above) / float(below)) ** min(max(share, 0.01), 0.99))
        found = height(middle)
        if found > 0:
            above, top, bottom = middle, found, bottom / 2
        else:
            below, bottom, top = middle, found, top / 2
    unit = Fraction(10) ** (math.floor(math.log10(below)) - digits + 1)
    answer = unit * math.floor(below / unit)
    while measure(answer) > bound:  # logarithms round
        answer -= unit
    return answer


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


def largest_whole(holds: Callable[[int], bool], most: int = 10**9) -> int | None:
    """Return the largest whole number from 1 that keeps a promise which all smaller ones keep, or None.

    >>> largest_whole(lambda x: x * x <= 200)
    14
    """
    if not holds(1):
        return None
    low, high = 1, 2
    while high <= most and holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return min(low, most)
