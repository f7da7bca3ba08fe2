"""Writes the files that later versions must read, once for each version that changes a format.

python tests/compat/write_files.py FOLDER
"""

from __future__ import annotations

import sqlite3
import sys
from pathlib import Path

import pyarrow as pa

import privior as pv

SCHEMA = pv.Schema(
    {
        "fruit": pv.Categorical(["apple", "pear", "plum"], missing="plum"),
        "ripe": pv.Boolean(),
        "weight": pv.Bounded(0, 500, grid="0.5"),
        "size": pv.Binned([0, "1.5", 10]),
        "year": pv.Integer(1900, 2100),
        "picked": pv.Date("2026-01-01", "2026-12-31"),
    },
    population="orchard",
    unit=pv.Unit("picker"),
    csv=pv.CsvDialect(delimiter=";"),
)


def write(folder: Path) -> None:
    """Write a schema, an analysis, one release of every mechanism, and their ledger."""
    folder.mkdir(parents=True, exist_ok=True)
    SCHEMA.write(folder / "schema.toml")
    model = pv.DirichletCategorical(("fruit", "ripe"), prior="1/2")
    pv.Analysis(SCHEMA, model, 10, pv.Budget.of("0.5", "1e-6")).write(folder / "analysis.toml")
    table = pa.table({"fruit": ["apple", "pear"] * 5, "ripe": [True, False] * 5})
    ledger = pv.Ledger.create(folder / "orchard.ledger", population="orchard", epsilon=10, delta="1e-3")
    for kind in (pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts, pv.LSHist, pv.LSDim):
        plan = pv.plan(model, SCHEMA, records=10, epsilon="0.5", delta="1e-6", mechanism=kind)
        pv.measure(plan, table, ledger=ledger, output=folder / f"{kind.name}.json")
    connection = sqlite3.connect(ledger.where)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def write_draws(folder: Path) -> None:
    """Write one release of each kind from the posterior, the first of format 3."""
    folder.mkdir(parents=True, exist_ok=True)
    model = pv.DirichletCategorical(("fruit", "ripe"), prior="1/2")
    table = pa.table({"fruit": ["apple", "pear"] * 5, "ripe": [True, False] * 5})
    for kind, draws in ((pv.DirichletDraw, 2), (pv.VirtualRecords, 1)):
        plan = pv.plan(model, SCHEMA, records=10, epsilon="0.5", delta="1e-6", mechanism=kind, draws=draws)
        ledger = pv.Ledger.in_memory(delta="1e-3", population="orchard")
        pv.measure(plan, table, ledger=ledger, output=folder / f"{kind.name}.json")


def write_minimum(folder: Path) -> None:
    """Write a draw with a public minimum of the counts and units of two rows: two entries of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    unit = pv.Unit("picker", column="who", max_rows=2)
    schema = pv.Schema({"ripe": pv.Boolean()}, population="orchard", unit=unit)
    table = pa.table({"who": [str(row // 2) for row in range(20)], "ripe": [True, False, False, True] * 5})
    plan = pv.plan(
        pv.DirichletCategorical("ripe"),
        schema,
        records=10,
        epsilon="0.5",
        delta="1e-6",
        mechanism=pv.DirichletDraw,
        least=8,
    )
    ledger = pv.Ledger.in_memory(delta="1e-3", population="orchard")
    pv.measure(plan, table, ledger=ledger, output=folder / "dirichlet-draw-minimum.json")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
