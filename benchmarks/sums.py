"""What summing a column costs beside the engine's own sum of it: `python benchmarks/sums.py`.

The bar: ten million values of Parquet within 2 times the CPU of DuckDB's plain `SELECT sum(x)`. Ours reads
any cell by its public rule, clamps and rounds it. Both are timed twice: with an engine that is already open
(what the sum itself takes), and from nothing, each opening its engine, as one call of privior does.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import duckdb
from counting import Seconds, median, seconds

from privior.models import Factor, Summand, Sums
from privior.schema import Bounded, Column, Integer, Schema
from privior.tables import OpenTable, open_table
from privior.tables.summing import sums

#: how each column is made, and what is public: some are cut at the bounds, some have few different values
COLUMNS: dict[str, tuple[str, Column]] = {
    "age": ("CAST(floor(random() * 100) AS BIGINT)", Integer(0, 120)),
    "cut age": ("CAST(floor(random() * 100) AS BIGINT)", Integer(10, 90)),
    "income": ("CAST(floor(random() * 1e6) AS BIGINT)", Integer(0, 999_999)),
    "cut income": ("CAST(floor(random() * 1e6) AS BIGINT)", Integer(1000, 990_000)),
    "score": ("round(random() * 100, 1)", Bounded(0, 100, grid="0.1")),
    "cut score": ("round(random() * 100, 1)", Bounded(1, 99, grid="0.1")),
    "weight": ("random() * 100", Bounded(0, 100, grid="0.1")),
    "cut weight": ("random() * 100", Bounded(1, 99, grid="0.1")),
}
SCHEMA = Schema({name: column for name, (_, column) in COLUMNS.items()}, population="benchmark", unit="row")


@dataclass(frozen=True)
class Comparison:
    """Median seconds (wall, CPU): of the sum alone in an open engine, and of everything from nothing.

    Attributes:
        column: what is summed
        alone: privior's and the engine's own
        whole: privior's and the engine's own
    """

    column: str
    alone: tuple[Seconds, Seconds]
    whole: tuple[Seconds, Seconds]

    @property
    def ratios(self) -> tuple[float, float]:
        """The CPU of privior by that of the engine: alone, and as a whole."""
        return self.alone[0][1] / self.alone[1][1], self.whole[0][1] / self.whole[1][1]


def write_parquet(path: Path, rows: int) -> None:
    made = ", ".join(f'{made} AS "{name}"' for name, (made, _) in COLUMNS.items())
    with duckdb.connect() as connection:
        connection.execute(f"COPY (SELECT {made} FROM range({rows})) TO '{path}' (FORMAT parquet)")


def from_nothing(query: str) -> None:
    with duckdb.connect() as connection:
        connection.execute(query).fetchall()


def compare(rows: int, repetitions: int) -> Iterator[Comparison]:
    """Sum the columns of a fresh Parquet file by turns with privior and with plain queries."""
    with tempfile.TemporaryDirectory() as folder, duckdb.connect() as connection:
        path = Path(folder) / "rows.parquet"
        write_parquet(path, rows)
        for name in COLUMNS:
            table = open_table(path, SCHEMA, (name,))
            summands = (Summand((Factor(name),)),)
            query = f"SELECT sum(\"{name}\") FROM '{path}'"
            table.sums((), summands)  # the imports
            yield Comparison(
                name,
                _alone(table, summands, partial(_fetched, connection, query), repetitions),
                _turns(partial(table.sums, (), summands), partial(from_nothing, query), repetitions),
            )


def _alone(
    table: OpenTable, summands: tuple[Summand, ...], plain: Callable[[], object], repetitions: int
) -> tuple[Seconds, Seconds]:
    (question,) = table.check(Sums((), summands))[0].questions()
    with table.source.relation() as relation:
        return _turns(partial(sums, relation, question), plain, repetitions)


def _fetched(connection: duckdb.DuckDBPyConnection, query: str) -> None:
    connection.execute(query).fetchall()


def _turns(
    ours: Callable[[], object], plain: Callable[[], object], repetitions: int
) -> tuple[Seconds, Seconds]:
    measured = [(seconds(ours), seconds(plain)) for _ in range(repetitions)]
    return median([one for one, _ in measured]), median([other for _, other in measured])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the Parquet file")
    parser.add_argument("--repetitions", type=int, default=9)
    asked = parser.parse_args()
    print(
        f"{'CPU seconds':<14}{'alone: ours':>12}{'sum(x)':>8}{'ratio':>7}"
        f"{'whole: ours':>13}{'sum(x)':>8}{'ratio':>7}"
    )
    for found in compare(asked.rows, asked.repetitions):
        (ours, plain), (all_ours, all_plain) = found.alone, found.whole
        print(f"{found.column:<14}{ours[1]:>12.3f}{plain[1]:>8.3f}{found.ratios[0]:>7.2f}", end="")
        print(f"{all_ours[1]:>13.3f}{all_plain[1]:>8.3f}{found.ratios[1]:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
