"""Numbers that every move of a chain over data sets needs, compiled."""

from __future__ import annotations

import math

from numba import njit

from privior.arrays import Floats
from privior.posterior.networks.joint_state import NetworkNoise

#: for functions that compiled ones call: a door for C, which nobody uses, would take long to compile
inner = njit(cache=True, nogil=True, no_cfunc_wrapper=True)


@njit(cache=True, nogil=True)
def rise(x: float, d: int) -> float:
    """Return log Γ(x+d) - log Γ(x), right to 10⁻¹² or so."""
    if d < 0:
        return float(-rise(x + d, -d))
    if d <= 8:
        return math.log(product(x, d))
    y, below, above = x + d, 1.0, 1.0
    while x < 16:
        below *= x
        x += 1
    while y < 16:
        above *= y
        y += 1
    growth = math.log(y / x) if x < 1e4 else math.log1p((y - x) / x)
    difference = (x - 0.5) * growth + (y - x) * (math.log(y) - 1)
    if below != above:
        difference += math.log(below / above)
    return float(difference + remainder(y) - remainder(x))


@inner
def product(x: float, d: int) -> float:
    """Return x (x+1) ... (x+d-1)."""
    found = 1.0
    for k in range(d):
        found *= x + k
    return found


@inner
def moved(less: float, more: float, d: int) -> float:
    """Return by how much log Γ(less) + log Γ(more) grows if d > 0 goes from one to the other."""
    if d <= 8:
        return math.log(product(more, d) / product(less - d, d))
    return float(rise(more, d) - rise(less - d, d))


@inner
def moved_factorials(logs: Floats, less: int, more: int, d: int) -> float:
    """Return by how much log less! + log more! grows if d > 0 goes from one to the other.

    `logs` has the logarithms of the first factorials.
    """
    if max(less, more + d) < logs.size:
        return float(logs[more + d] - logs[more] + logs[less - d] - logs[less])
    return float(moved(less + 1.0, more + 1.0, d))


@inner
def remainder(z: float) -> float:
    """Return Stirling's remainder for z >= 16."""
    square = 1 / (z * z)
    return (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / z


@inner
def cell_fit(observed: Floats, rates: Floats, curvatures: Floats, place: int, value: int, step: int) -> float:
    """Return how the log likelihood of a number changes by a step."""
    gain = 0.0
    for k in range(observed.shape[0]):
        away = observed[k, place] - value
        gain += curvatures[k, place] * step * (away - 0.5 * step)
        if rates[k, place] > 0:
            gain += rates[k, place] * (abs(away) - abs(away - step))
    return gain


@inner
def fit(noise: NetworkNoise, place: int, value: int, step: int) -> float:
    """Return the same of all that is known of a place."""
    return float(cell_fit(noise.observed, noise.rates, noise.curvatures, place, value, step))


#: how many shifts and swaps are splits, and up to how many times as much as a step a split goes
SPLITS, FAR = 0.5, 2.0


@inner
def new_split(x: int, most: int, uniform: float) -> tuple[int, float]:
    """Propose another number in 0..most, whatever x <= most is; return it, and the log of the Hastings term.

    One more than it is log-uniform: next to nothing and much are as likely, and so is the way back.
    """
    other = log_uniform(most + 1.0, uniform) - 1
    return other, math.log(math.log1p(1 / (x + 1)) / math.log1p(1 / (other + 1)))


@njit(cache=True, nogil=True)
def log_uniform(most: float, uniform: float) -> int:
    """Return d in 1..most with probability log((d+1)/d) / log(most+1)."""
    step = int(math.exp(uniform * math.log(most + 1.0)))
    return max(1, min(step, int(most)))
