"""A fuzzer of row locality: tables that differ in one record, and how far their exact statistics are apart.

Cells of all types are drawn from the nasty ones, few different ones in a table, so that what is said of a
whole column (its statistics, its lists of values, its type in pandas) often hangs on the one record.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from nasty_cells import COLUMNS, HEIGHT, columns

from privior.errors import TableError
from privior.models.summands import Factor, Summand
from privior.schema import CsvDialect, Schema
from privior.tables import open_table

#: cells of all types but those that cannot be taken out of their column
CELLS = {name: cells for name, cells in columns().items() if "view" not in name and name != "runs"}
#: moments that Python has
CELLS["calm"] = pa.array(range(HEIGHT), pa.int64()).view(pa.timestamp("us"))
#: what a Parquet file cannot hold
UNWRITTEN = {"dictionary of a dictionary"}
FORMS = ("parquet", "parquet", "parquet", "arrow", "pandas", "ibis")
#: what Ibis has no type for
UNKNOWN = {"uuid", "bool8", "fixed"}
#: types that pandas has of its own, or makes of Python's objects
OF_PANDAS = (
    "bool",
    "int64",
    "uint64",
    "int8",
    "float64",
    "float32",
    "string",
    "calm",
    "decimal128(38, 10)",
)


USUAL = CsvDialect()


@dataclass(frozen=True)
class Trial:
    """Two tables that differ in one record.

    Attributes:
        form: how they are kept
        types: of their columns
        kinds: of the columns of the schema
        rows: the places of the cells of each row in the columns of nasty cells
        changed: the record that differs, and the places of its other cells
        options: how a Parquet file is written
        dialect: how numbers and days are written in text
    """

    form: str
    types: tuple[str, ...]
    kinds: tuple[str, ...]
    rows: tuple[tuple[int, ...], ...]
    changed: tuple[int, tuple[int, ...]]
    options: tuple[tuple[str, Any], ...]
    dialect: CsvDialect = USUAL

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"v{place}" for place in range(len(self.types)))

    @property
    def schema(self) -> Schema:
        kinds = dict(zip(self.names, (COLUMNS[kind] for kind in self.kinds), strict=True))
        return Schema(kinds, population="p", unit="row", csv=self.dialect)

    def tables(self, folder: Path) -> tuple[object, object]:
        """Return both tables, in files of this folder if they are files."""
        place, record = self.changed
        others = (*self.rows[:place], record, *self.rows[place + 1 :])
        return self._made(self.rows, folder / "one.parquet"), self._made(others, folder / "other.parquet")

    def _made(self, rows: tuple[tuple[int, ...], ...], path: Path) -> object:
        places = zip(*rows, strict=True)
        cells = {
            name: CELLS[given].take(pa.array(chosen))
            for name, given, chosen in zip(self.names, self.types, places, strict=True)
        }
        table = pa.table(cells)
        if self.form == "parquet":
            pq.write_table(table, path, **dict(self.options))
            return path
        if self.form == "ibis":
            return ibis.memtable(table).select(*self.names)
        return pd.DataFrame(table.to_pydict()) if self.form == "pandas" else table


def drawn(choose: random.Random) -> Trial:
    """Draw a trial; its types may not fit its kinds of columns."""
    form = choose.choice(FORMS)
    foreign = {"parquet": UNWRITTEN, "ibis": UNKNOWN}.get(form, set())
    types = OF_PANDAS if form == "pandas" else [name for name in CELLS if name not in foreign]
    width = choose.choice((1, 1, 2))
    few = [[choose.randrange(HEIGHT) for _ in range(choose.choice((1, 2, 4)))] for _ in range(width)]
    height = choose.choice((2, 9, 40, 300))
    rows = tuple(tuple(choose.choice(places) for places in few) for _ in range(height))
    record = tuple(choose.randrange(HEIGHT) for _ in range(width))
    options = (
        ("use_dictionary", choose.random() < 0.5),
        ("write_statistics", choose.random() < 0.8),
        ("row_group_size", choose.choice((1, 3, 64, 1000))),
        ("data_page_size", choose.choice((16, 2**20))),
        ("compression", choose.choice(("none", "snappy"))),
    )
    kinds = tuple(choose.choice(list(COLUMNS)) for _ in range(width))
    chosen = tuple(choose.choice(types) for _ in range(width))
    return Trial(form, chosen, kinds, rows, (choose.randrange(height), record), options)


def fault(trial: Trial, folder: Path) -> str | None:
    """Return what is wrong with a trial, None if nothing is; "refused" if its types do not fit."""
    schema, found = trial.schema, []
    summands = tuple(Summand((Factor(name),)) for name in trial.names)
    for table in trial.tables(folder):
        try:
            opened = open_table(table, schema, trial.names)
        except TableError:
            return "refused"
        try:
            found.append((opened.counts(), opened.sums((), summands)[0]))
        except Exception as error:
            return f"a cell stops the reader: {type(error).__name__}"
    (counts, sums), (other_counts, other_sums) = found
    if counts.sum() != len(trial.rows) or other_counts.sum() != len(trial.rows):
        return "a record is lost"
    if np.abs(counts - other_counts).sum() > 2:
        return "counts move by more than one record"
    reach = np.array([schema.column(name).size - 1 for name in trial.names])
    return "a sum moves by more than one record can" if (np.abs(sums - other_sums) > reach).any() else None
