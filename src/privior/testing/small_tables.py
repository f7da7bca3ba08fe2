"""Small tables: all records that a schema allows, and tables that differ in one of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import singledispatch
from itertools import product

import numpy as np

from privior import models
from privior.arrays import Integers
from privior.errors import PriviorError
from privior.models import ExactRecords, ExactStatistics, ExactTable, Model, Reading
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
from privior.schema import Schema
from privior.testing.points import hold

Sums = Integers
Exact = ExactStatistics | ExactRecords

#: records with all combinations of codes are listed up to so many
_MOST_LISTED = 100_000


def statistics(model: Model, schema: Schema, neighbours: Neighbours, codes: Sums) -> Sums:
    """Return the statistics of records, given as codes of the model's columns."""
    columns = {name: codes[:, place] for place, name in enumerate(model.columns)}
    answers = [_answer(reading, schema, columns) for reading in model.readings(schema, neighbours)]
    return np.concatenate([np.ravel(one) for one in model.counted(answers)])


def exact(model: Model, schema: Schema, neighbours: Neighbours, codes: Sums) -> Exact:
    """Return what mechanisms are given of records, given as codes of the model's columns."""
    columns = {name: codes[:, place] for place, name in enumerate(model.columns)}
    answers = [_answer(reading, schema, columns) for reading in model.readings(schema, neighbours)]
    return model.exact(model.counted(answers))


@singledispatch
def _answer(reading: Reading, schema: Schema, columns: dict[str, Sums]) -> object:
    """Answer a reading, of the kinds that statistics are made of."""
    raise TypeError(f"statistics are not made of {type(reading).__name__}")


@_answer.register
def _(reading: models.Sums, schema: Schema, columns: dict[str, Sums]) -> Sums:
    size, cells = _cells(reading.by, schema, columns)
    found = np.zeros((size, len(reading.summands)), dtype=np.int64)
    for place, summand in enumerate(reading.summands):
        np.add.at(found[:, place], cells, summand.of(columns) if summand.factors else 1)
    return found


@_answer.register
def _(reading: models.Margins, schema: Schema, columns: dict[str, Sums]) -> tuple[ExactTable, ...]:
    tables = []
    for names in reading.tables:
        size, cells = _cells(names, schema, columns)
        tables.append(ExactTable(size, *np.unique(cells, return_counts=True)))
    return tuple(tables)


@_answer.register
def _(reading: models.Moments, schema: Schema, columns: dict[str, Sums]) -> Sums:
    each = np.stack([feature.of(columns) for feature in reading.features])
    found: Sums = each @ each.T
    return found


@_answer.register
def _(reading: models.Records, schema: Schema, columns: dict[str, Sums]) -> ExactRecords:
    return ExactRecords(np.stack([columns[name] for name in reading.columns], axis=1))


@singledispatch
def moved(before: Exact, after: Exact) -> Sums:
    """Return how far each number is from that of other data."""
    raise TypeError(f"not statistics: {type(before).__name__}")


@moved.register
def _(before: ExactStatistics, after: ExactStatistics) -> Sums:
    return np.asarray(np.abs(after.counts - before.counts))


@moved.register
def _(before: ExactRecords, after: ExactRecords) -> Sums:
    each = np.concatenate([before.codes, after.codes])
    _, kinds = np.unique(each, axis=0, return_inverse=True)
    sizes = [np.bincount(one, minlength=kinds.max() + 1) for one in np.split(kinds, [before.total])]
    return np.asarray(np.abs(sizes[1] - sizes[0]))


def _cells(names: tuple[str, ...], schema: Schema, columns: dict[str, Sums]) -> tuple[int, Sums]:
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


def codes(model: Model, schema: Schema) -> Sums:
    """Return all records of the model's columns, as codes, one a row."""
    sizes = [schema.column(name).size for name in model.columns]
    hold(math.prod(sizes) <= _MOST_LISTED, "schema", "it has too many levels to be listed here")
    return np.array(list(product(*map(range, sizes))), dtype=np.int64)


def relations(model: Model, schema: Schema) -> list[Neighbours]:
    """Return the neighbour relations under which a model can be used with a schema."""
    found = []
    for relation in (REPLACE_ONE, ADD_OR_REMOVE_ONE):
        try:
            model.sensitivity(schema, relation)
        except PriviorError:
            continue
        found.append(relation)
    hold(len(found) > 0, "sensitivity", "it fits no neighbour relation")
    return found
