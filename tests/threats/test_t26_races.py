"""T26: several processes look at a budget, see that there is room, and all take it.

Others: check-then-insert; a lock that only threads see; a file that is read, changed and replaced.
"""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol

import pytest
from orchard import planned
from till import granted
from twins import against

import privior as pv
from privior.ledger.rules import next_entry

CAP, PROCESSES = 2, 4
#: seconds that who has looked waits for the others; a sound ledger lets them wait for him
_WAIT = 1.0

Meet = Callable[[], None]


class System(Protocol):
    def spend(self, meet: Meet) -> None:
        """Spend 1 of a cap of 2, or raise; waits for the others wherever it has looked and not written."""

    def spent(self) -> int:
        """Return what the ledger says."""


def attack(system: System) -> None:
    """Let four processes look before any of them writes: two are granted, and both are written down."""
    context: Any = multiprocessing.get_context("fork")
    start, looked = context.Barrier(PROCESSES), context.Barrier(PROCESSES)
    answers = context.Queue()
    given = (system, start, looked, answers)
    children = [context.Process(target=_spend, args=given, daemon=True) for _ in range(PROCESSES)]
    for child in children:
        child.start()
    grants = [answers.get(timeout=60) for _ in children]
    for child in children:
        child.join(60)
    assert sum(grants) == CAP, f"{sum(grants)} spends where the cap allows {CAP}"
    assert system.spent() == CAP, "a spend was lost"


def _spend(system: System, start: Any, looked: Any, answers: Any) -> None:
    def meet() -> None:
        with suppress(threading.BrokenBarrierError):  # the others wait for the ledger: on we go
            looked.wait(_WAIT)

    start.wait(60)
    answers.put(granted(lambda: system.spend(meet)))


class Privior:
    """Waits where `spend` looks first, and again inside the transaction, before it appends."""

    def __init__(self, folder: Path) -> None:
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=CAP)
        self.plan = planned()

    def spend(self, meet: Meet) -> None:
        def slow(*given: Any) -> Any:
            entry = next_entry(*given)
            meet()
            return entry

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("privior.ledger.ledger.next_entry", slow)
            self.ledger.spend(self.plan)

    def spent(self) -> int:
        return int(self.ledger.verify().spent.epsilon)


class CheckThenInsert:
    """Both steps are right, and durable, and not one."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spends.db"
        with sqlite3.connect(self.path) as connection:
            connection.execute("CREATE TABLE spends (epsilon INTEGER NOT NULL)")
        connection.close()

    def spend(self, meet: Meet) -> None:
        room = self.spent() < CAP
        meet()
        if not room:
            raise pv.BudgetExceededError("the budget does not allow this")
        connection = sqlite3.connect(self.path)
        with connection:
            connection.execute("INSERT INTO spends VALUES (1)")
        connection.close()

    def spent(self) -> int:
        connection = sqlite3.connect(self.path)
        (found,) = connection.execute("SELECT count(*) FROM spends").fetchone()
        connection.close()
        return int(found)


class LockedThreads(CheckThenInsert):
    """Has a lock, of which every process has its own."""

    lock = threading.Lock()

    def spend(self, meet: Meet) -> None:
        with self.lock:
            super().spend(meet)


class Replaced:
    """Writes the new total as a whole file, safely, over that of somebody else."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "total"
        self.path.write_text("0")

    def spend(self, meet: Meet) -> None:
        total = self.spent()
        if total >= CAP:
            raise pv.BudgetExceededError("the budget does not allow this")
        meet()
        draft = self.path.with_suffix(f".{os.getpid()}")
        draft.write_text(str(total + 1))
        draft.replace(self.path)

    def spent(self) -> int:
        return int(self.path.read_text())


test_t26_races = against(attack)(
    privior={"ledger": Privior},
    twins={"check then insert": CheckThenInsert, "locked threads": LockedThreads, "replaced": Replaced},
)
