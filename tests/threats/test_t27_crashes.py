"""T27: a process is killed between spending, drawing, storing and showing, and something was free.

Others: what never ended is given back; the budget is charged when all has gone well; a total in memory that
is written on the way out.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import numpy as np
from orchard import planned
from till import Till
from twins import against, noise

import privior as pv
from child_program import KILLED, at
from privior.curator import measure_statistics
from privior.models import ExactStatistics


class System(Protocol):
    folder: Path
    steps: int

    def release(self, step: int, shown: Path) -> None:
        """Make a release in this process, which is killed before this step; the last step has passed all."""

    def spent(self) -> int:
        """Start again after whatever happened, and return how many releases are paid for."""


def attack(system: System) -> None:
    """Kill at every step: whatever was shown is paid for, and a release after that is charged as well."""
    shown, made = system.folder / "shown", 0
    for step in range(system.steps + 1):
        before = system.spent()
        shown.unlink(missing_ok=True)
        killed = _in_a_process(lambda step=step: system.release(step, shown))  # type: ignore[misc]
        if killed != (step < system.steps):
            raise RuntimeError(f"step {step} is not where it should be")
        made += shown.exists()
        assert system.spent() >= before, "a spend was given back"
        assert system.spent() >= made, f"killed before step {step}: more was shown than is paid for"
    assert shown.exists(), "the release that nobody killed shows nothing"


def _in_a_process(act: Callable[[], None]) -> bool:
    """Do something in a process of its own, and say whether it was killed meanwhile."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except BaseException:
            os._exit(1)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status) != 0:
        raise RuntimeError("the process failed")
    return os.WIFSIGNALED(status)


class Privior:
    """Killed before and after each of its steps, then before the file is written."""

    places = (
        ("privior.ledger.ledger:Ledger.spend", "before"),
        ("privior.ledger.pages:Page.append", "after"),
        ("privior.ledger.ledger:Ledger.spend", "after"),
        ("privior.mechanisms.tables.k_norm:k_norm", "before"),
        ("privior.mechanisms.tables.k_norm:k_norm", "after"),
        ("privior.ledger.pages:Page.close", "after"),
        ("privior.ledger.ledger:Ledger.finish", "after"),
        ("privior.release.release:write_whole", "before"),
        ("privior.release.release:write_whole", "after"),
    )
    steps = len(places)

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=100)
        self.plan = planned()

    def release(self, step: int, shown: Path) -> None:
        if step < self.steps:
            place, when = self.places[step]
            exec(at(place, KILLED, when), {})
        statistics = ExactStatistics(np.array([50, 30, 20]))
        measure_statistics(self.plan, statistics, ledger=self.ledger).write(shown)

    def spent(self) -> int:
        return int(pv.Ledger.open(self.ledger.where).verify().spent.epsilon)


class SpendsLast:
    """Charges for what was released, once it is; each step is a durable one."""

    order: tuple[str, ...] = ("show", "spend")
    steps = 2

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.till = Till(folder / "till", cap=100)

    def release(self, step: int, shown: Path) -> None:
        for name in self.order[:step]:
            getattr(self, name)(shown)
        if step < self.steps:
            os.kill(os.getpid(), signal.SIGKILL)

    def spend(self, shown: Path) -> None:
        self.till.spend(1)

    def show(self, shown: Path) -> None:
        shown.write_text(str(50 + noise(1)[0]))

    def spent(self) -> int:
        return int(self.till.spent)


class Refunds(SpendsLast):
    """Reserves first, and when it starts again gives back what was not committed."""

    order = ("spend", "show", "commit")
    steps = 3

    def commit(self, shown: Path) -> None:
        with (self.folder / "committed").open("a") as file:
            file.write("1\n")

    def spent(self) -> int:
        committed = self.folder / "committed"
        kept = committed.read_text() if committed.exists() else ""
        self.till.path.write_text(kept)
        return int(self.till.spent)


class Buffered(SpendsLast):
    """Spends first, in memory; the file is written when the process ends well."""

    order = ("count", "show", "spend")
    steps = 3

    def count(self, shown: Path) -> None:
        self.counted = 1


test_t27_crashes = against(attack)(
    privior={"ledger": Privior},
    twins={"spends last": SpendsLast, "refunds": Refunds, "buffered": Buffered},
)
