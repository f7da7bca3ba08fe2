"""Reserving: one spend for releases that follow one by one, as an agent makes them while it acts.

The whole of it is spent, durably, before the first. Each release is a part of the spend, which the ledger
gives to be drawn once: the right is taken before anything is drawn, and what was drawn is stored before
anybody sees it. What fails in between has the one uniform answer; the part is used up, and the spend stands.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from privior.curator.charging import failed, opened_ledger
from privior.curator.incidents import Incident
from privior.errors import KeyConflictError, LedgerError
from privior.ledger import Ledger, LedgerEntry, Spendable, SpendPart
from privior.release import LedgerReceipt


class Reservation:
    """A spend that stands, and its parts.

    Attributes:
        entry: the ledger entry
        receipt: its public part
    """

    def __init__(self, ledger: Ledger, entry: LedgerEntry) -> None:
        self._ledger = ledger
        self.entry = entry
        self.receipt = LedgerReceipt.of(entry, durable=ledger.durable)

    @property
    def ended(self) -> bool:
        """Whether nothing more may be drawn for it."""
        return self._ledger.closing(self.entry.number) is not None

    def part(self, number: int) -> SpendPart | None:
        """Return a part that somebody took; None if nobody did."""
        return self._ledger.part(self.entry, number)

    def draw(self, number: int, state: str, drawn: Callable[[], str]) -> str:
        """Take the right to a part, draw it, store it, and return what was stored.

        Args:
            number: which part
            state: the name of the state that it is drawn from
            drawn: draws from exact counts; its every failure has the same answer, with no cause hanging on it
        """
        ticket = self._ledger.take_part(self.entry, number, state=state)
        incident = Incident(ticket.incident, "drawing")
        interrupted = False
        try:
            text = drawn()
            incident.begin("writing")
            self._ledger.finish(ticket, text)
            return text
        except KeyboardInterrupt:
            interrupted = True
        except BaseException as error:  # whatever it is, it may depend on the data
            incident.record(error)
        with suppress(Exception):  # the answer stays the same if this fails too
            self._ledger.fail(ticket)
        raise KeyboardInterrupt if interrupted else failed(LedgerReceipt.of(ticket, durable=True), incident)

    def give_up(self, number: int) -> None:
        """Say of a part that was cut off that nothing was drawn; if something was by now, it stands."""
        part = self.part(number)
        if part is not None and part.closing is None:
            with suppress(LedgerError):
                self._ledger.fail(part.entry)

    def end(self, text: str) -> None:
        """Store all that was released, once; from then on nothing is drawn for it."""
        if not self.ended:
            self._ledger.finish(self.entry, text)


def reserve(
    work: Spendable, *, ledger: Ledger | str | Path, key: str, analyst: str | None = None
) -> Reservation:
    """Spend what this costs, or raise and spend nothing; asked again with the same key, it is the same spend.

    Args:
        work: what is paid for
        ledger: the population's
        key: the name of this spend
        analyst: who spends
    """
    ledger = opened_ledger(ledger)
    found = reserved(work, ledger=ledger, key=key)
    if found is not None:
        return found
    ledger.correct()
    ledger.check(work, key=key, analyst=analyst)
    try:
        return Reservation(ledger, ledger.spend(work, key=key, analyst=analyst))
    except KeyConflictError:  # another process was quicker by a moment
        found = reserved(work, ledger=ledger, key=key)
        if found is None:
            raise
        return found


def reserved(work: Spendable, *, ledger: Ledger | str | Path, key: str) -> Reservation | None:
    """Return the spend of this key for this work; None if there is none."""
    ledger = opened_ledger(ledger)
    entry = ledger.keyed(key)
    if entry is None:
        return None
    if entry.plans != work.digests:
        raise LedgerError("this key was used for another plan", where=ledger.where, asked=key)
    return Reservation(ledger, entry)
