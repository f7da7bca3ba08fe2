"""The physical lines of a text file in blocks of bytes: one line is one record, whatever it contains.

No line can change where another one begins or ends (T44): the only line end is the newline byte, quotes
do not count here, and bytes that are not valid in the declared encoding stay in their line.
Memory is bounded by the block and the longest line, so a file may be larger than memory.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from privior.schema import CsvDialect

#: bytes read at a time, fewer than in the longest line
BLOCK = 2**20

#: a longer line has no well-formed cell, so that no record can exhaust the memory
LONGEST_LINE = 2**26

_NEWLINE = b"\n"
_MARK = b"\xef\xbb\xbf"


def first_line(path: Path, dialect: CsvDialect) -> bytes:
    """Return the first line with its newline, in UTF-8; no bytes at all if the file is empty."""
    with _opened(path) as file:
        line = _unmarked(file.readline(LONGEST_LINE), dialect)
    return (
        (line.removesuffix(_NEWLINE) + _NEWLINE).decode(dialect.encoding, "replace").encode() if line else b""
    )


def blocks(path: Path, dialect: CsvDialect) -> Iterator[bytes]:
    """Yield the records of a file in order, in blocks of whole lines that all end in a newline.

    They are UTF-8, or bytes that are to be: signs that separate cells and lines are the same in both.
    """
    for block in _records(path, dialect):
        latin = dialect.encoding == "latin-1" and not block.isascii()
        yield block.decode("latin-1").encode() if latin else block


def count(path: Path, dialect: CsvDialect) -> int:
    """Return how many records a file holds, without looking into them."""
    return sum(block.count(_NEWLINE) for block in _records(path, dialect))


def _records(path: Path, dialect: CsvDialect) -> Iterator[bytes]:
    header = dialect.header
    for block in _whole_lines(path, dialect):
        if not header:
            yield block
            continue
        header = False
        rest = block[block.index(_NEWLINE) + 1 :]
        if rest:
            yield rest


def _whole_lines(path: Path, dialect: CsvDialect) -> Iterator[bytes]:
    started: list[bytes] = []  # the pieces of the line that has no end yet
    size = 0
    with _opened(path) as file:
        piece = _unmarked(file.read(BLOCK + len(_MARK)), dialect)
        while piece:
            first = piece.find(_NEWLINE)
            if first < 0:
                size += len(piece)
                if size <= LONGEST_LINE:
                    started.append(piece)
                else:
                    started.clear()
            else:
                last = piece.rfind(_NEWLINE) + 1
                yield _joined(started, size, piece[:last], first, dialect)
                started, size = [piece[last:]], len(piece) - last
            piece = file.read(BLOCK)
    if size:
        yield _joined(started, size, _NEWLINE, 0, dialect)


def _joined(started: list[bytes], size: int, piece: bytes, first: int, dialect: CsvDialect) -> bytes:
    """Put the pieces of a line before the rest of it; a line that is too long becomes a broken one."""
    if size + first > LONGEST_LINE:
        return dialect.quote.encode() + piece[first:]
    return b"".join([*started, piece])


def _unmarked(start: bytes, dialect: CsvDialect) -> bytes:
    return start.removeprefix(_MARK) if dialect.encoding == "utf-8" else start


def _opened(path: Path) -> BinaryIO:
    return cast(BinaryIO, gzip.open(path, "rb")) if path.suffix.lower() == ".gz" else path.open("rb")
