"""The light way of summing codes gives what each row alone gives: T03, T14, T15."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privior.models.summands import Factor, Summand
from privior.schema import Bounded, Column, Integer, Schema
from privior.tables import open_table, summing

BIG = 2**63 - 1
FAR = [
    math.inf,
    -math.inf,
    math.nan,
    -math.nan,
    None,
    1e308,
    -1e308,
    2.0**50,
    2.0**52 + 1,
    -(2.0**53),
    2.0**60,
    1e16,
]
WIDE = [BIG, -BIG - 1, None, BIG - 1, -BIG, 0, -1, 1]
SUM = (Summand((Factor("x"),)), Summand((Factor("x", 2, -7),)))


def schema(column: Column) -> Schema:
    return Schema({"x": column}, population="p", unit="row")


def floats(column: Bounded, number: int) -> list[float | None]:
    """Values about the bounds, on points, between them and far away, some of them many times."""
    low, high, grid = float(column.lower), float(column.upper), float(column.grid)
    reach = high - low
    some = [random.uniform(low - reach / 5, high + reach / 5) for _ in range(number)]
    halves = [low + grid * (random.randrange(-3, column.size + 3) + 0.5) for _ in range(number)]
    edges = [math.nextafter(end, way) for end in (low, high) for way in (-math.inf, math.inf)]
    return [*some, *halves, *edges, low, high, *FAR, *[low + 3 * grid] * number]


def code(value: float | None, column: Bounded) -> int:
    """Round one number: halves up, in the floats of the engine, and clamp before that."""
    if value is None or math.isnan(value):
        assert column.missing_code is not None
        return column.missing_code
    low, high, grid = float(column.lower), float(column.upper), float(column.grid)
    inside = min(max(value, low), high)
    return min(math.floor((inside - low) / grid + math.nextafter(0.5, 0)), column.size - 1)


@pytest.mark.parametrize(
    "column",
    [
        Bounded(0, 100, grid="0.1"),
        Bounded(1, 99, grid="0.1", missing=7),
        Bounded("-0.3", "0.7", grid="0.01", missing="0.7"),
        Bounded(-5, 5, grid="0.25"),
        Bounded(0, 999_999, grid=1),
        Bounded(1_000_000_000, 1_000_000_001, grid="0.001", missing=1_000_000_001),
    ],
    ids=str,
)
@pytest.mark.parametrize("times", [1, 30])
def test_floats_are_summed_as_one_by_one(column: Bounded, times: int, tmp_path: Path) -> None:
    values = floats(column, 400) * times
    random.shuffle(values)
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": pa.array(values, pa.float64(), from_pandas=False)}), path)
    total = sum(code(value, column) for value in values)
    table = open_table(path, schema(column), ("x",))
    assert table.sums((), SUM).tolist() == [[total, 2 * total - 7 * len(values)]]


@pytest.mark.parametrize(
    "column",
    [
        Integer(0, 9),
        Integer(-9, 4, missing=2),
        Integer(-9, 2**17, missing=2),
        Integer(5, 2**17),
        Integer(-(2**17), -4),
        Integer(-(2**17), 0),
    ],
    ids=str,
)
def test_whole_numbers_are_summed_as_one_by_one(column: Integer, tmp_path: Path) -> None:
    values = WIDE + [random.randrange(-20, 20) * random.choice([1, 2**13]) for _ in range(500)]
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": pa.array(values, pa.int64())}), path)
    assert column.missing_code is not None
    total = sum(
        column.missing_code if value is None else min(max(value, column.lower), column.upper) - column.lower
        for value in values
    )
    found = open_table(path, schema(column), ("x",)).sums((), SUM)
    assert found.tolist() == [[total, 2 * total - 7 * len(values)]]


def test_no_rows_have_no_sum(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"x": pa.array([], pa.float64())}), path)
    assert open_table(path, schema(Bounded(0, 1, grid="0.1")), ("x",)).sums((), SUM).tolist() == [[0, 0]]


def test_too_many_rows_for_floats_are_summed_as_integers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = Bounded(0, 1, grid="0.1", missing=1)
    path = tmp_path / "x.parquet"
    values = [0.1, None, 0.74, 5.0, -2.0]
    pq.write_table(pa.table({"x": pa.array(values, pa.float64())}), path)
    asked: list[bool] = []
    totals = summing.totals

    def counted(*given: object, quick: bool = False) -> object:
        asked.append(quick)
        return totals(*given, quick=quick)  # type: ignore[arg-type]

    monkeypatch.setattr(summing, "totals", counted)
    table = open_table(path, schema(column), ("x",))
    within = table.sums((), SUM).tolist()
    monkeypatch.setattr(summing, "MOST_ROWS", 4)
    assert table.sums((), SUM).tolist() == within == [[1 + 10 + 7 + 10, 2 * 28 - 35]]
    assert asked == [True, True, False]


def test_sums_of_whole_floats_are_exact_below_the_limit() -> None:
    """What the engine's own sum of floats is relied on for."""
    most = Fraction(2) ** 53
    with duckdb.connect() as connection:
        query = "SELECT sum(x) FROM (SELECT (hash(range) % 1048577)::DOUBLE AS x FROM range(1000000))"
        exact = "SELECT sum(x) FROM (SELECT (hash(range) % 1048577)::BIGINT AS x FROM range(1000000))"
        (floating,), (whole,) = connection.execute(query).fetchone(), connection.execute(exact).fetchone()
    assert floating == whole < most
