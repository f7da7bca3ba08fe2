"""T40: a cell of an exported table is run by a spreadsheet, or commands the terminal that shows it.

Others: levels such as =HYPERLINK(...) written to CSV as they are.
"""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from twins import against

import privior as pv

LEVELS = (
    "=1+1",
    "+cmd|'/C calc'!A0",
    "-2+3",
    "@SUM(1)",
    " =2+1",
    "\uff1d1+1",
    '"=1+1',
    "a,=1+1",
    "a;=1+1",
    "plain",
)


class System(Protocol):
    def export(self, levels: Sequence[str]) -> str:
        """Return some hundred records whose cells are these levels, as CSV with one column."""


def attack(system: System) -> None:
    """Read the export as a spreadsheet would: no cell is a formula, and each is one of the levels."""
    rows = list(csv.reader(io.StringIO(system.export(LEVELS), newline="")))
    assert {len(row) for row in rows} == {1}, "a level breaks out of its cell"
    found = {row[0] for row in rows[1:]}
    assert len(found) == len(LEVELS)
    for cell in found:
        first = unicodedata.normalize("NFKC", cell.lstrip(" "))[:1]
        assert first not in tuple("=+-@\t\r\n"), f"{cell!r} is a formula"
        assert cell.removeprefix("'") in LEVELS


class Privior:
    def __init__(self, folder: Path) -> None:
        pass

    def export(self, levels: Sequence[str]) -> str:
        schema = pv.Schema({"what": pv.Categorical(levels)}, population="orchard", unit="person")
        plan = pv.plan(
            pv.DirichletCategorical("what", prior=1), schema, records=10 * len(levels), epsilon=100
        )
        table = pa.table({"what": list(levels) * 10})
        release = pv.measure(plan, table, ledger=pv.Ledger.in_memory())
        return str(pv.ask(release, "sample 600", seed=3))


class AsTheyAre:
    """Writes sound CSV, which a spreadsheet then runs."""

    def __init__(self, folder: Path) -> None:
        pass

    def export(self, levels: Sequence[str]) -> str:
        text = io.StringIO(newline="")
        csv.writer(text).writerows([["what"], *([self.cell(level)] for level in levels)])
        return text.getvalue()

    def cell(self, level: str) -> str:
        return level


class EqualsOnly(AsTheyAre):
    """Knows one sign of a formula."""

    def cell(self, level: str) -> str:
        return f"'{level}" if level.startswith("=") else level


class Joined(AsTheyAre):
    """Marks formulas, and then joins cells without quoting them."""

    def export(self, levels: Sequence[str]) -> str:
        return "\n".join(["what", *(f"'{level}" for level in levels)])


test_t40_formulas = against(attack)(
    privior={"sample": Privior},
    twins={"as they are": AsTheyAre, "equals only": EqualsOnly, "joined": Joined},
)
