"""Logs of steps: a header line that names columns, then one physical line for each step, in place.

The line is the place: line i of a log is step i of its episode, whatever it says. Each line is split by
itself, at commas; what has another number of cells than the header is a step of which nothing is known, and
so is an empty line, one that is not UTF-8 (two names must not be read as one) and one that is too long. So
one step that is replaced changes one line, and no other. Blanks around a cell are not part of it.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from privior.errors import TableError, shown
from privior.whole_files import read_lines

#: longer cells say nothing that could be counted
_LONGEST = 200
#: bytes of a line that are kept
_LONGEST_LINE = 2**16


def read_steps(path: str | Path, needed: Collection[str], most: int) -> list[dict[str, str]]:
    """Read the first steps of a log.

    Args:
        path: where it is
        needed: the columns that the header must name; others are passed over
        most: how many lines are looked at, from the first; the rest is dropped unread
    """
    try:
        first, *lines = read_lines(path, most + 1, _LONGEST_LINE) or [b""]
    except (OSError, ValueError, TypeError):
        raise TableError("the log cannot be read", where=shown(str(path))) from None
    header = _cells(first and first.removeprefix(b"\xef\xbb\xbf"))
    if len(set(header)) != len(header) or not set(needed) <= set(header):
        # Without a header the first line is somebody's: it is counted, not shown.
        raise TableError(
            "the first line of a log names its columns, each once",
            where=str(path),
            asked=f"{len(header)} cells, which are not shown: they may be a record",
            allowed=", ".join(needed),
            advice="Put the names of the columns, with commas between them, into the first line.",
        )
    found = []
    for line in lines:
        cells = _cells(line)
        known = len(cells) == len(header)
        found.append(
            {name: cell for name, cell in zip(header, cells, strict=True) if name in needed} if known else {}
        )
    return found


def _cells(line: bytes | None) -> list[str]:
    """Return the cells of a line; one empty one if nothing is known of it."""
    try:
        text = (line or b"").decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    return [cell.strip() if len(cell) <= _LONGEST else "" for cell in text.split(",")]
