"""What the moments of a regression cost beside SQL by hand: `python benchmarks/regressions.py`.

The bars: 14 features and a target, ten million rows of Parquet, at most 0.6 of the CPU of a query by hand for
the same 136 sums, in one run; the memory of the process that reads no more for ten million rows than for one.
And inference from such a release within 5 s.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
from counting import seconds

import privior as pv
from privior.tables import open_table

NAMES = [f"x{place}" for place in range(14)]
SCHEMA = pv.Schema(
    {name: pv.Integer(0, 99, missing=50) for name in (*NAMES, "y")}, population="benchmark", unit="row"
)
MODEL = pv.LinearRegression(target="y", features=NAMES)


@dataclass(frozen=True)
class Costs:
    """What ten million rows cost.

    Attributes:
        sums: how many there are
        ours: least CPU seconds of several turns
        by_hand: of the query, likewise
        memory: of the process that reads, in MB, for a tenth of the rows and for all of them
        inference: CPU seconds
    """

    sums: int
    ours: float
    by_hand: float
    memory: tuple[float, float]
    inference: float


def write_parquet(path: Path, rows: int) -> None:
    made = ", ".join(f"CAST(floor(random() * 100) AS INTEGER) AS {name}" for name in (*NAMES, "y"))
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {made} FROM range({rows})) TO '{path}' (FORMAT parquet)")


def _released(path: Path, rows: int) -> tuple[pv.Release, float]:
    """Release from a file, and say how much memory its reader took at most, so far."""
    plan = pv.plan(MODEL, SCHEMA, records=rows, epsilon=1, delta="1e-6", mechanism=pv.GaussianMoments)
    ledger = pv.Ledger.in_memory(population="benchmark", epsilon=10, delta="1e-3")
    release = pv.measure(plan, path, ledger=ledger)
    return release, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**10


def measured(rows: int = 10_000_000, repetitions: int = 5) -> Costs:
    """Read a tenth and all of the rows by releases, then all by turns with a query by hand."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        few, many = Path(folder) / "few.parquet", Path(folder) / "many.parquet"
        write_parquet(few, rows // 10)
        write_parquet(many, rows)
        _, little = _released(few, rows // 10)
        release, much = _released(many, rows)
        start = time.process_time()
        pv.infer(release)
        inference = time.process_time() - start
        (reading,) = MODEL.readings(SCHEMA, pv.REPLACE_ONE)
        source = open_table(many, SCHEMA, reading.columns, ())
        columns = [*NAMES, "y"]
        terms = ["count(*)", *(f"sum({name})" for name in columns)]
        terms += [f"sum({one} * {two})" for k, one in enumerate(columns) for two in columns[k:]]
        query = f"SELECT {', '.join(terms)} FROM '{many}'"
        ours = partial(source.read, reading)
        ours()  # the imports
        turns = [
            (seconds(ours)[1], seconds(lambda: connection.execute(query).fetchall())[1])
            for _ in range(repetitions)
        ]
        least = [min(column) for column in zip(*turns, strict=True)]
        return Costs(len(terms), least[0], least[1], (little, much), inference)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the Parquet file")
    parser.add_argument("--repetitions", type=int, default=5)
    asked = parser.parse_args()
    found = measured(asked.rows, asked.repetitions)
    little, much = found.memory
    print(f"{found.sums} sums, CPU s: {found.ours:.2f}, by hand {found.by_hand:.2f}", end="")
    print(f", ratio {found.ours / found.by_hand:.2f}")
    print(f"reader's memory, MB: {little:.0f} for a tenth of the rows, {much:.0f} for all")
    print(f"inference, CPU s: {found.inference:.1f}")


if __name__ == "__main__":
    main()
