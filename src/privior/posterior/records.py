"""Synthetic records, and the values of a column as programs want them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from privior.pandas_frames import frame
from privior.posterior.averages import numbers_of
from privior.schema import Schema
from privior.schema.column import Column
from privior.schema.days import Date
from privior.schema.numbers import Bounded


class SampledRecords(dict[str, list[object]]):
    """Synthetic records, column by column: a dictionary that can become a frame.

    Attributes:
        schema: the public facts of the columns
    """

    def __init__(self, columns: Mapping[str, list[object]], schema: Schema) -> None:
        super().__init__(columns)
        self.schema = schema

    def to_pandas(self) -> Any:
        """Return one row per record, numbers and days as such."""
        return frame({name: self._typed(name, values) for name, values in self.items()})

    def _typed(self, name: str, values: list[object]) -> list[object]:
        column = self.schema.column(name)
        known = dict(zip(column.values, typed_values(name, column), strict=True))
        return [known[value] for value in values]


def typed_values(name: str, column: Column) -> list[object]:
    """Return one value per level of a column: numbers on a grid as numbers, days as days."""
    match column:
        case Bounded():
            return list(numbers_of(name, column).tolist())
        case Date():
            return [date.fromisoformat(label) for label in column.labels]
        case _:
            return list(column.values)
