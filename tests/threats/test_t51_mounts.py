"""T51: one ledger file is mounted twice, as containers do it, and each mount has a budget of its own.

Others: SQLite in WAL mode, whose log and locks lie beside each path; a lock file beside each path.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

import pytest
from namespaces import bind, forked, in_namespace
from orchard import planned
from till import RefusedError, Till
from twins import against

import privior as pv
from privior.ledger import file_systems

PRICE, ALLOWED, TRIES = "0.05", 20, 12

Spend = Callable[[], object]


class System(Protocol):
    path: Path

    def opened(self, path: Path) -> Spend:
        """Open the ledger under one of its names, and return what spends 0.05 of a cap of 1, or raises."""


def attack(system: System) -> None:
    """Two mounts of one file, two processes on each: together they are granted no more than the cap."""
    granted = in_namespace(lambda: _storm(system))
    assert sum(granted) <= ALLOWED, f"{sum(granted)} spends where the cap allows {ALLOWED}"


def _storm(system: System) -> list[Any]:
    mounts = [system.path.parent / f"container {number}" / "data.ledger" for number in (1, 2)]
    for place in mounts:
        place.parent.mkdir()
        place.touch()
        bind(system.path, place)

    def process(place: Path) -> Callable[[], int]:
        def run() -> int:
            os.environ["PRIVIOR_STATE"] = str(place.parent / "state")  # as in a container
            granted = 0
            try:
                spend = system.opened(place)
                for _ in range(TRIES):
                    spend()
                    granted += 1
            except (RefusedError, pv.PriviorError):
                pass
            return granted

        return run

    return forked([process(place) for place in mounts * 2])


class Privior:
    """Refuses to spend from such a file."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "ledger"
        pv.Ledger.create(self.path, population="orchard", epsilon=1)
        self.plan = planned(epsilon=PRICE)

    def opened(self, path: Path) -> Spend:
        return lambda: pv.Ledger.open(path).spend(self.plan)


class UnseenMounts(Privior):
    """Does not see that it is mounted, and has the lock on the file itself."""

    def opened(self, path: Path) -> Spend:
        def spend() -> None:
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(file_systems, "_is_mounted_itself", lambda _: False)
                pv.Ledger.open(path).spend(self.plan)

        return spend


class WriteAheadLog:
    """One transaction reads, compares and appends, durably, into a log that lies beside the path."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spends.db"
        connection = sqlite3.connect(self.path)
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE spends (epsilon TEXT NOT NULL)")
        connection.close()

    def opened(self, path: Path) -> Spend:
        connection = sqlite3.connect(path, isolation_level=None, timeout=60)

        def spend() -> None:
            connection.execute("BEGIN IMMEDIATE")
            rows = connection.execute("SELECT epsilon FROM spends").fetchall()
            if sum(Fraction(amount) for (amount,) in rows) + Fraction(PRICE) > 1:
                connection.execute("ROLLBACK")
                raise RefusedError("the budget does not allow this")
            connection.execute("INSERT INTO spends VALUES (?)", (PRICE,))
            connection.execute("COMMIT")

        return spend


class LogBesideThePath:
    """An honest till whose lock and lines lie beside the path that it was given."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "till"
        self.path.touch()

    def opened(self, path: Path) -> Spend:
        till = Till(path.with_name("log"))
        return lambda: till.spend(PRICE)


test_t51_mounts = against(attack)(
    privior={"refused": Privior, "mounts unseen": UnseenMounts},
    twins={"write-ahead log": WriteAheadLog, "log beside the path": LogBesideThePath},
)
