"""Doors: how each reading is answered, by blocks of codes in one pass or by sums that the engine makes.

An engine of privior's own makes a single `Sums` itself; what else is asked of it is made of blocks of codes,
all readings in one pass over the rows. Other engines make all sums themselves, so that no rows leave them
but those of `Records`. Which way is taken follows from the readings and from where the table lives, and the
answers are the same.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod
from typing import Any, Generic, TypeVar

import numpy as np

from privior.arrays import Integers
from privior.errors import TableError
from privior.models.readings import Margins, Moments, Reading, Records, Sums
from privior.models.statistics import ExactRecords, ExactTable
from privior.models.summands import ONE
from privior.schema import Schema
from privior.tables import coded, summing
from privior.tables.products import Products
from privior.tables.question import SumsQuestion
from privior.tables.relations import Relation
from privior.tables.tallies import Block, Tally, limited, numbered

ReadingType = TypeVar("ReadingType", bound=Reading)

#: tables with no more cells in all are counted together and added up afterwards
_FEW_CELLS = 2**12


class Door(ABC, Generic[ReadingType]):
    """How a reading is answered.

    Attributes:
        reading: what is asked
        schema: what is publicly known
        opened: the columns of the relation, in its order
    """

    def __init__(self, reading: ReadingType, schema: Schema, opened: tuple[str, ...]) -> None:
        self.reading = reading
        self.schema = schema
        self.opened = opened
        self.columns = [(name, schema.column(name)) for name in reading.columns if name in opened]

    @abstractmethod
    def questions(self) -> list[SumsQuestion]:
        """Return the sums that make up the answer."""

    def check(self) -> None:
        """Refuse what cannot be answered, by public facts only, so that this can be done before a spend."""
        for question in self.questions():
            question.check()

    @abstractmethod
    def start(self) -> None:
        """Forget all blocks, to begin again."""

    @abstractmethod
    def add(self, block: Block, rows: int) -> None:
        """Take a block of records, all of which count."""

    @abstractmethod
    def answer(self) -> Any:
        """Return what the blocks amount to."""

    @abstractmethod
    def asked(self, relation: Relation) -> Any:
        """Let the engine make the sums."""

    def alone(self, relation: Relation) -> Any:
        """Answer nothing but this reading, in an engine of privior's own."""
        return collected(relation, [self])[0]

    def _sizes(self, names: Sequence[str]) -> tuple[int, ...]:
        return tuple(self.schema.column(name).size for name in names)


class SumsDoor(Door[Sums]):
    """Adds what each record says to the sums of its cell."""

    def questions(self) -> list[SumsQuestion]:
        """Return the one that it is."""
        return [SumsQuestion(self.schema, self.opened, self.reading.by, self.reading.summands)]

    def start(self) -> None:
        """Begin with sums of 0."""
        (question,) = self.questions()
        counted = self.reading.summands == (ONE,)
        bounds = () if counted else tuple(map(question.bound, self.reading.summands))
        self._cells = question.cells
        self._tally = Tally(question.cells, bounds)

    def add(self, block: Block, rows: int) -> None:
        """Add up what each record adds in its cell."""
        cell = numbered(block, self.reading.by, self._sizes(self.reading.by), rows)
        summands = self.reading.summands if self._tally.bounds else ()
        columns = {name for summand in summands for name in summand.columns}
        wide = {name: block[name].astype(np.int64) for name in columns} or {"": np.zeros(rows, np.int64)}
        self._tally.add(cell, tuple(summand.of(wide) for summand in summands))

    def answer(self) -> Integers:
        """Return a row for each cell and a column for each summand."""
        result = np.zeros((self._cells, len(self.reading.summands)), np.int64)
        if self.reading.summands:
            known, sums = self._tally.occurring()
            for place, column in enumerate(sums):
                result[known, place] = column
        return result

    def asked(self, relation: Relation) -> Integers:
        """Let the engine make the sums."""
        return summing.sums(relation, self.questions()[0])

    alone = asked


class MarginsDoor(Door[Margins]):
    """Many tables at once. Small ones are counted together in a larger table, which is then added up."""

    def questions(self) -> list[SumsQuestion]:
        """Return one question for each table, for engines that are asked in SQL."""
        beside = self.reading.columns
        return [
            SumsQuestion(self.schema, self.opened, names, (ONE,), beside) for names in self.reading.tables
        ]

    def start(self) -> None:
        """Begin with empty tables."""
        joint: list[tuple[str, ...]] = []
        self._place: list[int] = []
        for names in self.reading.tables:
            for place, others in enumerate(joint):
                both = tuple(dict.fromkeys((*others, *names)))
                if prod(self._sizes(both)) <= _FEW_CELLS:
                    joint[place] = both
                    self._place.append(place)
                    break
            else:
                joint.append(tuple(dict.fromkeys(names)))
                self._place.append(len(joint) - 1)
        self._tallies = {names: Tally(prod(self._sizes(names))) for names in joint}

    def add(self, block: Block, rows: int) -> None:
        """Count the records of each cell."""
        for names, tally in self._tallies.items():
            tally.add(numbered(block, names, self._sizes(names), rows))

    def answer(self) -> tuple[ExactTable, ...]:
        """Return the counts of each table."""
        joint = list(self._tallies.items())
        return tuple(
            self._table(names, *joint[place])
            for names, place in zip(self.reading.tables, self._place, strict=True)
        )

    def _table(self, names: tuple[str, ...], joint: tuple[str, ...], tally: Tally) -> ExactTable:
        known, (counts,) = tally.occurring()
        if names == joint:
            return ExactTable(tally.cells, known, counts)
        codes = dict(zip(joint, np.unravel_index(known, self._sizes(joint)), strict=True))
        cell = numbered(codes, names, self._sizes(names), known.size)
        summed = Tally(prod(self._sizes(names)), (2**40,))
        summed.add(cell, (counts,))
        found, (added,) = summed.occurring()
        return ExactTable(summed.cells, found, added)

    def asked(self, relation: Relation) -> tuple[ExactTable, ...]:
        """Let the engine count each table."""
        return tuple(_occurring(relation, question) for question in self.questions())


class MomentsDoor(Door[Moments]):
    """The sums of products of two features."""

    def questions(self) -> list[SumsQuestion]:
        """Return the sums of all products."""
        products = tuple(self.reading.products().values())
        return [SumsQuestion(self.schema, self.opened, (), products, self.reading.columns)]

    def start(self) -> None:
        """Begin with sums of 0."""
        sizes = {name: kind.size for name, kind in self.columns}
        self._products = Products(self.reading.features, sizes)

    def add(self, block: Block, rows: int) -> None:
        """Add the products of each record."""
        self._products.add(block, rows)

    def answer(self) -> Integers:
        """Return the matrix of sums of products."""
        return limited(self._products.sums())

    def asked(self, relation: Relation) -> Integers:
        """Let the engine make the sums."""
        sums = summing.sums(relation, self.questions()[0])[0]
        size = len(self.reading.features)
        matrix = np.zeros((size, size), np.int64)
        for (row, column), total in zip(self.reading.products(), sums, strict=True):
            matrix[row, column] = matrix[column, row] = total
        return matrix


class RecordsDoor(Door[Records]):
    """The codes of every record."""

    def check(self) -> None:
        """Refuse to read no column."""
        super().check()
        if not self.reading.columns:
            raise TableError("there is no column to read", where="columns")

    def questions(self) -> list[SumsQuestion]:
        """Return one that reads the columns and sums nothing."""
        return [SumsQuestion(self.schema, self.opened, (), (), self.reading.columns)]

    def start(self) -> None:
        """Begin without a record."""
        self._blocks: list[Block] = []

    def add(self, block: Block, rows: int) -> None:
        """Keep the codes of a block."""
        self._blocks.append({name: block[name].copy() for name in self.reading.columns})

    def answer(self) -> ExactRecords:
        """Return the records in the order of their codes, which does not depend on how they were stored."""
        names = self.reading.columns
        kind = np.min_scalar_type(-max(self._sizes(names)))
        columns = [
            np.concatenate([np.zeros(0, kind), *(block[name].astype(kind) for block in self._blocks)])
            for name in names
        ]
        self._blocks = []
        order = np.lexsort(columns[::-1])
        return ExactRecords(np.stack([column[order] for column in columns], axis=1))

    def asked(self, relation: Relation) -> ExactRecords:
        """Take the codes of the rows out of the engine, which cannot do more."""
        records: ExactRecords = self.alone(relation)
        return records


#: how a reading of each kind is answered
_DOORS: dict[type[Reading], type[Door[Any]]] = {
    Sums: SumsDoor,
    Margins: MarginsDoor,
    Moments: MomentsDoor,
    Records: RecordsDoor,
}


def door(reading: Reading, schema: Schema, opened: tuple[str, ...]) -> Door[Any]:
    """Return how a reading is answered."""
    return _DOORS[type(reading)](reading, schema, opened)


def answers(relation: Relation, doors: Sequence[Door[Any]]) -> list[Any]:
    """Answer readings in one pass over the rows, or each in the engine of somebody else."""
    if not relation.exact:
        return [one.asked(relation) for one in doors]
    if len(doors) == 1:
        return [doors[0].alone(relation)]
    if doors[0].schema.unit.column is not None:  # each takes some rows of a person, by codes of its own
        kept = relation.kept()
        return [one.alone(kept) for one in doors]
    return collected(relation, doors)


def collected(relation: Relation, doors: Sequence[Door[Any]]) -> list[Any]:
    """Answer readings by blocks of codes, in one pass."""
    schema, opened = doors[0].schema, doors[0].opened
    columns = dict.fromkeys(name for one in doors for name in one.reading.columns) or opened[:1]
    for one in doors:
        one.start()
    for block in coded.blocks(relation, SumsQuestion(schema, opened, (), (), tuple(columns))):
        for one in doors:
            counted = coded.good(block, one.columns)
            one.add(counted, len(next(iter(counted.values()))))
    return [one.answer() for one in doors]


def _occurring(relation: Relation, question: SumsQuestion) -> ExactTable:
    answer = relation.run(summing.totals(relation, question))
    order = np.argsort(answer[summing.CELL])
    return ExactTable(question.cells, answer[summing.CELL][order], answer[summing.total(0)][order])
