"""Numbers that every move of a chain over data sets needs, compiled."""

from __future__ import annotations

import math

from numba import njit

from privior.posterior.networks.joint_state import Noise

#: for functions that compiled ones call: a door for C, which nobody uses, would take long to compile
inner = njit(cache=True, nogil=True, no_cfunc_wrapper=True)


@njit(cache=True, nogil=True)
def rise(x: float, d: int) -> float:
    """Return log Γ(x+d) - log Γ(x), right to 10⁻¹² or so."""
    if d < 0:
        return float(-rise(x + d, -d))
    if d <= 8:
        product = 1.0
        for k in range(d):
            product *= x + k
        return math.log(product)
    y, below, above = x + d, 1.0, 1.0
    while x < 16:
        below *= x
        x += 1
    while y < 16:
        above *= y
        y += 1
    difference = (x - 0.5) * math.log1p((y - x) / x) + (y - x) * (math.log(y) - 1)
    return float(difference + remainder(y) - remainder(x) + math.log(below / above))


@inner
def remainder(z: float) -> float:
    """Return Stirling's remainder for z >= 16."""
    square = 1 / (z * z)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / z


@inner
def fit(noise: Noise, place: int, value: int, step: int) -> float:
    """Return how the log likelihood of a number changes by a step."""
    gain = 0.0
    for k in range(noise.observed.shape[0]):
        away = noise.observed[k, place] - value
        gain += noise.curvatures[k, place] * step * (away - 0.5 * step)
        if noise.rates[k, place] > 0:
            gain += noise.rates[k, place] * (abs(away) - abs(away - step))
    return gain


@njit(cache=True, nogil=True)
def log_uniform(most: float, uniform: float) -> int:
    """Return d in 1..most with probability log((d+1)/d) / log(most+1)."""
    step = int(math.exp(uniform * math.log(most + 1.0)))
    return max(1, min(step, int(most)))
