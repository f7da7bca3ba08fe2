"""Verifying: the whole chain of a ledger, entry by entry, as its rules would have allowed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from privior.errors import LedgerError
from privior.ledger.entry import EntryKind, LedgerEntry
from privior.ledger.pages import Page
from privior.ledger.parts import in_order
from privior.privacy import Amount


def chained(entries: Iterable[LedgerEntry], where: str) -> Iterator[LedgerEntry]:
    """Yield entries, each of which must follow the one before."""
    previous, place = "", 0
    for entry in entries:
        if entry.number != place or entry.previous != previous:
            raise LedgerError("the chain of entries is broken", where=where, asked=f"entry {place}")
        previous, place = entry.hash, place + 1
        yield entry


def verified(entries: Iterable[LedgerEntry], where: str) -> LedgerEntry:
    """Check chain, totals, caps and quotas, and return the last entry."""
    before: LedgerEntry | None = None
    shares: dict[str, Fraction] = {}
    owns: dict[str, Amount] = {}
    taken: dict[str, int] = {}
    for entry in chained(entries, where):
        if before is None:
            if (
                entry.kind is not EntryKind.OPENED
                or any(entry.price)
                or any(entry.total)
                or entry.spends
                or entry.declared_spends
            ):
                raise LedgerError("the ledger does not begin with an entry that spends nothing", where=where)
        elif not (_follows(before, entry) and _within(entry, shares, owns)):
            raise LedgerError("the totals do not add up", where=where, asked=f"entry {entry.number}")
        if not in_order(entry, taken):
            raise LedgerError("a part of a spend is out of order", where=where, asked=f"entry {entry.number}")
        before = entry
    if before is None:
        raise LedgerError("the ledger is empty", where=where)
    return before


def verified_page(page: Page) -> LedgerEntry:
    """Check all that a page holds, and return the last entry: what it is kept in, chain, keys and ends."""
    page.check_whole()
    keys: dict[str, int] = {}
    ended = set(page.states())
    last = verified(_closed(_noting(page.entries(), keys, page.where), ended, page), page.where)
    listed = {key: number for key, number in page.keys().items() if number <= last.number}
    if listed != keys:
        raise LedgerError("the keys are not those of the chain", where=page.where)
    for number in ended:
        raise LedgerError("the chain of entries is broken", where=page.where, asked=f"entry {number}")
    for number in page.strays():
        raise LedgerError("the end of a spend is missing", where=page.where, asked=f"entry {number}")
    return last


def _noting(entries: Iterable[LedgerEntry], keys: dict[str, int], where: str) -> Iterator[LedgerEntry]:
    """Yield entries, noting their keys, none of which may come twice."""
    for entry in entries:
        if entry.key is not None:
            if entry.key in keys:
                raise LedgerError("a key was charged twice", where=where, asked=f"entry {entry.number}")
            keys[entry.key] = entry.number
        yield entry


def _closed(entries: Iterable[LedgerEntry], ended: set[int], page: Page) -> Iterator[LedgerEntry]:
    """Yield entries, checking how each spend ended that did, and taking it from those that ended."""
    for entry in entries:
        if entry.number in ended and entry.kind.ends:
            page.closing(entry)
            ended.remove(entry.number)
        yield entry


def _follows(before: LedgerEntry, entry: LedgerEntry) -> bool:
    """Whether an entry adds up and keeps what was fixed before."""
    adds_up = entry.total == entry.accounting.add(before.total, entry.price)
    kept = all(
        getattr(before, fact) in ("", None, getattr(entry, fact))
        for fact in ("accounting", "accepts_declared", "population", "neighbours", "unit")
    )
    counted = entry.spends == before.spends + entry.kind.spends and entry.rules >= before.rules
    may_be_declared = entry.accepts_declared and entry.kind.spends
    marked = entry.declared_spends == before.declared_spends + entry.declared
    return (
        adds_up
        and kept
        and counted
        and marked
        and (may_be_declared or not entry.declared)
        and entry.kind.charges == any(number != 0 for number in entry.price)
        and entry.kind is not EntryKind.OPENED
    )


def _within(entry: LedgerEntry, shares: dict[str, Fraction], owns: dict[str, Amount]) -> bool:
    """Whether an entry is within the cap and its analyst's quota; remembers quotas and what each spent."""
    if entry.kind is EntryKind.QUOTA:
        if entry.analyst is None or entry.share is None:
            return False
        shares[entry.analyst] = entry.share
        return sum(shares.values()) <= 1
    if entry.analyst is not None:
        before = owns.get(entry.analyst, entry.accounting.nothing)
        if entry.own != entry.accounting.add(before, entry.price):
            return False
        owns[entry.analyst] = entry.own
    if not entry.kind.capped:
        return True
    share = shares.get(entry.analyst or "")
    allowed = not shares or (
        share is not None and entry.own is not None and entry.accounting.admits(entry.own, share)
    )
    return allowed and entry.accounting.admits(entry.total)
