"""What one spend takes, and whether that grows with the ledger.

PYTHONPATH=tests/ledger python benchmarks/ledger.py

CPU milliseconds of one spend with a key and an analyst, and wall milliseconds beside them, which have the
server's work and the disk in them. The last column compares with the empty ledger: O(1) gives about 1.
Ledgers are filled in one transaction, by the rules that spends go by.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from postgres_server import running_server

import privior as pv
from privior.ledger.request import Request
from privior.ledger.rules import next_entry

ENTRIES = (0, 1_000, 100_000)


def plan_of_fruit() -> pv.Plan:
    schema = pv.Schema({"fruit": pv.Categorical(["apple", "pear"])}, population="orchard", unit="person")
    return pv.plan(pv.DirichletCategorical("fruit"), schema, records=100, epsilon="1e-6")


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


def spend_times(book: pv.Ledger, plan: pv.Plan, repetitions: int) -> tuple[float, float]:
    """Return the medians of CPU and wall milliseconds."""
    book.spend(plan, key="warm", analyst="ann")
    found = []
    for number in range(repetitions):
        began, busy = time.perf_counter(), time.process_time()
        book.spend(plan, key=f"timed {number}", analyst="ann")
        found.append((time.process_time() - busy, time.perf_counter() - began))
    cpu, wall = (statistics.median(times) * 1e3 for times in zip(*found, strict=True))
    return cpu, wall


def measure(
    store: str, address: Callable[[int], str], sizes: tuple[int, ...], repetitions: int
) -> list[tuple[str, int, float, float]]:
    plan, rows = plan_of_fruit(), []
    for entries in sizes:
        book = pv.Ledger.create(address(entries), population="orchard", epsilon=10)
        fill(book, plan, entries)
        assert book.last().number == entries
        rows.append((store, entries, *spend_times(book, plan, repetitions)))
        if entries <= 1_000:
            book.verify()
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=51)
    parser.add_argument("--entries", type=int, nargs="+", default=list(ENTRIES))
    asked = parser.parse_args()
    sizes = tuple(asked.entries)
    print(f"{'one spend':<12}{'entries':>10}{'CPU ms':>10}{'wall ms':>10}{'CPU, of empty':>16}")
    with tempfile.TemporaryDirectory() as folder, running_server() as server:
        stores: dict[str, Callable[[int], str]] = {
            "SQLite": lambda entries: str(Path(folder, f"{entries}.ledger")),
            "PostgreSQL": lambda entries: server.local_address(f"filled-{entries}"),
        }
        for store, address in stores.items():
            rows = measure(store, address, sizes, asked.repetitions)
            for _, entries, cpu, wall in rows:
                print(f"{store:<12}{entries:>10,}{cpu:>10.2f}{wall:>10.2f}{cpu / rows[0][2]:>16.2f}")


if __name__ == "__main__":
    main()
