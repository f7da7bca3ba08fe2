"""The tests notice planted faults: every one of the catalogue, each by a test that passes without it."""

from __future__ import annotations

from pathlib import Path

from faults import FAULTS
from mutants import judged, sound
from record import ROOT, Certificate, store

#: what is certified beside this file and all it imports
CERTIFIES: tuple[str | Path, ...] = (
    *ROOT.glob("tests/**/conftest.py"),
    *{test.partition("::")[0] for fault in FAULTS for test in fault.tests},
)


def test_every_fault_is_caught() -> None:
    certificate = Certificate.of(__file__, *CERTIFIES)
    verdicts = [judged(fault) for fault in FAULTS]
    missed = [verdict for verdict in verdicts if not verdict.caught]
    assert not missed, "\n".join(f"{one.fault.name} {one.state}: {one.said}" for one in missed)
    assert not sound(list(dict.fromkeys(verdict.test for verdict in verdicts)))
    store(
        "mutants",
        certificate,
        title="Planted faults, and the tests that notice them",
        claim=f"{len(FAULTS)} faults, planted one at a time in a copy of the package: for each a test falls "
        "that passes without it",
        header=("fault", "what it breaks", "where", "noticed by"),
        rows=[
            (one.fault.name, one.fault.breaks, one.fault.source, f"`{_without_bars(one.test)}`")
            for one in verdicts
        ],
    )


def _without_bars(test: str) -> str:
    """A bar would end the cell of a table."""
    return test.replace("|", "/").replace("`", "'")
