"""What a plan of a regression forecasts: the width of every coefficient, and for how many records."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.testing.small_tables import statistics

SCHEMA = pv.Schema(
    {
        "income": pv.Integer(0, 100_000),
        "age": pv.Integer(18, 90),
        "sex": pv.Categorical(["male", "female"]),
        "town": pv.Categorical(["Oslo", "Bergen", "else"]),
    },
    population="town",
    unit="person",
)
MODEL = pv.LinearRegression("income ~ age*sex + town")


@cache
def planned(epsilon: str, relation: pv.Neighbours, records: int) -> pv.Plan:
    return pv.plan(MODEL, SCHEMA, records=records, epsilon=epsilon, delta="1e-6", neighbours=relation)


def inferred(plan: pv.Plan, people: int) -> Any:
    """Ages, sexes and towns spread evenly; what they explain is about a third of the variance."""
    rng = np.random.default_rng(4)
    age, sex, town = rng.integers(18, 91, people), rng.integers(2, size=people), rng.integers(3, size=people)
    income = 15_000 + 500 * age + 4_000 * sex + 3_000 * (town == 1) + rng.normal(0, 15_000, people)
    codes = np.column_stack([np.clip(income.round().astype(int), 0, 100_000), age - 18, sex, town])
    ledger = pv.Ledger.in_memory(population="town", epsilon=100, delta="1e-2")
    exact = ExactStatistics(statistics(MODEL, SCHEMA, plan.neighbours, codes))
    return pv.infer(measure_statistics(plan, exact, ledger=ledger))


@pytest.mark.parametrize("epsilon", ["1", "10"])
def test_each_coefficient_has_the_width_that_is_forecast(epsilon: str, seeded_noise: None) -> None:
    """Within a factor of 2 either way; the forecasts themselves differ by a factor of hundreds."""
    plan = planned(epsilon, pv.REPLACE_ONE, 5000)
    widths = dict(plan.forecast.widths)
    found = inferred(plan, 5000)
    assert tuple(widths) == MODEL.design(SCHEMA).names
    for name, told in widths.items():
        low, high = found.parameter(name).interval()
        assert 0.5 < (high - low) / told < 2, name
    assert max(widths.values()) > 40 * min(widths.values())


def test_widths_are_in_words_and_in_the_document() -> None:
    plan = planned("1", pv.REPLACE_ONE, 5000)
    facts = dict(plan.facts())
    assert "age:sex[female]" in facts["coefficients"]
    assert "if fewer come" not in facts
    document = json.loads(json.dumps(plan.forecast.to_document()))
    assert set(document) == {"width", "error", "widths"}
    assert document["widths"]["age"] == pytest.approx(dict(plan.forecast.widths)["age"])


def test_without_an_intercept_and_with_a_prior_of_ones_own() -> None:
    own = pv.OwnCoefficients(dict.fromkeys(("age", "sex[male]", "sex[female]"), (0, 10**6)))
    model = pv.LinearRegression("income ~ age + sex - 1", prior=own)
    wide = dict(pv.plan(model, SCHEMA, records=10**5, epsilon=1).forecast.widths)
    assert set(wide) == {"age", "sex[male]", "sex[female]"}
    sure = pv.LinearRegression("income ~ age", prior=pv.OwnCoefficients({"age": (500, 1)}))
    told = dict(pv.plan(sure, SCHEMA, records=10**5, epsilon=1).forecast.widths)
    assert 3 < told["age"] <= 3.29  # hardly less than what is believed


def test_a_private_number_is_told_to_be_the_declared_one(seeded_noise: None) -> None:
    """2,000 records where 20,000 are declared: the fit errs as the fact about a tenth says."""
    plan = planned("0.5", pv.ADD_OR_REMOVE_ONE, 20_000)
    said = dict(plan.facts())["if fewer come"]
    assert "forecasts are for 20000 records, as many as are declared" in said
    assert "with 2000 the error would be about" in said
    few = planned("0.5", pv.ADD_OR_REMOVE_ONE, 2_000)
    assert f"{few.forecast.error:.3g} instead of {plan.forecast.error:.3g}" in said
    low, high = inferred(plan, 2_000).parameter("age").interval()
    widths = [dict(one.forecast.widths)["age"] for one in (plan, few)]
    assert abs(np.log((high - low) / widths[1])) < abs(np.log((high - low) / widths[0]))


def test_too_few_are_refused_as_declared() -> None:
    with pytest.raises(pv.PlanError, match="as many as are declared, are too few"):
        planned("0.1", pv.ADD_OR_REMOVE_ONE, 100)
