"""Quantiles as answers: values that occur. Days and bins are called by their names.

The mean of what a median may be is seldom a value of its column, and may lie outside its interval: 99 where
all but a few draws say 100. What is given is the middle of the draws.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from privior.arrays import Floats
from privior.posterior.averages import has_places
from privior.posterior.quantity import Quantity, check_level, occurring
from privior.schema.column import Column


@dataclass(frozen=True, repr=False)
class OrderedQuantity:
    """What a posterior says about a value of an ordered column that is no number: a day, or a bin.

    Attributes:
        name: the question
        values: draws of its code
        levels: the day or bin of each code
        undefined: how probable it is that there is no such value: nobody is as the condition says
        provided: what it rests on that nothing released can tell
    """

    name: str
    values: Floats
    levels: Sequence[str]
    undefined: float = 0.0
    provided: str = ""
    alone: ClassVar[bool] = False

    @property
    def estimate(self) -> str:
        """The day or bin that is given as the answer: the middle one of the draws."""
        return self.levels[round(occurring(self.values, 0.5))]

    def interval(self, level: float = 0.9) -> tuple[str, str]:
        """Return the first and the last day or bin between which it lies with this probability."""
        tail = (1 - check_level(level)) / 2
        low, high = (self.levels[round(occurring(self.values, share))] for share in (tail, 1 - tail))
        return low, high

    def __repr__(self) -> str:
        return f"<{self}>"

    def __str__(self) -> str:
        low, high = self.interval(0.9)
        return f"{self.name} = {self.estimate}, between {low} and {high} with probability 90%"


def as_value(found: Quantity, column: Column) -> Quantity | OrderedQuantity:
    """Return a quantile of a column as one of its values."""
    if has_places(column):
        return OrderedQuantity(found.name, found.values, column.labels, found.undefined, found.provided)
    return replace(found, exact_interval=None, exact_stddev=None, occurring=True)
