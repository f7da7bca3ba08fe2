"""measure: check, spend, read, draw, write, in this order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal, Protocol

from privior import __version__
from privior.curator.charging import budget_picture, charged, check, opened_book
from privior.curator.incidents import Incident
from privior.curator.own_process import OwnProcess
from privior.curator.progress import CHECKING, RELEASING, Progress, silent, tell
from privior.errors import PlanError, TableError, shown
from privior.ledger import Ledger
from privior.models import ExactStatistics, NoisyStatistics
from privior.pictures import BudgetBar
from privior.plans import Plan
from privior.release import LedgerReceipt, Release
from privior.whole_files import give_back, take_name


class Reader(Protocol):
    """Who reads the rows of a table that fits its plan."""

    process: Literal["own", "shared"]

    def check(self) -> None:
        """Raise if the rows cannot be read any more; the last look before the spend."""

    def noisy(self, incident: Incident) -> NoisyStatistics:
        """Read the cells and draw the noise."""

    def close(self) -> None:
        """Leave nothing behind."""


class Measurement:
    """A release whose every public check has passed and whose cost is not spent yet; from `prepare`.

    Use it in a `with` block, or close it, if it may not be carried out: a process may be waiting.
    """

    def __init__(self, plan: Plan, reader: Reader, ledger: Ledger, output: Path | None) -> None:
        self.plan = plan
        self.ledger = ledger
        self.output = output
        self._unread: Reader | None = reader

    def picture(self) -> BudgetBar:
        """Draw what the release will cost beside what was spent and what is left."""
        return budget_picture(self.plan, self.ledger)

    def carry_out(self, progress: Progress = silent) -> Release:
        """Spend the plan's cost, then read the table once and release its noisy statistics. Once only.

        Raises ReleaseInterruptedError, a KeyboardInterrupt, if it is interrupted after the spend.
        """
        reader, self._unread = self._unread, None
        if reader is None:
            raise PlanError("this measurement was carried out already", advice="Prepare another one.")
        try:
            return self._carried_out(reader, progress)
        finally:
            reader.close()

    def _carried_out(self, reader: Reader, progress: Progress) -> Release:
        def act(receipt: LedgerReceipt, incident: Incident) -> Release:
            tell(progress, RELEASING)
            try:
                noisy = reader.noisy(incident)
            finally:
                reader.close()  # here, so that an interruption meanwhile is one after the spend
            release = _release(self.plan, noisy, receipt, reader.process)
            if self.output is not None:
                incident.begin("writing")
                release.write(self.output)
            return release

        reader.check()
        if self.output is None:
            return charged(self.plan, self.ledger, act)
        _taken(self.output)
        try:
            tell(progress, f"spending {self.plan.cost}")
            return charged(self.plan, self.ledger, act, self.output)
        finally:
            give_back(self.output)

    def close(self) -> None:
        """Let go of the table without a spend, unless it was read already."""
        reader, self._unread = self._unread, None
        if reader is not None:
            reader.close()

    def __enter__(self) -> Measurement:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def prepare(
    plan: Plan,
    table: object,
    *,
    ledger: Ledger | str | Path,
    output: str | Path | None = None,
    progress: Progress = silent,
) -> Measurement:
    """Check all that can be checked before the spend; takes what `measure` takes."""
    if not isinstance(plan, Plan):
        raise PlanError("not a plan", asked=shown(plan), advice="Make one with pv.plan(...).")
    book = opened_book(ledger)
    place = None if output is None else _checked_output(output)
    check(plan, book)
    return Measurement(plan, _reader(plan, table, progress), book, place)


def measure(
    plan: Plan, table: object, *, ledger: Ledger | str | Path, output: str | Path | None = None
) -> Release:
    """Spend the plan's cost, then read the table once and release its noisy statistics.

    Args:
        plan: what to release; from `pv.plan`
        table: a path or glob of CSV or Parquet files, which a process of its own reads; or an Arrow table, a
            pandas or polars frame, or an Ibis table, which are read in this one
        ledger: the population's ledger, or the path of its file
        output: where to write the release file as well

    Raises ReleaseInterruptedError, a KeyboardInterrupt, if it is interrupted after the spend.
    """
    return prepare(plan, table, ledger=ledger, output=output).carry_out()


def measure_statistics(plan: Plan, statistics: ExactStatistics, *, ledger: Ledger) -> Release:
    """Spend the plan's cost and release statistics that are already counted: the door for other curators."""
    from privior.curator.rows import drawn

    def act(receipt: LedgerReceipt, incident: Incident) -> Release:
        return _release(plan, drawn(plan, statistics, incident), receipt, "shared")

    return charged(plan, ledger, act)


def _reader(plan: Plan, table: object, progress: Progress) -> Reader:
    """Let a process of its own read a file; what is not a file can only be read here."""
    tell(progress, CHECKING)
    if isinstance(table, (str, os.PathLike)):
        return OwnProcess(plan, os.fsdecode(table), progress)
    from privior.curator.shared_process import SharedProcess  # loads what reads rows

    return SharedProcess(plan, table, progress)


def _release(
    plan: Plan, noisy: NoisyStatistics, receipt: LedgerReceipt, process: Literal["own", "shared"]
) -> Release:
    return Release(plan, noisy, receipt, os.urandom(16).hex(), __version__, process)


def _checked_output(output: str | Path) -> Path:
    if not isinstance(output, (str, Path)):
        raise TableError("not the path of a release file", asked=shown(output))
    place = Path(output)
    _taken(place)
    give_back(place)
    return place


def _taken(place: Path) -> None:
    """Take the name of the release file, so that nobody else writes there."""
    try:
        take_name(place)
    except FileExistsError:
        raise TableError(
            "the release file exists already", where=str(place), advice="Choose another name."
        ) from None
    except (OSError, ValueError):
        raise TableError("the release file cannot be written there", where=shown(str(place))) from None
