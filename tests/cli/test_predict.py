"""privior predict: rows of one's own in a file, chances of a column's levels in another; free."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from program import run_here

import privior as pv
from privior.schema.cells import cell_code
from privior.schema.own_rows import read_own_rows
from privior.tables import open_table

SCHEMA = pv.Schema(
    {"ill": pv.Boolean(), "age": pv.Integer(0, 9), "town": pv.Categorical(["north", "east, south"])},
    population="p",
    unit="u",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place, rng = tmp_path_factory.mktemp("predict"), np.random.default_rng(1)
    ill = rng.random(300) < 0.4
    table = pa.table({"ill": ill, "age": np.clip(rng.poisson(2 + 3 * ill), 0, 9), "town": ["north"] * 300})
    plan = pv.plan(pv.NaiveBayes("ill", ["age", "town"], prior=1), SCHEMA, records=300, epsilon=2)
    ledger = pv.Ledger.in_memory(population="p", epsilon=4)
    pv.measure(plan, table, ledger=ledger, output=place / "ill.json")
    other = pv.plan(pv.DirichletCategorical("town", prior=1), SCHEMA, records=300, epsilon=2)
    pv.measure(other, table, ledger=ledger, output=place / "town.json")
    (place / "rows.csv").write_text('age,ill,town\n0,,north\n"8",true,"east, south"\n,,\n')
    return place


def test_rows_of_a_file_are_predicted_as_in_python(folder: Path) -> None:
    ended = run_here(["predict", "ill.json", "rows.csv", "-o", "out.csv", "--level", "80%"], folder)
    assert ended.code == 0, ended.errors
    header, *lines = (folder / "out.csv").read_text().splitlines()
    assert header.split(",")[:4] == ["row", "ill", "P(ill=false)", "P(ill=true)"]
    assert [line.split(",")[0] for line in lines] == ["1", "2", "3"]
    posterior = pv.infer(pv.Release.read(folder / "ill.json"))
    frame = {"age": [0, 8, None], "town": ["north", "east, south", None]}
    numbers = np.array([[float(cell) for cell in line.split(",")[2:]] for line in lines])
    assert np.allclose(numbers[:, :2], posterior.predict_proba(frame))
    assert np.allclose(numbers[:, 2:].reshape(3, 2, 2), posterior.predict_interval(frame, 0.8))
    assert [line.split(",")[1] for line in lines] == [str(one).lower() for one in posterior.predict(frame)]
    told = run_here(["predict", "ill.json", "rows.csv", "-o", "age.csv", "--target", "age", "--json"], folder)
    assert json.loads(told.output)["rows"] == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ill.json", "rows.csv", "-o", "rows.csv"], "exists already"),
        (["ill.json", "none.csv", "-o", "x.csv"], "cannot read"),
        (["town.json", "rows.csv", "-o", "x.csv"], "predicts no column"),
        (["ill.json", "rows.csv", "-o", "x.csv", "--target", "sun"], "not a column"),
    ],
)
def test_what_cannot_be_predicted_is_told(folder: Path, arguments: list[str], said: str) -> None:
    ended = run_here(["predict", *arguments], folder)
    assert ended.code != 0
    assert said in ended.errors
    assert not (folder / "x.csv").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('a\n"1\n', "quote"),
        ("a,a\n1,2\n", "twice"),
        ("a,b\n1\n", "number of cells"),
        ('a\n"1"2\n', "quote"),
        ("", "empty"),
    ],
)
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "rows.csv").write_text(text)
    with pytest.raises(pv.SchemaError, match=said):
        read_own_rows(tmp_path / "rows.csv", SCHEMA)


def test_every_line_is_a_row_and_only_line_ends_end_it(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_bytes("town\r\na\n\nb\u2028c\x0bd\n".encode())
    assert read_own_rows(tmp_path / "rows.csv", SCHEMA) == {"town": ["a", "", "b\u2028c\x0bd"]}


def test_a_dialect_is_followed(tmp_path: Path) -> None:
    csv = pv.CsvDialect(delimiter=";", quote="'", header=False, trim=True, encoding="latin-1")
    schema = pv.Schema(dict(SCHEMA.columns), population="p", unit="u", csv=csv)
    (tmp_path / "rows.csv").write_bytes("yes; 3 ;'a;''b'\nno;;\xe9\n".encode("latin-1"))
    assert read_own_rows(tmp_path / "rows.csv", schema) == {
        "ill": ["yes", "no"],
        "age": ["3", ""],
        "town": ["a;'b", "é"],
    }
    other = pv.Schema(
        dict(SCHEMA.columns), population="p", unit="u", csv=pv.CsvDialect(delimiter=";", decimal=",")
    )
    columns = {
        **SCHEMA.columns,
        "cost": pv.Bounded(0, 5000, grid="0.5"),
        "day": pv.Date("2026-01-01", "2026-12-31"),
    }
    csv = pv.CsvDialect(delimiter=";", decimal=",", thousands=".", dates="DD.MM.YYYY")
    other = pv.Schema(columns, population="p", unit="u", csv=csv)
    (tmp_path / "rows.csv").write_text("town;cost;day\na.b;1.234,5;3.12.2026\nc,d;12;2026-12-03\n;;\n")
    assert read_own_rows(tmp_path / "rows.csv", other) == {
        "town": ["a.b", "c,d", ""],
        "cost": ["1234.5", "12", ""],
        "day": ["2026-12-03", "2026-12-03", ""],
    }
    for wrong in ("12.5", "1.23", "1.2345"):
        (tmp_path / "rows.csv").write_text(f"town;cost\na;{wrong}\n")
        with pytest.raises(pv.SchemaError, match="row 1: not a number of cost"):
            read_own_rows(tmp_path / "rows.csv", other)


@pytest.mark.parametrize(
    "cell", ["1.234,5", "12,5", "12.5", "1.23", " 7 ", "1.234.567", "-1.000", "0,5", "x"]
)
def test_numbers_of_own_rows_are_read_as_those_of_tables(cell: str) -> None:
    csv = pv.CsvDialect(delimiter=";", decimal=",", thousands=".")
    column = pv.Bounded(-5000, 5000, grid="0.5", missing=0)
    schema = pv.Schema({"cost": column}, population="p", unit="u", csv=csv)
    model = pv.DirichletCategorical("cost", prior=1)
    table = open_table(pa.table({"cost": [cell]}), schema, ("cost",), ())
    (counts,) = model.counted(table.read(*model.readings(schema, pv.ADD_OR_REMOVE_ONE)))
    (counted,) = np.flatnonzero(counts).tolist()
    found = csv.usual(column, cell)
    try:
        own = column.missing_code if found is None else cell_code(column, found)
    except pv.SchemaError:
        own = column.missing_code
    assert own == counted
