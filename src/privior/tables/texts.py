"""Any Python object as the text of a cell: by itself, without an error, whatever else its column holds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Integral
from typing import Any

import numpy as np

#: whole floats below this are written without a fraction, as an engine's 64-bit integers are
_LARGEST_WHOLE = 2.0**63


def texts(cells: Iterable[object]) -> list[str | None]:
    """Write every object as text, or None where it is missing or cannot be written."""
    return [cell if type(cell) is str and cell.isascii() else _text(cell) for cell in cells]


def _text(cell: object) -> str | None:
    try:
        written = _written(cell)
        return None if written is None else written.encode(errors="replace").decode()
    except Exception:  # objects may do anything when asked for their text; no cell may raise
        return None


def _written(cell: object) -> str | None:
    if cell is None or isinstance(cell, str):
        return cell
    if isinstance(cell, bytes):
        return cell.decode()
    if isinstance(cell, (bool, np.bool_)):
        return "true" if cell else "false"
    if isinstance(cell, Integral):
        return str(int(cell))
    if isinstance(cell, (complex, np.complexfloating)):
        return None if cell.imag else _number(float(cell.real), float(cell.real))
    if isinstance(cell, (timedelta, np.timedelta64)):
        return None  # no column of a schema holds durations
    if isinstance(cell, (float, np.floating)):
        return _number(float(cell), cell)
    if isinstance(cell, Decimal):
        return _number(cell, cell)
    if isinstance(cell, datetime):
        return _moment(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    written = str(cell)
    return None if written in ("<NA>", "NaT", "nan") else written


def _number(value: Any, cell: object) -> str | None:
    if math.isnan(value):
        return None
    if -_LARGEST_WHOLE <= value < _LARGEST_WHOLE and value == int(value):
        return str(int(value))
    return str(cell)


def _moment(cell: datetime) -> str | None:
    if cell != cell:  # pandas' NaT is a datetime that differs from itself
        return None
    naive = cell if cell.tzinfo is None else cell.astimezone(UTC).replace(tzinfo=None)
    return naive.isoformat(" ")
