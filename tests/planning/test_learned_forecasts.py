"""Forecasts where the prior is learned: what is said holds for the posterior that readers get."""

from __future__ import annotations

import numpy as np
import pytest

import privior as pv
from learned_grid import Facts, compared
from privior.forecasting import Expect, forecaster

#: typical tables and skewed ones, ordered or not
CASES = [
    Facts(8, 1000, "0.5", "replace-one", "typical", ordered=False),
    Facts(20, 2000, "0.3", "add-or-remove-one", "typical", ordered=False),
    Facts(40, 3000, "0.5", "replace-one", "skewed", ordered=True),
]


@pytest.mark.parametrize("facts", CASES, ids=str)
def test_learning_the_shape_does_about_as_well_as_prior_1_or_better(
    facts: Facts, seeded_noise: object
) -> None:
    """Prior 1 is right for typical tables, so nothing can be much better there; elsewhere learning wins."""
    releases = 8 if facts.levels > 20 else 4  # ratios of four scatter by .03 about .91
    ratios = compared(facts, releases, np.random.default_rng(8))
    assert ratios.max() < 1.25
    if facts.expect == "typical":
        assert ratios.min() > 0.8
    if facts.levels > 20:
        assert ratios[0] < 0.95


def test_more_is_forecast_where_noise_drowns_an_ordered_column(seeded_noise: object) -> None:
    """Prior 1 knows that its tables are even; there, learning was three to seven times as far off."""
    facts = Facts(58, 464, "0.05", "replace-one", "uniform", ordered=True)
    one = pv.DirichletCategorical("x", prior=1)
    expected = forecaster(one, facts.plan.schema, Expect.UNIFORM).ahead(464, facts.plan.mechanism)
    assert facts.plan.forecast.measures["l2"] > 2 * expected.measures["l2"]
    assert compared(facts, 4, np.random.default_rng(8)).max() < 1.5


def test_the_plan_says_for_which_tables_and_leaves_out_what_rests_on_numbers() -> None:
    plan = CASES[0].plan
    assert "typical of prior 1" in dict(plan.facts())["forecasts"]
    assert "KL" not in plan.comparison()[0]
    assert "kl" not in plan.forecast.to_document()
    fixed = pv.plan(pv.DirichletCategorical("x", prior=1), plan.schema, records=1000, epsilon="0.5")
    assert "forecasts" not in dict(fixed.facts())
    assert fixed.forecast.measures.items() > plan.forecast.measures.items()
    with pytest.raises(pv.PlanError, match="no such measure"):
        pv.plan_for(pv.Want.of("kl 0.1"), plan.model, plan.schema, records=500)
