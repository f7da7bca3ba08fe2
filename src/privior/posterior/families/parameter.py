"""The posterior of the parameter of a family, given noisy statistics or draws.

Its log density is that of the prior plus the log likelihood, the unknown sums being summed out; it is kept
on a fine regular grid of a coordinate in which the support has no ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.models.families import Family
from privior.posterior.families.latent_sums import LatentSums
from privior.posterior.families.zooming import zoomed

Floats = NDArray[np.float64]

#: points of the grid, while it is looked for and when it is found; then four times as many in between
_FEW, _FOUND, _POINTS = 65, 257, 1025
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
        """The expectation."""
        return float(self.points @ self.masses)

    @cached_property
    def stddev(self) -> float:
        """The standard deviation."""
        return float(np.sqrt((self.points - self.mean) ** 2 @ self.masses))

    @cached_property
    def _below(self) -> Floats:
        """The share below each point, half of its own included."""
        return np.cumsum(self.masses) - self.masses / 2

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
        """Draw by inversion."""
        return np.interp(rng.uniform(size=number), self._below, self.points)


def parameter_law(model: Family, sums: LatentSums) -> ParameterLaw:
    """Return the posterior of the parameter."""
    coordinate = _Coordinate.of(model)

    def log_density(t: Floats) -> Floats:
        theta = coordinate.theta(t)
        likelihood = sums.log_likelihood(model.natural(theta), model.partition(theta))
        return np.asarray(model.prior.log_density(theta) + coordinate.log_slope(t) + likelihood)

    grid = zoomed(log_density, *coordinate.ends, _FEW)
    found = np.linspace(grid[0], grid[-1], _FOUND)
    fine = np.linspace(grid[0], grid[-1], _POINTS)
    # A step is about a fourteenth of a standard deviation: a line is off by 0.0006 at most, alike everywhere.
    logs = np.interp(fine, found, log_density(found))
    masses = np.exp(logs - logs.max())
    return ParameterLaw(coordinate.theta(fine), masses / masses.sum())


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
        """Return the parameter."""
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
