"""How long counting takes beside the engine's own GROUP BY on the same file: `python benchmarks/counting.py`.

The bar: ten million rows of Parquet within 3 times the CPU and the wall time of DuckDB's plain query, which
runs on a connection that is already open, while ours opens the table, the engine and the file each time.
CSV files are read by privior's own row-local reader; the bar is 1.5 CPU seconds a million unquoted lines.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
import numpy as np

from privior.schema import Categorical, Column, Integer, Schema
from privior.tables import open_table

LEVELS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa"]
COLUMNS: dict[str, Column] = {
    "word": Categorical(LEVELS),
    "number": Integer(0, 99),
    "city": Categorical(["Oslo", "Bergen", "Oslo, NO", "Bergen, NO"]),
}
SCHEMA = Schema(COLUMNS, population="benchmark", unit="row")
QUERIES = [("word",), ("number",), ("word", "number"), ("word", "city")]
Seconds = tuple[float, float]


def seconds(work: Callable[[], object]) -> Seconds:
    """Return the wall and CPU seconds of a piece of work."""
    before, start = resource.getrusage(resource.RUSAGE_SELF), time.perf_counter()
    work()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def median(measured: list[Seconds]) -> Seconds:
    walls, cpus = zip(*measured, strict=True)
    return statistics.median(walls), statistics.median(cpus)


def write_parquet(path: Path, rows: int) -> None:
    cities = ["Oslo", "Bergen"]
    with duckdb.connect() as connection:
        connection.execute(
            f"""COPY (SELECT {LEVELS}[1 + CAST(floor(random() * {len(LEVELS)}) AS INTEGER)] AS word,
            CAST(floor(random() * 100) AS BIGINT) AS number,
            {cities}[1 + CAST(floor(random() * 2) AS INTEGER)] AS city
            FROM range({rows})) TO '{path}' (FORMAT parquet)"""
        )


def write_csv(path: Path, lines: int, *, quoted: bool) -> None:
    choose = np.random.default_rng(1)
    words, numbers, cities = (
        choose.integers(0, 10, lines),
        choose.integers(0, 100, lines),
        choose.integers(0, 2, lines),
    )
    names = ('"Oslo, NO"', '"Bergen, NO"') if quoted else ("Oslo", "Bergen")
    with path.open("w") as file:
        file.write("id,word,number,city,weight\n")
        for line, (word, number, city) in enumerate(zip(words, numbers, cities, strict=True)):
            file.write(f"{line},{LEVELS[word]},{number},{names[city]},{line % 997}.25\n")


def count(path: Path, names: tuple[str, ...]) -> None:
    open_table(path, SCHEMA, names).counts()


@dataclass(frozen=True)
class Comparison:
    """Median seconds (wall, CPU) of counting these columns: privior's and the engine's own."""

    columns: str
    privior: Seconds
    engine: Seconds

    @property
    def ratios(self) -> Seconds:
        return self.privior[0] / self.engine[0], self.privior[1] / self.engine[1]


def compare_parquet(rows: int, repetitions: int) -> Iterator[Comparison]:
    """Count a fresh Parquet file by turns with privior and with a plain query."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "rows.parquet"
        write_parquet(path, rows)
        count(path, QUERIES[0])  # the imports
        for names in QUERIES:
            listed = ", ".join(names)
            query = f"SELECT {listed}, count(*) FROM '{path}' GROUP BY {listed}"

            def group_by(query: str = query) -> None:
                connection.execute(query).fetchall()

            ours, plain = [], []
            for _ in range(repetitions):
                ours.append(seconds(partial(count, path, names)))
                plain.append(seconds(group_by))
            yield Comparison(listed, median(ours), median(plain))


def time_csv(folder: Path, lines: int, repetitions: int) -> None:
    print(f"\n{'CSV, 5 columns':<16}{'counted':<16}{'wall s / million':>18}{'cpu s / million':>18}")
    for kind in ("unquoted", "quoted"):
        path = folder / f"{kind}.csv"
        write_csv(path, lines, quoted=kind == "quoted")
        for names in QUERIES:
            wall, cpu = median([seconds(partial(count, path, names)) for _ in range(repetitions)])
            print(f"{kind:<16}{', '.join(names):<16}{wall / lines * 1e6:>18.2f}{cpu / lines * 1e6:>18.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the Parquet file")
    parser.add_argument("--lines", type=int, default=1_000_000, help="lines of each CSV file")
    parser.add_argument("--repetitions", type=int, default=9)
    asked = parser.parse_args()
    heads = f"{'Parquet':<16}{'ours: wall':>12}{'cpu':>8}{'GROUP BY: wall':>16}{'cpu':>8}"
    print(f"{heads}{'ratio: wall':>13}{'cpu':>8}")
    for found in compare_parquet(asked.rows, asked.repetitions):
        (wall, cpu), (plain_wall, plain_cpu) = found.privior, found.engine
        print(f"{found.columns:<16}{wall:>12.3f}{cpu:>8.3f}{plain_wall:>16.3f}{plain_cpu:>8.3f}", end="")
        print(f"{found.ratios[0]:>13.2f}{found.ratios[1]:>8.2f}")
    with tempfile.TemporaryDirectory() as name:
        time_csv(Path(name), asked.lines, 3)


if __name__ == "__main__":
    main()
