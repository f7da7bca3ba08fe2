"""T44 for pandas, which chooses the type of a column by looking at all its cells.

One bad cell may turn a column of truth values or moments into a column of Python objects. Every other cell
must count as before: replacing one cell moves the counts by at most one record.
"""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import pytest

from privior.schema import Binned, Boolean, Bounded, Categorical, Column, Date, Integer, Schema
from privior.tables import open_table

HALF = dt.datetime(2020, 1, 1, 23, 59, 59, 500_000)
CELLS: dict[str, list[Any]] = {
    "truth": [True] * 6 + [False] * 3,
    "whole": [1] * 6 + [2] * 3,
    "numbers": [0.1] * 6 + [2.0] * 3,
    "least": [-(2.0**63)] * 6 + [1e16] * 3,
    "huge": [2**63 + 1] * 9,
    "text": ["true"] * 4 + ["1"] * 3 + ["2020-01-01"] * 2,
    "moments": [dt.datetime(2020, 1, 1, 12, 30)] * 6 + [HALF] * 3,
    "days": [dt.date(2020, 1, 1)] * 9,
    "zoned": [pd.Timestamp("2020-01-01 23:30", tz="US/Eastern")] * 9,
    "durations": [dt.timedelta(hours=1)] * 9,
}
COLUMNS: list[Column] = [
    Categorical(["True", "False", "other"]),
    Categorical([True, False, "other"]),
    Categorical(["1", "2", "0.1", str(HALF), "2020-01-01", "0 days 01:00:00", "1:00:00", "other"]),
    Categorical(["2020-01-01 23:59:59.5", "2020-01-01 00:00:00", str(-(2**63)), str(10**16), "other"]),
    Boolean(missing=True),
    Integer(0, 3, missing=3),
    Bounded(0, 3, grid=1, missing=3),
    Binned([0, 1, 2, 3], missing=2),
    Date("2019-12-30", "2020-01-05", missing="2019-12-30"),
]
BAD: list[object] = [
    None,
    "x",
    True,
    1.5,
    float("nan"),
    10**30,
    1 + 2j,
    1 + 0j,
    dt.datetime(1, 1, 1),
    dt.date(2020, 1, 3),
    dt.timedelta(days=1),
    pd.Timestamp("2020-01-05 00:00:00.000000001"),
    pd.Timestamp("2020-01-05", tz="Asia/Tokyo"),
    b"\xff",
    object(),
]


def counts(column: Column, cells: list[object]) -> np.ndarray:
    schema = Schema({"x": column}, population="p", unit="person")
    return open_table(pd.DataFrame({"x": cells}), schema, ("x",)).counts()


@pytest.mark.parametrize("kind", CELLS)
def test_t44_one_cell_of_another_kind_moves_one_record(kind: str) -> None:
    """An eighth of all bad cells, another one for each kind and column: any two of the three meet."""
    cells, turn = CELLS[kind], list(CELLS).index(kind)
    for place, column in enumerate(COLUMNS):
        before = counts(column, [*cells, cells[0]])
        for bad in BAD[(turn + place) % 8 :: 8]:
            after = counts(column, [*cells, bad])
            assert np.abs(before - after).sum() <= 2, (column, bad)


def test_the_cells_are_read_at_all() -> None:
    """The check above would pass a reader that takes everything for missing."""
    assert [int(counts(column, CELLS["truth"])[:-1].sum()) for column in COLUMNS[:2]] == [9, 9]
    assert counts(COLUMNS[5], CELLS["truth"]).tolist() == [3, 6, 0, 0]
    assert counts(COLUMNS[2], CELLS["whole"]).tolist()[:2] == [6, 3]
    assert counts(COLUMNS[8], CELLS["moments"]).tolist()[2] == 9
