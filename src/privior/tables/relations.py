"""A relation: the needed columns of a table inside an engine that can count them.

Expressions are written in Ibis. For what privior reads itself they run on a DuckDB of its own, without
Ibis's backend, which costs more than counting ten million rows; an Ibis table runs on its own backend.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from privior.schema import Schema

if TYPE_CHECKING:
    import duckdb
    import ibis.expr.types as ir
    import pyarrow as pa

#: the name of the column that holds the person; the needed columns are called c0, c1, ...
PERSON = "person"

#: the name of the rows in an engine of privior's own
ROWS = "privior_rows"


def column(place: int) -> str:
    """Return the name that the needed column at this place has in a relation."""
    return f"c{place}"


def names(schema: Schema, columns: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in a relation of the columns that `headers.needed` lists."""
    counted = tuple(column(place) for place in range(len(columns)))
    return counted if schema.unit.column is None else (*counted, PERSON)


@dataclass(frozen=True, repr=False)
class Relation:
    """Rows with the columns c0, c1, ... and perhaps `PERSON`, and the engine they live in.

    Attributes:
        rows: the table as an expression
        exact: whether any two texts differ for the engine; a database may take two spellings for one, and
            then grouping rows or joining levels by text would not be row-local
        lookup: puts a small public table beside the rows and returns it as an expression
        run: carries an expression out and returns its rows
    """

    rows: ir.Table
    exact: bool
    lookup: Callable[[pa.Table], ir.Table]
    run: Callable[[ir.Table], pa.Table]


@contextmanager
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """Start a DuckDB in memory that spills to a folder only this user can read, gone at the end (T38)."""
    import duckdb

    with TemporaryDirectory(prefix="privior-") as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": False,
        }
        connection = duckdb.connect(":memory:", config=settings)
        try:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("SET TimeZone = 'UTC'")
            yield connection
        finally:
            connection.close()


def in_duckdb(connection: duckdb.DuckDBPyConnection, fields: pa.Schema) -> Relation:
    """Return the relation of the table or view `ROWS`, whose columns have these plain types."""
    import ibis

    lookups: list[str] = []

    def lookup(table: pa.Table) -> ir.Table:
        lookups.append(f"privior_lookup_{len(lookups)}")
        connection.register(lookups[-1], table)
        return ibis.table(ibis.Schema.from_pyarrow(table.schema), name=lookups[-1])

    def run(expression: ir.Table) -> pa.Table:
        query = str(ibis.to_sql(expression, dialect="duckdb", pretty=False))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # rows are copied, but the query is planned once
            return connection.execute(query).to_arrow_table()

    return Relation(ibis.table(ibis.Schema.from_pyarrow(fields), name=ROWS), True, lookup, run)


def in_ibis(rows: ir.Table) -> Relation:
    """Return the relation of an Ibis table on the backend that it belongs to."""
    import ibis

    def run(expression: ir.Table) -> pa.Table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
            return expression.to_pyarrow()

    return Relation(rows, False, ibis.memtable, run)


def engine_version() -> str:
    """Start the engine, let it count, and say which one it is."""
    import duckdb

    with engine() as connection:
        connection.execute("SELECT count(*) FROM range(3)").fetchall()
    return f"DuckDB {duckdb.__version__}"
