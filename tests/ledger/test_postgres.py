"""Ledgers on a PostgreSQL server: addresses, secrets, locks, rights, and servers that fail."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from ledger_places import ServerPlace, fruit_plan
from postgres_server import PostgresServer

import privior as pv
from privior.errors import UnknownSpendError
from privior.ledger import postgres
from privior.ledger.addresses import is_address
from privior.ledger.stores import store_at

SECRET = "s3cr3t"


@pytest.fixture
def book(on_server: ServerPlace) -> pv.Ledger:
    return pv.Ledger.create(on_server.address, population="orchard", epsilon=1)


@contextmanager
def connected(place: ServerPlace) -> Iterator[psycopg.Connection[Any]]:
    """Connect past the library, as another program would."""
    with psycopg.connect(place.address.partition("#")[0]) as connection:
        connection.execute(f'SET search_path TO "privior_{place.name}"'.encode())
        yield connection


# ---- addresses ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("postgresql://u@h:1/d#clinic-2026_x", "postgresql://u@h:1/d#clinic-2026_x"),
        ("postgres://u:p@h/d", "postgresql://u@h/d#ledger"),
        ("postgresql://h/d", "postgresql://h/d#ledger"),
        (f"postgresql://u:{SECRET}@[::1]:5/d", "postgresql://u@[::1]:5/d#ledger"),
        (f"postgresql:///d?host=/run/x&password={SECRET}&port=7", "postgresql:///d?host=/run/x#ledger"),
        (Path("postgresql://u:p@h/d#n"), "postgresql://u@h/d#n"),
    ],
)
def test_addresses_are_shown_without_secrets(text: object, where: str) -> None:
    store = store_at(text)
    assert store.where == where
    again = store_at(store.address)
    assert again.where == where
    assert again.address == store.address


@pytest.mark.parametrize(
    "text",
    [
        f"postgresql://u:{SECRET}@h/d#two words",
        f"postgresql://u:{SECRET}@h/d#" + "x" * 41,
        f"postgresql://u:{SECRET}@h/d#",
        f'postgresql://u:{SECRET}@h/d#a"b',
        f"postgresql://u:pa#{SECRET}@h/d",
        f"postgresql://u:pa@{SECRET}@h/d",
        f"postgresql://u:pa/{SECRET}@h/d",
        f"postgresql://u:pa/{SECRET}@h",
        f"postgresql://u:pa?{SECRET}@h/d",
        f"postgresql://u@h:{SECRET}/d",
        f"postgresql://u:{SECRET}@h",
        f"postgresql://u:{SECRET}@h/",
        f"postgresql://u:{SECRET}@h1,h2/d",
        f"postgresql://u:{SECRET}@[h/d",
        f"postgresql:/u:{SECRET}@h",
        f"mysql://u:{SECRET}@h/d",
        Path(f"postgresql:///d?password={SECRET}"),
    ],
)
def test_bad_addresses_are_refused_and_never_repeated(text: object) -> None:
    assert is_address(text)
    with pytest.raises(pv.LedgerError) as refusal:
        pv.Ledger.open(text)  # type: ignore[arg-type]
    assert SECRET not in str(refusal.value)
    assert SECRET not in str(refusal.value.to_document())


def test_paths_are_no_addresses() -> None:
    for path in ("clinic.ledger", "a/b", ":memory:", "c:/x", Path("c:/x"), "postgresql", None, 3):
        assert not is_address(path)


def test_an_address_that_was_not_opened_is_not_shown() -> None:
    with pytest.raises(pv.LedgerError, match="not opened yet") as refusal:
        pv.Ledger(f"postgresql://u:{SECRET}@h/d")  # type: ignore[arg-type]
    assert SECRET not in str(refusal.value)


# ---- servers that cannot be reached, or are not what they should be -----------------------------


def test_the_password_is_never_shown(server: PostgresServer, book: pv.Ledger) -> None:
    for text in (repr(book), str(book), book.where, book.history().to_json(), book._repr_html_()):
        assert server.password not in text
    assert pickle.loads(pickle.dumps(book)).last() == book.last()
    wrong = book.where.replace("@", f":{SECRET}@")
    with pytest.raises(
        pv.LedgerError, match=r"cannot reach the server: .*password authentication failed"
    ) as no:
        pv.Ledger.open(wrong)
    assert SECRET not in str(no.value)


def test_a_server_that_is_not_there(server: PostgresServer) -> None:
    with pytest.raises(pv.LedgerError, match="cannot reach the server"):
        pv.Ledger.open(f"postgresql://u:{SECRET}@127.0.0.1:1/d")
    with pytest.raises(pv.LedgerError, match=r"cannot reach the server: .*does not exist"):
        pv.Ledger.open(server.address("x").replace("/postgres#", "/nothing#"))


def test_an_address_that_the_driver_refuses_is_not_repeated() -> None:
    with pytest.raises(pv.LedgerError, match="cannot be read") as refusal:
        pv.Ledger.open(f"postgresql://u@h/d?{SECRET}=1")
    assert SECRET not in str(refusal.value)


def test_without_the_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(pv.LedgerError, match="privior\\[postgres\\]"):
        pv.Ledger.open("postgresql://u@h/d")


def test_the_driver_is_loaded_only_for_servers(tmp_path: Path) -> None:
    code = """
import sys
import privior as pv
pv.Ledger.create(sys.argv[1], population="orchard", epsilon=1).last()
assert "psycopg" not in sys.modules
try:
    pv.Ledger.open("postgresql://u@127.0.0.1:1/d")
except pv.LedgerError:
    assert "psycopg" in sys.modules
"""
    path = os.pathsep.join(sys.path)
    command = [sys.executable, "-c", code, str(tmp_path / "file.ledger")]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": path}, check=True)


def test_a_server_that_does_not_wait_for_its_disk_is_refused(
    server: PostgresServer, on_server: ServerPlace, book: pv.Ledger
) -> None:
    def fsync(state: str) -> None:
        server.run(f"ALTER SYSTEM SET fsync = {state}", "SELECT pg_reload_conf()")
        while server.run("SHOW fsync") != [(state,)]:
            pass

    fsync("off")
    try:
        with pytest.raises(pv.LedgerError, match="fsync = off"):
            pv.Ledger.open(on_server.address)
        with pytest.raises(pv.LedgerError, match="fsync = off"):
            pv.Ledger.create(server.address("other"), population="orchard", epsilon=1)
    finally:
        fsync("on")
    pv.Ledger.open(on_server.address)


def test_the_format_before_is_read_and_brought_up_to_date_by_a_spend(
    on_server: ServerPlace, book: pv.Ledger, plan: pv.Plan
) -> None:
    on_server.run("UPDATE ledger SET format = 2")
    assert book.verify().number == 0
    on_server.run("SELECT 1 / (CASE WHEN format = 2 THEN 1 ELSE 0 END) FROM ledger")  # else divided by 0
    book.spend(plan)
    on_server.run("SELECT 1 / (CASE WHEN format = 3 THEN 1 ELSE 0 END) FROM ledger")


def test_a_newer_format_and_a_damaged_ledger_are_refused(on_server: ServerPlace, book: pv.Ledger) -> None:
    on_server.run("UPDATE ledger SET format = 99")
    with pytest.raises(pv.LedgerError, match="newer than this library"):
        pv.Ledger.open(on_server.address)
    on_server.run("DELETE FROM ledger")
    with pytest.raises(pv.LedgerError, match="damaged"):
        book.allow("ann", "1/2")


def test_a_ledger_that_could_not_be_made_leaves_nothing(
    server: PostgresServer, on_server: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(postgres, "FORMAT", "no number")
        with pytest.raises(pv.LedgerError, match="cannot create"):
            pv.Ledger.create(on_server.address, population="orchard", epsilon=1)
    assert not server.run(f"SELECT 1 FROM pg_namespace WHERE nspname = 'privior_{on_server.name}'")
    pv.Ledger.create(on_server.address, population="orchard", epsilon=1)


def test_several_ledgers_in_one_database(server: PostgresServer, schema: pv.Schema) -> None:
    books = [
        pv.Ledger.create(server.address(name), population="orchard", epsilon=1)
        for name in ("Clinic", "clinic", "clinic-2", "_")
    ]
    books[1].spend(fruit_plan(schema, "0.5"))
    assert [book.last().number for book in books] == [0, 1, 0, 0]


# ---- transactions -------------------------------------------------------------------------------


def test_t26_a_spend_waits_for_another(on_server: ServerPlace, book: pv.Ledger, schema: pv.Schema) -> None:
    """While another transaction holds the row, a spend neither goes on nor reads old totals."""
    done: list[int] = []
    spender = threading.Thread(target=lambda: done.append(book.spend(fruit_plan(schema, "0.6")).number))
    with connected(on_server) as other:
        other.execute("SELECT format FROM ledger FOR UPDATE")
        spender.start()
        spender.join(1)
        assert spender.is_alive()
        assert not done
        assert book.last().number == 0  # reading does not wait
    spender.join(30)
    assert done == [1]


def test_a_lock_that_is_never_given_back(
    on_server: ServerPlace, book: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "_WAIT", 1)
    with connected(on_server) as other:
        other.execute("SELECT format FROM ledger FOR UPDATE")
        with pytest.raises(pv.LedgerError, match="another process holds it for more than 1 seconds"):
            book.spend(fruit_plan(schema, "0.6"))
    assert book.spend(fruit_plan(schema, "0.6")).number == 1


def test_t27_a_spend_waits_for_the_disk_whatever_the_server_says(
    server: PostgresServer, book: pv.Ledger
) -> None:
    role = "ALTER ROLE keeper SET"
    server.run(f"{role} synchronous_commit = off", f"{role} default_transaction_isolation = 'serializable'")
    try:
        store: Any = book._store
        with store._connected("test") as connection:
            store._begin(connection)
            shown = [
                connection.execute(f"SHOW {name}".encode()).fetchone()
                for name in ("synchronous_commit", "transaction_isolation", "lock_timeout", "search_path")
            ]
    finally:
        server.run("ALTER ROLE keeper RESET ALL")
    assert shown == [("on",), ("read committed",), ("1min",), (f"{store._schema}, pg_temp",)]


def test_a_page_that_fails_leaves_nothing(book: pv.Ledger, schema: pv.Schema) -> None:
    store: Any = book._store
    entry = book.spend(fruit_plan(schema, "0.1"))

    def append_then(fail: Any) -> None:
        with store.writing() as page:
            page.append(_after(entry))
            fail(page)

    def stop(page: Any) -> None:
        raise KeyboardInterrupt

    def twice(page: Any) -> None:
        page.append(_after(entry))

    def swallowed(page: Any) -> None:
        with pytest.raises(psycopg.Error):
            twice(page)

    with pytest.raises(KeyboardInterrupt):
        append_then(stop)
    with pytest.raises(pv.LedgerError, match="duplicate key"):
        append_then(twice)
    with pytest.raises(pv.LedgerError, match="cut off"):
        append_then(swallowed)
    assert book.verify() == entry


def _after(entry: Any) -> Any:
    return replace(entry, number=entry.number + 1, previous=entry.hash).sealed()


def test_a_connection_that_breaks_before_the_commit_spends_nothing(
    server: PostgresServer, book: pv.Ledger, schema: pv.Schema
) -> None:
    def write() -> None:
        store: Any = book._store
        with store.writing() as page:
            _end_all(server)
            page.last()

    with pytest.raises(pv.LedgerError, match="cannot write the ledger") as refusal:
        write()
    assert "Nothing was spent" in str(refusal.value)
    assert book.spend(fruit_plan(schema, "0.1")).number == 1


def test_a_connection_that_breaks_at_the_commit_does_not_claim_to_know(
    server: PostgresServer, book: pv.Ledger
) -> None:
    store: Any = book._store
    with pytest.raises(UnknownSpendError) as refusal, store.writing():
        _end_all(server)
    message = str(refusal.value)
    assert "Nothing was spent" not in message
    assert "Whether it was spent is not known" in message
    assert isinstance(pickle.loads(pickle.dumps(refusal.value)), UnknownSpendError)


def _end_all(server: PostgresServer) -> None:
    server.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'privior'")


def test_statements_hold_no_sign_of_the_drivers() -> None:
    for statement, values in (("SELECT 1 % 2", ()), ("SELECT ?", ()), ("SELECT '?'", ()), ("SELECT 1", (1,))):
        with pytest.raises(AssertionError):
            postgres._run(None, statement, values)  # type: ignore[arg-type]


# ---- rights -------------------------------------------------------------------------------------


def test_a_role_that_may_only_append_can_spend_and_no_more(
    server: PostgresServer, on_server: ServerPlace, book: pv.Ledger, schema: pv.Schema
) -> None:
    """The rights that docs/ledger.md gives to whoever spends."""
    space, role = f'"privior_{on_server.name}"', f'"r{on_server.name}"'
    server.run(f"CREATE ROLE {role} LOGIN PASSWORD 'x'")
    own = on_server.address.replace(f"keeper:{server.password}", f"r{on_server.name}:x")
    with pytest.raises(pv.LedgerError, match="permission denied"):
        pv.Ledger.open(own)
    server.run(
        f"GRANT USAGE ON SCHEMA {space} TO {role}", f"GRANT SELECT ON ALL TABLES IN SCHEMA {space} TO {role}"
    )
    reader = pv.Ledger.open(own)
    assert reader.verify() == book.last()
    with pytest.raises(pv.LedgerError, match="permission denied"):
        reader.check(fruit_plan(schema, "0.1"))
    server.run(f"GRANT UPDATE ON {space}.ledger TO {role}")
    with pytest.raises(pv.LedgerError, match="read-only"):
        reader.check(fruit_plan(schema, "0.1"))
    server.run(f"GRANT INSERT ON {space}.entries, {space}.closings, {space}.releases TO {role}")
    reader.finish(reader.spend(fruit_plan(schema, "0.1")), "text")
    book.verify()
    with psycopg.connect(own.partition("#")[0], autocommit=True) as connection:
        for statement in (
            f"DROP TRIGGER entries_final ON {space}.entries",
            f"DELETE FROM {space}.entries",
            f"UPDATE {space}.entries SET hash = ''",
            f"TRUNCATE {space}.entries",
            f"DROP SCHEMA {space} CASCADE",
        ):
            with pytest.raises(psycopg.Error, match=r"must be owner|permission denied"):
                connection.execute(statement.encode())


def test_even_the_keeper_cannot_empty_a_table_by_mistake(on_server: ServerPlace, book: pv.Ledger) -> None:
    with pytest.raises(psycopg.Error, match="final"):
        on_server.run("TRUNCATE entries")


def test_a_database_that_is_read_only(server: PostgresServer, book: pv.Ledger, schema: pv.Schema) -> None:
    server.run("ALTER ROLE keeper SET default_transaction_read_only = on")
    try:
        book.verify()
        with pytest.raises(pv.LedgerError, match="read-only transaction"):
            book.check(fruit_plan(schema, "0.1"))
    finally:
        with psycopg.connect(server._local, autocommit=True) as connection:
            connection.execute("SET default_transaction_read_only = off")
            connection.execute("ALTER ROLE keeper RESET ALL")
