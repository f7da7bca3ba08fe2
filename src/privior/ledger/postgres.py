"""Ledgers in PostgreSQL, for several hosts: one schema of a database for one population.

Spending reads, compares and appends inside one transaction that begins by locking the ledger's one row of
its own (SELECT ... FOR UPDATE) and ends by a commit that waits for the disk, whatever the server's settings.
All settings are those of the transaction, so that a pool of connections in between changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import TYPE_CHECKING, Any

from privior.errors import LedgerError, UnknownSpendError
from privior.ledger.addresses import ServerAddress
from privior.ledger.entry import LedgerEntry
from privior.ledger.pages import SECOND_FORMAT, TABLES, Page

if TYPE_CHECKING:
    from psycopg import Connection

#: the format written here; 3 has the tables of 2, and its entries name the rules by which they were priced
FORMAT = 3
_OLDER = 2

_WAIT = 60  # seconds that one spender waits for another
_REACH = 20  # seconds until a server counts as out of reach
_NOT_THERE = ("42P01", "3F000")  # no such table, no such schema
_THERE_ALREADY = ("42P06", "23505")  # the schema exists; another process made it at the same moment
_TOO_LONG = ("55P03", "57014")  # the lock, the statement

_FIRST_FORMAT = (
    "CREATE TABLE ledger (format INTEGER NOT NULL)",
    "CREATE TABLE entries (number BIGINT PRIMARY KEY, body TEXT NOT NULL, hash TEXT NOT NULL)",
)
_FINAL = """CREATE FUNCTION final() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'what a ledger says is final'; END $$"""


class PostgresStore:
    """A ledger's schema. Every page has a connection of its own: nothing is shared by threads or forks."""

    def __init__(self, address: ServerAddress) -> None:
        self._address = address
        self._schema = f'"privior_{address.name}"'

    @property
    def where(self) -> str:
        """The address without its password."""
        return self._address.where

    @property
    def address(self) -> str | None:
        """The address, password and all."""
        return self._address.text

    def create(self, opening: LedgerEntry) -> None:
        """Lay the ledger out in one transaction."""
        with self._connected("cannot create the ledger") as connection:
            self._set_up(connection)
            self._check_durable(connection)
            _run(connection, f"CREATE SCHEMA {self._schema}")
            for statement in (*_FIRST_FORMAT, *SECOND_FORMAT, _FINAL):
                _run(connection, statement)
            for table in TABLES:
                _run(
                    connection,
                    f"CREATE TRIGGER {table}_final BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
                    "FOR EACH STATEMENT EXECUTE FUNCTION final()",
                )
            _run(connection, "INSERT INTO ledger VALUES (?)", (FORMAT,))
            _page(connection, self.where).append(opening)
            self._commit(connection)

    def check_there(self) -> None:
        """Raise if there is no ledger to open."""
        with self._connected("not a readable ledger") as connection:
            self._begin(connection)
            self._check_durable(connection)

    @contextmanager
    def reading(self) -> Iterator[Page]:
        """Give a page for looking things up, in a transaction that can write nothing."""
        with self._connected("not a readable ledger") as connection:
            connection.read_only = True
            self._begin(connection)
            yield _page(connection, self.where)

    @contextmanager
    def writing(self) -> Iterator[Page]:
        """Give a page inside one exclusive transaction."""
        with self._connected("cannot write the ledger") as connection:
            if self._begin(connection, "FOR UPDATE") != FORMAT:
                _run(connection, "UPDATE ledger SET format = ?", (FORMAT,))
            yield _page(connection, self.where)
            self._commit(connection)

    def check_writable(self) -> None:
        """Raise what `writing` would raise, without waiting for another who writes."""
        with self._connected("cannot write the ledger") as connection:
            self._begin(connection)
            _run(connection, "SELECT format FROM ledger FOR UPDATE SKIP LOCKED")
            for table in TABLES:
                if not _run(connection, "SELECT has_table_privilege(?, 'INSERT')", (table,))[0][0]:
                    raise LedgerError("the ledger is read-only", where=self.where, asked=table)

    @contextmanager
    def _connected(self, doing: str) -> Iterator[Connection[Any]]:
        """Give a connection, which is closed in any case: what was not committed by then is undone."""
        psycopg = _driver()
        try:
            connection = psycopg.connect(
                self._address.server,
                connect_timeout=_REACH,
                application_name="privior",
                client_encoding="utf8",
                prepare_threshold=None,
            )
        except psycopg.OperationalError as error:
            reason = self._address.scrubbed(str(error).partition("\n")[0])
            raise LedgerError(f"cannot reach the server: {reason}", where=self.where) from None
        except (psycopg.Error, ValueError):  # may repeat any part of the address
            raise LedgerError("the server's address cannot be read", where=self.where) from None
        try:
            connection.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
            yield connection
        except psycopg.Error as error:
            raise self._told(error, doing) from None
        finally:
            with suppress(psycopg.Error):
                connection.close()

    def _set_up(self, connection: Connection[Any]) -> None:
        """Begin a transaction with settings of its own."""
        waits = f"{_WAIT}s"
        settings = {
            "search_path": f"{self._schema}, pg_temp",
            "synchronous_commit": "on",
            "lock_timeout": waits,
            "statement_timeout": waits,
            "idle_in_transaction_session_timeout": "0" if connection.read_only else waits,
        }
        asked = ", ".join("set_config(?, ?, true)" for _ in settings)
        _run(connection, f"SELECT {asked}", [text for pair in settings.items() for text in pair])

    def _begin(self, connection: Connection[Any], lock: str = "") -> int:
        """Begin a transaction on a ledger of a format that is known here, which is returned; may lock it."""
        self._set_up(connection)
        rows = _run(connection, f"SELECT format FROM {self._schema}.ledger {lock}")  # noqa: S608 - fixed
        if len(rows) != 1:
            raise LedgerError("the ledger is damaged: it has not one format", where=self.where)
        if rows[0][0] not in (_OLDER, FORMAT):
            raise LedgerError(
                "the ledger's format is newer than this library",
                where=self.where,
                asked=rows[0][0],
                allowed=FORMAT,
            )
        return int(rows[0][0])

    def _check_durable(self, connection: Connection[Any]) -> None:
        for setting in ("fsync", "full_page_writes"):
            if _run(connection, "SELECT current_setting(?)", (setting,)) != [("on",)]:
                raise LedgerError(
                    "the server may forget what was spent: it does not wait for its disk",
                    where=self.where,
                    asked=f"{setting} = off",
                    allowed=f"{setting} = on",
                )

    def _commit(self, connection: Connection[Any]) -> None:
        psycopg = _driver()
        if connection.info.transaction_status != psycopg.pq.TransactionStatus.INTRANS:
            raise LedgerError("cannot write the ledger: its transaction was cut off", where=self.where)
        try:
            connection.commit()
        except psycopg.Error as error:
            raise UnknownSpendError(
                f"the server did not confirm what was written: {self._reason(error)}",
                where=self.where,
                advice="Look at the ledger's history before you try again.",
            ) from None

    def _told(self, error: Any, doing: str) -> LedgerError:
        """The error of a driver in our words."""
        if error.sqlstate in _NOT_THERE:
            return LedgerError(
                "there is no ledger here",
                where=self.where,
                advice="Create one: privior ledger create, or pv.Ledger.create(address, ...).",
            )
        if error.sqlstate in _THERE_ALREADY and doing.startswith("cannot create"):
            return LedgerError(
                "the ledger exists already",
                where=self.where,
                advice="A ledger is created once, and then opened.",
            )
        if error.sqlstate in _TOO_LONG:
            return LedgerError(
                f"{doing}: another process holds it for more than {_WAIT} seconds",
                where=self.where,
                advice="Try again; if it stays so, look for a stuck process on the server.",
            )
        return LedgerError(f"{doing}: {self._reason(error)}", where=self.where)

    def _reason(self, error: Any) -> str:
        primary = error.diag.message_primary
        return self._address.scrubbed(primary or str(error).partition("\n")[0])


def _driver() -> ModuleType:
    """Load the driver when a ledger on a server is first used."""
    try:
        import psycopg
    except ImportError:
        raise LedgerError(
            "ledgers on a server need psycopg", advice='Install it: pip install "privior[postgres]"'
        ) from None
    return psycopg


def _run(connection: Connection[Any], statement: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
    """Run a statement with `?` for each value, which must stand for nothing else in it."""
    if "%" in statement or statement.count("?") != len(values):
        raise AssertionError("a statement with signs that have a meaning to the driver")
    cursor = connection.execute(statement.replace("?", "%s").encode(), tuple(values))
    return [] if cursor.description is None else cursor.fetchall()


class ServerPage(Page):
    """Entries and closings as the server gives them."""

    def check_whole(self) -> None:
        """Leave the search for damage to the server, which has tools of its own for it."""


def _page(connection: Connection[Any], where: str) -> Page:
    def execute(statement: str, values: Sequence[object]) -> list[tuple[object, ...]]:
        return _run(connection, statement, values)

    return ServerPage(execute, where)
