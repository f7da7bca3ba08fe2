"""Ledger entries: one spend each, sealed by a hash that covers the entry before it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from privior.errors import LedgerError, PriviorError
from privior.exact import decimal
from privior.privacy import Budget, Neighbours


@dataclass(frozen=True)
class LedgerEntry:
    """One line of a ledger: entry 0 opens it, every other one is a spend.

    Attributes:
        number: its place in the chain
        population: whose budget
        cost: what this entry spends
        spent: what all entries so far have spent, this one included
        cap: what may be spent in all
        neighbours: the relation under which the amounts add up; None until the first spend
        unit: whose contribution is protected; None until the first spend
        plan: the digest of the plan; None for entry 0
        previous: the hash of the entry before
        hash: the hash of this entry, which the next one repeats
    """

    number: int
    population: str
    cost: Budget
    spent: Budget
    cap: Budget
    neighbours: Neighbours | None = None
    unit: str | None = None
    plan: str | None = None
    previous: str = ""
    hash: str = ""

    @property
    def left(self) -> Budget:
        """What may still be spent."""
        return self.cap - self.spent

    def body(self) -> str:
        """Write all of the entry but its number and hash, in canonical form."""
        amounts = {name: getattr(self, name) for name in ("cost", "spent", "cap")}
        document = {
            "population": self.population,
            **{name: [decimal(amount.epsilon), decimal(amount.delta)] for name, amount in amounts.items()},
            "neighbours": None if self.neighbours is None else self.neighbours.value,
            "unit": self.unit,
            "plan": self.plan,
            "previous": self.previous,
        }
        return json.dumps(document, sort_keys=True, separators=(",", ":"))

    def sealed(self) -> LedgerEntry:
        """Return the entry with its hash."""
        return replace(self, hash=_seal(self.number, self.body()))


def _seal(number: int, body: str) -> str:
    return hashlib.sha256(f"{number}\n{body}".encode()).hexdigest()


def read_entry(row: tuple[object, object, object], where: str) -> LedgerEntry:
    """Read a stored entry, which must match its hash."""
    number, body, sealed = row
    if not isinstance(number, int) or not isinstance(body, str) or _seal(number, body) != sealed:
        raise LedgerError(
            "an entry does not match its hash: the ledger is corrupt", where=where, asked=f"entry {number}"
        )
    try:
        return _rebuilt(number, json.loads(body), str(sealed))
    except (PriviorError, KeyError, TypeError, ValueError, ZeroDivisionError, RecursionError):
        raise LedgerError("an entry is malformed", where=where, asked=f"entry {number}") from None


def _rebuilt(number: int, document: dict[str, Any], sealed: str) -> LedgerEntry:
    def amount(name: str) -> Budget:
        epsilon, delta = document[name]
        return Budget(Fraction(epsilon), Fraction(delta))

    relation = document["neighbours"]
    return LedgerEntry(
        number=number,
        population=document["population"],
        cost=amount("cost"),
        spent=amount("spent"),
        cap=amount("cap"),
        neighbours=None if relation is None else Neighbours.of(relation),
        unit=document["unit"],
        plan=document["plan"],
        previous=document["previous"],
        hash=sealed,
    )
