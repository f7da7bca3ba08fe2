"""T52: a byte of the ledger's file is damaged, an entry is no longer found, and its key is charged again.

Others: any table with an index, which is believed when it says that there is no such row.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from typing import Protocol

import pytest
from flips import FlippedLedger, hiding
from twins import against

from privior.ledger import sqlite
from privior.ledger.postgres import ServerPage


class System(Protocol):
    path: Path

    def granted(self) -> list[str]:
        """Return the names of what is granted, though it was used up before."""


def attack(system: System) -> None:
    """Let every page of the file in turn forget cells: nothing is granted that was refused."""
    whole = system.path.read_bytes()
    assert system.granted() == []
    for flip in hiding(whole):
        content = bytearray(whole)
        content[flip.place] = flip.value
        system.path.write_bytes(content)
        found = system.granted()
        assert not found, f"granted after byte {flip.place}: {found}"


def long_open(folder: Path) -> FlippedLedger:
    """Open it in a process that had looked at the whole file before."""
    ledger = FlippedLedger(folder / "ledger")
    ledger.long_open()
    return ledger


class Believing:
    """Privior without its second look."""

    def __init__(self, folder: Path) -> None:
        self._ledger = long_open(folder)
        self.path = self._ledger.path

    def granted(self) -> list[str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite, "FilePage", ServerPage)
            return self._ledger.granted()


class UniqueKeys:
    """A table whose keys are unique, as its index says."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spends.db"
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("CREATE TABLE spends (number INTEGER PRIMARY KEY, key TEXT UNIQUE)")
            connection.executemany("INSERT INTO spends (key) VALUES (?)", [(f"key {n}",) for n in range(200)])

    def granted(self) -> list[str]:
        return [key for key in ("key 0", "key 100", "key 199") if self._is_new(key)]

    def _is_new(self, key: str) -> bool:
        with suppress(sqlite3.Error), closing(sqlite3.connect(self.path)) as connection:
            return connection.execute("SELECT 1 FROM spends WHERE key = ?", (key,)).fetchone() is None
        return False


test_t52_damage = against(attack)(
    privior={"long open": long_open},
    twins={"one look": Believing, "unique keys": UniqueKeys},
)
