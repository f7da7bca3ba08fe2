"""Any Python object as the text of a cell: by itself, without an error, whatever else its column holds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from datetime import MAXYEAR, MINYEAR, UTC, date, datetime, timedelta
from decimal import Decimal
from numbers import Integral

import numpy as np

#: whole floats below this are written without a fraction, as an engine's 64-bit integers are
_LARGEST_WHOLE = 2.0**63
#: whole numbers up to this are the same as floats
_LONGEST_EXACT = 2**53
#: a text that is neither a number nor a day
_UNREADABLE = "?"
#: what is a number to a column of numbers
_NUMBERS = (Integral, complex, np.complexfloating, float, np.floating, Decimal)
#: decimals of more digits before or after the point are not written out: one cell would fill the memory
_MOST_DIGITS = 1_000


def texts(cells: Iterable[object], decimal: str | None = ".") -> list[str | None]:
    """Write every object as text, or None where it is missing or cannot be written.

    Numbers are written with the decimal sign that text of their column is declared to have, so that they are
    read alike whether or not another cell made text of the whole column (T45). Without any sign they are
    written as what cannot be read: in a column of days 20260304 is a number.
    """
    return [cell if type(cell) is str and cell.isascii() else _text(cell, decimal) for cell in cells]


def question_marks(content: bytes) -> str:
    """Return bytes that are to be UTF-8 as text, with question marks for those that are not.

    The engine repairs the text of Parquet files in the same way: a sign whose bytes are too few, or wrong, is
    as many question marks, up to the first byte that does not continue it.
    """
    made, start = bytearray(), 0
    while start < len(content):
        size = _size(content[start])
        if start + size > len(content):
            size = 1
        size = next((place + 1 for place in range(1, size) if content[start + place] & 0xC0 != 0x80), size)
        sign = content[start : start + size]
        try:
            sign.decode()
        except UnicodeDecodeError:
            sign = b"?" * size
        made += sign
        start += size
    return made.decode()


def _size(first: int) -> int:
    """Return how many bytes a sign has that begins with this one."""
    return 1 if first < 0xC0 or first >= 0xF8 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4


def _text(cell: object, decimal: str | None) -> str | None:
    try:
        written = _written(cell)
        if decimal != "." and isinstance(cell, _NUMBERS) and written is not None:
            written = _UNREADABLE if decimal is None else written.replace(".", decimal)
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
        return _whole(int(cell))
    if isinstance(cell, (complex, np.complexfloating)):
        return None if cell.imag else _number(float(cell.real))
    if isinstance(cell, (timedelta, np.timedelta64)):
        return None  # no column of a schema holds durations
    if isinstance(cell, (float, np.floating)):
        return _number(float(cell))
    if isinstance(cell, Decimal):
        return _decimal(cell)
    if isinstance(cell, datetime):
        return _moment(cell)
    if isinstance(cell, date):
        return cell.isoformat()
    if isinstance(cell, np.datetime64):
        return _numpy_moment(cell)
    written = str(cell)
    return None if written in ("<NA>", "NaT", "nan") else written


def _whole(value: int) -> str | None:
    """Write a whole number, a long one as the float that its column would have had beside a missing cell."""
    if abs(value) <= _LONGEST_EXACT:
        return str(value)
    try:
        return _number(float(value))
    except OverflowError:
        return str(value)


def _number(value: float) -> str | None:
    if math.isnan(value):
        return None
    if -_LARGEST_WHOLE <= value < _LARGEST_WHOLE and value == int(value):
        return str(int(value))
    return str(value)


def _decimal(value: Decimal) -> str | None:
    """Write all digits of a decimal, none of them after the point if it is whole; very long ones in short."""
    if value.is_nan():
        return None
    if not value.is_finite() or abs(value.adjusted()) > _MOST_DIGITS:
        return str(value)
    whole, point, rest = format(value, "f").partition(".")
    return whole if not point or not rest.strip("0") else f"{whole}.{rest}"


def _numpy_moment(cell: np.datetime64) -> str | None:
    """Write a moment of numpy's as a column of such moments is written, whatever its unit."""
    if np.isnat(cell):
        return None
    year = int(cell.astype("datetime64[Y]").astype(np.int64)) + 1970
    outside = _outside(year)
    return outside or _moment(cell.astype("datetime64[us]").item())


def _outside(year: int) -> str | None:
    """Return the end of the calendar of engines that is nearest to a year outside; numpy and pandas go on."""
    if MINYEAR <= year <= MAXYEAR:
        return None
    return "0001-01-01T00:00:00" if year < MINYEAR else "9999-12-31T23:59:59"


def _moment(cell: datetime) -> str | None:
    if cell != cell:  # pandas' NaT is a datetime that differs from itself
        return None
    naive = cell if cell.tzinfo is None else cell.astimezone(UTC).replace(tzinfo=None)
    outside = _outside(naive.year)
    if outside is not None:
        return outside
    whole, _, parts = naive.isoformat(" ", "microseconds").partition(".")
    return f"{whole}.{parts}".rstrip("0").removesuffix(".") if parts.strip("0") else whole
