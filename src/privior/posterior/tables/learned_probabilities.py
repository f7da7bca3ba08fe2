"""Cell probabilities when the spread of the counts is learned: rates are drawn, and divided by their sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.posterior.counts.learned_counts import LearnedCounts
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.quantity import SEED
from privior.posterior.tables.drawn import DrawnProbabilities, Floats, affordable


@dataclass(frozen=True, eq=False)
class LearnedProbabilities(DrawnProbabilities):
    """Draws from the posterior of all cell probabilities under a learned prior."""

    latent: LearnedCounts

    @cached_property
    def each(self) -> Floats:
        """The draws that are kept."""
        return self.kept

    @cached_property
    def mean(self) -> Floats:
        """The mean of each."""
        return np.asarray(self.kept.mean(axis=0))

    @cached_property
    def variance_parts(self) -> VarianceParts:
        """The variance of each: that of its mean given the table is the noise's, the rest the records'."""
        tables = self.latent.draws(affordable(self.prior.size), np.random.default_rng(SEED))
        rates = self.latent.expected_rates(tables)
        privacy = (rates / rates.sum(axis=1, keepdims=True)).var(axis=0)
        total = self.kept.var(axis=0)
        return VarianceParts(np.maximum(total - privacy, 0), np.minimum(privacy, total))

    def log_draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw tables, then the logarithms of rates given them."""
        return self.latent.log_rates(self.latent.draws(number, rng), rng)
