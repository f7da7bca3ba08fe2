"""Plain-text listings: aligned tables and facts, for terminals, logs and `print`."""

from __future__ import annotations

from collections.abc import Sequence

from privior.pictures.label import columns, pad


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return the lines of an aligned table with a rule under its header."""
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
    """Return one aligned line per named fact."""
    width = max(columns(name) for name, _ in pairs)
    return [f"{pad(name, width)}  {value}" for name, value in pairs]
