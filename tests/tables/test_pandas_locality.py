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

from privior.models import ONE
from privior.models.readings import Sums
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


def counts(columns: list[Column], cells: list[list[Any]]) -> list[np.ndarray]:
    """Count the records of each of some columns of one frame, in one reading."""
    names = [f"x{place}" for place in range(len(columns))]
    schema = Schema(dict(zip(names, columns, strict=True)), population="p", unit="person")
    frame = pd.DataFrame(dict(zip(names, cells, strict=True)))
    found = open_table(frame, schema, tuple(names)).read(*(Sums((name,), (ONE,)) for name in names))
    return [one[:, 0] for one in found]


@pytest.mark.parametrize("kind", CELLS)
def test_t44_one_cell_of_another_kind_moves_one_record(kind: str) -> None:
    """An eighth of all bad cells, another one for each kind and column: any two of the three meet."""
    cells, turn = CELLS[kind], list(CELLS).index(kind)
    before = counts(COLUMNS, [[*cells, cells[0]]] * len(COLUMNS))
    for half in range(2):
        chosen = [BAD[(turn + place) % 8 :: 8][-half] for place in range(len(COLUMNS))]
        after = counts(COLUMNS, [[*cells, bad] for bad in chosen])
        for column, bad, one, other in zip(COLUMNS, chosen, before, after, strict=True):
            assert np.abs(one - other).sum() <= 2, (column, bad)


def test_the_cells_are_read_at_all() -> None:
    """The check above would pass a reader that takes everything for missing."""
    chosen = [COLUMNS[place] for place in (0, 1, 5, 2, 8)]
    kinds = ["truth", "truth", "truth", "whole", "moments"]
    found = [one.tolist() for one in counts(chosen, [CELLS[kind] for kind in kinds])]
    assert [sum(one[:-1]) for one in found[:2]] == [9, 9]
    assert found[2] == [3, 6, 0, 0]
    assert found[3][:2] == [6, 3]
    assert found[4][2] == 9
