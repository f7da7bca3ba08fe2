"""Damage: every byte of a ledger's file, changed one at a time. T52."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from flips import FlippedLedger, all_of
from record import Certificate, store

VALUES, SEED = 2, 2026
_WRITING = 10  # of so many flips, one is also spent on


def test_every_byte(tmp_path: Path) -> None:
    certificate = Certificate.of("ledger")
    ledger = FlippedLedger(tmp_path / "ledger")
    outcomes, flips = Counter[str](), 0
    for number, flip in enumerate(all_of(ledger.whole, VALUES, SEED)):
        faults = ledger.faults(flip, writing=number % _WRITING == 0)
        assert not faults, f"{flip}: {faults}"
        outcomes[ledger.noticed(flip)] += 1
        flips += 1
    store(
        "damage",
        certificate,
        title="Every byte of a ledger's file, damaged",
        claim=f"{flips} changes of single bytes, {VALUES} of each byte of a file with keys, quotas and ends: none lets a "
        "spend pass that the whole ledger refuses, in a process that had the file open before; and verifying "
        "finds each that changes an answer",
        header=("what the damage changes", "found by verifying", "changes"),
        rows=[(*outcome.split(", "), str(count)) for outcome, count in sorted(outcomes.items())],
    )
