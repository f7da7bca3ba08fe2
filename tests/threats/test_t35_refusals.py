"""T35: the cost, or the refusal, depends on the data and tells about them.

Others: a price that is found by fitting; data that are opened before the budget is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Protocol

from orchard import LEVELS, planned, written
from twins import against, seen

import privior as pv


class System(Protocol):
    folder: Path

    def charge(self, table: Path, cap: str) -> str:
        """Release a table under a cap with nothing spent, and return what was charged; or raise."""

    def quote(self) -> str:
        """Return what it will cost, without a table."""


def attack(system: System) -> None:
    """Charge very different tables: the price is the quoted one, the refusal always the same words."""
    tables: list[Sequence[object]] = [["apple"] * 40, [*LEVELS], [], ["1e999", "", "xyzzy"] * 9]
    paths = [written(system.folder, cells, f"{number}.csv") for number, cells in enumerate(tables)]
    charged = {seen(lambda path=path: system.charge(path, "10")).text for path in paths}  # type: ignore[misc]
    assert charged == {seen(system.quote).text}, "the price depends on the table"
    nowhere = [*paths, system.folder / "missing.csv"]
    refusals = {seen(lambda path=path: system.charge(path, "0.5")).text for path in nowhere}  # type: ignore[misc]
    assert len(refusals) == 1, "who is refused learns something about the table"
    assert "budget" in refusals.pop()


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(records=1000, neighbours=pv.ADD_OR_REMOVE_ONE)

    def charge(self, table: Path, cap: str) -> str:
        ledger = pv.Ledger.in_memory(population="orchard", epsilon=cap, delta=0)
        pv.measure(self.plan, table, ledger=ledger)
        return str(ledger.spent)

    def quote(self) -> str:
        return str(self.plan.cost)


class PricedByFitting:
    """Multiplies by the number of levels it has found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def charge(self, table: Path, cap: str) -> str:
        levels = len(set(table.read_text().split()[1:])) if table.exists() else 1
        return self.charged(Fraction(levels), cap)

    def charged(self, price: Fraction, cap: str) -> str:
        if price > Fraction(cap):
            raise ValueError("the budget does not allow this")
        return f"epsilon {price}"

    def quote(self) -> str:
        return "epsilon 1"


class OpenedFirst(PricedByFitting):
    """Has a fixed price, but looks for bad cells before it looks at the budget."""

    def charge(self, table: Path, cap: str) -> str:
        bad = set(table.read_text().split()) - {"fruit", *LEVELS}
        if bad and Fraction(cap) < 1:
            raise ValueError("neither the cells nor the budget allow this")
        return self.charged(Fraction(1), cap)


class AdvisedByData(PricedByFitting):
    """Refuses for everybody alike, and then advises by what is in the table."""

    def charge(self, table: Path, cap: str) -> str:
        if Fraction(cap) >= 1:
            return self.charged(Fraction(1), cap)
        rows = len(table.read_text().split()) if table.exists() else 0
        raise ValueError(f"the budget does not allow this; for {rows} records take epsilon 0.5")


test_t35_refusals = against(attack)(
    privior={"measure": Privior},
    twins={"priced by fitting": PricedByFitting, "opened first": OpenedFirst, "advised": AdvisedByData},
)
