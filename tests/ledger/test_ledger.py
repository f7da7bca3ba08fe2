"""The ledger: exact, durable, append-only, shared by its copies."""

from __future__ import annotations

import copy
import json
import multiprocessing
import pickle
import sqlite3
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from sqlite_work import steps_of

import privior as pv
from privior.ledger import EntryKind, LedgerEntry
from privior.ledger import entry as entry_module
from privior.privacy import Accounting, AccountingKind

TENTH = (Fraction(1, 10), Fraction(0))


def plan_for(schema: pv.Schema, epsilon: object, **facts: object) -> pv.Plan:
    return pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon=epsilon, **facts)  # type: ignore[arg-type]


@pytest.fixture
def small(tmp_path: Path) -> pv.Ledger:
    return pv.Ledger.create(tmp_path / "small.ledger", population="orchard", epsilon=1)


def test_t31_ten_tenths_fit_and_the_eleventh_is_refused(small: pv.Ledger, schema: pv.Schema) -> None:
    tenth = plan_for(schema, "0.1")
    for _ in range(10):
        small.spend(tenth)
    before = small.verify()
    assert before.spent == pv.Budget.of(1)
    with pytest.raises(pv.BudgetExceededError) as refusal:
        small.spend(tenth)
    message = str(refusal.value)
    facts = (
        "asked: epsilon 0.1",
        "allowed: epsilon 0",
        "spent so far: epsilon 1",
        "used up",
        "Nothing was spent",
    )
    for fact in facts:
        assert fact in message
    assert small.verify() == before


def test_the_refusal_names_the_largest_release_that_fits(small: pv.Ledger, schema: pv.Schema) -> None:
    small.spend(plan_for(schema, "0.7"))
    with pytest.raises(
        pv.BudgetExceededError, match=r"largest release that fits costs epsilon 0\.3"
    ) as refusal:
        small.spend(plan_for(schema, "0.4"))
    assert refusal.value.spent == pv.Budget.of("0.7")
    small.spend(plan_for(schema, "0.3"))
    assert small.left == pv.Budget(Fraction(0), Fraction(0))


def test_delta_is_capped_too(small: pv.Ledger, schema: pv.Schema) -> None:
    plan = plan_for(schema, "0.1", delta="1e-6", mechanism=pv.GaussianCounts)
    with pytest.raises(pv.BudgetExceededError, match="created without a delta: plan with delta 0"):
        small.spend(plan)
    assert small.last().number == 0


def test_what_is_spent_survives_reopening(small: pv.Ledger, schema: pv.Schema) -> None:
    entry = small.spend(plan_for(schema, "0.1"))
    again = pv.Ledger.open(small.where)
    assert again.last() == entry
    assert again.cap == pv.Budget.of(1)
    assert again.population == "orchard"
    assert entry.plans == (plan_for(schema, "0.1").digest,)


def test_t30_copies_share_one_budget(small: pv.Ledger, schema: pv.Schema) -> None:
    for twin in (copy.copy(small), copy.deepcopy(small), pickle.loads(pickle.dumps(small))):
        twin.spend(plan_for(schema, "0.1"))
    assert small.spent == pv.Budget.of("0.3")
    memory = pv.Ledger.in_memory()
    copy.deepcopy(memory).spend(plan_for(schema, "0.1"))
    assert memory.spent == pv.Budget.of("0.1")
    with pytest.raises(TypeError, match="memory"):
        pickle.dumps(memory)


def _spend_often(path: str, schema_document: dict[str, object]) -> int:
    schema = pv.Schema.from_document(schema_document)
    granted = 0
    for _ in range(12):
        try:
            pv.Ledger.open(path).spend(plan_for(schema, "0.05"))
            granted += 1
        except pv.BudgetExceededError:
            pass
    return granted


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_t26_processes_never_overspend(small: pv.Ledger, schema: pv.Schema) -> None:
    """Forked here; the contract of ledgers has processes that are started anew as well."""
    with multiprocessing.get_context("fork").Pool(4) as pool:
        granted = pool.starmap(_spend_often, [(small.where, schema.to_document())] * 4)
    assert sum(granted) == 20
    assert small.verify().spent == pv.Budget.of(1)


def test_t42_one_spend_reads_one_entry(small: pv.Ledger, schema: pv.Schema) -> None:
    """The number of SQL statements and rows does not grow with the ledger."""
    plan = plan_for(schema, "0.001")
    small.spend(plan)
    first = steps_of(lambda: small.spend(plan))
    for _ in range(200):
        small.spend(plan)
    assert steps_of(lambda: small.spend(plan)) <= first + 10


def test_a_spend_opens_one_connection_and_reads_its_entries_once(
    small: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What costs time in a spend; benchmarks/ledger.py measures it."""
    plan = plan_for(schema, "0.001")
    small.spend(plan, key="warm", analyst="ann")
    connections, statements, rebuilt = [], list[str](), list[int]()
    connect, rebuild = sqlite3.connect, entry_module._rebuilt

    def connected(*given: Any, **named: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*given, **named)
        connection.set_trace_callback(statements.append)
        connections.append(connection)
        return connection

    def rebuilding(number: int, *given: Any) -> LedgerEntry:
        rebuilt.append(number)
        return rebuild(number, *given)

    monkeypatch.setattr(sqlite3, "connect", connected)
    monkeypatch.setattr(entry_module, "_rebuilt", rebuilding)
    entry_module._MADE.clear()  # as in another process
    small.spend(plan, key="counted", analyst="ann")
    assert len(connections) == 1
    assert rebuilt == [1]
    looked = [statement for statement in statements if statement.startswith("SELECT")]
    assert len(looked) == len(set(looked)) <= 14
    small.spend(plan, key="the next one", analyst="ann")
    assert rebuilt == [1], "what this process made itself is not rebuilt"


def test_a_page_for_reading_sees_what_others_write_meanwhile(small: pv.Ledger, schema: pv.Schema) -> None:
    plan = plan_for(schema, "0.1")
    with small._store.reading() as page:
        assert page.last().number == 0
        small.spend(plan)
        assert page.last().number == 1
    with small._store.writing() as page:
        page.append(page.last().followed().sealed())
        assert page.last().number == 2


def test_entries_cannot_be_changed_or_removed(small: pv.Ledger, schema: pv.Schema) -> None:
    small.spend(plan_for(schema, "0.1"))
    connection = sqlite3.connect(small.where)
    for statement in ("DELETE FROM entries", "UPDATE entries SET hash = 'x'"):
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(statement)
    connection.close()


def _tamper(ledger: pv.Ledger, *statements: str) -> None:
    connection = sqlite3.connect(ledger.where)
    for statement in ("DROP TRIGGER entries_final", "DROP TRIGGER entries_kept", *statements):
        connection.execute(statement)
    connection.commit()
    connection.close()


def test_a_changed_entry_is_noticed(small: pv.Ledger, schema: pv.Schema) -> None:
    for _ in range(3):
        small.spend(plan_for(schema, "0.1"))
    _tamper(small, "UPDATE entries SET body = replace(body, '\"0.1\"', '\"0.01\"') WHERE number = 3")
    with pytest.raises(pv.LedgerError, match="does not match its hash"):
        pv.Ledger.open(small.where)


def test_a_missing_entry_is_noticed(small: pv.Ledger, schema: pv.Schema) -> None:
    for _ in range(3):
        small.spend(plan_for(schema, "0.1"))
    _tamper(small, "DELETE FROM entries WHERE number = 2")
    with pytest.raises(pv.LedgerError, match="chain"):
        small.verify()


def test_bad_ledgers(tmp_path: Path, schema: pv.Schema) -> None:
    with pytest.raises(pv.LedgerError, match="no ledger here"):
        pv.Ledger.open(tmp_path / "missing")
    with pytest.raises(pv.LedgerError, match="no ledger here"):
        pv.Ledger.open(tmp_path)
    garbage = tmp_path / "garbage"
    garbage.write_bytes(b"not a database, just text" * 100)
    with pytest.raises(pv.LedgerError, match="not a readable ledger"):
        pv.Ledger.open(garbage)
    (tmp_path / "empty").touch()
    with pytest.raises(pv.LedgerError, match="not a ledger"):
        pv.Ledger.open(tmp_path / "empty")
    ledger = pv.Ledger.create(tmp_path / "newer", population="orchard", epsilon=1)
    connection = sqlite3.connect(ledger.where)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    with pytest.raises(pv.LedgerError, match="newer than this library"):
        pv.Ledger.open(ledger.where)
    with pytest.raises(pv.LedgerError, match="exists already"):
        pv.Ledger.create(ledger.where, population="orchard", epsilon=1)
    with pytest.raises(pv.LedgerError, match="cannot create"):
        pv.Ledger.create(tmp_path / "no" / "folder", population="orchard", epsilon=1)
    with pytest.raises(pv.NumberError):
        pv.Ledger.create(tmp_path / "other", population="orchard", epsilon=0)
    assert not (tmp_path / "other").exists()


def _reseal(ledger: pv.Ledger, **facts: object) -> None:
    """Append an entry with a right hash and wrong facts, as somebody who knows the format could."""
    last = ledger.last()
    forged: Any = {"number": last.number + 1, "previous": last.hash, **facts}
    entry = replace(last, **forged).sealed()
    with ledger._store.writing() as page:
        page.append(entry)


@pytest.mark.parametrize(
    "facts",
    [
        {"accounting": Accounting(AccountingKind.BASIC, pv.Budget.of(100))},
        {"price": (Fraction(0), Fraction(0)), "total": TENTH},
        {"total": TENTH},
        {"price": (Fraction(2), Fraction(0)), "total": (Fraction(21, 10), Fraction(0))},
        {"population": "meadow"},
        {"neighbours": pv.ADD_OR_REMOVE_ONE},
        {"unit": "household"},
        {"spends": 1},
        {"kind": EntryKind.QUOTA},
        {"kind": EntryKind.OPENED},
        {"analyst": "ann", "own": (Fraction(1), Fraction(0))},
    ],
)
def test_a_forged_entry_is_noticed(facts: dict[str, object], small: pv.Ledger, schema: pv.Schema) -> None:
    small.spend(plan_for(schema, "0.1"))
    same = {"price": TENTH, "total": (Fraction(2, 10), Fraction(0)), "spends": 2}
    _reseal(small, **{**same, **facts})
    with pytest.raises(pv.LedgerError, match="do not add up"):
        small.verify()


def test_an_entry_that_follows_another_chain_is_noticed(small: pv.Ledger, schema: pv.Schema) -> None:
    small.spend(plan_for(schema, "0.1"))
    same = {"price": TENTH, "total": (Fraction(2, 10), Fraction(0)), "spends": 2}
    _reseal(small, **same, previous="0" * 64)
    with pytest.raises(pv.LedgerError, match="chain"):
        small.verify()


def test_a_malformed_entry_is_refused(small: pv.Ledger) -> None:
    from privior.ledger.entry import _seal

    connection = sqlite3.connect(small.where)
    connection.execute("INSERT INTO entries (number, body, hash) VALUES (1, '[]', ?)", (_seal(1, "[]"),))
    connection.commit()
    connection.close()
    with pytest.raises(pv.LedgerError, match="malformed"):
        pv.Ledger.open(small.where)


def test_a_ledger_with_two_names_is_refused(small: pv.Ledger, schema: pv.Schema, tmp_path: Path) -> None:
    """Each has a journal of its own: a write cut off under one name would be kept under the other."""
    (tmp_path / "twin").hardlink_to(small.where)
    for name in (small.where, tmp_path / "twin"):
        book = pv.Ledger.open(name)
        assert book.verify().number == 0
        with pytest.raises(pv.LedgerError, match="hard link"):
            book.spend(plan_for(schema, "0.1"))
    (tmp_path / "twin").unlink()
    (tmp_path / "symbolic").symlink_to(small.where)
    pv.Ledger.open(tmp_path / "symbolic").spend(plan_for(schema, "0.1"))
    assert small.spent == pv.Budget.of("0.1")


def _spend_in_child(ledger: pv.Ledger, plan: pv.Plan, answers: object) -> None:
    try:
        ledger.spend(plan)
        answers.put("spent")  # type: ignore[attr-defined]
    except pv.LedgerError as error:
        answers.put(error.what)  # type: ignore[attr-defined]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_cannot_spend_from_a_ledger_in_memory(schema: pv.Schema) -> None:
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(
        target=_spend_in_child, args=(pv.Ledger.in_memory(), plan_for(schema, "0.1"), answers)
    )
    child.start()
    assert "belongs to the process" in answers.get(timeout=60)
    child.join()


def test_fractions_that_grow_too_long_are_refused_before_they_break_the_ledger(schema: pv.Schema) -> None:
    book = pv.Ledger.in_memory()
    primes = [2**127 - 1, 2**521 - 1, 2**89 - 1, 2**107 - 1, 2**61 - 1]
    for prime in primes * 3:
        book.spend(plan_for(schema, Fraction(1, 10) + Fraction(1, prime)))
    book.verify()
    long = [plan_for(schema, Fraction(3**380 + power, 3**381 + 2**power)) for power in range(1, 40)]
    with pytest.raises(pv.LedgerError, match="too long"):
        list(map(book.spend, long))
    book.spend(plan_for(schema, "0.1"))


def test_names_without_a_path_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (None, 3, "a\0b"):
        with pytest.raises(pv.LedgerError):
            pv.Ledger.open(name)  # type: ignore[arg-type]
    monkeypatch.chdir(tmp_path)
    assert pv.Ledger.create(":memory:", population="p", epsilon=1).durable
    assert pv.Ledger.open(":memory:").population == "p"


def test_a_ledger_cut_in_half_is_refused(small: pv.Ledger, schema: pv.Schema) -> None:
    for _ in range(5):
        small.spend(plan_for(schema, "0.01"))
    path = Path(small.where)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(pv.LedgerError):
        pv.Ledger.open(path).verify()


def test_a_read_only_ledger_is_refused(small: pv.Ledger, schema: pv.Schema) -> None:
    Path(small.where).chmod(0o444)
    with pytest.raises(pv.LedgerError, match="read-only"):
        small.spend(plan_for(schema, "0.1"))
    Path(small.where).chmod(0o644)
    assert small.last().number == 0


def test_what_does_not_add_up_is_refused(small: pv.Ledger, schema: pv.Schema) -> None:
    small.spend(plan_for(schema, "0.1"))
    with pytest.raises(pv.LedgerError, match=r"different neighbour relations(.|\n)*--charge-as"):
        small.spend(plan_for(schema, "0.1", neighbours=pv.ADD_OR_REMOVE_ONE))
    other = pv.Schema(schema.columns, population="meadow", unit="person")
    with pytest.raises(pv.LedgerError, match="another population"):
        small.spend(plan_for(other, "0.1"))
    household = pv.Schema(schema.columns, population="orchard", unit="household")
    with pytest.raises(pv.LedgerError, match="another unit"):
        small.spend(plan_for(household, "0.1"))
    assert small.spent == pv.Budget.of("0.1")


def test_printing_shows_cap_spent_and_left(small: pv.Ledger, schema: pv.Schema) -> None:
    small.spend(plan_for(schema, "0.25"))
    text = str(small)
    assert "cap" in text
    assert "epsilon 0.25, delta 0 by 1 release" in text
    assert "epsilon 0.75" in text


def test_the_name_of_a_hostile_ledger_leads_nowhere(small: pv.Ledger, schema: pv.Schema, state: Path) -> None:
    opening = small.entry(0)
    assert opening is not None
    forged = replace(opening, key="../../planted").sealed()
    connection = sqlite3.connect(small.where)
    connection.execute("DROP TRIGGER entries_final")
    row = (forged.body(), forged.hash, forged.key)
    connection.execute("UPDATE entries SET body = ?, hash = ?, idempotency = ? WHERE number = 0", row)
    connection.commit()
    connection.close()
    with pytest.raises(pv.LedgerError, match="malformed"):
        small.spend(plan_for(schema, "0.1"))
    assert small.last() == forged
    assert not (state / "anchors" / "../../planted.json").exists()


@pytest.mark.parametrize("ending", ["-wal", "-journal"])
def test_the_log_of_a_removed_ledger_is_not_taken_for_that_of_a_new_one(
    ending: str, small: pv.Ledger, schema: pv.Schema
) -> None:
    place = Path(small.where)
    small.spend(plan_for(schema, "0.5"))
    place.unlink()
    log = Path(f"{place}{ending}")
    log.write_bytes(b"of another ledger")
    with pytest.raises(pv.LedgerError, match="log of an older ledger"):
        pv.Ledger.create(place, population="orchard", epsilon=5)
    assert not place.exists()
    log.unlink()
    assert pv.Ledger.create(place, population="orchard", epsilon=5).cap == pv.Budget.of(5)


_FIRST_SPEND = """
import contextlib, json, sys
import privior as pv
from privior.privacy import REPLACE_ONE


class Watch:
    locked, found = False, []

    def find_spec(self, name, path, target=None):
        if Watch.locked:
            Watch.found.append(name)


sys.meta_path.insert(0, Watch())
schema = pv.Schema({"x": pv.Categorical(["a", "b"])}, population="p", unit="row")
model, mechanism = pv.DirichletCategorical("x"), pv.LaplaceCounts(2, "1/2")
book = pv.Ledger.open(sys.argv[1])
taken = book._store.writing


@contextlib.contextmanager
def writing():
    with taken() as page:
        Watch.locked = True
        yield page
    Watch.locked = False


book._store.writing = writing
entry = book.spend(pv.Plan(schema, model, mechanism, REPLACE_ONE, 100), key="k")
book.finish(entry, "released")
print(json.dumps(Watch.found))
"""


@pytest.mark.parametrize("accounting", ["basic", "renyi"])
def test_a_first_spend_loads_nothing_while_it_holds_a_lock(tmp_path: Path, accounting: str) -> None:
    """A fork while another thread loads a file copies the lock of that file, and nobody ever opens it."""
    place = tmp_path / "p.ledger"
    pv.Ledger.create(place, population="p", epsilon=9, delta="1e-6", accounting=accounting)
    program = [sys.executable, "-c", _FIRST_SPEND, str(place)]
    ran = subprocess.run(program, check=True, capture_output=True, text=True)
    assert json.loads(ran.stdout) == []
