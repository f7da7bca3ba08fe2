"""Margins: what a joint table says of each column alone, and of one column given another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from privior.pictures import IntervalChart
from privior.posterior.counts.certain import Betas
from privior.posterior.findings import Finding, Table
from privior.posterior.numbers import Floats
from privior.posterior.quantity import quantiles
from privior.schema import Schema

#: tables of more cells are not drawn from for a page; of more columns not all pairs are shown
_MOST_CELLS, _MOST_PAIRS = 4000, 6
#: so many levels are shown side by side, and so many below each other
_ACROSS, _DOWN = 6, 40
_LEAST = 1e-300


@dataclass(frozen=True, eq=False)
class TableMargins:
    """The margins of a joint table.

    Attributes:
        columns: those of the table
        schema: their public facts
        parameters: of the Dirichlet law of all cells if the expected table were the true one
        draw: returns draws of the probabilities of all cells, when they are needed
        level: of the intervals
        note: what stands below a picture
    """

    columns: tuple[str, ...]
    schema: Schema
    parameters: Floats
    draw: Callable[[], Floats]
    level: float
    note: str

    def findings(self) -> list[Finding]:
        """Return a picture of each column and a table for each pair; nothing of one column or many cells."""
        if len(self.columns) < 2 or self.parameters.size > _MOST_CELLS:
            return []
        alone = [self._alone(name) for name in self.columns]
        pairs = [pair for pair in permutations(self.columns, 2) if self._size(pair[0]) <= _ACROSS]
        return [*alone, *(self._given(*pair) for pair in pairs[:_MOST_PAIRS])]

    def _alone(self, name: str) -> Finding:
        return Finding(f"{name} alone", picture=lambda: self.picture(name))

    def picture(self, name: str) -> IntervalChart:
        """Draw the probability of each level of a column, whatever the other columns are."""
        first = self._summed(self.parameters[np.newaxis], (name,))[0]
        drawn = self._summed(self._theta, (name,))
        return IntervalChart(
            self.schema.column(name).labels,
            drawn.mean(axis=0),
            quantiles(drawn, self.level),
            Betas(first, first.sum() - first).interval(self.level),
            title=f"{name}, whatever the rest is",
            note=self.note,
        )

    def _given(self, name: str, given: str) -> Finding:
        title = f"{name} given {given}, with {100 * self.level:g}% intervals"
        return Finding(title, at_length=lambda: self.table(name, given), folded=True)

    def table(self, name: str, given: str) -> Table:
        """Return the probability of each level of a column among the records of each level of another."""
        pairs = self._summed(self._theta, (given, name)).reshape(-1, self._size(given), self._size(name))
        chances = (pairs + _LEAST) / (pairs + _LEAST).sum(axis=2, keepdims=True)
        mean, ends = chances.mean(axis=0), quantiles(chances, self.level)
        labels = self.schema.column(given).labels
        rows = [
            [label, *(_cell(mean[i, j], ends[i, j]) for j in range(mean.shape[1]))]
            for i, label in enumerate(labels[:_DOWN])
        ]
        more = len(labels) - _DOWN
        left_out = f"... and {more} more levels of {given}" if more > 0 else ""
        return Table([f"{given} \\ {name}", *self.schema.column(name).labels], rows, left_out)

    @cached_property
    def _theta(self) -> Floats:
        return self.draw()

    def _size(self, name: str) -> int:
        return self.schema.column(name).size

    def _summed(self, theta: Floats, kept: Sequence[str]) -> Floats:
        """Sum tables, one a row, over all other columns; those that are kept are in this order."""
        shape = [self._size(name) for name in self.columns]
        places = [1 + self.columns.index(name) for name in kept]
        others = tuple(axis for axis in range(1, 1 + len(shape)) if axis not in places)
        moved = np.moveaxis(theta.reshape(-1, *shape), places, range(1, 1 + len(places)))
        summed = moved.sum(axis=tuple(range(1 + len(places), 1 + len(shape)))) if others else moved
        return np.asarray(summed.reshape(len(theta), -1))


def _cell(mean: float, ends: Floats) -> str:
    return f"{mean:.3f} ({ends[0]:.3f} to {ends[1]:.3f})"
