"""Drafts: only the header is read, and every gap is refused by name until it is filled."""

from __future__ import annotations

import tomllib
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import privior as pv
from privior.analyses import draft
from privior.curator import header


def test_a_csv_header_gives_names_only(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text('id,"some, name",größe\n1,x,2\n')
    assert header(file) == [("id", None), ("some, name", None), ("größe", None)]
    document = tomllib.loads(draft(header(file), "t.csv", pv.CsvDialect()))
    assert list(document["columns"]) == ["id", "some, name", "größe"]
    assert document["columns"]["id"] == {"type": "FILL IN", "missing": "FILL IN"}


def test_parquet_types_are_used_and_values_are_not(tmp_path: Path) -> None:
    secret = pa.array(["canary", "canary"]).dictionary_encode()
    table = pa.table(
        {
            "sex": secret,
            "age": [17, 99],
            "weight": [71.25, 80.5],
            "smoker": [True, False],
            "visit": [date(2026, 1, 1)] * 2,
            "tags": [["a"], ["b"]],
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    text = draft(header(tmp_path / "t.parquet"), "t.parquet")
    kinds = {name: column["type"] for name, column in tomllib.loads(text)["columns"].items()}
    assert kinds == {
        "sex": "categorical",
        "age": "integer",
        "weight": "bounded",
        "smoker": "boolean",
        "visit": "date",
        "tags": "FILL IN",
    }
    for value in ("canary", "17", "99", "71.25"):
        assert value not in text


def test_only_the_first_line_is_read(tmp_path: Path) -> None:
    """What follows the header may be anything at all, even what no reader could decode."""
    file = tmp_path / "t.csv"
    file.write_bytes(b"a,b\n" + b'\xff\x00"' * 1000)
    assert header(file) == [("a", None), ("b", None)]


@pytest.mark.parametrize(
    "line",
    [
        *(
            "1,2",
            "a,3.5",
            "x,2026-01-01",
            "-1,b",
            "12:30,b",
            "1e5,b",
            "50%,b",
            "a@x.org,F",
            "J,2026-01-01T12:00Z",
        ),
        *("John,$100", "Jane,,x", "P,+49 170", "J,2026-01-01T12:00Z", "yes,no", "b,NA"),
    ],
)
def test_a_first_line_that_looks_like_a_record_is_refused_and_not_shown(line: str, tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text(f"{line}\n")
    with pytest.raises(pv.TableError, match="looks like a record") as refusal:
        header(file)
    assert line not in str(refusal.value)
    assert [name for name, _ in header(file, trusted=True)] == [name for name in line.split(",") if name]


@pytest.mark.parametrize("name", ["y", "Y", "n", "t", "f", "true", "yes", "no"])
def test_a_column_may_be_called_like_a_truth_value(name: str, tmp_path: Path) -> None:
    file = tmp_path / "bank.csv"
    file.write_text(f"age;job;balance;{name}\n30;clerk;100;no\n")
    assert header(file, csv=pv.CsvDialect(delimiter=";"))[-1] == (name, None)


def test_a_refused_first_line_says_which_cell_made_it_look_like_a_record(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("Mary,47,Oslo,NA\n")
    with pytest.raises(pv.TableError) as refusal:
        header(file)
    assert refusal.value.asked == "cell 2 of 4 looks like a number, a date or an address (and 1 more)"
    said = str(refusal.value).replace(str(tmp_path), "")  # the folder's own name may have any number
    assert "Mary" not in said
    assert "47" not in said


def test_names_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_text("apple,apple\n")
    with pytest.raises(pv.TableError, match="same name") as refusal:
        header(file)
    assert "apple" not in str(refusal.value)  # it may be a record


@pytest.mark.parametrize(
    "name", ['quote"s', "back\\slash", "del\x7f", "tab\t", "emoji 👩‍🔬", "a.b", "]", "#"]
)
def test_any_name_survives_the_draft(name: str) -> None:
    assert list(tomllib.loads(draft([(name, None)], "t.csv"))["columns"]) == [name]


def test_a_name_of_two_lines_is_refused() -> None:
    with pytest.raises(pv.TableError, match="one line"):
        draft([("a\nb", None)], "t.parquet")


def test_a_hostile_file_name_stays_in_its_comment() -> None:
    document = tomllib.loads(draft([("a", None)], 'x\npopulation = "y"'))
    assert document["population"] == "FILL IN"


def test_gaps_are_refused_by_name_until_they_are_filled(tmp_path: Path) -> None:
    file = tmp_path / "a.toml"
    text = draft([("smoker", "boolean"), ("age", "integer")], "t.parquet")
    file.write_text(text)
    with pytest.raises(pv.SchemaError) as refusal:
        pv.Analysis.read(file, epsilon="1")
    asked = refusal.value.what.removeprefix("not filled in yet: ").split(", ")
    assert asked == [
        "population",
        "unit",
        "columns.age.lower",
        "columns.age.upper",
        "columns.age.missing",
        "model.columns",
        "ask.records",
    ]
    with pytest.raises(pv.SchemaError, match="not filled in"):
        pv.Schema.read(file)
    fillings = ['"clinic"', '"patient"', "0", "120", '"drop"', '"smoker"', "10", '"1"']
    head, *pieces = text.split("\n\nformat = 1\n")[1].split('"FILL IN"')
    filled = head + "".join(value + piece for value, piece in zip(fillings, pieces, strict=True))
    file.write_text(filled)
    assert pv.Analysis.read(file).plan().records == 10


def test_what_the_command_line_says_fills_gaps(tmp_path: Path, schema: pv.Schema) -> None:
    file = tmp_path / "a.toml"
    pv.Analysis(schema, pv.DirichletCategorical("fruit", prior=1), 10, pv.Budget.of(1)).write(file)
    file.write_text(file.read_text().replace("records = 10", 'records = "FILL IN"'))
    assert pv.Analysis.read(file, records=7, neighbours="add-or-remove-one").records == 7
    file.write_text(file.read_text().split("[ask]")[0])
    assert pv.Analysis.read(file, records=7, epsilon="1/3").budget == pv.Budget.of("1/3")
    with pytest.raises(pv.SchemaError, match="epsilon"):
        pv.Analysis.read(file, records=7)


def test_semicolons_ask_for_the_decimal_sign() -> None:
    """Cells between semicolons are often written 60,3: what would be read as the lower bound is a gap."""
    document = tomllib.loads(draft([("a", None)], "t.csv", pv.CsvDialect(delimiter=";")))
    assert document["csv"]["decimal"] == "FILL IN"
    assert "decimal" not in tomllib.loads(draft([("a", None)], "t.csv", pv.CsvDialect()))["csv"]
    assert "DD.MM.YYYY" in draft([("a", None)], "t.csv", pv.CsvDialect())


def test_a_plan_says_what_a_missing_number_counts_as_unless_the_schema_does() -> None:
    """A blank balance counted as -10,000, and nobody said so."""
    model = pv.NormalMean("balance", pv.Normal(0, stddev=1000), stddev=500)

    def warned(**missing: object) -> bool:
        column = pv.Bounded(-10_000, 10_000, grid=100, **missing)
        schema = pv.Schema({"balance": column}, population="p", unit="customer")
        return any("-10000" in note for note in pv.plan(model, schema, records=100, epsilon=1).notes)

    assert warned()
    assert not warned(missing=-10_000)
    assert not warned(missing=pv.DROP)
