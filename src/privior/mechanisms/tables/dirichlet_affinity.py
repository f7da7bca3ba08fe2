"""Affinities of Dirichlet laws, in floating point and to full relative accuracy.

No formula here subtracts large numbers: every log affinity is a sum of terms of one sign, so all digits hold
at a billion records.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from privior.arrays import Floats

#: below this argument the series of Stirling's formula are reached by recurrences
_SHIFT = 24


def log_affinities(middle: Floats, half: Floats) -> Floats:
    """Return ln G(m) - (ln G(m-d) + ln G(m+d)) / 2 for each m and d; never positive.

    One step of the recurrence adds ln((m^2-d^2)/m^2) / 2. Beyond it Stirling's formula gives, with x = d/m,
    -((m - 1/2) ln(1-x^2) + 2 d artanh x) / 2 and the second difference of its remainder.
    """
    m, d = np.asarray(middle, dtype=np.float64), np.abs(np.asarray(half, dtype=np.float64))
    low = m - d
    small = low < _SHIFT
    found = np.zeros(low.shape)
    if small.any():
        near, far, gap = (np.broadcast_to(one, low.shape)[small] for one in (low, m, d))
        found[small] = sum(_log_ratio(near + step, far + step, gap) for step in range(_SHIFT))
    m = np.where(small, m + _SHIFT, m)
    low = np.where(small, low + _SHIFT, low)
    x = d / m
    curve = (m - 0.5) * 2 * _log_ratio(low, m, d) + 2 * d * _artanh(low, m, d, x)
    rest = _remainder(m) - (_remainder(low) + _remainder(m + d)) / 2
    return np.asarray(np.minimum(found - curve / 2 + rest, 0.0))


def log_phi(at: ArrayLike) -> Floats:
    """Return ln phi(t) = ln G(t + 1/2) - ln G(t) - ln(t) / 2 to full relative accuracy; negative.

    phi(t) / phi(t+1) = sqrt(t (t+1)) / (t + 1/2).
    """
    t = np.asarray(at, dtype=np.float64)
    small = t < _SHIFT
    found = np.zeros(t.shape)
    if small.any():
        steps = t[small][:, None] + np.arange(_SHIFT)
        found[small] = (np.log1p(-0.25 / (steps[:, 1:] + 0.5) ** 2).sum(axis=1) + _first_step(t[small])) / 2
    t = np.where(small, t + _SHIFT, t)
    square = 1 / (t * t)
    series = 17 / 14336 - square * (31 / 18432 - square * 691 / 180224)
    series = 1 / 8 - square * (1 / 192 - square * (1 / 640 - square * series))
    return np.asarray(found - series / t)


def _first_step(t: Floats) -> Floats:
    """Return ln(t (t+1) / (t + 1/2)^2), for the smallest t too."""
    near_zero = np.log(t) + np.log1p(t) - 2 * np.log(t + 0.5)
    return np.where(t < 0.1, near_zero, np.log1p(-0.25 / (t + 0.5) ** 2))


def _log_ratio(low: Floats, middle: Floats, half: Floats) -> Floats:
    """Return ln((m^2-d^2)/m^2) / 2, from m - d where that is a small part of m."""
    x = half / middle
    near = np.log1p(-np.minimum(x * x, 0.5))
    if (x * x <= 0.5).all():
        return np.asarray(near / 2)
    far = np.log(low / middle) + np.log1p(half / middle)
    return np.asarray(np.where(x * x <= 0.5, near, far) / 2)


def _artanh(low: Floats, middle: Floats, half: Floats, x: Floats) -> Floats:
    far = (np.log(middle + half) - np.log(low)) / 2
    return np.asarray(np.where(x <= 0.5, np.arctanh(np.minimum(x, 0.5)), far))


def _remainder(z: Floats) -> Floats:
    """Return ln G(z) - ((z - 1/2) ln z - z + ln(2 pi) / 2) for large z."""
    square = 1 / (z * z)
    return np.asarray((1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / z)
