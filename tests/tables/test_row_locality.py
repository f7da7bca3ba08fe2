"""T44: whatever one physical line holds, it moves the counts by at most one record.

The same check is run on a planted reader that trusts the engine's CSV parser, and must reject it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from row_reference import Counts, cells_of_line, counts_of_rows

from privior.schema import Binned, Categorical, CsvDialect, Integer, Schema
from privior.tables import open_table

NAMES = ("city", "age", "score")
SCHEMA = Schema(
    {"city": Categorical(["Oslo", "Rome"]), "age": Integer(0, 3), "score": Binned([0, 1, 2])},
    population="people",
    unit="person",
)
PIECES = [
    b'"',
    b'""',
    b",",
    b"\r",
    b"\0",
    b"\xff",
    b"Oslo",
    b"Rome",
    b"1",
    b"2.5",
    b"nan",
    b"1e400",
    b" ",
    b"'",
]
ANY_LINE = st.lists(st.one_of(st.sampled_from(PIECES), st.binary(max_size=4)), max_size=8).map(
    lambda pieces: b"".join(pieces).replace(b"\n", b"")
)
GOOD_LINE = st.sampled_from(
    [b"Oslo,1,0.5", b'"Rome",2,1.5', b"Oslo,0,0", b'"Oslo","3","1"', b"Rome,nan,-inf"]
)
LINES = st.lists(st.one_of(GOOD_LINE, ANY_LINE), min_size=1, max_size=6)


def file_of(lines: list[bytes]) -> bytes:
    return b"\n".join([b"city,age,score", *lines]) + b"\n"


def ours(path: Path) -> Counts:
    return open_table(path, SCHEMA, NAMES).counts()


def by_the_engines_own_reader(path: Path) -> Counts:
    """Count as one would without knowing T44: even with the dialect declared, DuckDB splits the file."""
    import duckdb

    options = """auto_detect = false, header = true, delim = ',', quote = '"', escape = '"',
        ignore_errors = true, columns = {city: VARCHAR, age: VARCHAR, score: VARCHAR}"""
    with duckdb.connect() as connection:
        rows = connection.execute(f"FROM read_csv($1, {options})", [str(path)]).fetchall()
    return counts_of_rows(rows, SCHEMA, NAMES)


def distance(
    lines: list[bytes], place: int, changed: bytes, read: Callable[[Path], Counts], path: Path
) -> int:
    """Return how far the counts move (L1) when one line is replaced."""
    path.write_bytes(file_of(lines))
    before = read(path)
    path.write_bytes(file_of([*lines[:place], changed, *lines[place + 1 :]]))
    return int(np.abs(read(path) - before).sum())


@given(lines=LINES, place=st.integers(0, 5), changed=ANY_LINE)
@example(lines=[b"Oslo,1,0.5"] * 5, place=2, changed=b'"Oslo,1,0.5')
@example(lines=[b"Oslo,1,0.5", b'"Rome,1', b'",0.5'], place=1, changed=b'"')
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_t44_a_line_moves_the_counts_by_at_most_one_record(
    lines: list[bytes], place: int, changed: bytes, tmp_path: Path
) -> None:
    place %= len(lines)
    path = tmp_path / "people.csv"
    assert distance(lines, place, changed, ours, path) <= 2
    assert open_table(path, SCHEMA, NAMES).records() == len(lines)


@given(lines=LINES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_counts_are_those_of_a_reader_that_takes_each_line_by_itself(
    lines: list[bytes], tmp_path: Path
) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(file_of(lines))
    rows = [cells_of_line(line, CsvDialect()) for line in lines]
    expected = counts_of_rows((row if row and len(row) == 3 else [None] * 3 for row in rows), SCHEMA, NAMES)
    table = open_table(path, SCHEMA, NAMES)
    assert table.counts().tolist() == expected.tolist()
    assert table.counts().sum() == table.records() == len(lines)


def test_t44_the_guard_rejects_the_engines_own_reader(tmp_path: Path) -> None:
    lines = [b"Oslo,1,0.5"] * 30 + [b'"Rome",2,1.5'] * 30
    path = tmp_path / "people.csv"
    assert distance(lines, 10, b"Rome,2,1.5", by_the_engines_own_reader, path) == 2
    stray = b'"Oslo,1,0.5'
    assert distance(lines, 10, stray, by_the_engines_own_reader, path) == 50
    assert distance(lines, 10, stray, ours, path) <= 2


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_line_ends_and_the_last_newline_do_not_matter(end: bytes, tmp_path: Path) -> None:
    lines = [b"city,age,score", b"Oslo,1,0.5", b'"Rome",2,"1.5"']
    found = []
    for last in (b"", end):
        path = tmp_path / "people.csv"
        path.write_bytes(end.join(lines) + last)
        table = open_table(path, SCHEMA, NAMES)
        assert table.records() == 2
        found.append(table.counts().tolist())
    assert found[0] == found[1]
    assert np.flatnonzero(found[0]).tolist() == [(0 * 4 + 1) * 2 + 0, (1 * 4 + 2) * 2 + 1]
