"""Lines split into cells, a block at a time with numpy, each line by itself.

A cell is text without the quote character, or text between two quote characters in which the quote is
doubled. A line with any other quote, or with a number of cells that is not the declared one, has no good
cell: all its cells are null, and the missing rule of each column applies. Quotes are paired within their
line only, so that a stray one cannot swallow a neighbour (T44). Cells that are not UTF-8 are repaired when
they have been split. If the dialect says `trim`, spaces at both
ends of a cell are ignored, inside and outside of its quotes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Integers
from privior.schema import CsvDialect
from privior.tables.arrays import repaired

if TYPE_CHECKING:
    import pyarrow as pa

Bytes = NDArray[np.uint8]
Flags = NDArray[np.bool_]
Places = Integers

_NEWLINE, _RETURN, _SPACE = b"\n\r "

#: cells longer than this on average are copied one by one, not byte by byte
_LONG_CELL = 64


@dataclass(frozen=True)
class _Block:
    """The content of a block and where its cells and lines end; quoting signs are already gone.

    Attributes:
        signs: the bytes, beginning with a newline so that every line stands between two
        edges: where cells end in `signs`: at delimiters and newlines, the very first one included
        line_ends: where lines end in `edges`
        broken: which lines are not well formed
    """

    signs: Bytes
    edges: Places
    line_ends: Places
    broken: Flags


def split(block: bytes, dialect: CsvDialect, width: int, places: tuple[int, ...]) -> list[pa.Array]:
    """Return the cells at these places of every line as text.

    Args:
        block: lines that all end in a newline, in UTF-8 or what is to be
        dialect: how cells are separated and quoted
        width: how many cells a well-formed line has
        places: which cells are wanted, counted from 0
    """
    marked = _mark(block, dialect)
    good = (np.diff(marked.line_ends) == width) & ~marked.broken
    first = marked.line_ends[:-1][good]
    edges = marked.edges
    texts = [_text(marked.signs, edges[first + k] + 1, edges[first + k + 1], good) for k in places]
    if not block.isascii():
        texts = [repaired(text) for text in texts]
    return [_trimmed(text) for text in texts] if dialect.trim else texts


def cells(line: bytes, dialect: CsvDialect) -> list[str] | None:
    """Split one line, its newline included, into all its cells; None if it is not well formed."""
    marked = _mark(line, dialect)
    if marked.broken[0]:
        return None
    width = int(marked.line_ends[1])
    return [str(cell[0].as_py()) for cell in split(line, dialect, width, tuple(range(width)))]


def _mark(block: bytes, dialect: CsvDialect) -> _Block:
    signs = np.frombuffer(b"\n" + block, np.uint8)
    breaks = np.flatnonzero(signs == _NEWLINE)
    ends = signs == ord(dialect.delimiter)
    ends[breaks] = True
    broken = np.zeros(len(breaks) - 1, np.bool_)
    returns = breaks[1:] - 1
    dropped = returns[signs[returns] == _RETURN]
    quotes = np.flatnonzero(signs == ord(dialect.quote))
    if quotes.size:
        dropped = np.concatenate([dropped, _unquote(signs, ends, breaks, quotes, dropped, broken, dialect)])
    if dropped.size:
        kept = np.ones(len(signs), np.bool_)
        kept[dropped] = False
        signs, ends = signs[kept], ends[kept]
    edges = np.flatnonzero(ends)
    return _Block(signs, edges, np.flatnonzero(signs[edges] == _NEWLINE), broken)


def _unquote(
    signs: Bytes,
    ends: Flags,
    breaks: Places,
    quotes: Places,
    returns: Places,
    broken: Flags,
    dialect: CsvDialect,
) -> Places:
    """Unmark quoted delimiters in `ends`, mark lines in `broken`, return the quotes that are no content."""
    turns = (signs == ord(dialect.quote)).astype(np.uint8)
    open_after = np.cumsum(turns, dtype=np.uint8) & 1
    odd = open_after[breaks[1:]] != open_after[breaks[:-1]]
    if odd.any():  # close what such a line left open at its own end
        broken |= odd
        turns[breaks[1:][odd]] = 1
        open_after = np.cumsum(turns, dtype=np.uint8) & 1
    ends &= open_after == 0
    ends[breaks] = True
    edges = ends.copy()
    edges[returns] = True
    opening = open_after[quotes] == 1
    before, after = quotes - 1, quotes + 1
    doubled_before, doubled_after = (signs[near] == ord(dialect.quote) for near in (before, after))
    if dialect.trim:
        before, after = _past_spaces(signs, edges, before, after, dialect)
    proper = np.where(opening, doubled_before | edges[before], doubled_after | edges[after])
    broken[np.searchsorted(breaks, quotes[~proper]) - 1] = True
    dropped: Places = quotes[opening | ~doubled_after]
    return dropped


def _past_spaces(
    signs: Bytes, edges: Flags, before: Places, after: Places, dialect: CsvDialect
) -> tuple[Places, Places]:
    here = np.arange(len(signs))
    blank = (signs == _SPACE) & ~edges & (signs != ord(dialect.quote))
    left = np.maximum.accumulate(np.where(blank, 0, here))
    right = np.minimum.accumulate(np.where(blank, len(signs), here)[::-1])[::-1]
    return left[before], right[after]


def _text(signs: Bytes, starts: Places, stops: Places, good: Flags) -> pa.Array:
    """Copy the bytes from each start to its stop into one array of text, null where a line is not good."""
    import pyarrow as pa

    sizes = stops - starts
    offsets = np.zeros(len(good) + 1, np.int32)
    offsets[1:][good] = sizes
    np.cumsum(offsets, out=offsets)
    total = int(offsets[-1])
    if total > _LONG_CELL * len(good):
        content: object = b"".join(signs[a:b].tobytes() for a, b in zip(starts, stops, strict=True))
    else:
        content = signs[np.arange(total) + np.repeat(starts - offsets[:-1][good], sizes)]
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(content)]
    if not good.all():
        buffers[0] = pa.py_buffer(np.packbits(good, bitorder="little"))
    return pa.Array.from_buffers(pa.string(), len(good), buffers)


def _trimmed(cells: pa.Array) -> pa.Array:
    import pyarrow.compute as pc

    return pc.utf8_trim(cells, characters=" ")
