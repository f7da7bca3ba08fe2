"""Charging: all that the curator asks of a ledger, and the one answer to whatever fails after the spend."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from privior.curator.incidents import Incident
from privior.errors import LedgerError, ReleaseFailedError, ReleaseInterruptedError, shown
from privior.interrupts import single_interrupt
from privior.ledger import Ledger
from privior.pictures import BudgetBar
from privior.plans import Plan
from privior.privacy import budget_bar
from privior.release import LedgerReceipt, Release

#: what follows the spend
Act = Callable[[LedgerReceipt, Incident], Release]


def opened_book(ledger: Ledger | str | Path) -> Ledger:
    """Return the ledger, or open its file."""
    if not isinstance(ledger, (Ledger, str, Path)):
        raise LedgerError("not a ledger", asked=shown(ledger), allowed="pv.Ledger or the path of its file")
    return ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)


def check(plan: Plan, book: Ledger) -> None:
    """Raise what `charged` would raise before it spends."""
    book.check(plan)


def budget_picture(plan: Plan, book: Ledger) -> BudgetBar:
    """Draw what a plan will cost beside what was spent and what is left."""
    last = book.last()
    return budget_bar(last.spent, plan.cost, last.cap, plan.schema.population)


def charged(plan: Plan, book: Ledger, act: Act, place: Path | None = None) -> Release:
    """Spend, then act. An interruption says what the ledger says: whether the spend stands.

    Args:
        plan: whose cost to spend
        book: the ledger
        act: what follows; every failure of it has the same answer
        place: where it writes the release file, if it does
    """
    start = book.last().number
    with single_interrupt():
        try:
            return _uniform(act, LedgerReceipt.of(book.spend(plan), durable=book.durable))
        except KeyboardInterrupt:
            pass
        number = _entry_of(plan, book, start)
        if number is None:
            raise KeyboardInterrupt
        raise ReleaseInterruptedError(number, written=place is not None and place.stat().st_size > 0)


def _entry_of(plan: Plan, book: Ledger, start: int) -> int | None:
    """Return the entry that charged this plan since then; if the ledger cannot be read, the next one."""
    try:
        return next((e.number for e in book.entries() if e.number > start and e.plan == plan.digest), None)
    except LedgerError:
        return start + 1


def _uniform(act: Act, receipt: LedgerReceipt) -> Release:
    """Do what follows the spend; every failure has the same answer, raised where no cause hangs on it."""
    incident = Incident(receipt.head)
    interrupted = False
    try:
        return act(receipt, incident)
    except KeyboardInterrupt:
        interrupted = True
    except BaseException as error:  # whatever it is, it may depend on the data
        incident.record(error)
    raise KeyboardInterrupt if interrupted else _failed(receipt, incident)


def _failed(receipt: LedgerReceipt, incident: Incident) -> ReleaseFailedError:
    return ReleaseFailedError(
        "the release failed after its budget was spent",
        where=f"ledger entry {receipt.entry}",
        spent=receipt.spent,
        incident=incident.number,
        advice=(
            "No cause is given, because a cause may depend on the data. Ask whoever keeps the table, "
            "whose log names the incident."
        ),
    )
