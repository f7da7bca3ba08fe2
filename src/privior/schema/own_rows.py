"""Rows of somebody's own in a CSV file, about which a posterior is asked: text, column by column.

They are nobody's secret to whoever asks, and nothing is learned from them; tables that are protected are read
by the curator alone. One line is one row, in the schema's dialect; a line that cannot be read is an error.
"""

from __future__ import annotations

import re
from pathlib import Path

from privior.errors import SchemaError, shown
from privior.schema.dialect import CsvDialect
from privior.schema.schema import Schema
from privior.whole_files import read_whole


def read_own_rows(path: str | Path, schema: Schema) -> dict[str, list[str]]:
    """Read a CSV file in the dialect of a schema: the cells of each column that the file names."""
    dialect, place = schema.csv, str(path)
    try:
        text = read_whole(path).decode(dialect.encoding).removeprefix("\ufeff")
    except OSError as error:
        raise SchemaError(f"cannot read the file: {error.strerror}", where=place) from None
    except ValueError:
        raise SchemaError("not a text file", where=place, asked=dialect.encoding) from None
    lines = text.replace("\r\n", "\n").removesuffix("\n").split("\n")  # no other sign ends a line
    if not text:
        raise SchemaError("the file is empty", where=place)
    rows = [_cells(line, dialect, f"{place}, line {number}") for number, line in enumerate(lines, 1)]
    header = rows.pop(0) if dialect.header and rows else list(schema.columns)
    if len(set(header)) < len(header):
        raise SchemaError("a column is named twice", where=place, asked=shown(", ".join(header)))
    for number, cells in enumerate(rows, 1):
        if len(cells) != len(header):
            raise SchemaError(
                "a row has another number of cells than the header",
                where=f"{place}, row {number}",
                asked=len(cells),
                allowed=len(header),
            )
    return {
        name: [_usual(schema, name, cells[at], f"{place}, row {row}") for row, cells in enumerate(rows, 1)]
        for at, name in enumerate(header)
    }


def _usual(schema: Schema, name: str, cell: str, where: str) -> str:
    """Return a cell with numbers and days written as everywhere."""
    found = schema.csv.usual(schema.columns[name], cell) if name in schema.columns else cell
    if found is None:
        between = f" and {schema.csv.thousands!r} between thousands" if schema.csv.thousands else ""
        raise SchemaError(
            f"not a number of {name} as the schema says that numbers are written",
            where=where,
            asked=shown(cell),
            allowed=f"{schema.csv.decimal!r} before the fraction{between}",
            advice="Write it as in the table, or leave the cell empty.",
        )
    return found


def _cells(line: str, dialect: CsvDialect, where: str) -> list[str]:
    """Split a line; quotes are doubled inside a quoted cell."""
    quote, comma = re.escape(dialect.quote), re.escape(dialect.delimiter)
    cell = re.compile(rf"{quote}((?:[^{quote}]|{quote}{quote})*){quote}(?={comma}|$)|([^{comma}]*)")
    found, at = [], 0
    while at <= len(line):
        one = cell.match(line, at)
        if one is None or (one[1] is None and one[2].startswith(dialect.quote)):
            raise SchemaError("a quote is not closed", where=where)
        written = one[2] if one[1] is None else one[1].replace(2 * dialect.quote, dialect.quote)
        found.append(written.strip(" ") if dialect.trim else written)
        at = one.end() + 1
    return found
