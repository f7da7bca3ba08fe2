"""Functions of floats with proved errors: e^t and log(1 + e^t), by tables and whole operations alone.

A library's exponential comes without a proof. Here coefficients of Taylor's polynomials at the points k/16
are computed with 40 decimal digits (the decimal module's exp and ln are correctly rounded, by its
specification) and rounded once; the rest are additions and products of floats, each wrong by at most
u = 2^-53 of its result. For |x| <= 1/32 and polynomials of degree 7:

- what is left out is at most max |f^(8)| / 8! 2^-40: 2.4e-17 for log(1 + e^t), whose eighth derivative is at
  most 17/16 in absolute value; for e^t at most 2.4e-17 of it;
- t - k/16 is exact (Sterbenz); Horner's rule errs by at most u (2 |p_0| + 4/32 (|p_1| + |p_2| + ...)), since
  the k-th coefficient is multiplied by x^k. All higher coefficients together are below 1.2 for log(1 + e^t),
  and below 1.8 e^(k/16) for e^t; coefficients are rounded, which adds u |p_0| and little more.

So log(1 + e^t) is wrong by at most `ERROR` (1 + log(1 + e^t)), and e^t by at most `ERROR` of itself. Beyond
-40 and 40 log(1 + e^t) is taken to be 0 and t, which is wrong by e^-40 < 4.3e-18.
"""

from __future__ import annotations

from decimal import Decimal, localcontext
from functools import cache
from math import factorial

import numpy as np

from privior.arrays import Floats

#: see above: 8 u, which is more than all terms together
ERROR = 2.0**-50
#: of `logistic`, 7 places of which are derivatives: 17/16 2^-35 / 7! = 6.2e-15 is left out
LOGISTIC_ERROR = 2.0**-46
_REACH, _STEPS, _DEGREE = 40, 16, 7
_DIGITS = 40


def softplus(t: Floats) -> Floats:
    """Return log(1 + e^t)."""
    place, x = _split(np.clip(t, -_REACH, _REACH))
    near = _horner(_softplus_table(), place, x)
    return np.where(t > _REACH, t, np.where(t < -_REACH, 0.0, near))


def logistic(t: Floats) -> Floats:
    """Return 1 / (1 + e^-t), wrong by at most `LOGISTIC_ERROR`."""
    place, x = _split(np.clip(t, -_REACH, _REACH))
    near = _horner(_softplus_table()[:, 1:] * np.arange(1.0, _DEGREE + 1), place, x)
    return np.where(t > _REACH, 1.0, np.where(t < -_REACH, 0.0, near))


def exponential(t: Floats) -> Floats:
    """Return e^t, for t from -40 to 40; t beyond them is moved there."""
    place, x = _split(np.clip(t, -_REACH, _REACH))
    return _horner(_exponential_table(), place, x)


def _split(t: Floats) -> tuple[np.ndarray[tuple[int, ...], np.dtype[np.int64]], Floats]:
    """Return which point of the table is nearest, and how far it is: exactly."""
    nearest = np.rint(t * _STEPS)
    return nearest.astype(np.int64) + _REACH * _STEPS, t - nearest / _STEPS


def _horner(table: Floats, place: np.ndarray[tuple[int, ...], np.dtype[np.int64]], x: Floats) -> Floats:
    columns = np.ascontiguousarray(table.T)
    total = columns[-1][place]
    for column in columns[-2::-1]:
        total = total * x + column[place]
    return np.asarray(total)


@cache
def _softplus_table() -> Floats:
    """The derivatives of s = 1/(1 + e^-t) are polynomials in s: p' -> p'(s) s (1 - s)."""
    polynomials = [[0, 1]]
    for _ in range(_DEGREE - 1):
        slopes = [power * one for power, one in enumerate(polynomials[-1])][1:]
        once, twice = [0, *slopes, 0], [0, 0, *slopes]
        polynomials.append([a - b for a, b in zip(once, twice, strict=True)])
    rows = []
    with localcontext() as context:
        context.prec = _DIGITS
        for place in range(-_REACH * _STEPS, _REACH * _STEPS + 1):
            grown = (Decimal(place) / _STEPS).exp()
            s = grown / (1 + grown)
            values = [sum(one * s**power for power, one in enumerate(row)) for row in polynomials]
            rest = [value / factorial(power) for power, value in enumerate(values, 1)]
            rows.append([float(one) for one in ((1 + grown).ln(), *rest)])
    return np.array(rows)


@cache
def _exponential_table() -> Floats:
    with localcontext() as context:
        context.prec = _DIGITS
        points = ((Decimal(place) / _STEPS).exp() for place in range(-_REACH * _STEPS, _REACH * _STEPS + 1))
        return np.array([[float(one / factorial(power)) for power in range(_DEGREE + 1)] for one in points])


def bregman_share(s: Floats) -> Floats:
    """Return a number not above h(s) = (e^-s + s - 1) / s^2, for s >= 0.

    If |f'''| <= f'' then f(u + v) - f(u) - f'(u) v >= f''(u) v^2 h(|v|): along the segment f'' falls no
    faster than e^-s, and integrating twice gives h, which falls in s. Up to 1/2 the series of h, cut after a
    negative term, is below it; beyond that e^-s is known within 2^-50, a part of 2^-46 of h at most.
    """
    small = np.minimum(s, 0.5)
    near = 0.5 - small / 6 + small**2 / 24 - small**3 / 120
    large = np.maximum(s, 0.5)
    far = (exponential(-np.minimum(large, _REACH)) * (large <= _REACH) - 2 * ERROR + (large - 1)) / large**2
    return np.where(s <= 0.5, near, far) * (1 - 2.0**-30)
