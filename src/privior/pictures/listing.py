"""Plain-text listings: aligned tables and facts, for terminals, logs and `print`."""

from __future__ import annotations

from collections.abc import Sequence

from privior.pictures.label import clean, columns, pad


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of an aligned table with a rule under its header; a cell cannot break its line."""
    header, rows = [clean(cell) for cell in header], [[clean(cell) for cell in row] for row in rows]
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
