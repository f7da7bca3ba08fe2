"""The curator: the only part that sees rows, noise and the ledger together.

The order is the privacy argument. Everything that can be checked from public facts is checked first, the
number of records too where it is public; then the cost is spent, durably; only then are the cells read,
the noise drawn and the release written.
What fails before the spend says why and costs nothing. What fails after it has one answer, whatever the
cause, because the cause may depend on the data; the spend stands.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from privior import __version__
from privior.errors import (
    LedgerError,
    PlanError,
    ReleaseFailedError,
    ReleaseInterruptedError,
    TableError,
    shown,
)
from privior.interrupts import single_interrupt
from privior.ledger import Ledger, LedgerEntry
from privior.models import ExactStatistics
from privior.pictures import BudgetBar
from privior.plans import Plan
from privior.privacy import REPLACE_ONE
from privior.release import LedgerReceipt, Release
from privior.schema import CsvDialect
from privior.tables import OpenTable, engine_version, named_columns, open_table
from privior.whole_files import give_back, take_name

__all__ = ["engine_version", "header", "measure", "measure_statistics", "prepare"]

#: is told each step before it begins
Progress = Callable[[str], None]


def _silent(step: str) -> None:
    """Say nothing."""


def _tell(progress: Progress, step: str) -> None:
    """Tell a step; nobody who listens can make a release fail."""
    with suppress(Exception):
        progress(step)


def header(
    table: str | Path, *, csv: CsvDialect | None = None, trusted: bool = False
) -> list[tuple[str, str | None]]:
    """Read only the header of a file: the names of its columns, and the kinds that its types tell.

    Args:
        table: the path of a CSV or Parquet file, or a glob
        csv: how a CSV file is written
        trusted: whether the first line surely is a header, although it looks like a record
    """
    return named_columns(str(table), CsvDialect() if csv is None else csv, trusted=trusted)


class Measurement:
    """A release whose every public check has passed and whose cost is not spent yet; from `prepare`."""

    def __init__(self, plan: Plan, source: OpenTable, ledger: Ledger, output: Path | None) -> None:
        self.plan = plan
        self.ledger = ledger
        self.output = output
        self._unread: OpenTable | None = source

    def picture(self) -> BudgetBar:
        """Draw what the release will cost beside what was spent and what is left."""
        last = self.ledger.last()
        price = last.accounting.price(self.plan.guarantees)
        return last.accounting.bar(last.total, price, self.plan.schema.population)

    def carry_out(self, progress: Progress = _silent) -> Release:
        """Spend the plan's cost, then read the table once and release its noisy statistics. Once only.

        Raises ReleaseInterruptedError, a KeyboardInterrupt, if it is interrupted after the spend.
        """
        source, self._unread = self._unread, None
        if source is None:
            raise PlanError("this measurement was carried out already", advice="Prepare another one.")

        def act(entry: LedgerEntry) -> Release:
            _tell(progress, "reading the cells")
            statistics = ExactStatistics(source.counts())
            _tell(progress, "drawing the noise")
            release = _drawn(self.plan, statistics, entry, self.ledger)
            if self.output is not None:
                _tell(progress, "writing the release")
                release.write(self.output)
            return release

        if self.output is None:
            return _spent(self.plan, self.ledger, act)
        _taken(self.output)
        try:
            _tell(progress, f"spending {self.plan.cost}")
            return _spent(self.plan, self.ledger, act, self.output)
        finally:
            give_back(self.output)


def prepare(
    plan: Plan,
    table: object,
    *,
    ledger: Ledger | str | Path,
    output: str | Path | None = None,
    progress: Progress = _silent,
) -> Measurement:
    """Check all that can be checked before the spend; takes what `measure` takes."""
    if not isinstance(plan, Plan):
        raise PlanError("not a plan", asked=shown(plan), advice="Make one with pv.plan(...).")
    book = ledger if isinstance(ledger, Ledger) else _opened(ledger)
    place = None if output is None else _checked_output(output)
    book.check(plan)
    _tell(progress, "checking the table")
    source = open_table(table, plan.schema, plan.model.columns)
    if plan.neighbours is REPLACE_ONE:
        _tell(progress, "counting the records")
        records = _records(source)
        if records != plan.records:
            found = f"the table has {records} {plan.schema.unit.noun}s"
            raise TableError(
                f"the number of records is not the one planned: {found}",
                asked=plan.records,
                allowed=records,
                advice="Under replace-one it is public and must be exact: plan again with it.",
            )
    return Measurement(plan, source, book, place)


def measure(
    plan: Plan, table: object, *, ledger: Ledger | str | Path, output: str | Path | None = None
) -> Release:
    """Spend the plan's cost, then read the table once and release its noisy statistics.

    Args:
        plan: what to release; from `pv.plan`
        table: a path or glob of CSV or Parquet files, an Arrow table, a pandas or polars frame, or an
            Ibis table
        ledger: the population's ledger, or the path of its file
        output: where to write the release file as well

    Raises ReleaseInterruptedError, a KeyboardInterrupt, if it is interrupted after the spend.
    """
    return prepare(plan, table, ledger=ledger, output=output).carry_out()


def measure_statistics(plan: Plan, statistics: ExactStatistics, *, ledger: Ledger) -> Release:
    """Spend the plan's cost and release statistics that are already counted: the door for other curators."""
    return _spent(plan, ledger, lambda entry: _drawn(plan, statistics, entry, ledger))


def _drawn(plan: Plan, statistics: ExactStatistics, entry: LedgerEntry, book: Ledger) -> Release:
    if plan.total_public and int(statistics.counts.sum()) != plan.records:
        raise ValueError("the table changed while it was read")
    noisy = plan.mechanism.release(statistics)
    receipt = LedgerReceipt.of(entry, durable=book.durable)
    return Release(plan, noisy, receipt, identifier=os.urandom(16).hex(), library=__version__)


def _records(source: OpenTable) -> int:
    """Count the records; a failure is told without its cause, which may quote a cell."""
    with suppress(Exception):
        return source.records()
    raise TableError("the records of the table cannot be counted", advice="Check that the table can be read.")


def _spent(
    plan: Plan, book: Ledger, act: Callable[[LedgerEntry], Release], place: Path | None = None
) -> Release:
    """Spend, then act. An interruption says what the ledger says: whether the spend stands."""
    start = book.last().number
    with single_interrupt():
        try:
            return _uniform(act, book.spend(plan))
        except KeyboardInterrupt:
            pass
        number = _entry_of(plan, book, start)
        if number is None:
            raise KeyboardInterrupt
        raise ReleaseInterruptedError(number, written=place is not None and place.stat().st_size > 0)


def _entry_of(plan: Plan, book: Ledger, start: int) -> int | None:
    """Return the entry that charged this plan since then; if the ledger cannot be read, the next one."""
    try:
        return next((e.number for e in book.entries() if e.number > start and plan.digest in e.plans), None)
    except LedgerError:
        return start + 1


def _uniform(act: Callable[[LedgerEntry], Release], entry: LedgerEntry) -> Release:
    """Do what follows the spend; every failure has the same answer, raised where no cause hangs on it."""
    interrupted = False
    try:
        return act(entry)
    except KeyboardInterrupt:
        interrupted = True
    except BaseException:  # noqa: S110 - whatever it is, it may depend on the data
        pass
    raise KeyboardInterrupt if interrupted else _failed(entry)


def _failed(entry: LedgerEntry) -> ReleaseFailedError:
    return ReleaseFailedError(
        "the release failed after its budget was spent",
        where=f"ledger entry {entry.number}",
        spent=entry.spent,
        advice="No cause is given, because a cause may depend on the data. Ask whoever keeps the table.",
    )


def _opened(ledger: str | Path) -> Ledger:
    if not isinstance(ledger, (str, Path)):
        raise LedgerError("not a ledger", asked=shown(ledger), allowed="pv.Ledger or the path of its file")
    return Ledger.open(ledger)


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
