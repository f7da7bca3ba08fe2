"""T45: no cell decides how another row is read; the reader and the arithmetic follow from types and schema.

Each case is a table and the same table with one record replaced. Counts may move by one record, sums by what
one record can add, whatever stands in the record.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privior.models.summands import Factor, Summand
from privior.schema import DROP, Binned, Bounded, Categorical, Column, Integer, Schema
from privior.tables import open_table, parquet

ROWS = 5_000


def text_of(cells: list[bytes]) -> pa.Array:
    """Return bytes as text that nobody has checked, as any program may write it into a file."""
    content = pa.array(cells, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(cells), content.buffers())


@dataclass(frozen=True)
class Case:
    """What is public, the cells of the other rows, and the two records that are put in front of them."""

    kinds: dict[str, Column]
    make: Callable[[bool], pa.Table]


def _decimals(changed: bool) -> pa.Table:
    values = [Decimal(1), *[Decimal("62.5")] * (ROWS - 1)]
    words = [b"\xff" if changed else b"a", *[b"a"] * (ROWS - 1)]
    return pa.table({"x": pa.array(values, pa.decimal256(40, 20)), "word": text_of(words)})


def _early(changed: bool) -> pa.Table:
    moments = pa.array([-65_000_000_000_000_000] * ROWS, pa.int64()).view(pa.timestamp("us"))
    words = [b"\xff" if changed else b"a", *[b"a"] * (ROWS - 1)]
    return pa.table({"x": moments, "word": text_of(words)})


def _not_numbers(changed: bool) -> pa.Table:
    values = [1e9 if changed else 50.0, *[math.nan] * (ROWS // 2), *[50.0] * (ROWS // 2)]
    return pa.table({"x": pa.array(values, pa.float64(), from_pandas=False)})


def _marks(changed: bool) -> pa.Table:
    return pa.table({"x": text_of([b"A" if changed else b"\xf8", *[b"\xfe"] * ROWS])})


_EARLY = Categorical(["0001-01-01 00:00:00", "?"])
CASES = {
    "long decimals": Case({"x": Integer(0, 200), "word": Categorical(["a", "b"])}, _decimals),
    "early moments": Case({"x": _EARLY, "word": Categorical(["a", "b"])}, _early),
    "not a number, bounded": Case({"x": Bounded(0, 100, grid="0.1", missing=7)}, _not_numbers),
    "not a number, whole": Case({"x": Integer(0, 100, missing=7)}, _not_numbers),
    "not a number, binned": Case({"x": Binned([0, 10, 60, 100])}, _not_numbers),
    "text beside its statistics": Case({"x": Categorical(["?", "@"], missing=DROP)}, _marks),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("dictionary", [True, False])
def test_t45_one_record_moves_counts_and_sums_by_no_more_than_itself(
    name: str, dictionary: bool, tmp_path: Path
) -> None:
    case = CASES[name]
    schema = Schema(case.kinds, population="p", unit="row")
    found = []
    for changed in (False, True):
        path = tmp_path / f"{changed}.parquet"
        pq.write_table(case.make(changed), path, use_dictionary=dictionary)
        table = open_table(path, schema, tuple(case.kinds))
        found.append((table.counts(), table.sums((), (Summand((Factor("x"),)),))[0, 0]))
    (counts, total), (other_counts, other_total) = found
    assert np.abs(counts - other_counts).sum() <= 2
    assert abs(total - other_total) <= case.kinds["x"].size - 1


@pytest.mark.parametrize("kind", ["float32", "float16", "Float32"])
def test_t45_short_floats_of_pandas_are_read_as_they_are_among_objects(kind: str) -> None:
    """One cell of another kind turns a pandas column into objects, and its floats into Python's."""
    column = Bounded(0, 1, grid="0.1")
    floats = pd.Series([0.15, 0.25, 0.35, 0.45, 0.85] * 20, dtype=kind)
    schema = Schema({"x": column}, population="p", unit="row")
    before = open_table(pd.DataFrame({"x": floats}), schema, ("x",)).counts()
    mixed = floats.astype(object)
    mixed.iloc[0] = "a"
    after = open_table(pd.DataFrame({"x": mixed}), schema, ("x",)).counts()
    assert np.abs(before - after).sum() <= 2


@pytest.mark.parametrize("cell", [None, "a"])
def test_t45_long_whole_numbers_of_pandas_are_read_as_they_are_beside_a_missing_one(cell: object) -> None:
    """One missing cell turns whole numbers into floats: 2**53 + 1 must be the same before and after."""
    numbers: list[object] = [2**53 + place for place in range(40)]
    levels = Categorical([str(2**53 + place) for place in range(40)] + ["?"])
    schema = Schema({"x": levels}, population="p", unit="row")
    before = open_table(pd.DataFrame({"x": numbers}), schema, ("x",)).counts()
    after = open_table(pd.DataFrame({"x": [cell, *numbers[1:]]}), schema, ("x",)).counts()
    assert np.abs(before - after).sum() <= 2


@pytest.mark.parametrize("trusting", [False, True])
def test_t45_text_is_not_compared_with_what_a_file_says_of_its_bytes(
    trusting: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest text is "A"; other bytes become "?" when they are repaired. An engine that trusts the
    statistics, the planted fault, finds no "?" as soon as one record is "A"."""
    if trusting:
        monkeypatch.setattr(parquet, "_OF_TEXT", "")
    path = tmp_path / "t.parquet"
    pq.write_table(_marks(changed=True), path)
    schema = Schema({"x": Categorical(["?", "@"])}, population="p", unit="row")
    with open_table(path, schema, ("x",)).source.relation() as relation:
        marks = relation.rows.filter(relation.rows["c0"] == "?")
        counted = relation.run(marks.agg(n=marks.count()))["n"].tolist()
    assert counted == [0 if trusting else ROWS]


@pytest.mark.parametrize("level", ["2020-01-01", "2020-01-01 00:00:00"])
def test_a_moment_of_numpys_is_read_alike_in_every_pandas_column(level: str) -> None:
    """Beside a text the column is one of objects, else one of moments: the other rows are the same."""
    schema = Schema({"day": Categorical([level, "else"])}, population="p", unit="row")
    others = [np.datetime64("2020-01-01")] * 100
    moved = [
        open_table(pd.DataFrame({"day": [*others, last]}), schema, ("day",)).counts()
        for last in ("else", np.datetime64("2020-06-01"), np.datetime64("NaT"), np.datetime64(10**6, "Y"))
    ]
    assert all(abs(one - moved[0]).sum() <= 2 for one in moved)
