"""Utilities of a number that is answered by a number: squared error, absolute error, quantile."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.checks import fill
from privior.decisions.reach import Reach
from privior.decisions.utility import Floats, Response, Utility, number_within


class PointUtility(Utility):
    """One whose responses are the numbers within the reach; the nearer to the best one, the better."""

    def response(self, given: object, reach: Reach) -> float:
        """Read a number within the reach."""
        return number_within(given, reach, self.name)

    def scores(self, values: Floats, response: Response, reach: Reach) -> Floats:
        """Score a number at each value."""
        return self.scores_at(values, self.response(response, reach), reach)

    @abstractmethod
    def scores_at(self, values: Floats, at: float, reach: Reach) -> Floats:
        """Return the utility of a number at each value within the reach."""

    def variation(self, reach: Reach) -> float:
        """1: from a response at one end the score falls from 1 to 0, elsewhere it varies less or as much."""
        return 1.0


@dataclass(frozen=True, init=False)
class SquaredError(PointUtility):
    """1 - ((value - response) / (upper - lower))^2. The best response is the mean."""

    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "squared-error"
    about: ClassVar[str] = "how near a number comes, by the square: the mean"

    def __init__(self, *, lower: object = None, upper: object = None) -> None:
        self._set_ends(lower, upper)

    def scores_at(self, values: Floats, at: float, reach: Reach) -> Floats:
        """Return the utility of a number at each value within the reach."""
        return np.asarray(1 - ((values - at) / reach.width) ** 2)

    def best(self, values: Floats, among: Reach, reach: Reach) -> float:
        """Return the mean, or the end of the interval next to it."""
        return float(np.clip(values.mean(), among.lower, among.upper))

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the root mean squared error that it stands for."""
        return f"root mean squared error {reach.width * math.sqrt(max(0.0, 1 - expected)):.4g}"


@dataclass(frozen=True, init=False)
class AbsoluteError(PointUtility):
    """1 - |value - response| / (upper - lower). The best response is the median."""

    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "absolute-error"
    about: ClassVar[str] = "how near a number comes: the median"

    def __init__(self, *, lower: object = None, upper: object = None) -> None:
        self._set_ends(lower, upper)

    def scores_at(self, values: Floats, at: float, reach: Reach) -> Floats:
        """Return the utility of a number at each value within the reach."""
        return np.asarray(1 - abs(values - at) / reach.width)

    def best(self, values: Floats, among: Reach, reach: Reach) -> float:
        """Return the median, or the end of the interval next to it."""
        return float(np.clip(np.median(values), among.lower, among.upper))

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the mean absolute error that it stands for."""
        return f"mean absolute error {reach.width * (1 - expected):.4g}"


@dataclass(frozen=True, init=False)
class QuantileLoss(PointUtility):
    """1 less a loss of `level` a unit below the value and of 1 - `level` a unit above it, scaled.

    The best response is the quantile: to order 4 too few may cost more than to order 4 too many.
    """

    level: Fraction
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "quantile"
    about: ClassVar[str] = "too low costs level, too high 1 - level: the quantile"

    def __init__(self, level: object, *, lower: object = None, upper: object = None) -> None:
        fill(self, level=self._share(level, "level"))
        self._set_ends(lower, upper)

    @property
    def _steepest(self) -> float:
        return float(max(self.level, 1 - self.level))

    def scores_at(self, values: Floats, at: float, reach: Reach) -> Floats:
        """Return the utility of a number at each value within the reach."""
        level, apart = float(self.level), values - at
        return np.asarray(1 - np.maximum(level * apart, (level - 1) * apart) / (self._steepest * reach.width))

    def best(self, values: Floats, among: Reach, reach: Reach) -> float:
        """Return the quantile, or the end of the interval next to it."""
        return float(np.clip(quantile(values, self.level), among.lower, among.upper))

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the mean loss that it stands for."""
        return f"mean loss {self._steepest * reach.width * (1 - expected):.4g}"


def quantile(values: Floats, level: Fraction) -> float:
    """Return the smallest value that a share of `level` of the values does not exceed."""
    place = math.ceil(level * values.size) - 1
    return float(np.partition(values, place)[place])
