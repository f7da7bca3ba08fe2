"""Waiting: what commands cost from nothing, and what one spend costs, in CPU time of all processes."""

from __future__ import annotations

from pathlib import Path

import pytest
from record import Certificate, store
from start import Cost, compare

import privior as pv
from ledger import MOST_SPEND, RawSqlite, fill, plan_of_fruit, spend_times, timed

#: looking at an entry may take so many times as long among ten times as many: the work is linear
MOST_GROWTH = 1.5
FEW, MANY = 2_000, 20_000


def test_what_a_user_waits_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    certificate = Certificate.of(__file__)
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))
    *commands, numpy = compare(rows=10_000_000, repetitions=5)
    costs = [*commands, *_ledger(tmp_path)]
    store(
        "waiting",
        certificate,
        title="What a user waits for",
        claim="from nothing, all processes together: a release of a small file within 1.5 CPU seconds, one "
        "of ten million rows within 1.5 and twice a query by hand in an engine that is open, a question "
        "within 0.7, a ledger shown within 0.35; a spend within 4 CPU milliseconds, the least "
        "of several turns like all of these; verifying takes an entry "
        f"among {MANY:,} at most {MOST_GROWTH} times what it takes one among {FEW:,}",
        header=("what", "took", "bar"),
        rows=[
            *((one.what, f"{one.took:.3g}", f"{one.bar:.3g}") for one in costs),
            (f"beside them: {numpy.what}", f"{numpy.took:.3g}", ""),
        ],
    )
    assert [one.what for one in costs if one.took > one.bar] == []


def _ledger(folder: Path) -> list[Cost]:
    """Spend from ledgers and verify them."""
    plan, raw = plan_of_fruit(), RawSqlite(folder / "raw.sqlite", "x" * 800)
    spends, verifying = [], []
    for entries in (FEW, MANY):
        book = pv.Ledger.create(folder / f"{entries}.ledger", population="orchard", epsilon=10)
        fill(book, plan, entries)
        turns = [spend_times(book, plan, raw, 31, f"turn {turn}") for turn in range(5)]
        spends.append(min(took for took, *_ in turns))
        verifying.append(min(timed(book.verify)[0] for _ in range(2)) / (book.last().number + 1))
    return [
        Cost(f"a spend, CPU ms, {MANY:,} entries", spends[1], MOST_SPEND),
        Cost(f"verifying, CPU ms an entry, {MANY:,} entries", verifying[1], MOST_GROWTH * verifying[0]),
    ]
