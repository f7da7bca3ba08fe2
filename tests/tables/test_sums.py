"""Sums of what records add, in cells or over all: exact, row by row, from every kind of table.

T03, T14, T15, T21, T44: what is added is a whole number that one record alone decides, by the codes that are
counted elsewhere; no order, no neighbour and no bad cell changes it.
"""

from __future__ import annotations

import math
import random
import warnings
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from row_reference import Counts, cells_of_line, code_of_text

from privior.errors import TableError
from privior.models.readings import Sums
from privior.models.summands import ONE, Factor, Summand
from privior.schema import (
    DROP,
    Binned,
    Boolean,
    Bounded,
    Categorical,
    Column,
    CsvDialect,
    Date,
    Integer,
    Schema,
    Unit,
)
from privior.tables import open_table

Text = str | None
BIG = 2**63 - 1
FLOATS: list[float | None] = [
    0.0,
    -0.0,
    0.5,
    1.5,
    2.5,
    -0.5,
    -1.5,
    0.49999999999999994,
    0.25,
    0.125,
    0.375,
    1e308,
    -1e308,
]
FLOATS += [math.inf, -math.inf, math.nan, None, 5e-324, 3.9999999999999996, 2.0**53, 4.0, 0.1 + 0.2]
TYPED: dict[str, pa.Array] = {
    "float64": pa.array(FLOATS, pa.float64(), from_pandas=False),
    "float32": pa.array([0.5, -0.0, 0.1, 1.5, math.nan, math.inf, -math.inf, 3e38, None], pa.float32()),
    "int64": pa.array([BIG, -BIG - 1, 0, 1, 2, 3, -7, 5, 6, None], pa.int64()),
    "int8": pa.array([127, -128, 0, 1, 4, None], pa.int8()),
    "uint64": pa.array([2**64 - 1, 0, 3, BIG, None], pa.uint64()),
    "decimal": pa.array([Decimal("0.5"), Decimal("1.49"), Decimal("-999999.99"), None], pa.decimal128(12, 2)),
    "bool": pa.array([True, False, None], pa.bool_()),
    "text": pa.array(
        ["1", " 2 ", "1e400", "-1e400", "nan", "inf", "x", "", "\0", "true", "0.5", "2.5", None]
    ),
    "date": pa.array([date(2000, 1, 2), date(1, 1, 1), date(9999, 12, 31), None], pa.date32()),
    "moment": pa.array([datetime(2000, 1, 2, 23, 59), datetime(1970, 1, 1), None], pa.timestamp("us")),
}
NUMERIC: list[Column] = [
    Integer(-1, 5, missing=2),
    Integer(2**52, 2**52 + 9, missing=2**52 + 4),
    Bounded("-0.5", 3, grid="0.25", missing="0.25"),
    Bounded(0, 4, grid=1, missing=3),
    Bounded(10**15, 10**15 + 1, grid="0.001"),  # floats are too rough for this grid
    Binned([-1, 0, "0.1", 2, 30], missing=2),
    Binned([number / 8 for number in range(-400, 401)], missing=7),
    Boolean(missing=True),
]
CASES = [(kind, column) for kind in TYPED for column in NUMERIC if kind not in ("date", "moment")]
CASES += [
    (kind, Date("2000-01-01", "2000-01-09", missing="2000-01-08")) for kind in ("date", "moment", "text")
]


def schema_of(columns: dict[str, Column], unit: Unit | str = "person") -> Schema:
    return Schema(columns, population="people", unit=unit)


def written(cell: object, kind: str) -> Text:
    """Write a typed cell as the text that stands for it."""
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, (date, datetime)):
        return cell.isoformat()
    return str(np.float32(str(cell))) if kind == "float32" else str(cell)


def ruled(cell: Text, column: Column) -> int | None:
    code = code_of_text(cell, column)
    return column.missing_code if code is None else code


def added(
    rows: Sequence[Sequence[Text]], schema: Schema, by: tuple[str, ...], summands: tuple[Summand, ...]
) -> Counts:
    """Add up row by row, in Python's own integers: what the engine must find."""
    names = tuple(schema.columns)
    asked = {*by, *(name for summand in summands for name in summand.columns)}
    total = [[0] * len(summands) for _ in range(schema.cells(by))]
    for row in rows:
        codes = {name: ruled(cell, schema.column(name)) for name, cell in zip(names, row, strict=True)}
        if any(codes[name] is None for name in asked):
            continue
        cell = 0
        for name in by:
            cell = cell * schema.column(name).size + int(codes[name] or 0)
        for place, summand in enumerate(summands):
            product = 1
            for factor in summand.factors:
                value = factor.slope * int(codes[factor.column] or 0) + factor.shift
                product *= abs(value) if factor.absolute else value
            total[cell][place] += product
    return np.array(total, np.int64)


def of_one(name: str) -> tuple[Summand, ...]:
    """Return summands of every form in one column."""
    return (
        ONE,
        Summand((Factor(name),)),
        Summand((Factor(name, -3, 7),)),
        Summand((Factor(name, 2, -5, absolute=True),)),
        Summand((Factor(name), Factor(name, 2, -5))),
    )


@pytest.mark.parametrize(("kind", "column"), CASES, ids=lambda value: getattr(value, "kind", value))
def test_any_cell_adds_what_its_code_says(kind: str, column: Column) -> None:
    schema = schema_of({"v": column})
    cells = TYPED[kind]
    opened = open_table(pa.table({"v": cells}), schema, ("v",))
    found = opened.sums((), of_one("v"))
    codes = {"v": np.arange(column.size, dtype=np.int64)}
    counts = opened.counts()
    assert found[0].tolist() == [int((counts * summand.of(codes)).sum()) for summand in of_one("v")]
    if not isinstance(column, Boolean):  # which reads texts, not numbers
        rows = [[written(cell, kind)] for cell in cells.to_pylist()]
        assert found.tolist() == added(rows, schema, (), of_one("v")).tolist()


@pytest.mark.parametrize("column", [Integer(-1, 5, missing=DROP), Bounded(0, 4, grid=1, missing=DROP)])
@pytest.mark.parametrize("kind", ["float64", "int64", "text"])
def test_a_record_that_is_dropped_adds_nothing(kind: str, column: Column) -> None:
    schema = schema_of({"v": column})
    rows = [[written(cell, kind)] for cell in TYPED[kind].to_pylist()]
    found = open_table(pa.table({"v": TYPED[kind]}), schema, ("v",)).sums((), of_one("v"))
    assert found.tolist() == added(rows, schema, (), of_one("v")).tolist()
    assert 0 < found[0, 0] < len(rows)


COLUMNS: dict[str, Column] = {
    "city": Categorical(["Oslo", "Rome", "Ulm"], missing="Ulm"),
    "member": Boolean(missing=DROP),
    "age": Integer(-2, 5, missing=3),
    "weight": Bounded(0, 2, grid="0.5"),
    "height": Bounded(0, 2, grid="0.5", missing=DROP),
    "income": Binned([0, 10, 20, 40]),
}
NAMES = tuple(COLUMNS)
SCHEMA = schema_of(COLUMNS)
SUMMANDS = (
    ONE,
    Summand((Factor("age"),)),
    Summand((Factor("age", 2, -7), Factor("weight"))),
    Summand((Factor("member"), Factor("weight", 3, -1, absolute=True))),
    Summand((Factor("city", 1_000_000_000, 5), Factor("income", -2, 1), Factor("height"))),
)
BYS: list[tuple[str, ...]] = [(), ("city",), ("age", "city"), ("member", "income"), ("weight",)]


def some_rows(number: int = 60, seed: int = 1) -> list[list[Text]]:
    choose = random.Random(seed)

    def row() -> list[Text]:
        cells: list[Text] = [
            choose.choice(["Oslo", "Rome", "Ulm", "Bonn"]),
            choose.choice(["true", "false"]),
            str(choose.randrange(-4, 9)),
            repr(choose.choice([-1.0, 0.2, 0.25, 0.3, 1.75, 9.5])),
            repr(choose.choice([0.0, 0.75, 1.25, 7.0])),
            repr(choose.uniform(-5, 50)),
        ]
        return [None if choose.random() < 0.1 else cell for cell in cells]

    return [row() for _ in range(number)]


def typed(rows: list[list[Text]]) -> pa.Table:
    reads: list[tuple[pa.DataType, Callable[[str], object]]] = [
        (pa.string(), str),
        (pa.bool_(), "true".__eq__),
        (pa.int32(), int),
        *[(pa.float64(), float)] * 3,
    ]
    return pa.table(
        {
            name: pa.array([None if row[place] is None else read(str(row[place])) for row in rows], kind)
            for place, (name, (kind, read)) in enumerate(zip(NAMES, reads, strict=True))
        }
    )


def sources(rows: list[list[Text]], folder: Path) -> dict[str, object]:
    table = typed(rows)
    csv = folder / "rows.csv"
    csv.write_text(
        "\n".join([",".join(NAMES), *(",".join(cell or "" for cell in row) for row in rows)]) + "\n"
    )
    pq.write_table(table, folder / "rows.parquet")
    return {
        "csv": csv,
        "parquet": folder / "rows.parquet",
        "arrow": table,
        "pandas": table.to_pandas(),
        "polars": pl.from_arrow(table),
        "ibis": ibis.memtable(table).select(table.column_names),
        "database": in_database(table, "FROM arrived"),
    }


def in_database(table: pa.Table, query: str) -> object:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        backend = ibis.duckdb.connect()
        backend.con.register("arrived", table)
        backend.con.execute(f"CREATE TABLE people AS {query}")
        return backend.table("people")


@pytest.mark.parametrize("by", BYS, ids=lambda by: "-".join(by) or "all")
def test_every_source_gives_the_sums_of_a_reader_row_by_row(by: tuple[str, ...], tmp_path: Path) -> None:
    rows = some_rows()
    expected = added(rows, SCHEMA, by, SUMMANDS)
    assert expected.any()
    for name, source in sources(rows, tmp_path).items():
        found = open_table(source, SCHEMA, NAMES).sums(by, SUMMANDS)
        assert found.dtype == np.int64, name
        assert found.tolist() == expected.tolist(), name


def test_a_database_that_takes_spellings_for_equal_still_sums_row_by_row() -> None:
    schema = schema_of({"city": Categorical(["Oslo", "oslo", "Rome", "?"]), "age": Integer(0, 99)})
    table = pa.table({"city": ["oslo", "OSLO", "Oslo", "rome", "Rome"], "age": [1, 2, 4, 8, 16]})
    summands = (Summand((Factor("age"),)), Summand((Factor("age"), Factor("city", 3, 1))))

    def summed(rows: pa.Table, by: tuple[str, ...]) -> Counts:
        people = in_database(rows, "SELECT city COLLATE NOCASE AS city, age FROM arrived")
        return open_table(people, schema, ("city", "age")).sums(by, summands)

    for by in ((), ("city",)):
        alone = np.array([summed(table.slice(place, 1), by) for place in range(5)])
        assert alone[:, :, 0].sum(axis=1).tolist() == [1, 2, 4, 8, 16]
        assert summed(table, by).tolist() == alone.sum(axis=0).tolist()


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    rows = some_rows()
    expected = open_table(typed(rows), SCHEMA, NAMES).sums(("city",), SUMMANDS)
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        assert (open_table(typed(rows), SCHEMA, NAMES).sums(("city",), SUMMANDS) == expected).all()


def test_without_rows_every_sum_is_zero(tmp_path: Path) -> None:
    for name, source in sources([], tmp_path).items():
        opened = open_table(source, SCHEMA, NAMES)
        assert opened.sums((), SUMMANDS).tolist() == [[0] * len(SUMMANDS)], name
        assert opened.sums(("city",), SUMMANDS).tolist() == [[0] * len(SUMMANDS)] * 3, name


def test_counts_are_the_sums_of_one() -> None:
    opened = open_table(typed(some_rows()), SCHEMA, ("city", "member", "age"))
    assert opened.sums(("city", "member", "age"), (ONE,))[:, 0].tolist() == opened.counts().tolist()
    only = open_table(typed(some_rows()), SCHEMA, ("age",))
    assert only.sums((), (ONE,)).tolist() == [[60]]
    assert only.sums((), ()).shape == (1, 0)


def test_large_sums_are_exact() -> None:
    schema = schema_of({"v": Integer(0, 999_999), "w": Bounded(0, 999_999, grid=1)})
    table = pa.table({"v": pa.array([999_999] * 4000, pa.int64()), "w": pa.array([999_999.0] * 4000)})
    cube = Summand((Factor("v"), Factor("v"), Factor("w", -1)))
    found = open_table(table, schema, ("v", "w"), by=()).sums((), (cube, Summand((Factor("w"),))))
    assert found.tolist() == [[max(-4000 * 999_999**3, -(2**62)), 4000 * 999_999]]
    some = open_table(table.slice(0, 4), schema, ("v", "w"), by=()).sums((), (cube,))
    assert some.tolist() == [[-4 * 999_999**3]]


PIECES = [b'"', b'""', b",", b"\r", b"\0", b"\xff", b"Oslo", b"1", b"2.5", b"nan", b"1e400", b" ", b"'"]
ANY_LINE = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=8).map(
    lambda pieces: b"".join(pieces).replace(b"\n", b"")
)
LINES = st.lists(
    st.one_of(st.sampled_from([b"Oslo,1,0.5", b'"Rome",2,1.5', b"Oslo,0,0", b"Rome,nan,-inf"]), ANY_LINE),
    min_size=1,
    max_size=6,
)
LINED = schema_of(
    {"city": Categorical(["Oslo", "Rome"]), "age": Integer(0, 3), "score": Bounded(-1, 2, grid="0.5")}
)
LINE_SUMMANDS = (
    ONE,
    Summand((Factor("age", 2, -3),)),
    Summand((Factor("age"), Factor("score", 2, -5), Factor("city"))),
)


def sums_of_lines(lines: list[bytes], by: tuple[str, ...], path: Path) -> Counts:
    path.write_bytes(b"\n".join([b"city,age,score", *lines]) + b"\n")
    return open_table(path, LINED, ("city", "age", "score")).sums(by, LINE_SUMMANDS)


@given(lines=LINES, place=st.integers(0, 5), changed=ANY_LINE)
@example(lines=[b"Oslo,1,0.5"] * 5, place=2, changed=b'"Oslo,1,0.5')
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_t44_a_line_moves_each_sum_by_what_one_record_can_add(
    lines: list[bytes], place: int, changed: bytes, tmp_path: Path
) -> None:
    place %= len(lines)
    after = [*lines[:place], changed, *lines[place + 1 :]]
    path = tmp_path / "people.csv"
    rows = [cells_of_line(line, CsvDialect()) for line in lines]
    before = sums_of_lines(lines, (), path)
    whole = [row if row and len(row) == 3 else [None] * 3 for row in rows]
    assert before.tolist() == added(whole, LINED, (), LINE_SUMMANDS).tolist()
    moved = np.abs(sums_of_lines(after, (), path) - before)[0]
    ends = [summand.bounds(LINED) for summand in LINE_SUMMANDS]
    assert all(step <= high - low for step, (low, high) in zip(moved, ends, strict=True))
    apart = np.abs(sums_of_lines(after, ("city",), path) - sums_of_lines(lines, ("city",), path))
    assert all(
        (apart[:, place] <= max(high - low, abs(low), abs(high))).all()
        for place, (low, high) in enumerate(ends)
    )


PERSONAL = {"v": Integer(0, 9), "c": Categorical(["a", "b"]), "w": Bounded(0, 1, grid="0.25", missing=DROP)}
OF_PERSONS = (ONE, Summand((Factor("v"),)), Summand((Factor("v", 2, -9), Factor("w"), Factor("c", 1, 1))))
PersonRow = tuple[Text, int | None, str, float | None]


def of_persons(rows: list[PersonRow], most: int, by: tuple[str, ...] = ()) -> Counts:
    schema = schema_of(PERSONAL, Unit("person", column="who", max_rows=most))
    kinds = [pa.string(), pa.int64(), pa.string(), pa.float64()]
    columns = zip(("who", "v", "c", "w"), kinds, range(4), strict=True)
    table = pa.table({name: pa.array([row[place] for row in rows], kind) for name, kind, place in columns})
    return open_table(table, schema, ("v", "c", "w")).sums(by, OF_PERSONS)


def person_rows(choose: random.Random, number: int, who: str = "ABCD") -> list[PersonRow]:
    return [
        (
            choose.choice(who),
            choose.choice([*range(12), None]),
            choose.choice("ab?"),
            choose.choice([0.3, 1.0, None]),
        )
        for _ in range(number)
    ]


@pytest.mark.parametrize("most", [1, 2])
def test_t21_rows_of_a_person_are_chosen_among_hers_in_any_order(most: int) -> None:
    choose = random.Random(most)
    rows = person_rows(choose, 30)
    found = of_persons(rows, most, ("c",))
    alone = [of_persons([row for row in rows if row[0] == who], most, ("c",)) for who in "ABCD"]
    assert (np.sum(alone, axis=0) == found).all()
    assert all(0 < one[:, 0].sum() <= most for one in alone)
    choose.shuffle(rows)
    assert (of_persons([*rows, (None, 9, "a", 1.0), ("", 9, "a", 1.0)], most, ("c",)) == found).all()


def test_t21_all_rows_of_a_person_move_a_sum_by_no_more_than_her_limit() -> None:
    choose, most = random.Random(3), 2
    schema = schema_of(PERSONAL)
    ends = [summand.bounds(schema) for summand in OF_PERSONS]
    reach = np.array([most * max(high - low, abs(low), abs(high)) for low, high in ends])
    others = person_rows(choose, 12, "BCD")
    seen = [of_persons([*others, *person_rows(choose, choose.randrange(6), "A")], most)[0] for _ in range(6)]
    assert (np.ptp(seen, axis=0) <= reach).all()
    assert np.ptp(seen, axis=0)[2] > 0


def test_persons_are_summed_row_by_row_below_the_limit_and_by_the_rows_that_counting_keeps() -> None:
    rows = person_rows(random.Random(4), 20)
    schema = schema_of(PERSONAL)
    texts = [[None if cell is None else str(cell) for cell in row[1:]] for row in rows]
    assert of_persons(rows, 99, ("c",)).tolist() == added(texts, schema, ("c",), OF_PERSONS).tolist()
    unit = schema_of(PERSONAL, Unit("person", column="who", max_rows=1))
    table = pa.table({"who": ["A"] * 9 + ["B"] * 9, "v": [*range(9)] * 2, "c": ["a"] * 18, "w": [1.0] * 18})
    opened = open_table(table, unit, ("v", "c", "w"))
    kept = opened.counts().reshape(10, 2, 5).sum(axis=(1, 2))
    every = Summand((Factor("v"), Factor("c", 0, 1), Factor("w", 0, 1)))
    assert opened.sums((), (every,)).tolist() == [[int((kept * np.arange(10)).sum())]]
    assert opened.sums((), (ONE,)).tolist() == [[2]]


def test_rows_of_a_person_are_told_apart_by_more_columns_than_one_number_holds() -> None:
    names = tuple(f"x{place}" for place in range(5))
    columns: dict[str, Column] = {name: Integer(0, 999_999) for name in names}
    schema = schema_of(columns, Unit("person", column="who", max_rows=2))
    choose = random.Random(6)
    rows = [[choose.randrange(10**6) for _ in names] for _ in range(8)]
    summands = tuple(Summand((Factor(name),)) for name in names)
    found = set()
    for _ in range(3):
        choose.shuffle(rows)
        table = pa.table(
            {"who": ["A"] * 8, **{name: [row[k] for row in rows] for k, name in enumerate(names)}}
        )
        found.add(tuple(open_table(table, schema, names, by=()).sums((), summands)[0].tolist()))
    pairs = {
        tuple(a + b for a, b in zip(one, two, strict=True)) for one in rows for two in rows if one != two
    }
    assert len(found) == 1
    assert found <= pairs


def test_what_cannot_be_summed_is_refused_by_public_facts_alone() -> None:
    schema = schema_of({"v": Integer(0, 999_999), "w": Integer(0, 999_999)})
    table = pd.DataFrame({"v": [1], "w": [2]})
    with pytest.raises(TableError, match="too many cells"):
        open_table(table, schema, ("v", "w"))
    opened = open_table(table, schema, ("v", "w"), by=("v",))
    with pytest.raises(TableError, match="too many cells"):
        opened.check(Sums(("v", "w"), (ONE,)))
    with pytest.raises(TableError, match="64 bits"):
        opened.check(Sums((), (Summand((Factor("v"),) * 4),)))
    with pytest.raises(TableError, match="not open"):
        open_table(table, schema, ("v",)).sums((), (Summand((Factor("w"),)),))
    assert opened.sums((), (Summand((Factor("v"), Factor("w"))),)).tolist() == [[2]]
