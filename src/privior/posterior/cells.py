"""What posteriors of the chances of cells share: of tables, of Markov chains, of finite families."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from privior.pictures import IntervalChart
from privior.posterior.averages import numbers_of, places_of
from privior.posterior.contract import Posterior
from privior.posterior.events import Event, quoted
from privior.posterior.findings import MOST_ROWS
from privior.posterior.named_numbers import NamedNumbers, named
from privior.posterior.numbers import Floats, Named, Numbers, quantile_name, quantile_of
from privior.posterior.quantity import Quantity, check_level
from privior.posterior.summary import Summary
from privior.schema import Column, Schema


@dataclass(frozen=True)
class CellNumbers(Numbers):
    """Numbers that follow from the chances of cells, one table a row."""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of levels of each column."""
        return tuple(self.schema.column(name).size for name in self.model.columns)

    @property
    def width(self) -> int:
        """The number of cells."""
        return math.prod(self.shape)

    @cached_property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each cell, one per column of the model."""
        return tuple(product(*(self.schema.column(name).labels for name in self.model.columns)))

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability of an event, nan where what is given has no chance."""
        wanted, among = self.events.cells(event), self._among(given)
        name = f"P({self.events.name(event)}{self._bar(given)})"
        return name, lambda theta: np.asarray(among(theta)[:, wanted].sum(axis=1))

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of a column of numbers, nan where what is given has no chance."""
        place, among = self.events.place(column), self._among(given)
        values = numbers_of(column, self.schema.column(column))
        each = values[np.unravel_index(np.arange(self.width), self.shape)[place]]
        return f"mean({quoted(column)}{self._bar(given)})", lambda theta: np.asarray(among(theta) @ each)

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return a quantile of an ordered column, nan where what is given has no chance."""
        place, among = self.events.place(column), self._among(given)
        values = places_of(column, self.schema.column(column))
        others = tuple(1 + axis for axis in range(len(self.shape)) if axis != place)

        def found(theta: Floats) -> Floats:
            return quantile_of(among(theta).reshape(-1, *self.shape).sum(axis=others), values, share)

        return quantile_name(column, share, self._bar(given)), found

    def _among(self, given: Event | object | None) -> Callable[[Floats], Floats]:
        """Return the chances given that a record is in some cells."""
        if given is None:
            return lambda theta: theta
        condition = self.events.cells(given)

        def among(theta: Floats) -> Floats:
            inside = np.where(condition, theta, 0.0)
            with np.errstate(invalid="ignore"):
                return np.asarray(inside / inside.sum(axis=1, keepdims=True))

        return among

    def _bar(self, given: Event | object | None) -> str:
        return "" if given is None else f" | {self.events.name(given)}"

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Draw cells, and return the values of their levels."""
        codes = rng.choice(theta.size, size=number, p=theta / theta.sum())
        columns = zip(self.model.columns, np.unravel_index(codes, self.shape), strict=True)
        values = {name: self.schema.column(name).values for name in self.model.columns}
        return {name: [values[name][code] for code in places] for name, places in columns}

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return the chances with the names of their cells."""
        labels = [", ".join(cell) for cell in self.cells]
        return {
            "posterior": {"theta": theta[np.newaxis]},
            "coords": {"cell": labels},
            "dims": {"theta": ["cell"]},
        }


class CellsPosterior(Posterior):
    """A posterior of the chances of cells. Cells are in the order of `cells`."""

    numbers: CellNumbers

    @staticmethod
    def numbers_of(model: Any, schema: Schema) -> CellNumbers:
        """Return what chances of cells say about records."""
        return CellNumbers(model, schema)

    @property
    def cells(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each cell, one per column of the model."""
        return self.numbers.cells

    @property
    def labels(self) -> list[str]:
        """The name of each cell."""
        return [", ".join(cell) for cell in self.cells]

    def _named(self, numbers: Floats) -> NamedNumbers:
        """Return numbers of the cells, or a row of numbers for each, with the cells' names."""
        return named(numbers, lambda: self.labels)

    @abstractmethod
    def mean(self) -> NamedNumbers:
        """Return the expected chance of each cell."""

    @abstractmethod
    def stddev(self) -> NamedNumbers:
        """Return the standard deviation of each cell's chance."""

    @abstractmethod
    def interval(self, level: float = 0.9) -> NamedNumbers:
        """Return the equal-tailed interval of each cell's chance: lower and upper, as (k, 2)."""

    @abstractmethod
    def _without_noise(self, level: float) -> Floats:
        """Return the interval of each that the records alone would leave open."""

    def predictive(self) -> NamedNumbers:
        """Return the probability that the next record falls into each cell: the posterior mean."""
        return self.mean()

    def summary(self, level: float = 0.9) -> Summary:
        """Return the chance of every cell, with its levels."""
        ends = self.interval(check_level(level))
        return Summary.of_cells(self.model.columns, self.schema, self.mean(), self.stddev(), ends, level)

    def quantities(self) -> list[Quantity]:
        """Return the chance of every cell."""
        columns = self.model.columns
        return [self.probability(dict(zip(columns, cell, strict=True))) for cell in self.cells]

    def picture(self, level: float = 0.9) -> IntervalChart:
        """Draw each cell's interval, with the part that the records alone would leave open."""
        check_level(level)
        return IntervalChart(
            self.labels,
            self.mean(),
            self.interval(level),
            self._without_noise(level),
            title=" x ".join(self.model.columns),
            note=self._note(level),
        )

    def _shown(self, mean: Floats) -> list[int]:
        """Return the cells that tables show: all, or the most probable; ordered values in order."""
        if mean.size <= MOST_ROWS:
            return list(range(mean.size))
        found = [int(cell) for cell in np.argsort(-mean, kind="stable")[:MOST_ROWS]]
        return sorted(found) if self._ordered is not None else found

    @property
    def _ordered(self) -> Column | None:
        """The one column of the table, if its values are in order."""
        column = self.schema.column(self.model.columns[0])
        return column if column.ordered and len(self.model.columns) == 1 else None

    def _cells_document(self, level: float) -> list[dict[str, object]]:
        """Write what is known of each cell as plain values."""
        ends = self.interval(level)
        numbers = zip(self.cells, self.mean(), self.stddev(), ends, strict=True)
        return [
            {
                "levels": list(levels),
                "mean": float(mean),
                "stddev": float(stddev),
                "low": float(low),
                "high": float(high),
            }
            for levels, mean, stddev, (low, high) in numbers
        ]
