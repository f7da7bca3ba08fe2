"""Kinds of cells: every cell of every type has exactly one, and bad ones are those that count as missing."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from nasty_cells import COLUMNS, HEIGHT, columns

import privior as pv
from privior.errors import TableError
from privior.models.readings import Margins, Records, Sums
from privior.models.summands import ONE
from privior.schema import DROP, CellKinds, Column
from privior.tables import open_table

CELLS = columns()


def dropping(column: Column) -> Column:
    if isinstance(column, pv.Integer):
        return replace(column, missing=DROP)
    if isinstance(column, pv.Bounded):
        return pv.Bounded(column.lower, column.upper, grid=column.grid, missing=DROP)
    if isinstance(column, pv.Binned):
        return pv.Binned(column.edges, missing=DROP)
    if isinstance(column, pv.Date):
        return pv.Date(column.lower, column.upper, missing=DROP)
    if isinstance(column, pv.Categorical):
        return pv.Categorical(column.levels, missing=DROP)
    return pv.Boolean(missing=DROP)


@pytest.mark.parametrize("kind", COLUMNS)
def test_a_cell_is_bad_exactly_if_its_kind_says_so(kind: str) -> None:
    """Whatever is missing, unknown or unparseable is what a rule would drop; the rest has a code."""
    column, given = dropping(COLUMNS[kind]), {}
    for name, cells in CELLS.items():
        try:
            open_table(pa.table({"v": cells}), _schema({"v": column}), ("v",))
            given[name] = cells
        except TableError:
            continue
    schema = _schema(dict.fromkeys(given, column))
    table = pa.table(given)
    kinds = open_table(table, schema.of_cells(), tuple(given), ())
    (margins,) = kinds.read(Margins(tuple((name,) for name in given)))
    codes = open_table(table, schema, tuple(given), ()).read(*(Records((name,)) for name in given))
    assert len(given) > 5
    for name, margin, coded in zip(given, margins, codes, strict=True):
        found = dict(zip(schema.of_cells().column(name).labels, margin.dense().tolist(), strict=True))
        assert sum(found.values()) == HEIGHT, name
        assert found["valid"] + found.get("out of range", 0) == len(coded.codes), name
        assert found["missing"] >= given[name].null_count, name


def test_numbers_and_days_outside_are_out_of_range() -> None:
    cells = {
        "number": ["1", "3", "3.1", "-1", "x", "", None, "inf"],
        "day": ["2026-01-01", "2026-12-31", "2027-01-01", "2025-12-31", "x", "", None, "2026-02-30"],
    }
    schema = _schema({"number": pv.Integer(1, 3), "day": pv.Date("2026-01-01", "2026-12-31")}).of_cells()
    opened = open_table(pa.table(cells), schema, ("number", "day"), ())
    assert opened.sums(("number",), (ONE,))[:, 0].tolist() == [2, 2, 1, 3]
    assert opened.read(Sums(("day",), (ONE,)))[0][:, 0].tolist() == [2, 2, 2, 2]


def test_kinds_are_written_and_read_and_are_not_of_kinds() -> None:
    schema = _schema(COLUMNS).of_cells()
    assert pv.Schema.from_document(schema.to_document()) == schema
    assert schema.of_cells() == schema
    inner = CellKinds(pv.Boolean())
    with pytest.raises(pv.SchemaError):
        CellKinds(inner)
    document = schema.to_document()
    nested = document["columns"]["boolean"]  # type: ignore[index]
    document["columns"]["boolean"] = {**nested, "of": nested}  # type: ignore[index]
    with pytest.raises(pv.SchemaError, match="kinds of kinds"):
        pv.Schema.from_document(document)


def _schema(named: dict[str, Column]) -> pv.Schema:
    return pv.Schema(named, population="p", unit="row")
