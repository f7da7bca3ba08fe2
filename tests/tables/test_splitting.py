"""Physical lines and their cells, against a reader that walks along each line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from row_reference import cells_of_line

from privior.schema import CsvDialect
from privior.tables import blocks
from privior.tables.splitting import cells, split

PIECES = [
    b'"',
    b'""',
    b",",
    b";",
    b" ",
    b"\r",
    b"\0",
    b"a",
    b"1",
    b"\xff",
    b"\xc3",
    b"\xc3\xa9",
    "\U0001f600".encode(),
]
LINE = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=3)), max_size=9).map(
    lambda pieces: b"".join(pieces).replace(b"\n", b"")
)
DIALECTS = [
    CsvDialect(),
    CsvDialect(trim=True),
    CsvDialect(delimiter=";", quote="'"),
    CsvDialect(encoding="latin-1"),
    CsvDialect(delimiter=" ", trim=True),
    CsvDialect(delimiter="|", quote="a"),
]


def utf8(block: bytes, dialect: CsvDialect) -> bytes:
    return block.decode("latin-1").encode() if dialect.encoding == "latin-1" else block


def lines_of(path: Path, dialect: CsvDialect) -> list[bytes]:
    return [line for block in blocks.blocks(path, dialect) for line in block.split(b"\n")[:-1]]


@given(
    lines=st.lists(LINE, min_size=1, max_size=5), dialect=st.sampled_from(DIALECTS), width=st.integers(1, 4)
)
@settings(max_examples=400, deadline=None)
def test_cells_are_those_of_a_reader_that_takes_each_line_by_itself(
    lines: list[bytes], dialect: CsvDialect, width: int
) -> None:
    block = utf8(b"".join(line + b"\n" for line in lines), dialect)
    found = [column.to_pylist() for column in split(block, dialect, width, tuple(range(width)))]
    for number, line in enumerate(lines):
        expected = cells_of_line(line, dialect)
        if expected is None or len(expected) != width:
            expected = [None] * width  # type: ignore[list-item]
        assert [column[number] for column in found] == expected


@given(line=LINE, dialect=st.sampled_from(DIALECTS))
@settings(max_examples=200, deadline=None)
def test_a_header_is_split_like_a_record(line: bytes, dialect: CsvDialect) -> None:
    assert cells(utf8(line + b"\n", dialect), dialect) == cells_of_line(line, dialect)


@pytest.mark.parametrize("block", [1, 2, 3, 7, 2**20])
@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"h\n1\n2\n", [b"1", b"2"]),
        (b"h\n1\n2", [b"1", b"2"]),
        (b"h\n\n\n", [b"", b""]),
        (b"h\n1\r2\n", [b"1\r2"]),
        (b"\xef\xbb\xbfh\n1\n", [b"1"]),
        (b"h\n\xef\xbb\xbf1\n", [b"\xef\xbb\xbf1"]),
        (b"h", []),
        (b"h\n", []),
        (b'h\n"a\nb"\n', [b'"a', b'b"']),
        (b"h\n\0\n" + b"x" * 50, [b"\0", b"x" * 50]),
        (b"h\n\xff\nb\n", [b"\xff", b"b"]),
        (b"h\n\xc3\n\xa9\n", [b"\xc3", b"\xa9"]),
    ],
)
def test_a_newline_byte_and_nothing_else_ends_a_record(
    content: bytes, expected: list[bytes], block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", block)
    plain, packed = tmp_path / "a.csv", tmp_path / "a.csv.gz"
    plain.write_bytes(content)
    packed.write_bytes(gzip.compress(content))
    for path in (plain, packed):
        assert lines_of(path, CsvDialect()) == expected
        assert blocks.count(path, CsvDialect()) == len(expected)


@pytest.mark.parametrize("block", [3, 5, 7])
@pytest.mark.parametrize("before", range(5))
def test_a_line_that_is_too_long_is_broken_wherever_it_stands(
    block: int, before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(blocks, "BLOCK", block)
    monkeypatch.setattr(blocks, "LONGEST_LINE", 10)
    path = tmp_path / "a.csv"
    start = b"h\n" + b"x\n" * before
    for end in (b"\n", b""):
        path.write_bytes(
            start + b"a" * 10 + b"\n" + b"b" * 11 + b"\n" + b"c" * 40 + b"\nd\n" + b"e" * 11 + end
        )
        expected = [b"x"] * before + [b"a" * 10, b'"', b'"', b"d", b'"']
        assert lines_of(path, CsvDialect()) == expected
        assert blocks.count(path, CsvDialect()) == len(expected)


def test_a_line_of_fifty_megabytes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\n1,x\n2," + b"y" * 50_000_000 + b"\n3,z\n")
    assert blocks.count(path, CsvDialect()) == 3
    found = [split(block, CsvDialect(), 2, (0, 1)) for block in blocks.blocks(path, CsvDialect())]
    assert [cell for columns in found for cell in columns[0].to_pylist()] == ["1", "2", "3"]
    assert [len(cell) for columns in found for cell in columns[1].to_pylist()] == [1, 50_000_000, 1]
