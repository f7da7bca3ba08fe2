"""T45: one cell decides how all other rows are read, and one record moves sums by more than it can add.

Others: a fast reader that stops at a cell and hands the whole file to another one; an engine that believes
the statistics of a column; a column whose type follows from all of its cells.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import pytest
from one_record import Trial, fault
from twins import against

from privior.tables import parquet
from privior.tables.parquet import Parquet
from privior.tables.relations import Relation

#: NaN beside numbers within bounds, and a record out of bounds: what the statistics of the column say changes
NOT_NUMBERS = Trial("parquet", ("float64",), ("integer",), ((17,),) * 30 + ((2,),) * 30, (40, (15,)), ())
#: one text that is not UTF-8 among others that are
BROKEN = Trial("parquet", ("broken",), ("categorical",), ((21,),) * 60, (3, (0,)), ())


class System(Protocol):
    def fault(self, trial: Trial) -> str | None:
        """Return what is wrong with two tables that differ in one record, None if nothing is."""


def attack(system: System) -> None:
    """Replace one record by one that readers differ on: exact statistics move by no more than it."""
    for trial in (NOT_NUMBERS, BROKEN):
        wrong = system.fault(trial)
        assert wrong is None, wrong


class Reader:
    """The readers of privior, by the checker of the one-record fuzzer."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def fault(self, trial: Trial) -> str | None:
        return fault(trial, self.folder)


class Believing(Reader):
    """An engine that leaves out rows by what a file says of its columns."""

    def fault(self, trial: Trial) -> str | None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(parquet, "_OPTIONS", "hive_partitioning = false, utf8_validation = 'replace'")
            return super().fault(trial)


class Chosen(Reader):
    """A second reader, which takes all text for missing, for files that stop the first one."""

    def fault(self, trial: Trial) -> str | None:
        relation = Parquet.relation

        @contextmanager
        def careless(files: Parquet) -> Iterator[Relation]:
            with relation(files) as found:
                cell = found.rows["c0"]
                stopped = cell.type().is_string() and b"\xff" in files.files.paths[0].read_bytes()
                rows = found.rows.mutate(c0=cell.nullif(cell)) if stopped else found.rows
                yield replace(found, rows=rows)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Parquet, "relation", careless)
            return super().fault(trial)


test_t45_one_cell = against(attack)(
    privior={"readers": Reader},
    twins={"statistics": Believing, "second reader": Chosen},
)
