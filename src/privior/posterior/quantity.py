"""Quantities: the posterior of one number, such as a probability, with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, shown

Floats = NDArray[np.float64]


def check_level(level: float) -> float:
    """Return the level of an interval, which lies between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise InferenceError(
            "not the level of an interval", asked=shown(level), allowed="a number between 0 and 1"
        )
    return float(level)


def check_number(number: int, name: str) -> int:
    """Return how many draws or records are wanted: a positive whole number."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InferenceError(f"{name} is not a positive whole number", asked=shown(number))
    return int(number)


def quantiles(draws: Floats, level: float) -> Floats:
    """Return the equal-tailed interval of draws along the first axis, as (..., 2)."""
    tail = (1 - level) / 2
    return np.asarray(np.moveaxis(np.quantile(draws, [tail, 1 - tail], axis=0), 0, -1))


@dataclass(frozen=True)
class Quantity:
    """What a posterior says about one number.

    Attributes:
        name: the question
        mean: the posterior mean: the probability of the event for the next record
        values: draws from the posterior
        exact_interval: the interval in closed form where there is one, else it is read off the draws
    """

    name: str
    mean: float
    values: Floats
    exact_interval: Callable[[float], tuple[float, float]] | None = None

    def interval(self, level: float = 0.9) -> tuple[float, float]:
        """Return the equal-tailed interval that holds the number with this probability."""
        check_level(level)
        if self.exact_interval is not None:
            return self.exact_interval(level)
        low, high = quantiles(self.values, level)
        return float(low), float(high)

    @property
    def simulation_error(self) -> float:
        """The standard error of a mean over the draws: how exact what is read off them can be."""
        return float(self.values.std() / math.sqrt(self.values.size))

    def __float__(self) -> float:
        return self.mean

    def __str__(self) -> str:
        low, high = self.interval(0.9)
        return f"{self.name} = {self.mean:.4f}, between {low:.4f} and {high:.4f} with probability 90%"
