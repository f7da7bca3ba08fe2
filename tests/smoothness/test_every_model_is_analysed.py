"""Whatever model a file can name is analysed: as text, as JSON and as pictures; bad distances are refused."""

from __future__ import annotations

import json
import math
from itertools import pairwise, product
from typing import Any

import family_cases
import finite_cases
import joint_cases
import pytest
from analysed import analysed

import privior as pv
from privior.models import MODELS, JointFamily, Model, to_model
from privior.smoothness import subject_of

STATES = pv.Schema(
    {"state": pv.Categorical(["well", "ill"]), "next": pv.Categorical(["well", "ill"])},
    population="clinic",
    unit="transition",
)
EVERY: list[tuple[Model, pv.Schema]] = [
    *((case.model, family_cases.SCHEMA) for case in family_cases.CASES),
    *((case.cut, family_cases.SCHEMA) for case in family_cases.CASES[::3]),
    *((case.model, joint_cases.SCHEMA) for case in joint_cases.CASES),
    *((case.cut, joint_cases.SCHEMA) for case in joint_cases.CASES if case.cut not in (None, case.model)),
    *((model, finite_cases.SCHEMA) for model in finite_cases.CASES.values()),
    (pv.BetaBernoulli("sick", pv.Reweighted(pv.Beta(2, 3), 1)), family_cases.SCHEMA),
    (pv.DirichletCategorical(["state", "next"], 2), STATES),
    (pv.MarkovChain("state", "next", "1/2"), STATES),
]
#: draws of their tables are not released
REFUSED: list[Model] = [
    pv.LinearRegression("y ~ x"),
    pv.LogisticRegression("y ~ x"),
    pv.GibbsPosterior(pv.LogisticLoss(), "y ~ x"),
    pv.BayesianNetwork({"state": [], "next": ["state"]}, prior=1),
    pv.NaiveBayes("state", ["next"], prior=1),
]
NAMES = [f"{model.family}-{place}" for place, (model, _) in enumerate(EVERY)]


def test_every_family_that_a_file_can_name_is_here() -> None:
    named = {kind.family for kind in MODELS}
    assert {model.family for model, _ in EVERY} == named - {model.family for model in REFUSED}


@pytest.mark.parametrize("model", REFUSED, ids=lambda model: str(model.family))
def test_other_models_are_refused(model: Model) -> None:
    with pytest.raises(pv.ModelError, match="cannot be analysed"):
        pv.analyse(model, STATES, records=5)


@pytest.mark.parametrize(
    ("model", "schema"),
    [
        # a mean and a precision are analysed once; other tests look at how a cut changes what is found
        pytest.param(*one, id=name, marks=[pytest.mark.slow] if name == "normal-mean-precision-14" else [])
        for one, name in zip(EVERY, NAMES, strict=True)
    ],
)
def test_it_is_told_as_text_as_json_and_as_pictures(model: Model, schema: pv.Schema) -> None:
    made = analysed(to_model(model.to_document()), schema, records=12, draws=2)
    words = dict(made.facts())
    assert words["model"] == str(model)
    assert all(len(text) > 5 for name, text in words.items() if name not in ("records", "draws"))
    assert ("infinite" in words["Assumption 1"]) == math.isinf(made.slope)
    assert words["Assumption 1"].startswith("does not hold" if math.isinf(made.slope) else "holds")
    assert made.epsilon <= 2 * made.subject.oscillation * (1 + 1e-9)
    if math.isfinite(made.slope):
        assert made.epsilon <= made.printed_epsilon * (1 + 1e-9)
    if made.necessary is not None:
        assert made.necessary <= made.epsilon
    bound = None if made.variation is None else made.variation.better
    assert words["Theorem 8"].startswith("vacuous") == (bound is None or bound >= 1)
    written = json.loads(json.dumps(made.to_document(), allow_nan=False))
    masses = [row["mass"] for row in written["mass"]]
    assert all(-1e-9 <= one <= two + 1e-9 <= 1 + 2e-9 for one, two in pairwise(masses))
    bounded = isinstance(model, JointFamily)
    assert written["mass_is_a_bound"] == bounded
    assert ("by a bound" in words["Assumption 2"]) == bounded
    assert all(row["promised"] <= row["mass"] + 1e-9 for row in written["mass"])
    assert all(row["best_guess"][0] <= 1 for row in written["tests"])
    for row in written["theorem_17"]:
        assert 0 <= row["prior_lost"] <= 1
        assert 0 <= row["utility_lost"] <= 1
        assert row["epsilon"] <= 2 * row["level"] * row["draws"] * made.subject.distance.reach * (1 + 1e-6)
    assert "slope L" in made.picture().text()
    assert "<figure" in made._repr_html_()
    assert str(made).startswith("model")


@pytest.mark.parametrize(("model", "schema"), EVERY, ids=NAMES)
def test_bad_input_is_refused_and_nothing_is_spent(model: Model, schema: pv.Schema) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"distance": "far"}, "does not fit"),
        ({"distance": lambda one, two: 0.0}, "0 everywhere|too many values"),
        ({"records": 0}, "out of range"),
    ]
    for asked, says in cases:
        with pytest.raises(pv.PriviorError, match=says) as refused:
            pv.analyse(model, schema, **{"records": 5, **asked})
        assert "Nothing was spent" in str(refused.value)
    with pytest.raises(pv.ModelError, match="schema"):
        pv.analyse(model, records=5)


@pytest.mark.parametrize(
    ("model", "schema"),
    [
        (finite_cases.DIE, finite_cases.SCHEMA),
        (pv.MarkovChain("state", "next"), STATES),
        (pv.GammaPoisson("events"), family_cases.SCHEMA),
        *(case.small for case in joint_cases.CASES),
    ],
    ids=lambda one: getattr(one, "family", None),
)
def test_a_distance_that_is_not_sufficient_is_refused(model: Any, schema: pv.Schema) -> None:
    columns = [schema.column(name).values for name in model.columns]
    values: list[Any] = list(columns[0]) if len(columns) == 1 else list(product(*columns))
    half = values[: len(values) // 2]

    def half_only(one: object, two: object) -> float:
        return float((one in half) != (two in half))

    with pytest.raises(pv.ModelError, match="not sufficient"):
        pv.analyse(model, schema, records=5, distance=half_only)


def test_a_chain_is_a_table_of_its_transitions() -> None:
    chain = analysed(pv.MarkovChain("state", "next", 2), STATES, records=50)
    table = analysed(pv.DirichletCategorical(["state", "next"], 2), STATES, records=50)
    assert chain.delta(1.0) == table.delta(1.0)
    assert chain.concentration == table.concentration
    assert str(chain.subject.words).startswith("MarkovChain")
    whole = pv.Schema(
        {"state": pv.Boolean(), "next": pv.Boolean()},
        population="clinic",
        unit=pv.Unit("patient", column="id", max_rows=5),
    )
    with pytest.raises(pv.ModelError, match=r"one row of each unit\n  asked: max_rows 5"):
        subject_of(pv.MarkovChain("state", "next"), whole, None)
