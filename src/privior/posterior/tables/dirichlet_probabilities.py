"""Cell probabilities under a Dirichlet prior, by simulation: Dirichlet given each table that is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from privior.arrays import Floats
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.seeds import drawing
from privior.posterior.tables.drawn import DrawnProbabilities, affordable


@final
@dataclass(frozen=True, eq=False)
class DirichletProbabilities(DrawnProbabilities):
    """Draws from the posterior of all cell probabilities under a Dirichlet prior."""

    @cached_property
    def each(self) -> Floats:
        """Draws of each cell's probability, good for one cell at a time only."""
        first, total = self._parameters
        return drawing(1, self.seed).beta(first, total - first)

    @cached_property
    def mean(self) -> Floats:
        """The mean of each, averaged over draws of the table (Rao-Blackwell)."""
        first, total = self._parameters
        return np.asarray((first / total).mean(axis=0))

    @cached_property
    def variance_parts(self) -> VarianceParts:
        """The variance of each, in the same way."""
        first, total = self._parameters
        share = first / total
        return VarianceParts((share * (1 - share) / (total + 1)).mean(axis=0), share.var(axis=0))

    def _drawn(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw Dirichlet parameters: the prior, and a table."""
        return np.asarray(self.prior + self.latent.draws(number, rng))

    @cached_property
    def kept_logs(self) -> Floats:
        """The draws that are kept, as logarithms that are not yet normalised."""
        return self.log_draws(affordable(self.prior.size), drawing(0, self.seed))

    @cached_property
    def _parameters(self) -> tuple[Floats, Floats]:
        """Draws of the Dirichlet parameters, and their sum."""
        first = self._drawn(affordable(self.prior.size), drawing(0, self.seed))
        return first, first.sum(axis=1, keepdims=True)

    def log_draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw tables, then probabilities given them, as logarithms of Gammas that are not yet normalised.

        A Gamma of tiny shape a underflows, its logarithm does not: G(a) = G(a+1) U^(1/a).
        """
        shapes = self._drawn(number, rng)
        return np.asarray(
            np.log(rng.standard_gamma(shapes + 1)) - rng.standard_exponential(shapes.shape) / shapes
        )
