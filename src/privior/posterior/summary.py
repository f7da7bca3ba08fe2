"""Summaries: what is known of every number that has a name, with its name beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.pandas_frames import frame
from privior.pictures import listing, markup
from privior.posterior.quantity import Quantity
from privior.posterior.records import typed_values
from privior.schema import Schema
from privior.schema.column import text

_NUMBERS = ("mean", "stddev", "low", "high")


@dataclass(frozen=True, repr=False, eq=False)
class Summary:
    """Names, and the mean, standard deviation and interval of each number.

    Attributes:
        names: what the labels are: columns of a table, or "quantity"
        labels: of each number, one for each of the names
        mean: of each number
        stddev: of each
        low: the lower end of each interval
        high: the upper end
        level: the probability with which each number lies between its ends
    """

    names: tuple[str, ...]
    labels: tuple[tuple[object, ...], ...]
    mean: Floats
    stddev: Floats
    low: Floats
    high: Floats
    level: float

    @staticmethod
    def of(quantities: Sequence[Quantity], level: float) -> Summary:
        """Summarise quantities by their names."""
        ends = np.array([one.interval(level) for one in quantities])
        mean, stddev = (np.array([getattr(one, name) for one in quantities]) for name in _NUMBERS[:2])
        labels = tuple((one.name,) for one in quantities)
        return Summary(("quantity",), labels, mean, stddev, ends[:, 0], ends[:, 1], level)

    @staticmethod
    def of_cells(
        columns: Sequence[str], schema: Schema, mean: Floats, stddev: Floats, ends: Floats, level: float
    ) -> Summary:
        """Summarise the cells of a table, given in its order."""
        labels = tuple(product(*(typed_values(name, schema.column(name)) for name in columns)))
        return Summary(tuple(columns), labels, mean, stddev, ends[:, 0], ends[:, 1], level)

    def to_pandas(self) -> Any:
        """Return a frame, indexed by the labels, with the columns mean, stddev, low and high."""
        names = zip(self.names, zip(*self.labels, strict=True), strict=True)
        return frame({**dict(names), **{name: getattr(self, name) for name in _NUMBERS}}, len(self.names))

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return a header and one row for each number."""
        numbers = zip(*(getattr(self, name) for name in _NUMBERS), strict=True)
        rows = [
            [*map(text, labels), f"{mean:.4g}", f"{stddev:.2g}", f"{low:.4g} to {high:.4g}"]
            for labels, (mean, stddev, low, high) in zip(self.labels, numbers, strict=True)
        ]
        return [*self.names, "mean", "stddev", f"{100 * self.level:g}% interval"], rows

    def __len__(self) -> int:
        return len(self.labels)

    def __str__(self) -> str:
        return "\n".join(listing.table(*self.table()))

    def __repr__(self) -> str:
        return f"<summary of {len(self)} numbers>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()))
