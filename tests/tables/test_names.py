"""Names and levels that an engine might misread: cases, signs, patterns, folders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from privior.schema import Categorical, Integer, Schema
from privior.tables import open_table


def test_levels_may_hold_any_sign_that_is_seen(tmp_path: Path) -> None:
    """Cells with other signs are none of the levels, however much they look like one."""
    levels = ["a,b", 'a"b', '"', "ab", "\U0001f600", " a ", "\U0001f469\u200d\U0001f52c", "'; DROP"]
    others = ["a\0b", "\r", "\ufeff", "\x1f\x1e", "ab\u200b"]
    cells = [*levels, *others]
    quoted = ['"' + level.replace('"', '""') + '"' for level in cells]
    schema = Schema({"v": Categorical([*levels, "?"])}, population="people", unit="person")
    (tmp_path / "t.csv").write_bytes(("v\n" + "\n".join(quoted)).encode())
    for source in (tmp_path / "t.csv", pa.table({"v": cells}), pd.DataFrame({"v": cells})):
        assert open_table(source, schema, ("v",)).counts().tolist() == [1] * len(levels) + [len(others)]


def test_names_that_differ_in_case_are_different_columns(tmp_path: Path) -> None:
    schema = Schema({"A": Integer(0, 3), "a": Integer(0, 3)}, population="people", unit="person")
    table = pa.table({"a": [1, 1], "A": [3, 2]})
    pq.write_table(table, tmp_path / "t.parquet")
    for source in (tmp_path / "t.parquet", table, table.to_pandas()):
        assert open_table(source, schema, ("A",)).counts().tolist() == [0, 0, 1, 1]
        assert open_table(source, schema, ("a",)).counts().tolist() == [0, 2, 0, 0]
        assert open_table(source, schema, ("a", "A")).counts().reshape(4, 4)[1].tolist() == [0, 0, 1, 1]


def test_strange_names_of_columns_and_files(tmp_path: Path) -> None:
    names = ['quo"te', "semi;colon", "dot.ted", "SELECT", "\u00fc \U0001f600", "c0", "person"]
    schema = Schema({name: Integer(0, 9) for name in names}, population="people", unit="person")
    table = pa.table({name: [place] for place, name in enumerate(names)})
    path = tmp_path / "it's; DROP [x].parquet"
    pq.write_table(table, path)
    for place, name in enumerate(names):
        for source in (path, table):
            assert np.flatnonzero(open_table(source, schema, (name,)).counts()).tolist() == [place]
    assert open_table(path, schema, ("c0", "SELECT")).counts().reshape(10, 10)[5, 3] == 1


def test_a_path_is_not_a_pattern_and_a_folder_is_not_a_column(tmp_path: Path) -> None:
    schema = Schema({"age": Integer(0, 9)}, population="people", unit="person")
    folder = tmp_path / "age=7"
    folder.mkdir()
    pq.write_table(pa.table({"age": [1]}), folder / "a[1].parquet")
    pq.write_table(pa.table({"age": [2]}), folder / "a1.parquet")
    (folder / "a[1].csv").write_text("age\n1\n")
    (folder / "a1.csv").write_text("age\n2\n")
    for ending in ("parquet", "csv"):
        assert np.flatnonzero(open_table(folder / f"a[1].{ending}", schema, ("age",)).counts()).tolist() == [
            1
        ]
        assert np.flatnonzero(open_table(folder / f"a*.{ending}", schema, ("age",)).counts()).tolist() == [
            1,
            2,
        ]
