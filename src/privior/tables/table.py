"""An open table: its public facts are checked, its rows are still unread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from privior.arrays import Integers
from privior.interrupts import kept_interrupts
from privior.models.readings import Reading, Sums
from privior.models.summands import ONE, Summand
from privior.schema import Schema
from privior.tables import persons
from privior.tables.doors import Door, answers, door
from privior.tables.relations import Relation
from privior.tables.shapes import Shapes, shapes
from privior.tables.writing import as_declared

Found = TypeVar("Found")


class RowSource(Protocol):
    """Where rows come from. Opening it twice gives the same rows.

    How rows are read follows from the types and the schema alone, never from a cell or from statistics of a
    column (T45): a reader that stops at a cell may not be followed by another one.
    """

    def rows(self) -> int:
        """Return how many rows there are."""

    def relation(self) -> AbstractContextManager[Relation]:
        """Put the needed columns into an engine."""


@dataclass(frozen=True, repr=False)
class OpenTable:
    """A table whose path or object, header and types are known to fit the schema.

    Attributes:
        source: where the rows come from
        schema: the public facts
        columns: the needed columns, in the order of the counts
    """

    source: RowSource
    schema: Schema
    columns: tuple[str, ...]

    def records(self) -> int:
        """Return the number of records: rows or, where a column names the person, different persons."""
        if self.schema.unit.column is None:
            return self.source.rows()
        return _answered(self.source, persons.count)

    def read(self, *readings: Reading) -> tuple[Any, ...]:
        """Answer readings in one pass over the rows, whatever their order; their columns must be open.

        The answers: of `Sums` a row for each cell and a column for each summand, of `Margins` an `ExactTable`
        for each table, of `Moments` a matrix, of `Records` `ExactRecords`.
        """
        doors = self.check(*readings)

        def read(relation: Relation) -> list[Any]:
            return answers(as_declared(relation, self.schema, self.columns), doors)

        return tuple(_answered(self.source, read))

    def shapes(self) -> list[Shapes]:
        """Look at the cells of all columns, which must say of what kind they are: for own eyes alone."""
        return _answered(self.source, lambda relation: shapes(relation, self.schema, self.columns))

    def check(self, *readings: Reading) -> list[Door[Any]]:
        """Refuse readings that cannot be answered, by public facts only, so as to do this before a spend."""
        doors = [door(reading, self.schema, self.columns) for reading in readings]
        for one in doors:
            one.check()
        return doors

    def counts(self) -> Integers:
        """Count the records of each cell of all columns, row-major."""
        return self.sums(self.columns, (ONE,))[:, 0]

    def sums(self, by: tuple[str, ...], summands: tuple[Summand, ...]) -> Integers:
        """Answer a single `Sums`."""
        (found,) = self.read(Sums(by, summands))
        return np.asarray(found)


def _answered(source: RowSource, question: Callable[[Relation], Found]) -> Found:
    with kept_interrupts(), source.relation() as relation:
        return question(relation)
