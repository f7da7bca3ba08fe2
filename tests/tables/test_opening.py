"""What is refused before any row is read, in words that hold no cell of the table."""

from __future__ import annotations

import gzip
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privior.errors import TableError
from privior.schema import Binned, Bounded, Categorical, Column, CsvDialect, Date, Integer, Schema, Unit
from privior.tables import open_table

CANARY = "canary-4711"
COLUMNS: dict[str, Column] = {"city": Categorical(["Oslo", "Rome"]), "age": Integer(0, 9)}
SCHEMA = Schema(COLUMNS, population="people", unit="person")
PERSONS = Schema(COLUMNS, population="people", unit=Unit("person", column="who"))
BODY = f"{CANARY},3\nOslo,{CANARY}\n"


def refused(table: object, schema: Schema = SCHEMA, columns: tuple[str, ...] = ("city", "age")) -> TableError:
    with pytest.raises(TableError) as caught:
        open_table(table, schema, columns)
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None
    return caught.value


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def test_paths_that_are_no_tables(tmp_path: Path) -> None:
    assert "no such file" in refused(tmp_path / "none.csv").what
    assert "no such file" in refused("").what or "directory" in refused("").what
    assert "no such file" in refused("a\0b.csv").what
    assert "cannot be read" in refused("a" * 5000 + ".csv").what
    directory = refused(tmp_path)
    assert "directory" in directory.what
    assert "*" in str(directory.advice)
    assert "no file matches" in refused(str(tmp_path / "*.csv")).what
    assert "empty" in refused(written(tmp_path / "a.csv", "")).what
    assert "empty" in refused(written(tmp_path / "a.parquet", "")).what
    assert "empty" in refused(written(tmp_path / "a.csv.gz", gzip.compress(b""))).what
    assert "empty" in refused(written(tmp_path / "bom.csv", b"\xef\xbb\xbf")).what
    assert ".parquet" in str(refused(written(tmp_path / "a.xlsx", BODY)).allowed)
    assert "cannot be read" in refused(written(tmp_path / "b.csv.gz", BODY)).what
    os.mkfifo(tmp_path / "pipe.csv")
    assert "regular" in refused(tmp_path / "pipe.csv").what


def test_parquet_files_that_are_none(tmp_path: Path) -> None:
    assert "Parquet" in refused(written(tmp_path / "a.parquet", BODY)).what
    whole = tmp_path / "b.parquet"
    pq.write_table(pa.table({"city": [CANARY], "age": [1]}), whole)
    content = whole.read_bytes()
    assert "Parquet" in refused(written(whole, content[:-20])).what
    assert "Parquet" in refused(written(whole, content[:-30] + b"\xff" * 22 + content[-8:])).what


@pytest.mark.parametrize(
    "thing", [None, 5, b"a.csv", [1], {"city": ["Oslo"]}, pa.array([1]), pd.Series([1]), Path]
)
def test_objects_that_are_no_tables(thing: object) -> None:
    assert "not a table" in refused(thing).what


def test_columns_that_are_not_there(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "city,Age,who\n" + BODY)
    error = refused(path)
    assert error.asked == "age"
    assert error.allowed == "city, Age, who"
    assert error.where == str(path)
    table = pa.table({"town": [CANARY], "years": [3]})
    pq.write_table(table, tmp_path / "a.parquet")
    for source in (
        table,
        table.to_pandas(),
        pl.DataFrame(table),
        pl.LazyFrame(table),
        tmp_path / "a.parquet",
    ):
        assert refused(source).allowed == "town, years"
    assert refused(pd.DataFrame([[CANARY, 3]])).allowed == "0 (int), 1 (int)"
    zero = Schema({"0": Integer(0, 3)}, population="people", unit="person")
    assert refused(pd.DataFrame([[1]]), zero, ("0",)).asked == "0"
    for source in (
        pa.table({"city": ["Oslo"], "age": [3]}),
        written(tmp_path / "b.csv", "city,age\nOslo,3\n"),
    ):
        assert "person" in refused(source, PERSONS).what


def test_a_first_line_that_may_be_a_record_is_not_shown(tmp_path: Path) -> None:
    error = refused(written(tmp_path / "a.csv", BODY))
    assert "header=False" in str(error.advice)
    assert "3" not in str(error.allowed)
    assert "quotes" in refused(written(tmp_path / "b.csv", f'city,"{CANARY}\n')).what


def test_names_that_occur_twice(tmp_path: Path) -> None:
    table = pa.Table.from_arrays(
        [pa.array(["Oslo"]), pa.array([3]), pa.array([4])], names=["city", "age", "age"]
    )
    pq.write_table(table, tmp_path / "a.parquet")
    frame = pd.DataFrame([[1, 2, 3]], columns=["city", "age", "age"])
    csv = written(tmp_path / "a.csv", "city,age,age\nOslo,3,4\n")
    for source in (table, frame, csv, tmp_path / "a.parquet"):
        assert "same name" in refused(source).what
    spreadsheet = written(tmp_path / "b.csv", "city,age,,\nOslo,3,,\n")
    assert open_table(spreadsheet, SCHEMA, ("city", "age")).counts().sum() == 1


def test_files_of_a_glob_must_be_alike(tmp_path: Path) -> None:
    written(tmp_path / "a.csv", "city,age\n" + BODY)
    written(tmp_path / "b.csv", f"{CANARY},age\n" + BODY)
    assert "different headers" in refused(str(tmp_path / "*.csv")).what
    pq.write_table(pa.table({"city": ["Oslo"], "age": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"city": ["Oslo"], "age": [1.0]}), tmp_path / "b.parquet")
    assert "different columns" in refused(str(tmp_path / "*.parquet")).what
    pq.write_table(pa.table({"city": ["Oslo"], "years": [1]}), tmp_path / "b.parquet")
    assert "different columns" in refused(str(tmp_path / "*.parquet")).what
    assert "different forms" in refused(str(tmp_path / "a.*")).what


def test_a_person_cannot_be_found_without_a_header(tmp_path: Path) -> None:
    schema = Schema(
        COLUMNS, population="people", unit=Unit("person", column="who"), csv=CsvDialect(header=False)
    )
    assert "header" in refused(written(tmp_path / "a.csv", BODY), schema).what


def test_types_that_cannot_hold_the_values() -> None:
    schema = Schema(
        {"age": Integer(0, 9), "born": Date("2000-01-01", "2000-01-03")}, population="people", unit="person"
    )
    days = pa.array([0], pa.int32()).view(pa.date32())
    assert "type" in refused(pa.table({"age": days}), schema, ("age",)).what
    assert "type" in refused(pa.table({"born": [20000101]}), schema, ("born",)).what
    assert "type" in refused(pl.DataFrame({"age": [[1]]}), schema, ("age",)).what
    frame = pd.DataFrame({"born": [20000101], "age": [pd.Timestamp("2000-01-01")]})
    assert open_table(frame, schema, ("born", "age")).counts()[0] == 1  # its types depend on its rows


def test_facts_of_the_schema_that_no_engine_can_count() -> None:
    table = pa.table({"v": [1.0], "w": [1.0]})
    close = Binned(["1", "1.00000000000000000001", "2"])
    for column in (close, Bounded(0, "1e380", grid="1e380"), Bounded(0, "1e-379", grid="1e-380")):
        schema = Schema({"v": column}, population="people", unit="person")
        assert "floats" in refused(table, schema, ("v",)).what
    wide = Schema({"v": Integer(0, 99_999), "w": Integer(0, 99_999)}, population="people", unit="person")
    assert "too many cells" in refused(table, wide, ("v", "w")).what
    assert "no column" in refused(table, wide, ()).what


def test_no_row_is_read_by_opening(tmp_path: Path) -> None:
    failing = pl.col("city").map_batches(lambda _: 1 / 0, pl.Int64)
    open_table(pl.LazyFrame({"city": ["Oslo"]}).with_columns(age=failing), SCHEMA, ("city", "age"))
    truncated = gzip.compress(b"city,age\n" + os.urandom(100_000))[:50_000]
    table = open_table(written(tmp_path / "a.csv.gz", truncated), SCHEMA, ("city",))
    with pytest.raises(EOFError):
        table.records()
    with pytest.raises(duckdb.Error):
        table.counts()


def test_what_a_database_cannot_do_is_refused_at_once() -> None:
    import ibis

    many = Schema({"v": Categorical(range(2000))}, population="people", unit="person")
    assert "Parquet" in str(refused(ibis.memtable(pa.table({"v": [1]})).select("v"), many, ("v",)).advice)
    lite = ibis.sqlite.connect()
    lite.raw_sql("CREATE TABLE people (city TEXT, age TEXT)").close()
    error = refused(lite.table("people"))
    assert "lacks an operation" in error.what
    assert "Parquet" in str(error.advice)


@pytest.mark.usefixtures("own_engine")
def test_nothing_is_left_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T38: what an engine spills goes to a folder that is gone afterwards, not to the current one."""
    spilled = tmp_path / "spilled"
    spilled.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(spilled))
    monkeypatch.chdir(tmp_path)
    table = open_table(written(tmp_path / "a.csv", "city,age\n" + BODY), SCHEMA, ("city", "age"))
    with table.source.relation() as relation:
        (folder,) = spilled.iterdir()
        assert folder.stat().st_mode & 0o777 == 0o700
        assert relation.rows.columns == ("c0", "c1")
    table.counts()
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a.csv", "spilled"]


def test_an_open_table_shows_no_rows() -> None:
    table = open_table(pa.table({"city": [CANARY], "age": [1]}), SCHEMA, ("city",))
    assert CANARY not in repr(table)
    error = refused(pa.table({"city": [CANARY]}))
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_engines_are_not_imported_before_they_are_used() -> None:
    heavy = ["ibis", "duckdb", "pyarrow", "pandas", "polars"]
    code = f"import sys, privior.tables; print([name for name in {heavy} if name in sys.modules])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert re.fullmatch(r"\[\]\s*", answer.stdout)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_file_that_changes_after_it_was_opened_is_not_read(ending: str, tmp_path: Path) -> None:
    """The header was looked at before the spend: columns in another order would be read for each other."""
    path, other = tmp_path / f"a.{ending}", tmp_path / f"b.{ending}"
    for place, names in ((path, ("city", "age")), (other, ("age", "city"))):
        table = pa.table({name: ["Oslo" if name == "city" else "3"] for name in names})
        if ending == "parquet":
            pq.write_table(table, place)
        else:
            place.write_text(",".join(names) + "\n" + ",".join(table.to_pylist()[0].values()) + "\n")
    opened = open_table(path, SCHEMA, ("city", "age"))
    assert opened.counts().sum() == opened.records() == 1
    os.replace(other, path)
    for ask in (opened.counts, opened.records):
        with pytest.raises(ValueError, match="changed"):
            ask()


def test_a_file_that_changes_while_it_is_read_gives_no_answer(tmp_path: Path) -> None:
    path = written(tmp_path / "a.csv", "city,age\nOslo,3\n")
    opened = open_table(path, SCHEMA, ("city", "age"))
    with pytest.raises(ValueError, match="changed"), opened.source.relation():
        path.write_bytes(b"age,city\n3,Oslo\n3,Oslo\n")
