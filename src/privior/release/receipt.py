"""The receipt of a release: where its spend stands in the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from privior.checks import is_whole
from privior.errors import PriviorError, ReleaseError
from privior.exact import decimal
from privior.ledger import KnownSpend, LedgerEntry, Spendable, concerns, rules_of
from privior.pictures import BudgetBar
from privior.plans import Plan
from privior.privacy import Accounting, AccountingKind, Amount, Budget, amount_document, read_amount
from privior.release.documents import exactly, is_hex

_FIRST = {"population", "entry", "head", "durable"}
_SECOND = _FIRST | {"spent", "cap"}
#: two versions may differ by this share in what a cap allows
_ROUNDING = Fraction(1, 10**6)
_FOURTH = _FIRST | {"previous", "accounting", "price", "total"}


@dataclass(frozen=True)
class LedgerReceipt:
    """Where the spend of a release stands.

    Attributes:
        population: whose budget was charged
        entry: the number of the entry
        head: the hash of that entry, which anchors the whole chain before it
        durable: False if the ledger lived in memory: no budget of anybody was really charged
        accounting: how costs add up in that ledger, and its cap; None in files of format 1
        total: what the population had spent then, this release included; likewise
        price: what the entry added to that total, in the accounting's units; None in formats 1 to 3
        previous: the hash of the entry before; likewise
        declared: how many spends of that ledger by then, this one included, are for guarantees that code
            outside privior declares; what the population had spent is as true as they are
    """

    population: str
    entry: int
    head: str
    durable: bool
    accounting: Accounting | None = None
    total: Amount | None = None
    price: Amount | None = None
    previous: str | None = None
    declared: int = 0

    @staticmethod
    def of(entry: LedgerEntry, *, durable: bool) -> LedgerReceipt:
        """Return the public part of a ledger entry."""
        return LedgerReceipt(
            entry.population,
            entry.number,
            entry.hash,
            durable,
            entry.accounting,
            entry.total,
            entry.price,
            entry.previous,
            entry.declared_spends,
        )

    @property
    def format(self) -> int:
        """The oldest format of a release that can hold it."""
        return 1 if self.accounting is None else 2 if self.previous is None else 4

    @property
    def spent(self) -> Budget | None:
        """What the population had spent then, this release included."""
        return None if self.accounting is None or self.total is None else self.accounting.spent(self.total)

    @property
    def cap(self) -> Budget | None:
        """What may be spent on it in all."""
        return None if self.accounting is None else self.accounting.cap

    @property
    def left(self) -> Budget | None:
        """The cap without what was spent; None where amounts of (epsilon, delta) do not add up."""
        if self.cap is None or self.spent is None or self.accounting is None:
            return None
        return self.cap - self.spent if self.accounting.kind is AccountingKind.BASIC else None

    @property
    def left_in_words(self) -> str:
        """What may still be spent, in the units of the accounting."""
        if self.accounting is None or self.total is None:
            return "unknown"
        return str(self.left) if self.left is not None else self.accounting.left_in_words(self.total)

    def check(self, plan: Spendable, library: str) -> None:
        """Refuse a receipt that cannot be of this plan, as this version of privior priced it."""
        if self.population != plan.schema.population:
            raise ReleaseError("the ledger entry is of another population", where="ledger")
        if plan.declared and not self.declared:
            raise ReleaseError(
                "the guarantee is declared by code outside privior, and the ledger entry does not say it",
                where="ledger",
            )
        if self.accounting is None or self.total is None:
            return
        least = self.accounting.price(plan.guarantees)
        if concerns(self.accounting, rules_of(library)):
            least = (
                self.accounting.nothing
            )  # such releases may have paid too little, and are read all the same
        paid = least if self.price is None else self.price
        within = all(
            large is None or (small is not None and small <= large)  # None is infinite
            for amounts in ((least, paid), (paid, self.total))
            for small, large in zip(*amounts, strict=True)
        )
        first = self.format == 2 and self.entry == 1
        if (
            not (within and self.accounting.admits(self.total))
            or (first and paid != self.total)
            or (self.format == 2 and not first and paid == self.total)
        ):
            raise ReleaseError(
                "the ledger entry does not add up", where="ledger", asked=self.spent, allowed=self.cap
            )

    @property
    def doubt(self) -> str | None:
        """Say what no ledger can have written, as far as the receipt alone tells; None if there is nothing.

        A limit follows from the cap, but for the last digits, which versions may round in their own way.
        """
        if self.head == self.previous:
            return "an entry cannot have the hash of the entry before"
        if self.entry == 1 and self.price is not None and self.price != self.total:
            return "entry 1 is the first spend, but more was spent by then than it cost"
        found = self.accounting
        if found is None or found.limit is None:
            return None
        try:
            due = Accounting.of(found.kind, found.cap, found.aside).limit
        except PriviorError as error:
            return f"no ledger has such a cap: {error.what}"
        if due is not None and found.limit < due * (1 - _ROUNDING):
            return f"the limit is {decimal(found.limit)}, but {found.cap} allows {decimal(due)}"
        return None

    def known(self, plan: Plan, library: str) -> KnownSpend | None:
        """Return what the release proves to a ledger; None if the file is too old to say it, or a trial."""
        if self.accounting is None or self.total is None or not self.durable:
            return None
        price = self.accounting.price(plan.guarantees) if self.price is None else self.price
        known = KnownSpend(
            self.entry,
            self.head,
            self.previous,
            price,
            self.total,
            plan.cost,
            (plan.digest,),
            self.population,
            self.accounting,
            rules_of(library),
            self.declared > 0,
        )
        # the entry may have paid for more releases than this one, and nobody knows how many
        return replace(known, price=known.total_at_most) if self.paid_too_little(plan) else known

    def paid_too_little(self, plan: Plan) -> bool:
        """Say whether less was charged than the plan costs, as the first rules of ledgers did."""
        if self.accounting is None or self.price is None:
            return False
        due = self.accounting.price(plan.guarantees)
        return any(
            then is not None and (now is None or then < now)
            for then, now in zip(self.price, due, strict=True)
        )

    def bar(self, plan: Plan) -> BudgetBar | None:
        """Draw this release's share of the population's budget; None for files of format 1, which lack it."""
        if self.accounting is None or self.total is None:
            return None
        price = self.accounting.price(plan.guarantees) if self.price is None else self.price
        before = tuple(
            None if all_ is None or this is None else all_ - this
            for all_, this in zip(self.total, price, strict=True)
        )
        return self.accounting.bar(before, price, self.population)

    def to_document(self) -> dict[str, object]:
        """Write the receipt as plain values."""
        facts: dict[str, object] = {
            "population": self.population,
            "entry": self.entry,
            "head": self.head,
            "durable": self.durable,
        }
        if self.accounting is None or self.total is None or self.spent is None:
            return facts
        if self.price is None:
            return {**facts, "spent": self.spent.to_document(), "cap": self.accounting.cap.to_document()}
        return {
            **facts,
            "previous": self.previous,
            "accounting": self.accounting.to_document(),
            "price": amount_document(self.price),
            "total": amount_document(self.total),
            **({"declared": self.declared} if self.declared else {}),
        }

    @staticmethod
    def from_document(document: object, number: int) -> LedgerReceipt:
        """Read a receipt as a release of that format holds it."""
        fourth = number > 3
        names = _FOURTH if fourth else _SECOND if number > 1 else _FIRST
        declared = document.get("declared") if fourth and isinstance(document, dict) else None
        if declared is not None:
            if not is_whole(declared, 1):
                raise ReleaseError("not a number of declared guarantees", where="ledger")
            names = names | {"declared"}
        entry = exactly(document, "ledger", names)
        place, head, durable = entry["entry"], entry["head"], entry["durable"]
        if not is_whole(place, 1) or not isinstance(durable, bool):
            raise ReleaseError("not a ledger entry", where="ledger")
        if not is_hex(head, 64) or (fourth and not is_hex(entry["previous"], 64)):
            raise ReleaseError("not a hash", where="ledger")
        facts = (str(entry["population"]), place, str(head), durable)
        if fourth:
            accounting = Accounting.from_document(entry["accounting"])
            total, price = (read_amount(entry[name], accounting) for name in ("total", "price"))
            return LedgerReceipt(*facts, accounting, total, price, str(entry["previous"]), declared or 0)
        if number == 1:
            return LedgerReceipt(*facts)
        spent, cap = (Budget.from_document(entry[name]) for name in ("spent", "cap"))
        return LedgerReceipt(*facts, Accounting(AccountingKind.BASIC, cap), (spent.epsilon, spent.delta))
