"""Opening a table: what it is, and whether its public facts fit the schema. No row is read here."""

from __future__ import annotations

from collections.abc import Callable
from os import PathLike, fspath
from typing import Any

from privior.errors import TableError
from privior.schema import Schema
from privior.tables import codes
from privior.tables.delimited import open_delimited
from privior.tables.files import Form, find
from privior.tables.frames import open_arrow, open_pandas, open_polars
from privior.tables.parquet import open_parquet
from privior.tables.queries import in_memory, open_ibis
from privior.tables.question import check_cells
from privior.tables.table import OpenTable, RowSource


def open_table(
    table: object, schema: Schema, columns: tuple[str, ...], by: tuple[str, ...] | None = None
) -> OpenTable:
    """Open a table to count or sum these columns, checking public facts only: existence, names and types.

    Args:
        table: the path of a CSV or Parquet file or a glob of such files, a pyarrow table, a pandas or
            polars frame, or an Ibis table of any backend
        schema: what is publicly known
        columns: the columns to count, in the order of the counts
        by: those whose cells are wanted, if only sums within them are; all of them unless told
    """
    if not columns:
        raise TableError("there is no column to count", where="columns")
    check_cells(schema.cells(columns if by is None else by))
    for name in columns:
        codes.check_floats(name, schema.column(name))
    return OpenTable(_source(table, schema, columns), schema, columns)


def _source(table: object, schema: Schema, columns: tuple[str, ...]) -> RowSource:
    if isinstance(table, (str, PathLike)):
        paths, form = find(fspath(table))
        opened = open_delimited if form is Form.DELIMITED else open_parquet
        return opened(paths, schema, columns)
    for kind in type(table).__mro__:
        opener = _OPENERS.get((kind.__module__.partition(".")[0], kind.__name__))
        if opener is not None:
            return opener(table, schema, columns)
    raise TableError(
        "this is not a table",
        asked=type(table).__name__,
        allowed="a path or a glob of .csv or .parquet files, a pyarrow, pandas, polars or Ibis table",
    )


def _open_ibis(table: Any, schema: Schema, columns: tuple[str, ...]) -> RowSource:
    """Open an Ibis table: the frame that it is, or else a query."""
    frame = in_memory(table)
    return open_ibis(table, schema, columns) if frame is None else _source(frame, schema, columns)


#: who opens which class, by its name, so that no library is imported that the caller does not use
_OPENERS: dict[tuple[str, str], Callable[[Any, Schema, tuple[str, ...]], RowSource]] = {
    ("pyarrow", "Table"): open_arrow,
    ("pandas", "DataFrame"): open_pandas,
    ("polars", "DataFrame"): open_polars,
    ("polars", "LazyFrame"): open_polars,
    ("ibis", "Table"): _open_ibis,
}
