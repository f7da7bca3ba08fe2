"""T15: a cell that cannot be read raises, and the message quotes it.

Others: exceptions of converters with row and value, warnings in logs, causes that hang on a tidy error.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from orchard import planned, written
from twins import against, noise, seen

import privior as pv
from privior.schema import Column

_log = logging.getLogger("threats.twin")
CANARY = "12O-xyzzy"


class Hostile:
    """An object whose text is an exception."""

    def __str__(self) -> str:
        raise ValueError(CANARY)

    __repr__ = __str__


class System(Protocol):
    def release(self, cells: Sequence[object]) -> object:
        """Release something about a column of whole numbers; 100 cells."""


def attack(system: System) -> None:
    """Put a cell into a column of numbers that is none: nothing raises, and the cell shows nowhere."""
    for bad in (CANARY, f"2026-01-02 {CANARY}", f'"{CANARY}', f"{CANARY},7", f"\x00{CANARY}", f"1{CANARY}e5"):
        found = seen(lambda bad=bad: system.release([3] * 99 + [bad]))  # type: ignore[misc]
        assert CANARY not in found.text
        assert "xyzzy" not in found.text
        assert found.failure is None


class Privior:
    column: Column = pv.Integer(0, 5)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(column=self.column)

    def release(self, cells: Sequence[object]) -> object:
        place = self.folder / f"{len(list(self.folder.iterdir()))}.json"
        ledger = pv.Ledger.in_memory()
        release = pv.measure(self.plan, self.table(cells), ledger=ledger, output=place)
        return place.read_text() + str(release) + str(ledger)

    def table(self, cells: Sequence[object]) -> object:
        return written(self.folder, cells)


class PriviorBounded(Privior):
    column: Column = pv.Bounded(0, 5, grid=1)


class PriviorBinned(Privior):
    column: Column = pv.Binned([0, 3, 5])


class PriviorDays(Privior):
    column: Column = pv.Date("2026-01-01", "2026-01-09")


class PriviorTruth(Privior):
    column: Column = pv.Boolean()


class PriviorObjects(Privior):
    def table(self, cells: Sequence[object]) -> object:
        return pd.DataFrame({"fruit": pd.Series([*cells[:-2], Hostile(), cells[-1]], dtype=object)})


class PriviorArrow(Privior):
    def table(self, cells: Sequence[object]) -> object:
        return pa.table({"fruit": [str(cell) for cell in cells]})


class PriviorParquet(PriviorArrow):
    def table(self, cells: Sequence[object]) -> object:
        pq.write_table(super().table(cells), self.folder / "fruit.parquet")
        return self.folder / "fruit.parquet"


class Converting:
    """int(cell), whose message quotes what it could not read."""

    def __init__(self, folder: Path) -> None:
        pass

    def release(self, cells: Sequence[object]) -> object:
        return sum(int(str(cell)) for cell in cells) + noise(1)[0]


class TidyError(Converting):
    """Says nothing itself, but the cause hangs on the exception, for every log that prints it."""

    def release(self, cells: Sequence[object]) -> object:
        try:
            return super().release(cells)
        except ValueError:
            raise RuntimeError("a cell cannot be read")  # noqa: B904 - the fault


class Logging(Converting):
    """Counts the bad cell as 0, and tells a log what it was."""

    def release(self, cells: Sequence[object]) -> object:
        total = 0
        for row, cell in enumerate(cells):
            try:
                total += int(str(cell))
            except ValueError:
                _log.debug("row %d: %r taken as 0", row, cell)
        return total + noise(1)[0]


test_t15_unparseable_cells = against(attack)(
    privior={
        "integer": Privior,
        "bounded": PriviorBounded,
        "binned": PriviorBinned,
        "date": PriviorDays,
        "boolean": PriviorTruth,
        "objects": PriviorObjects,
        "arrow": PriviorArrow,
        "parquet": PriviorParquet,
    },
    twins={"converting": Converting, "tidy error": TidyError, "logging": Logging},
)
