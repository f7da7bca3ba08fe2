"""Ledgers in SQLite: one file for one population, or a ledger in memory.

Spending reads, compares and appends inside one BEGIN IMMEDIATE transaction: two processes can never both take
the last of a budget. Its journal is one for undoing (DELETE, synchronous=EXTRA), and not a log of what is
new: what was granted is in the file itself, survives a power cut, and is seen under every path of the file.
While a file with the ending -journal lies beside the ledger, after a crash, a write was cut off: whoever
writes next undoes it.
Reading adds nothing: it only lets a write that was cut off be undone; where that is not possible, because
nothing can be changed there, a copy is read in which it is. A ledger of an older format is brought to this
one by the first write, and is until then read from a copy in memory.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from privior.errors import LedgerError, shown
from privior.ledger.entry import LedgerEntry
from privior.ledger.file_copies import copied, may_be_changed, must_be_copied
from privior.ledger.file_locks import opened
from privior.ledger.file_pages import FIRST_FORMAT, THIRD_FORMAT, FilePage, check
from privior.ledger.file_systems import refuse_unsafe
from privior.ledger.pages import SECOND_FORMAT, TABLES, Execute, Page
from privior.whole_files import what_it_is

#: the number of the format written here; older ones are read, newer ones refused
FORMAT = 3

_APPLICATION = 0x70726976  # marks the SQLite file as ours
_WAIT = 60.0  # seconds that one spender waits for another
_PAUSE = 0.01  # seconds between two tries
_CUT_OFF = 100  # how many times others may be cut off while one statement is read

#: what damage may end in; the texts of SQLite's own errors can be damaged as well
_UNREADABLE = (sqlite3.Error, UnicodeError)
#: the files that this process has looked at as a whole, by device and inode
_CHECKED: set[tuple[int, int]] = set()


def _final(table: str) -> tuple[str, str]:
    """Triggers that keep the rows of a table as they are."""
    words = "SELECT RAISE(ABORT, 'what a ledger says is final')"
    return (
        f"CREATE TRIGGER IF NOT EXISTS {table}_final BEFORE UPDATE ON {table} BEGIN {words}; END",
        f"CREATE TRIGGER IF NOT EXISTS {table}_kept BEFORE DELETE ON {table} BEGIN {words}; END",
    )


class SqliteStore:
    """A ledger's file. Every page has a connection of its own: nothing is shared by threads or forks."""

    def __init__(self, path: Path) -> None:
        self._path = path

    @staticmethod
    def at(path: object) -> SqliteStore:
        """Return the store of a path, made full, so that no name has a special meaning to SQLite."""
        try:
            place = Path(path).absolute()  # type: ignore[arg-type]
            place.exists()
        except (TypeError, ValueError):
            raise LedgerError("not the path of a ledger", asked=shown(path)) from None
        return SqliteStore(place)

    @property
    def where(self) -> str:
        """The path of the file."""
        return str(self._path)

    @property
    def address(self) -> str | None:
        """The path by which another process opens the file."""
        return str(self._path)

    def create(self, opening: LedgerEntry) -> None:
        """Take the name, lay the ledger out in a draft beside it, and put that in its place once whole."""
        place = self._path
        if place.exists():
            raise LedgerError(
                "the file exists already",
                where=self.where,
                advice="A ledger is created once, and then opened.",
            )
        for rest in ("-wal", "-journal"):  # the first is of older versions
            if Path(f"{place}{rest}").exists():
                raise LedgerError(
                    "the log of an older ledger lies here, and would be taken for that of the new one",
                    where=f"{place}{rest}",
                    advice="Bring back the ledger that it belongs to, or choose another name.",
                )
        if place.parent.is_dir():
            refuse_unsafe(place.parent)
        try:
            place.touch(mode=0o600, exist_ok=False)
            try:
                with tempfile.TemporaryDirectory(dir=place.parent, prefix=f".{place.name}.") as folder:
                    draft = Path(folder) / place.name
                    draft.touch(mode=0o600)
                    connection = sqlite3.connect(draft, timeout=_WAIT, isolation_level=None)
                    try:
                        lay_out(connection, opening)
                    finally:
                        connection.close()
                    draft.replace(place)
            except BaseException:
                if place.stat().st_size == 0:
                    place.unlink()
                raise
        except (OSError, sqlite3.Error) as error:
            raise LedgerError(f"cannot create the ledger: {_reason(error)}", where=self.where) from None

    def check_there(self) -> None:
        """Raise if there is no ledger to open."""
        if not self._path.is_file():
            raise LedgerError(
                "there is no ledger here",
                where=self.where,
                advice="Create one: privior ledger create, or pv.Ledger.create(path, population=, epsilon=).",
            )

    @contextmanager
    def reading(self) -> Iterator[Page]:
        """Give a page to read; of a copy, where it cannot be read as it lies."""
        self._check_file()
        if must_be_copied(self._path):
            with copied(self._path, _WAIT) as copy, _connection(copy, "rw", self.where) as connection:
                execute = _executing(connection)
                _checked_format(execute, self.where)
                check(execute, "quick_check", self.where)
                _migrate(connection)
                yield _page(connection, self.where)
            return
        with self._connected("ro") as connection:
            execute = _patient(connection, self.check_writable)
            number = _checked_format(execute, self.where)
            self._check_once(execute)
            if number == FORMAT:
                yield FilePage(execute, self.where)
                return
            with _in_memory(connection) as current:
                yield _page(current, self.where)

    @contextmanager
    def writing(self) -> Iterator[Page]:
        """Give a page inside one exclusive transaction."""
        with self._alone() as connection:
            _leave_log(connection, self.where)
            with _exclusive(connection, self.where) as page:
                if _format(connection) < FORMAT:
                    # what is laid out anew is believed from then on
                    check(_executing(connection), "integrity_check", self.where)
                    _migrate(connection)
                yield page

    def check_writable(self) -> None:
        """Raise what `writing` would raise; undoes a write that was cut off."""
        with self._alone() as connection:
            _check_writable(connection, self.where)

    @contextmanager
    def _alone(self) -> Iterator[sqlite3.Connection]:
        """Give a connection to write with, while nobody else has one."""
        self._check_file()
        if not may_be_changed(self._path.resolve()):
            raise LedgerError("the ledger, or its folder, is read-only", where=self.where)
        refuse_unsafe(self._path)
        try:
            with (
                opened(self._path) as file,
                file.locked(self._path, _WAIT),
                self._connected("rw") as connection,
            ):
                connection.execute("PRAGMA synchronous=EXTRA")
                execute = _executing(connection)
                _checked_format(execute, self.where)
                self._check_once(execute)
                yield connection
        except OSError as error:
            raise LedgerError(f"cannot write the ledger: {_reason(error)}", where=self.where) from None

    @contextmanager
    def _connected(self, mode: str) -> Iterator[sqlite3.Connection]:
        self._check_file()
        with (
            opened(self._path) as file,
            file.connected(),
            _connection(self._path, mode, self.where) as connection,
        ):
            yield connection

    def _check_file(self) -> None:
        if not self._path.is_file():
            raise LedgerError("the ledger is gone", where=self.where)

    def _check_once(self, execute: Execute) -> None:
        """Look at all of the file when this process first opens it."""
        facts = self._path.stat()
        inode = facts.st_dev, facts.st_ino
        if inode not in _CHECKED:
            check(execute, "quick_check", self.where)
            _CHECKED.add(inode)


class MemoryStore:
    """A ledger that is forgotten with the process. Its threads share one connection, its forks do not."""

    where = "memory"
    address = None

    def __init__(self, opening: LedgerEntry) -> None:
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        self._turn = threading.Lock()
        self._process = os.getpid()
        lay_out(self._connection, opening)

    @contextmanager
    def reading(self) -> Iterator[Page]:
        """Give a page for looking things up, of the one connection that there is."""
        with self._ours() as connection:
            yield _page(connection, self.where)

    @contextmanager
    def writing(self) -> Iterator[Page]:
        """Give a page inside one exclusive transaction."""
        with self._ours() as connection, _exclusive(connection, self.where) as page:
            yield page

    def check_writable(self) -> None:
        """Raise what `writing` would raise."""
        with self._ours() as connection:
            _check_writable(connection, self.where)

    @contextmanager
    def _ours(self) -> Iterator[sqlite3.Connection]:
        if os.getpid() != self._process:
            raise LedgerError("a ledger in memory belongs to the process that made it", where=self.where)
        with self._turn:
            yield self._connection


@contextmanager
def _connection(path: Path, mode: str, where: str) -> Iterator[sqlite3.Connection]:
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}", uri=True, timeout=_WAIT, isolation_level=None
        )
        try:
            yield connection
        finally:
            connection.close()
    except _UNREADABLE as error:
        advice = what_it_is(path, "ledger")
        raise LedgerError(f"not a readable ledger: {_reason(error)}", where=where, advice=advice) from None


def lay_out(connection: sqlite3.Connection, opening: LedgerEntry) -> None:
    """Make the tables of an empty database, with the entry that opens the ledger."""
    connection.execute("PRAGMA synchronous=EXTRA")
    connection.execute("BEGIN IMMEDIATE")
    for statement in (*FIRST_FORMAT, f"PRAGMA application_id={_APPLICATION}"):
        connection.execute(statement)
    _migrate(connection)
    _page(connection, "a new ledger").append(opening)
    connection.execute("COMMIT")


def _migrate(connection: sqlite3.Connection) -> None:
    """Bring a ledger of an older format to this one, inside a transaction. Its entries stay as they are."""
    before = _format(connection)
    if before >= FORMAT:
        return
    if before < 2:
        for statement in SECOND_FORMAT:
            connection.execute(statement)
        for table in TABLES:
            for trigger in _final(table):
                connection.execute(trigger)
    for statement in THIRD_FORMAT:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version={FORMAT}")


@contextmanager
def _in_memory(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Give a copy in memory of a ledger of an older format, brought to this one."""
    copy = sqlite3.connect(":memory:", isolation_level=None)
    try:
        connection.backup(copy)
        _migrate(copy)
        yield copy
    finally:
        copy.close()


def _leave_log(connection: sqlite3.Connection, where: str) -> None:
    """Bring a ledger of older versions to the journal of this one; they kept a log beside each path."""
    until = time.monotonic() + _WAIT
    while connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
        try:
            connection.execute("PRAGMA journal_mode=DELETE")
        except sqlite3.OperationalError as error:  # somebody reads
            if time.monotonic() > until:
                raise LedgerError(f"cannot write the ledger: {_reason(error)}", where=where) from None
            time.sleep(_PAUSE)


def _executing(connection: sqlite3.Connection) -> Execute:
    def execute(statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        return connection.execute(statement, tuple(values)).fetchall()

    return execute


def _patient(connection: sqlite3.Connection, undo: Callable[[], None]) -> Execute:
    """Read; where a write was cut off, let it be undone first, which a connection for reading cannot."""
    plainly = _executing(connection)

    def execute(statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        for _ in range(_CUT_OFF):
            try:
                return plainly(statement, values)
            except sqlite3.OperationalError as error:
                if getattr(error, "sqlite_errorcode", None) != sqlite3.SQLITE_READONLY_ROLLBACK:
                    raise
            undo()
        return plainly(statement, values)

    return execute


def _page(connection: sqlite3.Connection, where: str) -> Page:
    return FilePage(_executing(connection), where, alone=True)


@contextmanager
def _exclusive(connection: sqlite3.Connection, where: str) -> Iterator[Page]:
    try:
        connection.execute("BEGIN IMMEDIATE")
        yield _page(connection, where)
        connection.execute("COMMIT")
    except BaseException as error:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        if isinstance(error, _UNREADABLE):
            raise LedgerError(f"cannot write the ledger: {_reason(error)}", where=where) from None
        raise


def _check_writable(connection: sqlite3.Connection, where: str) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("ROLLBACK")
    except _UNREADABLE as error:
        raise LedgerError(f"cannot write the ledger: {_reason(error)}", where=where) from None


def _format(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _checked_format(execute: Execute, where: str) -> int:
    """Return the number of a ledger's format, which must be known here."""
    if execute("PRAGMA application_id", ()) != [(_APPLICATION,)]:
        raise LedgerError("the file is not a ledger", where=where)
    number = int(str(execute("PRAGMA user_version", ())[0][0]))
    if number > FORMAT:
        raise LedgerError(
            "the ledger's format is newer than this library", where=where, asked=number, allowed=FORMAT
        )
    return number


def _reason(error: Exception) -> str:
    """Say what went wrong; Python's own words about a text that is no UTF-8 would repeat that text."""
    if isinstance(error, OSError):
        return error.strerror or "no access"
    return str(error) if hasattr(error, "sqlite_errorcode") else "the ledger's file is damaged"
