"""The contract of what is known of the true counts, and of the probabilities that follow from them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.sum_with_total import SumWithTotal
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.diagnostics import Diagnostics

#: tables that are drawn under a learned prior, and up to how many cells; beyond, fewer, but never below this
_MOST, _WHOLE, _LEAST = 3000, 200, 200


class CellProbabilities(Protocol):
    """The marginal posterior of each cell's probability."""

    @property
    def mean(self) -> Floats:
        """The posterior mean of each cell's probability."""

    @property
    def stddev(self) -> Floats:
        """The standard deviation of each."""

    @property
    def variance_parts(self) -> VarianceParts:
        """The variance of each, split into that of the records and that of the privacy noise."""

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each, as (k, 2)."""


class LatentCounts(ABC):
    """The posterior of the true counts.

    Attributes:
        mean: the expected count of each cell
        stddev: the standard deviation of each count
        diagnostics: how it was computed and how far it can be trusted
    """

    mean: Floats
    stddev: Floats
    diagnostics: Diagnostics

    @property
    def exact(self) -> bool:
        """Whether it was summed rather than sampled."""
        return self.diagnostics.exact

    @abstractmethod
    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each count, as (k, 2)."""

    @abstractmethod
    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return tables from the posterior, as (size, k)."""

    def sum_of(self, cells: NDArray[np.bool_]) -> IntegerLaw | None:
        """Return the law of the sum of some cells, where it is known without draws."""
        return None

    def sum_with_total(self, cells: NDArray[np.bool_]) -> SumWithTotal | None:
        """Return the joint law of such a sum and of a total that is not known, where no draws are needed."""
        return None

    @property
    def kept(self) -> Integers | None:
        """Tables from the posterior that were drawn anyhow, as (size, k); None if there are none."""
        return None

    def kept_of(self, cell: int) -> tuple[Integers, Integers] | None:
        """Return counts of one cell from the posterior, and the totals beside them, if some are stored."""
        return None

    def beta_mixture(self) -> CellProbabilities | None:
        """Return the marginals of the cell probabilities, where they have a closed form."""
        return None

    def of_event(self, cells: NDArray[np.bool_]) -> CellProbabilities | None:
        """Return likewise the probabilities of some cells together, and of all others together."""
        return None


class SummedCounts(LatentCounts):
    """Counts of which each cell's law is known.

    Attributes:
        marginals: the law of each cell's count
    """

    marginals: tuple[IntegerLaw, ...]

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        """The expected count of each cell."""
        return np.array([law.mean for law in self.marginals])

    @cached_property
    def stddev(self) -> Floats:  # type: ignore[override]
        """The standard deviation of each count."""
        return np.sqrt([law.variance for law in self.marginals])

    def interval(self, level: float) -> Floats:
        """Return for each cell the smallest counts not exceeded with probability (1 ∓ level)/2."""
        return np.array([law.quantiles(level) for law in self.marginals], dtype=np.float64)


class LearnedShape(LatentCounts):
    """Counts whose prior was learned with them: what cell probabilities are given a table, it knows."""

    @abstractmethod
    def log_draws(self, size: int, of_tables: np.random.Generator, rng: np.random.Generator) -> Floats:
        """Draw tables, and given each the logarithm of each cell's probability, perhaps not normalised."""

    @abstractmethod
    def expected_rates(self, tables: Integers) -> Floats:
        """Return about the expected probability of each cell given a table, perhaps not normalised."""


def tables_drawn(cells: int) -> int:
    """Return how many tables of so many cells are drawn under a learned prior."""
    return max(_LEAST, int(_MOST / max(1.0, cells / _WHOLE) ** 0.75))


def quantiles_of_tables(tables: Integers, level: float) -> Floats:
    """Return the equal-tailed interval of each count among some tables, as (cells, 2)."""
    shares = [(1 - level) / 2, (1 + level) / 2]
    places = [max(math.ceil(len(tables) * share - 1), 0) for share in shares]  # the least that are so many
    return np.partition(tables, places, axis=0)[places].T.astype(np.float64)
