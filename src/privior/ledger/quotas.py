"""Quotas: which share of the cap each analyst may spend, and what she has spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

from privior.errors import BudgetExceededError, LedgerError, shown
from privior.exact import decimal, rational
from privior.ledger.entry import EntryKind, LedgerEntry
from privior.ledger.pages import Page
from privior.ledger.request import Request, check_name
from privior.privacy import Amount


def quota_entry(page: Page, analyst: str, share: object) -> LedgerEntry:
    """Return the entry that gives an analyst a share of the cap, or raise."""
    check_name(analyst, "analyst")
    part = rational(share, "share")
    if not 0 <= part <= 1:
        raise LedgerError(
            "a quota is a share of the cap", where=page.where, asked=shown(share), allowed="0 to 1"
        )
    given = {name: share_of(page, name) for name in page.analysts() if name != analyst}
    rest = 1 - sum(given.values(), start=Fraction(0))
    if part > rest:
        raise LedgerError(
            "the quotas would be more than the cap",
            where=page.where,
            asked=decimal(part),
            allowed=decimal(rest),
            advice="Lower another analyst's share first.",
        )
    blank = page.last().followed()
    about = f"quota of {analyst}"
    return replace(blank, kind=EntryKind.QUOTA, analyst=analyst, share=part, about=about).sealed()


def quotas(page: Page) -> list[tuple[str, Fraction, Amount]]:
    """Return each analyst with her share and what she has spent."""
    nothing = page.last().accounting.nothing
    return [(name, share_of(page, name), own_of(page, name) or nothing) for name in page.analysts()]


def share_of(page: Page, analyst: str) -> Fraction:
    """Return the share of the cap that an analyst may spend."""
    entry = page.newest(analyst, EntryKind.QUOTA)
    return Fraction(0) if entry is None or entry.share is None else entry.share


def own_of(page: Page, analyst: str, appended: Sequence[LedgerEntry] = ()) -> Amount | None:
    """Return what an analyst has spent, with entries that are to be appended; None if nothing."""
    kinds = (EntryKind.SPENT, EntryKind.CORRECTED)
    there = [entry for entry in (page.newest(analyst, kind) for kind in kinds) if entry is not None]
    found = [*there, *(entry for entry in appended if entry.analyst == analyst)]
    return max(found, key=lambda entry: entry.number).own if found else None


def own_with(
    page: Page, request: Request, last: LedgerEntry, price: Amount, appended: Sequence[LedgerEntry]
) -> Amount | None:
    """Return what the analyst will have spent, or raise if her quota does not allow it.

    Args:
        page: the ledger
        request: what is asked
        last: the entry before the one that is asked for
        price: what that one costs
        appended: entries that are to be appended first
    """
    analyst, accounting = request.analyst, last.accounting
    if not page.has_quotas():
        if analyst is None:
            return None
        return accounting.add(own_of(page, analyst, appended) or accounting.nothing, price)
    if analyst is None or analyst not in page.analysts():
        raise LedgerError(
            "this ledger has quotas: a spend names an analyst who has one",
            where=page.where,
            asked=analyst,
            allowed=", ".join(page.analysts()),
        )
    before, share = own_of(page, analyst, appended) or accounting.nothing, share_of(page, analyst)
    own = accounting.add(before, price)
    if not accounting.admits(own, share):
        raise BudgetExceededError(
            f"the quota of {analyst} does not allow this release",
            where=page.where,
            asked=f"{request.plan.cost}: {accounting.in_words(price, share)}",
            allowed=f"{decimal(share)} of the cap, {accounting.cap}",
            spent=accounting.in_words(before, share),
            advice="Ask whoever keeps the ledger for a larger share.",
        )
    return own
