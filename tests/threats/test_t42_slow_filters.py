"""T42: every spend looks at all earlier ones, until somebody switches the ledger off.

Work is counted in steps of SQLite's machine, never in seconds.
"""

from __future__ import annotations

import hashlib
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Protocol

from orchard import planned
from sqlite_work import steps_of
from twins import against

import privior as pv

FEW, MANY = 5, 40


class System(Protocol):
    def spend(self, number: int) -> None:
        """Spend a little, for the n-th time."""


def attack(system: System) -> None:
    """A spend after 40 others is as much work as one after 5."""
    for number in range(FEW):
        system.spend(number)
    early = steps_of(lambda: system.spend(FEW))
    for number in range(FEW + 1, MANY):
        system.spend(number)
    late = steps_of(lambda: system.spend(MANY))
    if early < 10:
        raise RuntimeError("the work is not counted")
    assert late <= early + 20, f"{early} steps after {FEW} spends, {late} after {MANY}"


class Privior:
    kind = "basic"

    def __init__(self, folder: Path) -> None:
        self.plan = planned(epsilon="0.001")
        self.ledger = pv.Ledger.create(
            folder / "ledger", population="orchard", epsilon=1, delta="1e-6", accounting=self.kind
        )

    def spend(self, number: int) -> None:
        self.ledger.spend(self.plan)


class PriviorKeyed(Privior):
    """With all that a spend looks up: its key, its analyst's share and what she has spent."""

    kind = "concentrated"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for name in ("ann", "ben"):
            self.ledger.allow(name, "1/2")

    def spend(self, number: int) -> None:
        entry = self.ledger.spend(self.plan, key=f"spend {number}", analyst=("ann", "ben")[number % 2])
        self.ledger.finish(entry, "text")


class Summed:
    """Asks the database for the sum: one statement, and every row."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spends.db"
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("CREATE TABLE spends (number INTEGER PRIMARY KEY, cost INTEGER, mark TEXT)")
            connection.execute("INSERT INTO spends VALUES (-1, 0, '')")

    def spend(self, number: int) -> None:
        with closing(sqlite3.connect(self.path)) as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            mark = self.checked(connection, number)
            connection.execute("INSERT INTO spends VALUES (?, 1, ?)", (number, mark))

    def checked(self, connection: sqlite3.Connection, number: int) -> str:
        (total,) = connection.execute("SELECT sum(cost) FROM spends").fetchone()
        if total >= 1000:
            raise pv.BudgetExceededError("the budget does not allow this")
        return ""


class Verified(Summed):
    """Has a running total, and walks the whole chain of hashes before it believes it."""

    def checked(self, connection: sqlite3.Connection, number: int) -> str:
        before = ""
        for (mark,) in connection.execute("SELECT mark FROM spends ORDER BY number"):
            if mark != before:
                raise pv.LedgerError("the chain is broken")
            before = hashlib.sha256(mark.encode()).hexdigest()
        return before


class NoIndex(Summed):
    """Has a running total, and looks for the key of the request in a column without an index."""

    def checked(self, connection: sqlite3.Connection, number: int) -> str:
        key = f"spend {number}"
        if connection.execute("SELECT 1 FROM spends WHERE mark = ?", (key,)).fetchone():
            raise pv.KeyConflictError("this key was charged already")
        return key


test_t42_slow_filters = against(attack)(
    privior={"plain": Privior, "keys and quotas": PriviorKeyed},
    twins={"summed": Summed, "verified": Verified, "no index": NoIndex},
)
