"""Frames in memory: every type and every object counts by itself, and only where it is needed."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from privior.schema import Boolean, Categorical, Date, Integer, Schema, Unit
from privior.tables import open_table

SCHEMA = Schema(
    {"city": Categorical(["Oslo", "Rome", "Ulm"]), "born": Date("2000-01-01", "2000-01-05")},
    population="people",
    unit="person",
)


def test_only_the_needed_columns_are_touched(tmp_path: Path) -> None:
    class Untouchable:
        def __str__(self) -> str:
            raise AssertionError

    frame = pd.DataFrame({"city": ["Oslo"], "other": [Untouchable()]})
    assert open_table(frame, SCHEMA, ("city",)).counts().tolist() == [1, 0, 0]
    lazy = pl.LazyFrame({"city": ["Oslo"], "n": [1]}).with_columns(
        pl.col("n").map_batches(lambda _: 1 / 0, pl.Int64)
    )
    assert open_table(lazy, SCHEMA, ("city",)).counts().tolist() == [1, 0, 0]


def test_objects_of_every_kind_count_by_themselves() -> None:
    class Rude:
        def __str__(self) -> str:
            raise RuntimeError

    values = [1, 1.0, True, "1", np.int8(1), np.float32(1), Decimal("1.00"), b"1", np.bool_(True)]
    bad = [
        None,
        float("nan"),
        pd.NA,
        pd.NaT,
        np.datetime64("NaT"),
        Rude(),
        [],
        {},
        "\ud800",
        b"\xff",
        10**5000,
    ]
    bad += [Decimal("sNaN"), Decimal("NaN"), "", "x\0", object(), complex(1, 2), Decimal("1e999999"), 10**30]
    schema = Schema(
        {"a": Categorical([1, "true", "?"]), "b": Boolean(missing=False)}, population="people", unit="person"
    )
    frame = pd.DataFrame(
        {"a": pd.Series([*values, *bad], dtype=object), "b": pd.Series([*values, *bad], dtype=object)}
    )
    assert open_table(frame, schema, ("a",)).counts().tolist() == [len(values) - 2, 2, len(bad)]
    assert open_table(frame, schema, ("b",)).counts().tolist() == [len(bad), len(values)]
    polars = pl.DataFrame({"a": pl.Series([*values, *bad], dtype=pl.Object)})
    assert open_table(polars, schema, ("a",)).counts().tolist() == [len(values) - 2, 2, len(bad)]


def test_moments_in_frames_are_days_of_universal_time() -> None:
    late = datetime(2000, 1, 2, 23, 30, tzinfo=UTC)
    zone = pd.Timestamp(late).tz_convert("Asia/Tokyo")
    for frame in (
        pd.DataFrame({"born": [zone, zone]}),
        pd.DataFrame({"born": [zone, "x"]}, dtype=object),
        pl.DataFrame({"born": [late, late]}),
        pa.table({"born": pa.array([late, late], pa.timestamp("ms", "Asia/Tokyo"))}),
        pd.DataFrame({"born": [np.datetime64("2000-01-02T23:30"), None]}, dtype=object),
        pd.DataFrame({"born": [pd.Timestamp("2000-01-02"), pd.NaT]}),
    ):
        assert open_table(frame, SCHEMA, ("born",)).counts()[1] >= 1


def test_unusual_arrow_types(tmp_path: Path) -> None:
    schema = Schema(
        {"n": Integer(0, 3), "c": Categorical([1, "x"])},
        population="people",
        unit=Unit("person", column="who", max_rows=9),
    )
    someone, other = uuid.UUID(int=5), uuid.UUID(int=6)
    who = pa.array([someone.bytes, someone.bytes, other.bytes], pa.uuid())
    for numbers in (
        pa.array(np.array([1, 1, 2], np.float16)),
        pa.array([Decimal(1), Decimal(1), Decimal(2)], pa.decimal128(20, 3)),
        pa.array([Decimal(1), Decimal(1), Decimal(2)], pa.decimal256(60, 3)),
        pa.array(["1", "1", "2"], pa.string_view()),
        pa.array(["1", "1", "2"]).dictionary_encode(),
        pa.array([1, 1, 2], pa.uint64()).dictionary_encode(),
        pa.array([b"1", b"1", b"2"], pa.large_binary()),
        pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([1, 2], pa.int8())),
    ):
        table = pa.table({"n": numbers, "c": numbers, "who": who})
        sources: list[object] = [table]
        if not pa.types.is_run_end_encoded(numbers.type):
            pq.write_table(table, tmp_path / "t.parquet")
            sources.append(tmp_path / "t.parquet")
        for source in sources:
            opened = open_table(source, schema, ("n", "c"))
            assert opened.records() == 2
            assert opened.counts().reshape(4, 2).tolist() == [[0, 0], [2, 0], [0, 1], [0, 0]]


def test_ten_thousand_levels_in_a_moment() -> None:
    levels = [f"level {number}" for number in range(10_000)]
    schema = Schema({"v": Categorical(levels)}, population="people", unit="person")
    chosen = np.random.default_rng(1).integers(0, 10_000, 200_000)
    table = pa.table({"v": pa.DictionaryArray.from_arrays(pa.array(chosen), pa.array(levels))})
    assert (open_table(table, schema, ("v",)).counts() == np.bincount(chosen, minlength=10_000)).all()
