"""Each kind of column with each kind of bad cell: T14, T15, T17. No cell raises, each goes where it must."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_reference import code_of_text

from privior.errors import SchemaError
from privior.schema import DROP, Binned, Boolean, Bounded, Categorical, Column, Date, Integer, Schema
from privior.tables import codes, open_table

WORST = [
    "",
    "nan",
    "NaN",
    "inf",
    "-inf",
    "1e400",
    "-1e400",
    str(10**30),
    "-0.0",
    "0x1",
    "1e",
    "12O",
    "\0",
    "1\0",
]
WORST += [
    "\U0001f600",
    " 1 ",
    "1.0",
    "+1",
    ".5",
    "true",
    "TRUE",
    "No",
    "y",
    "2",
    "Oslo",
    "oslo",
    "Oslo ",
    "'",
    "\\",
]
WORST += [
    "2000-01-02",
    "2000-01-02T10:11:12",
    "2000-02-30",
    "1066-10-14",
    "9999-12-31",
    "02/01/2000",
    "NULL",
    "None",
]
COLUMNS: list[Column] = [
    Categorical(["Oslo", "Rome", "true", 1, "?"], missing="?"),
    Categorical(["Oslo", "Rome"], missing="Oslo"),
    Boolean(missing=True),
    Boolean(missing=False),
    Integer(-1, 5, missing=2),
    Bounded("-0.5", 1, grid="0.25", missing="0.25"),
    Binned([-1, 0, "0.1", 2, 30], missing=2),
    Binned([number / 8 for number in range(-400, 401)], missing=7),
    Date("2000-01-01", "2000-01-09", missing="2000-01-08"),
]


def schema_of(column: Column) -> Schema:
    return Schema({"v": column}, population="people", unit="person")


def counted(table: object, column: Column) -> list[int]:
    return [int(number) for number in open_table(table, schema_of(column), ("v",)).counts()]


def expected(cells: Sequence[str | None], column: Column) -> list[int]:
    counts = [0] * column.size
    for cell in cells:
        code = code_of_text(cell, column)
        place = column.missing_code if code is None else code
        if place is not None:
            counts[place] += 1
    return counts


def dropping(column: Column) -> Column:
    """Return the same column with a rule that leaves bad records out."""
    if isinstance(column, Categorical):
        return Categorical(column.levels, missing=DROP)
    if isinstance(column, Boolean):
        return Boolean(missing=DROP)
    if isinstance(column, Bounded):
        return Bounded(column.lower, column.upper, grid=column.grid, missing=DROP)
    if isinstance(column, Binned):
        return Binned(column.edges, missing=DROP)
    if isinstance(column, Integer):
        return Integer(column.lower, column.upper, missing=DROP)
    assert isinstance(column, Date)
    return Date(column.lower, column.upper, missing=DROP)


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: column.kind)
def test_the_worst_cells_as_text(column: Column, tmp_path: Path) -> None:
    cells = [*WORST, None]
    table = pa.table({"v": cells})
    pq.write_table(table, tmp_path / "t.parquet")
    lines = ["v,w", *(f"{cell if cell is not None else ''},1" for cell in cells)]
    (tmp_path / "t.csv").write_bytes("\n".join(lines).encode())
    for rule in (column, dropping(column)):
        wanted = expected(cells, rule)
        assert counted(table, rule) == wanted
        assert counted(tmp_path / "t.parquet", rule) == wanted
        assert counted(tmp_path / "t.csv", rule) == wanted
        assert counted(pd.DataFrame({"v": pd.Series(cells, dtype=object)}), rule) == wanted


@given(numbers=st.lists(st.floats(), min_size=1, max_size=30), column=st.sampled_from(COLUMNS[4:8]))
@settings(max_examples=25, deadline=None)
def test_any_float_as_a_number_and_as_text(numbers: list[float], column: Column) -> None:
    wanted = expected([repr(number) for number in numbers], column)
    assert counted(pa.table({"v": pa.array(numbers, pa.float64())}), column) == wanted
    assert counted(pa.table({"v": [repr(number) for number in numbers]}), column) == wanted


@given(numbers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=30))
@settings(max_examples=10, deadline=None)
def test_any_whole_number(numbers: list[int]) -> None:
    for column in COLUMNS[4:8]:
        assert counted(pa.table({"v": numbers}), column) == expected(
            [str(number) for number in numbers], column
        )


def test_edges_and_grid_points_fall_where_their_decimals_say() -> None:
    edges = [f"0.{number}" for number in range(10)] + ["1"]
    for kind in (pa.float64(), pa.float32(), pa.string(), pa.decimal128(5, 1)):
        numbers = (
            pa.array(edges[:-1]).cast(pa.float64()).cast(kind)
            if kind != pa.string()
            else pa.array(edges[:-1])
        )
        assert counted(pa.table({"v": numbers}), Binned(edges)) == [1] * 10
        assert counted(pa.table({"v": numbers}), Bounded(0, 1, grid="0.1")) == [1] * 10 + [0]
        many = Binned([*edges, *range(2, 200)])
        assert codes.is_looked_up(many)
        assert counted(pa.table({"v": numbers}), many) == [1] * 10 + [0] * 198


def test_halves_are_rounded_away_from_zero() -> None:
    numbers = pa.table({"v": [-1.5, -0.5, 0.49999999999999994, 0.5, 1.5, -0.0]})
    assert counted(numbers, Integer(-2, 2)) == [1, 1, 2, 1, 1]


def test_whole_floats_match_levels_that_are_whole_numbers() -> None:
    column = Categorical([0, "1", 2, "2.5", "?"], missing="?")
    numbers = [0.0, -0.0, 1.0, 2.0, 2.5, float("nan"), float("inf"), 1e300, None]
    for kind in (pa.float64(), pa.float32()):
        assert counted(pa.table({"v": pa.array(numbers[:7], kind)}), column) == [2, 1, 1, 1, 2]
    assert counted(pa.table({"v": pa.array(numbers)}), column) == [2, 1, 1, 1, 4]
    assert counted(pd.DataFrame({"v": pd.Series(numbers, dtype=object)}), column) == [2, 1, 1, 1, 4]
    assert counted(pa.table({"v": pa.array([0, 1, 2, 3], pa.uint8())}), column) == [1, 1, 1, 0, 1]


def test_truth_values_match_levels_however_the_schema_writes_them() -> None:
    table = pa.table({"v": [True, False, None, True]})
    spellings = (
        Categorical(["true", "false", "?"]),
        Categorical(["True", "False", "?"]),
        Categorical([True, False, "?"]),
    )
    for column in spellings:
        assert counted(table, column) == [2, 1, 1]
    assert counted(table, Boolean()) == [2, 2]
    assert counted(table, Integer(0, 1)) == [2, 2]


def test_numbers_are_truth_values_if_they_are_nought_or_one() -> None:
    for numbers in ([0, 1, 2, None], [0.0, 1.0, 0.5, float("nan")]):
        assert counted(pa.table({"v": numbers}), Boolean(missing=True)) == [1, 3]
        assert counted(pa.table({"v": numbers}), Boolean(missing=DROP)) == [1, 1]


EXTREMES = [2**63 - 1, -(2**63) + 1, 2**62, -(2**62), 10**15, None, 0]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "America/New_York"])
def test_no_moment_stops_the_engine(unit: str, zone: str | None, tmp_path: Path) -> None:
    moments = pa.array(EXTREMES, pa.int64()).view(pa.timestamp(unit, zone))
    sources: list[object] = [pa.table({"v": moments})]
    if unit != "s":  # which Parquet does not have
        pq.write_table(sources[0], tmp_path / "t.parquet")
        sources.append(tmp_path / "t.parquet")
    for source in sources:
        counts = counted(source, Date("1970-01-01", "1970-01-03", missing="1970-01-02"))
        assert counts[1] == 1
        assert sum(counts) == len(EXTREMES)
        texts = counted(source, Categorical(["1970-01-01 00:00:00", "?"]))
        assert texts == [1, len(EXTREMES) - 1]


def test_no_day_stops_the_engine(tmp_path: Path) -> None:
    days = pa.array([2**31 - 1, -(2**31), 0, None], pa.int32()).view(pa.date32())
    late = pa.array([2**62 // 86_400_000 * 86_400_000, -86_400_000_000, 0, None], pa.int64()).view(
        pa.date64()
    )
    pq.write_table(pa.table({"v": days}), tmp_path / "t.parquet")
    for source in (pa.table({"v": days}), pa.table({"v": late}), tmp_path / "t.parquet"):
        assert counted(source, Date("1970-01-01", "1970-01-03", missing="1970-01-02")) == [2, 1, 1]
    assert counted(pa.table({"v": [date(1970, 1, 1)]}), Categorical(["1970-01-01", "?"])) == [1, 0]


def test_bytes_that_are_no_text_are_a_bad_cell_and_no_error(tmp_path: Path) -> None:
    content = b"Oslo" + b"a\xff\xfe" + b"Rome"
    cells = pa.Array.from_buffers(
        pa.string(), 3, [None, pa.py_buffer(np.array([0, 4, 7, 11], np.int32)), pa.py_buffer(content)]
    )
    binary = pa.table({"v": [b"Oslo", b"a\xff\xfe", b"Rome"]})
    pq.write_table(pa.table({"v": cells}), tmp_path / "text.parquet")
    pq.write_table(binary, tmp_path / "binary.parquet")
    for source in (pa.table({"v": cells}), binary, tmp_path / "text.parquet", tmp_path / "binary.parquet"):
        assert counted(source, Categorical(["Oslo", "Rome", "?"])) == [1, 1, 1]


def test_levels_that_no_text_can_hold_are_refused() -> None:
    with pytest.raises(SchemaError, match=r"U\+D800"):
        Categorical(["a", "\ud800", "?"])
