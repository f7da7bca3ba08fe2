"""Reconciling: charging a ledger for spends that it forgot, because an old copy of it was restored.

A lost spend is one that a release or an anchor proves and the chain does not have. It is charged again with
its price if the entry before it is in the chain, or is itself lost and charged; else entries may be missing
that nobody knows, and all that the population had spent by then is charged: too much perhaps, never too
little.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from privior.errors import LedgerError
from privior.exact import shortened_up
from privior.ledger.entry import LOST, RULES, EntryKind, LedgerEntry
from privior.ledger.first_rules import concerns, forgotten_at_most
from privior.ledger.pages import Page
from privior.privacy import Accounting, Amount, Budget

#: of the denominator of a sum
MOST_BITS = 8192


@dataclass(frozen=True)
class KnownSpend:
    """A spend that somebody can prove: by a release, or by an anchor.

    Attributes:
        entry: the number of its entry
        hash: the hash of its entry
        previous: the hash of the entry before; None where the release does not say it
        price: what it cost, in the accounting's units
        total: what had been spent by then, itself included
        cost: what it cost, as an (epsilon, delta)
        plans: the digests of the plans that it paid for
        population: whose budget was charged
        accounting: how costs add up in the ledger that was charged
        rules: by which the price and the total were computed
        declared: whether any spend by then, itself included, was for a guarantee that code outside privior
            declares
    """

    entry: int
    hash: str
    previous: str | None
    price: Amount
    total: Amount
    cost: Budget
    plans: tuple[str, ...]
    population: str
    accounting: Accounting
    rules: int = RULES
    declared: bool = False

    @staticmethod
    def of(entry: LedgerEntry) -> KnownSpend:
        """Return what an entry proves.

        A part that was forgotten may be drawn a second time, for which its spend did not pay: all that was
        spent by then is its price.
        """
        part = entry.kind is EntryKind.PART
        price = entry.total if part else entry.price
        return KnownSpend(
            entry.number,
            entry.hash,
            entry.previous,
            entry.accounting.add(price, forgotten_at_most(entry)),
            entry.total,
            entry.spent if part else entry.cost,
            entry.plans,
            entry.population,
            entry.accounting,
            entry.rules,
            entry.declared_spends > 0,
        )

    @property
    def mark(self) -> str:
        """The key of the entry that charges it again, so that it is charged once."""
        return f"{LOST}{self.hash}"

    @property
    def total_at_most(self) -> Amount:
        """What had been spent by then; the whole cap, if that is more and the sum may be too small."""
        if not concerns(self.accounting, self.rules):
            return self.total
        pairs, nothing = zip(self.total, self.accounting.limits(), strict=True), Fraction(0)
        return tuple(max(one or nothing, cap or nothing) for one, cap in pairs)


def lost(page: Page, known: Iterable[KnownSpend]) -> list[KnownSpend]:
    """Return the spends that the chain neither has nor was charged for again, by number."""
    found, last = {}, page.last()
    for spend in known:
        another = (spend.population, spend.accounting) != (last.population, last.accounting)
        if another or (spend.declared and not last.accepts_declared):
            raise LedgerError(
                "the release was charged to another ledger",
                where=page.where,
                asked=f"{spend.population}, cap {spend.accounting.cap}, {spend.accounting.kind.value}",
                allowed=f"{last.population}, cap {last.cap}, {last.accounting.kind.value}",
                advice="Name releases of this ledger only.",
            )
        there = page.entry(spend.entry)
        if there is not None and there.hash == spend.hash:
            continue
        again = page.keyed(spend.mark)
        if again is None or again.kind is not EntryKind.RECONCILED:
            found[spend.hash] = spend
    return sorted(found.values(), key=lambda spend: spend.entry)


def writable(total: Amount, price: Amount) -> Amount:
    """Return a price, rounded up where its exact sum with the total would be too long to be written."""
    return tuple(
        more
        if sum_ is None or more is None or (sum_ + more).denominator.bit_length() <= MOST_BITS
        else shortened_up(more)
        for sum_, more in zip(total, price, strict=True)
    )


def charges(page: Page, missing: list[KnownSpend]) -> Iterator[LedgerEntry]:
    """Yield the entries that charge lost spends again, which may go beyond the cap.

    All that the ledger forgot by the first rules has been charged before.
    """
    last, charged = page.last(), set[str]()
    for spend in missing:
        before = None if spend.entry == 0 else page.entry(spend.entry - 1)
        linked = spend.previous in charged or (before is not None and before.hash == spend.previous)
        price = writable(last.total, spend.price if linked else spend.total_at_most)
        charged.add(spend.hash)
        if not any(number != 0 for number in price):
            continue  # a forgotten quota: there is nothing to charge
        last = replace(
            last.followed(),
            kind=EntryKind.RECONCILED,
            price=price,
            total=last.accounting.add(last.total, price),
            cost=spend.cost,
            spends=last.spends + 1,
            plans=spend.plans,
            about=f"lost entry {spend.entry}" + ("" if linked else ", with all that was spent by then"),
            key=spend.mark,
            rules=RULES,
            declared=spend.declared,
            declared_spends=last.declared_spends + spend.declared,
        ).sealed()
        yield last
