"""Columns of a frame as codes, by plain access: `frame[name]` of pandas, polars, Arrow or a dictionary of
lists.

Cells follow the schema's rule as in a release: numbers outside the bounds count as the nearest inside, and
bad cells as the column's `missing`. Nothing but the columns that are asked for is touched.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError, PriviorError, shown
from privior.schema import Schema
from privior.schema.columns import Bounded, Column, Integer, text

#: the code of a bad cell where records with such cells are left out
LEFT_OUT = -1


def frame_codes(frame: Any, schema: Schema, names: tuple[str, ...]) -> dict[str, Integers]:
    """Return the codes of some columns, all of one length."""
    found = {name: _codes(_cells(frame, name), schema.column(name)) for name in names}
    if len({len(one) for one in found.values()}) > 1:
        raise InferenceError("the columns of the frame are not of one length", where=", ".join(names))
    return found


def _cells(frame: Any, name: str) -> list[object]:
    try:
        column = frame[name]
    except Exception:
        raise InferenceError("the frame has no such column", asked=shown(name)) from None
    for read in ("to_pylist", "to_list", "tolist"):  # Arrow, polars and pandas, numpy
        if hasattr(column, read):
            return list(getattr(column, read)())
    if isinstance(column, (str, bytes)) or not hasattr(column, "__iter__"):
        raise InferenceError("not a column of a frame", where=name, asked=shown(column))
    return list(column)


def _codes(cells: list[object], column: Column) -> Integers:
    known: dict[object, int] = {}
    missing = LEFT_OUT if column.missing_code is None else column.missing_code
    codes = np.empty(len(cells), np.int64)
    for place, cell in enumerate(cells):
        key = (type(cell), cell)
        try:
            found = known.get(key)
        except TypeError:
            found = missing
        if found is None:
            found = known[key] = _code(cell, column, missing)
        codes[place] = found
    return codes


def _code(cell: object, column: Column, missing: int) -> int:
    if isinstance(column, Integer | Bounded):
        return _nearest(cell, column, missing)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return missing
    try:
        return column.code(cell if isinstance(cell, (str, bool)) else text(cell))
    except PriviorError:
        return missing


def _nearest(cell: object, column: Integer | Bounded, missing: int) -> int:
    try:
        number = float(cell)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return missing
    if math.isnan(number) or isinstance(cell, bool):
        return missing
    step = float(column.grid) if isinstance(column, Bounded) else 1.0
    place = (min(max(number, float(column.lower)), float(column.upper)) - float(column.lower)) / step
    return min(max(math.floor(place + 0.5), 0), column.size - 1)
