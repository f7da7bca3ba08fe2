"""Reserving: a spend for releases that follow one by one, as an agent makes them while it acts.

The whole of it is spent, durably, before the first; what fails afterwards has the one uniform answer, and the
spend stands. What was released is stored with the entry when the last has been made.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from privior.curator.charging import failed, opened_ledger
from privior.curator.incidents import Incident
from privior.errors import LedgerError, ReleaseFailedError
from privior.ledger import Ledger, LedgerEntry
from privior.ledger.request import Spendable
from privior.release import LedgerReceipt


class Reservation:
    """A spend that stands, and whose releases are still to be made.

    Attributes:
        entry: the ledger entry
        receipt: its public part
    """

    def __init__(self, ledger: Ledger, entry: LedgerEntry) -> None:
        self._ledger = ledger
        self.entry = entry
        self.receipt = LedgerReceipt.of(entry, durable=ledger.durable)

    @contextmanager
    def releasing(self) -> Iterator[None]:
        """Do what draws from exact counts; every failure has the same answer, with no cause hanging on it."""
        incident = Incident(self.entry.incident)
        broken: ReleaseFailedError | None = None
        try:
            incident.begin("drawing")
            yield
        except Exception as error:  # whatever it is, it may depend on the data
            incident.record(error)
            broken = failed(self.receipt, incident)
        if broken is not None:
            with suppress(Exception):
                self._ledger.fail(self.entry)
            raise broken

    def finish(self, text: str) -> None:
        """Store what was released."""
        self._ledger.finish(self.entry, text)

    def abandon(self) -> None:
        """Give up what was not released yet; it stays spent."""
        with suppress(LedgerError):
            self._ledger.fail(self.entry)


def reserve(work: Spendable, *, ledger: Ledger | str | Path) -> Reservation:
    """Spend what this costs, or raise and spend nothing."""
    ledger = opened_ledger(ledger)
    ledger.correct()
    ledger.check(work)
    return Reservation(ledger, ledger.spend(work))


def reserved(number: int, work: Spendable, *, ledger: Ledger | str | Path) -> Reservation:
    """Return a spend of this work whose releases are still to be made; refuse one that has ended."""
    ledger = opened_ledger(ledger)
    entry = ledger.entry(number)
    if entry is None or entry.plans != work.digests:
        raise LedgerError("the ledger has no such spend", where=ledger.where, asked=f"entry {number}")
    if ledger.closing(number) is not None:
        raise LedgerError(
            "this spend has ended already: nothing more is released for it",
            where=ledger.where,
            asked=f"entry {number}",
            advice="An older copy of an agent cannot go on where the newer one has been.",
        )
    return Reservation(ledger, entry)
