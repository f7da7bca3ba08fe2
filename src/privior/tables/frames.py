"""Frames in memory: pyarrow tables, pandas and polars frames. Only the needed columns are touched.

Each cell is converted by itself. A pandas column of Python objects becomes text cell by cell, and the order
in which a categorical column lists its categories does not matter (T18).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from privior.schema import Schema
from privior.tables.arrays import plain, plain_type
from privior.tables.headers import check_names, check_types, needed
from privior.tables.relations import Relation, names
from privior.tables.streams import Stream
from privior.tables.texts import texts
from privior.tables.writing import decimal_sign

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

#: rows that an engine gets at a time
_BATCH = 122_880


@dataclass(frozen=True)
class Frame:
    """A frame in memory.

    Attributes:
        height: counts its rows
        columns: gives the needed columns in plain types, in order
        fields: what they are called in the relation
    """

    height: Callable[[], int]
    columns: Callable[[], list[pa.ChunkedArray]]
    fields: tuple[str, ...]

    def rows(self) -> int:
        """Count the rows."""
        return self.height()

    def relation(self) -> AbstractContextManager[Relation]:
        """Convert the needed columns and let an engine read them."""
        import pyarrow as pa

        table = pa.table(self.columns(), names=list(self.fields))
        return Stream(table.schema, lambda: table.to_batches(_BATCH)).relation()


def open_arrow(table: pa.Table, schema: Schema, columns: tuple[str, ...]) -> Frame:
    """Check the columns of a pyarrow table."""
    import pyarrow as pa

    check_names(table.column_names, schema, columns, "pyarrow.Table")
    wanted = needed(schema, columns)
    check_types(pa.schema([table.schema.field(name) for name in wanted]), schema, "pyarrow.Table")
    return Frame(
        lambda: int(table.num_rows),
        lambda: [plain(table.column(name), decimal_sign(name, schema)) for name in wanted],
        names(schema, columns),
    )


def open_polars(frame: pl.DataFrame | pl.LazyFrame, schema: Schema, columns: tuple[str, ...]) -> Frame:
    """Check the columns of a polars frame; a lazy one is collected when its rows are wanted."""
    import polars as pl

    where = f"polars.{type(frame).__name__}"
    lazy = frame.lazy()
    found = lazy.collect_schema()
    check_names(found.names(), schema, columns, where)
    wanted = needed(schema, columns)
    empty = pl.DataFrame(schema={name: found[name] for name in wanted})
    check_types(_polars_table(empty, schema).schema, schema, where)

    def height() -> int:
        return int(lazy.select(pl.len()).collect().item())

    def read() -> list[pa.ChunkedArray]:
        table = _polars_table(lazy.select(sorted(set(wanted))).collect(), schema)
        return [plain(table.column(name), decimal_sign(name, schema)) for name in wanted]

    return Frame(height, read, names(schema, columns))


def open_pandas(frame: pd.DataFrame, schema: Schema, columns: tuple[str, ...]) -> Frame:
    """Check the columns of a pandas frame; their types may depend on the rows and are not checked."""
    found = [name if isinstance(name, str) else f"{name!r} ({type(name).__name__})" for name in frame.columns]
    check_names(found, schema, columns, "pandas.DataFrame")
    wanted = needed(schema, columns)

    def read() -> list[pa.ChunkedArray]:
        return [_pandas_column(frame[name], decimal_sign(name, schema)) for name in wanted]

    return Frame(lambda: len(frame), read, names(schema, columns))


def _polars_table(frame: pl.DataFrame, schema: Schema) -> pa.Table:
    """Convert to Arrow what Arrow has a type for, and the rest to text."""
    import polars as pl
    import pyarrow as pa

    table = {}
    for series in frame.iter_columns():
        if series.dtype == pl.Object:
            written = texts(series.to_list(), decimal_sign(series.name, schema))
            table[series.name] = pa.chunked_array([written], pa.large_string())
        elif series.dtype in (pl.Int128, pl.UInt128, pl.Categorical, pl.Enum):
            table[series.name] = pa.chunked_array([series.cast(pl.String).to_arrow()])
        else:
            table[series.name] = pa.chunked_array([series.to_arrow()])
    return pa.table(table)


def _pandas_column(series: pd.Series, decimal: str | None) -> pa.ChunkedArray:
    import pandas as pd
    import pyarrow as pa

    kind = series.dtype
    if isinstance(kind, pd.CategoricalDtype):
        places = series.cat.codes.to_numpy()
        known = _pandas_column(pd.Series(kind.categories), decimal)
        return known.take(pa.array(places, mask=places < 0))
    if not _has_arrow_type(series):
        return pa.chunked_array([texts(series.to_numpy(dtype=object), decimal)], pa.large_string())
    cells = pa.array(series, from_pandas=True)
    column = cells if isinstance(cells, pa.ChunkedArray) else pa.chunked_array([cells])
    return plain(_as_floats(column), decimal)


def _as_floats(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Make 64-bit floats of numbers that pandas makes such floats of because of another cell.

    A missing cell does that to whole numbers, a cell of another kind to short floats.
    """
    import pyarrow as pa
    import pyarrow.types as kinds

    long = column.type in (pa.int64(), pa.uint64())
    return column.cast(pa.float64(), safe=False) if long or kinds.is_floating(column.type) else column


def _has_arrow_type(series: pd.Series) -> bool:
    """Say whether cells of a column of this type count as they would in a column of Python objects.

    One cell of another kind turns a whole pandas column into objects, so both must be read alike: numbers,
    moments and texts are; truth values and the rest are always read as objects.
    """
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, pd.ArrowDtype):  # a day of it may be none that Python has
        return kind.kind != "b" and plain_type(kind.pyarrow_dtype) is not None
    if isinstance(kind, pd.StringDtype):
        return bool(kind.storage == "pyarrow")
    if isinstance(kind, pd.SparseDtype):
        return False
    return kind.kind == "M" or (kind.kind in "iuf" and kind.itemsize <= 8)
