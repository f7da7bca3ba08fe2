"""Blocks of totals of a table with a Dirichlet prior: g(N) = N!/Γ(N+A), A the sum of its parameters."""

from __future__ import annotations

from typing import final

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.dirichlet_weights import DirichletWeights
from privior.posterior.counts.gamma_terms import total_heights, total_steps
from privior.posterior.counts.stirling import log_rising
from privior.posterior.counts.total_blocks import BEND, TotalBlocks


@final
class DirichletBlocks(TotalBlocks):
    """Blocks of totals with g(N) = N!/Γ(N+A), times what releases from a posterior say of the total."""

    def __init__(self, weights: DirichletWeights, *, known: bool) -> None:
        super().__init__(weights, float(weights.prior.sum()), known=known)

    def _slope(self, totals: Floats | int) -> Floats:
        """Return log g(N+1) − log g(N) = log((N+1)/(N+A)), and what releases from a posterior add."""
        bottom = totals + np.asarray(self._concentration)
        part = (1 - self._concentration) / bottom
        ratio = np.where(part > -0.9, np.log1p(np.maximum(part, -0.9)), np.log((totals + 1) / bottom))
        if not self.weights.gammas:
            return ratio
        return ratio + total_steps(self.weights.gammas, np.asarray(totals, dtype=np.float64))

    def _highest(self, tilt: float, least: int, most: int) -> float:
        """Return a bound of log g(N) − tilt·N in a block: convex for A >= 1, else it bends little."""
        ends = [float(self._log_g(end, end, tilt)[0]) for end in (least, most)]
        return max(ends) + (0.0 if self.known or self._concentration >= 1 else 2 * BEND)

    def _height(self, totals: Floats) -> Floats:
        """Return log g of each total: what a block's tables weigh beside their cells."""
        heights = -log_rising(totals, self._concentration)
        return heights + total_heights(self.weights.gammas, totals) if self.weights.gammas else heights
