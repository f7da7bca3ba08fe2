"""Counts taken as certain: what one gets by ignoring the privacy noise. For comparison only."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts.contract import LatentCounts
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.quantity import check_level
from privior.special import betaincinv


@dataclass(frozen=True)
class Betas:
    """One Beta law per cell: the marginals of a Dirichlet posterior with known counts."""

    first: Floats
    second: Floats

    @property
    def mean(self) -> Floats:
        """The mean of each law: first / (first + second)."""
        return np.asarray(self.first / (self.first + self.second))

    @property
    def variance_parts(self) -> VarianceParts:
        """The variance of each: all of it is that of the records."""
        sampling = self.mean * (1 - self.mean) / (self.first + self.second + 1)
        return VarianceParts(sampling, np.zeros_like(sampling))

    @property
    def stddev(self) -> Floats:
        """The standard deviation of each."""
        return np.sqrt(self.variance_parts.total)

    def interval(self, level: float) -> Floats:
        """The equal-tailed interval of each, as (k, 2)."""
        tail = (1 - check_level(level)) / 2
        return np.column_stack([betaincinv(self.first, self.second, q) for q in (tail, 1 - tail)])


@dataclass(frozen=True)
class CertainCounts(LatentCounts):
    """The noisy counts, cut at zero, as if they were the true ones."""

    counts: Integers
    prior: Floats

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Nothing was computed that could go wrong."""
        return Diagnostics.of_exact("privacy noise ignored: intervals are too narrow", 0)

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        """The noisy counts themselves."""
        return self.counts.astype(np.float64)

    @cached_property
    def stddev(self) -> Floats:  # type: ignore[override]
        """Zero, which is the mistake that this shows."""
        return np.zeros(self.counts.size)

    def interval(self, level: float) -> Floats:
        """Return the counts as both ends: nothing is open."""
        check_level(level)
        return np.column_stack([self.mean, self.mean])

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """The counts, again and again."""
        return np.broadcast_to(self.counts, (size, self.counts.size)).copy()

    def beta_mixture(self) -> Betas:
        """The marginals of Dirichlet(prior + counts)."""
        first = self.prior + self.counts
        return Betas(first, first.sum() - first)
