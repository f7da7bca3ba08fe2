"""Charging: all that the curator asks of a ledger, and the one answer to whatever fails after the spend.

What was drawn is stored in the ledger before it is written or shown, so that asking again with the same key
gives the same release, and nobody draws again until she likes the noise (T29).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from privior.curator.incidents import Incident
from privior.errors import LedgerError, ReleaseFailedError, ReleaseInterruptedError, shown
from privior.interrupts import single_interrupt
from privior.ledger import Ledger, LedgerEntry
from privior.pictures import BudgetBar
from privior.plans import Batch, Plan
from privior.release import LedgerReceipt, Release

#: what follows the spend: draws, and gives the releases to be stored
DrawReleases = Callable[[LedgerReceipt, Incident], tuple[Release, ...]]
#: what follows the storing
Write = Callable[[tuple[Release, ...], Incident], None]


def opened_ledger(ledger: Ledger | str | Path) -> Ledger:
    """Return the ledger, or open it."""
    if not isinstance(ledger, (Ledger, str, Path)):
        raise LedgerError("not a ledger", asked=shown(ledger), allowed="pv.Ledger, a path, postgresql://...")
    return ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)


@dataclass(frozen=True)
class Charge:
    """A spend that was asked for: what, on which ledger, and how the caller calls it.

    Attributes:
        work: a plan, or several together
        ledger: the ledger
        key: asked again with the same key and work, the stored releases are given, free
        analyst: who spends
        version: which version of the table
    """

    work: Plan | Batch
    ledger: Ledger
    key: str | None = None
    analyst: str | None = None
    version: str | None = None

    @property
    def _facts(self) -> dict[str, str | None]:
        return {"key": self.key, "analyst": self.analyst, "version": self.version}

    def check(self) -> None:
        """Raise what spending would raise; what earlier spends were charged too little is charged first."""
        self.ledger.correct()
        self.ledger.check(self.work, **self._facts)

    def stored(self) -> tuple[Release, ...] | None:
        """Return what this key released before; None if it is new."""
        texts = self.ledger.replay(self.work, **self._facts)
        return None if texts is None else tuple(Release.from_json(text, self.ledger.where) for text in texts)

    def bought(self) -> LedgerEntry | None:
        """Return an earlier spend for the same: using what it released again is free."""
        return self.ledger.bought(self.work)

    def picture(self) -> BudgetBar:
        """Draw what it will cost beside what was spent and what is left."""
        last = self.ledger.last()
        price = last.accounting.price(self.work.guarantees)
        return last.accounting.bar(last.total, price, self.work.schema.population)

    def carry_out(self, draw: DrawReleases, write: Write, places: Sequence[Path] = ()) -> tuple[Release, ...]:
        """Spend, draw, store, write. An interruption says what the ledger says: whether the spend stands.

        Args:
            draw: draws what is released; every failure from here on has the same answer
            write: writes it
            places: where it writes the release files, if it does
        """
        start = self.ledger.last().number
        with single_interrupt():
            try:
                return self._uniform(self.ledger.spend(self.work, **self._facts), draw, write)
            except KeyboardInterrupt:
                pass
            number = self._entry_since(start)
            if number is None:
                raise KeyboardInterrupt
            written = bool(places) and all(place.exists() and place.stat().st_size for place in places)
            raise ReleaseInterruptedError(number, written=written, stored=self._stored(number))

    def _entry_since(self, start: int) -> int | None:
        """Return the entry that charged this since then; if the ledger cannot be read, the next one."""
        try:
            entries = (entry for entry in self.ledger.entries() if entry.number > start)
            spends = (
                entry.number for entry in entries if entry.kind.spends and entry.plans == self.work.digests
            )
            return next(spends, None)
        except LedgerError:
            return start + 1

    def _stored(self, number: int) -> bool:
        """Say whether the ledger has what this entry paid for."""
        try:
            closing = self.ledger.closing(number)
        except LedgerError:
            return False
        return self.ledger.durable and closing is not None and bool(closing.release)

    def _uniform(self, entry: LedgerEntry, draw: DrawReleases, write: Write) -> tuple[Release, ...]:
        """Do what follows the spend; every failure has the same answer, raised where no cause hangs on it."""
        receipt, incident = LedgerReceipt.of(entry, durable=self.ledger.durable), Incident(entry.incident)
        interrupted = False
        try:
            releases = draw(receipt, incident)
            incident.begin("writing")
            self.ledger.finish(entry, *(release.to_json() for release in releases))
            write(releases, incident)
            return releases
        except KeyboardInterrupt:
            interrupted = True
        except BaseException as error:  # whatever it is, it may depend on the data
            incident.record(error)
            with suppress(Exception):  # the answer stays the same if this fails too
                self.ledger.fail(entry)
        raise KeyboardInterrupt if interrupted else failed(receipt, incident)


def failed(receipt: LedgerReceipt, incident: Incident) -> ReleaseFailedError:
    """Return the one answer to whatever failed after the spend."""
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
