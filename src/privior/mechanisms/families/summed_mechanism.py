"""What mechanisms for families have in common: they tell of sums over the records."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from privior.arrays import Integers
from privior.checks import known_as
from privior.mechanisms.contract import Floats, Mechanism
from privior.models import ExactStatistics, Model, Observed, SummedModel


class SummedMechanism(Mechanism):
    """A release that tells of the sums of a family."""

    models: ClassVar[tuple[type[Model], ...]] = (SummedModel,)

    @abstractmethod
    def log_likelihoods(self, observed: Observed, sums: Integers) -> Floats:
        """Return the log probability of what was observed for each column of possible sums."""

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return it for the true sums."""
        return float(self.log_likelihoods(observed, statistics.counts[:, np.newaxis])[0])

    def count_log_likelihoods(self, observed: Observed, numbers: Integers) -> Floats:
        """Return what is said of the number of records alone: nothing, unless it is released with noise."""
        return np.zeros(numbers.shape)


class SumNoise(SummedMechanism):
    """Noise on the sums of a family, independent of them, as wide as the ranges of its summands ask for."""

    @property
    @abstractmethod
    def variances(self) -> tuple[float, ...]:
        """The variance of the noise of each sum."""


def summed_model(model: Model) -> SummedModel:
    """Return a model that is known to be a family."""
    return known_as(SummedModel, model)  # type: ignore[type-abstract]
