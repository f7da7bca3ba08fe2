"""Formulas of regressions, and the features that a schema makes of them."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.arrays import Floats, Integers
from privior.errors import ModelError
from privior.models import Design, Formula, to_model
from privior.testing.small_tables import codes

SCHEMA = pv.Schema(
    {
        "income": pv.Integer(0, 8),
        "age": pv.Integer(20, 26),
        "height": pv.Bounded("1.5", 2, grid="0.25"),
        "sex": pv.Categorical(["male", "female"]),
        "town": pv.Categorical(["Oslo", "Bergen", "else"]),
        "day": pv.Date("2026-01-01", "2026-01-09"),
        "hours a week": pv.Binned([0, 20, 40, 60]),
    },
    population="people",
    unit="person",
)
FORMULAS = [
    "income ~ age",
    "income ~ sex",
    "income ~ town",
    "income ~ age + sex + age:sex",
    "income ~ age*height*town",
    "income ~ age:town",
    "income ~ age + town - 1",
    "income ~ age + sex - 1",
    "income ~ height - 1",
    "income ~ age*town - 1",
    "income ~ age:town - 1",
    "income ~ age:sex",
    "income ~ town + age:town",
    "income ~ sex + age:sex",
    "income ~ sex:town",
    "income ~ town + sex:town",
    "income ~ town*sex - 1",
    "income ~ age + age:sex:town",
    "income ~ sex:town + age:sex:town",
    "income ~ age:height:town + height*sex - 1",
]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("income~age", "income ~ age"),
        ("income ~ age*sex", "income ~ age + sex + age:sex"),
        ("income ~ 1 + age - 1", "income ~ age - 1"),
        ("income ~ -1 + age", "income ~ age - 1"),
        ("income ~ - 1 + age*sex", "income ~ age + sex + age:sex - 1"),
        ("income ~ +1 + age", "income ~ age"),
        ("income ~ sex:age + age:sex + age", "income ~ age + sex:age"),
        ("income ~ 'hours a week' + \"age\"", "income ~ 'hours a week' + age"),
        ("y ~ a*b*c", "y ~ a + b + c + a:b + a:c + b:c + a:b:c"),
        ("y ~ a:b*c", "y ~ c + a:b + a:b:c"),
    ],
)
def test_formulas_are_read_and_written(text: str, written: str) -> None:
    assert str(Formula.parse(text)) == written
    assert Formula.parse(written) == Formula.parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "income", "~ age", "income ~", "income ~ age +", "income ~ log(age)", "income ~ age - sex"),
        *("income ~ 2", "income ~ income", "income ~ age ^ 2", "income ~ (age)", "income ~ age sex"),
        *("income ~ age:", "y ~ a % b", "income ~ -", "income ~ - age", "income ~ -1", "income ~ --1 + age"),
    ],
)
def test_what_is_no_formula_is_refused(text: str) -> None:
    with pytest.raises(ModelError):
        pv.LinearRegression(text)


def test_columns_may_be_listed_instead() -> None:
    listed = pv.LinearRegression(target="income", features=["age", "sex"])
    assert listed == pv.LinearRegression("income ~ age + sex")
    assert to_model({"family": "linear-regression", "target": "income", "features": ["age", "sex"]}) == listed
    for wrong in ({"formula": "a ~ b", "target": "a"}, {"target": "a"}, {"target": "a", "features": 3}, {}):
        with pytest.raises(ModelError):
            pv.LinearRegression(**wrong)


@pytest.mark.parametrize("text", FORMULAS)
def test_no_record_is_longer_than_the_number_of_terms_and_some_is_as_long(text: str) -> None:
    """The exact bound of the squared norm, over all records that the schema allows."""
    model = pv.LinearRegression(text)
    design, every = model.design(SCHEMA), codes(model, SCHEMA)
    columns = {name: every[:, place] for place, name in enumerate(model.columns)}
    squares = sum(
        Fraction(1, one.reach**2) * one.summand.of(columns).astype(object) ** 2 for one in design.features
    )
    assert max(squares) == design.terms
    target = design.target.factor.of(columns["income"])
    assert np.abs(target).max() == design.target.reach


@pytest.mark.parametrize("text", FORMULAS)
def test_coefficients_are_of_the_columns_as_they_are(text: str) -> None:
    """Weights of features in [-1, 1], and coefficients of values and levels, say the same of every record."""
    model = pv.LinearRegression(text)
    design, rng = model.design(SCHEMA), np.random.default_rng(0)
    weights = rng.standard_normal(1 + len(design.features)) * ([1] + [1] * len(design.features))
    weights[0] *= design.formula.intercept
    matrix = np.array([[float(one) for one in row] for row in design.coefficients])
    coefficients = dict(zip(design.names, matrix @ weights, strict=True))
    every = codes(model, SCHEMA)[::7]
    columns = {name: every[:, place] for place, name in enumerate(model.columns)}
    scaled = weights[0] + sum(
        weight * one.summand.of(columns) / one.reach
        for weight, one in zip(weights[1:], design.features, strict=True)
    )
    found = np.full(len(every), coefficients.get("intercept", 0.0))
    for feature in design.features:
        value = np.ones(len(every))
        for part in feature.parts:
            kind, code = SCHEMA.column(part.factor.column), columns[part.factor.column]
            if isinstance(kind, pv.Integer):
                value = value * (kind.lower + code)
            elif isinstance(kind, pv.Bounded):
                value = value * (float(kind.lower) + float(kind.grid) * code)
            else:
                value = value * (np.array(kind.labels)[code] == part.label)
        found += coefficients[feature.name] * value
    assert np.allclose(found, np.asarray(scaled, np.float64))


def test_features_have_names_that_people_use() -> None:
    assert Design(Formula.parse("income ~ age*sex + town"), SCHEMA).names == (
        *("intercept", "age", "sex[female]", "town[Bergen]", "town[else]", "age:sex[female]"),
    )
    assert Design(Formula.parse("income ~ town - 1"), SCHEMA).names == (
        "town[Oslo]",
        "town[Bergen]",
        "town[else]",
    )


def values(design: Design, every: Integers) -> Floats:
    """The intercept and the features of all records, one a row."""
    columns = {name: every[:, place] for place, name in enumerate(design.formula.columns)}
    found = [one.summand.of(columns) / one.reach for one in design.features]
    return np.column_stack([*([np.ones(len(every))] if design.formula.intercept else []), *found])


def by_every_level(formula: Formula, every: Integers) -> Floats:
    """What the terms stand for: 1, and each term's numbers times the indicators of all cells of levels."""
    found = [np.ones((len(every), 1))] if formula.intercept else []
    for term in formula.terms:
        here: Any = np.ones((len(every), 1))
        for name in term:
            part: Any
            kind, codes_of = SCHEMA.column(name), every[:, formula.columns.index(name)]
            if isinstance(kind, pv.Integer):
                part = (kind.lower + codes_of)[:, np.newaxis].astype(np.float64)
            elif isinstance(kind, pv.Bounded):
                part = (float(kind.lower) + float(kind.grid) * codes_of)[:, np.newaxis]
            else:
                part = np.eye(kind.size)[codes_of]
            here = np.einsum("ri,rj->rij", here, part).reshape(len(every), -1)
        found.append(here)
    return np.column_stack(found)


@pytest.mark.parametrize("text", FORMULAS)
def test_every_level_of_what_is_asked_has_its_part_and_no_feature_repeats_others(text: str) -> None:
    """Features are independent, and span what the terms stand for: no slope is fixed at 0 without a word."""
    model = pv.LinearRegression(text)
    every = codes(model, SCHEMA)
    design = model.design(SCHEMA)
    coded, wanted = values(design, every), by_every_level(design.formula, every)
    rank = np.linalg.matrix_rank(coded)
    assert rank == coded.shape[1]
    assert rank == np.linalg.matrix_rank(wanted)
    assert rank == np.linalg.matrix_rank(np.column_stack([coded, wanted]))


@pytest.mark.parametrize("text", ["income ~ age:town", "income ~ age*town - 1", "income ~ sex:town"])
def test_plans_of_earlier_versions_keep_their_features(text: str) -> None:
    """They name no coding: first levels are left out, whatever that leaves without a slope or repeats."""
    model = pv.LinearRegression(text)
    written = model.to_document()
    assert written.pop("coding") == "margins"
    earlier = to_model(written, stored=True)
    assert earlier != model
    assert earlier.to_document() == written
    assert isinstance(earlier, pv.LinearRegression)
    every, design = codes(model, SCHEMA), earlier.design(SCHEMA)
    wanted = np.linalg.matrix_rank(by_every_level(design.formula, every))
    found = values(design, every)
    assert found.shape[1] > wanted or np.linalg.matrix_rank(found) < wanted
    with pytest.raises(ModelError, match="coding"):
        to_model({**written, "coding": "other"})
    for family in (
        {},
        {"family": "logistic-regression"},
        {"family": "gibbs-posterior", "loss": {"loss": "logistic"}},
    ):
        said = {**written, **family, "formula": text.replace("income", "yes")}
        said.pop("prior")
        assert to_model(to_model(said).to_document(), stored=True) == to_model(said)
        assert to_model(said, stored=True) != to_model(said)


def test_formulas_whose_products_have_their_parts_have_the_files_they_had() -> None:
    for text in ("income ~ age*sex", "income ~ age + town - 1", "income ~ age*height*town"):
        model = pv.LinearRegression(text)
        assert "coding" not in model.to_document()
        assert to_model(model.to_document(), stored=True) == model


def test_a_plan_with_every_slope_is_read_back() -> None:
    """Its digest says which coding it has."""
    model = pv.LinearRegression("income ~ age:town")
    plan = pv.plan(model, SCHEMA, records=5000, epsilon=5)
    again = pv.Plan.from_document(plan.to_document())
    assert again == plan
    assert again.digest == plan.digest
    assert model.design(SCHEMA).names == (
        "intercept",
        *(f"age:town[{one}]" for one in ("Oslo", "Bergen", "else")),
    )


def test_what_does_not_fit_is_refused() -> None:
    facts = {"records": 50, "epsilon": 1}
    for text in ("sex ~ age", "income ~ day", "day ~ age", "town ~ age"):
        with pytest.raises(ModelError):
            pv.plan(pv.LinearRegression(text), SCHEMA, **facts)  # type: ignore[arg-type]
    with pytest.raises(pv.SchemaError):
        pv.plan(pv.LinearRegression("income ~ nowhere"), SCHEMA, **facts)  # type: ignore[arg-type]
    several = pv.Schema(
        dict(SCHEMA.columns), population="people", unit=pv.Unit("person", column="who", max_rows=2)
    )
    with pytest.raises(ModelError, match="one row of each unit"):
        pv.plan(pv.LinearRegression("income ~ age"), several, **facts)  # type: ignore[arg-type]
    dropped = pv.Schema(
        {**SCHEMA.columns, "age": pv.Integer(20, 26, missing=pv.DROP)}, population="people", unit="person"
    )
    with pytest.raises(ModelError, match="dropped under replace-one"):
        pv.plan(pv.LinearRegression("income ~ age"), dropped, **facts)  # type: ignore[arg-type]


def test_priors_are_written_and_refused() -> None:
    for prior in (
        "learned",
        pv.Shrinkage(heavy_tails=True),
        pv.Shrinkage(heavy_tails=False),
        pv.Ridge("0.5"),
        pv.OwnCoefficients({"age": (0, 2)}),
    ):
        model = pv.LinearRegression("income ~ age", prior=prior)
        assert to_model(model.to_document()) == model
        assert hash(to_model(model.to_document())) == hash(model)
    wrongs: list[object] = ["flat", {"ridge": "0"}, {"ridge": "-1"}, {"lasso": 1}, 3]
    wrongs += [{"coefficients": {"age": [1]}}, {"shrinkage": "light"}, {"shrinkage": ["normal"]}]
    for wrong in wrongs:
        with pytest.raises(pv.PriviorError):
            pv.LinearRegression("income ~ age", prior=wrong)
    model = pv.LinearRegression("income ~ age", prior=pv.OwnCoefficients({"sex": (0, 1)}))
    with pytest.raises(ModelError, match="every coefficient"):
        pv.plan(model, SCHEMA, records=50, epsilon=1)


def test_own_beliefs_about_coefficients_are_those_of_the_weights() -> None:
    """Drawn weights, turned into coefficients, have the means and deviations that were said."""
    said = {"age": (3, 2), "sex[female]": (-1, "0.5"), "age:sex[female]": ("0.25", 1)}
    design = pv.LinearRegression("income ~ age*sex").design(SCHEMA)
    mean, covariance = pv.OwnCoefficients(said).normal(design)
    matrix = np.array([[float(one) for one in row[1:]] for row in design.coefficients[1:]])
    turn = 2 * float(design.target.half) / np.sqrt(design.terms) * matrix
    assert np.allclose(turn @ mean, [3, -1, 0.25])
    assert np.allclose(turn @ covariance @ turn.T, np.diag([4, 0.25, 1]))


def test_every_pair_of_levels_of_one_column_is_left_out() -> None:
    """What is 0 or known for every record costs nothing."""
    layout = pv.LinearRegression("income ~ town + sex").layout(SCHEMA, pv.REPLACE_ONE)
    named = {tuple(factor.column for factor in key or ()) for key in layout.published}
    assert ("town", "town") not in named
    assert () not in named
    assert ("sex", "sex") not in named
    counted = pv.LinearRegression("income ~ town + sex").layout(SCHEMA, pv.ADD_OR_REMOVE_ONE)
    assert () in counted.published
    assert len(counted.published) == len(layout.published) + 1


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("income ~ age + sex", {}),
        ("income ~ town", {"intercept": 1, "town[Bergen]": 0, "town[else]": 0}),
        ("income ~ age*town", {"age": 1, "age:town[Bergen]": 0, "age:town[else]": 0}),
        ("income ~ sex*town", {"sex[female]": 1, "sex[female]:town[Bergen]": 0, "sex[female]:town[else]": 0}),
        ("income ~ age:town", {}),
        ("income ~ age + town - 1", {}),
    ],
)
def test_a_level_without_a_feature_has_an_effect_as_the_others_have(text: str, first: dict[str, int]) -> None:
    """Adding it changes the first level alone: 1 there and 0 at others, by what stands for the rest."""
    design = pv.LinearRegression(text).design(SCHEMA)
    effects, many = design.effects, len(design.features)
    assert np.array_equal(effects[:many], np.eye(many))
    found = [dict(zip(design.names[1:], row, strict=True)) for row in effects[many:]]
    wanted = [name for name in first if name.endswith("[else]")]
    rows = [row for row in found if wanted and row[wanted[0]]]
    assert len(rows) == len(wanted)
    for row in rows:
        row["intercept"] = 1.0  # which no prior shrinks
        without = next(name for name, one in first.items() if one)
        assert {name: value for name, value in row.items() if value and name != "intercept"} == {
            name: 1.0 if one else -1.0 for name, one in first.items() if name != "intercept"
        }
        assert all(row[without] + row[name] == 0 for name, one in first.items() if not one)


LEVELS = {"c": "pqr", "d": "uvw", "s": "mf"}


def cells_by_features(design: Design) -> tuple[list[dict[str, Any]], np.ndarray]:
    """Every record that there can be, but of numbers their ends alone, and its features."""
    names = design.formula.columns[1:]
    values = [design.schema.column(name).labels for name in names]
    ends = [each if name in LEVELS else (each[0], each[-1]) for name, each in zip(names, values, strict=True)]
    records, rows = [], []
    for record in itertools.product(*ends):
        known = dict(zip(names, record, strict=True))
        codes = {
            name: np.array([design.schema.column(name).labels.index(one)]) for name, one in known.items()
        }
        parts = [
            [part.factor.of(codes[part.factor.column])[0] / part.reach for part in one.parts]
            for one in design.features
        ]
        records.append(known)
        rows.append([np.prod(one) for one in parts])
    order = sorted(range(len(records)), key=lambda place: sorted(map(str, records[place].items())))
    return [records[place] for place in order], np.array(rows)[order]


def with_levels(turn: tuple[int, int, int]) -> pv.Schema:
    """Three columns of levels, each listed from another one on, and a number."""
    turned = {name: some[at:] + some[:at] for (name, some), at in zip(LEVELS.items(), turn, strict=True)}
    columns = {name: pv.Categorical(list(some)) for name, some in turned.items()}
    numbers = {"y": pv.Integer(0, 9), "a": pv.Integer(0, 4)}
    return pv.Schema({**numbers, **columns}, population="few", unit="person")


SHAPES = [
    *("c", "s", "c + d", "c:d", "c:s", "a:c", "a:s", "c + c:d", "c + c:s", "c*d", "s*c", "a*c", "a + a:c"),
    *("a:c + a:d", "c:d + c:s", "a*c*s", "c*d*s", "-1 + s", "-1 + c + d", "-1 + s + c", "-1 + c:d + s"),
    *("-1 + c:d + c:s", "a:c:d + a:c + c:d", "a + c:d + d:s + a:s"),
]


@pytest.mark.parametrize("shape", SHAPES)
def test_the_order_of_levels_says_nothing_beforehand(shape: str) -> None:
    """What is believed of the lines of all records, but for the intercept, is the same in every order."""
    found = []
    for turn in itertools.product(range(3), range(3), range(2)):
        design = pv.LinearRegression(f"y ~ {shape}").design(with_levels(turn))
        _, rows = cells_by_features(design)
        rows = rows - rows.mean(axis=0) if design.formula.intercept else rows
        found.append(rows @ design.effects.T @ design.effects @ rows.T)
    assert all(np.allclose(one, found[0]) for one in found)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("coding", ["margins", "first"])
def test_an_effect_is_of_the_records_that_have_some_levels(shape: str, coding: str) -> None:
    """Each row is a product of numbers and of whether a record has some levels, but for the intercept."""
    design = Design(Formula.parse(f"y ~ {shape}", coding), with_levels((0, 0, 0)))
    records, rows = cells_by_features(design)
    middle = np.eye(len(rows)) - (1 / len(rows) if design.formula.intercept else 0)
    named = [name for name in LEVELS if name in design.formula.columns]
    ways = {name: [[one[name] == label for one in records] for label in LEVELS[name]] for name in named}
    if "s" in ways:
        ways["s"].append([1 if one["s"] == "f" else -1 for one in records])
    if "a" in design.formula.columns:
        ways["a"] = [[int(one["a"]) / 4 for one in records], [int(one["a"]) / 2 - 1 for one in records]]
    known = [
        middle @ np.prod(np.array(some, np.float64), axis=0)
        for term in design.formula.terms
        for some in itertools.product(*(ways[name] for name in term))
    ]
    for effect in design.effects:
        assert np.abs(np.array(known) - middle @ rows @ effect).max(axis=1).min() < 1e-9
