"""What commands cost from nothing, all their processes together: `python benchmarks/start.py`.

The bars, in CPU seconds: a release of a small CSV file 1.5, one of ten million rows of Parquet 1.5 and twice
a query by hand in an engine that is open, a question to a small release 0.7, showing a ledger 0.35. Most of
it is loading: beside them stands what loading numpy alone takes on this machine, now. What Python compiles is
kept, as where privior is installed.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import duckdb
import numpy as np
from counting import LEVELS, seconds, write_parquet

_ANALYSIS = """
format = 1
population = "benchmark"
unit = "row"
[columns."word"]
type = "categorical"
levels = [{levels}]
[columns."number"]
type = "integer"
lower = 0
upper = 99
[model]
family = "dirichlet-categorical"
columns = ["word"]
[ask]
records = {records}
epsilon = "0.5"
delta = "0"
neighbours = "replace-one"
"""


@dataclass(frozen=True)
class Cost:
    """The least CPU seconds of several runs of a command, and what they may be."""

    what: str
    took: float
    bar: float


def cpu_of(folder: Path, *words: str) -> float:
    """Return the CPU seconds of a program and of all that it starts and waits for."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    known = {**os.environ, "XDG_STATE_HOME": str(folder / "state")}
    known.pop("PYTHONDONTWRITEBYTECODE", None)
    subprocess.run([sys.executable, *words], cwd=folder, env=known, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _command(folder: Path, *words: str) -> float:
    return cpu_of(folder, "-c", "from privior.cli import main; main()", *words)


def _released(folder: Path, name: str, table: str) -> float:
    for file in folder.glob(f"{name}.re*"):
        file.unlink()
    words = (f"{name}.toml", table, "--ledger", "b.ledger", "-o", f"{name}.release.json", "--yes", "--again")
    return _command(folder, "release", *words)


def compare(rows: int, repetitions: int) -> list[Cost]:
    """Run each command several times, by turns."""
    with tempfile.TemporaryDirectory() as name, duckdb.connect() as connection:
        folder = Path(name)
        levels = ", ".join(f'"{level}"' for level in LEVELS)
        for label, many in (("small", 1000), ("large", rows)):
            (folder / f"{label}.toml").write_text(_ANALYSIS.format(levels=levels, records=many))
        words = np.random.default_rng(1).choice(LEVELS, 1000)
        lines = [f"{word},{place % 100}" for place, word in enumerate(words)]
        (folder / "small.csv").write_text("\n".join(["word,number", *lines]) + "\n")
        write_parquet(folder / "large.parquet", rows)
        query = f"SELECT word, count(*) FROM '{folder}/large.parquet' GROUP BY word"
        by_hand = min(seconds(lambda: connection.execute(query).fetchall())[1] for _ in range(3))
        _command(folder, "ledger", "create", "b.ledger", "--population", "benchmark", "--epsilon", "1000")
        turns = [
            (
                _released(folder, "small", "small.csv"),
                _released(folder, "large", "large.parquet"),
                _command(folder, "ask", "small.release.json", "P(word=beta)"),
                _command(folder, "ledger", "show", "b.ledger"),
                cpu_of(folder, "-c", "import numpy"),
            )
            for _ in range(repetitions)
        ]
    small, large, asked, shown, numpy = (min(column) for column in zip(*turns, strict=True))
    return [
        Cost("release, 1000 lines of CSV", small, 1.5),
        Cost(f"release, {rows} rows of Parquet", large, 1.5 + 2 * by_hand),
        Cost("ask", asked, 0.7),
        Cost("ledger show", shown, 0.35),
        Cost("loading numpy", numpy, numpy),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the Parquet file")
    parser.add_argument("--repetitions", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'CPU seconds of all processes':<36}{'took':>8}{'bar':>8}")
    for one in compare(asked.rows, asked.repetitions):
        print(f"{one.what:<36}{one.took:>8.2f}{one.bar:>8.2f}", flush=True)


if __name__ == "__main__":
    main()
