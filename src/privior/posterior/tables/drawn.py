"""Cell probabilities by simulation: tables are drawn, then the probabilities given each table.

The seed of what is kept is that of the inference, so that asking twice gives one answer.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.forecasting.effort import MOST_DRAWN
from privior.posterior.counts.contract import LatentCounts
from privior.posterior.counts.variance import VarianceParts
from privior.posterior.quantity import DRAWS, quantiles

_MOST_NUMBERS = 20_000_000
#: draws of more cells than this would fill the memory
MOST_CELLS = MOST_DRAWN


def affordable(cells: int) -> int:
    """Return how many draws of a table with so many cells are kept."""
    if cells > MOST_CELLS:
        too_many(cells)
    return max(500, min(DRAWS, _MOST_NUMBERS // cells))


def too_many(cells: int) -> NoReturn:
    """Refuse what needs draws of so many cells."""
    raise InferenceError(
        "the table has too many cells for questions that need draws of all of them",
        asked=cells,
        allowed=MOST_CELLS,
        advice="Ask about single cells, or about a release of fewer columns.",
    )


def probabilities(logs: Floats) -> Floats:
    """Normalise each row of log weights, also where all of them are too small for a float."""
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


@dataclass(frozen=True, eq=False)
class DrawnProbabilities(ABC):
    """Draws from the posterior of all cell probabilities, and each cell's marginal from draws of tables.

    Attributes:
        prior: the prior parameter of each cell
        latent: the posterior of the true counts
        seed: of what is kept
    """

    prior: Floats
    latent: LatentCounts
    seed: int = 0

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Return draws of all cell probabilities, as (number, k)."""
        return probabilities(self.log_draws(number, rng))

    @cached_property
    def kept(self) -> Floats:
        """The draws that are kept for questions about several cells."""
        return probabilities(self.kept_logs)

    def kept_given(self, cells: NDArray[np.bool_]) -> Floats:
        """Return the draws that are kept, of the probabilities given that a record is in these cells."""
        return probabilities(np.where(cells, self.kept_logs, -np.inf))

    @cached_property
    def stddev(self) -> Floats:
        """The standard deviation of each."""
        return np.sqrt(self.variance_parts.total)

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each, as (k, 2)."""
        return quantiles(self.each, level)

    @property
    @abstractmethod
    def each(self) -> Floats:
        """Draws of each cell's probability, good for one cell at a time only."""

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """The posterior mean of each cell's probability."""

    @property
    @abstractmethod
    def variance_parts(self) -> VarianceParts:
        """The variance of each: what the records leave open, and what the noise hides."""

    @property
    @abstractmethod
    def kept_logs(self) -> Floats:
        """The draws that are kept, as logarithms that are not yet normalised."""

    @abstractmethod
    def log_draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw tables, then probabilities given them, as logarithms that are not yet normalised."""
