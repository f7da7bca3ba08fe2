"""What the tables part must compute, said again in plain Python, one cell at a time: slow and obvious."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from privior.schema import Binned, Boolean, Bounded, Categorical, Column, CsvDialect, Date, Integer, Schema
from privior.tables.texts import question_marks

Counts = NDArray[np.int64]


def cells_of_line(line: bytes, dialect: CsvDialect) -> list[str] | None:
    """Split one physical line, without its newline, by walking along it."""
    text = line.removesuffix(b"\r").decode(dialect.encoding, errors="surrogateescape")
    cells, place = [], 0
    while True:
        start = place
        while dialect.trim and text[place : place + 1] == " " and dialect.delimiter != " ":
            place += 1
        if text[place : place + 1] == dialect.quote:
            content, place = _quoted(text, place + 1, dialect.quote)
            if content is None:
                return None
            while dialect.trim and text[place : place + 1] == " " and dialect.delimiter != " ":
                place += 1
            if place < len(text) and text[place] != dialect.delimiter:
                return None
        else:
            stop = text.find(dialect.delimiter, start)
            place = len(text) if stop < 0 else stop
            content = text[start:place]
            if dialect.quote in content:
                return None
        content = question_marks(content.encode(errors="surrogateescape"))
        cells.append(content.strip(" ") if dialect.trim else content)
        if place == len(text):
            return cells
        place += 1


def _quoted(text: str, place: int, quote: str) -> tuple[str | None, int]:
    content = ""
    while place < len(text):
        if text[place] != quote:
            content += text[place]
        elif text[place + 1 : place + 2] == quote:
            content += quote
            place += 1
        else:
            return content, place + 1
        place += 1
    return None, place


def code_of_text(cell: str | None, column: Column) -> int | None:
    """Return the code of a cell given as text, None if the cell is bad."""
    if not cell:
        return None
    if isinstance(column, Categorical):
        return column.labels.index(cell) if cell in column.labels else None
    if isinstance(column, Boolean):
        return next((code for code in (0, 1) if cell.lower() in column.SPELLINGS[code]), None)
    if isinstance(column, Date):
        try:
            day = date.fromisoformat(cell[:10])
        except ValueError:
            return None
        return (min(max(day, column.lower), column.upper) - column.lower).days
    try:
        number = {"true": 1.0, "false": 0.0}[cell] if cell in ("true", "false") else float(cell)
    except ValueError:
        return None
    return None if math.isnan(number) else _number_code(number, column)


def _number_code(number: float, column: Column) -> int:
    if isinstance(column, Integer):
        number = min(max(number, column.lower), column.upper)
        away = math.floor(Fraction(abs(number)) + Fraction(1, 2))
        return (away if number > 0 else -away) - column.lower
    if isinstance(column, Bounded):
        number = min(max(number, float(column.lower)), float(column.upper))
        steps = Fraction((number - float(column.lower)) / float(column.grid))
        return min(math.floor(steps + Fraction(1, 2)), column.size - 1)
    assert isinstance(column, Binned)
    return sum(number >= float(edge) for edge in column.edges[1:-1])


def cell_of_row(row: Sequence[str | None], columns: Sequence[Column]) -> int | None:
    """Return the number of the cell of a row, None if a missing rule leaves it out."""
    number = 0
    for text, column in zip(row, columns, strict=True):
        code = code_of_text(text, column)
        if code is None:
            code = column.missing_code
        if code is None:
            return None
        number = number * column.size + code
    return number


def counts_of_rows(rows: Iterable[Sequence[str | None]], schema: Schema, names: tuple[str, ...]) -> Counts:
    """Count rows of text, without persons."""
    counts = np.zeros(schema.cells(names), np.int64)
    columns = [schema.column(name) for name in names]
    for row in rows:
        cell = cell_of_row(row, columns)
        if cell is not None:
            counts[cell] += 1
    return counts
