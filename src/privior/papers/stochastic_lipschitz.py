"""Assumption 2 of "Differential Privacy for Bayesian Inference through Posterior Sampling", at its best.

l(theta) is the smallest slope with |log p_theta(x) - log p_theta(y)| <= l(theta) rho(x, y) for all records.
The assumption asks for c and L0 such that the prior gives l > L at most e^(-c (L - L0)), for every L >= L0.
Many (c, L0) do; what enters the theorems is L0 + 1/c, so the best are those that make it smallest. It is an
upper bound of the mean of l, which would do as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats

#: the prior's chance of l > L, for many L
Outside = Callable[[Floats], Floats]

_LEVELS, _STARTS = 2001, 161
#: chances below this are not looked at; beyond, the limit of the rate speaks
_LEAST = 1e-280


@dataclass(frozen=True)
class Concentration:
    """How a prior concentrates on smooth parameters.

    Attributes:
        rate: c
        start: L0
        mean: of l, never rounded down; infinite if it is
    """

    rate: float
    start: float
    mean: float

    @property
    def scale(self) -> float:
        """L0 + 1/c, what the theorems take."""
        return math.inf if self.rate == 0 else self.start + 1 / self.rate

    def inside(self, level: float) -> float:
        """Return the chance of l <= level that c and L0 promise at least."""
        return -math.expm1(-self.rate * (level - self.start)) if level > self.start else 0.0

    def level(self, failure: float) -> float:
        """Return the L at which the promised chance of more is `failure`."""
        return self.start - math.log(failure) / self.rate


def best_concentration(
    outside: Outside, smoothest: float, roughest: float, limit_rate: float
) -> Concentration | None:
    """Return the best (c, L0), or None if no c above 0 does.

    For L between two points of a grid the chance outside is at most that at the lower one and L at most the
    upper one, so c is taken from those: never above the true one between the ends of the grid. Beyond its
    end, where the chance is below 1e-280, the rate is taken as the worse of the last and the limit.

    Args:
        outside: the prior's chance of l > L
        smoothest: the least l of a parameter
        roughest: the largest, or its supremum; infinite if there is none
        limit_rate: the limit of -log(outside(L)) / L as L grows, if `roughest` is infinite
    """
    levels = _grid(outside, smoothest, roughest)
    if levels.size < 2 or roughest == smoothest:
        return Concentration(math.inf, smoothest, smoothest)
    chances = outside(levels)
    with np.errstate(divide="ignore"):
        logs = -np.log(np.maximum(chances, 0.0))
    last = math.inf if math.isfinite(roughest) else limit_rate
    dense = min(levels.size - 2, _LEVELS)
    starts = np.unique(np.linspace(0, dense, _STARTS).astype(int))
    best: tuple[float, float, float] | None = None
    for place in starts:
        start = float(levels[place])
        rates = logs[place:-1] / (levels[place + 1 :] - start)
        rate = min(float(rates.min()), last)
        if math.isfinite(last) and logs[-1] > 0:
            rate = min(rate, float(logs[-1]) / (float(levels[-1]) - start))
        if rate > 0 and (best is None or start + 1 / rate < best[0]):
            best = (start + 1 / rate, rate, start)
    if math.isfinite(roughest) and (best is None or roughest < best[0]):
        best = (roughest, math.inf, roughest)  # Assumption 1 is better
    if best is None:
        return None
    mean = smoothest + float(np.diff(levels) @ chances[:-1])
    if math.isinf(roughest):
        mean = mean + float(chances[-1]) / limit_rate if limit_rate > 0 else math.inf
    return Concentration(best[1], best[2], mean)


def concentration_of_finite(slopes: Floats, chances: Floats, start: float | None = None) -> Concentration:
    """Return the best (c, L0) of finitely many parameters, or the largest c at a given L0.

    Just below a slope a the chance outside is that of slopes a and above; so with a given L0 the largest c is
    the least -log P[l >= a] / (a - L0) over the slopes a above L0. L0 is looked for on a fine grid; the
    largest slope is one too, with any c.

    Args:
        slopes: of each parameter
        chances: the prior weight of each, of any scale
        start: L0; None to look for the best
    """
    order = np.argsort(slopes)
    levels, shares = slopes[order], chances[order] / chances.sum()
    at_least = np.minimum(np.cumsum(shares[::-1])[::-1], 1.0)
    for place in range(1, levels.size):  # equal slopes are one
        if levels[place] - levels[place - 1] <= 1e-12 * levels[place]:
            at_least[place] = at_least[place - 1]
    mean = float(levels @ shares)
    low, high = float(levels[0]), float(levels[-1])
    starts = np.linspace(low, high, 2001)[:-1] if start is None else [start]
    best = None if start is not None else Concentration(math.inf, high, mean)
    for place_of in starts:
        beyond = levels > place_of * (1 + 1e-12)
        rates = -np.log(at_least[beyond]) / (levels[beyond] - place_of)
        found = Concentration(float(rates.min()), float(place_of), mean) if beyond.any() else best
        if found is not None and found.rate > 0 and (best is None or found.scale < best.scale):
            best = found
    return Concentration(0.0, low, mean) if best is None else best


def _grid(outside: Outside, smoothest: float, roughest: float) -> Floats:
    """Return levels from the least to where hardly any parameter is rougher, dense where most of them are."""
    high = roughest
    if math.isinf(high):
        high = _beyond(outside, smoothest, _LEAST)
    near = min(high, _beyond(outside, smoothest, 1e-4))
    dense = np.linspace(smoothest, near, _LEVELS)
    if near >= high or near <= smoothest:
        return np.unique(np.linspace(smoothest, high, _LEVELS))
    sparse = smoothest + np.geomspace(near - smoothest, high - smoothest, _LEVELS // 2)
    return np.unique(np.concatenate([dense, np.minimum(sparse, high)]))


def _beyond(outside: Outside, smoothest: float, chance: float) -> float:
    """Return a level that is exceeded with this chance at most, not far above the least such one."""
    step = max(smoothest, 1e-3) / 16
    while float(outside(np.array([smoothest + step]))[0]) > chance and step < 1e7:
        step *= 1.5
    return smoothest + step
