"""Damage: every byte of a ledger's file, changed one at a time. T52."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from flips import FlippedLedger, all_of
from record import Certificate, store

SEED = 2026
_WRITING = 10  # of so many flips, one is also spent on


def test_every_byte(tmp_path: Path) -> None:
    certificate = Certificate.of(__file__)
    ledger = FlippedLedger(tmp_path / "ledger")
    outcomes = Counter[tuple[str, str]]()
    for number, flip in enumerate(all_of(ledger.whole, 1, SEED)):
        ledger.put(flip)
        ledger.long_open()
        changed, found = ledger.asked() != ledger.answers, ledger.refuted()
        faults = ledger.faults(flip, answers=False, writing=number % _WRITING == 0)
        assert not faults, f"{flip}: {faults}"
        assert found or not changed, flip
        outcomes["an answer" if changed else "no answer", "yes" if found else "no"] += 1
    store(
        "damage",
        certificate,
        title="Every byte of a ledger's file, damaged",
        claim=f"each of the {len(ledger.whole)} bytes of a file with keys, quotas and ends, changed alone: "
        "no change lets a spend pass that the whole ledger refuses, in a process that had the file open "
        "before, and verifying finds each that changes an answer",
        header=("what the damage changes", "found by verifying", "bytes"),
        rows=[(*outcome, str(count)) for outcome, count in sorted(outcomes.items())],
    )
