"""Cells of somebody's own rows, read one by one: the code that a column's public rule gives a cell.

The curator's tables are read by an engine (`tables.codes`), which never stops at a cell. Here a person asks
about rows of her own: nothing in a cell is nothing known, and a cell that cannot be read is an error. Numbers
and days outside the bounds are moved to them, and numbers are rounded, as they are by the engine.
"""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal

from privior.errors import SchemaError, shown
from privior.schema.column import Column, text
from privior.schema.columns import Binned, Boolean, Bounded, Date, Integer


def cell_code(column: Column, cell: object) -> int | None:
    """Return the code of a cell; None if there is nothing in it.

    >>> cell_code(Integer(0, 9), "3"), cell_code(Integer(0, 9), 40.2), cell_code(Boolean(), "")
    (3, 9, None)
    """
    cell = _plain(cell)
    if _is_nothing(cell):
        return None
    match column:
        case Boolean():
            return column.code(_written(cell))
        case Integer():
            number = min(max(_number(column, cell), float(column.lower)), float(column.upper))
            return int(Decimal(number).quantize(Decimal(1), ROUND_HALF_UP)) - column.lower
        case Bounded():
            lower, upper = float(column.lower), float(column.upper)
            steps = (min(max(_number(column, cell), lower), upper) - lower) / float(column.grid)
            return min(math.floor(steps + math.nextafter(0.5, 0.0)), column.size - 1)
        case Binned():
            written = _written(cell)
            if written in column.labels:
                return column.labels.index(written)
            number = _number(column, cell)
            return sum(number >= float(edge) for edge in column.edges[1:-1])
        case Date():
            return (min(max(_day(column, cell), column.lower), column.upper) - column.lower).days
        case _:
            return _level(column, _written(cell))


def _plain(cell: object) -> object:
    """Return Python's own value of a number of numpy."""
    item = getattr(cell, "item", None)
    return item() if callable(item) and not isinstance(cell, (str, bytes)) else cell


def _is_nothing(cell: object) -> bool:
    """Say whether a cell is empty: nothing, no text, no number, no moment."""
    try:
        return cell is None or bool(cell == "") or bool(cell != cell)
    except TypeError:  # a missing value for which not even that can be told
        return True


def _written(cell: object) -> str:
    """Write a cell as the text that levels are matched with: whole floats as whole numbers."""
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    if isinstance(cell, Decimal) and cell == cell.to_integral_value():
        return str(int(cell))
    return text(cell)


def _level(column: Column, written: str) -> int:
    """Return the code of a level; a truth value also stands for a level that is written otherwise."""
    if written in ("true", "false") and written not in column.labels:
        lowered = [label.lower() for label in column.labels]
        if written in lowered:
            return lowered.index(written)
    return column.code(written)


def _number(column: Column, cell: object) -> float:
    if cell in ("true", "false"):
        return float(cell == "true")
    if not isinstance(cell, str) or "_" not in cell:
        try:
            number = float(cell)  # type: ignore[arg-type]
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isnan(number):
            return number
    raise SchemaError("not a number", where=column.kind, asked=shown(cell))


def _day(column: Column, cell: object) -> date:
    if isinstance(cell, datetime):
        return cell.date()
    if isinstance(cell, date):
        return cell
    found = re.match(r" *(\d{4}-\d{2}-\d{2})", cell) if isinstance(cell, str) else None
    try:
        return date.fromisoformat(found[1] if found else "")
    except ValueError:
        raise SchemaError("not a day", where=column.kind, asked=shown(cell), allowed="YYYY-MM-DD") from None
