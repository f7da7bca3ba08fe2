"""Cell probabilities when the spread of the counts is learned: rates are drawn, and divided by their sum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Integers
from privior.posterior.counts.contract import LearnedShape, tables_drawn
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.seeds import drawing
from privior.posterior.tables.drawn import DrawnProbabilities, Floats


@dataclass(frozen=True, eq=False)
class LearnedProbabilities(DrawnProbabilities):
    """Draws from the posterior of all cell probabilities under a learned prior."""

    latent: LearnedShape

    @cached_property
    def each(self) -> Floats:
        """The draws that are kept."""
        return self.kept

    @cached_property
    def mean(self) -> Floats:
        """The mean of each cell's probability over the draws that are kept."""
        return np.asarray(self.kept.mean(axis=0))

    @cached_property
    def variance_parts(self) -> VarianceParts:
        """The variance of each: that of its mean given the table is the noise's, the rest the records'."""
        rates = self.latent.expected_rates(self._tables)
        privacy = (rates / rates.sum(axis=1, keepdims=True)).var(axis=0)
        total = self.kept.var(axis=0)
        return VarianceParts(np.maximum(total - privacy, 0), np.minimum(privacy, total))

    @cached_property
    def kept_logs(self) -> Floats:
        """The draws that are kept, as logarithms that are not yet normalised."""
        kept = self.latent.kept
        size = tables_drawn(self.prior.size) if kept is None else len(kept)
        return self.latent.log_draws(size, drawing(0, self.seed), drawing(1, self.seed))

    @cached_property
    def _tables(self) -> Integers:
        """The tables that were drawn to infer, or as many."""
        if self.latent.kept is not None:
            return self.latent.kept
        return self.latent.draws(tables_drawn(self.prior.size), drawing(0, self.seed))

    def log_draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw tables, then the logarithms of rates given them."""
        return self.latent.log_draws(number, rng, rng)
