"""Parts of a spend: releases that follow one by one, each drawn once, in order, while the spend is open.

A spend may pay for a list of releases that are made over time. The right to draw part k is an entry of its
own, which costs nothing and whose key no other entry can have: it is taken in one transaction, before
anything is drawn, so that neither two processes nor a copy of what is drawn from can draw the same part
twice. What was drawn is kept beside that entry. An entry says from which state it was drawn, so that a state
which is not the one it was drawn from can be told.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from privior.errors import LedgerError
from privior.ledger.closing import Closing
from privior.ledger.entry import PARTS, EntryKind, LedgerEntry
from privior.ledger.pages import Page
from privior.ledger.rules import refuse_rollback


@dataclass(frozen=True)
class SpendPart:
    """One part of a spend, whose right to be drawn was taken.

    Attributes:
        entry: the entry that took it
        closing: what was drawn, or that it failed; None if it is being drawn, or was cut off
    """

    entry: LedgerEntry
    closing: Closing | None

    @property
    def drawn(self) -> str | None:
        """What was drawn; None if nothing was."""
        return self.closing.release[0] if self.closing is not None and self.closing.release else None


def part_of(page: Page, spend: LedgerEntry, number: int) -> SpendPart | None:
    """Return this part of a spend; None if nobody took it yet."""
    entry = page.keyed(_key(spend, number))
    return None if entry is None else SpendPart(entry, page.closing(entry))


def next_part(page: Page, spend: LedgerEntry, number: int, state: str) -> LedgerEntry:
    """Return the entry that takes the right to draw part `number` of a spend, or raise.

    Args:
        page: the ledger
        spend: what was spent, which must be in the chain and must not have ended
        number: from 1, each after the one before
        state: the name of the state that will be drawn from
    """
    there = page.entry(spend.number)
    if there is None or there.hash != spend.hash or there.kind is not EntryKind.SPENT:
        raise LedgerError("not a spend of this ledger", where=page.where, asked=f"entry {spend.number}")
    refuse_rollback(page, ())
    if page.closing(there) is not None:
        raise LedgerError("this spend has ended already", where=page.where, asked=f"entry {spend.number}")
    if number < 1 or (number > 1 and page.keyed(_key(spend, number - 1)) is None):
        raise LedgerError("a part before this one was not taken", where=page.where, asked=f"part {number}")
    if page.keyed(_key(spend, number)) is not None:
        raise LedgerError(
            "this part was taken already: nothing is drawn twice",
            where=page.where,
            asked=f"part {number} of entry {spend.number}",
        )
    return replace(
        page.last().followed(),
        kind=EntryKind.PART,
        about=f"part {number} of entry {spend.number}",
        key=_key(spend, number),
        version=state,
    ).sealed()


def in_order(entry: LedgerEntry, taken: dict[str, int]) -> bool:
    """Say whether a part follows its spend and the part before; notes spends and how many parts they have."""
    if entry.kind is EntryKind.SPENT:
        taken[entry.hash] = 0
    if entry.kind is not EntryKind.PART:
        return True
    spend, _, number = (entry.key or "").removeprefix(PARTS).partition(" ")
    if spend not in taken or number != str(taken[spend] + 1):
        return False
    taken[spend] += 1
    return True


def _key(spend: LedgerEntry, number: int) -> str:
    return f"{PARTS}{spend.hash} {number}"
