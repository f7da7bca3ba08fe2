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
from numpy.typing import NDArray

Floats = NDArray[np.float64]
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
        return self.start + (0.0 if math.isinf(self.rate) else 1 / self.rate)

    def inside(self, level: float) -> float:
        """Return the chance of l <= level that c and L0 promise at least."""
        return -math.expm1(-self.rate * max(0.0, level - self.start))

    def level(self, failure: float) -> float:
        """Return the L at which the promised chance of more is `failure`."""
        return self.start - math.log(failure) / self.rate


def concentration(
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
    if best is None:
        return None
    mean = smoothest + float(np.diff(levels) @ chances[:-1])
    if math.isinf(roughest):
        mean = mean + float(chances[-1]) / limit_rate if limit_rate > 0 else math.inf
    return Concentration(best[1], best[2], mean)


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
