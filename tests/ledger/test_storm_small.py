"""A small storm on every commit; the whole one is evidence/test_storm.py. T26, T27."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import storm
from ledger_places import ServerPlace
from postgres_server import PostgresServer

import privior as pv
from privior.ledger import EntryKind


@pytest.fixture(params=["sqlite", "postgres"])
def many(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a ledger for each number, on each kind of store."""
    if request.param == "sqlite":
        return str(tmp_path / "round-{}.ledger")
    place = request.getfixturevalue("on_server")
    assert isinstance(place, ServerPlace)
    return place.server.local_address(place.name[:20] + "-{}")


def test_t26_t27_a_storm_neither_overspends_nor_loses_an_entry(many: str, tmp_path: Path) -> None:
    (found,) = storm.run(many, tmp_path, processes=16, rounds=1)
    assert found.faults == ()
    assert found.granted == 48
    assert found.killed > 5
    assert found.files > 16
    _planted_faults_are_found(storm.Place(many.format(0), tmp_path / "round-0"))


def _planted_faults_are_found(place: storm.Place) -> None:
    book = pv.Ledger.open(place.address)
    keys = [entry.key or "" for entry in book.entries() if entry.kind is EntryKind.SPENT]
    everybody = {key.partition(".")[0] for key in keys}
    assert storm.judge(place, everybody, 48).faults == ()
    assert "48 spends where the cap allows 47" in storm.judge(place, everybody, 47).faults
    said = place.said.read_text()
    place.said.write_text(f"{said}49 {'0' * 64} p0.99\nfault of some kind\n")
    assert storm.judge(place, everybody, 48).faults == ("fault of some kind", "p0.99: said, and lost")
    place.said.write_text("")
    assert len(storm.judge(place, set(), 48).faults) == 48  # all of them silent
    place.said.write_text(said)
    document = json.loads(place.files[0].read_text())
    forged = place.folder / "forged.release.json"
    forged.write_text(json.dumps({**document, "hash": "0" * 64, "key": "forged"}))
    assert storm.judge(place, everybody, 48).faults == (
        "forged: released, and lost",
        "forged: released, and not what the ledger keeps",
    )


def test_a_storm_without_the_lock_is_noticed(server: PostgresServer, tmp_path: Path) -> None:
    """The row's lock is what keeps spends apart; without it they get in each other's way."""
    unlocked = """
from privior.ledger.postgres import PostgresStore
begin = PostgresStore._begin
PostgresStore._begin = lambda self, connection, lock="": begin(self, connection)
"""
    (found,) = storm.run(server.local_address("unlocked-{}"), tmp_path, 8, 1, before=unlocked)
    assert any("duplicate key" in fault for fault in found.faults)
