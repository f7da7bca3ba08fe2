"""Ledger entries: what was spent or decided, each sealed by a hash that covers the entry before it."""

from __future__ import annotations

import datetime
import hashlib
import json
from collections import deque
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any

from privior.errors import LedgerError, PriviorError
from privior.exact import decimal, from_decimal
from privior.privacy import (
    NOTHING,
    Accounting,
    AccountingKind,
    Amount,
    Budget,
    Neighbours,
    amount_document,
    read_amount,
)


class EntryKind(Enum):
    """What an entry says: that a ledger begins, a spend, a quota, a correction."""

    OPENED = "opened"
    SPENT = "spent"
    QUOTA = "quota"
    RECONCILED = "reconciled"
    CORRECTED = "corrected"
    PART = "part"

    @property
    def spends(self) -> bool:
        """Whether it is the price of a release."""
        return self in (EntryKind.SPENT, EntryKind.RECONCILED)

    @property
    def charges(self) -> bool:
        """Whether it adds to what was spent."""
        return self.spends or self is EntryKind.CORRECTED

    @property
    def ends(self) -> bool:
        """Whether something is released for it, which is kept beside it."""
        return self in (EntryKind.SPENT, EntryKind.PART)

    @property
    def capped(self) -> bool:
        """Whether it is made only within the cap; other charges are for what has happened already."""
        return self is EntryKind.SPENT


#: how the keys begin of entries that charge lost spends again, that correct others, that are parts of others
LOST, CORRECTS, PARTS = OWN_MARKS = ("lost ", "corrects ", "part of spend ")
#: how many entries, and accountings, a process remembers having read
_REMEMBERED = 64
#: the rules by which prices are computed now; `correcting` says what was wrong with the first ones
RULES = 2


@dataclass(frozen=True)
class LedgerEntry:
    """One line of a ledger: entry 0 opens it, the others spend, set a quota, or take a part of a spend.

    Attributes:
        number: its place in the chain
        kind: what it does
        population: whose budget
        accounting: how costs add up, and the cap
        price: what this entry spends, in the accounting's units
        total: what all entries so far have spent, this one included
        cost: what it spends as the releases state it, an (epsilon, delta)
        spends: how many entries so far have spent
        accepts_declared: whether the ledger takes guarantees that code outside privior declares
        declared: whether this entry spends for such a guarantee
        declared_spends: how many entries so far do, this one included
        neighbours: the relation under which the amounts add up; None until the first spend
        unit: whose contribution is protected; None until the first spend
        plans: the digests of the plans that it pays for
        about: what was bought, in words
        analyst: who spent, or whose quota it is
        own: what this analyst has spent in all, this entry included
        share: of a quota, the share of the cap that the analyst may spend
        key: the caller's name for this spend: asked again, it is not charged again
        version: which version of the table, as its keeper calls it
        day: when, as a date; "" in ledgers of format 1
        nonce: random, so that the same request on an old copy makes another entry; "" in older entries
        rules: by which prices were computed, and those of all entries before looked through
        previous: the hash of the entry before
        hash: the hash of this entry, which the next one repeats
    """

    number: int
    kind: EntryKind
    population: str
    accounting: Accounting
    price: Amount
    total: Amount
    cost: Budget = NOTHING
    spends: int = 0
    accepts_declared: bool = False
    declared: bool = False
    declared_spends: int = 0
    neighbours: Neighbours | None = None
    unit: str | None = None
    plans: tuple[str, ...] = ()
    about: str = ""
    analyst: str | None = None
    own: Amount | None = None
    share: Fraction | None = None
    key: str | None = None
    version: str | None = None
    day: str = ""
    nonce: str = ""
    rules: int = 1
    previous: str = ""
    hash: str = ""

    @property
    def cap(self) -> Budget:
        """What all releases together may promise."""
        return self.accounting.cap

    @property
    def spent(self) -> Budget:
        """What has been spent, as an (epsilon, delta)."""
        return self.accounting.spent(self.total)

    @property
    def left(self) -> Budget:
        """The cap without what was spent; what may still be spent if amounts of (epsilon, delta) add up."""
        left = self.cap - self.spent
        return Budget(max(left.epsilon, Fraction(0)), max(left.delta, Fraction(0)))

    @property
    def incident(self) -> str:
        """The number under which a failure after this spend is told and logged.

        It follows from the entry before and nothing else, so that the answer is settled before the spend.
        """
        return hashlib.sha256(f"incident after {self.previous}".encode()).hexdigest()[:8]

    def body(self) -> str:
        """Write all of the entry but its number and hash, in canonical form."""
        return self._body

    @cached_property
    def _body(self) -> str:
        document = _first_format(self) if not self.day else _document(self)
        return json.dumps(document, sort_keys=True, separators=(",", ":"))

    def sealed(self) -> LedgerEntry:
        """Return the entry with its hash."""
        made = replace(self, hash=_seal(self.number, self.body()))
        vars(made)["_body"] = self.body()  # which has no hash in it
        _MADE.append(made)
        return made

    def followed(self) -> LedgerEntry:
        """Return an entry after this one that does nothing yet."""
        return replace(
            self,
            number=self.number + 1,
            price=self.accounting.nothing,
            cost=NOTHING,
            declared=False,
            plans=(),
            analyst=None,
            own=None,
            share=None,
            key=None,
            version=None,
            day=today(),
            nonce=fresh_nonce(),
            previous=self.hash,
        )


def today() -> str:
    """Return the date, which is all that an entry says about when."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def fresh_nonce() -> str:
    """Return what makes an entry unlike every other, whatever it says."""
    from privior.randomness import Bits  # who only reads draws nothing

    return f"{Bits().bits(128):032x}"


def _document(entry: LedgerEntry) -> dict[str, object]:
    return {
        "kind": entry.kind.value,
        "population": entry.population,
        "accounting": entry.accounting.to_document(),
        "price": amount_document(entry.price),
        "total": amount_document(entry.total),
        "cost": entry.cost.to_document(),
        "spends": entry.spends,
        **({"accepts declared": True} if entry.accepts_declared else {}),
        **({"declared": True} if entry.declared else {}),
        **({"declared spends": entry.declared_spends} if entry.declared_spends else {}),
        "neighbours": None if entry.neighbours is None else entry.neighbours.value,
        "unit": entry.unit,
        "plans": list(entry.plans),
        "about": entry.about,
        "analyst": entry.analyst,
        "own": None if entry.own is None else amount_document(entry.own),
        "share": None if entry.share is None else decimal(entry.share),
        "key": entry.key,
        "version": entry.version,
        "day": entry.day,
        **({"nonce": entry.nonce} if entry.nonce else {}),
        **({"rules": entry.rules} if entry.rules != 1 else {}),
        "previous": entry.previous,
    }


def _first_format(entry: LedgerEntry) -> dict[str, object]:
    amounts = {"cost": entry.cost, "spent": entry.spent, "cap": entry.cap}
    return {
        "population": entry.population,
        **{name: [decimal(amount.epsilon), decimal(amount.delta)] for name, amount in amounts.items()},
        "neighbours": None if entry.neighbours is None else entry.neighbours.value,
        "unit": entry.unit,
        "plan": entry.plans[0] if entry.plans else None,
        "previous": entry.previous,
    }


def _seal(number: int, body: str) -> str:
    return hashlib.sha256(f"{number}\n{body}".encode()).hexdigest()


def read_entry(number: object, body: object, sealed: object, where: str) -> LedgerEntry:
    """Read a stored entry, which must match its hash."""
    if not isinstance(number, int) or not isinstance(body, str) or _seal(number, body) != sealed:
        raise LedgerError(
            "an entry does not match its hash: the ledger is corrupt", where=where, asked=f"entry {number}"
        )
    try:
        return _read(number, body)
    except (PriviorError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError, AttributeError):
        raise LedgerError("an entry is malformed", where=where, asked=f"entry {number}") from None


#: the newest entry that this process made: the next spend begins with it
_MADE: deque[LedgerEntry] = deque(maxlen=1)


@lru_cache(_REMEMBERED)
def _read(number: int, body: str) -> LedgerEntry:
    """Read the body of an entry; one spend looks at the same few again and again."""
    for made in _MADE:
        if (made.number, made.body()) == (number, body):
            return made
    entry = _rebuilt(number, json.loads(body), _seal(number, body))
    if entry.body() != body:
        raise ValueError("another body")
    return entry


@lru_cache(_REMEMBERED)
def _accounting(text: str) -> Accounting:
    """Read an accounting, which all entries of a ledger repeat."""
    return Accounting.from_document(json.loads(text))


def _rebuilt(number: int, document: dict[str, Any], sealed: str) -> LedgerEntry:
    if "kind" not in document:
        return _rebuilt_first(number, document, sealed)
    accounting = _accounting(json.dumps(document["accounting"]))
    relation, own, share = document["neighbours"], document["own"], document["share"]
    return LedgerEntry(
        number=number,
        kind=EntryKind(document["kind"]),
        population=document["population"],
        accounting=accounting,
        price=read_amount(document["price"], accounting),
        total=read_amount(document["total"], accounting),
        cost=Budget.from_document(document["cost"]),
        spends=document["spends"],
        accepts_declared=document.get("accepts declared", False),
        declared=document.get("declared", False),
        declared_spends=document.get("declared spends", 0),
        neighbours=None if relation is None else Neighbours.of(relation),
        unit=document["unit"],
        plans=tuple(document["plans"]),
        about=document["about"],
        analyst=document["analyst"],
        own=None if own is None else read_amount(own, accounting),
        share=None if share is None else from_decimal(share, "share"),
        key=document["key"],
        version=document["version"],
        day=document["day"],
        nonce=document.get("nonce", ""),
        rules=document.get("rules", 1),
        previous=document["previous"],
        hash=sealed,
    )


def _rebuilt_first(number: int, document: dict[str, Any], sealed: str) -> LedgerEntry:
    """Read an entry of format 1, which knew sums of (epsilon, delta) only."""

    def amount(name: str) -> Budget:
        epsilon, delta = document[name]
        return Budget(Fraction(epsilon), Fraction(delta))

    relation, cost, spent = document["neighbours"], amount("cost"), amount("spent")
    return LedgerEntry(
        number=number,
        kind=EntryKind.SPENT if number else EntryKind.OPENED,
        population=document["population"],
        accounting=Accounting(AccountingKind.BASIC, amount("cap")),
        price=(cost.epsilon, cost.delta),
        total=(spent.epsilon, spent.delta),
        cost=cost,
        spends=number,
        neighbours=None if relation is None else Neighbours.of(relation),
        unit=document["unit"],
        plans=() if document["plan"] is None else (document["plan"],),
        previous=document["previous"],
        hash=sealed,
    )
