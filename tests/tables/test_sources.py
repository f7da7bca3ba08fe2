"""Every kind of table gives the same counts of the same data, whatever the order and types of its rows.

T03: counts are sums of whole numbers, so no order of adding can change them.
"""

from __future__ import annotations

import gzip
import random
import warnings
from collections.abc import Callable
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from row_reference import counts_of_rows

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
)
from privior.tables import open_table

Rows = list[tuple[str | None, ...]]

COLUMNS: dict[str, Column] = {
    "city": Categorical(["Oslo", "Rome", "Ulm"], missing="Ulm"),
    "member": Boolean(),
    "age": Integer(0, 5),
    "weight": Bounded(0, 2, grid="0.5"),
    "income": Binned([0, 10, 20, 40]),
    "born": Date("2000-01-01", "2000-01-05", missing="2000-01-03"),
}
NAMES = tuple(COLUMNS)
SCHEMA = Schema(COLUMNS, population="people", unit="person")
DAYS = [f"2000-01-0{day}" for day in range(1, 8)] + ["1990-05-05"]


def rows(number: int = 60, seed: int = 1) -> Rows:
    choose = random.Random(seed)

    def row() -> tuple[str | None, ...]:
        cells: list[str | None] = [
            choose.choice(["Oslo", "Rome", "Ulm", "Bonn"]),
            choose.choice(["true", "false"]),
            str(choose.randrange(-2, 9)),
            repr(choose.choice([-1.0, 0.2, 0.25, 0.3, 1.75, 9.5])),
            repr(choose.uniform(-5, 50)),
            choose.choice(DAYS),
        ]
        return tuple(None if choose.random() < 0.1 else cell for cell in cells)

    return [row() for _ in range(number)]


def typed(table: Rows) -> pa.Table:
    kinds: list[tuple[pa.DataType, Callable[[str], object]]] = [
        (pa.string(), str),
        (pa.bool_(), lambda cell: cell == "true"),
        (pa.int32(), int),
        (pa.float64(), float),
        (pa.float64(), float),
        (pa.date32(), date.fromisoformat),
    ]
    columns = [
        pa.array([None if row[place] is None else read(str(row[place])) for row in table], kind)
        for place, (kind, read) in enumerate(kinds)
    ]
    return pa.table(columns, names=list(NAMES))


def csv_bytes(table: Rows) -> bytes:
    lines = [",".join(NAMES)] + [",".join(cell or "" for cell in row) for row in table]
    return ("\n".join(lines) + "\n").encode()


def as_csv(table: Rows, folder: Path) -> object:
    (folder / "t.csv").write_bytes(csv_bytes(table))
    return str(folder / "t.csv")


def as_packed_csv(table: Rows, folder: Path) -> object:
    (folder / "t.csv.gz").write_bytes(gzip.compress(csv_bytes(table)))
    return folder / "t.csv.gz"


def as_csv_glob(table: Rows, folder: Path) -> object:
    (folder / "p1.csv").write_bytes(csv_bytes(table[:20]))
    (folder / "p2.csv").write_bytes(csv_bytes(table[20:]))
    return str(folder / "p*.csv")


def as_parquet(table: Rows, folder: Path) -> object:
    pq.write_table(typed(table), folder / "t.parquet")
    return folder / "t.parquet"


def as_parquet_glob(table: Rows, folder: Path) -> object:
    (folder / "year=2020").mkdir(exist_ok=True)
    pq.write_table(typed(table[:20]), folder / "year=2020" / "a[1].pq")
    pq.write_table(typed(table[20:]), folder / "year=2020" / "b'.pq")
    return str(folder / "**" / "*.pq")


def as_arrow(table: Rows, folder: Path) -> object:
    return typed(table)


def as_pandas(table: Rows, folder: Path) -> object:
    return typed(table).to_pandas()


def as_pandas_objects(table: Rows, folder: Path) -> object:
    return pd.DataFrame(typed(table).to_pydict(), dtype=object)


def as_pandas_nullable(table: Rows, folder: Path) -> object:
    return pd.DataFrame(typed(table).to_pydict(), dtype=object).convert_dtypes()


def as_pandas_arrow(table: Rows, folder: Path) -> object:
    return typed(table).to_pandas(types_mapper=pd.ArrowDtype)


def as_pandas_categories(table: Rows, folder: Path) -> object:
    return pd.DataFrame(typed(table).to_pydict(), dtype=object).astype("category")


def as_polars(table: Rows, folder: Path) -> object:
    return pl.DataFrame(typed(table))


def as_polars_categories(table: Rows, folder: Path) -> object:
    frame = pl.DataFrame(typed(table))
    cities = pl.Enum(["Bonn", "Ulm", "Rome", "Oslo"])
    return frame.with_columns(
        pl.col("city").cast(cities), pl.col("age").cast(pl.String).cast(pl.Categorical)
    ).lazy()


def as_ibis(table: Rows, folder: Path) -> object:
    import ibis

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        backend = ibis.duckdb.connect()
        backend.con.register("arrived", typed(table))
        backend.con.execute("CREATE TABLE people AS FROM arrived")
        return backend.table("people")


def as_ibis_in_memory(table: Rows, folder: Path) -> object:
    import ibis

    return ibis.memtable(typed(table))


def as_ibis_query(table: Rows, folder: Path) -> object:
    import ibis

    frame = typed(table)
    return ibis.memtable(frame).select(frame.column_names)


FORMS = [
    as_csv,
    as_packed_csv,
    as_csv_glob,
    as_parquet,
    as_parquet_glob,
    as_arrow,
    as_pandas,
    as_pandas_objects,
    as_pandas_nullable,
    as_pandas_arrow,
    as_pandas_categories,
    as_polars,
    as_polars_categories,
    as_ibis,
    as_ibis_in_memory,
    as_ibis_query,
]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_a_table_gives_the_same_counts(
    form: Callable[[Rows, Path], object], tmp_path: Path
) -> None:
    data = rows()
    table = open_table(form(data, tmp_path), SCHEMA, NAMES)
    assert table.counts().tolist() == counts_of_rows(data, SCHEMA, NAMES).tolist()
    assert table.records() == len(data)


@pytest.mark.parametrize("form", [as_csv, as_parquet, as_pandas_categories, as_polars_categories])
def test_t22_the_order_of_rows_does_not_matter(form: Callable[[Rows, Path], object], tmp_path: Path) -> None:
    data = rows()
    before = open_table(form(data, tmp_path), SCHEMA, ("age", "city")).counts()
    random.Random(2).shuffle(data)
    assert (open_table(form(data, tmp_path), SCHEMA, ("age", "city")).counts() == before).all()


@pytest.mark.parametrize("form", FORMS)
def test_t18_a_row_in_front_changes_one_count(form: Callable[[Rows, Path], object], tmp_path: Path) -> None:
    data = rows()
    first: tuple[str | None, ...] = ("Ulm", "true", "5", "2.0", "39.5", "2000-01-05")
    before = open_table(form(data, tmp_path), SCHEMA, ("city", "age")).counts()
    after = open_table(form([first, *data], tmp_path), SCHEMA, ("city", "age")).counts()
    change = after - before
    assert change.sum() == 1
    assert np.flatnonzero(change).tolist() == [2 * 6 + 5]


def test_t17_absent_levels_are_counted_as_zero(tmp_path: Path) -> None:
    counts = open_table(
        as_csv([("Rome", "true", "1", "1.0", "1.0", DAYS[0])], tmp_path), SCHEMA, ("city",)
    ).counts()
    assert counts.tolist() == [0, 1, 0]
    assert counts.dtype == np.int64


@pytest.mark.parametrize("place", range(3))
def test_a_database_that_takes_spellings_for_equal_still_counts_row_by_row(
    place: int, tmp_path: Path
) -> None:
    import ibis

    words = ["oslo", "OSLO", "Oslo", "rome", "bonn", "Rome"]
    words = words[place:] + words[:place]
    levels = Categorical(["Oslo", "oslo", "Rome", "rome", "?"])
    schema = Schema({"city": levels}, population="people", unit="person")

    def counted(chosen: list[str]) -> list[int]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            backend = ibis.duckdb.connect()
            backend.con.execute("CREATE TABLE people (city VARCHAR COLLATE NOCASE)")
            backend.con.executemany("INSERT INTO people VALUES (?)", [[word] for word in chosen])
            return [int(n) for n in open_table(backend.table("people"), schema, ("city",)).counts()]

    alone = [counted([word]) for word in words]
    assert [sum(counts) for counts in alone] == [1] * len(words)
    assert counted(words) == [sum(column) for column in zip(*alone, strict=True)]


def test_a_record_is_dropped_if_any_column_says_so() -> None:
    levels = ["a", "b"]
    kinds: dict[str, Column] = {
        "x": Categorical(levels, missing=DROP),
        "y": Categorical(levels, missing="a"),
        "z": Integer(0, 1, missing=DROP),
    }
    schema = Schema(kinds, population="people", unit="person")
    table = pa.table({"x": ["a", "?", "b", "b"], "y": ["?", "b", "b", "b"], "z": ["1", "1", "0", "?"]})
    counts = open_table(table, schema, ("x", "y", "z")).counts().reshape(2, 2, 2)
    assert np.argwhere(counts).tolist() == [[0, 0, 1], [1, 1, 0]]
    assert open_table(table, schema, ("z", "z")).counts().tolist() == [1, 0, 0, 2]


def test_an_empty_table_has_no_records(tmp_path: Path) -> None:
    for form in (as_csv, as_parquet, as_pandas, as_polars):
        table = open_table(form([], tmp_path), SCHEMA, ("city", "age"))
        assert table.records() == 0
        assert table.counts().tolist() == [0] * 18


def test_a_file_without_a_header_holds_the_columns_in_the_order_of_the_schema(tmp_path: Path) -> None:
    data = rows()
    path = tmp_path / "t.csv"
    path.write_bytes(csv_bytes(data).partition(b"\n")[2])
    schema = Schema(COLUMNS, population="people", unit="person", csv=CsvDialect(header=False))
    table = open_table(path, schema, ("born", "age"))
    expected = counts_of_rows([(row[5], row[2]) for row in data], SCHEMA, ("born", "age"))
    assert table.records() == len(data)
    assert table.counts().tolist() == expected.tolist()


def test_the_dialect_of_the_schema_is_the_dialect_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_bytes("age|city\n 1 | 'S\u00e3o ''x''|' \n2|Oslo\n".encode("latin-1"))
    schema = Schema(
        {"city": Categorical(["Oslo", "S\u00e3o 'x'|", "-"], missing=DROP), "age": Integer(0, 3)},
        population="people",
        unit="person",
        csv=CsvDialect(delimiter="|", quote="'", encoding="latin-1", trim=True),
    )
    assert open_table(path, schema, ("city",)).counts().tolist() == [1, 1, 0]
    assert open_table(path, schema, ("age",)).counts().tolist() == [0, 1, 1, 0]
