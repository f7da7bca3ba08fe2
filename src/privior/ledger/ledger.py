"""The ledger: what has been spent on a population, durable, append-only and exact.

One SQLite file per population. Every entry carries the running totals and the hash of the entry before
it, so that one spend is one short transaction (O(1)), and a changed or missing entry breaks the chain.
Entry 0 holds the cap. Amounts are exact rationals written as text. Spending reads the last entry,
compares with the cap and appends inside one BEGIN IMMEDIATE transaction with synchronous=FULL: two
processes can never both take the last of a budget, and what was granted survives a power cut.
Nothing is ever refunded: a refund would tell that a release failed. While a file with the ending -wal lies
beside the ledger, after a crash, the newest spends are in it: copy or back up both.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from privior.errors import BudgetExceededError, LedgerError, shown
from privior.exact import decimal
from privior.ledger.entry import LedgerEntry, read_entry
from privior.pictures import BudgetBar, listing, markup
from privior.plans import Plan
from privior.privacy import NOTHING, Budget, budget_bar

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: the number of the file format written here; older ones are read, newer ones refused
FORMAT = 1
_APPLICATION = 0x70726976  # marks the SQLite file as ours
_WAIT = 60.0  # seconds that one spender waits for another
_MOST_BITS = 8192  # of a sum's denominator

_LAYOUT = (
    "CREATE TABLE entries (number INTEGER PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL) STRICT",
    "CREATE TRIGGER final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are final'); END",
    "CREATE TRIGGER kept BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries are kept'); END",
    f"PRAGMA application_id={_APPLICATION}",
    f"PRAGMA user_version={FORMAT}",
)


class Ledger:
    """A handle on one population's ledger. Copies of the handle spend from the same budget."""

    def __init__(self, path: Path | None, connection: sqlite3.Connection | None = None) -> None:
        if path is not None and not isinstance(path, Path):
            raise LedgerError("not opened yet", asked=shown(path), advice="Say pv.Ledger.open(path).")
        self._path = path
        self._memory = connection
        self._turn = threading.Lock()  # threads share the one connection of a ledger in memory,
        self._process = os.getpid()  # processes do not

    @staticmethod
    def create(path: str | Path, *, population: str, epsilon: object, delta: object = 0) -> Ledger:
        """Open a new ledger with this cap; an existing file is never touched."""
        cap = Budget.of(epsilon, delta)
        place = _path(path)
        if not isinstance(population, str) or not population.strip() or not population.isprintable():
            raise LedgerError(
                "the population has no name of one line", where=str(place), asked=shown(population)
            )
        if place.exists():
            raise LedgerError(
                "the file exists already",
                where=str(place),
                advice="A ledger is created once, and then opened.",
            )
        try:
            _create(place, population, cap)
        except (OSError, sqlite3.Error) as error:
            raise LedgerError(f"cannot create the ledger: {_reason(error)}", where=str(place)) from None
        return Ledger.open(place)

    @staticmethod
    def open(path: str | Path) -> Ledger:
        """Open an existing ledger after checking its format and its last entry."""
        place = _path(path)
        if not place.is_file():
            raise LedgerError(
                "there is no ledger here",
                where=str(place),
                advice="Create one: privior ledger create, or pv.Ledger.create(path, population=, epsilon=).",
            )
        ledger = Ledger(place)
        ledger.last()
        return ledger

    @staticmethod
    def in_memory(*, population: str = "", epsilon: object = 1000, delta: object = "0.5") -> Ledger:
        """Return a ledger that is forgotten with the process: for trials and tests, never for people's data.

        Without a population it takes that of the first plan.
        """
        connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        _lay_out(connection, population, Budget.of(epsilon, delta))
        return Ledger(None, connection)

    @property
    def where(self) -> str:
        """The ledger's file, or "memory"."""
        return str(self._path) if self._path is not None else "memory"

    @property
    def durable(self) -> bool:
        """Whether spending outlives the process."""
        return self._path is not None

    def last(self) -> LedgerEntry:
        """Return the newest entry, checked against its hash."""
        with self._connected() as connection:
            return self._last(connection)

    @property
    def population(self) -> str:
        """The people whose budget this is."""
        return self.last().population

    @property
    def cap(self) -> Budget:
        """What may be spent in all."""
        return self.last().cap

    @property
    def spent(self) -> Budget:
        """What has been spent."""
        return self.last().spent

    @property
    def left(self) -> Budget:
        """What may still be spent."""
        return self.last().left

    def check(self, plan: Plan) -> None:
        """Raise what `spend` would raise, spending nothing."""
        self._checked(self.last(), plan)
        if self._path is not None and not self._path.stat().st_mode & (
            stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH
        ):
            raise LedgerError("the ledger is read-only", where=self.where)
        with self._connected() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute("ROLLBACK")
            except sqlite3.Error as error:
                raise LedgerError(f"cannot write the ledger: {_reason(error)}", where=self.where) from None

    def spend(self, plan: Plan) -> LedgerEntry:
        """Charge the plan's cost, durably, or raise and leave everything as it is."""
        self.check(plan)
        with self._connected() as connection:
            try:
                connection.execute("BEGIN IMMEDIATE")
                entry = self._checked(self._last(connection), plan)
                _append(connection, entry)
                connection.execute("COMMIT")
            except BaseException as error:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise LedgerError(
                        f"cannot write the ledger: {_reason(error)}", where=self.where
                    ) from None
                raise
        return entry

    def entries(self) -> Iterator[LedgerEntry]:
        """Yield all entries in order, each checked against its hash and the one before it."""
        previous = ""
        with self._connected() as connection:
            rows = connection.execute("SELECT number, body, hash FROM entries ORDER BY number").fetchall()
        for place, row in enumerate(rows):
            entry = read_entry(row, self.where)
            if entry.number != place or entry.previous != previous:
                raise LedgerError("the chain of entries is broken", where=self.where, asked=f"entry {place}")
            previous = entry.hash
            yield entry

    def verify(self) -> LedgerEntry:
        """Check the whole chain, hashes, order and totals within the cap, and return the last entry."""
        entries = list(self.entries())
        if not entries or entries[0].cost != NOTHING or entries[0].spent != NOTHING:
            raise LedgerError("the ledger does not begin with an entry that spends nothing", where=self.where)
        for before, entry in pairwise(entries):
            adds_up = entry.spent == before.spent + entry.cost and entry.spent.fits(entry.cap)
            kept = all(
                getattr(before, fact) in ("", None, getattr(entry, fact))
                for fact in ("cap", "population", "neighbours", "unit")
            )
            if not adds_up or not kept or entry.cost.epsilon <= 0 or entry.cost.delta < 0:
                raise LedgerError("the totals do not add up", where=self.where, asked=f"entry {entry.number}")
        return entries[-1]

    def __repr__(self) -> str:
        return f"<ledger {self.where}>"

    def facts(self) -> list[tuple[str, str]]:
        """Say how the budget stands, as named facts."""
        last = self.last()
        return [
            ("ledger", self.where),
            ("population", last.population),
            ("cap", str(last.cap)),
            ("spent", f"{last.spent} by {last.number} release{'' if last.number == 1 else 's'}"),
            ("left", str(last.left)),
            ("protects", f"one {last.unit}" if last.unit else "fixed by the first release"),
            ("neighbours", str(last.neighbours or "fixed by the first release")),
            ("head", last.hash),
        ]

    def history(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows of all spends in order, each checked against the chain."""
        rows = [
            [
                str(entry.number),
                decimal(entry.cost.epsilon),
                decimal(entry.cost.delta),
                decimal(entry.spent.epsilon),
                decimal(entry.spent.delta),
                (entry.plan or "")[:12],
                entry.hash[:12],
            ]
            for entry in self.entries()
            if entry.number
        ]
        return ["entry", "epsilon", "delta", "total epsilon", "total delta", "plan", "hash"], rows

    def picture(self) -> BudgetBar:
        """Draw what is spent and what is left."""
        last = self.last()
        return budget_bar(last.spent, NOTHING, last.cap, last.population or "the first plan's population")

    def plot(self) -> Figure:
        """Return the budget bar as a figure."""
        return self.picture().figure()

    def _repr_html_(self) -> str:
        return markup.fragment(self.picture().html(), markup.facts(self.facts()))

    def __str__(self) -> str:
        return "\n".join(listing.facts(self.facts()))

    def __reduce__(self) -> tuple[object, ...]:
        if self._path is None:
            raise TypeError("a ledger in memory belongs to its process")
        return (Ledger.open, (str(self._path),))

    def __copy__(self) -> Ledger:
        return self

    def __deepcopy__(self, memo: object) -> Ledger:
        return self

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        """Give one short-lived connection: nothing is shared between threads, forks or copies."""
        if self._memory is not None:
            if os.getpid() != self._process:
                raise LedgerError("a ledger in memory belongs to the process that made it", where=self.where)
            with self._turn:
                yield self._memory
            return
        assert self._path is not None  # noqa: S101 - a ledger has a file or lives in memory
        if not self._path.is_file():
            raise LedgerError("the ledger is gone", where=self.where)
        if self._path.stat().st_nlink > 1:
            raise LedgerError(
                "the ledger has two names (a hard link), and each would have a log of its own",
                where=self.where,
                advice="Remove one of the names.",
            )
        try:
            connection = sqlite3.connect(
                f"file:{quote(str(self._path))}?mode=rw", uri=True, timeout=_WAIT, isolation_level=None
            )
            connection.execute("PRAGMA synchronous=FULL")
            _check_format(connection, self.where)
        except sqlite3.Error as error:
            raise LedgerError(f"not a readable ledger: {_reason(error)}", where=self.where) from None
        try:
            yield connection
        except sqlite3.Error as error:
            raise LedgerError(f"not a readable ledger: {_reason(error)}", where=self.where) from None
        finally:
            connection.close()

    def _last(self, connection: sqlite3.Connection) -> LedgerEntry:
        row = connection.execute(
            "SELECT number, body, hash FROM entries ORDER BY number DESC LIMIT 1"
        ).fetchone()
        if row is None:
            raise LedgerError("the ledger is empty", where=self.where)
        return read_entry(row, self.where)

    def _checked(self, last: LedgerEntry, plan: Plan) -> LedgerEntry:
        """Return the entry that would charge this plan after `last`, or raise."""
        population, unit = plan.schema.population, plan.schema.unit.noun
        if last.population not in ("", population):
            raise LedgerError(
                "the ledger is of another population",
                where=self.where,
                asked=population,
                allowed=last.population,
            )
        if last.neighbours not in (None, plan.neighbours):
            raise LedgerError(
                "guarantees under different neighbour relations do not add up",
                where=self.where,
                asked=plan.neighbours,
                allowed=last.neighbours,
            )
        if last.unit not in (None, unit):
            raise LedgerError(
                "the ledger protects another unit", where=self.where, asked=unit, allowed=last.unit
            )
        spent = last.spent + plan.cost
        if max(amount.denominator.bit_length() for amount in (spent.epsilon, spent.delta)) > _MOST_BITS:
            raise LedgerError(
                "the sum of these fractions is too long to be written exactly",
                where=self.where,
                asked=plan.cost,
                advice="Use decimals, or fractions with common denominators.",
            )
        if not spent.fits(last.cap):
            raise BudgetExceededError(
                "the budget does not allow this release",
                where=self.where,
                asked=plan.cost,
                allowed=f"{last.left} (cap {last.cap})",
                spent=last.spent,
                advice=_advice(plan.cost, last),
            )
        return LedgerEntry(
            number=last.number + 1,
            population=population,
            cost=plan.cost,
            spent=spent,
            cap=last.cap,
            neighbours=plan.neighbours,
            unit=unit,
            plan=plan.digest,
            previous=last.hash,
        ).sealed()


def _create(place: Path, population: str, cap: Budget) -> None:
    """Take the name, lay the ledger out in a draft beside it, and put that in its place once it is whole."""
    place.touch(mode=0o600, exist_ok=False)
    try:
        with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as folder:
            draft = Path(folder) / place.name
            draft.touch(mode=0o600)
            connection = sqlite3.connect(draft, timeout=_WAIT, isolation_level=None)
            try:
                connection.execute("PRAGMA journal_mode=WAL")
                _lay_out(connection, population, cap)
            finally:
                connection.close()
            draft.replace(place)
    except BaseException:
        if place.stat().st_size == 0:
            place.unlink()
        raise


def _append(connection: sqlite3.Connection, entry: LedgerEntry) -> None:
    connection.execute("INSERT INTO entries VALUES (?, ?, ?)", (entry.number, entry.body(), entry.hash))


def _lay_out(connection: sqlite3.Connection, population: str, cap: Budget) -> None:
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("BEGIN IMMEDIATE")
    for statement in _LAYOUT:
        connection.execute(statement)
    _append(connection, LedgerEntry(0, population, NOTHING, NOTHING, cap).sealed())
    connection.execute("COMMIT")


def _advice(cost: Budget, last: LedgerEntry) -> str:
    if last.left.epsilon <= 0:
        return "The budget is used up."
    if cost.epsilon <= last.left.epsilon and last.left.delta <= 0:
        return "No delta is left: plan with delta=0."
    return f"The largest release that fits costs {last.left}."


def _path(path: object) -> Path:
    """Return where a ledger lies, as a full path, so that no name has a special meaning to SQLite."""
    try:
        place = Path(path).absolute()  # type: ignore[arg-type]
        place.exists()
    except (TypeError, ValueError):
        raise LedgerError("not the path of a ledger", asked=shown(path)) from None
    return place


def _check_format(connection: sqlite3.Connection, where: str) -> None:
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    number = connection.execute("PRAGMA user_version").fetchone()[0]
    if mark != _APPLICATION:
        raise LedgerError("the file is not a ledger", where=where)
    if number > FORMAT:
        raise LedgerError(
            "the ledger's format is newer than this library", where=where, asked=number, allowed=FORMAT
        )


def _reason(error: Exception) -> str:
    return error.strerror or "no access" if isinstance(error, OSError) else str(error)
