"""Arrow columns of any type as columns of the few types that every engine counts alike.

Each cell is converted by itself. What an engine would refuse or crash on because of one cell (a timestamp
of the year 100,000, text that is not UTF-8) is clamped or repaired here, so that no cell can raise (T14).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privior.tables.texts import texts

if TYPE_CHECKING:
    import pyarrow as pa

_DAY = {"s": 86_400, "ms": 86_400_000, "us": 86_400_000_000, "ns": 86_400_000_000_000}

#: the years 1 to 9999 in microseconds and in days from 1970
_FIRST, _LAST = -62_135_596_800_000_000, 253_402_300_799_999_999
_FIRST_DAY, _LAST_DAY = _FIRST // _DAY["us"], _LAST // _DAY["us"]


def plain_type(given: pa.DataType) -> pa.DataType | None:
    """Return the type that `plain` makes of one, or None if its cells are neither numbers, text nor days."""
    import pyarrow as pa
    import pyarrow.types as kinds

    if isinstance(given, pa.BaseExtensionType):
        return pa.large_string() if given.extension_name == "arrow.uuid" else plain_type(given.storage_type)
    if kinds.is_dictionary(given) or kinds.is_run_end_encoded(given):
        return plain_type(given.value_type)
    if (
        kinds.is_boolean(given)
        or kinds.is_integer(given)
        or kinds.is_float32(given)
        or kinds.is_float64(given)
    ):
        return given
    if kinds.is_float16(given):
        return pa.float32()
    if kinds.is_decimal(given):
        usual = not kinds.is_decimal256(given) and 0 <= given.scale <= given.precision
        return pa.decimal128(given.precision, given.scale) if usual else pa.float64()
    if kinds.is_date(given):
        return pa.date32()
    if kinds.is_timestamp(given):
        return pa.timestamp("us")
    return pa.large_string() if _is_text(given) or is_binary(given) or kinds.is_null(given) else None


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert a column to its plain type, chunk by chunk and cell by cell."""
    import pyarrow as pa

    kind = plain_type(column.type)
    return pa.chunked_array([_plain(chunk, kind) for chunk in column.chunks], kind)


def _plain(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.types as kinds

    given = cells.type
    if isinstance(given, pa.BaseExtensionType):
        named = given.extension_name == "arrow.uuid"
        return pa.array(texts(cells.to_pylist()), kind) if named else _plain(cells.storage, kind)
    if kinds.is_dictionary(given):
        return _plain(cells.dictionary_decode(), kind)
    if kinds.is_run_end_encoded(given):
        return _plain(pc.run_end_decode(cells), kind)
    if kinds.is_timestamp(given):
        return _moments(cells, kind)
    if kinds.is_date64(given):
        days = _numbers(cells) // _DAY["ms"]
        return _renumbered(cells, np.clip(days, _FIRST_DAY, _LAST_DAY).astype(np.int32), kind)
    if is_binary(given):
        return pa.array(texts(cells.to_pylist()), kind)
    if _is_text(given):
        return _repaired(cells.cast(kind))
    return cells.cast(kind)


def _moments(cells: pa.Array, kind: pa.DataType) -> pa.Array:
    ticks, day = _numbers(cells), _DAY[cells.type.unit]
    if day > _DAY["us"]:
        return _renumbered(cells, ticks // (day // _DAY["us"]), kind)
    scale = _DAY["us"] // day
    return _renumbered(cells, np.clip(ticks, _FIRST // scale, _LAST // scale) * scale, kind)


def _numbers(cells: pa.Array) -> NDArray[np.int64]:
    import pyarrow as pa

    numbers: NDArray[np.int64] = cells.view(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    return numbers


def _renumbered(cells: pa.Array, numbers: NDArray[np.signedinteger], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    nulls = cells.is_null().to_numpy(zero_copy_only=False)
    return pa.array(numbers, mask=nulls).view(kind)


def _repaired(cells: pa.Array) -> pa.Array:
    import pyarrow as pa

    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        content = cells.cast(pa.large_binary()).to_pylist()
        repaired = [None if cell is None else cell.decode(errors="replace") for cell in content]
        return pa.array(repaired, cells.type)
    return cells


def _is_text(given: pa.DataType) -> bool:
    import pyarrow.types as kinds

    return bool(kinds.is_string(given) or kinds.is_large_string(given) or kinds.is_string_view(given))


def is_binary(given: pa.DataType) -> bool:
    """Say whether cells are bytes: text that nobody has declared to be text."""
    import pyarrow.types as kinds

    return bool(
        kinds.is_binary(given)
        or kinds.is_large_binary(given)
        or kinds.is_binary_view(given)
        or kinds.is_fixed_size_binary(given)
    )
