"""T36: how a release fails tells something about the rows: one bit a query is enough.

Others: the text of the exception; an exit code for each kind of error; steps that are told as they are done;
a refund where nothing was drawn.
"""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import pandas as pd
import pytest
from orchard import planned, written
from test_bad_input import ANALYSIS
from till import Till
from twins import against, seen

import privior as pv
from child_program import PROGRAM, at, planted
from privior.cli import main

STEPS = ("reading", "drawing", "writing")
CELL = "Kanarienvogel-17"


@dataclass(frozen=True)
class Ended:
    """How a release ended: its exit code, all that shows of it, what is then spent."""

    code: object
    shown: str
    spent: str


class System(Protocol):
    def release(self, fault: str) -> Ended:
        """Make a first release, which fails in this step."""


def attack(system: System) -> None:
    """Fail in each step: code, words and budget are the same, and no cell is among them."""
    ended = [system.release(fault) for fault in STEPS]
    assert len({one.code for one in ended}) == 1, "the exit code tells the step"
    assert len({one.shown for one in ended}) == 1, "the words tell the step"
    assert len({one.spent for one in ended}) == 1, "the budget tells the step"
    assert CELL not in ended[0].shown, "a cell is shown"


class Privior:
    """A live table, in this process."""

    places: dict[str, str] = {  # noqa: RUF012 - constant
        "reading": "privior.tables.table.OpenTable.read",
        "drawing": "privior.mechanisms.tables.k_norm.k_norm",
        "writing": "privior.release.release.write_whole",
    }

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.table = pd.DataFrame({"fruit": ["apple"] * 99 + [CELL]})

    def release(self, fault: str) -> Ended:
        ledger = pv.Ledger.in_memory(population="orchard", epsilon=2)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(self.places[fault], _fails)
            shown = seen(
                lambda: pv.measure(planned(), self.table, ledger=ledger, output=self.folder / "r.json")
            )
        return Ended((shown.failure or "").partition(":")[0], shown.text, str(ledger.verify().spent))


def _fails(*_: object) -> None:
    raise ValueError(f"row 99: {CELL}")


class PriviorProgram:
    """A file, by the command line; each time in the same folder, with the same ledger."""

    acts: dict[str, str] = {  # noqa: RUF012 - constant
        "reading": at("privior.tables.table:OpenTable.read", f"raise ValueError({CELL!r})"),
        "drawing": at("privior.mechanisms.tables.k_norm:k_norm", "raise MemoryError"),
        "writing": at("privior.mechanisms.tables.k_norm:k_norm", "import shutil; shutil.rmtree('out')"),
    }

    def __init__(self, folder: Path) -> None:
        self.first, self.folder = folder / "first", folder / "here"
        self.first.mkdir()
        (self.first / "out").mkdir()
        (self.first / "a.toml").write_text(ANALYSIS)
        written(self.first, ["apple"] * 99 + [CELL])
        pv.Ledger.create(self.first / "orchard.ledger", population="orchard", epsilon=2)

    def release(self, fault: str) -> Ended:
        shutil.rmtree(self.folder, ignore_errors=True)
        shutil.copytree(self.first, self.folder)
        arguments = ["release", "a.toml", "fruit.csv", "-l", "orchard.ledger", "-o", "out/r.json", "--yes"]
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.folder)
            patch.setenv("PRIVIOR_STATE", str(self.folder / "state"))
            patch.setattr(PROGRAM, lambda: planted(self.acts[fault]))
            patch.setattr(sys, "argv", ["privior", *arguments])
            shown = seen(_code_of_main)
        return Ended(shown.value, shown.text, str(pv.Ledger.open(self.folder / "orchard.ledger").spent))


def _code_of_main() -> object:
    try:
        main()
    except SystemExit as end:
        return end.code
    return 0


class Quotes:
    """Hands the exception on: whoever asks shall know what to repair."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def release(self, fault: str) -> Ended:
        (self.folder / "till").unlink(missing_ok=True)
        till = Till(self.folder / "till")
        till.spend(1)
        shown = seen(lambda: self.attempt(fault, till))
        return Ended(shown.value, shown.said, str(till.spent))

    def attempt(self, fault: str, till: Till) -> object:
        for step in STEPS:
            self.begin(step)
            try:
                if step == fault:
                    _failing(step)
            except (ValueError, MemoryError, OSError) as error:
                return self.answer(error, step, till)
        return 0

    def begin(self, step: str) -> None:
        pass

    def answer(self, error: Exception, step: str, till: Till) -> object:
        print(error)
        return 1


def _failing(step: str) -> None:
    if step == "reading":
        raise ValueError(f"row 99: {CELL}")
    if step == "drawing":
        raise MemoryError("no memory for the noise")
    raise OSError("no space left on device")


class ExitCodes(Quotes):
    """One sentence for all, and the exit codes that programs usually have."""

    def answer(self, error: Exception, step: str, till: Till) -> object:
        print("the release failed; its budget is spent")
        return 74 if isinstance(error, OSError) else 65


class Steps(Quotes):
    """One sentence and one code, and a line for every step that begins."""

    def begin(self, step: str) -> None:
        print(f"{step}...")

    def answer(self, error: Exception, step: str, till: Till) -> object:
        print("the release failed; its budget is spent")
        return 7


class Refunds(Quotes):
    """Does not charge for what failed before anything was drawn."""

    def answer(self, error: Exception, step: str, till: Till) -> object:
        if step == "reading":
            till.path.write_text("")
        print("the release failed")
        return 7


test_t36_failures = against(attack)(
    privior={"live": Privior, "program": PriviorProgram},
    twins={"quotes": Quotes, "exit codes": ExitCodes, "steps": Steps, "refunds": Refunds},
)
