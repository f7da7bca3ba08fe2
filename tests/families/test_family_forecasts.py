"""Forecasts of families against simulated releases, on the same facts each time; evidence/ draws new ones."""

from __future__ import annotations

import numpy as np
import pytest
from family_cases import CASES, SCHEMA
from family_forecasts import NAMES, Facts, simulated

import privior as pv

WAYS = [
    ("laplace", pv.REPLACE_ONE),
    ("gaussian", pv.REPLACE_ONE),
    ("draws", pv.REPLACE_ONE),
    ("laplace", pv.ADD_OR_REMOVE_ONE),
]


@pytest.mark.parametrize(("way", "relation"), WAYS, ids=str)
def test_forecasts_are_near_simulations(way: str, relation: pv.Neighbours) -> None:
    """One case a way, each of another family, within 20% and six standard errors: noise has no seed."""
    place = WAYS.index((way, relation))
    rng = np.random.default_rng(place)
    facts = Facts.drawn(rng, way, relation, most=500, name=NAMES[place])
    plan = facts.plan
    real, off = simulated(facts, plan, 10, rng)
    ratio = plan.forecast.error / real
    assert off < 0.1
    assert 1 / 1.2 - 6 * off < ratio < 1.2 + 6 * off, f"{facts}, {ratio:.3f}"


def test_a_forecast_for_another_budget_is_found_out() -> None:
    rng = np.random.default_rng(5)
    case = next(case for case in CASES if case.name == "gamma-exponential")
    facts = Facts(case, 1000, "0.5", "laplace", pv.REPLACE_ONE)
    plan = facts.plan
    # noise has no seed: of 30 releases one can be so poor that it alone makes the mean too uncertain
    real, off = simulated(facts, plan, 120, rng)
    assert off < 0.1
    for epsilon, good in (("0.5", True), ("0.1", False), ("2", False)):
        ratio = plan.at(epsilon).forecast.error / real
        assert (1 / 1.2 - 3 * off < ratio < 1.2 + 3 * off) == good, (epsilon, ratio)


def test_plans_say_whether_draws_or_noise_win() -> None:
    model = next(case for case in CASES if case.name == "gamma-exponential").model
    said = str(pv.plan(model, SCHEMA, records=500, epsilon=1, delta="1e-6"))
    assert "At this guarantee noise beats draws" in said
    pure = str(pv.plan(model, SCHEMA, records=500, epsilon=1))
    assert "Posterior draws do not fit: needs delta > 0" in pure
