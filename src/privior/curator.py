"""The curator: the only part that sees rows, noise and the ledger together.

The order is the privacy argument. Everything that can be checked from public facts is checked first, the
number of records too where it is public; then the cost is spent, durably; only then are the cells read,
the noise drawn and the release written.
What fails before the spend says why and costs nothing. What fails after it has one answer, whatever the
cause, because the cause may depend on the data; the spend stands.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from privior import __version__
from privior.errors import LedgerError, PlanError, ReleaseFailedError, TableError, shown
from privior.ledger import Ledger, LedgerEntry
from privior.models import ExactStatistics
from privior.plans import Plan
from privior.privacy import REPLACE_ONE
from privior.release import LedgerReceipt, Release
from privior.tables import OpenTable, open_table


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
    """
    if not isinstance(plan, Plan):
        raise PlanError("not a plan", asked=shown(plan), advice="Make one with pv.plan(...).")
    book = ledger if isinstance(ledger, Ledger) else _opened(ledger)
    place = None if output is None else _checked_output(output)
    book.check(plan)
    source = open_table(table, plan.schema, plan.model.columns)
    if plan.neighbours is REPLACE_ONE:
        records = _records(source)
        if records != plan.records:
            found = f"the table has {records} {plan.schema.unit.noun}s"
            raise TableError(
                f"the number of records is not the one planned: {found}",
                asked=plan.records,
                allowed=records,
                advice="Under replace-one it is public and must be exact: plan again with it.",
            )
    entry = book.spend(plan)

    def act() -> Release:
        release = _drawn(plan, ExactStatistics(source.counts()), entry, book)
        if place is not None:
            release.write(place)
        return release

    return _uniform(act, entry)


def measure_statistics(plan: Plan, statistics: ExactStatistics, *, ledger: Ledger) -> Release:
    """Spend the plan's cost and release statistics that are already counted: the door for other curators."""
    entry = ledger.spend(plan)
    return _uniform(lambda: _drawn(plan, statistics, entry, ledger), entry)


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


def _uniform(act: Callable[[], Release], entry: LedgerEntry) -> Release:
    """Do what follows the spend; every failure has the same answer, raised where no cause hangs on it."""
    interrupted = False
    try:
        return act()
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
    if "\0" not in str(place) and os.path.lexists(place):
        raise TableError("the release file exists already", where=str(place), advice="Choose another name.")
    try:
        with tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}."):
            return place
    except (OSError, ValueError):
        raise TableError("the release file cannot be written there", where=shown(str(place))) from None
