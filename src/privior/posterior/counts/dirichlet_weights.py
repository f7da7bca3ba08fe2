"""The weight of a cell's count under a Dirichlet prior: wᵢ(c) = Γ(c+aᵢ)/c! · exp(log likelihoodᵢ(c)).

Between the knots 0, n, the noisy counts, and the inflection below, the log weight is concave or convex:
Γ(c+a)/c! is log-concave for a >= 1, and log-convex with a spike at 0 for a < 1, where the second difference
(1−a)/((c+a)(c+1)) − curvature changes sign once.

Releases from a posterior add log Gamma functions (`gamma_terms`), and their inflections have no closed form:
they are found by the sign of the second difference on a grid that is finer than these functions bend.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.cell_weights import CellWeights
from privior.posterior.counts.gamma_terms import cell_heights, cell_steps, largest_terms
from privior.posterior.counts.stirling import log_rising

#: where the second difference is looked at, and how many changes of its sign are kept
_LOOKED_AT, _CHANGES = 300, 8


@final
@dataclass(frozen=True, eq=False)
class DirichletWeights(CellWeights):
    """The log weights of all cells of one table; `prior` holds the a of each cell."""

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
