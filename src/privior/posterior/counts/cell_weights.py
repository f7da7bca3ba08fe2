"""The weight wᵢ(c) of one cell's count, and where it matters.

Given the total, the posterior of a table is a product of these weights, times e^(λ Σ cᵢ) for any tilt λ.
They are those of a Dirichlet prior (`dirichlet_weights`) or of known chances (`finite/known_cells`), times
the likelihood. This module answers, for all cells at once and without an array over 0..n:

* the steps log w(c+1) − log w(c) + λ, which carry no cancellation: differences of log Γ near 10⁹ would be
  wrong in the sixth digit, while the sum of a few hundred steps is right in the thirteenth;
* the hull of a cell: the smallest interval that holds every c whose tilted log weight is within `cut` of
  the peak. Outside it lies at most (n+1) e^-cut times the peak, whatever the shape of the weight.

The hull is found by bisection. Between knots the log weight is concave or convex. On a concave piece the mode
is found from the sign of the steps; a convex one peaks at its ends; on either, the weight crosses any level
at most once between two such candidates of which one is above and one below it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.mechanisms import CellGammas
from privior.posterior.counts.evidence import CellEvidence
from privior.posterior.counts.gamma_terms import cell_of

#: up to this many values of all cells together, the hulls are read off the whole array of weights
_DENSE = 60_000


@dataclass(frozen=True, eq=False)
class Hull:
    """For each cell an interval of counts, and the location of its highest tilted weight."""

    low: Integers
    high: Integers
    peak: Integers

    @property
    def width(self) -> Integers:
        """How many counts each interval holds."""
        return self.high - self.low + 1


@dataclass(frozen=True, eq=False)
class CellWeights(ABC):
    """The log weights of all cells of one table.

    A noisy count outside 0..n acts on 0..n as one at the border does, but for a constant, and for a
    Gaussian one a slope; so knots and centres lie within 0..n and no large constant costs any digits.

    Attributes:
        prior: the a of each cell
        most: the largest count
        kinks: noisy counts with a rate, moved into 0..most; one row for each release; a knot on both sides of
            one with decimals
        rates: their rates
        curvature: the sum of the curvatures of each cell
        centre: the mean of its Gaussian noisy counts, weighted by curvature and moved into 0..most
        slope: what moving the centre leaves, and the slopes of releases from a posterior
        gammas: the other terms of those
    """

    prior: Floats
    most: int
    kinks: Integers | Floats
    rates: Floats
    curvature: Floats
    centre: Floats
    slope: Floats
    gammas: tuple[CellGammas, ...] = ()

    @classmethod
    def of(
        cls,
        evidence: Sequence[CellEvidence],
        prior: Floats,
        most: int,
        gammas: Sequence[CellGammas] = (),
    ) -> Self:
        """Collect what all releases say about each cell."""
        kinked = [e for e in evidence if e.rates.any()]
        none = np.zeros((0, prior.size))
        kinks = np.array([np.clip(e.observed, 0, most) for e in kinked])
        curvature = np.sum([e.curvatures for e in evidence], axis=0) if evidence else np.zeros(prior.size)
        pull = np.sum([e.curvatures * e.observed for e in evidence], axis=0) if evidence else curvature
        mean = np.divide(pull, curvature, out=np.zeros(prior.size), where=curvature > 0)
        centre = np.clip(mean, 0, most)
        return cls(
            prior=prior,
            most=most,
            kinks=kinks if kinked else none.astype(np.int64),
            rates=np.array([e.rates for e in kinked]) if kinked else none,
            curvature=curvature,
            centre=centre,
            slope=curvature * (mean - centre) + sum((one.slopes for one in gammas), np.zeros(prior.size)),
            gammas=tuple(gammas),
        )

    @abstractmethod
    def steps(self, cells: NDArray[np.intp], counts: Integers, tilt: float) -> Floats:
        """Return log w(c+1) − log w(c) + tilt; `counts` has one row for each of `cells`."""

    def hull(self, tilt: float, cut: float) -> Hull:
        """Return each cell's hull at a tilt: all counts within `cut` of the peak, in log weight."""
        log_weights = self.listed(tilt)
        if log_weights is not None:
            peak = log_weights.argmax(axis=1)
            rounding = 1e-15 * np.abs(log_weights).max(axis=1)
            within = log_weights >= (log_weights[np.arange(peak.size), peak] - cut - rounding)[:, None]
            return Hull(within.argmax(axis=1), self.most - within[:, ::-1].argmax(axis=1), peak)
        return self._searched(tilt, cut)

    def listed(self, tilt: float) -> Floats | None:
        """Return all tilted log weights (cell, count) of a small table, less exact where they are large."""
        if self.prior.size * (self.most + 1) > _DENSE:
            return None
        return self._dense + tilt * np.arange(self.most + 1)

    @cached_property
    def _dense(self) -> Floats:
        cells = np.arange(self.prior.size)
        counts = np.broadcast_to(np.arange(self.most), (cells.size, self.most))
        log_weights = np.zeros((cells.size, self.most + 1))
        np.cumsum(self.steps(cells, counts, 0.0), axis=1, out=log_weights[:, 1:])
        return log_weights

    def _searched(self, tilt: float, cut: float) -> Hull:
        cells = np.arange(self.prior.size)
        knots = self._knots
        left, right = knots[:, :-1].copy(), knots[:, 1:].copy()
        while (left < right).any():
            middle = (left + right) // 2
            falls = self.steps(cells, middle, tilt) <= 0
            right = np.where(falls, middle, right)
            left = np.where(falls | (left >= right), left, middle + 1)
        candidates = np.empty((cells.size, 2 * knots.shape[1] - 1), dtype=np.int64)
        candidates[:, ::2], candidates[:, 1::2] = knots, np.minimum(left, knots[:, 1:])
        heights = self.log_weights(candidates, tilt)
        best = heights.argmax(axis=1)
        peak = candidates[cells, best]
        level = heights[cells, best] - cut - self._rounding(tilt)
        above = heights >= level[:, None]
        first, last = above.argmax(axis=1), above.shape[1] - 1 - above[:, ::-1].argmax(axis=1)
        inside = candidates[cells, np.stack([first, last])]
        outside = candidates[
            cells, np.stack([np.maximum(first - 1, 0), np.minimum(last + 1, above.shape[1] - 1)])
        ]
        while (np.abs(inside - outside) > 1).any():
            middle = (inside + outside) // 2
            high_enough = level <= self.log_weights(middle.T, tilt).T
            inside, outside = np.where(high_enough, middle, inside), np.where(high_enough, outside, middle)
        return Hull(np.maximum(inside[0] - 2, 0), np.minimum(inside[1] + 2, self.most), peak)

    @property
    @abstractmethod
    def _knots(self) -> Integers:
        """Counts between which the weights are log-concave or log-convex, rising, (cell, knot)."""

    def cell(self, index: int) -> Self:
        """Return the weights of one cell alone."""
        only = slice(index, index + 1)
        return replace(
            self,
            prior=self.prior[only],
            kinks=self.kinks[:, only],
            rates=self.rates[:, only],
            curvature=self.curvature[only],
            centre=self.centre[only],
            slope=self.slope[only],
            gammas=cell_of(self.gammas, index),
        )

    @abstractmethod
    def log_weights(self, counts: Integers, tilt: float) -> Floats:
        """Return log w(c) + tilt·c, with one row of counts for each cell; up to a constant of the cell."""

    @abstractmethod
    def _rounding(self, tilt: float) -> Floats:
        """Return a bound of the rounding error of `log_weights`, by which the hulls are widened."""
