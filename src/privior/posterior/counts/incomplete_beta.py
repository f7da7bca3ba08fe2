"""The regularised incomplete Beta function, in numpy where that is quick: loading SciPy's takes longer.

By its continued fraction (the even part of DLMF 8.17.22, which loses no digits) from whichever end it
converges, after about the square root of the larger parameter. x^a (1-x)^b / B(a, b) is taken relative to
x = a/(a+b), where by Stirling's formula all large terms cancel.
"""

from __future__ import annotations

import math

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.stirling import HALF_LOG_TWO_PI, stirling_remainder
from privior.special import betainc

#: larger parameters are SciPy's, and so are smaller ones, which no count has
_LARGEST, _SMALLEST = 2e4, 1e-3
_MOST_TERMS = 2000
_CLOSE = 3e-16
_TINY = 1e-300


def incomplete_beta(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """Return I_x(a, b) to about 10⁻¹⁵; y = 1 - x, which has the digits that x lacks near 1."""
    a, b, x, y = np.broadcast_arrays(a, b, x, y)
    inside = np.minimum(x, y).min() > 0 and (a + b).max() <= _LARGEST
    if not inside or np.minimum(a, b).min() < _SMALLEST:
        return np.asarray(np.where(x > 0.5, 1 - betainc(b, a, y), betainc(a, b, x)))
    upper = x > (a + 1) / (a + b + 2)
    first, second = np.where(upper, b, a), np.where(upper, a, b)
    near, far = np.where(upper, y, x), np.where(upper, x, y)
    share = _power(first, second, near, far) / _fraction(first, second, near, far)
    return np.where(upper, 1 - share, share)


def _power(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """Return x^a y^b / B(a, b)."""
    size = a + b
    middle, rest = a / size, b / size
    away = np.where(x < y, x - middle, rest - y)
    logs = [
        np.where(np.abs(away) < of / 2, np.log1p(np.maximum(step, -0.75)), np.log(at / of))
        for at, of, step in ((x, middle, away / middle), (y, rest, -away / rest))
    ]
    peak = np.log(a * rest) / 2 - HALF_LOG_TWO_PI
    peak += stirling_remainder(size) - stirling_remainder(a) - stirling_remainder(b)
    return np.asarray(np.exp(a * logs[0] + b * logs[1] + peak))


def _fraction(a: Floats, b: Floats, x: Floats, y: Floats) -> Floats:
    """Return d₀ + n₁/(d₁ + n₂/(d₂ + ...)), the even part of the continued fraction, by Lentz's method."""
    lead = a * y - b * x + 1
    top = value = a * lead / (a + 1)
    bottom: Floats = np.zeros_like(x)
    for m in range(1, _MOST_TERMS):
        last = a + 2 * m - 1
        below = m + m * (b - m) * x / last + (a + m) * (lead + m * (2 - x)) / (last + 2)
        above = (a + m - 1) * (a + b + m - 1) * m * (b - m) * (x / last) ** 2
        bottom = 1 / _not_zero(below + above * bottom)
        top = _not_zero(below + above / top)
        value = value * top * bottom
        if (np.abs(top * bottom - 1) <= _CLOSE).all():
            break
    return value


def expit(logit: Floats) -> Floats:
    """Return 1 / (1 + exp(-logit)), which has its digits also where it is small."""
    return np.asarray(1 / (1 + np.exp(-logit)))


def first_guess(tail: float) -> float:
    """Return how far below its mean a normal law has this probability, at most 1/2, in standard deviations.

    Abramowitz and Stegun 26.2.23: right to 5 10⁻⁴, for Newton's method to begin with.
    """
    t = math.sqrt(-2 * math.log(tail))
    top = 2.515517 + t * (0.802853 + t * 0.010328)
    return t - top / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)))


def _not_zero(number: Floats) -> Floats:
    return np.where(np.abs(number) < _TINY, _TINY, number)
