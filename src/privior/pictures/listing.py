"""Plain-text listings: aligned tables and facts, for terminals, logs and `print`."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from privior.pictures.label import clean, columns, cut, pad

#: no column is made narrower than this
_LEAST = 12


def table(header: Sequence[str], rows: Sequence[Sequence[str]], width: int | None = None) -> list[str]:
    """Return the lines of an aligned table with a rule under its header; a cell cannot break its line.

    Args:
        header: one text for each column
        rows: the cells
        width: of a line; long cells are cut so that a row fits, and are written in full below the table
    """
    header, rows = [clean(cell) for cell in header], [[clean(cell) for cell in row] for row in rows]
    if width is not None:
        every, notes = _fitted([header, *rows], width)
        return [*table(every[0], every[1:]), *notes]
    widths = [max(columns(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [
        "  ".join(pad(cell, width) for cell, width in zip(row, widths, strict=True))
        for row in [header, *rows]
    ]
    return [
        lines[0].rstrip(),
        "  ".join("-" * width for width in widths).rstrip(),
        *(row.rstrip() for row in lines[1:]),
    ]


def facts(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Return one aligned line per named fact; no value can pretend to be two."""
    width = max(columns(name) for name, _ in pairs)
    return [f"{pad(clean(name), width)}  {clean(value)}" for name, value in pairs]


def wrapped(text: str, width: int) -> list[str]:
    """Return a text in lines that fit; those that follow a line that did not are indented."""
    lines: list[str] = []
    for line in text.split("\n"):
        indent = line[: len(line) - len(line.lstrip())]
        fits = textwrap.wrap(
            line, width, initial_indent="", subsequent_indent=indent + "  ", break_on_hyphens=False
        )
        lines += [line] if columns(line) <= width else fits
    return lines


def _fitted(rows: Sequence[Sequence[str]], width: int) -> tuple[list[list[str]], list[str]]:
    """Cut the widest columns until a row fits; return the rows and, as notes, what was cut in full."""
    widths = [max(columns(row[place]) for row in rows) for place in range(len(rows[0]))]
    over = sum(widths) + 2 * (len(widths) - 1) - width
    most = list(widths)
    while over > 0 and max(most) > _LEAST:
        widest = most.index(max(most))
        second = max([_LEAST, *(one for place, one in enumerate(most) if place != widest)])
        step = max(1, min(over, most[widest] - second))
        most[widest] -= step
        over -= step
    notes: dict[str, int] = {}
    fitted = []
    for row in rows:
        cells = []
        for cell, room in zip(row, most, strict=True):
            if columns(cell) > room:
                mark = f" [{notes.setdefault(cell, len(notes) + 1)}]"
                cell = cut(cell, room - len(mark)) + mark
            cells.append(cell)
        fitted.append(cells)
    return fitted, [line for cell, number in notes.items() for line in wrapped(f"[{number}] {cell}", width)]
