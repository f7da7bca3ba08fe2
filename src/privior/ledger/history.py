"""Histories: everything a ledger says, as a table for people, CSV or JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass

from privior.exact import decimal
from privior.ledger.closing import State
from privior.ledger.entry import EntryKind, LedgerEntry
from privior.pictures.label import clean
from privior.privacy import amount_document

#: what a spreadsheet takes for a formula if a cell begins with it
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


@dataclass(frozen=True)
class History:
    """All entries of a ledger, with how their spends ended.

    Attributes:
        where: the ledger
        entries: all of them, in order
        states: how spends ended, by the number of their entry; what is not here never did
    """

    where: str
    entries: tuple[LedgerEntry, ...]
    states: dict[int, State]

    def state(self, entry: LedgerEntry) -> str:
        """Say how an entry ended; "" if it spent nothing."""
        if not entry.kind.ends:
            return "" if entry.kind is EntryKind.QUOTA else entry.kind.value
        if not entry.day:
            return "spent"  # format 1 did not keep it
        return self.states.get(entry.number, State.RESERVED).value

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of all but the opening entry."""
        header = [
            "entry",
            "day",
            "what",
            "state",
            "epsilon",
            "delta",
            "total epsilon",
            "total delta",
            "by",
            "version",
            "hash",
        ]
        rows = [
            [
                str(entry.number),
                entry.day,
                (entry.about or ", ".join(plan[:12] for plan in entry.plans)) + _declared(entry),
                self.state(entry),
                decimal(entry.cost.epsilon),
                decimal(entry.cost.delta),
                decimal(entry.spent.epsilon),
                decimal(entry.spent.delta),
                entry.analyst or "",
                entry.version or "",
                entry.hash[:12],
            ]
            for entry in self.entries[1:]
        ]
        return header, rows

    def documents(self) -> list[dict[str, object]]:
        """Return all entries as plain values."""
        return [
            {
                "entry": entry.number,
                "kind": entry.kind.value,
                "day": entry.day,
                "about": entry.about,
                "state": self.state(entry),
                "cost": entry.cost.to_document(),
                "spent": entry.spent.to_document(),
                "price": dict(zip(entry.accounting.units, amount_document(entry.price), strict=True)),
                "total": dict(zip(entry.accounting.units, amount_document(entry.total), strict=True)),
                "analyst": entry.analyst,
                "share": None if entry.share is None else decimal(entry.share),
                "key": entry.key if entry.number else None,
                "version": entry.version,
                "plans": list(entry.plans),
                "declared": entry.declared,
                "hash": entry.hash,
            }
            for entry in self.entries
        ]

    def to_json(self) -> str:
        """Write everything as JSON."""
        return json.dumps({"ledger": self.where, "entries": self.documents()}, indent=1) + "\n"

    def to_csv(self) -> str:
        """Write the table as CSV, with no cell that a spreadsheet would run."""
        header, rows = self.table()
        return "".join(",".join(map(_cell, row)) + "\n" for row in (header, *rows))


def _declared(entry: LedgerEntry) -> str:
    return " (its guarantee declared by others)" if entry.declared else ""


def _cell(text: str) -> str:
    shape = clean(text)
    safe = f"'{shape}" if shape.startswith(_FORMULAS) else shape
    return '"' + safe.replace('"', '""') + '"'
