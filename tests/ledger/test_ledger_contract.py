"""What every ledger does, wherever it is kept: in a file, or on a PostgreSQL server."""

from __future__ import annotations

import copy
import csv
import io
import json
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_places import FilePlace, LedgerPlace, forget_after, fruit_plan

import privior as pv
from privior.errors import KeyConflictError
from privior.ledger import EntryKind, KnownSpend, State
from privior.privacy import AccountingKind
from privior.release import LedgerReceipt


@pytest.fixture
def book(place: LedgerPlace) -> pv.Ledger:
    return pv.Ledger.create(place.address, population="orchard", epsilon=1)


def test_t31_ten_tenths_fit_and_the_eleventh_does_not(book: pv.Ledger, schema: pv.Schema) -> None:
    tenth = fruit_plan(schema, "0.1")
    entries = [book.spend(tenth) for _ in range(10)]
    assert [entry.number for entry in entries] == list(range(1, 11))
    assert all(type(entry.number) is int for entry in book.entries())
    before = book.verify()
    assert before == entries[-1]
    assert before.spent == pv.Budget.of(1)
    with pytest.raises(pv.BudgetExceededError, match="used up"):
        book.spend(tenth)
    with pytest.raises(pv.BudgetExceededError, match="used up"):
        book.check(tenth)
    assert book.verify() == before


def test_the_cap_holds_for_delta_and_for_amounts_that_are_too_large(
    book: pv.Ledger, schema: pv.Schema
) -> None:
    book.spend(fruit_plan(schema, "0.7"))
    with pytest.raises(pv.BudgetExceededError, match=r"costs epsilon 0\.3"):
        book.spend(fruit_plan(schema, "0.4"))
    with pytest.raises(pv.BudgetExceededError):
        book.spend(fruit_plan(schema, "0.1", delta="1e-6", mechanism=pv.GaussianCounts))
    book.spend(fruit_plan(schema, "0.3"))
    assert book.left == pv.Budget(Fraction(0), Fraction(0))


def test_a_ledger_is_made_once(place: LedgerPlace, book: pv.Ledger, schema: pv.Schema) -> None:
    entry = book.spend(fruit_plan(schema, "0.1"))
    with pytest.raises(pv.LedgerError, match="exists already"):
        pv.Ledger.create(place.address, population="meadow", epsilon=5)
    again = pv.Ledger.open(place.address)
    assert again.last() == entry
    assert again.cap == pv.Budget.of(1)
    assert again.durable


def test_there_is_none_until_it_is_made(place: LedgerPlace) -> None:
    with pytest.raises(pv.LedgerError, match="no ledger here"):
        pv.Ledger.open(place.address)
    with pytest.raises(pv.NumberError):
        pv.Ledger.create(place.address, population="orchard", epsilon=0)
    with pytest.raises(pv.LedgerError, match="no ledger here"):
        pv.Ledger.open(place.address)


def test_a_key_is_charged_once(book: pv.Ledger, schema: pv.Schema) -> None:
    plan, other = fruit_plan(schema, "0.1"), fruit_plan(schema, "0.2")
    assert book.replay(plan, key="march") is None
    entry = book.spend(plan, key="march")
    with pytest.raises(KeyConflictError, match="runs still"):
        book.replay(plan, key="march")
    with pytest.raises(KeyConflictError, match="runs still"):
        book.spend(plan, key="march")
    book.finish(entry, "what was released", "ünd more %s ? \\ '")
    assert book.replay(plan, key="march") == ("what was released", "ünd more %s ? \\ '")
    with pytest.raises(KeyConflictError, match="charged already"):
        book.spend(plan, key="march")
    with pytest.raises(KeyConflictError, match="another plan"):
        book.replay(other, key="march")
    for request in ({"analyst": "ann"}, {"version": "second"}):
        with pytest.raises(KeyConflictError, match="another plan"):
            book.replay(plan, key="march", **request)
    with pytest.raises(KeyConflictError, match="another plan"):
        book.spend(other, key="march")
    failed = book.spend(plan, key="april")
    book.fail(failed)
    with pytest.raises(KeyConflictError, match="failed"):
        book.replay(plan, key="april")
    assert book.spent == pv.Budget.of("0.2")


def test_a_spend_ends_once(book: pv.Ledger, schema: pv.Schema) -> None:
    one, two = (book.spend(fruit_plan(schema, "0.1")) for _ in range(2))
    assert book.bought(fruit_plan(schema, "0.1")) is None
    assert book.closing(one.number) is None
    book.finish(one, "text")
    book.fail(two)
    for entry in (one, two):
        with pytest.raises(pv.LedgerError, match="ended already"):
            book.fail(entry)
        with pytest.raises(pv.LedgerError, match="ended already"):
            book.finish(entry, "other")
    first, second = book.closing(one.number), book.closing(two.number)
    assert first is not None
    assert second is not None
    assert (first.state, first.release) == (State.RELEASED, ("text",))
    assert (second.state, second.release) == (State.FAILED, ())
    assert book.spent == pv.Budget.of("0.2")
    book.verify()


def test_quotas_cap_each_analyst_and_their_sum(book: pv.Ledger, schema: pv.Schema) -> None:
    tenth = fruit_plan(schema, "0.1")
    book.spend(tenth, analyst="ann")
    book.allow("ann", "1/5")
    book.allow("bö%s?", "1/2")
    with pytest.raises(pv.LedgerError, match="more than the cap"):
        book.allow("cid", "0.31")
    with pytest.raises(pv.LedgerError, match="share of the cap"):
        book.allow("cid", "1.1")
    book.allow("cid", "0.3")
    with pytest.raises(pv.LedgerError, match="names an analyst"):
        book.spend(tenth)
    with pytest.raises(pv.LedgerError, match="names an analyst"):
        book.spend(tenth, analyst="dan")
    book.spend(tenth, analyst="ann")
    with pytest.raises(pv.BudgetExceededError, match="quota of ann"):
        book.spend(tenth, analyst="ann")
    book.spend(fruit_plan(schema, "0.5"), analyst="bö%s?")
    book.allow("ann", "0.1")
    assert {name: (share, own[0]) for name, share, own in book.quotas()} == {
        "ann": (Fraction(1, 10), Fraction(1, 5)),
        "bö%s?": (Fraction(1, 2), Fraction(1, 2)),
        "cid": (Fraction(3, 10), Fraction(0)),
    }
    assert "quota of ann" in str(book)
    book.verify()


def test_entries_cannot_be_changed_removed_or_emptied(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema
) -> None:
    book.finish(book.spend(fruit_plan(schema, "0.1")), "text")
    for statement in (
        "DELETE FROM entries",
        "UPDATE entries SET hash = 'x'",
        "DELETE FROM closings",
        "UPDATE closings SET state = 'failed'",
        "DELETE FROM releases",
        "UPDATE releases SET release = 'x'",
    ):
        with pytest.raises(Exception, match="what a ledger says is final"):
            place.run(statement)
    book.verify()


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE entries SET body = replace(body, '\"0.1\"', '\"0.01\"') WHERE number = 3", "match its hash"),
        ("UPDATE entries SET idempotency = 'other' WHERE number = 3", "was changed"),
        ("UPDATE entries SET analyst = 'other' WHERE number = 3", "was changed"),
        ("DELETE FROM entries WHERE number = 2", "chain"),
        ("DELETE FROM entries WHERE number = 3", "chain"),
        ("UPDATE closings SET state = 'failed'", "match its hash"),
        ("UPDATE closings SET state = 'odd'", "malformed"),
        ("UPDATE closings SET entry = 1", "match its hash"),
        ("UPDATE releases SET release = 'other text'", "match its hash"),
        ("DELETE FROM releases", "match its hash"),
        ("DELETE FROM entries", "empty"),
    ],
)
def test_tampering_is_noticed(
    statement: str, words: str, place: LedgerPlace, book: pv.Ledger, schema: pv.Schema
) -> None:
    entry = [book.spend(fruit_plan(schema, "0.1"), key=key) for key in "abc"][-1]
    book.finish(entry, "text")
    book.verify()
    place.unguard()
    place.run(statement)
    with pytest.raises(pv.LedgerError, match=words):
        book.verify()


def test_t32_an_old_copy_is_refused_until_it_is_reconciled(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema
) -> None:
    tenth = fruit_plan(schema, "0.1")
    spends = [book.spend(tenth) for _ in range(4)]
    forget_after(place, 2)
    for act in (book.spend, book.check):
        with pytest.raises(pv.LedgerError, match="older than a spend that is known"):
            act(tenth)
    made = book.reconcile([KnownSpend.of(spends[2])])
    assert [entry.kind for entry in made] == [EntryKind.RECONCILED] * 2
    assert book.spent == pv.Budget.of("0.4")
    assert book.reconcile([KnownSpend.of(entry) for entry in spends]) == []
    book.spend(tenth)
    assert book.verify([KnownSpend.of(entry) for entry in spends]).spent == pv.Budget.of("0.5")


def test_a_release_proves_a_rollback_where_no_anchor_does(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    spends = [book.spend(fruit_plan(schema, "0.1")) for _ in range(3)]
    forget_after(place, 1)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "another user"))
    book.verify()
    with pytest.raises(pv.LedgerError, match="older than a spend that is known"):
        book.verify([KnownSpend.of(spends[2])])
    (made,) = book.reconcile([KnownSpend.of(spends[2])])
    assert made.price == spends[2].total  # the entry before it is unknown too
    assert book.spent == pv.Budget.of("0.4")


def test_t32_the_same_plan_spent_again_on_an_old_copy_is_another_spend(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    plan = fruit_plan(schema, "0.1")
    lost = book.spend(plan, key="march", analyst="ann")
    forget_after(place, 0)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "another user"))
    again = book.spend(plan, key="march", analyst="ann")
    assert again.hash != lost.hash
    with pytest.raises(pv.LedgerError, match="older than a spend that is known"):
        book.verify([KnownSpend.of(lost)])
    book.reconcile([KnownSpend.of(lost)])
    assert book.spent == pv.Budget.of("0.2")


def test_t32_no_key_of_a_request_passes_for_a_spend_charged_again(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lost = KnownSpend.of(book.spend(fruit_plan(schema, "0.5")))
    forget_after(place, 0)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "another user"))
    with pytest.raises(pv.LedgerError, match="the ledger's own"):
        book.spend(fruit_plan(schema, "0.1"), key=lost.mark)
    with pytest.raises(pv.LedgerError, match="older than a spend that is known"):
        book.verify([lost])


def test_a_forgotten_quota_costs_nothing_and_leaves_the_chain_whole(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema
) -> None:
    book.spend(fruit_plan(schema, "0.1"))
    book.allow("ann", "1/2")
    book.reconcile()
    forget_after(place, 1)
    assert book.reconcile() == []
    assert book.verify().spent == pv.Budget.of("0.1")
    book.spend(fruit_plan(schema, "0.1"))


def test_releases_of_other_ledgers_are_never_charged(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema, tmp_path: Path
) -> None:
    plan = fruit_plan(schema, "0.3")
    meadow = pv.Schema(schema.columns, population="meadow", unit="person")
    others = [
        (pv.Ledger.create(tmp_path / "meadow", population="meadow", epsilon=1), fruit_plan(meadow, "0.3")),
        (pv.Ledger.create(tmp_path / "larger", population="orchard", epsilon=2), plan),
        (
            pv.Ledger.create(
                tmp_path / "rho", population="orchard", epsilon=1, delta="0.01", accounting="concentrated"
            ),
            plan,
        ),
    ]
    for other, wanted in others:
        known = KnownSpend.of(other.spend(wanted))
        for act in (book.reconcile, book.verify):
            with pytest.raises(pv.LedgerError, match="another ledger"):
                act([known])
    trial = pv.Ledger.in_memory(population="orchard", epsilon=1)
    receipt = LedgerReceipt.of(trial.spend(plan), durable=trial.durable)
    assert receipt.known(plan, "0.2.0") is None
    assert book.verify().number == 0


@pytest.mark.parametrize("kind", list(AccountingKind))
def test_a_ledger_charged_beyond_its_cap_says_so(
    kind: AccountingKind, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file = FilePlace(tmp_path / "cap.ledger")
    book = pv.Ledger.create(file.path, population="orchard", epsilon=1, delta="1e-5", accounting=kind)
    plan = fruit_plan(schema, "0.16")
    lost = KnownSpend.of(book.spend(plan))
    before = book.spent
    forget_after(file, 0)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "another user"))
    with suppress(pv.BudgetExceededError):
        while True:
            book.spend(plan)
    book.reconcile([lost])
    assert before.epsilon < 1 < book.spent.epsilon
    assert book.left.epsilon == 0
    assert "more than the cap" in book.picture().text(200)
    assert "left" in str(book)
    with pytest.raises(pv.BudgetExceededError):
        book.spend(plan)


def test_numbers_that_no_store_can_hold_are_no_entries(book: pv.Ledger, schema: pv.Schema) -> None:
    known = KnownSpend.of(book.spend(fruit_plan(schema, "0.1")))
    for number in (-1, 2**63, 10**30):
        assert book.entry(number) is None
        assert book.closing(number) is None
    with pytest.raises(pv.LedgerError, match="older than a spend that is known"):
        book.verify([replace(known, entry=10**30)])


def test_what_is_charged_again_can_be_read_however_long_its_fraction(
    place: LedgerPlace, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    book = pv.Ledger.create(place.address, population="orchard", epsilon=1000)
    plans = [fruit_plan(schema, Fraction(3**380 + power, 3**381 + 2**power)) for power in range(1, 25)]
    lost = [KnownSpend.of(book.spend(plan)) for plan in plans[:12]]
    forget_after(place, 0)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "another user"))
    for plan in plans[12:]:
        book.spend(plan)
    before = book.spent.epsilon
    book.reconcile([lost[-1]])
    exact = before + sum((plan.cost.epsilon for plan in plans[:12]), start=Fraction(0))
    assert exact <= book.verify().spent.epsilon <= exact * Fraction(10**9 + 1, 10**9)


def test_what_failed_was_not_bought(book: pv.Ledger, schema: pv.Schema) -> None:
    plan = fruit_plan(schema, "0.1")
    book.fail(book.spend(plan))
    assert book.bought(plan) is None
    released = book.spend(plan)
    book.finish(released, "text")
    book.fail(book.spend(plan))
    book.spend(plan)
    assert book.bought(plan) == released


def _spend_opened(address: str, schema_document: dict[str, object], times: int) -> int:
    plan, granted = fruit_plan(pv.Schema.from_document(schema_document), "0.05"), 0
    for _ in range(times):
        try:
            pv.Ledger.open(address).spend(plan)
            granted += 1
        except pv.BudgetExceededError:
            pass
    return granted


def _spend_given(book: pv.Ledger, plan: pv.Plan) -> None:
    book.spend(plan)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_t26_processes_share_one_budget(
    method: str, place: LedgerPlace, book: pv.Ledger, schema: pv.Schema
) -> None:
    with multiprocessing.get_context(method).Pool(2) as pool:
        granted = pool.starmap(_spend_opened, [(place.address, schema.to_document(), 12)] * 2)
        pool.starmap(_spend_given, [] if sum(granted) == 20 else [(book, fruit_plan(schema, "0.05"))])
    assert sum(granted) == 20
    assert book.verify().spent == pv.Budget.of(1)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_t30_copies_threads_and_children_share_one_budget(book: pv.Ledger, schema: pv.Schema) -> None:
    tenth = fruit_plan(schema, "0.1")
    for twin in (copy.copy(book), copy.deepcopy(book), pickle.loads(pickle.dumps(book))):
        twin.spend(tenth)
    child = multiprocessing.get_context("fork").Process(target=_spend_given, args=(book, tenth))
    child.start()
    child.join(60)
    assert child.exitcode == 0
    with ThreadPoolExecutor(4) as pool:
        numbers = sorted(entry.number for entry in pool.map(book.spend, [tenth] * 6))
    assert numbers == [5, 6, 7, 8, 9, 10]
    assert book.verify().spent == pv.Budget.of(1)


@pytest.mark.parametrize(
    ("kind", "at_least"),
    [
        (AccountingKind.BASIC, 2),
        (AccountingKind.GAUSSIAN, 3),
        (AccountingKind.CONCENTRATED, 7),
        (AccountingKind.RENYI, 4),
    ],
)
def test_every_accounting_spends_up_to_its_cap(
    kind: AccountingKind, at_least: int, place: LedgerPlace, schema: pv.Schema
) -> None:
    book = pv.Ledger.create(
        place.address, population="orchard", epsilon=1, delta="1e-5", accounting=kind.value
    )
    discrete = fruit_plan(schema, "0.4", delta="1e-7", mechanism=pv.GaussianCounts)  # has no mu
    plan = fruit_plan(schema, "0.1") if kind is AccountingKind.GAUSSIAN else discrete
    with pytest.raises(pv.BudgetExceededError):
        list(map(book.spend, [plan] * 50))
    granted = book.last().spends
    assert granted >= at_least
    last = pv.Ledger.open(place.address).verify()
    assert last.accounting.kind is kind
    assert last.spends == granted
    assert last.accounting.admits(last.total)
    assert not last.accounting.admits(last.accounting.add(last.total, last.price))
    assert last.spent.epsilon <= 1
    assert last.accounting.promise() in str(book)


def test_what_a_sum_cannot_take_is_charged_aside(place: LedgerPlace, schema: pv.Schema) -> None:
    book = pv.Ledger.create(
        place.address,
        population="orchard",
        epsilon=2,
        delta="2e-5",
        accounting="gaussian",
        aside=pv.Budget.of("0.5", "1e-6"),
    )
    odd = fruit_plan(schema, "0.4", delta="1e-7", mechanism=pv.GaussianCounts)
    assert book.spend(odd).price == (Fraction(0), Fraction(2, 5), Fraction(1, 10**7))
    with pytest.raises(pv.BudgetExceededError):
        book.spend(odd)
    assert book.spend(fruit_plan(schema, "0.1")).price[1:] == (Fraction(0), Fraction(0))
    book.verify()


def test_the_history_as_csv_and_json(book: pv.Ledger, schema: pv.Schema) -> None:
    one = book.spend(fruit_plan(schema, "0.1"), key="k", analyst="=ann", version="v 1")
    book.finish(one, "text")
    book.fail(book.spend(fruit_plan(schema, "0.2")))
    book.spend(fruit_plan(schema, "0.3"))
    book.allow("ann", "1/2")
    history = book.history()
    rows = list(csv.DictReader(io.StringIO(history.to_csv())))
    assert [row["state"] for row in rows] == ["released", "failed", "reserved", ""]
    assert [row["total epsilon"] for row in rows] == ["0.1", "0.3", "0.6", "0.6"]
    assert rows[0]["by"] == "'=ann"
    document = json.loads(history.to_json())
    assert document["ledger"] == book.where
    assert [entry["entry"] for entry in document["entries"]] == [0, 1, 2, 3, 4]
    assert (document["entries"][1]["key"], document["entries"][1]["version"]) == ("k", "v 1")
    assert document["entries"][4]["share"] == "0.5"


def test_long_fractions_are_exact_and_too_long_ones_are_refused(
    place: LedgerPlace, schema: pv.Schema
) -> None:
    book = pv.Ledger.create(place.address, population="orchard", epsilon=1000)
    total = Fraction(0)
    for power in (61, 89, 107, 127, 521, 607):
        part = Fraction(1, 10) + Fraction(1, 2**power - 1)
        total += part
        assert book.spend(fruit_plan(schema, part)).spent.epsilon == total
    assert book.verify().spent.epsilon == total
    long = [fruit_plan(schema, Fraction(3**380 + power, 3**381 + 2**power)) for power in range(1, 40)]
    with pytest.raises(pv.LedgerError, match="too long"):
        list(map(book.spend, long))
    book.spend(fruit_plan(schema, "0.1"))
    book.verify()


def test_a_measurement_is_charged_there(
    place: LedgerPlace, book: pv.Ledger, schema: pv.Schema, table: Path, tmp_path: Path
) -> None:
    output = tmp_path / "fruit.release.json"
    pv.measure(fruit_plan(schema, "0.5"), table, ledger=place.address, output=output)
    receipt = pv.Release.read(output).receipt
    assert receipt.durable
    assert receipt.head == book.last().hash
    assert book.spent == pv.Budget.of("0.5")
