"""The header of a table file: the names of its columns and, where the form declares them, their types.

Nothing else is read. A text file's first line may be a record after all: one that looks like a record is
refused, and not shown. A record of mere words cannot be told from names: look at a draft before sharing it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from privior.errors import TableError
from privior.schema import CsvDialect
from privior.tables.arrays import plain_type, value_type
from privior.tables.delimited import read_header
from privior.tables.files import Form, find
from privior.tables.headers import check_unique
from privior.tables.parquet import read_footer

if TYPE_CHECKING:
    import pyarrow as pa

#: numbers, amounts, dates, times, addresses: what names of columns seldom are; spaces are never given back,
#: or a name of many would take the square of their number (T40)
_VALUE = re.compile(r"\s*+[+-]?[$€£¥]?\s*+[.,]?\d.*|.*@.*|\s*+\(?\+\d.*", re.DOTALL)
#: what stands for nothing
_NOTHING = frozenset(("na", "n/a", "nan", "null", "none"))
#: truth values: a column may well be called y, so a line is a record only if it holds nothing else
_TRUTHS = frozenset(("yes", "no", "true", "false", "y", "n", "t", "f"))


def named_columns(path: str, dialect: CsvDialect, *, trusted: bool = False) -> list[tuple[str, str | None]]:
    """Return the columns of a file or a glob of files, each with its kind of column if the types say it.

    Args:
        path: CSV or Parquet files
        dialect: how a text file is written
        trusted: whether the first line surely is a header, although it looks like a record
    """
    paths, form = find(path)
    if form is Form.PARQUET:
        footer = read_footer(paths[0])
        found = [(field.name, _kind(field.type)) for field in footer]
    else:
        if not dialect.header:
            raise TableError("a file without a header names no columns", where=path)
        found = [(name, None) for name in read_header(paths[0], dialect)]
        _check_dialect([name for name, _ in found], dialect, str(paths[0]))
        if not trusted:
            _check_names([name for name, _ in found], str(paths[0]))
    check_unique([name for name, _ in found], str(paths[0]), declared=form is Form.PARQUET)
    return [(name, kind) for name, kind in found if name]


def _check_names(names: list[str], where: str) -> None:
    """Refuse a first line that is rather a record, and say by which cell; the cell itself is not shown."""
    truths = [name.strip().lower() in _TRUTHS for name in names]
    if all(truths):
        reasons = ["all its cells are truth values"]
    else:
        told = ((place, _why_a_value(name, place)) for place, name in enumerate(names))
        reasons = [f"cell {place + 1} of {len(names)} {why}" for place, why in told if why]
    if reasons:
        more = f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else ""
        raise TableError(
            "the first line looks like a record, not like a header",
            where=where,
            asked=f"{reasons[0]}{more}",
            advice="If it does name the columns, say so (--trust-header); it is not shown here.",
        )


def _why_a_value(name: str, place: int) -> str:
    """Say why a cell of a first line is rather a value than a name; the first may be an unnamed index."""
    word = name.strip().lower()
    if not word:
        return "is empty" if place > 0 else ""
    if word in _NOTHING:
        return "stands for nothing"
    return "looks like a number, a date or an address" if _VALUE.fullmatch(name) else ""


def _check_dialect(names: list[str], dialect: CsvDialect, where: str) -> None:
    """Refuse a header that another delimiter or encoding would read better."""
    others = [sign for sign in ";\t|," if sign != dialect.delimiter and sign in names[0]]
    if len(names) == 1 and others:
        raise TableError(
            f"the header has one column only, and {others[0]!r} in its name",
            where=where,
            advice=f"If that separates the columns, say so: --delimiter {others[0]!r}",
        )
    if any("\ufffd" in name for name in names):
        raise TableError(
            "a name in the header is not valid in this encoding",
            where=where,
            asked=dialect.encoding,
            advice="Say --encoding latin-1, or convert the file.",
        )


def _kind(given: pa.DataType) -> str | None:
    """Return the kind of column that fits a type."""
    import pyarrow.types as kinds

    plain = plain_type(given)
    if plain is None:
        return None
    if kinds.is_boolean(plain):
        return "boolean"
    if kinds.is_integer(plain):
        return "integer"
    if kinds.is_temporal(plain):
        return "date"
    text = kinds.is_large_string(plain) and not kinds.is_decimal(value_type(given))
    return "categorical" if text else "bounded"
