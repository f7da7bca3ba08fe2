"""The probability of noisy counts if the chances of the cells are known: a sum over all tables.

Tables of n records of a model with chances p have the probability n! prod p_i^c_i / c_i!. Each cell has the
weight p_i^c / c! times the likelihood of its noisy count, always log-concave, and the weights of a table of
total N are multiplied by g(N) = N!. The sums are those of Dirichlet tables (`summation`, `tilt`,
`total_blocks`), with these weights instead; only that here the mass itself is wanted, to compare models. What
is left out of it is a constant of the releases, the same for every model. Rounding: about 1e-16 n log n.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.cell_weights import CellWeights
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.total_blocks import TotalBlocks
from privior.special import gammaln


@dataclass(frozen=True, eq=False)
class KnownCells(CellWeights):
    """The log weights of all cells of one table; `prior` holds the log chances."""

    def steps(self, cells: NDArray[np.intp], counts: Integers, tilt: float) -> Floats:
        """Return log w(c+1) - log w(c) + tilt."""
        down = (slice(None), *[None] * (counts.ndim - 1))
        at = counts.astype(np.float64)
        steps = (self.prior + self.slope)[cells][down] + tilt - np.log1p(at)
        for kinks, rates in zip(self.kinks, self.rates, strict=True):
            rate = rates[cells][down]
            steps += np.where(counts < kinks[cells][down], rate, -rate)
        if self.curvature.any():
            steps += self.curvature[cells][down] * (self.centre[cells][down] - 0.5 - at)
        return np.asarray(steps)

    def log_weights(self, counts: Integers, tilt: float) -> Floats:
        """Return log w(c) + tilt c, with one row of counts for each cell."""
        at = counts.astype(np.float64)
        heights = (self.prior + self.slope + tilt)[:, None] * at - gammaln(at + 1)
        heights -= self.curvature[:, None] * (at - self.centre[:, None]) ** 2 / 2
        for kinks, rates in zip(self.kinks, self.rates, strict=True):
            heights -= rates[:, None] * np.abs(kinks[:, None] - counts)
        return np.asarray(heights)

    @property
    def _knots(self) -> Integers:
        """Between noisy counts the weights are log-concave, and over them too."""
        ends = np.broadcast_to(np.array([[0], [self.most]]), (2, self.prior.size))
        return np.sort(np.concatenate([ends, self.kinks]), axis=0).T

    def only(self, cells: NDArray[np.bool_]) -> KnownCells:
        """Return the weights of some cells."""
        return replace(
            self,
            prior=self.prior[cells],
            kinks=self.kinks[:, cells],
            rates=self.rates[:, cells],
            curvature=self.curvature[cells],
            centre=self.centre[cells],
            slope=self.slope[cells],
        )

    def _rounding(self, tilt: float) -> Floats:
        n = float(self.most)
        largest = n * (np.abs(self.prior + self.slope + tilt) + self.rates.sum(axis=0) + math.log(n + 2))
        return np.asarray(1e-15 * (largest + self.curvature * n**2))


class KnownBlocks(TotalBlocks):
    """Blocks of totals with g(N) = N!; a known total has g = 1."""

    def __init__(self, weights: KnownCells, *, known: bool) -> None:
        # the size of log N! is what rounding grows with
        super().__init__(weights, float(weights.most + 1), known=known)

    def _slope(self, totals: Floats | int) -> Floats:
        return np.log(np.asarray(totals, dtype=np.float64) + 1)

    def _height(self, totals: Floats) -> Floats:
        return np.asarray(gammaln(totals + 1))

    def _highest(self, tilt: float, least: int, most: int) -> float:
        return max(float(self._log_g(end, end, tilt)[0]) for end in (least, most))  # log N! is convex

    def _log_g(self, first: int, last: int, tilt: float) -> Floats:
        if self.known:
            return np.array([-tilt * first])
        return super()._log_g(first, last, tilt)


def log_evidence(evidence: Sequence[CellEvidence], log_chances: Floats, total: Total) -> float | None:
    """Return the log probability of the releases under these chances, up to a constant of the releases.

    None if the sum would cost too much. Cells of chance 0 hold no record.
    """
    possible = np.isfinite(log_chances)
    every = KnownCells.of(evidence, np.where(possible, log_chances, 0.0), total.most)
    empty = every.only(~possible)
    outside = float(empty.log_weights(np.zeros((empty.prior.size, 1), dtype=np.int64), 0.0).sum())
    cells = every.only(possible)
    if cells.prior.size == 1 and total.known:
        return outside + float(cells.log_weights(np.array([[total.most]]), 0.0)[0, 0])
    blocks = KnownBlocks(cells, known=total.known)
    if not blocks.add_all():
        return None
    masses = np.array(blocks.log_masses)
    return outside + float(masses.max() + np.log(np.exp(masses - masses.max()).sum()))
