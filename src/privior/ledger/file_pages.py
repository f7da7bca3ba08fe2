"""File pages: the tables of a ledger in a file, which may be damaged.

An entry is sealed by its hash, so that no damage changes what it says. But damage can hide it: a table or an
index that was hit says that there is no such entry, or that an older one is the newest. So whatever a spend
looks up is looked up twice, by two trees that share no page of the file, and they must agree. That takes a
few steps, however long the ledger is. All of the file is looked at by `whole` (SQLite's quick_check, once in
a process) and by verifying (its integrity_check).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache

from privior.errors import LedgerError
from privior.ledger.entry import EntryKind, LedgerEntry
from privior.ledger.pages import SECOND_FORMAT, Execute, Page

#: the table of format 1
FIRST_FORMAT = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
)
#: what format 3 adds: each index that a spend looks into, and the table itself, has a second one beside it
THIRD_FORMAT = (
    "CREATE INDEX again_by_number ON entries (number)",
    "CREATE INDEX again_by_key ON entries (idempotency, number) WHERE idempotency IS NOT NULL",
    "CREATE INDEX again_by_analyst ON entries (kind, analyst, number) WHERE analyst IS NOT NULL",
)


class FilePage(Page):
    """Entries and closings, looked up twice.

    Where nobody else can write as long as the page lasts, what was found is not looked up again.
    """

    def __init__(self, execute: Execute, where: str, *, alone: bool = False) -> None:
        super().__init__(execute, where)
        self._alone = alone
        self._newest: LedgerEntry | None = None
        self._found: dict[int, LedgerEntry] = {}

    def last(self) -> LedgerEntry:
        """Return the newest entry."""
        if self._newest is not None:
            return self._newest
        with self._one_moment():
            entry = super().last()
            newest = self._numbers("again_by_number", "ORDER BY number DESC LIMIT 1")
        if newest != [entry.number]:
            raise damaged(self.where, "the newest entry")
        if self._alone:
            self._newest = self._found[entry.number] = entry
        return entry

    def entry(self, number: int) -> LedgerEntry | None:
        """Return the entry of this number, if there is one."""
        if number in self._found:
            return self._found[number]
        with self._one_moment():
            found = super().entry(number)
            listed = self._numbers("again_by_number", "WHERE number = ?", min(max(number, -1), 2**63 - 1))
        if listed != ([] if found is None else [number]):
            raise damaged(self.where, f"entry {number}")
        if self._alone and found is not None:
            self._found[number] = found
        return found

    def append(self, entry: LedgerEntry) -> None:
        """Write an entry, and forget which was the newest."""
        self._newest = None
        super().append(entry)

    def keyed(self, key: str) -> LedgerEntry | None:
        """Return the spend with this key, if there is one."""
        entry = self._agreed("by_key", "again_by_key", "WHERE idempotency = ?", key)
        if entry is not None and entry.key != key:
            raise damaged(self.where, f"entry {entry.number}")
        return entry

    def newest(self, analyst: str, kind: EntryKind) -> LedgerEntry | None:
        """Return the newest entry of this kind that names an analyst, if there is one."""
        which = "WHERE analyst = ? AND kind = ? ORDER BY number DESC LIMIT 1"
        entry = self._agreed("by_analyst", "again_by_analyst", which, analyst, kind.value)
        if entry is not None and (entry.analyst, entry.kind) != (analyst, kind):
            raise damaged(self.where, f"entry {entry.number}")
        return entry

    def analysts(self) -> list[str]:
        """Return the names of all who have, or had, a quota."""
        with self._one_moment():
            first, second = (
                self._execute(
                    f"SELECT DISTINCT analyst FROM entries INDEXED BY {index} "  # noqa: S608 - fixed words
                    "WHERE kind = 'quota' AND analyst IS NOT NULL ORDER BY analyst",
                    (),
                )
                for index in ("quotas", "again_by_analyst")
            )
        if first != second:
            raise damaged(self.where, "the quotas")
        return [str(name) for (name,) in first]

    def has_quotas(self) -> bool:
        """Say whether anybody was ever given a quota."""
        which = "WHERE kind = 'quota' AND analyst IS NOT NULL LIMIT 1"
        with self._one_moment():
            first, second = (bool(self._numbers(index, which)) for index in ("quotas", "again_by_analyst"))
        if first != second:
            raise damaged(self.where, "the quotas")
        return first

    def check_whole(self) -> None:
        """Let SQLite look at all of the file: every page, row and index; all of them must be there."""
        check(self._execute, "integrity_check", self.where)
        missing = _layout() - _laid_out(self._execute)
        if missing:
            raise damaged(self.where, ", ".join(sorted(name for name, _ in missing)))

    def _agreed(self, index: str, again: str, which: str, *values: object) -> LedgerEntry | None:
        """Return the entry that two indexes name."""
        with self._one_moment():
            numbers, seconds = (self._numbers(name, which, *values) for name in (index, again))
        if len(numbers) > 1 or numbers != seconds:
            raise damaged(self.where, f"the index {index}")
        if not numbers:
            return None
        entry = self.entry(numbers[0])
        if entry is None:
            raise damaged(self.where, f"entry {numbers[0]}")
        return entry

    @contextmanager
    def _one_moment(self) -> Iterator[None]:
        """Let all that is looked up be of one moment, though others write."""
        if self._alone:
            yield
            return
        self._execute("SAVEPOINT look", ())
        try:
            yield
        except BaseException:
            with suppress(sqlite3.Error):  # SQLite may have ended it by itself
                self._execute("RELEASE look", ())
            raise
        self._execute("RELEASE look", ())

    def _numbers(self, index: str, which: str, *values: object) -> list[int]:
        rows = self._execute(f"SELECT number FROM entries INDEXED BY {index} {which}", values)  # noqa: S608 - fixed
        return [self._number(number) for (number,) in rows]


@cache
def _layout() -> frozenset[tuple[str, str]]:
    """Return the tables and indexes of this format, as SQLite writes them down."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in (*FIRST_FORMAT, *SECOND_FORMAT, *THIRD_FORMAT):
            connection.execute(statement)
        return _laid_out(lambda statement, values: connection.execute(statement, tuple(values)).fetchall())


def _laid_out(execute: Execute) -> frozenset[tuple[str, str]]:
    rows = execute("SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index')", ())
    return frozenset((str(name), "".join(str(text).split())) for name, text in rows)


def check(execute: Execute, how: str, where: str) -> None:
    """Let SQLite check a file, by its quick_check or its integrity_check."""
    rows = execute(f"PRAGMA {how}(1)", ())
    if rows != [("ok",)]:
        raise damaged(where, " ".join(str(word) for row in rows for word in row))


def damaged(where: str, what: str) -> LedgerError:
    """Say that a ledger is damaged."""
    return LedgerError(
        "the ledger's file is damaged",
        where=where,
        asked=what,
        advice="Bring back a copy that is whole, and charge what it forgot: privior ledger reconcile.",
    )
