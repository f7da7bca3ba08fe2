"""Ratios of Gamma functions without the loss of digits that differences of log Γ suffer.

log Γ(10⁹) is about 2·10¹⁰, so a difference of two such numbers is right to 10⁻⁶ only. With Stirling's
formula log Γ(z) = (z − ½) log z − z + ½ log 2π + r(z) the large terms cancel on paper, and what is left to
compute is small.
"""

from __future__ import annotations

from math import inf, lgamma

import numpy as np

from privior.arrays import Floats

HALF_LOG_TWO_PI = 0.9189385332046727

#: r(z) = Σ cⱼ z^(1−2j) with cⱼ = B₂ⱼ / (2j (2j−1)); from z = 10 on, six terms are right to 10⁻¹⁵
_SERIES = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188, -691 / 360360)


def stirling_remainder(z: Floats) -> Floats:
    """Return r(z) = log Γ(z) − (z − ½) log z + z − ½ log 2π for z > 0."""
    large = np.maximum(z, 10.0)
    square = 1 / (large * large)
    series = np.zeros_like(large)
    for coefficient in reversed(_SERIES):
        series = series * square + coefficient
    series /= large
    few = z < 10
    if np.any(few):
        small = np.asarray(z)[few]
        logs = np.fromiter((lgamma(x) if x > 0 else inf for x in small), np.float64, small.size)
        series = np.asarray(series)
        series[few] = logs - (small - 0.5) * np.log(small) + small - HALF_LOG_TWO_PI
    return series


def log_gamma(z: Floats) -> Floats:
    """Return log Γ(z) for z > 0: by Stirling's formula, of z + 10 where z is small."""
    few = z < 10
    large = z + 10.0 * few
    square = 1 / (large * large)
    series = np.zeros_like(large)
    for coefficient in reversed(_SERIES):
        series = series * square + coefficient
    found: Floats = (large - 0.5) * np.log(large) - large + (HALF_LOG_TWO_PI + series / large)
    small = z[few]
    product = np.ones_like(small)
    for step in range(10):
        product *= small + step
    found[few] -= np.log(product)
    return found


def log_gamma_step(z: Floats, step: float) -> Floats:
    """Return log Γ(z+s) − log Γ(z) for z > 0, s = step > 0, to about 10⁻¹⁵ (1 + s log(z+s)).

    Equal to (z−½) log(1+s/z) + s (log(z+s) − 1) + r(z+s) − r(z).
    """
    rest = stirling_remainder(z + step) - stirling_remainder(z)
    grown: Floats = (z - 0.5) * np.log1p(step / z) + step * (np.log(z + step) - 1) + rest
    return grown


def log_rising(counts: Floats, a: Floats | float) -> Floats:
    """Return log Γ(c+a) − log Γ(c+1) for c >= 0, a > 0, to about 10⁻¹⁵ (1 + a log(c+a)).

    Equal to (c+½) log((c+a)/(c+1)) + (a−1)(log(c+a) − 1) + r(c+a) − r(c+1).
    """
    shift = np.asarray(a, dtype=np.float64) - 1
    top, bottom = counts + a, counts + 1
    near = np.log1p(np.maximum(shift / bottom, -0.9))
    ratio = np.where(shift > -0.9 * bottom, near, np.log(top / bottom))
    rest = stirling_remainder(top) - stirling_remainder(bottom)
    rising: Floats = (counts + 0.5) * ratio + shift * (np.log(top) - 1) + rest
    return rising
