"""A hundred features for models that look at records, sixty for moments; and how much memory they take."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.errors import ModelError, PlanError

RECORDS = 2000


def schema(features: int) -> pv.Schema:
    columns = {f"x{i}": pv.Boolean(missing=False) for i in range(features)}
    target = pv.Bounded(-1, 1, grid="0.1", missing=0)
    return pv.Schema(
        {"yes": pv.Boolean(missing=False), "much": target, **columns}, population="p", unit="person"
    )


def formula(target: str, features: int) -> str:
    return f"{target} ~ " + " + ".join(f"x{i}" for i in range(features))


def rows(features: int) -> pa.Table:
    generator = np.random.default_rng(2)
    names = ["yes", *(f"x{i}" for i in range(features))]
    return pa.table({name: generator.integers(0, 2, RECORDS) > 0 for name in names})


@pytest.mark.parametrize("features", [99, 100])
@pytest.mark.parametrize("kind", ["logistic", "gibbs"])
def test_a_hundred_features_are_released_and_asked(kind: str, features: int) -> None:
    """Gibbs draws of so many weights need a prior next to which few records are little."""
    asked = formula("yes", features)
    model: pv.LogisticRegression | pv.GibbsPosterior
    model = (
        pv.LogisticRegression(asked, prior=2)
        if kind == "logistic"
        else pv.GibbsPosterior("logistic", asked, prior="0.02")
    )
    plan = pv.plan(model, schema(features), records=RECORDS, epsilon=1, delta="1e-5")
    release = pv.measure(plan, rows(features), ledger=pv.Ledger.in_memory(population="p", delta="1e-3"))
    assert release.statistics.layouts[0].shape[-1] == features + 1
    chances = pv.infer(release).predict_proba({f"x{i}": [True, False] for i in range(features)})
    assert chances.shape == (2, 2)
    assert ((chances > 0) & (chances < 1)).all()


def test_more_are_refused_and_moments_of_more_than_sixty() -> None:
    many, wide = schema(101), schema(61)
    for model in (
        pv.LogisticRegression(formula("yes", 101)),
        pv.GibbsPosterior("logistic", formula("yes", 101)),
    ):
        with pytest.raises(ModelError, match="too many features") as refused:
            pv.plan(model, many, records=RECORDS, epsilon=1, delta="1e-5")
        assert "100" in str(refused.value)
    pv.plan(pv.LinearRegression(formula("much", 60)), wide, records=10**6, epsilon=1, delta="1e-5")
    with pytest.raises(ModelError, match="too many features") as refused:
        pv.plan(pv.LinearRegression(formula("much", 61)), wide, records=RECORDS, epsilon=1, delta="1e-5")
    assert "look at records" in str(refused.value)
    with pytest.raises(PlanError, match="intervals rest on noisy sums"):
        pv.plan(
            pv.LogisticRegression(formula("yes", 61)),
            wide,
            records=RECORDS,
            epsilon=1,
            delta="1e-5",
            mechanism=pv.ObjectivePerturbation,
            intervals=True,
        )
    for kind in (pv.GaussianMoments, pv.LaplaceMoments):
        with pytest.raises(PlanError, match="more than 60 features"):
            pv.plan(
                pv.LogisticRegression(formula("yes", 61)),
                wide,
                records=RECORDS,
                epsilon=1,
                delta="1e-5",
                mechanism=kind,
            )


def memory(plan: pv.Plan) -> str:
    return dict(plan.facts())["memory"]


def megabytes(plan: pv.Plan) -> float:
    return float(memory(plan).split()[1])


def test_memory_is_stated_for_the_declared_number_of_records() -> None:
    """Where that is private half of it is guessed for the penalty: the table may have all of it."""

    def planned(relation: pv.Neighbours, records: int, kind: Any = pv.ObjectivePerturbation) -> pv.Plan:
        model = pv.LogisticRegression(formula("yes", 10))
        return pv.plan(
            model,
            schema(10),
            records=records,
            epsilon=1,
            delta="1e-5",
            neighbours=relation,
            mechanism=kind,
        )

    private = planned(pv.ADD_OR_REMOVE_ONE, 2_000_000)
    assert private.mechanism.expected == 1_000_000
    assert memory(private).endswith("for 2000000 records")
    assert memory(private) == memory(planned(pv.REPLACE_ONE, 2_000_000))
    for kind in (pv.GaussianMoments, pv.LaplaceMoments):  # they read all records, too
        few, more = (planned(pv.ADD_OR_REMOVE_ONE, many, kind) for many in (1000, 2_000_000))
        assert 100 < megabytes(few) < 200
        assert megabytes(more) > megabytes(few) + 2_000_000 * 11 / 1e6


@pytest.mark.parametrize("records", [1000, 10_000_000])
def test_moments_that_are_streamed_take_the_same_memory_for_any_number(records: int) -> None:
    model = pv.LinearRegression(formula("much", 10))
    plan = pv.plan(model, schema(10), records=records, epsilon=1, delta="1e-5", mechanism=pv.GaussianMoments)
    assert memory(plan) == "about 170 MB, however many records: sums are added up as rows are read"
