"""Numbers and days as they are written elsewhere: a decimal comma, groups of thousands, days first."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import ibis
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from row_reference import code_of_text

import privior as pv
from privior.models.readings import Records
from privior.models.summands import Factor, Summand
from privior.schema import Column
from privior.tables import open_table

DIALECT = pv.CsvDialect(delimiter=";", decimal=",", thousands=".", dates="DD.MM.YYYY")
COLUMNS = {
    "money": pv.Bounded(0, 2000, grid="0.1", missing="3.3"),
    "bin": pv.Binned([0, 10, 100, 3000], missing=1),
    "whole": pv.Integer(-5, 5000, missing=77),
    "day": pv.Date("2026-01-01", "2026-12-31", missing="2026-07-07"),
    "level": pv.Categorical(["1.5", "1,5", "other"]),
}
SCHEMA = pv.Schema(COLUMNS, population="p", unit="row", csv=DIALECT)
CELLS = [
    "60,3", "1.234,5", " 12 ", "1.23", "1,5e2", "12.34,5", "true", "", "1.234.5", "+7", "1.5", "1,5", "-,5",
    ".5",
    "1.234", "12.345.678", "5.000", "-3", "x", "31.12.2026", "1.2.2026", "2026-03-04", "03.04.2026 12:00",
    "99.99.2026", "31/12/2026", "1.1.2020", "30.02.2026", "nan", "inf", "1,2,3", "1.234,567.8", "1e3", "0x10",
]  # fmt: skip


def reference(cell: str, column: Column) -> int | None:
    """Return the code of a cell, said again in plain Python."""
    if isinstance(column, pv.Date):
        found = re.fullmatch(r" *(\d{1,2})\.(\d{1,2})\.(\d{4})([ T].*)?", cell)
        if found:
            cell = f"{found[3]}-{int(found[2]):02}-{int(found[1]):02}"
    elif not isinstance(column, pv.Categorical):
        whole, sign, rest = cell.strip(" ").partition(",")
        groups = whole.lstrip("+-").split(".")
        if "." in rest or "," in rest:
            return None
        if len(groups) > 1:
            if not (1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])):
                return None
            whole = whole.replace(".", "")
        cell = f"{whole}.{rest}" if sign else whole
    return code_of_text(cell, column)


def test_all_readers_read_them_alike_and_as_declared(tmp_path: Path) -> None:
    table = pa.table(dict.fromkeys(COLUMNS, CELLS))
    right = {
        name: sorted(
            column.missing_code or 0 if (code := reference(cell, column)) is None else code for cell in CELLS
        )
        for name, column in COLUMNS.items()
    }
    lines = [";".join(COLUMNS), *(";".join([cell] * len(COLUMNS)) for cell in CELLS)]
    (tmp_path / "t.csv").write_text("\n".join(lines) + "\n")
    pq.write_table(table, tmp_path / "t.parquet")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        kept = ibis.duckdb.connect().read_parquet(tmp_path / "t.parquet")
    frames = [
        tmp_path / "t.csv",
        tmp_path / "t.parquet",
        table,
        table.to_pandas(),
        pl.from_arrow(table),
        kept,
    ]
    summands = tuple(Summand((Factor(name),)) for name in COLUMNS)
    for frame in frames:
        opened = open_table(frame, SCHEMA, tuple(COLUMNS), ())
        codes = opened.read(*(Records((name,)) for name in COLUMNS))
        assert {name: one.codes.ravel().tolist() for name, one in zip(COLUMNS, codes, strict=True)} == right
        assert opened.sums((), summands)[0].tolist() == [sum(one) for one in right.values()]


def test_a_decimal_comma_is_no_lower_bound(tmp_path: Path) -> None:
    """The mean of 1,000 values near 60 was released as 0.1: every cell counted as the lower bound."""
    values = [50 + place % 21 for place in range(1000)]
    text = "id;weight\n" + "".join(f"{place};{value},5\n" for place, value in enumerate(values))
    (tmp_path / "t.csv").write_text(text)
    column = pv.Bounded(0, 200, grid="0.5")

    def released(dialect: pv.CsvDialect) -> float:
        schema = pv.Schema({"weight": column}, population="p", unit="person", csv=dialect)
        model = pv.NormalMean("weight", pv.Normal(60, stddev=30), stddev=10)
        plan = pv.plan(model, schema, records=1000, epsilon=100)
        release = pv.measure(plan, tmp_path / "t.csv", ledger=pv.Ledger.in_memory())
        return float(pv.infer(release).mean())

    assert abs(released(pv.CsvDialect(delimiter=";", decimal=",")) - np.mean(values) - 0.5) < 0.05
    assert released(pv.CsvDialect(delimiter=";")) < 1


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"decimal": ";"}, "decimal"),
        ({"decimal": 1}, "decimal"),
        ({"thousands": "1"}, "thousands"),
        ({"thousands": "]"}, "thousands"),
        ({"decimal": ",", "thousands": ","}, "same sign"),
        ({"dates": "%d.%m.%Y"}, "days"),
        ({"dates": "YYYY-DD-MM"}, "days"),
        ({"dates": "DD.MM-YYYY"}, "days"),
        ({"dates": 5}, "dates"),
    ],
)
def test_other_ways_to_write_are_refused(entries: dict[str, object], words: str) -> None:
    with pytest.raises(pv.SchemaError, match=words):
        pv.CsvDialect(**entries)  # type: ignore[arg-type]


def test_what_is_not_said_is_not_written_so_that_old_digests_stay() -> None:
    usual = pv.Schema(COLUMNS, population="p", unit="row").to_document()
    assert usual["csv"] == {
        "delimiter": ",", "quote": '"', "header": True, "trim": False, "encoding": "utf-8"
    }  # fmt: skip
    assert pv.Schema.from_document(SCHEMA.to_document()) == SCHEMA
    assert SCHEMA.to_document()["csv"]["thousands"] == "."  # type: ignore[index]
