"""Arrow columns of any type as columns of the few types that every engine counts alike.

Each cell is converted by itself. What an engine would refuse or crash on because of one cell (a timestamp
of the year 100,000, text that is not UTF-8) is clamped or repaired here, so that no cell can raise (T14).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.tables.texts import question_marks, texts

if TYPE_CHECKING:
    import pyarrow as pa

_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}

#: one day more on both sides than the years 1 to 9999, in days from 1970: what is clamped there has no text
_FIRST, _LAST = -719_163, 2_932_897
#: the digits of the longest decimals that engines count in
_LONGEST = 38


def value_type(given: pa.DataType) -> pa.DataType:
    """Return the type of the cells themselves, stored as places in a list, as runs or under another name."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(given, pa.BaseExtensionType) and not _is_uuid(given):
        return value_type(given.storage_type)
    if kinds.is_dictionary(given) or kinds.is_run_end_encoded(given):
        return value_type(given.value_type)
    return given


def plain_type(given: pa.DataType) -> pa.DataType | None:
    """Return the type that `plain` makes of one, or None if its cells are neither numbers, text nor days."""
    import pyarrow as pa
    import pyarrow.types as kinds

    kind = value_type(given)
    if (
        kinds.is_boolean(kind) or kinds.is_integer(kind) or kinds.is_float32(kind) or kinds.is_float64(kind)
    ):  # fmt: skip
        return kind
    if kinds.is_float16(kind):
        return pa.float32()
    if kinds.is_decimal(kind):
        usual = kind.precision <= _LONGEST and 0 <= kind.scale < kind.precision
        return pa.decimal128(kind.precision, kind.scale) if usual else pa.large_string()
    if kinds.is_date(kind):
        return pa.date32()
    if kinds.is_timestamp(kind):
        return pa.timestamp("us")
    text = is_text(kind) or _is_binary(kind) or _is_uuid(kind) or kinds.is_null(kind)
    return pa.large_string() if text else None


def plain(column: pa.ChunkedArray, decimal: str | None = ".") -> pa.ChunkedArray:
    """Convert a column to its plain type, chunk by chunk and cell by cell.

    Numbers that become text are written with this decimal sign.
    """
    import pyarrow as pa

    kind = plain_type(column.type)
    return pa.chunked_array([_plain(chunk, kind, decimal) for chunk in column.chunks], kind)


def _plain(cells: pa.Array, kind: pa.DataType, decimal: str | None) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    given = cells.type
    if kinds.is_dictionary(given):
        return _plain(cells.dictionary_decode(), kind, decimal)
    if kinds.is_run_end_encoded(given):
        return _plain(pc.run_end_decode(cells), kind, decimal)
    if kinds.is_timestamp(given):
        return _moments(cells, kind)
    if kinds.is_date(given):
        return _days(cells, kind)
    if is_text(given):
        return repaired(cells.cast(kind))
    if _is_binary(given) or _is_uuid(given) or (kinds.is_decimal(given) and kind == pa.large_string()):
        return text_array(texts(cells.to_pylist(), decimal), kind)
    if isinstance(given, pa.BaseExtensionType):
        return _plain(cells.storage, kind, decimal)
    return cells.cast(kind)


def _moments(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    ticks, day = _numbers(cells, pa.int64()), _DAY[cells.type.unit]
    if day > _DAY["us"]:
        return _renumbered(cells, ticks // (day // _DAY["us"]), kind)
    return _renumbered(cells, np.clip(ticks, _FIRST * day, _LAST * day) * (_DAY["us"] // day), kind)


def _days(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    by_day = cells.type == kind
    days = _numbers(cells, pa.int32()) if by_day else _numbers(cells, pa.int64()) // _DAY["ms"]
    return _renumbered(cells, np.clip(days, _FIRST, _LAST).astype(np.int32), kind)


def _numbers(cells: pa.Array, kind: pa.DataType) -> NDArray[np.signedinteger]:
    numbers: NDArray[np.signedinteger] = cells.view(kind).fill_null(0).to_numpy(zero_copy_only=False)
    return numbers


def _renumbered(cells: pa.Array, numbers: NDArray[np.signedinteger], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    nulls = cells.is_null().to_numpy(zero_copy_only=False)
    return pa.array(numbers, mask=nulls).view(kind)


def repaired(cells: pa.Array) -> pa.Array:
    """Return text in which what is not UTF-8 has become question marks, cell by cell."""
    import pyarrow as pa

    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        content = cells.cast(pa.large_binary()).to_pylist()
        return text_array([None if cell is None else question_marks(cell) for cell in content], cells.type)
    return cells


def is_text(given: pa.DataType) -> bool:
    """Say whether cells are declared to be text."""
    import pyarrow.types as kinds

    return bool(kinds.is_string(given) or kinds.is_large_string(given) or kinds.is_string_view(given))


def _is_uuid(given: pa.DataType) -> bool:
    import pyarrow as pa

    return isinstance(given, pa.BaseExtensionType) and given.extension_name == "arrow.uuid"


def _is_binary(given: pa.DataType) -> bool:
    """Say whether cells are bytes: text that nobody has declared to be text."""
    import pyarrow.types as kinds

    return bool(
        kinds.is_binary(given)
        or kinds.is_large_binary(given)
        or kinds.is_binary_view(given)
        or kinds.is_fixed_size_binary(given)
    )


def text_array(cells: Sequence[str | None], kind: pa.DataType | None = None) -> pa.Array:
    """Return an array of text, as `pa.array` does, which would load pandas wherever it is installed."""
    import pyarrow as pa

    made = pa.large_string() if kind is None else kind
    content = [None if cell is None else cell.encode() for cell in cells]
    offsets = np.zeros(len(content) + 1, np.int32 if made == pa.string() else np.int64)
    np.cumsum([0 if cell is None else len(cell) for cell in content], out=offsets[1:])
    good = np.array([cell is not None for cell in content], np.bool_)
    buffers = [
        pa.py_buffer(np.packbits(good, bitorder="little")),
        pa.py_buffer(offsets),
        pa.py_buffer(b"".join(cell for cell in content if cell is not None)),
    ]
    return pa.Array.from_buffers(made, len(content), buffers)


def number_array(numbers: Integers | Floats) -> pa.Array:
    """Return an array of 64-bit numbers, likewise."""
    import pyarrow as pa

    kind = pa.int64() if numbers.dtype == np.int64 else pa.float64()
    return pa.Array.from_buffers(kind, len(numbers), [None, pa.py_buffer(numbers)])
