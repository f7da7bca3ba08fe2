"""T33: the same people under a new file name, version or row count have a new budget.

Others: budgets that belong to a path, to the hash of a file, or to a version of a data set.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Protocol

from orchard import planned, written
from till import Till, granted
from twins import against, noise

import privior as pv


class System(Protocol):
    folder: Path

    def release(self, table: Path, version: str) -> None:
        """Release a table for the whole budget of its people, or raise."""


def attack(system: System) -> None:
    """Release last month's table; then it is renamed, gets a row, a version: there is no budget for it."""
    cells = ["apple"] * 5 + ["pear"] * 3
    table = written(system.folder, cells)
    system.release(table, "may")
    again = granted(lambda: system.release(table, "may"))
    assert not again, "there is no budget at all"
    renamed = granted(lambda: system.release(written(system.folder, cells, "fruit-final.csv"), "may"))
    assert not renamed, "a renamed file has a new budget"
    table.write_text(table.read_text() + "plum\n")
    longer = granted(lambda: system.release(table, "may"))
    assert not longer, "one more row is a new budget"
    newer = granted(lambda: system.release(table, "june"))
    assert not newer, "a new version has a new budget"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(neighbours=pv.ADD_OR_REMOVE_ONE)
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=1)

    def release(self, table: Path, version: str) -> None:
        pv.measure(self.plan, table, ledger=self.ledger, version=version)


class ByPath:
    """Keeps a budget for every file, by its name."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def release(self, table: Path, version: str) -> None:
        Till(self.folder / f"{self.name(table, version)}.till").spend(1)
        noise(3)

    def name(self, table: Path, version: str) -> str:
        return table.name


class ByContent(ByPath):
    """Knows a file again under any name, by its hash."""

    def name(self, table: Path, version: str) -> str:
        return hashlib.sha256(table.read_bytes()).hexdigest()


class ByVersion(ByPath):
    """Opens a budget for every version of the data set."""

    def name(self, table: Path, version: str) -> str:
        return version


class ByShape(ByPath):
    """Knows a table again by its columns and the number of its rows."""

    def name(self, table: Path, version: str) -> str:
        return f"fruit {len(table.read_text().splitlines())}"


test_t33_versions = against(attack)(
    privior={"measure": Privior},
    twins={"by path": ByPath, "by content": ByContent, "by version": ByVersion, "by shape": ByShape},
)
