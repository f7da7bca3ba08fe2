"""The curator: the only part that sees rows, noise and the ledger together.

The order is the privacy argument. Everything that can be checked from public facts is checked first;
then the cost is spent, durably; only then are the rows read, the noise drawn and the release written.
What fails before the spend says why and costs nothing. What fails after it has one answer, whatever the
cause, because the cause may depend on the data; the spend stands.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from privior import __version__
from privior.errors import LedgerError, PlanError, ReleaseFailedError, TableError
from privior.ledger import Ledger, LedgerEntry
from privior.models import ExactStatistics
from privior.plans import Plan
from privior.privacy import REPLACE_ONE
from privior.release import LedgerReceipt, Release
from privior.tables import open_table


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
        raise PlanError("not a plan", asked=repr(plan)[:80], advice="Make one with pv.plan(...).")
    book = ledger if isinstance(ledger, Ledger) else _opened(ledger)
    place = None if output is None else _checked_output(output)
    book.check(plan)
    source = open_table(table, plan.schema, plan.model.columns)
    if plan.neighbours is REPLACE_ONE:
        records = source.records()
        if records != plan.records:
            raise TableError(
                f"the number of records ({plan.schema.unit.noun}s) is not the one planned",
                asked=plan.records,
                allowed=records,
                advice="Under replace-one it is public and must be exact: plan again with it.",
            )
    entry = book.spend(plan)
    release = None
    with suppress(Exception):  # the answer is raised outside, so that no cause hangs on it
        drawn = _drawn(plan, ExactStatistics(source.counts()), entry, book)
        if place is not None:
            drawn.write(place)
        release = drawn
    if release is None:
        raise _failed(entry)
    return release


def measure_statistics(plan: Plan, statistics: ExactStatistics, *, ledger: Ledger) -> Release:
    """Spend the plan's cost and release statistics that are already counted: the door for other curators."""
    entry = ledger.spend(plan)
    release = None
    with suppress(Exception):
        release = _drawn(plan, statistics, entry, ledger)
    if release is None:
        raise _failed(entry)
    return release


def _drawn(plan: Plan, statistics: ExactStatistics, entry: LedgerEntry, book: Ledger) -> Release:
    if plan.total_public and int(statistics.counts.sum()) != plan.records:
        raise ValueError("the table changed while it was read")
    noisy = plan.mechanism.release(statistics)
    receipt = LedgerReceipt.of(entry, durable=book.durable)
    return Release(plan, noisy, receipt, identifier=os.urandom(16).hex(), library=__version__)


def _failed(entry: LedgerEntry) -> ReleaseFailedError:
    return ReleaseFailedError(
        "the release failed after its budget was spent",
        where=f"ledger entry {entry.number}",
        spent=entry.spent,
        advice="No cause is given, because a cause may depend on the data. Ask whoever keeps the table.",
    )


def _opened(ledger: str | Path) -> Ledger:
    if not isinstance(ledger, (str, Path)):
        raise LedgerError(
            "not a ledger", asked=repr(ledger)[:80], allowed="pv.Ledger or the path of its file"
        )
    return Ledger.open(ledger)


def _checked_output(output: str | Path) -> Path:
    place = Path(output)
    if place.exists():
        raise TableError("the release file exists already", where=str(place), advice="Choose another name.")
    if not place.parent.is_dir() or not os.access(place.parent, os.W_OK):
        raise TableError("the folder of the release file cannot be written", where=str(place.parent))
    return place
