"""A relation: the needed columns of a table inside an engine that can count them.

What privior reads itself is in a DuckDB of its own and asked in SQL; an Ibis table stays on its own backend
and is asked by Ibis, in the same operations (`sql`).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from privior.arrays import Integers
from privior.schema import Schema
from privior.tables import light_duckdb, sql

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

#: a value or a table of Ibis, or of `sql`: their operations have the same names
Expression = Any

#: columns of whole numbers
NamedArrays = dict[str, Integers]

#: the name of the column that holds the person; the needed columns are called c0, c1, ...
PERSON = "person"

#: rows that an engine gives at a time
BATCH = 2**17

#: the name of the rows in an engine of privior's own
ROWS = "privior_rows"
_KEPT = "privior_kept"


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
        run: carries out an expression whose columns are whole numbers, and returns them
        batches: carries out any expression and gives its rows one batch after the other, in any order
        kept: reads the rows once and keeps them, for several expressions; a database keeps them anyway
    """

    rows: Expression
    exact: bool
    lookup: Callable[[pa.Table], Expression]
    run: Callable[[Expression], NamedArrays]
    batches: Callable[[Expression], Iterator[pa.RecordBatch]]
    kept: Callable[[], Relation]


def language(expression: Expression) -> Any:
    """Return the module whose functions make what goes with a value or a table."""
    if isinstance(expression, (sql.Value, sql.SqlTable)):
        return sql
    import ibis

    return ibis


@contextmanager
def engine() -> Iterator[duckdb.DuckDBPyConnection]:
    """Start a DuckDB in memory that spills to a folder only this user can read, gone at the end (T38)."""
    with TemporaryDirectory(prefix="privior-") as folder:
        settings: dict[str, str | bool | int | float | list[str]] = {
            "temp_directory": folder,
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "preserve_insertion_order": False,
        }
        connection = light_duckdb.connection(settings)
        try:
            connection.execute("SET enable_progress_bar = false")
            connection.execute("SET TimeZone = 'UTC'")
            yield connection
        finally:
            connection.close()


def in_duckdb(connection: duckdb.DuckDBPyConnection, fields: pa.Schema) -> Relation:
    """Return the relation of the table or view `ROWS`, whose columns have these plain types."""
    return _named(connection, ROWS, _kinds(fields))


def _named(
    connection: duckdb.DuckDBPyConnection, name: str, kinds: dict[str, sql.CellType | None]
) -> Relation:
    lookups: list[str] = []

    def lookup(table: pa.Table) -> sql.SqlTable:
        lookups.append(f"{name}_lookup_{len(lookups)}")
        connection.register(lookups[-1], table)
        return sql.SqlTable(lookups[-1], _kinds(table.schema), "k")

    def run(table: sql.SqlTable) -> NamedArrays:
        listed = ", ".join(f"CAST({name} AS BIGINT) AS {name}" for name in table.columns)
        answer: NamedArrays = connection.execute(f"FROM {table.source} SELECT {listed}").fetchnumpy()
        return answer

    def batches(table: sql.SqlTable) -> Iterator[pa.RecordBatch]:
        import duckdb  # noqa: F401 - which gives connections their relations

        yield from connection.sql(f"FROM {table.source}").to_arrow_reader(BATCH)

    def kept() -> Relation:
        connection.execute(f"CREATE TEMP TABLE {_KEPT} AS FROM {name}")
        return _named(connection, _KEPT, kinds)

    return Relation(sql.SqlTable(name, kinds), True, lookup, run, batches, kept)


def _kinds(fields: pa.Schema) -> dict[str, sql.CellType | None]:
    return {field.name: sql.CellType(field.type) for field in fields}


def in_ibis(rows: Expression) -> Relation:
    """Return the relation of an Ibis table on the backend that it belongs to."""
    import ibis

    def run(expression: Expression) -> NamedArrays:
        import pyarrow as pa

        answer = fetched(expression)
        return {name: answer.column(name).cast(pa.int64()).to_numpy() for name in answer.column_names}

    def fetched(expression: Expression) -> pa.Table:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
            return expression.to_pyarrow()

    def batches(expression: Expression) -> Iterator[pa.RecordBatch]:
        yield from fetched(expression).to_batches(BATCH)

    return Relation(rows, False, ibis.memtable, run, batches, lambda: in_ibis(rows))


def engine_version() -> str:
    """Start the engine, let it count, and say which one it is."""
    import duckdb

    with engine() as connection:
        connection.execute("SELECT count(*) FROM range(3)").fetchall()
    return f"DuckDB {duckdb.__version__}"
