"""Readings give what a plain loop over the records gives, in every engine, in one pass: T03, T14, T45."""

from __future__ import annotations

import pickle
import random
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from privior.errors import TableError
from privior.models import ONE, ExactRecords, ExactTable, Factor, Margins, Moments, Records, Summand, Sums
from privior.models.readings import Reading
from privior.schema import DROP, Binned, Boolean, Bounded, Categorical, Column, Integer, Schema, Unit
from privior.tables import doors, open_table, products, tallies
from privior.tables.question import LIMIT

COLUMNS: dict[str, Column] = {
    "city": Categorical(["Oslo", "Bergen", "else"]),
    "age": Integer(-3, 90),
    "smokes": Boolean(missing=DROP),
    "weight": Bounded(0, 10, grid="0.5"),
    "income": Binned([0, 10, 20, 50]),
    "visits": Integer(0, 999_999, missing=DROP),
}
READINGS: tuple[Reading, ...] = (
    Sums(("city",), (ONE, Summand((Factor("age", 3, -1), Factor("weight"))), Summand((Factor("visits"),)))),
    Sums((), (Summand((Factor("age", -2, 5, absolute=True),)),)),
    Margins((("city", "age"), ("city", "smokes"), (), ("age", "weight", "income"), ("income", "city"))),
    Moments(
        (
            ONE,
            Summand((Factor("age", 2, -7),)),
            Summand((Factor("weight"), Factor("age"))),
            Summand((Factor("visits", -1),)),
            Summand((Factor("income", 1, -1, absolute=True),)),
            Summand((Factor("city", level=1),)),
            Summand((Factor("age", 3, -1, level=40), Factor("city", level=0))),
        )
    ),
    Sums(
        ("smokes",),
        (Summand((Factor("age", -2, 1, level=7),)), Summand((Factor("city", level=2), Factor("age")))),
    ),
    Records(("smokes", "visits", "city")),
)


def rows_of(many: int, seed: int = 1) -> dict[str, list[Any]]:
    choose = random.Random(seed)
    return {
        "city": [choose.choice(["Oslo", "Bergen", "Paris", None]) for _ in range(many)],
        "age": [choose.choice([None, choose.randint(-9, 120)]) for _ in range(many)],
        "smokes": [choose.choice([True, False, False, None]) for _ in range(many)],
        "weight": [choose.choice([None, choose.randint(-4, 24) / 2]) for _ in range(many)],
        "income": [choose.choice([None, choose.randint(-5, 70) * 1.0]) for _ in range(many)],
        "visits": [choose.choice([None, choose.randint(0, 2_000_000)]) for _ in range(many)],
        "who": [choose.choice([f"p{choose.randint(0, many // 3)}", None]) for _ in range(many)],
    }


def code(name: str, cell: Any) -> int | None:
    """The code of a clean cell, by a loop's arithmetic; None if its record is left out."""
    kind = COLUMNS[name]
    if cell is None:
        return kind.missing_code
    if isinstance(kind, Categorical):
        return ["Oslo", "Bergen"].index(cell) if cell in ("Oslo", "Bergen") else 2
    if isinstance(kind, Binned):
        return int(cell >= 10) + int(cell >= 20)
    if isinstance(kind, Integer):
        return min(max(int(cell), kind.lower), kind.upper) - kind.lower
    return int(cell) if isinstance(kind, Boolean) else int(min(max(cell, 0), 10) * 2)


def coded(rows: dict[str, list[Any]], names: tuple[str, ...]) -> list[dict[str, int]]:
    found = []
    for row in range(len(rows["who"])):
        codes = {name: code(name, rows[name][row]) for name in names}
        if None not in codes.values():
            found.append({name: one for name, one in codes.items() if one is not None})
    return found


def value(summand: Summand, codes: dict[str, int]) -> int:
    made = 1
    for factor in summand.factors:
        told = codes[factor.column] if factor.level is None else int(codes[factor.column] == factor.level)
        one = factor.slope * told + factor.shift
        made *= abs(one) if factor.absolute else one
    return made


def by_hand(reading: Reading, records: list[dict[str, int]]) -> Any:
    """The answer of a plain loop, in Python's whole numbers."""
    if isinstance(reading, Records):
        return sorted(tuple(codes[name] for name in reading.of) for codes in records)
    if isinstance(reading, Margins):
        return [
            Counter(tuple(codes[name] for name in names) for codes in records) for names in reading.tables
        ]
    if isinstance(reading, Moments):
        pairs = product(reading.features, repeat=2)
        flat = [sum(value(one, codes) * value(other, codes) for codes in records) for one, other in pairs]
        return [limited(total) for total in flat]
    assert isinstance(reading, Sums)
    sums: dict[tuple[int, ...], list[int]] = {}
    for codes in records:
        cell = sums.setdefault(tuple(codes[name] for name in reading.by), [0] * len(reading.summands))
        for place, summand in enumerate(reading.summands):
            cell[place] += value(summand, codes)
    return {cell: [limited(one) for one in row] for cell, row in sums.items() if any(row)}


def limited(total: int) -> int:
    return min(max(total, -LIMIT), LIMIT)


def plain(reading: Reading, answer: Any, schema: Schema) -> Any:
    """An answer of `read` in the form of `by_hand`."""
    if isinstance(reading, Records):
        assert isinstance(answer, ExactRecords)
        return [tuple(map(int, row)) for row in answer.codes]
    if isinstance(reading, Margins):
        return [_table(one, names, schema) for one, names in zip(answer, reading.tables, strict=True)]
    if isinstance(reading, Moments):
        return [int(total) for total in answer.ravel()]
    assert isinstance(reading, Sums)
    sizes = [schema.column(name).size for name in reading.by]
    cells = zip(product(*map(range, sizes)), answer.tolist(), strict=True)
    return {cell: row for cell, row in cells if any(row)}


def _table(table: ExactTable, names: tuple[str, ...], schema: Schema) -> Counter[tuple[int, ...]]:
    sizes = tuple(schema.column(name).size for name in names)
    assert table.dense().sum() == table.occurring[1].sum()
    cells = [
        tuple(int(one) for one in np.unravel_index(cell, sizes)) if sizes else ()
        for cell in table.occurring[0]
    ]
    return Counter(dict(zip(cells, table.occurring[1].tolist(), strict=True)))


def schema_of(unit: Unit | str = "row") -> Schema:
    return Schema(COLUMNS, population="p", unit=unit)


def sources(rows: dict[str, list[Any]], folder: Path) -> dict[str, Any]:
    import ibis

    table = pa.table(rows)
    pq.write_table(table, folder / "t.parquet", row_group_size=100)
    frame = table.to_pandas(types_mapper=pd.ArrowDtype)
    frame.to_csv(folder / "t.csv", index=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        asked = ibis.memtable(table)
    return {
        "parquet": folder / "t.parquet",
        "csv": folder / "t.csv",
        "arrow": table,
        "pandas": frame,
        "polars": pl.from_arrow(table),
        "ibis": asked,
    }


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch, where: Any, name: str, seen: list[str]) -> Any:
    old = getattr(where, name)

    def noted(*given: Any, **named: Any) -> Any:
        seen.append(name)
        return old(*given, **named)

    with monkeypatch.context() as patched:
        patched.setattr(where, name, noted)
        yield


def test_t03_every_source_answers_all_readings_as_a_loop_does(tmp_path: Path) -> None:
    rows, schema = rows_of(700), schema_of()
    expected = [by_hand(reading, coded(rows, reading.columns)) for reading in READINGS]
    assert min(map(len, expected)) > 0
    for name, source in sources(rows, tmp_path).items():
        table = open_table(source, schema, tuple(COLUMNS), ())
        together = table.read(*READINGS)
        for reading, answer, right in zip(READINGS, together, expected, strict=True):
            assert plain(reading, answer, schema) == right, name
        if name in ("parquet", "ibis"):
            for reading, right in zip(READINGS, expected, strict=True):
                assert plain(reading, table.read(reading)[0], schema) == right, name


def test_all_readings_are_answered_in_one_pass(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Lines are split once, whatever is asked of them."""
    from privior.tables import delimited

    seen: list[str] = []
    source = sources(rows_of(50), tmp_path)["csv"]
    for unit in ("row", Unit("person", "who", 2)):
        table = open_table(source, schema_of(unit), tuple(COLUMNS), ())
        with counted(monkeypatch, delimited, "split", seen):
            table.read(*READINGS)
        assert seen == ["split"]
        seen.clear()


def test_t21_each_reading_takes_the_same_rows_of_a_person_alone_and_among_others(tmp_path: Path) -> None:
    rows, schema = rows_of(300), schema_of(Unit("person", "who", 2))
    given = sources(rows, tmp_path)
    found = {}
    for name in ("parquet", "csv", "ibis"):
        table = open_table(given[name], schema, tuple(COLUMNS), ())
        found[name] = [
            plain(one, answer, schema) for one, answer in zip(READINGS, table.read(*READINGS), strict=True)
        ]
        alone = [plain(one, table.read(one)[0], schema) for one in READINGS]
        assert alone == found[name]
    assert found["parquet"] == found["csv"] == found["ibis"]
    people = Counter(one for one in rows["who"] if one is not None)
    whole = sum(min(2, many) for many in people.values())
    assert sum(by_hand(READINGS[0], coded(rows, READINGS[0].columns))[(0,)]) > 0
    assert 0 < len(found["parquet"][4]) <= whole


@pytest.mark.parametrize("slope", [1, 2**10, 2**11, 2**22, 2**33 - 1, -(2**41)])
@pytest.mark.parametrize("spread", [2, 1000, 999_999])
def test_t03_sums_and_moments_are_exact_near_every_limit(slope: int, spread: int) -> None:
    """Products near 2**31, 2**53, 2**63, or refused alike; sums beyond 2**62 are cut off alike."""
    import ibis

    schema = Schema({"x": Integer(0, spread), "y": Integer(0, 5)}, population="p", unit="row")
    cells = [spread, spread - 1, 0, 1, spread // 2] * 5
    table = pa.table({"x": cells, "y": [0, 1, 2, 3, 4] * 5})
    records = [{"x": x, "y": y} for x, y in zip(cells, [0, 1, 2, 3, 4] * 5, strict=True)]
    big = Summand((Factor("x", slope, 3),))
    for reading in (
        Sums(("y",), (ONE, big)),
        Sums((), (Summand((*big.factors, Factor("y", 1, -2))),)),
        Moments((ONE, big)),
        Moments((Summand((Factor("x", slope, 1, absolute=True), Factor("y"))), ONE)),
    ):
        opened = [open_table(one, schema, ("x", "y"), ()) for one in (table, ibis.memtable(table))]
        try:
            opened[0].check(reading)
        except TableError:
            for one in opened:
                with pytest.raises(TableError, match="64 bits"):
                    one.read(reading)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            answers = [one.read(reading, Records(("x",)))[0] for one in opened] + [opened[0].read(reading)[0]]
        for answer in answers:
            assert plain(reading, answer, schema) == by_hand(reading, records)


def test_sums_of_any_length_are_kept_exactly() -> None:
    """Blocks beyond what 64 bits hold, which no test can read: the sums themselves, settled often."""
    made = products.Products((Summand((Factor("x", 2**40),)), ONE), {"x": 1_000_000})
    block = {"x": np.full(products._ROWS, 999_999, np.int32)}
    for _ in range(3):
        made.add(block, products._ROWS)
        made._settle()
    rows = 3 * products._ROWS
    assert made.sums()[0, 0] == rows * (2**40 * 999_999) ** 2
    assert made.sums()[0, 1] == rows * 2**40 * 999_999


def test_t03_longer_pieces_would_lose_units(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: what is multiplied is not cut, so that floats are not exact."""
    numbers = np.random.default_rng(1).integers(2**24, 2**25, 5000)

    def total() -> int:
        feature = Summand((Factor("x", 1, 0, absolute=True),))
        made = products.Products((feature,), {"x": 2**25})
        made.add({"x": numbers}, 5000)
        return int(made.sums()[0, 0])

    right = sum(int(one) ** 2 for one in numbers)
    assert total() == right
    monkeypatch.setattr(products, "_BITS", 30)
    assert total() != right


@pytest.mark.parametrize("few", [1, 2**16])
def test_tallies_of_many_cells_hold_those_that_occur(few: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tallies, "_FEW_CELLS", few)
    monkeypatch.setattr(tallies, "_MANY_SUMS", 20)
    draws = np.random.default_rng(2)
    tally = tallies.Tally(50, (2**60, 5))
    right: dict[int, list[int]] = {}
    for _ in range(9):
        cell, large, small = (
            draws.integers(0, 50, 30),
            draws.integers(-(2**60), 2**60, 30),
            draws.integers(-5, 5, 30),
        )
        tally.add(cell, (large, small))
        for place, one, other in zip(cell.tolist(), large.tolist(), small.tolist(), strict=True):
            sums = right.setdefault(place, [0, 0])
            sums[0] += one
            sums[1] += other
    known, (first, second) = tally.occurring()
    assert known.tolist() == sorted(right)
    assert first.tolist() == [limited(right[cell][0]) for cell in sorted(right)]
    assert second.tolist() == [right[cell][1] for cell in sorted(right)]


def test_a_table_of_a_thousand_million_cells_takes_the_memory_of_its_records() -> None:
    import tracemalloc

    kinds: dict[str, Column] = {name: Integer(0, 999) for name in "abc"}
    schema = Schema(kinds, population="p", unit="row")
    draws = np.random.default_rng(3)
    table = pa.table({name: draws.integers(0, 1000, 20_000) for name in "abc"})
    opened = open_table(table, schema, ("a", "b", "c"), ())
    tracemalloc.start()
    ((found,),) = opened.read(Margins((("a", "b", "c"),)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.size == 10**9
    assert found.occurring[1].sum() == 20_000
    assert peak < 50_000_000


def test_small_tables_are_counted_together() -> None:
    reading = Margins((("city", "smokes"), ("city", "income"), ("city", "weight"), ("age", "visits")))
    door = doors.MarginsDoor(reading, schema_of(), tuple(COLUMNS))
    door.start()
    assert list(door._tallies) == [("city", "smokes", "income", "weight"), ("age", "visits")]


def test_what_cannot_be_answered_is_refused_by_public_facts() -> None:
    table = open_table(pa.table(rows_of(5)), schema_of(), ("city", "age"), ())
    wide = Schema({name: Integer(0, 9999) for name in "abc"}, population="p", unit="row")
    cells = open_table(pa.table({name: [1] for name in "abc"}), wide, ("a", "b", "c"), ())
    refused: list[tuple[Callable[..., Any], Reading, str]] = [
        (table.read, Margins((("city", "weight"),)), "not open"),
        (table.read, Records(("income",)), "not open"),
        (table.read, Moments((Summand((Factor("visits"),)),)), "not open"),
        (table.check, Records(()), "no column"),
        (cells.check, Margins((("a", "b", "c"),)), "too many cells"),
        (table.check, Moments((Summand((Factor("age", 2**40),)),)), "64 bits"),
    ]
    for asked, reading, what in refused:
        with pytest.raises(TableError, match=what):
            asked(reading)


def test_exact_records_and_tables_cannot_be_read_or_written() -> None:
    """They are told apart by type, and have no form that could be printed or stored by accident."""
    records = ExactRecords(np.array([[3, 4]], np.int8))
    table = ExactTable(9, np.array([7]), np.array([8]))
    for private in (records, table):
        assert not {"3", "4", "7", "8", "1"} & set(repr(private))
        with pytest.raises(TypeError, match="private"):
            pickle.dumps(private)
        with pytest.raises(TypeError):
            hash(private)
    with pytest.raises(ValueError, match="read-only"):
        records.codes[0, 0] = 1
