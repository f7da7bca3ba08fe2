"""Columns of every type that a table may have, full of the cells that readers might take differently."""

from __future__ import annotations

import struct
import uuid
from collections.abc import Sequence
from decimal import Context, Decimal
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from privior.schema import Binned, Boolean, Bounded, Categorical, Column, Date, Integer

#: how many cells a column has
HEIGHT = 24

WORDS: list[Any] = [
    b"Oslo", b"oslo", b"Oslo ", b"?", b"a", b"1", b"1.0", b"01", b"true", b"True", b"no", b"nan", b"-inf",
    b"1e400", b"2.5", b"0.15", b"2000-01-02", b"2000-01-02T10:11:12", b"2000-02-30", b"\0", b"x" * 3000, b"",
    "\u00e9".encode(), None,
]  # fmt: skip
#: text that is not UTF-8: too short, too long, surrogates, beyond the last sign, in front of and behind text
BROKEN: list[Any] = [
    b"\xff", b"Oslo\xff", b"\xffOslo", b"a\xc3", b"\xc3(", b"\xe2\x82", b"\xe2\x82a", b"\xe2(\xa1",
    b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"\xf0\x9f\x98", b"1\xff", b"2000-01-02\xff",
    b"2000-01-02 \xff",
    b"\xfe" * 40, b"\xf8\x88\x80\x80\x80", b"\x80", b"?", b"a?", None, b"Oslo", b"\xef\xbb\xbfOslo",
    b"\xc3\xa9\xa9",
]  # fmt: skip
NUMBERS = [
    0.0, -0.0, 1.0, 2.0, 0.5, 1.5, 2.5, 0.15, 0.25, 0.35, 0.1, 0.7, -0.5, -1.5, 1e-300, 1e300, -1e300,
    float("nan"), float("inf"), -float("inf"), 0.49999999999999994, 123456792.0, None, 3.0,
]  # fmt: skip
DECIMALS = [
    "0", "1", "2", "-1", "0.5", "1.5", "2.5", "62.5", "0.15", "0.25", "0.35", "0.7", "-0.5",
    "126.500000000000001", "84.49999999999999999999999999", "1.50", "99999", "-99999", "0.1", None,
    "175.49999999999999",
    "0.49999999999999994", "0.05", "100",
]  # fmt: skip
DAYS = [
    0,
    1,
    -1,
    10958,
    10959,
    10960,
    20000,
    -719162,
    -719163,
    2932896,
    2932897,
    -800_000,
    3_000_000,
    10957,
    None,
]
DAYS += [2**31 - 1, -(2**31), 5, 6, 7, 8, 9, 10, 11]
HOURS = {"s": 3600, "ms": 3_600_000, "us": 3_600_000_000, "ns": 3_600_000_000_000}

LEVELS: list[str | int | bool] = [
    "Oslo", "a", 1, 0, 2, "2.5", "0.5", "1.50", "?", "??", "a?", True, "2000-01-02", "1970-01-01",
    "1970-01-01 00:00:00", "2000-01-02 00:00:00", "2000-01-02 00:30:00", "0001-01-01", "9999-12-31",
    "0001-01-01 00:00:00", "1969-12-31 23:59:59.5", "0001-01-02 00:00:00", "other",
]  # fmt: skip
COLUMNS: dict[str, Column] = {
    "categorical": Categorical(LEVELS),
    "boolean": Boolean(missing=True),
    "integer": Integer(-1, 200, missing=7),
    "bounded": Bounded(0, 3, grid="0.1", missing="2.9"),
    "binned": Binned([-1, 0, "0.1", "0.35", "0.7", 2, 100], missing=2),
    "finely": Binned([number / 8 for number in range(-100, 101)], missing=7),
    "date": Date("1999-12-30", "2000-01-09", missing="2000-01-08"),
}


def text_of(cells: Sequence[bytes | None], kind: pa.DataType | None = None) -> pa.Array:
    """Return bytes as text that nobody has checked, as any program may write it into a file."""
    content = pa.array(cells, pa.large_binary())
    text = pa.Array.from_buffers(pa.large_string(), len(cells), content.buffers())
    return text if kind is None else pc.cast(text, kind)


def whole_numbers(kind: pa.DataType) -> pa.Array:
    bits, signed = kind.bit_width, pa.types.is_signed_integer(kind)
    low, high = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    found = [low, low + 1, high, high - 1, 0, 1, 2, 3, None, *([-1, -2] if signed else [4, 5])]
    return pa.array([*found, *range(10, 10 + HEIGHT - len(found))], kind)


def decimals(kind: pa.DataType) -> pa.Array:
    wide = Context(prec=100)
    step = Decimal(1).scaleb(-kind.scale)
    cells = [None if cell is None else Decimal(cell).quantize(step, context=wide) for cell in DECIMALS]
    most = kind.precision - kind.scale
    largest = Decimal("9" * kind.precision).scaleb(-kind.scale, context=wide)
    cells[-1], cells[0] = largest, largest.copy_negate()
    fitting = [
        cell if cell is None or cell.adjusted() < most else Decimal(0).quantize(step) for cell in cells
    ]
    return pa.array(fitting, kind)


def moments(unit: str, zone: str | None) -> pa.Array:
    hour = HOURS[unit]
    most = (2**63 - 2) // (1000 if unit == "s" else 1)  # Parquet has no seconds
    ticks = [None if day is None else max(-most, min(most, day * 24 * hour)) for day in DAYS]
    ticks[-6:] = [hour // 2, 10958 * 24 * hour + hour // 2, -hour // 7200, -most, most, most // 2]
    return pa.array(ticks, pa.int64()).view(pa.timestamp(unit, zone))


def columns() -> dict[str, pa.Array]:
    """Return a column of each type that is admitted, by the name of the type."""
    found: dict[str, pa.Array] = {"bool": pa.array([True, False, None] * (HEIGHT // 3))}
    for bits in (8, 16, 32, 64):
        for kind in (f"int{bits}", f"uint{bits}"):
            found[kind] = whole_numbers(getattr(pa, kind)())
    found["float64"] = pa.array(NUMBERS, pa.float64(), from_pandas=False)
    found["float32"] = pc.cast(found["float64"], pa.float32(), safe=False)
    found["float16"] = pc.cast(found["float32"], pa.float16(), safe=False)
    for kind in (
        pa.decimal32(7, 2), pa.decimal64(15, 3), pa.decimal128(20, 0), pa.decimal128(38, 10),
        pa.decimal128(38, 38),
        pa.decimal256(30, 5), pa.decimal256(40, 20), pa.decimal256(76, 30),
    ):  # fmt: skip
        found[str(kind)] = decimals(kind)
    days = pa.array(DAYS, pa.int32())
    found["date32"] = days.view(pa.date32())
    found["date64"] = pa.array([None if day is None else day * 86_400_000 for day in DAYS], pa.int64()).view(
        pa.date64()
    )
    for unit in HOURS:
        for zone in (None, "UTC", "America/New_York"):
            found[f"{unit} {zone}"] = moments(unit, zone)
    text = text_of(WORDS)
    found |= {"string": pc.cast(text, pa.string()), "large_string": text}
    found["string_view"] = pc.cast(text, pa.string_view())
    found["broken"] = text_of(BROKEN, pa.string())
    found["broken large"] = text_of(BROKEN)
    found["dictionary"] = found["string"].dictionary_encode()
    found["dictionary of broken"] = text_of(BROKEN, pa.string()).dictionary_encode()
    for name in ("int64", "float64", "s UTC", "date32", "decimal128(20, 0)", "decimal256(40, 20)"):
        found[f"dictionary of {name}"] = found[name].dictionary_encode()
    nested = pa.DictionaryArray.from_arrays(pa.array(range(HEIGHT), pa.int8()), found["dictionary"])
    found["dictionary of a dictionary"] = nested
    found["runs"] = pc.run_end_encode(found["string"])
    for kind in (pa.binary(), pa.large_binary(), pa.binary_view()):
        found[str(kind)] = pc.cast(pa.array(BROKEN, pa.binary()), kind)
    found["fixed"] = pa.array(
        [None if n % 5 == 4 else struct.pack("4s", WORDS[n % 2][:4]) for n in range(HEIGHT)], pa.binary(4)
    )
    found["null"] = pa.nulls(HEIGHT)
    identities = [None if n == 3 else uuid.UUID(int=n).bytes for n in range(HEIGHT)]
    found["uuid"] = pa.ExtensionArray.from_storage(pa.uuid(), pa.array(identities, pa.binary(16)))
    found["bool8"] = pa.ExtensionArray.from_storage(
        pa.bool8(), pa.array([0, 1, None] * (HEIGHT // 3), pa.int8())
    )
    return found


def refused() -> dict[str, pa.Array]:
    """Return a column of each type that no column of a schema can have."""
    numbers = pa.array(range(HEIGHT), pa.int64())
    return {
        "time32": numbers.cast(pa.int32()).view(pa.time32("s")),
        "time64": numbers.view(pa.time64("us")),
        "duration": numbers.view(pa.duration("us")),
        "list": pa.array([[1]] * HEIGHT),
        "struct": pa.array([{"a": 1}] * HEIGHT),
        "map": pa.array([[("a", 1)]] * HEIGHT, pa.map_(pa.string(), pa.int64())),
    }
