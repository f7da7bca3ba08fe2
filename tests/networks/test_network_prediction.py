"""Predictions of a network: averages of P(y | x, theta) over draws, whatever is known of a row."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from network_cases import Invented, by_brute_force

import privior as pv
from privior.posterior.networks.elimination import Elimination
from privior.posterior.networks.prediction import Predictor
from privior.schema.cells import cell_code
from privior.schema.columns import Column
from privior.tables import open_table

FEATURES = ("colour", "size", "wet")


@cache
def classifier() -> Any:
    """Naive Bayes of a class of three levels by three features, from a noisy release."""
    schema = pv.Schema(
        {
            "kind": pv.Categorical(["oak", "elm", "ash"]),
            "colour": pv.Categorical(["red", "green"]),
            "size": pv.Integer(0, 3),
            "wet": pv.Boolean(),
        },
        population="wood",
        unit="tree",
    )
    rng = np.random.default_rng(4)
    kind = rng.integers(0, 3, 500)
    table = pa.table(
        {
            "kind": np.array(["oak", "elm", "ash"])[kind],
            "colour": np.where(rng.random(500) < 0.2 + 0.3 * kind, "red", "green"),
            "size": np.clip(rng.poisson(kind), 0, 3),
            "wet": rng.random(500) < 0.4,
        }
    )
    plan = pv.plan(pv.NaiveBayes("kind", FEATURES, prior=1), schema, records=500, epsilon=2)
    return pv.infer(pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="wood", epsilon=2)))


ROWS: dict[str, list[Any]] = {
    "colour": ["red", "green", "red", None],
    "size": [0, 3, 2, 1],
    "wet": [True, False, True, False],
}


def test_chances_are_averages_of_the_conditional_chance_and_not_of_the_joint_one() -> None:
    posterior = classifier()
    found, theta = posterior.predict_proba(ROWS), posterior.kept
    every = np.linspace(0, len(theta) - 1, 1000).astype(int)
    tables = {
        node: Elimination(posterior.model, posterior.schema).table(theta[every], node) for node in FEATURES
    }
    joint = Elimination(posterior.model, posterior.schema).table(theta[every], "kind").copy()
    for node, code in (("colour", 0), ("size", 0), ("wet", 1)):
        joint *= tables[node][:, :, code]
    conditional = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
    assert np.allclose(found[0], conditional, rtol=0, atol=1e-12)
    other = joint.mean(axis=0) / joint.mean(axis=0).sum()
    assert np.abs(found[0] - other).max() > 1e-8  # far more than what is accepted above, whatever the noise
    assert np.allclose(found.sum(axis=1), 1)
    assert list(posterior.predict(ROWS)) == [["oak", "elm", "ash"][k] for k in found.argmax(axis=1)]
    ends = posterior.predict_interval(ROWS, 0.8)
    assert ends.shape == (4, 3, 2)
    assert ((ends[..., 0] < found) & (found < ends[..., 1])).all()
    asked = posterior.probability({"kind": "ash"}, {"size": 1, "wet": False})  # over all draws that are kept
    assert found[3, 2] == pytest.approx(asked.mean, abs=0.01)


def test_answers_of_a_network_say_that_they_rest_on_its_graph() -> None:
    for text in ("P(kind=oak | wet=true)", "mean(size)", "P(wet=true | kind=oak) - P(wet=true | kind=elm)"):
        answer = pv.ask(classifier(), text)
        assert answer.to_document()["provided"] == "the graph holds"
        assert ", if the graph holds" in str(answer)


def test_frames_of_all_kinds_are_read_alike() -> None:
    posterior = classifier()
    expected = posterior.predict_proba(ROWS)
    frames = (
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).assign(kind="oak", size=pd.array([0, 3, 2, 1], dtype="Int64")),
        pd.DataFrame(ROWS).astype({"colour": "category", "size": "float32"}),
        pl.DataFrame(ROWS),
        pa.table(ROWS),
        {**ROWS, "size": np.array([0.0, 3.0, 2.0, 1.0]), "kind": ["elm"] * 4, "wet": ["yes", "n", "T", "0"]},
        {
            **ROWS,
            "size": [-7, 2.5, 1.6, "1.2"],
            "number": [1, 2, 3, 4],
        },  # clamped and rounded, and a column beside
        {"wet": ROWS["wet"], "size": ROWS["size"], "colour": ["red", "green", "red", float("nan")]},
    )
    for frame in frames:
        assert np.array_equal(posterior.predict_proba(frame), expected)
    short = {name: ROWS[name] for name in ("size", "wet")}  # what is left out is not known
    nothing = posterior.predict_proba({**ROWS, "colour": [None, "", pd.NA, np.nan]})
    assert np.array_equal(posterior.predict_proba(short), nothing)
    assert posterior.predict_proba({name: [] for name in FEATURES}).shape == (0, 3)


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        ({**ROWS, "colour": ["red", "blue", "red", "red"]}, "row 2"),
        ({**ROWS, "size": ["?", 1, 1, 1]}, "row 1"),
        ({**ROWS, "wet": [True, [1], True, True]}, "row 2"),
        ({"color": ROWS["colour"], "size": ROWS["size"]}, "colour"),
        ({**ROWS, "wet": [True]}, "one length"),
        ({**ROWS, "wet": "yes"}, "list of cells"),
        ([ROWS], "named columns"),
        (pl.DataFrame(ROWS).lazy(), "named columns"),
        ({}, "columns"),
    ],
)
def test_what_cannot_be_read_is_told(frame: Any, said: str) -> None:
    with pytest.raises(pv.InferenceError, match=said):
        classifier().predict(frame)


def test_an_unknown_level_is_an_error_that_says_what_to_do() -> None:
    with pytest.raises(pv.InferenceError) as caught:
        classifier().predict({**ROWS, "colour": ["red", "blue", "red", "red"]})
    assert "None" in str(caught.value.advice)
    assert "green" in str(caught.value.advice)  # as which the table's own bad cells were counted
    assert "blue" in str(caught.value.asked)


def test_any_column_of_a_network_is_predicted_whatever_else_is_known() -> None:
    """Against brute force, for every pattern of known columns of an invented network."""
    made = Invented.of(10, 1)
    names = list(made.parents)[:5]
    parents = {name: [one for one in made.parents[name] if one in names][:2] for name in names}
    model, schema = pv.BayesianNetwork(parents, prior=1), made.schema
    known, rng = Elimination(model, schema), np.random.default_rng(1)
    tables = {
        node: rng.dirichlet(np.ones(shape[-1]), size=(2, *shape[:-1])) for node, shape in known.shapes.items()
    }
    theta = np.concatenate([tables[node].reshape(2, -1) for node in model.columns], axis=1)
    for target in (names[0], names[3]):
        predictor = Predictor(known, theta, target)
        sizes = [known.shapes[name][-1] for name in predictor.known]
        patterns = list(product((False, True), repeat=4)) * 2
        codes = np.array(
            [[rng.integers(s) if on else -1 for s, on in zip(sizes, p, strict=True)] for p in patterns]
        )
        seen = set()
        for rows, which, different in predictor.chances(codes):
            chances = different[which]
            for row, found in zip(rows, chances, strict=True):
                seen.add(int(row))
                given = {n: int(c) for n, c in zip(predictor.known, codes[row], strict=True) if c >= 0}
                for draw, level in product(range(2), range(predictor.levels)):
                    one = {node: table[draw] for node, table in tables.items()}
                    true = by_brute_force(parents, one, {target: level}, given)
                    assert found[level, draw] == pytest.approx(true)
        assert seen == set(range(len(codes)))


def test_many_features_and_impossible_rows() -> None:
    """Products of a thousand small chances are no zero; a row without a chance in any draw is told."""
    names = [f"f{place}" for place in range(1000)]
    columns = {"y": pv.Boolean(), **dict.fromkeys(names, pv.Integer(0, 999))}
    schema = pv.Schema(columns, population="x", unit="y")
    model = pv.BayesianNetwork({"y": [], "f0": ["y"], "f1": ["f0"]}, prior=1)
    flat = np.concatenate([np.full(2, 0.5), np.full(2000, 1e-3), np.full(1_000_000, 1e-3)])[None]
    ((_, _, found),) = Predictor(Elimination(model, schema), flat, "y").chances(np.array([[-1, 3]]))
    assert np.allclose(found, 0.5)
    wide = pv.NaiveBayes("y", names[:400], prior=1)
    small = pv.Schema(
        {"y": pv.Boolean(), **dict.fromkeys(names[:400], pv.Integer(0, 9))}, population="x", unit="y"
    )
    theta = np.concatenate([[0.5, 0.5], np.tile([1e-3, 2e-3] + [0.1] * 18, 400)])[None]
    tables = theta[:, 2:].reshape(1, 400, 2, 10)
    tables[:, :, 0], tables[:, :, 1] = 1e-3, 1e-3
    ((_, _, found),) = Predictor(Elimination(wide, small), theta, "y").chances(np.zeros((1, 400), dtype=int))
    assert np.allclose(found, 0.5)
    sure = pv.BayesianNetwork({"y": [], "f0": ["y"]}, prior=1)
    two = pv.Schema({"y": pv.Boolean(), "f0": pv.Boolean()}, population="x", unit="y")
    theta = np.array([[0.5, 0.5, 1.0, 0.0, 1.0, 0.0]])
    ((_, _, found),) = Predictor(Elimination(sure, two), theta, "y").chances(np.array([[1]]))
    assert np.isnan(found).all()


def test_a_target_is_named_unless_the_model_has_one() -> None:
    posterior = classifier()
    assert posterior.model.target == "kind"
    wet = posterior.predict_proba({"kind": ["ash"], "colour": [None], "size": [None]}, target="wet")
    assert wet[0, 1] == pytest.approx(posterior.table("wet").mean()[2, 1], abs=0.01)
    assert posterior.predict({"kind": ["ash"]}, target="wet").dtype == bool
    for target, said in (("snow", "not a column"), (None, "not said which")):
        with pytest.raises(pv.InferenceError, match=said):
            _without_target().predict({"a": [True]}, target=target)


@cache
def _without_target() -> Any:
    schema = pv.Schema({"a": pv.Boolean(), "b": pv.Boolean()}, population="p", unit="u")
    plan = pv.plan(pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=1), schema, records=4, epsilon=1)
    table = pa.table({"a": [True, False, True, True], "b": [True] * 4})
    return pv.infer(pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="p")))


CELLS: list[tuple[Column, list[object]]] = [
    (pv.Categorical(["a", "b", "1", "True"]), ["a", "b", "1", 1, 1.0, Decimal("1.00"), True]),
    (pv.Boolean(), ["yes", "F", "1", 0, True, False, "TRUE", 1.0]),
    (pv.Integer(-3, 9), ["3", 2.5, -2.5, 3.5, "1e1", -40, 8.4999, "0.49999999999999994", True, float("inf")]),
    (pv.Bounded(0, 2, grid="0.5"), [0.25, 0.7, "1.25", 5, -1, 1.75, "1.7499999"]),
    (pv.Binned([0, "0.7", 2, 5]), [0.7, 0.69999999, 2, 9, -3, "4.9", 5]),
    (
        pv.Date("2020-01-01", "2020-12-31"),
        ["2020-02-03", date(2020, 5, 1), "2020-02-03T04:05:06", datetime(2020, 5, 1, 23, 59), "2031-01-01"],
    ),
]


@pytest.mark.parametrize(("column", "cells"), CELLS, ids=lambda one: getattr(one, "kind", ""))
def test_a_cell_has_the_code_by_which_the_engine_counts_it(column: Column, cells: list[object]) -> None:
    schema = pv.Schema({"x": column}, population="p", unit="u")
    model = pv.DirichletCategorical("x", prior=1)
    for cell in cells:
        table = open_table(pa.table({"x": [cell]}), schema, ("x",), ())
        (counted,) = model.counted(table.read(*model.readings(schema, pv.ADD_OR_REMOVE_ONE)))
        assert np.flatnonzero(counted).tolist() == [cell_code(column, cell)], cell
