"""T45: one record moves exact statistics by no more than itself, whatever is in it.

The fuzzer is shown to find readers that one cell chooses: the ways that have been taken, planted again.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import duckdb
import pandas as pd
import pyarrow.parquet as pq
import pytest
from one_record import Trial, drawn, fault

from privior.schema import CsvDialect
from privior.tables import frames, parquet, relations
from privior.tables.parquet import Parquet
from privior.tables.relations import Relation

TRIALS = 30
#: NaN beside numbers within bounds, and a record out of bounds: what the statistics of the column say changes
NOT_NUMBERS = Trial("parquet", ("float64",), ("integer",), ((17,),) * 30 + ((2,),) * 30, (40, (15,)), ())
#: one text is not UTF-8 in a column beside moments before the year 1
BROKEN = Trial(
    "parquet", ("us None", "broken"), ("categorical", "categorical"), ((8, 21),) * 60, (3, (8, 0)), ()
)


#: numbers and days that are written otherwise; a point between thousands is what floats of objects have
WRITTEN = CsvDialect(decimal=",", thousands=".", dates="DD.MM.YYYY")


@pytest.mark.parametrize(("dialect", "trials"), [(CsvDialect(), TRIALS), (WRITTEN, TRIALS // 2)])
def test_t45_one_record_moves_exact_statistics_by_no_more_than_itself(
    dialect: CsvDialect, trials: int, tmp_path: Path
) -> None:
    choose = random.Random(45)
    found = {}
    tried = 0
    while tried < trials:
        trial = replace(drawn(choose), dialect=dialect)
        wrong = fault(trial, tmp_path)
        tried += wrong != "refused"
        if wrong not in (None, "refused"):
            found[trial] = wrong
    assert found == {}


@pytest.mark.parametrize("trial", [NOT_NUMBERS, BROKEN], ids=["not numbers", "broken text"])
def test_these_tables_are_read_row_by_row(trial: Trial, tmp_path: Path) -> None:
    assert fault(trial, tmp_path) is None


def test_t45_a_text_among_floats_does_not_change_how_they_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One text makes objects of a pandas column, and text of its numbers: these are read as before."""

    def mixed(number: float, text: str, kind: str, dialect: CsvDialect) -> Trial:
        class Mixed(Trial):
            def tables(self, folder: Path) -> tuple[object, object]:
                return pd.DataFrame({"v0": [number] * 60}), pd.DataFrame({"v0": [number] * 59 + [text]})

        return Mixed("pandas", ("float64",), (kind,), ((0,),) * 60, (0, (0,)), (), dialect)

    trials = [
        mixed(0.15, "1,5", "bounded", WRITTEN),
        mixed(20000104, "20000105", "date", CsvDialect(dates="YYYYMMDD")),
    ]
    assert [fault(trial, tmp_path) for trial in trials] == [None, None]
    monkeypatch.setattr(frames, "decimal_sign", lambda name, schema: ".")
    assert {fault(trial, tmp_path) for trial in trials} == {"counts move by more than one record"}


def test_t45_trust_in_the_statistics_of_a_column_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "_OPTIONS", "hive_partitioning = false, utf8_validation = 'replace'")
    assert fault(NOT_NUMBERS, tmp_path) == "counts move by more than one record"


def test_t45_a_second_reader_for_what_stops_the_first_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: the engine reads, and where a cell stops it, text is missing in all rows."""
    relation = Parquet.relation

    @contextmanager
    def careless(files: Parquet) -> Iterator[Relation]:
        with relation(files) as found:
            try:
                list(found.batches(found.rows))
            except duckdb.Error:
                with relations.engine() as connection:
                    empty = ", ".join(f"NULL::VARCHAR AS {name}" for name in files.fields.names)
                    rows = files.rows()
                    connection.execute(
                        f"CREATE TEMP TABLE {relations.ROWS} AS SELECT {empty} FROM range({rows})"
                    )
                    yield relations.in_duckdb(connection, files.fields)
                return
            yield found

    monkeypatch.setattr(Parquet, "relation", careless)
    monkeypatch.setattr(parquet, "_OPTIONS", "hive_partitioning = false, can_have_nan = true")
    text = Trial("parquet", ("broken",), ("categorical",), ((21,),) * 60, (3, (0,)), ())
    assert fault(text, tmp_path) == "counts move by more than one record"


def test_t45_a_path_that_the_size_of_chunks_chooses_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The planted fault: numbers are read one too large if the first chunk of their column is small."""
    trial = Trial("parquet", ("float64",), ("bounded",), ((4,),) * 300, (7, (5,)), ())
    path, _ = trial.tables(tmp_path)
    assert isinstance(path, Path)
    least = pq.read_metadata(path).row_group(0).column(0).total_uncompressed_size
    relation = Parquet.relation

    @contextmanager
    def careless(files: Parquet) -> Iterator[Relation]:
        chunk = pq.read_metadata(files.files.paths[0]).row_group(0).column(0)
        with relation(files) as found:
            added = float(chunk.total_uncompressed_size <= least)
            cell = found.rows["c0"]
            rows = found.rows.mutate(c0=replace(cell, text=(cell + added).text))
            yield replace(found, rows=rows)

    assert fault(trial, tmp_path) is None
    monkeypatch.setattr(Parquet, "relation", careless)
    assert fault(trial, tmp_path) == "counts move by more than one record"
