"""T45: all readers give a cell the same code, whatever its type, its kind of column and the engine.

Every reader is asked for the code of every cell, or for the text or number by which a code is looked up, in
one query. A type that cannot hold the values of a column is refused by all readers, before anything is read.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from nasty_cells import COLUMNS, DECIMALS, HEIGHT, WORDS, columns, refused, text_of

from privior.errors import TableError
from privior.schema import Binned, Boolean, Categorical, Column, Integer, Schema
from privior.tables import OpenTable, arrays, open_table
from privior.tables.codes import _words, as_number, as_text, code, is_looked_up
from privior.tables.light import Light, light
from privior.tables.parquet import ConvertedParquet, Parquet, _engine_reads
from privior.tables.queries import Query
from privior.tables.relations import column

Answers = dict[str, list[Any]]
Pairs = dict[str, tuple[str, str]]


def asked(cell: Any, kind: Column) -> Any:
    """Return the expression of a code, or of what it is looked up by."""
    if not is_looked_up(kind):
        return code(cell, kind)
    return as_number(cell) if isinstance(kind, Binned) else as_text(cell, kind)


CELLS = columns()
ROW = pa.array(range(HEIGHT), pa.int64())
#: what a Parquet file cannot hold
UNWRITTEN = {"dictionary of a dictionary", "runs"}
LONG = {name for name in CELLS if name.startswith("decimal256")}
#: what the engine of a query over a table in memory does not take, or stops at a cell of
UNASKED = {"float16", "dictionary of decimal256(40, 20)"} | LONG
UNASKED |= {name for name in CELLS if name.endswith(("UTC", "New_York")) and not name.startswith("us")}
#: what Ibis has no type for
UNKNOWN = {"runs", "uuid", "bool8", "binary_view", "fixed"}
#: text that no Python string can be
BROKEN = {name for name in CELLS if "broken" in name}


def schema_of(pairs: Pairs) -> Schema:
    kinds = {name: COLUMNS[kind] for name, (_, kind) in pairs.items()}
    return Schema({"row": Integer(0, HEIGHT - 1), **kinds}, population="p", unit="row")


def admitted(types: list[str]) -> Pairs:
    """Return the pairs of a type and a kind of column that are admitted, by a name for each."""
    found: Pairs = {}
    for given in types:
        for kind in COLUMNS:
            pair: Pairs = {f"{given} as {kind}": (given, kind)}
            try:
                open_table(table_of(pair), schema_of(pair), tuple(pair))
            except TableError:
                continue
            found |= pair
    return found


def table_of(pairs: Pairs, cells: dict[str, pa.Array] = CELLS) -> pa.Table:
    return pa.table({"row": ROW, **{name: cells[given] for name, (given, _) in pairs.items()}})


def codes(table: OpenTable, pairs: Pairs, form: Callable[[Any, Column], Any] = asked) -> Answers:
    """Return what is made of each cell of each pair, in the order of the rows."""
    kinds = [COLUMNS[kind] for _, kind in pairs.values()]
    with table.source.relation() as relation:
        rows = relation.rows
        made = {f"x{place}": form(rows[column(place + 1)], kind) for place, kind in enumerate(kinds)}
        batches = relation.batches(rows.select(row=rows[column(0)].cast("int64"), **made))
        answer = pa.Table.from_batches(batches).sort_by("row")
    found = {}
    for place, (name, kind) in enumerate(zip(pairs, kinds, strict=True)):
        cells = answer.column(f"x{place}").to_pylist()
        known = dict(_words(kind)) if isinstance(kind, (Categorical, Boolean)) else None
        found[name] = cells if known is None else [known.get(cell) for cell in cells]
    return found


def opened(source: object, pairs: Pairs) -> OpenTable:
    return open_table(source, schema_of(pairs), ("row", *pairs), ("row",))


PAIRS = admitted(list(CELLS))


@pytest.fixture(scope="module")
def expected() -> Answers:
    """The codes of all cells of an Arrow table."""
    return codes(opened(table_of(PAIRS), PAIRS), PAIRS)


def compared(found: Answers, expected: Answers) -> list[tuple[str, int, object, object]]:
    """Return where the answers differ."""
    return [
        (name, row, one, other)
        for name, answers in found.items()
        for row, (one, other) in enumerate(zip(answers, expected[name], strict=True))
        if one != other
    ]


def of_types(types: set[str]) -> Pairs:
    return {name: pair for name, pair in PAIRS.items() if pair[0] in types}


def test_there_are_pairs_and_cells_of_all_kinds(expected: Answers) -> None:
    """The checks below would pass a reader that takes everything for missing."""
    assert {kind for _, kind in PAIRS.values()} == set(COLUMNS)
    assert {given for given, _ in PAIRS.values()} == set(CELLS)
    differ = {name for name, answers in expected.items() if len(set(answers)) > 1}
    assert len(differ) > 0.7 * len(expected)
    assert expected["decimal256(40, 20) as integer"][DECIMALS.index("62.5")] == 63 + 1
    assert expected["dictionary of a dictionary as categorical"][WORDS.index(b"Oslo")] == 0


def test_the_quickest_arithmetic_gives_the_same_codes(expected: Answers) -> None:
    pairs = {name: pair for name, pair in PAIRS.items() if pair[1] == "bounded"}
    bounded = COLUMNS["bounded"]
    assert bounded.missing_code is not None
    found = codes(opened(table_of(pairs), pairs), pairs, lambda cell, kind: _light(cell, kind).value)
    halved: Answers = {name: [(one + bounded.size - 1) / 2 for one in found[name]] for name in pairs}
    ruled = {
        name: [bounded.missing_code if code is None else code for code in expected[name]] for name in pairs
    }
    assert compared(halved, ruled) == []


def _light(cell: Any, kind: Column) -> Light:
    form = light(cell, kind)
    assert form is not None
    return form


def _engines(pairs: Pairs) -> Pairs:
    """Those that the engine reads from Parquet files itself."""
    return {name: pair for name, pair in pairs.items() if _engine_reads(CELLS[pair[0]].type)}


@pytest.mark.parametrize("dictionary", [True, False])
def test_parquet_files(dictionary: bool, expected: Answers, tmp_path: Path) -> None:
    written = of_types(set(CELLS) - UNWRITTEN)
    path = tmp_path / "t.parquet"
    pq.write_table(table_of(written), path, use_dictionary=dictionary, row_group_size=5)
    by_engine = _engines(written)
    others = {name: pair for name, pair in written.items() if name not in by_engine}
    tables = opened(path, by_engine), opened(path, others)
    assert isinstance(tables[0].source, Parquet)
    assert isinstance(tables[1].source, ConvertedParquet)
    assert compared(codes(tables[0], by_engine), expected) == []
    if dictionary:
        assert compared(codes(tables[1], others), expected) == []
        names = ("row", *by_engine)
        source = ConvertedParquet(tables[0].source.files, names, tables[0].source.fields, (".",) * len(names))
        converted = OpenTable(source, tables[0].schema, tables[0].columns)
        assert compared(codes(converted, by_engine), expected) == []


def test_polars_frames(expected: Answers) -> None:
    foreign = {"dictionary of a dictionary", "runs", "bool8", "uuid", "date64"} | LONG
    pairs = of_types({name for name in CELLS if name not in foreign | BROKEN and "dictionary of" not in name})
    assert compared(codes(opened(pl.from_arrow(table_of(pairs)), pairs), pairs), expected) == []


def _objects(table: pa.Table) -> pd.DataFrame:
    lists = table.to_pydict()
    return pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in lists.items()})


def _arrow(table: pa.Table) -> pd.DataFrame:
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def _in_the_calendar(cells: pa.Array) -> pa.Array:
    """Leave out moments and days that Python does not have."""
    if not pa.types.is_temporal(cells.type):
        return cells
    days = arrays.plain(pa.chunked_array([cells])).combine_chunks()
    days = (days if pa.types.is_date(days.type) else days.cast(pa.date32(), safe=False)).cast(pa.int32())
    inside = pc.and_(pc.greater_equal(days, -719_161), pc.less_equal(days, 2_932_895))
    return pc.if_else(inside, cells, pa.scalar(None, cells.type))


@pytest.mark.parametrize("frame", [pa.Table.to_pandas, _arrow, _objects], ids=["numpy", "arrow", "objects"])
def test_pandas_frames(frame: Callable[[pa.Table], pd.DataFrame], expected: Answers) -> None:
    """Short floats are read as the long ones that pandas makes of them beside a cell of another kind."""
    foreign = {"dictionary of a dictionary", "runs", "uuid", "bool8", "float16", "float32"}
    foreign |= {"ns America/New_York"} if frame is _objects else set()
    pairs = of_types({name for name in CELLS if name not in foreign | BROKEN and "dictionary of" not in name})
    calm = CELLS if frame is _arrow else {name: _in_the_calendar(CELLS[name]) for name, _ in pairs.values()}
    found = codes(opened(frame(table_of(pairs, calm)), pairs), pairs)
    assert compared(_where_kept(found, expected, pairs, calm), expected) == []


def _where_kept(found: Answers, expected: Answers, pairs: Pairs, calm: dict[str, pa.Array]) -> Answers:
    """Take for right what is said about cells that were left out."""
    kept = {name: calm[name].is_valid().to_pylist() for name, _ in pairs.values()}
    missing = {name: CELLS[name].is_null().to_pylist() for name, _ in pairs.values()}
    return {
        name: [
            one if stays or absent else other
            for one, other, stays, absent in zip(
                found[name], expected[name], kept[given], missing[given], strict=True
            )
        ]
        for name, (given, _) in pairs.items()
    }


def test_text_files(expected: Answers, tmp_path: Path) -> None:
    for kind in ("large_string", "broken large"):
        pairs = of_types({kind})
        cells = [cell or b"" for cell in CELLS[kind].cast(pa.large_binary()).to_pylist()]
        lines = [b",".join([b"row", *(name.encode() for name in pairs)])]
        lines += [b",".join([str(row).encode(), *[cell] * len(pairs)]) for row, cell in enumerate(cells)]
        (tmp_path / "t.csv").write_bytes(b"\n".join(lines))
        assert compared(codes(opened(tmp_path / "t.csv", pairs), pairs), expected) == []


def test_ibis_tables(expected: Answers) -> None:
    import ibis

    foreign = {"dictionary of a dictionary", "runs", "uuid", "bool8", "binary_view", "fixed"} | LONG
    foreign |= {"float16", "ns UTC", "ns America/New_York"}  # which the engine takes or casts none of
    pairs = of_types({name for name in CELLS if name not in foreign | BROKEN and "dictionary of" not in name})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        calm = {name: _in_the_calendar(CELLS[name]) for name, _ in pairs.values()}
        table = ibis.memtable(table_of(pairs, calm))
        chosen = table.select(**{column(place): table[name] for place, name in enumerate(("row", *pairs))})
        source = OpenTable(Query(table, chosen), schema_of(pairs), ("row", *pairs))
        found = codes(source, pairs)
    assert compared(_where_kept(found, expected, pairs, calm), expected) == []


def test_ibis_tables_in_memory(expected: Answers) -> None:
    """They are read as the frames that they are made of: any cell of any type."""
    import ibis

    pairs = of_types(set(CELLS) - UNKNOWN)
    found = codes(opened(ibis.memtable(table_of(pairs)), pairs), pairs)
    assert compared(found, expected) == []
    few = of_types({"ms UTC", "ns UTC", "large_string"})
    for frame in (pl.from_arrow, _arrow):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 sets an option of pandas 2
            table = ibis.memtable(frame(table_of(few)))
        assert compared(codes(opened(table, few), few), expected) == []


@pytest.mark.parametrize("given", sorted(UNASKED | BROKEN | {"dictionary of a dictionary"}))
def test_a_query_is_refused_before_it_is_asked_or_answers_whatever_the_cells(given: str) -> None:
    """The engine of a query takes or casts not every type, and some stop at a cell: that is known before."""
    import ibis

    kind = "boolean" if given in BROKEN else "categorical"
    pair: Pairs = {"x": (given, kind)}
    table = ibis.memtable(table_of(pair)).select("x")
    if given in UNASKED:
        with pytest.raises(TableError, match=r"microseconds|type"):
            open_table(table, schema_of(pair), ("x",))
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        found = open_table(table, schema_of(pair), ("x",)).counts()
    assert found.tolist() == open_table(table_of(pair), schema_of(pair), ("x",)).counts().tolist()


@pytest.mark.parametrize("given", ["s None", "ms None", "ns None", "us UTC", "us America/New_York"])
def test_extreme_moments_in_a_database(given: str) -> None:
    import ibis

    names: Pairs = {"x": (given, "date"), "word": (given, "categorical")}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # Ibis 12 calls what DuckDB 2 renamed
        backend = ibis.duckdb.connect()
        backend.con.register("arrived", table_of(names))
        backend.con.execute("CREATE TABLE moments AS FROM arrived")
        for columns in (("x",), ("word",)):
            found = open_table(backend.table("moments"), schema_of(names), columns).counts()
            assert found.tolist() == open_table(table_of(names), schema_of(names), columns).counts().tolist()


def test_types_that_no_column_has_are_refused_by_all_readers(tmp_path: Path) -> None:
    import ibis

    for cells in refused().values():
        table = pa.table({"x": cells})
        pq.write_table(table, tmp_path / "t.parquet")
        sources = [table, tmp_path / "t.parquet", pl.from_arrow(table), ibis.memtable(table)]
        for kind, source in product(COLUMNS.values(), sources):
            with pytest.raises(TableError, match="type"):
                open_table(source, Schema({"x": kind}, population="p", unit="row"), ("x",))


def test_a_reader_that_strips_text_is_found(expected: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: one reader of several takes "Oslo " for "Oslo"."""
    pairs = of_types({"large_string"})
    monkeypatch.setattr(arrays, "repaired", pc.utf8_trim_whitespace)
    found = compared(codes(opened(table_of(pairs), pairs), pairs), expected)
    assert ("large_string as categorical", WORDS.index(b"Oslo "), 0, None) in found


def test_a_reader_that_repairs_in_its_own_way_is_found(
    expected: Answers, monkeypatch: pytest.MonkeyPatch
) -> None:
    pairs = of_types({"broken large"})
    monkeypatch.setattr(arrays, "question_marks", lambda content: content.decode(errors="ignore"))
    assert compared(codes(opened(table_of(pairs), pairs), pairs), expected)


def test_decimals_read_as_floats_are_found(expected: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: long decimals become floats by a division, as an engine does it."""
    pairs = of_types({"decimal256(40, 20)"})

    def divided(cells: pa.Array, kind: pa.DataType, decimal: str) -> pa.Array:
        numbers = [None if cell is None else float(int(cell.scaleb(20))) / 1e20 for cell in cells.to_pylist()]
        return pa.array([None if cell is None else repr(cell) for cell in numbers], kind)

    plain = arrays._plain
    monkeypatch.setattr(
        arrays,
        "_plain",
        lambda cells, *rest: (divided if pa.types.is_decimal(cells.type) else plain)(cells, *rest),
    )
    assert compared(codes(opened(table_of(pairs), pairs), pairs), expected)


def test_the_text_of_bytes_is_that_of_the_engine(tmp_path: Path) -> None:
    """What `question_marks` says in Python, the engine says when it reads a file, of bytes of all kinds."""
    draws = np.random.default_rng(1)
    signs = np.array(
        [*range(256), *[0xC3, 0xA9, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 0xED, 0xA0] * 20], np.uint8
    )
    cells = [draws.choice(signs, int(size)).tobytes() for size in draws.integers(1, 20, 20_000)]
    pq.write_table(pa.table({"x": text_of(cells)}), tmp_path / "t.parquet")
    import duckdb

    source = f"read_parquet('{tmp_path}/t.parquet', utf8_validation = 'replace')"
    with duckdb.connect() as connection:
        found = connection.execute(f"SELECT x FROM {source}").fetchall()
    assert [cell for (cell,) in found] == arrays.repaired(text_of(cells)).to_pylist()
