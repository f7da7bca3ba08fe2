"""The weight of one cell's count, wᵢ(c) = Γ(c+aᵢ)/c! · exp(log likelihoodᵢ(c)), and where it matters.

Given the total, the posterior of a table is a product of these weights, times e^(λ Σ cᵢ) for any tilt λ.
This module answers, for all cells at once and without an array over 0..n:

* the steps log w(c+1) − log w(c) + λ, which carry no cancellation: differences of log Γ near 10⁹ would be
  wrong in the sixth digit, while the sum of a few hundred steps is right in the thirteenth;
* the hull of a cell: the smallest interval that holds every c whose tilted log weight is within `cut` of
  the peak. Outside it lies at most (n+1) e^-cut times the peak, whatever the shape of the weight.

The hull is found by bisection. Between the knots 0, n, the noisy counts, and the inflection below, the log
weight is concave or convex: Γ(c+a)/c! is log-concave for a >= 1, and log-convex with a spike at 0 for
a < 1, where the second difference (1−a)/((c+a)(c+1)) − curvature changes sign once. On a concave piece the
mode is found from the sign of the steps; a convex one peaks at its ends; on either, the weight crosses any
level at most once between two such candidates of which one is above and one below it.

Releases from a posterior add log Gamma functions (`gamma_terms`), and their inflections have no closed form:
they are found by the sign of the second difference on a grid that is finer than these functions bend.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.mechanisms import CellGammas
from privior.posterior.counts.evidence import CellEvidence
from privior.posterior.counts.gamma_terms import cell_heights, cell_of, cell_steps, largest_terms
from privior.posterior.counts.stirling import log_rising

#: up to this many values of all cells together, the hulls are read off the whole array of weights
_DENSE = 60_000
#: where the second difference is looked at, and how many changes of its sign are kept
_LOOKED_AT, _CHANGES = 300, 8


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
class CellWeights:
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

    def steps(self, cells: NDArray[np.intp], counts: Integers, tilt: float) -> Floats:
        """Return log w(c+1) − log w(c) + tilt; `counts` has one row for each of `cells`."""
        down = (slice(None), *[None] * (counts.ndim - 1))
        at = counts.astype(np.float64)
        with np.errstate(divide="ignore"):
            steps = np.log1p((self.prior[cells] - 1)[down] / (at + 1))
        np.copyto(steps, np.log(self.prior[cells])[down], where=counts == 0)
        constant, whole = self.slope[cells] + tilt, self.kinks.dtype.kind == "i"
        for kinks, rates in zip(self.kinks, self.rates, strict=True):
            rate = rates[cells][down]
            there = kinks[cells][down]
            # from c to c + 1 the distance to a noisy count falls or grows by 1, or less around decimals
            nearer = np.where(counts < there, 1, -1) if whole else np.clip(2 * (there - at) - 1, -1, 1)
            steps += rate * nearer + constant[down]
            constant = np.zeros(cells.size)
        steps += constant[down]
        if self.curvature.any():
            steps += self.curvature[cells][down] * (self.centre[cells][down] - 0.5 - at)
        if self.gammas:
            steps += cell_steps(self.gammas, cells, at)
        return steps

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

    @cached_property
    def _knots(self) -> Integers:
        ends = np.broadcast_to(np.array([[0], [self.most]]), (2, self.prior.size))
        a = np.minimum(self.prior, 1.0)
        with np.errstate(divide="ignore"):
            root = np.sqrt((1 - a) ** 2 + 4 * (1 - a) / np.maximum(self.curvature, 1e-300))
        inflection = np.clip((root - (1 + a)) / 2, 0, self.most).astype(np.int64)
        changes = self._sign_changes() if self.gammas else np.zeros((0, self.prior.size), dtype=np.int64)
        kinks = [np.floor(self.kinks).astype(np.int64), np.ceil(self.kinks).astype(np.int64)]
        # whole ones once: twice the knots would take twice as long
        bent = kinks[:1] if self.kinks.dtype.kind == "i" else kinks
        return np.sort(np.concatenate([ends, *bent, inflection[None], changes]), axis=0).T

    def _sign_changes(self) -> Integers:
        """Return counts where the second difference changes its sign, as (changes, cells), 0 for none."""
        cells = np.arange(self.prior.size)

        def bend(counts: Integers) -> Floats:
            return self.steps(cells, counts + 1, 0.0) - self.steps(cells, counts, 0.0)

        points = np.unique(np.geomspace(1, self.most + 1, _LOOKED_AT).astype(np.int64)) - 1
        convex = bend(np.broadcast_to(points, (cells.size, points.size))) > 0
        found = np.zeros((_CHANGES, cells.size), dtype=np.int64)
        changes = convex[:, 1:] != convex[:, :-1]
        order = np.cumsum(changes, axis=1)
        for number in range(min(_CHANGES, int(order[:, -1].max(initial=0)))):
            there = changes & (order == number + 1)
            some, place = there.any(axis=1), there.argmax(axis=1)
            left, right = points[place], points[place + 1]
            first = convex[cells, place]
            while (right - left > 1).any():
                middle = (left + right) // 2
                same = (bend(middle[:, None])[:, 0] > 0) == first
                left, right = np.where(same, middle, left), np.where(same, right, middle)
            found[number] = np.where(some, right, 0)
        return found

    def cell(self, index: int) -> CellWeights:
        """Return the weights of one cell alone."""
        only = slice(index, index + 1)
        return CellWeights(
            self.prior[only],
            self.most,
            self.kinks[:, only],
            self.rates[:, only],
            self.curvature[only],
            self.centre[only],
            self.slope[only],
            cell_of(self.gammas, index),
        )

    def log_weights(self, counts: Integers, tilt: float) -> Floats:
        """Return log w(c) + tilt·c, with one row of counts for each cell; up to a constant of the cell."""
        at = counts.astype(np.float64)
        heights = log_rising(at, self.prior[:, None])
        heights += (self.slope + tilt)[:, None] * at
        heights -= self.curvature[:, None] * (at - self.centre[:, None]) ** 2 / 2
        for kinks, rates in zip(self.kinks, self.rates, strict=True):
            heights -= rates[:, None] * np.abs(kinks[:, None] - counts)
        if self.gammas:
            heights += cell_heights(self.gammas, at)
        return heights

    def _rounding(self, tilt: float) -> Floats:
        """Return a bound of the rounding error of `log_weights`, by which the hulls are widened."""
        n = float(self.most)
        largest = (self.prior + 1) * np.log(n + self.prior + 2) + self.curvature * n**2
        largest += (np.abs(self.slope + tilt) + self.rates.sum(axis=0)) * n
        return 1e-15 * (largest + largest_terms(self.gammas, self.most))
