"""Pages: the tables of a ledger inside one transaction, in SQL that SQLite and PostgreSQL share.

Columns beside an entry's body repeat what is in it, so that one spend finds what it needs by an index and
does not grow slower with the ledger. What is read is checked against its hash and its columns.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from privior.errors import LedgerError, shown
from privior.ledger.closing import Closing, State
from privior.ledger.entry import EntryKind, LedgerEntry, read_entry

#: runs one statement with `?` for each value and returns its rows
Execute = Callable[[str, Sequence[object]], list[tuple[object, ...]]]

_COLUMNS = "number, body, hash, kind, analyst, idempotency, plan"
_CHUNK = 500

#: what format 2 adds to the table of entries (number, body, hash)
SECOND_FORMAT = (
    "ALTER TABLE entries ADD COLUMN kind TEXT",
    "ALTER TABLE entries ADD COLUMN analyst TEXT",
    "ALTER TABLE entries ADD COLUMN idempotency TEXT",
    "ALTER TABLE entries ADD COLUMN plan TEXT",
    "CREATE UNIQUE INDEX by_key ON entries (idempotency) WHERE idempotency IS NOT NULL",
    "CREATE INDEX by_analyst ON entries (analyst, kind, number) WHERE analyst IS NOT NULL",
    "CREATE INDEX quotas ON entries (analyst) WHERE kind = 'quota'",
    "CREATE INDEX by_plan ON entries (plan, number) WHERE plan IS NOT NULL",
    "CREATE TABLE closings (entry INTEGER PRIMARY KEY, state TEXT NOT NULL, seal TEXT NOT NULL)",
    "CREATE TABLE releases (entry INTEGER NOT NULL, place INTEGER NOT NULL, release TEXT NOT NULL, "
    "PRIMARY KEY (entry, place))",
)
#: the tables whose rows are final
TABLES = ("entries", "closings", "releases")


class Store(Protocol):
    """Where a ledger is kept."""

    @property
    def where(self) -> str:
        """Its place, fit to be shown."""
        ...

    @property
    def address(self) -> str | None:
        """How another process opens it; None if none can."""
        ...

    def reading(self) -> AbstractContextManager[Page]:
        """Give a page for looking things up; others may write meanwhile."""
        ...

    def writing(self) -> AbstractContextManager[Page]:
        """Give a page that nobody else reads or writes meanwhile; all of it lasts, or nothing of it."""
        ...

    def check_writable(self) -> None:
        """Raise what `writing` would raise."""
        ...


class Page(ABC):
    """Entries and closings, read and appended; nothing is ever changed."""

    def __init__(self, execute: Execute, where: str) -> None:
        self._execute = execute
        self.where = where

    def last(self) -> LedgerEntry:
        """Return the newest entry."""
        entry = self._one("ORDER BY number DESC LIMIT 1")
        if entry is None:
            raise LedgerError("the ledger is empty", where=self.where)
        return entry

    def entry(self, number: int) -> LedgerEntry | None:
        """Return the entry of this number, if there is one; a release may name any number."""
        return self._one("WHERE number = ?", number) if 0 <= number < 2**63 else None

    def keyed(self, key: str) -> LedgerEntry | None:
        """Return the spend with this key, if there is one."""
        return self._one("WHERE idempotency = ?", key)

    def bought(self, plan: str) -> LedgerEntry | None:
        """Return the newest spend for a plan of this digest that released something, if there is one."""
        released = "number IN (SELECT entry FROM closings WHERE state = ?)"
        values = (plan, State.RELEASED.value)
        return self._one(f"WHERE plan = ? AND {released} ORDER BY number DESC LIMIT 1", *values)

    def newest(self, analyst: str, kind: EntryKind) -> LedgerEntry | None:
        """Return the newest entry of this kind that names an analyst, if there is one."""
        return self._one("WHERE analyst = ? AND kind = ? ORDER BY number DESC LIMIT 1", analyst, kind.value)

    def analysts(self) -> list[str]:
        """Return the names of all who have, or had, a quota."""
        rows = self._execute("SELECT DISTINCT analyst FROM entries WHERE kind = 'quota' ORDER BY analyst", ())
        return [str(name) for (name,) in rows]

    def has_quotas(self) -> bool:
        """Say whether anybody was ever given a quota."""
        return bool(self._execute("SELECT 1 FROM entries WHERE kind = 'quota' LIMIT 1", ()))

    def entries(self) -> Iterator[LedgerEntry]:
        """Yield all entries by number."""
        start = 0
        while True:
            some = self._some("WHERE number >= ? ORDER BY number LIMIT ?", start, _CHUNK)
            yield from some
            if len(some) < _CHUNK:
                return
            start = some[-1].number + 1

    def append(self, entry: LedgerEntry) -> None:
        """Write an entry behind all others."""
        plan = entry.plans[0] if entry.plans else None
        row = (entry.number, entry.body(), entry.hash, entry.kind.value, entry.analyst, entry.key, plan)
        self._execute(f"INSERT INTO entries ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)", row)  # noqa: S608 - fixed

    def closing(self, entry: LedgerEntry) -> Closing | None:
        """Return how a spend ended, if it did."""
        rows = self._execute("SELECT state, seal FROM closings WHERE entry = ?", (entry.number,))
        if not rows:
            return None
        texts = self._execute("SELECT release FROM releases WHERE entry = ? ORDER BY place", (entry.number,))
        (state, seal), release = rows[0], tuple(str(text) for (text,) in texts)
        return Closing(entry.number, self._state(state), release, str(seal)).checked(entry, self.where)

    def states(self) -> dict[int, State]:
        """Return how each spend ended that did."""
        rows = self._execute("SELECT entry, state FROM closings", ())
        return {self._number(number): self._state(state) for number, state in rows}

    def keys(self) -> dict[str, int]:
        """Return the number of the entry that has each key."""
        rows = self._execute("SELECT idempotency, number FROM entries WHERE idempotency IS NOT NULL", ())
        return {str(key): self._number(number) for key, number in rows}

    def strays(self) -> list[int]:
        """Return the entries of which something is kept as released, though they never ended."""
        rows = self._execute("SELECT entry FROM releases EXCEPT SELECT entry FROM closings", ())
        return [self._number(number) for (number,) in rows]

    @abstractmethod
    def check_whole(self) -> None:
        """Let the store look for damage in all that it keeps, where it can."""

    def close(self, closing: Closing) -> None:
        """Write how a spend ended."""
        for place, text in enumerate(closing.release):
            self._execute("INSERT INTO releases VALUES (?, ?, ?)", (closing.entry, place, text))
        row = (closing.entry, closing.state.value, closing.seal)
        self._execute("INSERT INTO closings VALUES (?, ?, ?)", row)

    def _state(self, state: object) -> State:
        try:
            return State(state)
        except ValueError:
            raise LedgerError("the end of a spend is malformed", where=self.where, asked=state) from None

    def _number(self, number: object) -> int:
        if not isinstance(number, int):
            raise LedgerError("the number of an entry is malformed", where=self.where, asked=shown(number))
        return number

    def _one(self, which: str, *values: object) -> LedgerEntry | None:
        found = self._some(which, *values)
        return found[0] if found else None

    def _some(self, which: str, *values: object) -> list[LedgerEntry]:
        rows = self._execute(f"SELECT {_COLUMNS} FROM entries {which}", values)  # noqa: S608 - fixed words
        return [self._read(*row) for row in rows]

    def _read(self, number: object, body: object, sealed: object, *columns: object) -> LedgerEntry:
        entry = read_entry(number, body, sealed, self.where)
        plan = entry.plans[0] if entry.plans else None
        if entry.day and columns != (entry.kind.value, entry.analyst, entry.key, plan):
            raise LedgerError("an entry was changed", where=self.where, asked=f"entry {number}")
        return entry
