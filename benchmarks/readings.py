"""What readings cost beside the best SQL by hand for the same: `python benchmarks/readings.py`.

The bars, all in one run and in CPU: sixteen tables of class by feature on ten million rows of Parquet in one
pass within 3.5 times a raw scan of those columns, and no more than the best of the queries by hand; 120 sums
of products of two features within 0.6 of a query by hand. Ours reads any cell by its public rule.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
from counting import seconds

from privior.models import ONE, Factor, Margins, Moments, Summand
from privior.schema import Column, Integer, Schema
from privior.tables import open_table

FEATURES = [f"f{place}" for place in range(16)]
SIZES = {"class": 5} | {name: 3 + place % 8 for place, name in enumerate(FEATURES)}
NUMBERS = [f"x{place}" for place in range(14)]
COLUMNS: dict[str, Column] = {name: Integer(0, size - 1) for name, size in SIZES.items()}
COLUMNS |= {name: Integer(0, 99) for name in NUMBERS}
SCHEMA = Schema(COLUMNS, population="benchmark", unit="row")
TABLES = Margins(tuple(("class", name) for name in FEATURES))
PRODUCTS = Moments((ONE, *(Summand((Factor(name),)) for name in NUMBERS)))


@dataclass(frozen=True)
class Comparison:
    """Least CPU seconds of several turns.

    Attributes:
        what: is asked
        privior: by readings
        scan: of the columns alone, by a sum of each
        queries: by hand, the best of them
    """

    what: str
    privior: float
    scan: float
    queries: float


def write_parquet(path: Path, rows: int) -> None:
    made = ", ".join(
        f'CAST(floor(random() * {kind.size}) AS INTEGER) AS "{name}"' for name, kind in COLUMNS.items()
    )
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {made} FROM range({rows})) TO '{path}' (FORMAT parquet)")


def compare(rows: int, repetitions: int) -> list[Comparison]:
    """Ask a fresh Parquet file by turns with privior and with plain queries on an open engine."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "rows.parquet"
        write_parquet(path, rows)

        def run(*queries: str) -> None:
            for query in queries:
                connection.execute(query).fetchall()

        source = f"FROM '{path}'"
        single = [f'SELECT "class", {name}, count(*) {source} GROUP BY ALL' for name in FEATURES]
        sets = ", ".join(f'("class", {name})' for name in FEATURES)
        features = ", ".join(FEATURES)
        together = f'SELECT "class", {features}, count(*) {source} GROUP BY GROUPING SETS ({sets})'
        terms = ["count(*)", *(f"sum({name})" for name in NUMBERS)]
        terms += [f"sum({one} * {two})" for k, one in enumerate(NUMBERS) for two in NUMBERS[k:]]
        products = f"SELECT {', '.join(terms)} {source}"
        tables = open_table(path, SCHEMA, TABLES.columns, ())
        numbers = open_table(path, SCHEMA, PRODUCTS.columns, ())
        return [
            _compared(
                "16 tables",
                partial(tables.read, TABLES),
                partial(run, _scan(TABLES.columns, source)),
                [partial(run, *single), partial(run, together)],
                repetitions,
            ),
            _compared(
                f"{len(terms)} moments",
                partial(numbers.read, PRODUCTS),
                partial(run, _scan(PRODUCTS.columns, source)),
                [partial(run, products)],
                repetitions,
            ),
        ]


def _scan(columns: tuple[str, ...], source: str) -> str:
    listed = ", ".join(f'sum("{name}")' for name in columns)
    return f"SELECT {listed} {source}"


def _compared(
    what: str,
    ours: Callable[[], object],
    scan: Callable[[], object],
    queries: list[Callable[[], object]],
    repetitions: int,
) -> Comparison:
    ours()  # the imports
    turns = [[seconds(work)[1] for work in (ours, scan, *queries)] for _ in range(repetitions)]
    least = [min(column) for column in zip(*turns, strict=True)]
    return Comparison(what, least[0], least[1], min(least[2:]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the Parquet file")
    parser.add_argument("--repetitions", type=int, default=5)
    asked = parser.parse_args()
    print(f"{'CPU seconds':<14}{'ours':>8}{'scan':>8}{'by hand':>9}{'to scan':>9}{'to hand':>9}")
    for one in compare(asked.rows, asked.repetitions):
        print(f"{one.what:<14}{one.privior:>8.3f}{one.scan:>8.3f}{one.queries:>9.3f}", end="")
        print(f"{one.privior / one.scan:>9.2f}{one.privior / one.queries:>9.2f}", flush=True)


if __name__ == "__main__":
    main()
