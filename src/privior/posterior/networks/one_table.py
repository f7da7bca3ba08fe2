"""What is known of one table of a network, taken by itself."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.contract import LatentCounts, LearnedShape
from privior.posterior.kept import kept
from privior.posterior.tables.dirichlet_probabilities import DirichletProbabilities
from privior.posterior.tables.drawn import DrawnProbabilities, probabilities
from privior.posterior.tables.learned_probabilities import LearnedProbabilities


@kept
@dataclass(frozen=True, eq=False)
class OneTable:
    """What is known of one table of counts, and of the rows of chances that follow from it.

    Attributes:
        counts: the posterior of the true counts
        prior: the Dirichlet parameter of each cell; 1 where it was learned instead
        levels: of the node: how many cells a row has
        learned: the same counts where the prior was learned with them; None elsewhere
    """

    counts: LatentCounts
    prior: Floats
    levels: int
    learned: LearnedShape | None

    @cached_property
    def _drawn(self) -> DrawnProbabilities:
        if self.learned is not None:
            return LearnedProbabilities(self.prior, self.learned)
        return DirichletProbabilities(self.prior, self.counts)

    def rows(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw the table's rows of chances, as (number, cells)."""
        logs = self._drawn.log_draws(number, rng).reshape(-1, self.levels)
        return probabilities(logs).reshape(number, -1)

    def noise_share(self, number: int, rng: np.random.Generator) -> float:
        """Return which part of the variance of the entries the privacy noise accounts for."""
        tables = self.counts.draws(number, rng)
        if self.learned is not None:
            weights = self.learned.expected_rates(tables).reshape(number, -1, self.levels)
        else:
            weights = (self.prior + tables).reshape(number, -1, self.levels)
        means = weights / weights.sum(axis=2, keepdims=True)
        noise = float(means.var(axis=0).sum())
        total = float(self.rows(number, rng).var(axis=0).sum())
        return min(1.0, noise / total) if total > 0 else 0.0
