"""T14: one missing or infinite cell poisons the output, stops the release, or changes how many count.

Others: sums that become NaN, exceptions on null, rows dropped where their number is public.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from orchard import counted, planned, written
from twins import against, noise, noise_tape, seen

import privior as pv
from privior.schema import Column

#: cells that stand for nothing, or for too much
POISON: tuple[object, ...] = (None, math.nan, math.inf, -math.inf, "", "nan", "1e999", pd.NA, pd.NaT)


class System(Protocol):
    def release(self, cells: Sequence[object]) -> Sequence[float]:
        """Release noisy counts of the cells; the number of records is public."""


def attack(system: System) -> None:
    """Poison one of a hundred cells: it is still one record that moves the counts, and the total stays."""
    good: list[object] = [*["apple"] * 50, *["pear"] * 30, *["plum"] * 20]
    before = _released(system, good)
    for poison in POISON:
        for cells in ([poison, *good[1:]], [*good[:-1], poison]):
            after = _released(system, cells)
            assert after, f"{poison!r} stops the release"
            assert all(math.isfinite(count) for count in after), f"{poison!r} poisons the output"
            assert sum(after) == sum(before), f"{poison!r} changes how many count"
            moved = sum(abs(one - other) for one, other in zip(before, after, strict=True))
            assert moved <= 2, f"{poison!r} moves more than one record"


def _released(system: System, cells: Sequence[object]) -> list[float]:
    """Release with the tape; nothing if it fails."""
    with noise_tape():
        found = seen(lambda: system.release(cells))
    return [] if found.failure else list(found.value)


class Privior:
    """The cells as a frame of Python objects, where a column may hold anything."""

    column: Column | None = None

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(column=self.column)

    def release(self, cells: Sequence[object]) -> Sequence[float]:
        return pv.measure(self.plan, self.table(cells), ledger=pv.Ledger.in_memory()).statistics.counts

    def table(self, cells: Sequence[object]) -> object:
        return pd.DataFrame({"fruit": pd.Series(list(cells), dtype=object)})


class PriviorText(Privior):
    def table(self, cells: Sequence[object]) -> object:
        return written(self.folder, cells)


class PriviorNumbers(Privior):
    """Fruit as numbers; the poison reaches the engine as a true NaN, infinity or null."""

    column: Column | None = pv.Bounded(0, 2, grid="0.5")

    def table(self, cells: Sequence[object]) -> object:
        return pd.DataFrame({"fruit": [_number(cell) for cell in cells]})


class PriviorIntegers(PriviorNumbers):
    column = pv.Integer(0, 2)


class PriviorParquet(PriviorNumbers):
    column = pv.Binned([0, 1, 2, 3])

    def table(self, cells: Sequence[object]) -> object:
        path = self.folder / "fruit.parquet"
        numbers = [None if cell is None else _number(cell) for cell in cells]
        pq.write_table(pa.table({"fruit": pa.array(numbers, pa.float64())}), path)
        return path


def _number(cell: object) -> float:
    if isinstance(cell, float):
        return cell
    places = {"apple": 0.0, "pear": 1.0, "plum": 2.0, "1e999": math.inf}
    return places.get(cell, math.nan) if isinstance(cell, str) else math.nan


class Poisoned:
    """Adds up numbers as they come: one NaN and every sum is NaN."""

    def __init__(self, folder: Path) -> None:
        pass

    def release(self, cells: Sequence[object]) -> Sequence[float]:
        numbers = [_number(cell) for cell in cells]
        return [sum(numbers) + noise(1)[0]]


class Raising(Poisoned):
    """Converts every cell, and stops at the one that cannot be."""

    def release(self, cells: Sequence[object]) -> Sequence[float]:
        return [sum(("apple", "pear", "plum").index(str(cell)) for cell in cells) + noise(1)[0]]


class Dropping(Poisoned):
    """Leaves rows with a missing cell out, although the number of rows is public."""

    def release(self, cells: Sequence[object]) -> Sequence[float]:
        kept = [cell for cell in cells if cell in ("apple", "pear", "plum")]
        return [count + z for count, z in zip(counted(kept), noise(3), strict=True)]


test_t14_missing_cells = against(attack)(
    privior={
        "pandas": Privior,
        "csv": PriviorText,
        "bounded": PriviorNumbers,
        "integer": PriviorIntegers,
        "parquet": PriviorParquet,
    },
    twins={"poisoned": Poisoned, "raising": Raising, "dropping": Dropping},
)
