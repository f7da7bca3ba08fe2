"""Schemas: what they accept, refuse, write and read back."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import privior as pv
from privior.schema.names import looks

WHOLE = pv.Schema(
    {
        "education": pv.Categorical(["none", "school", "phd"], missing="none"),
        "code": pv.Categorical([1, 2, 9]),
        "smoker": pv.Boolean(missing=True),
        "age": pv.Integer(0, 120, missing=50),
        "weight": pv.Bounded(20, 200, grid="0.5"),
        "income": pv.Binned([0, "1000.5", 20000], missing=1),
        "visit": pv.Date("2020-01-01", date(2020, 12, 31)),
        "dropped": pv.Categorical(["drop", "keep"], missing="drop"),
        "left out": pv.Categorical(["a", "b"], missing=pv.DROP),
    },
    population="clinic",
    unit=pv.Unit("patient", column="id", max_rows=3),
    csv=pv.CsvDialect(delimiter=";", trim=True, encoding="latin-1"),
)


def test_toml_holds_the_whole_schema(tmp_path: Path) -> None:
    WHOLE.write(tmp_path / "clinic.toml")
    assert pv.Schema.read(tmp_path / "clinic.toml") == WHOLE
    assert hash(pv.Schema.from_document(WHOLE.to_document())) == hash(WHOLE)


def test_the_order_of_columns_is_not_part_of_a_schema() -> None:
    turned = pv.Schema(
        dict(reversed(list(WHOLE.columns.items()))), population="clinic", unit=WHOLE.unit, csv=WHOLE.csv
    )
    assert turned == WHOLE
    assert hash(turned) == hash(WHOLE)


def test_codes_follow_the_schema() -> None:
    """T17, T18: codes and labels come from the schema, in its order."""
    assert WHOLE.column("education").labels == ("none", "school", "phd")
    assert WHOLE.column("education").missing_code == 0
    assert WHOLE.column("code").missing_code == 2
    assert WHOLE.column("code").code("2") == WHOLE.column("code").code(2) == 1
    assert WHOLE.column("smoker").labels == ("false", "true")
    assert WHOLE.column("age").size == 121
    assert WHOLE.column("age").missing_code == 50
    assert WHOLE.column("weight").size == 361
    assert WHOLE.column("weight").code("20.5") == 1
    assert WHOLE.column("income").labels == ("[0, 1000.5)", "[1000.5, 20000]")
    assert WHOLE.column("visit").size == 366
    assert WHOLE.column("visit").code("2020-02-01") == 31
    assert WHOLE.column("dropped").missing_code == 0
    assert WHOLE.column("left out").missing_code is None


untyped: Any = pv  # what a type checker would already refuse


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: untyped.Categorical([]), "too few levels"),
        (lambda: untyped.Categorical(["a"]), "too few levels"),
        (lambda: untyped.Categorical("ab"), "not a list"),
        (lambda: untyped.Categorical(["a", "a"]), "twice"),
        (lambda: untyped.Categorical([1, "1"]), "twice"),
        (lambda: untyped.Categorical(["a", None]), "neither text"),
        (lambda: untyped.Categorical(["a", 1.5]), "neither text"),
        (lambda: untyped.Categorical(["a", "b"], missing="c"), "not a level"),
        (lambda: untyped.Categorical(["a", "drop"], missing=pv.DROP), "cannot be told"),
        (lambda: untyped.Categorical(["a", 10**5000]), "neither text"),
        (lambda: untyped.Schema({"a": pv.Boolean()}, population="p", unit="x", csv=";"), "CSV dialect"),
        (lambda: untyped.Schema.read(None), "not the path"),
        (lambda: untyped.Schema.read("a\0b"), "not the path"),
        (lambda: untyped.Bounded(0, "1e9999", grid=1), "not a number"),
        (lambda: untyped.Boolean(missing="no"), "missing must be"),
        (lambda: untyped.Integer(3, 3), "lower is not below upper"),
        (lambda: untyped.Integer(5, 1), "lower is not below upper"),
        (lambda: untyped.Integer(0.5, 1), "not a whole number"),
        (lambda: untyped.Integer(0, 10**9), "too many levels"),
        (lambda: untyped.Bounded(-2000, 20_000, grid="0.01"), "Take a coarser grid, such as 0.05, or bins."),
        (lambda: untyped.Integer(0, 9, missing=10), "not a level"),
        (lambda: untyped.Bounded(1, 0, grid=1), "lower is not below upper"),
        (lambda: untyped.Bounded(0, 1, grid="0.3"), "does not divide"),
        (lambda: untyped.Bounded(0, 1, grid=0), "does not divide"),
        (lambda: untyped.Bounded(0, float("nan"), grid=1), "not a number"),
        (lambda: untyped.Bounded(0, float("inf"), grid=1), "not a number"),
        (lambda: untyped.Binned([1, 2]), "too few edges"),
        (lambda: untyped.Binned([1, 3, 2]), "do not increase"),
        (lambda: untyped.Binned([1, "x", 3]), "not a number"),
        (lambda: untyped.Date("2020-13-01", "2021-01-01"), "not a day"),
        (lambda: untyped.Date("2021-01-01", "2020-01-01"), "lower is not below upper"),
        (lambda: untyped.Unit("person", max_rows=5), "need the column"),
        (lambda: untyped.Unit("person", column="id", max_rows=0), "out of range"),
        (lambda: untyped.Unit(""), "no name"),
        (lambda: untyped.CsvDialect(delimiter="--"), "one ASCII character"),
        (lambda: untyped.CsvDialect(delimiter="\n"), "one ASCII character"),
        (lambda: untyped.CsvDialect(delimiter='"'), "the same character"),
        (lambda: untyped.CsvDialect(encoding="utf-16"), "unknown encoding"),
        (lambda: untyped.Schema({}, population="p", unit="person"), "no columns"),
        (lambda: untyped.Schema({"a": "b"}, population="p", unit="person"), "not a column"),
        (lambda: untyped.Schema({"a": untyped.Boolean()}, population="", unit="person"), "no name"),
        (lambda: untyped.Schema({"a": untyped.Boolean()}, population="p", unit=3), "not a unit"),
        (
            lambda: untyped.Schema({"a": untyped.Boolean()}, population="p", unit=untyped.Unit("x", "a")),
            "cannot be analysed",
        ),
    ],
)
def test_what_is_no_public_fact_is_refused(build: Callable[[], object], says: str) -> None:
    """T07: there is no default for a bound, and a bad one is refused when it is written down."""
    with pytest.raises(pv.SchemaError, match=says) as refusal:
        build()
    assert "Nothing was spent" in str(refusal.value)


def test_an_unknown_column_names_the_known_ones() -> None:
    with pytest.raises(pv.SchemaError, match="education, code"):
        WHOLE.column("salary")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("population = ", "not a TOML file"),
        ('population = "p"\nunit = "x"', "missing"),
        ('population = "p"\nunit = "x"\n[columns.a]\ntype = "colour"', "unknown type"),
        ('population = "p"\nunit = "x"\n[columns.a]\ntype = "integer"', "missing or of the wrong kind"),
        (
            'population = "p"\nunit = "x"\n[columns.a]\ntype = "integer"\nlower = 3\nupper = 1',
            "a: lower is not below",
        ),
        ('population = "p"\nunit = "x"\nsalt = 1\n[columns.a]\ntype = "boolean"', "unknown entry"),
        ('population = "p"\nunit = "x"\n[columns.a]\ntype = "boolean"\nseed = 1', "unknown entry"),
        ('format = 99\npopulation = "p"\nunit = "x"\n[columns.a]\ntype = "boolean"', "newer"),
        ('population = 3\nunit = "x"\n[columns.a]\ntype = "boolean"', "not text"),
        ('population = "p"\nunit = "x"\ncolumns = 3', "not a table"),
    ],
)
def test_a_bad_file_says_where(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "bad.toml").write_text(text)
    with pytest.raises(pv.SchemaError, match=says):
        pv.Schema.read(tmp_path / "bad.toml")


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(pv.SchemaError, match="No such file"):
        pv.Schema.read(tmp_path / "none.toml")
    with pytest.raises(pv.SchemaError, match="directory"):
        pv.Schema.read(tmp_path)


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["C", "Zl", "Zp"]), min_size=1, max_size=8).filter(
            lambda name: looks(name) == name
        ),
        min_size=2,
        max_size=6,
        unique=True,
    )
)
def test_any_levels_survive_a_file(levels: list[str]) -> None:
    schema = pv.Schema({"x": pv.Categorical(levels)}, population="p", unit="person")
    import tomllib

    import tomli_w

    text = tomli_w.dumps(schema.to_document())
    assert pv.Schema.from_document(tomllib.loads(text)) == schema


def test_an_analysis_file_holds_schema_model_and_budget(tmp_path: Path, schema: pv.Schema) -> None:
    analysis = pv.Analysis(
        schema, pv.DirichletCategorical("fruit", prior="0.5"), 100, pv.Budget.of("0.25", "1e-6")
    )
    analysis.write(tmp_path / "analysis.toml")
    again = pv.Analysis.read(tmp_path / "analysis.toml")
    assert again == analysis
    assert again.plan().records == 100
    assert pv.Schema.read(tmp_path / "analysis.toml") == schema


@pytest.mark.parametrize(
    ("ask", "says"),
    [
        ("records = 100", "epsilon"),
        ('records = "many"\nepsilon = 1', "whole number"),
        ("records = 100\nepsilon = 0", "epsilon is out of range"),
        ('records = 100\nepsilon = "1e400"', "epsilon"),
        ('records = 100\nepsilon = 1\nneighbours = "both"', "neighbour"),
        ("records = 100\nepsilon = 1\nseed = 3", "unknown entry"),
    ],
)
def test_a_bad_analysis_file_is_refused(ask: str, says: str, tmp_path: Path, schema: pv.Schema) -> None:
    schema.write(tmp_path / "a.toml")
    text = (tmp_path / "a.toml").read_text()
    model = '[model]\nfamily = "dirichlet-categorical"\ncolumns = ["fruit"]\n'
    (tmp_path / "a.toml").write_text(f"{text}\n{model}\n[ask]\n{ask}\n")
    with pytest.raises(pv.PriviorError, match=says):
        pv.Analysis.read(tmp_path / "a.toml")


ODD = ["07", "+7", "-0", " 7", "7.0", "true", "", "\u0667", "2020-1-2", "20200102", "2020-13-01", "9" * 5000]


@pytest.mark.parametrize("column", [pv.Integer(-3, 12), pv.Date("2019-12-30", "2020-03-02")])
def test_codes_are_computed_as_if_they_were_looked_up(column: pv.Integer | pv.Date) -> None:
    """T40: numbers and days are not listed to find one of them, and the answer is the same."""
    values: list[object] = [*column.labels, *column.values, *ODD, True, None, 13, -4, 7.0, date(2020, 3, 3)]
    for value in values:
        listed = str(value).lower() if isinstance(value, bool) else str(value)
        if listed in column.labels:
            assert column.code(value) == column.labels.index(listed)
        else:
            with pytest.raises(pv.SchemaError, match="not a level"):
                column.code(value)
