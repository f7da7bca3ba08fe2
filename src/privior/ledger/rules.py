"""Rules: what the next entry of a ledger is, if the cap, the quotas and what is known allow it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from privior.errors import BudgetExceededError, KeyConflictError, LedgerError
from privior.ledger.anchors import anchor_of
from privior.ledger.closing import Closing, State
from privior.ledger.entry import RULES, EntryKind, LedgerEntry
from privior.ledger.pages import Page
from privior.ledger.quotas import own_with
from privior.ledger.reconciling import MOST_BITS, KnownSpend, lost
from privior.ledger.request import Request, Spendable
from privior.privacy import AccountingKind, Amount, Budget


def next_entry(page: Page, request: Request, before: Sequence[LedgerEntry] = ()) -> LedgerEntry:
    """Return the entry that this request would append, or raise.

    Args:
        page: the ledger, whose earlier entries were looked through for what today's rules charge
        request: what is asked
        before: entries that are to be appended first
    """
    last, plan = before[-1] if before else page.last(), request.plan
    if request.key is not None:
        used = page.keyed(request.key)
        if used is not None:
            check_same(request, used, page.where)
            raise unfinished(page.where, used, page.closing(used))
    refuse_rollback(page, ())
    _check_facts(last, plan, page.where)
    price, cost = last.accounting.price(plan.guarantees), plan.cost
    total = last.accounting.add(last.total, price)
    own = own_with(page, request, last, price, before)
    if max(number.denominator.bit_length() for number in total if number is not None) > MOST_BITS:
        raise LedgerError(
            "the sum of these fractions is too long to be written exactly",
            where=page.where,
            asked=cost,
            advice="Use decimals, or fractions with common denominators.",
        )
    if not last.accounting.admits(total):
        raise _exceeded(page.where, cost, last, price)
    return replace(
        last.followed(),
        kind=EntryKind.SPENT,
        population=plan.schema.population,
        price=price,
        total=total,
        cost=cost,
        spends=last.spends + 1,
        declared=plan.declared,
        declared_spends=last.declared_spends + plan.declared,
        neighbours=plan.neighbours,
        unit=plan.schema.unit.noun,
        plans=plan.digests,
        about=plan.about,
        analyst=request.analyst,
        own=own,
        key=request.key,
        version=request.version,
        rules=RULES,
    ).sealed()


def _check_facts(last: LedgerEntry, plan: Spendable, where: str) -> None:
    population, unit = plan.schema.population, plan.schema.unit.noun
    if last.population not in ("", population):
        raise LedgerError(
            "the ledger is of another population",
            where=where,
            asked=population,
            allowed=last.population,
        )
    if last.neighbours not in (None, plan.neighbours):
        raise LedgerError(
            "guarantees under different neighbour relations do not add up",
            where=where,
            asked=plan.neighbours,
            allowed=last.neighbours,
            advice="Plan as the ledger's first release was. A batch by groups can be charged so all the "
            "same: --charge-as replace-one, or pv.Batch.of(..., neighbours=pv.REPLACE_ONE).",
        )
    if last.unit not in (None, unit):
        raise LedgerError("the ledger protects another unit", where=where, asked=unit, allowed=last.unit)
    if plan.declared and not last.accepts_declared:
        raise LedgerError(
            "this guarantee is declared by others, and the ledger was not created to take such",
            where=where,
            asked=plan.about,
            allowed="guarantees that privior computes itself",
            advice="What a ledger takes is said when it is created: privior ledger create --accept-declared, "
            "or pv.Ledger.create(..., accept_declared=True). Else choose a mechanism of privior.",
        )


def check_same(request: Request, entry: LedgerEntry, where: str) -> None:
    """Raise unless the request is the one that made the entry."""
    if not request.made(entry):
        raise KeyConflictError(
            "this key was used for another plan, analyst or version",
            where=where,
            asked=request.key,
            allowed=f"the request of entry {entry.number}, {entry.about}",
            advice="Choose another key for another request.",
        )


def refuse_rollback(page: Page, known: Iterable[KnownSpend]) -> None:
    """Refuse a chain that lacks a spend which is known."""
    identity = identity_of(page)
    anchor = anchor_of(identity) if identity else None
    proved = [*known, *([] if anchor is None else [KnownSpend.of(anchor)])]
    for spend in islice(lost(page, proved), 1):
        raise LedgerError(
            "the ledger is older than a spend that is known: an old copy was restored",
            where=page.where,
            asked=f"entry {page.last().number}",
            allowed=f"entry {spend.entry}, {spend.hash[:16]}",
            advice="Bring back the newest file, or charge what it forgot: privior ledger reconcile.",
        )


def identity_of(page: Page) -> str | None:
    """Return the ledger's random name; ledgers in memory or begun in format 1 have none."""
    opening = page.entry(0)
    key = None if opening is None else opening.key
    if key is not None and not re.fullmatch("[0-9a-f]{32}", key):  # it becomes the name of a file
        raise LedgerError("the ledger's own name is malformed", where=page.where, asked="entry 0")
    return key


def _exceeded(where: str, cost: Budget, last: LedgerEntry, price: Amount) -> BudgetExceededError:
    accounting = last.accounting
    basic = accounting.kind is AccountingKind.BASIC
    if not accounting.admits(last.total):
        return BudgetExceededError(
            "more was spent than the cap allows: nothing is granted any more",
            where=where,
            asked=cost,
            allowed=f"cap {last.cap}",
            spent=last.spent,
            advice="Its history says what was charged later: privior ledger history. "
            "To use what was released is free.",
        )
    return BudgetExceededError(
        "the budget does not allow this release",
        where=where,
        asked=cost if basic else f"{cost}: {accounting.in_words(price)}",
        allowed=f"{last.left} (cap {last.cap})" if basic else f"cap {last.cap}",
        spent=last.spent if basic else accounting.in_words(last.total),
        advice=_advice(cost, last) if basic else "Ask for less, or reuse a release: that is free.",
    )


def _advice(cost: Budget, last: LedgerEntry) -> str:
    if last.left.epsilon <= 0:
        return "The budget is used up."
    if cost.epsilon <= last.left.epsilon and last.left.delta <= 0:
        none = "No delta is left" if last.cap.delta else "This ledger was created without a delta"
        return f"{none}: plan with delta 0, which takes another mechanism."
    return f"The largest release that fits costs {last.left}."


def unfinished(where: str, entry: LedgerEntry, closing: Closing | None) -> KeyConflictError:
    """Say why a key that was used cannot be charged again."""
    if closing is not None and closing.state is State.RELEASED:
        what, advice = (
            "this key was charged already",
            "What it released is stored: ask for it with the same key.",
        )
    else:
        what = (
            "the spend of this key failed" if closing else "the spend of this key runs still, or was cut off"
        )
        advice = "It stays spent. Another try is another spend, with another key."
    return KeyConflictError(
        what, where=where, asked=entry.key, allowed=f"entry {entry.number}", advice=advice
    )
