"""Rows of somebody's own, about which a posterior is asked: columns of any frame, as codes.

A frame is a mapping of columns, or anything that has columns by name: frames of pandas and polars and tables
of pyarrow are, without their packages being known here. These rows are no evidence: nothing is learned from
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError, SchemaError, shown
from privior.schema import Schema
from privior.schema.cells import cell_code
from privior.schema.columns import Column

#: the code of a cell with nothing in it
NOTHING = -1
#: what can be done if a column is not there
_UNKNOWN = "A column of None says that nothing is known of it."
_OPEN = (
    "A question such as mean(y | x=1) leaves columns open; a cell with nothing in it counts as in the table."
)
#: what types of short floats are called
_SHORT = {"float32", "float16", "float", "halffloat"}


def coded_rows(
    frame: Any, schema: Schema, columns: Sequence[str], aside: str, *, whole: bool = False
) -> Integers:
    """Return the codes of rows in some columns, as (rows, columns); -1 where nothing is known.

    A frame may leave columns out, of which nothing is known then, or have others beside them; not both, which
    is how a misspelt name looks.

    Args:
        frame: columns by name
        schema: the public facts of the columns
        columns: which ones
        aside: a column that is not looked at if it is there
        whole: whether no column may be left out, and a cell with nothing in it counts as in the table
    """
    names = _names(frame)
    there = [name for name in columns if name in names]
    strange = [name for name in names if name not in columns and name != aside]
    left_out = [name for name in columns if name not in names]
    if not there or (left_out and (strange or whole)):
        raise InferenceError(
            "the rows have not the columns that are asked for",
            asked=", ".join(map(str, names[:12])) or "no columns",
            allowed=", ".join(columns[:12]),
            advice=f"Is {left_out[0]} spelled otherwise? " + (_OPEN if whole else _UNKNOWN),
        )
    found = {name: _codes(name, schema.column(name), _cells(frame[name]), whole) for name in there}
    lengths = {len(codes) for codes in found.values()}
    if len(lengths) > 1:
        raise InferenceError("the columns have not one length", asked=", ".join(map(str, sorted(lengths))))
    nothing = np.full(lengths.pop(), NOTHING)
    return np.column_stack([found.get(name, nothing) for name in columns])


def _names(frame: Any) -> list[str]:
    """Return the names of a frame's columns."""
    if isinstance(frame, Mapping):
        return list(frame)
    lazy, whole = hasattr(frame, "collect"), hasattr(frame, "__getitem__")
    # tables of pyarrow have `columns` too, which are arrays
    names = None if lazy or not whole else getattr(frame, "column_names", getattr(frame, "columns", None))
    if names is None or isinstance(names, (str, bytes)):
        raise InferenceError(
            "not rows in named columns",
            asked=shown(frame),
            allowed="a frame of pandas or polars, a table of pyarrow, or {column: values}",
            advice="A lazy frame is collected first.",
        )
    return list(names)


def _cells(values: Any) -> Iterable[object]:
    """Return the cells of a column as Python's own values; a short float as it prints."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise InferenceError("a column is not a list of cells", asked=shown(values))
    kind = str(getattr(values, "dtype", getattr(values, "type", ""))).lower()
    for way in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, way):
            values = getattr(values, way)()
            break
    if kind in _SHORT:
        return [None if cell is None else float(str(np.float32(cell))) for cell in values]
    found: Iterable[object] = values
    return found


def _codes(name: str, column: Column, cells: Iterable[object], whole: bool) -> Integers:
    """Return the code of each cell; each different one is read once."""
    known: dict[tuple[type, object], int] = {}
    found = []
    for row, cell in enumerate(cells):
        key = (cell.__class__, cell)
        try:
            code = known.get(key)
        except TypeError:
            raise InferenceError(f"not a cell of {name}", asked=shown(cell), where=row_named(row)) from None
        if code is None:
            code = known[key] = _code(name, column, cell, row, whole)
        found.append(code)
    return np.array(found, dtype=np.int64)


def row_named(row: int) -> str:
    """Name a row by its number, from 1, as predictions are numbered."""
    return f"row {row + 1} (the first is 1)"


def _code(name: str, column: Column, cell: object, row: int, whole: bool) -> int:
    try:
        code = cell_code(column, cell)
    except SchemaError as error:
        counted = column.missing_code
        label = None if counted is None else column.labels[counted]
        advice = "Leave the cell empty (None in Python) if nothing is known"
        if whole:
            advice = "Leave the cell empty (None in Python)"
            advice += "; such a row has no prediction" if label is None else ""
            advice += "" if label is None else f": it counts as {label}, as it did in the table"
        elif label is not None:
            advice += f", or {label}, as which such a cell was counted"
        raise InferenceError(
            f"not a level of {name}",
            where=row_named(row),
            asked=error.asked,
            allowed=error.allowed or f"{column.kind}",
            advice=f"{advice}.",
        ) from None
    return NOTHING if code is None else code
