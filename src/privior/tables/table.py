"""An open table: its public facts are checked, its rows are still unread."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from privior.interrupts import kept_interrupts
from privior.models.summands import Summand
from privior.schema import Schema
from privior.tables import counting, persons, summing
from privior.tables.question import Question
from privior.tables.relations import Relation

Answer = TypeVar("Answer")


class Source(Protocol):
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

    source: Source
    schema: Schema
    columns: tuple[str, ...]

    def records(self) -> int:
        """Return the number of records: rows or, where a column names the person, different persons."""
        if self.schema.unit.column is None:
            return self.source.rows()
        return _answered(self.source, persons.count)

    def counts(self) -> NDArray[np.int64]:
        """Count the records of each cell, row-major over the columns, whatever the order of the rows."""
        return _answered(self.source, lambda relation: counting.counts(relation, self.schema, self.columns))

    def sums(self, by: tuple[str, ...], summands: tuple[Summand, ...]) -> NDArray[np.int64]:
        """Add up what each record adds, in each cell of some columns, whatever the order of the rows.

        A record is left out, for all sums alike, if a column that is asked about has no rule for a bad cell.

        Args:
            by: the columns that make the cells; none for one cell of all records
            summands: what each record adds; the columns of all of them must be open

        Returns:
            a row for each cell, row-major over `by`, and a column for each summand
        """
        question = self.check(by, summands)
        return _answered(self.source, lambda relation: summing.sums(relation, question))

    def check(self, by: tuple[str, ...], summands: tuple[Summand, ...]) -> Question:
        """Refuse sums that cannot be made, by public facts only, so that this can be done before a spend."""
        question = Question(self.schema, self.columns, by, summands)
        question.check()
        return question


def _answered(source: Source, question: Callable[[Relation], Answer]) -> Answer:
    with kept_interrupts(), source.relation() as relation:
        return question(relation)
