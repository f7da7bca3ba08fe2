"""Guarantees that code outside privior declares: who takes them, and who says so afterwards."""

from __future__ import annotations

import json
import shutil
from dataclasses import fields, replace
from pathlib import Path

import pytest
from ledger_places import FilePlace, LedgerPlace, forget_after, fruit_plan

import privior as pv
from privior.ledger import EntryKind
from privior.ledger.entry import LedgerEntry
from privior.release import LedgerReceipt

OLD = Path(__file__).parents[1] / "compat"
WORDS = "; if what others declare of 1 spend is true"


class Outside(pv.KNorm):  # type: ignore[misc]
    """Stands for a mechanism that somebody else has written."""

    declared = True


def declared_plan(schema: pv.Schema, epsilon: object) -> pv.Plan:
    plan = fruit_plan(schema, epsilon, mechanism=pv.KNorm)
    law = plan.mechanism
    facts = {field.name: getattr(law, field.name) for field in fields(law)}
    return replace(plan, mechanism=Outside(**facts))


@pytest.fixture
def book(place: LedgerPlace) -> pv.Ledger:
    return pv.Ledger.create(place.address, population="orchard", epsilon=1, accept_declared=True)


def test_a_ledger_takes_them_only_if_it_was_created_so(place: LedgerPlace, schema: pv.Schema) -> None:
    book = pv.Ledger.create(place.address, population="orchard", epsilon=1)
    assert not book.accepts_declared
    before = book.last()
    batch = pv.Batch.of([fruit_plan(schema, "0.1"), declared_plan(schema, "0.1")])
    for act in (book.spend, book.check):
        for work in (declared_plan(schema, "0.1"), batch):
            with pytest.raises(pv.LedgerError, match="declared by others") as refusal:
                act(work)
            assert "privior ledger create --accept-declared" in str(refusal.value)
            assert "Nothing was spent" in str(refusal.value)
    assert book.verify() == before
    assert "declared" not in str(book)
    book.spend(fruit_plan(schema, "0.1"))


def test_its_totals_and_all_later_receipts_say_it(book: pv.Ledger, schema: pv.Schema) -> None:
    assert book.accepts_declared
    assert "holds none so far" in dict(book.facts())["declared"]
    first = book.spend(fruit_plan(schema, "0.1"))
    assert "declare" not in dict(book.facts())["spent"]
    assert LedgerReceipt.of(first, durable=True).declared == 0
    entry = book.spend(declared_plan(schema, "0.1"))
    later = book.spend(fruit_plan(schema, "0.1"))
    book.allow("ann", 1)
    told = dict(book.facts())
    assert told["spent"] == f"epsilon 0.3, delta 0 by 3 releases{WORDS}"
    assert told["promise"].endswith(WORDS)
    assert told["declared"].startswith("1 of 3 releases have a guarantee that others declare")
    assert (entry.declared, later.declared, later.declared_spends) == (True, False, 1)
    assert [LedgerReceipt.of(one, durable=True).declared for one in (entry, later)] == [1, 1]
    assert book.verify().declared_spends == book.declared_spends == 1
    history = book.history()
    assert [document["declared"] for document in history.documents()] == [False, False, True, False, False]
    assert history.to_csv().count("(its guarantee declared by others)") == 1


def test_a_batch_with_one_of_them_is_one_of_them(book: pv.Ledger, schema: pv.Schema) -> None:
    batch = pv.Batch.of([fruit_plan(schema, "0.1"), declared_plan(schema, "0.1")])
    assert book.spend(batch).declared


@pytest.mark.parametrize("name", ["0.1/orchard.ledger", "0.2/orchard.ledger", "kinds/garden.ledger"])
def test_older_ledgers_take_none(name: str, tmp_path: Path) -> None:
    book = pv.Ledger.open(shutil.copy(OLD / name, tmp_path))
    assert not book.accepts_declared
    assert all((entry.declared, entry.declared_spends) == (False, 0) for entry in book.entries())


FORGED = {
    "the mark": {"declared": False},
    "the count": {"declared_spends": 0},
    "both": {"declared": False, "declared_spends": 0, "accepts_declared": False},
    "one too many": {"declared_spends": 2},
}


@pytest.mark.parametrize("facts", FORGED.values(), ids=FORGED)
def test_whoever_takes_the_mark_away_breaks_the_chain(
    facts: dict[str, object], schema: pv.Schema, tmp_path: Path
) -> None:
    place = FilePlace(tmp_path / "book.ledger")
    book = pv.Ledger.create(place.address, population="orchard", epsilon=1, accept_declared=True)
    entry = book.spend(declared_plan(schema, "0.1"))
    book.verify()
    forget_after(place, 0)
    with book._store.writing() as page:
        page.append(replace(entry, **facts).sealed())  # type: ignore[arg-type]
    with pytest.raises(pv.LedgerError, match="do not add up"):
        book.verify()


def test_a_mark_in_a_ledger_that_takes_none_is_noticed(schema: pv.Schema, tmp_path: Path) -> None:
    book = pv.Ledger.create(tmp_path / "book.ledger", population="orchard", epsilon=1)
    entry = book.spend(fruit_plan(schema, "0.1"))
    forget_after(FilePlace(tmp_path / "book.ledger"), 0)
    with book._store.writing() as page:
        page.append(replace(entry, declared=True, declared_spends=1).sealed())
    with pytest.raises(pv.LedgerError, match="do not add up"):
        book.verify()


def test_a_lost_one_is_charged_again_as_one(place: LedgerPlace, book: pv.Ledger, schema: pv.Schema) -> None:
    book.spend(declared_plan(schema, "0.1"))
    forget_after(place, 0)
    (again,) = book.reconcile()
    assert again.kind is EntryKind.RECONCILED
    assert again.declared
    assert book.verify().declared_spends == 1
    assert WORDS in dict(book.facts())["spent"]


def test_a_release_of_a_ledger_that_takes_them_is_not_charged_to_one_that_does_not(
    schema: pv.Schema, tmp_path: Path
) -> None:
    one, other = (
        pv.Ledger.create(tmp_path / f"{taken}.ledger", population="orchard", epsilon=1, accept_declared=taken)
        for taken in (True, False)
    )
    plan = fruit_plan(schema, "0.1")
    one.spend(declared_plan(schema, "0.1"))
    known = LedgerReceipt.of(one.spend(plan), durable=True).known(plan, pv.__version__)
    assert known is not None
    with pytest.raises(pv.LedgerError, match="another ledger"):
        other.reconcile([known])


def test_releases_say_it_and_a_review_misses_it(schema: pv.Schema, table: Path, tmp_path: Path) -> None:
    book = pv.Ledger.create(tmp_path / "book.ledger", population="orchard", epsilon=1, accept_declared=True)
    pv.measure(declared_plan(schema, "0.1"), table, ledger=book)
    later = pv.measure(fruit_plan(schema, "0.1"), table, ledger=book)
    assert WORDS in dict(later.facts())["spent by then"]
    document = json.loads(later.to_json())
    assert document["ledger"]["declared"] == 1
    again = pv.Release.from_json(later.to_json())
    assert again.receipt == later.receipt
    assert _ledger_check(again, book) == "holds"
    del document["ledger"]["declared"]
    assert _ledger_check(pv.Release.from_json(json.dumps(document)), book) == "FAILS"
    for bad in (0, True, "1", -1, 1.5):
        document["ledger"]["declared"] = bad
        with pytest.raises(pv.ReleaseError):
            pv.Release.from_json(json.dumps(document))


def _ledger_check(release: pv.Release, book: pv.Ledger) -> str:
    found = {check.name: check.verdict for check in pv.review(release, ledger=book).checks}
    return found["ledger"].value


def test_a_receipt_that_does_not_say_it_of_its_own_plan_is_refused(schema: pv.Schema) -> None:
    plan = declared_plan(schema, "0.1")
    book = pv.Ledger.in_memory(population="orchard", epsilon=1, accept_declared=True)
    receipt = LedgerReceipt.of(book.spend(plan), durable=False)
    receipt.check(plan, pv.__version__)
    with pytest.raises(pv.ReleaseError, match="does not say it"):
        replace(receipt, declared=0).check(plan, pv.__version__)


def test_entries_without_any_are_written_as_before(schema: pv.Schema) -> None:
    entry = pv.Ledger.in_memory(population="orchard").spend(fruit_plan(schema, "0.1"))
    assert isinstance(entry, LedgerEntry)
    assert "declared" not in entry.body()
