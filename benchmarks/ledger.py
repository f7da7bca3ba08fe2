"""What one spend takes, what verifying takes, and what `privior ledger show` takes from start to end.

PYTHONPATH=tests/ledger python benchmarks/ledger.py

CPU milliseconds of one spend with a key and an analyst, and wall milliseconds beside them, which have the
server's work and the disk in them. "of raw" compares with SQLite by hand in the same run, turn by turn: one
connection, one row with a unique key, the same journal and the same synchronous=EXTRA. "of empty" compares
with the empty ledger: O(log n) gives about 1. Verifying looks at every entry; milliseconds for one of them.
Ledgers are filled in one transaction, by the rules that spends go by.
`ledger show` is the CPU time of the whole process, the best of several; every entry is checked before.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from postgres_server import running_server

import privior as pv
from privior.ledger.request import Request
from privior.ledger.rules import next_entry

ENTRIES = (0, 1_000, 40_000)
#: CPU milliseconds of a spend, CPU seconds of `ledger show`
MOST_SPEND, MOST_SHOW = 4.0, 0.35


def plan_of_fruit() -> pv.Plan:
    schema = pv.Schema({"fruit": pv.Categorical(["apple", "pear"])}, population="orchard", unit="person")
    return pv.plan(pv.DirichletCategorical("fruit", prior=1), schema, records=100, epsilon="1e-6")


def fill(book: pv.Ledger, plan: pv.Plan, entries: int) -> None:
    """Append spends in one transaction; the first by all rules, the others like it."""
    with book._store.writing() as page:
        for number in range(entries):
            if number == 0:
                entry = next_entry(page, Request(plan, key="fill 0", analyst="ann"))
            else:
                total = entry.accounting.add(entry.total, entry.price)
                entry = replace(
                    entry.followed(),
                    price=entry.price,
                    total=total,
                    cost=entry.cost,
                    spends=entry.spends + 1,
                    plans=entry.plans,
                    analyst="ann",
                    own=total,
                    key=f"fill {number}",
                ).sealed()
            page.append(entry)


class RawSqlite:
    """A spend as somebody would write it by hand who trusts the file and everybody who opens it."""

    def __init__(self, path: Path, body: str) -> None:
        self._path, self._body = path, body
        connection = sqlite3.connect(path)
        connection.execute("CREATE TABLE spends (number INTEGER PRIMARY KEY, body TEXT, key TEXT UNIQUE)")
        connection.commit()
        connection.close()

    def spend(self, key: str) -> None:
        connection = sqlite3.connect(self._path, isolation_level=None)
        connection.execute("PRAGMA synchronous=EXTRA")
        connection.execute("BEGIN IMMEDIATE")
        (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM spends").fetchone()
        connection.execute("INSERT INTO spends VALUES (?, ?, ?)", (last + 1, self._body, key))
        connection.execute("COMMIT")
        connection.close()


def timed(act: Callable[[], object]) -> tuple[float, float]:
    """Return CPU and wall milliseconds."""
    began, busy = time.perf_counter(), time.process_time()
    act()
    return (time.process_time() - busy) * 1e3, (time.perf_counter() - began) * 1e3


def spend_times(
    book: pv.Ledger, plan: pv.Plan, raw: RawSqlite, repetitions: int, turn: str = "only turn"
) -> list[float]:
    """Return the medians of CPU and wall milliseconds of a spend, and of CPU milliseconds by hand."""
    warm = book.spend(plan, key=f"warm, {turn}", analyst="ann").number
    found, by_hand = [], []
    for number in range(repetitions):
        key = f"timed {number}, {turn}"
        found.append(timed(lambda key=key: book.spend(plan, key=key, analyst="ann")))  # type: ignore[misc]
        by_hand.append(timed(lambda key=key: raw.spend(f"{warm} {key}"))[0])  # type: ignore[misc]
    return [*(statistics.median(times) for times in zip(*found, strict=True)), statistics.median(by_hand)]


def show_time(path: Path, repetitions: int) -> float:
    """Return the least CPU seconds of a process that shows a ledger."""
    found = []
    for _ in range(repetitions):
        before = os.times()
        program = [sys.executable, "-c", "from privior.cli import main; main()", "ledger", "show", str(path)]
        subprocess.run(program, check=True, stdout=subprocess.DEVNULL)
        after = os.times()
        found.append(sum(after[2:4]) - sum(before[2:4]))
    return min(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=51)
    parser.add_argument("--entries", type=int, nargs="+", default=list(ENTRIES))
    parser.add_argument("--no-server", action="store_true", help="files only")
    asked = parser.parse_args()
    plan = plan_of_fruit()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PRIVIOR_STATE"] = str(Path(folder, "state"))
        raw = RawSqlite(Path(folder, "raw.sqlite"), "x" * 800)

        def measure(store: str, address: Callable[[int], str]) -> None:
            print(f"\n{store:<12}{'entries':>9}{'CPU ms':>9}{'wall ms':>9}{'raw ms':>9}", end="")
            print(f"{'of raw':>8}{'of empty':>10}{'verifying, ms an entry':>24}")
            first = 0.0
            for entries in asked.entries:
                book = pv.Ledger.create(address(entries), population="orchard", epsilon=10)
                fill(book, plan, entries)
                cpu, wall, by_hand = spend_times(book, plan, raw, asked.repetitions, store)
                each = timed(book.verify)[0] / (book.last().number + 1)
                first = first or cpu
                print(f"{'one spend':<12}{entries:>9,}{cpu:>9.2f}{wall:>9.2f}{by_hand:>9.2f}", end="")
                print(f"{cpu / by_hand:>8.2f}{cpu / first:>10.2f}{each:>24.3f}", flush=True)

        measure("SQLite", lambda entries: str(Path(folder, f"{entries}.ledger")))
        print(f"at most {MOST_SPEND} CPU ms, where SQLite by hand takes 1.5")
        print(f"\nprivior ledger show, which checks every entry first; the first at most {MOST_SHOW} CPU s")
        for entries in asked.entries:
            print(f"{entries:>21,}{show_time(Path(folder, f'{entries}.ledger'), 5):>9.2f}")
        if not asked.no_server:
            with running_server() as server:
                measure("PostgreSQL", lambda entries: server.local_address(f"filled-{entries}"))


if __name__ == "__main__":
    main()
