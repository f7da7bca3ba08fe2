"""The posterior of the parameter of a family, given noisy statistics or draws.

Its log density is that of the prior plus the log likelihood, the unknown sums being summed out; it is kept
on a grid of a coordinate in which the support has no ends. Noise leaves tails that are long against the width
of the density, so the grid is fine where the density is large and coarse in the tails.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.models.families import Family
from privior.posterior.families.latent_sums import LatentSums
from privior.posterior.families.zooming import DEPTH, near, zoomed

#: points of the grid, while it is looked for, when it is found, and in the end
_FEW, _FOUND, _POINTS = 65, 257, 2049
#: points are as dense as this power of the density, or this share of the densest
_POWER, _SPARSE = 1 / 4, 1e-2
#: how often points are moved to where the density is
_TURNS = 2
#: the coordinate goes so far: beyond lies no parameter that a float can hold
_FARTHEST = 300.0


@dataclass(frozen=True, eq=False)
class ParameterLaw:
    """A law of one parameter on a grid.

    Attributes:
        points: values of the parameter, increasing
        masses: the share of each, summing to 1
    """

    points: Floats
    masses: Floats

    @cached_property
    def mean(self) -> float:
        """The posterior expectation of the parameter."""
        return float(self.points @ self.masses)

    @cached_property
    def stddev(self) -> float:
        """The standard deviation."""
        return float(np.sqrt((self.points - self.mean) ** 2 @ self.masses))

    @cached_property
    def _below(self) -> Floats:
        """The share below each point, half of its own included."""
        return np.cumsum(self.masses) - self.masses / 2

    def below(self, points: Floats) -> Floats:
        """Return the share that lies below points."""
        return np.interp(points, self.points, self._below, left=0.0, right=1.0)

    def quantile(self, share: float) -> float:
        """Return the point below which this share lies."""
        return float(np.interp(share, self._below, self.points))

    def interval(self, level: float) -> tuple[float, float]:
        """Return the equal-tailed interval."""
        tail = (1 - level) / 2
        return self.quantile(tail), self.quantile(1 - tail)

    def mode(self) -> float:
        """Return the point of the largest density."""
        return float(self.points[int(np.argmax(self.density(self.points)))])

    def density(self, points: Floats) -> Floats:
        """Return the density at some points: between those of the grid along a line, outside of them 0."""
        step = np.gradient(self.points)  # 0 where neighbours are the same float, far out in a tail
        density = np.divide(self.masses, step, out=np.zeros_like(step), where=step > 0)
        return np.interp(points, self.points, density, left=0.0, right=0.0)

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw parameters: the quantiles of uniform shares."""
        return np.interp(rng.uniform(size=number), self._below, self.points)


def parameter_law(model: Family, sums: LatentSums) -> ParameterLaw:
    """Return the posterior of the parameter."""
    from scipy.interpolate import PchipInterpolator

    coordinate = _Coordinate.of(model)

    def log_density(t: Floats) -> Floats:
        theta = coordinate.theta(t)
        likelihood = sums.log_likelihood(model.natural(theta), model.partition(theta))
        return np.asarray(model.prior.log_density(theta) + coordinate.log_slope(t) + likelihood)

    grid = zoomed(log_density, *coordinate.ends, _FEW)
    points, logs = _dense(log_density, np.linspace(grid[0], grid[-1], _FOUND))
    # In between, both are cubic functions of the number of a point, which do not overshoot.
    both = PchipInterpolator(np.linspace(0, 1, _FOUND), np.column_stack([points, logs]))
    fine = both(np.linspace(0, 1, _POINTS))
    masses = np.exp(fine[:, 1] - fine[:, 1].max()) * np.gradient(fine[:, 0])
    return ParameterLaw(coordinate.theta(fine[:, 0]), masses / masses.sum())


def _dense(log_density: Callable[[Floats], Floats], points: Floats) -> tuple[Floats, Floats]:
    """Move points to where the density is large, and return them with the log density there."""
    logs = log_density(points)
    for _ in range(_TURNS):
        kept = np.flatnonzero(near(logs, DEPTH))
        some = slice(max(kept[0] - 1, 0), kept[-1] + 2)
        many, points, logs = points.size, points[some], logs[some]
        wanted = np.maximum(np.exp((logs - logs.max()) * _POWER), _SPARSE)
        steps = (wanted[1:] + wanted[:-1]) / 2 * np.diff(points)
        spread = np.append(0.0, np.cumsum(steps))
        points = np.interp(np.linspace(0, spread[-1], many), spread, points)
        logs = log_density(points)
    return points, logs


@dataclass(frozen=True)
class _Coordinate:
    """t in a bounded range for every parameter that a float can hold: logit, log or the parameter itself.

    An interval with two ends is mapped as (0, 1) is, one with one end as (0, infinity) is.
    """

    low: float | None
    high: float | None
    ends: tuple[float, float]

    @staticmethod
    def of(model: Family) -> _Coordinate:
        low, high = (None if end is None else float(end) for end in model.prior.support)
        if low is None and high is None:
            centre, reach = (
                model.law.quantile(0.5),
                1e3 * (model.law.quantile(0.99) - model.law.quantile(0.5)),
            )
            return _Coordinate(None, None, (centre - reach, centre + reach))
        return _Coordinate(
            low, high, (-_FARTHEST, _FARTHEST) if high is None or low is None else (-36.0, 36.0)
        )

    def theta(self, t: Floats) -> Floats:
        """Return the parameter at points of the coordinate, which has no ends even if the parameter has."""
        if self.low is None and self.high is None:
            return t
        if self.high is None:
            return np.asarray(self.low + np.exp(t))
        if self.low is None:
            return np.asarray(self.high - np.exp(-t))
        return np.asarray(self.low + (self.high - self.low) / (1 + np.exp(-t)))

    def log_slope(self, t: Floats) -> Floats:
        """Return the log of the derivative of the parameter."""
        if self.low is None and self.high is None:
            return np.zeros_like(t)
        if self.high is None:
            return t
        if self.low is None:
            return -t
        return np.asarray(-np.logaddexp(0, t) - np.logaddexp(0, -t))
