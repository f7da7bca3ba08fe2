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
from privior.models import ExactTable, Model, Reading
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Neighbours
from privior.schema import Schema
from privior.testing.points import hold

#: records with all combinations of codes are listed up to so many
_MOST_LISTED = 100_000


def statistics(model: Model, schema: Schema, neighbours: Neighbours, codes: Integers) -> Integers:
    """Return the statistics of records, given as codes of the model's columns."""
    columns = {name: codes[:, place] for place, name in enumerate(model.columns)}
    answers = [_answer(reading, schema, columns) for reading in model.readings(schema, neighbours)]
    return np.concatenate([np.ravel(one) for one in model.counted(answers)])


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


def _cells(names: tuple[str, ...], schema: Schema, columns: dict[str, Integers]) -> tuple[int, Integers]:
    """Return how many cells some columns make, and that of each record."""
    sizes = tuple(schema.column(name).size for name in names)
    if not sizes:
        return 1, np.zeros(len(next(iter(columns.values()))), dtype=np.int64)
    return math.prod(sizes), np.ravel_multi_index(tuple(columns[name] for name in names), sizes)


def neighbouring(
    model: Model, schema: Schema, records: int, neighbours: Neighbours
) -> Iterator[tuple[Integers, Integers]]:
    """Yield the statistics of tables that differ in one record: those that are farthest apart first."""
    every = codes(model, schema)
    one_each = [statistics(model, schema, neighbours, one[np.newaxis]) for one in every[:: _step(len(every))]]
    base = sum((one_each[place % len(one_each)] for place in range(records - 1)), start=0 * one_each[0])
    if neighbours is REPLACE_ONE:
        moves = [(base + one, base + other) for one, other in product(one_each, repeat=2) if one is not other]
    else:
        moves = [(base, base + one) for one in one_each]
    yield from sorted(moves, key=lambda pair: -int(np.abs(pair[1] - pair[0]).sum()))


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
    found = []
    for relation in (REPLACE_ONE, ADD_OR_REMOVE_ONE):
        try:
            model.sensitivity(schema, relation)
        except PriviorError:
            continue
        found.append(relation)
    hold(len(found) > 0, "sensitivity", "it fits no neighbour relation")
    return found
