"""The interval score: an interval is the better the shorter it is, and pays for values that it misses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.checks import fill
from privior.decisions.point_losses import quantile
from privior.decisions.reach import Reach
from privior.decisions.utility import Floats, Response, Utility, number_within
from privior.errors import DecisionError, shown


@dataclass(frozen=True, init=False)
class IntervalScore(Utility):
    """1 - (width + 2/a times what it misses the value by) / (2/a (upper - lower)), a = 1 - level.

    The best response is the equal-tailed interval: the sum falls apart into two quantile losses.
    """

    level: Fraction
    lower: Fraction | None
    upper: Fraction | None
    name: ClassVar[str] = "interval-score"
    pairs: ClassVar[bool] = True
    about: ClassVar[str] = "a short interval that seldom misses: the interval of that level"

    def __init__(self, level: object = "0.9", *, lower: object = None, upper: object = None) -> None:
        fill(self, level=self._share(level, "level"))
        self._set_ends(lower, upper)

    @property
    def _penalty(self) -> float:
        return float(2 / (1 - self.level))

    def response(self, given: object, reach: Reach) -> tuple[float, float]:
        """Read the lower and the upper end of an interval."""
        if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
            raise DecisionError("the response is not a pair of ends", where=self.name, asked=shown(given))
        low, high = (number_within(end, reach, self.name) for end in given)
        if low > high:
            raise DecisionError("the interval ends before it begins", where=self.name, asked=shown(given))
        return low, high

    def scores(self, values: Floats, response: Response, reach: Reach) -> Floats:
        """Score an interval at each value."""
        low, high = self.response(response, reach)
        missed = np.maximum(low - values, 0) + np.maximum(values - high, 0)
        return np.asarray(1 - ((high - low) / self._penalty + missed) / reach.width)

    def best(self, values: Floats, among: Reach, reach: Reach) -> tuple[float, float]:
        """Return the equal-tailed interval, its ends within `among`."""
        tail = (1 - self.level) / 2
        low, high = (quantile(values, share) for share in (tail, 1 - tail))
        ends = np.clip([low, high], among.lower, among.upper)
        return float(ends[0]), float(ends[1])

    def variation(self, reach: Reach) -> float:
        """1 at most: as much as the reach exceeds the interval, in units of the reach."""
        return 1.0

    def plain(self, expected: float, reach: Reach) -> str:
        """Say an expected utility as the interval score that it stands for."""
        return f"mean interval score {self._penalty * reach.width * (1 - expected):.4g}"
