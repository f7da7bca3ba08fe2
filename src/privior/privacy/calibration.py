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
#: secants: the slope to begin with, how far one may go on the log scale, and how many there are
_SLOPE, _FARTHEST, _MOST_SECANTS = 2.0, 2.0, 40

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

    By secants, which take few looks. A delta falls about like exp(-(c / parameter)^2), so log(-log measure)
    is looked at against the log of the parameter: nearly a straight line. The answer has so many digits and
    was itself checked; None if there is none above 1e-9.

    >>> largest_within(lambda x: float(x) ** 3, 0.0011, Fraction(1, 2), Fraction(1), 4)
    Fraction(129, 1250)
    """
    seen: dict[Fraction, float] = {}

    def looked(at: Fraction) -> float:
        if at not in seen:
            seen[at] = measure(at)
        return seen[at]

    def height(at: Fraction) -> float:
        return math.log(_depth(bound) / _depth(looked(at)))

    def below(held: float) -> Fraction:
        unit = Fraction(10) ** (math.floor(math.log10(held)) - digits + 1)
        return min(most, unit * math.floor(Fraction(held) / unit))

    at, slope = min(guess, most), _SLOPE
    here = height(at)
    for _ in range(_MOST_SECANTS):
        step = max(-_FARTHEST, min(_FARTHEST, -here / slope))
        if abs(step) < 0.2 / 10**digits or (at == most and here <= 0) or float(at) * math.exp(step) < LEAST:
            break
        there = min(most, Fraction(float(at) * math.exp(step)))
        found, moved = height(there), math.log(there / at)
        if moved == 0:
            break
        slope = min(max((found - here) / moved, _SLOPE / 8), _SLOPE * 8)
        at, here = there, found
    if at == most and here <= 0:
        return most
    answer = below(float(at) * math.exp(max(-_FARTHEST, min(0.0, -here / slope))))
    fall = Fraction(1, 10**digits)
    while answer >= LEAST and looked(answer) > bound:
        answer, fall = below(float(answer * (1 - fall))), min(Fraction(1, 2), 4 * fall)
    return answer if answer >= LEAST else None


def _depth(measure: float) -> float:
    """Return -log of a measure; for large ones, where that is not positive, something that falls on."""
    return -math.log(max(measure, 1e-300)) if measure < 0.5 else math.log(2) / (1 + 4 * (measure - 0.5))


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
