"""Small tables: all records that a schema allows, and tables that differ in one of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from functools import singledispatch
from itertools import product
from typing import Any

import numpy as np

from privior import models
from privior.arrays import Integers
from privior.errors import PriviorError
from privior.models import ExactRecords, ExactStatistics, ExactTable, Model, Reading
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
from privior.schema import Bounded, Categorical, Column, Integer, Schema
from privior.testing.points import hold

Exact = ExactStatistics | ExactRecords

#: records with all combinations of codes are listed up to so many
_MOST_LISTED = 100_000


def statistics(model: Model, schema: Schema, neighbours: Neighbours, codes: Integers) -> Integers:
    """Return the statistics of records, given as codes of the model's columns."""
    columns = {name: codes[:, place] for place, name in enumerate(model.columns)}
    answers = [_answer(reading, schema, columns) for reading in model.readings(schema, neighbours)]
    return np.concatenate([np.ravel(one) for one in model.counted(answers)])


def exact(model: Model, schema: Schema, neighbours: Neighbours, codes: Integers) -> Exact:
    """Return what mechanisms are given of records, given as codes of the model's columns."""
    columns = {name: codes[:, place] for place, name in enumerate(model.columns)}
    answers = [_answer(reading, schema, columns) for reading in model.readings(schema, neighbours)]
    return model.exact(model.counted(answers))


@singledispatch
def _answer(reading: Reading, schema: Schema, columns: dict[str, Integers]) -> object:
    """Answer a reading, of the kinds that statistics are made of."""
    raise TypeError(f"statistics are not made of {type(reading).__name__}")


@_answer.register
def _(reading: models.Sums, schema: Schema, columns: dict[str, Integers]) -> Integers:
    size, cells = _cells(reading.by, schema, columns)
    found = np.zeros((size, len(reading.summands)), dtype=np.int64)
    for place, summand in enumerate(reading.summands):
        np.add.at(found[:, place], cells, summand.of(columns) if summand.factors else 1)
    return found


@_answer.register
def _(reading: models.Margins, schema: Schema, columns: dict[str, Integers]) -> tuple[ExactTable, ...]:
    tables = []
    for names in reading.tables:
        size, cells = _cells(names, schema, columns)
        tables.append(ExactTable(size, *np.unique(cells, return_counts=True)))
    return tuple(tables)


@_answer.register
def _(reading: models.Moments, schema: Schema, columns: dict[str, Integers]) -> Integers:
    each = np.stack([feature.of(columns) for feature in reading.features])
    found: Integers = each @ each.T
    return found


@_answer.register
def _(reading: models.Records, schema: Schema, columns: dict[str, Integers]) -> ExactRecords:
    return ExactRecords(np.stack([columns[name] for name in reading.columns], axis=1))


@singledispatch
def moved(before: Exact, after: Exact) -> Integers:
    """Return how far each number is from that of other data."""
    raise TypeError(f"not statistics: {type(before).__name__}")


@moved.register
def _(before: ExactStatistics, after: ExactStatistics) -> Integers:
    return np.asarray(np.abs(after.counts - before.counts))


@moved.register
def _(before: ExactRecords, after: ExactRecords) -> Integers:
    each = np.concatenate([before.codes, after.codes])
    _, kinds = np.unique(each, axis=0, return_inverse=True)
    sizes = [np.bincount(one, minlength=kinds.max() + 1) for one in np.split(kinds, [before.total])]
    return np.asarray(np.abs(sizes[1] - sizes[0]))


def _cells(names: tuple[str, ...], schema: Schema, columns: dict[str, Integers]) -> tuple[int, Integers]:
    """Return how many cells some columns make, and that of each record."""
    sizes = tuple(schema.column(name).size for name in names)
    if not sizes:
        return 1, np.zeros(len(next(iter(columns.values()))), dtype=np.int64)
    return math.prod(sizes), np.ravel_multi_index(tuple(columns[name] for name in names), sizes)


def neighbouring(
    model: Model, schema: Schema, records: int, neighbours: Neighbours
) -> Iterator[tuple[Exact, Exact]]:
    """Yield the statistics of tables that differ in one record: those that are farthest apart first."""
    every = codes(model, schema)
    some = every[:: _step(len(every))]
    base = some[np.arange(records - 1) % len(some)]
    tables = [exact(model, schema, neighbours, np.vstack([base, one])) for one in some]
    if neighbours is REPLACE_ONE:
        moves = [(one, other) for one, other in product(tables, repeat=2) if one is not other]
    else:
        without = exact(model, schema, neighbours, base)
        moves = [(without, one) for one in tables]
    yield from sorted(moves, key=lambda pair: -int(moved(*pair).sum()))


def _step(codes: int) -> int:
    """Return which of so many records to take, so that about forty are left, the first among them."""
    return max(1, (codes - 1) // 40)


def codes(model: Model, schema: Schema) -> Integers:
    """Return all records of the model's columns, as codes, one a row."""
    sizes = [schema.column(name).size for name in model.columns]
    hold(math.prod(sizes) <= _MOST_LISTED, "schema", "it has too many levels to be listed here")
    return np.array(list(product(*map(range, sizes))), dtype=np.int64)


def relations(model: Model, schema: Schema) -> list[Neighbours]:
    """Return the neighbour relations under which a model can be used with a schema."""
    found = [relation for relation in (REPLACE_ONE, ADD_OR_REMOVE_ONE) if _fits(model, schema, relation)]
    hold(len(found) > 0, "sensitivity", "it fits no neighbour relation")
    return found


def _fits(model: Model, schema: Schema, relation: Neighbours) -> bool:
    try:
        model.sensitivity(schema, relation)
    except PriviorError:
        return False
    return True


def other_schemas(model: Model, schema: Schema, relation: Neighbours) -> Iterator[tuple[str, Schema]]:
    """Yield schemas of other columns or units that the model can be used with, and what is other."""
    facts: dict[str, Any] = {"population": schema.population, "csv": schema.csv}
    found = []
    for name in model.columns:
        if (wider := _wider(schema.column(name))) is not None:
            columns = {**schema.columns, name: wider}
            found.append((f"another size of {name}", Schema(columns, unit=schema.unit, **facts)))
    column = schema.unit.column or "unit of protection"
    unit = replace(schema.unit, column=column, max_rows=schema.unit.max_rows + 2)
    found.append(("more rows of a unit", Schema(schema.columns, unit=unit, **facts)))
    yield from (other for other in found if _fits(model, other[1], relation))


@singledispatch
def _wider(column: Column) -> Column | None:
    """Return a column of one more code, of the kinds that have such."""
    return None


@_wider.register
def _(column: Integer) -> Column:
    return Integer(column.lower, column.upper + 1)


@_wider.register
def _(column: Bounded) -> Column:
    return Bounded(column.lower, column.upper + column.grid, grid=column.grid)


@_wider.register
def _(column: Categorical) -> Column:
    return Categorical([*column.levels, "another level of the kit"])
