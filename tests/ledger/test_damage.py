"""Damaged ledgers: what a spend notices, what verifying notices, and how it is told. T52."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

import pytest
from flips import Flip, FlippedLedger, drawn, hiding
from ledger_places import LedgerPlace, fruit_plan

import privior as pv
from privior.ledger import sqlite
from privior.ledger.file_pages import FilePage, check
from privior.ledger.pages import Execute, Page
from privior.ledger.postgres import ServerPage
from privior.ledger.verifying import _noting

SEED = 20261


@pytest.fixture(scope="module")
def flipped(tmp_path_factory: pytest.TempPathFactory) -> FlippedLedger:
    return FlippedLedger(tmp_path_factory.mktemp("damage") / "ledger")


def first_fault(ledger: FlippedLedger, flips: Iterable[Flip], *, answers: bool = True) -> str:
    """Return the first thing that must not be with one of these bytes; "" if there is none."""
    found = (f"{flip}: {fault}" for flip in flips for fault in ledger.faults(flip, answers=answers))
    return next(found, "")


def test_no_flip_grants_what_was_refused_and_verifying_finds_what_changes_an_answer(
    flipped: FlippedLedger,
) -> None:
    """A sample of every page; evidence/test_flipped_bytes.py takes every byte."""
    assert first_fault(flipped, drawn(flipped.whole, 1, SEED)) == ""


def test_the_flips_find_an_index_that_is_believed(
    flipped: FlippedLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "FilePage", ServerPage)
    assert "granted" in first_fault(flipped, hiding(flipped.whole))


@pytest.mark.parametrize("lookup", ["keyed", "newest", "analysts", "has_quotas"])
def test_the_flips_find_every_lookup_that_is_made_once(
    lookup: str, flipped: FlippedLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FilePage, lookup, getattr(Page, lookup))
    assert "granted" in first_fault(flipped, hiding(flipped.whole), answers=False)


def test_the_flips_find_a_verification_that_does_not_look_at_the_file(
    flipped: FlippedLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FilePage, "check_whole", Page.check_whole)
    assert "and verified" in first_fault(flipped, hiding(flipped.whole))


def test_the_whole_file_is_looked_at_when_a_process_first_opens_it(
    flipped: FlippedLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = []

    def noted(execute: Execute, how: str, where: str) -> None:
        looked.append(how)
        check(execute, how, where)

    monkeypatch.setattr(sqlite, "check", noted)
    flipped.put()
    flipped.first_open()
    for _ in range(3):
        pv.Ledger.open(flipped.path)
    assert looked == ["quick_check"]
    connection = sqlite3.connect(flipped.path)
    (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'by_plan'").fetchone()
    connection.close()
    flipped.put(Flip((page - 1) * 512 + 4, 0))  # which no spend looks into
    assert flipped.granted() == []
    pv.Ledger.open(flipped.path).check(flipped.cheap, analyst="zoe")
    with pytest.raises(pv.LedgerError, match="damaged"):
        flipped.book.verify()
    flipped.first_open()
    with pytest.raises(pv.LedgerError, match="damaged"):
        pv.Ledger.open(flipped.path)


@pytest.mark.parametrize("text", [b"orchard", b"CREATE TABLE closings", b"by_key"])
def test_corrupt_text_is_told_as_damage(text: bytes, flipped: FlippedLedger) -> None:
    """Not as a failure of the program, nor with the text in the message."""
    flips = [
        Flip(place, 0xFF) for place in range(len(flipped.whole)) if flipped.whole.startswith(text, place)
    ]
    flipped.put(*flips)
    flipped.first_open()
    with pytest.raises(pv.LedgerError) as refusal:
        pv.Ledger.open(flipped.path).verify()
    assert len(str(refusal.value)) < 600


def test_a_forgotten_row_does_not_lower_what_was_spent(
    tmp_path: Path, schema: pv.Schema, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The newest entry is gone from the table, and its index has it still; who looks once believes that."""
    book = pv.Ledger.create(tmp_path / "l", population="orchard", epsilon=1)
    for _ in range(3):
        book.spend(fruit_plan(schema, "0.3"))
    path = Path(book.where)
    connection = sqlite3.connect(path)
    (root,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'entries'").fetchone()
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    connection.close()
    content = bytearray(path.read_bytes())
    start = (root - 1) * size
    if content[start] == 5:  # not a leaf: its last page is the one on the right
        start = (int.from_bytes(content[start + 8 : start + 12], "big") - 1) * size
    content[start + 4] -= 1
    path.write_bytes(content)
    for act in (lambda: book.spent, lambda: book.spend(fruit_plan(schema, "0.3")), book.verify):
        with pytest.raises(pv.LedgerError, match="damaged"):
            act()
    monkeypatch.setattr(FilePage, "last", Page.last)
    assert book.spent == pv.Budget.of("0.6")


def test_keys_and_ends_are_those_of_the_chain(place: LedgerPlace, schema: pv.Schema) -> None:
    book = pv.Ledger.create(place.address, population="orchard", epsilon=1)
    entry = book.spend(fruit_plan(schema, "0.1"), key="march")
    book.finish(entry, "what was released")
    book.verify()
    place.unguard()
    place.run("DELETE FROM closings")
    with pytest.raises(pv.LedgerError, match="the end of a spend is missing"):
        book.verify()
    place.run("INSERT INTO closings VALUES (0, 'failed', 'x')")
    with pytest.raises(pv.LedgerError, match="chain of entries is broken"):
        book.verify()


def test_a_key_that_was_charged_twice_is_found(schema: pv.Schema) -> None:
    book = pv.Ledger.in_memory()
    entry = book.spend(fruit_plan(schema, "0.1"), key="march")
    assert list(_noting([entry], {}, "here")) == [entry]
    with pytest.raises(pv.LedgerError, match="charged twice"):
        list(_noting([entry, entry], {}, "here"))
