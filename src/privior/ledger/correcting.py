"""Correcting: charging a ledger for what entries made by the first rules forgot to charge.

An entry is charged the difference to what its plan costs by today's rules. The plan is in the release that
the ledger kept; where it kept none, because the spend failed or was cut off, the (epsilon, delta) that the
plan stated is charged instead: too much perhaps, never too little.

Corrections are entries of their own, appended before the first spend by today's rules and never while
reading. They may go beyond the cap; then nothing more is granted. Every entry says by which rules it was
made, so that a ledger is looked through once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

from privior.errors import PriviorError
from privior.ledger.entry import CORRECTS, RULES, EntryKind, LedgerEntry
from privior.ledger.first_rules import concerns, forgotten_at_most
from privior.ledger.pages import Page
from privior.ledger.quotas import own_of
from privior.ledger.reconciling import writable
from privior.privacy import Accounting, Amount

if TYPE_CHECKING:  # few ledgers need a correction, and plans take long to load
    from privior.plans import Plan


def corrections(page: Page) -> list[LedgerEntry]:
    """Return the entries that charge what was forgotten; none in a ledger that was looked through."""
    last = page.last()
    if not concerns(last.accounting, last.rules):
        return []
    entries = list(page.entries())
    plans = _kept_plans(page, entries)
    made: list[LedgerEntry] = []
    for entry in entries:
        missing = _missing(entry, plans)
        if any(missing):
            last = _correction(page, last, entry, missing, made)
            made.append(last)
    return made


def _correction(
    page: Page, last: LedgerEntry, entry: LedgerEntry, missing: Amount, made: Sequence[LedgerEntry]
) -> LedgerEntry:
    add, price = last.accounting.add, writable(last.total, missing)
    own = None
    if entry.analyst is not None:
        own = add(own_of(page, entry.analyst, made) or last.accounting.nothing, price)
    return replace(
        last.followed(),
        kind=EntryKind.CORRECTED,
        price=price,
        total=add(last.total, price),
        plans=entry.plans,
        about=f"correction of entry {entry.number}: {_in_units(entry.accounting, price)}",
        analyst=entry.analyst,
        own=own,
        key=f"{CORRECTS}{entry.hash}",
        rules=RULES,
    ).sealed()


def uncharged_in_words(due: Sequence[LedgerEntry]) -> str:
    """Say what corrections will charge, and what is spent then."""
    last = due[-1]
    many = "1 earlier spend" if len(due) == 1 else f"{len(due)} earlier spends"
    said = f"privior 0.2 charged too little for {many}; with the corrections {last.spent} is spent"
    if last.accounting.admits(last.total):
        return said
    return f"{said}, more than the cap {last.cap} allows: nothing will be granted any more"


def _in_units(accounting: Accounting, price: Amount) -> str:
    pairs = zip(accounting.units, price, strict=True)
    return ", ".join(f"{unit} {float(number):.6g}" for unit, number in pairs if number)


def _missing(entry: LedgerEntry, plans: dict[str, Plan]) -> Amount:
    """What an entry should have charged and did not."""
    if not (entry.kind.charges and concerns(entry.accounting, entry.rules)):
        return entry.accounting.nothing
    if entry.kind is not EntryKind.SPENT or not all(digest in plans for digest in entry.plans):
        return forgotten_at_most(entry)
    due = _price(entry, [plans[digest] for digest in entry.plans])
    return tuple(
        max(Fraction(0), (now or Fraction(0)) - (then or Fraction(0)))
        for now, then in zip(due, entry.price, strict=True)
    )


def _price(entry: LedgerEntry, plans: list[Plan]) -> Amount:
    """What an entry costs by today's rules, given the plan of each of its releases.

    Releases from all groups of a column cost together what a batch by that column does; any others add up.
    """
    from privior.plans import Batch

    group = plans[0].group
    if group is not None:
        whole = tuple(dict.fromkeys(replace(plan, group=None) for plan in plans))
        batch = Batch(whole, group.column, entry.neighbours or plans[0].neighbours)
        if batch.digests == entry.plans:
            return entry.accounting.price(batch.guarantees)
    return entry.accounting.price([plan.guarantee for plan in plans])


def _kept_plans(page: Page, entries: Sequence[LedgerEntry]) -> dict[str, Plan]:
    """Return the plans of all releases that the ledger kept, by digest."""
    closings = [page.closing(entry) for entry in entries if entry.kind is EntryKind.SPENT]
    texts = [text for closing in closings if closing is not None for text in closing.release]
    return {plan.digest: plan for plan in map(_plan, texts) if plan is not None}


def _plan(text: str) -> Plan | None:
    """Return the plan of a kept release, if it can be read."""
    from privior.plans import Plan

    try:
        return Plan.from_document(json.loads(text)["plan"])
    except (PriviorError, ValueError, KeyError, TypeError, RecursionError):
        return None
