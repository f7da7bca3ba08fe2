"""The storm: 64 processes, one budget, SIGKILL at random moments; both stores. T26, T27."""

from __future__ import annotations

from pathlib import Path

import storm
from postgres_server import running_server
from record import Certificate, store

PROCESSES, ROUNDS = 64, 20


def test_the_storm(tmp_path: Path) -> None:
    certificate = Certificate.of(__file__)
    lines = []
    with running_server() as server:
        places = {"SQLite": str(tmp_path / "{}.ledger"), "PostgreSQL": server.local_address("round-{}")}
        for kind, address in places.items():
            folder = tmp_path / kind
            folder.mkdir()
            rounds = storm.run(address, folder, PROCESSES, ROUNDS)
            assert [found.faults for found in rounds] == [()] * ROUNDS, kind
            names = ("killed", "granted", "files", "silent", "reserved", "unwritten")
            lines.append((kind, *(str(sum(getattr(found, name) for found in rounds)) for name in names)))
    store(
        "storm",
        certificate,
        title="Processes killed while they spend from one budget",
        claim=f"{PROCESSES} processes, {ROUNDS} rounds, a fresh ledger each, SIGKILL at random moments: "
        "exactly the cap is granted, the chain holds, every release file has its entry and is what the "
        "ledger keeps, every reported spend is in the chain, and an unreported one is of a process that was "
        "killed",
        header=(
            "store",
            "processes killed",
            "spends granted",
            "release files",
            "killed between commit and report",
            "spends that never ended",
            "ended, file not written",
        ),
        rows=lines,
    )
