"""Wants: the smallest epsilon that reaches them, and forecasts of widths that come true."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics

SCHEMA = pv.Schema({"x": pv.Categorical([f"level {i}" for i in range(6)])}, population="p", unit="person")
MODEL = pv.DirichletCategorical("x", prior=1)


FACTS: list[dict[str, str]] = [{}, {"delta": "1e-6"}, {"neighbours": "add-or-remove-one"}]


@pytest.mark.parametrize(
    ("measure", "facts"),
    [
        *((measure, facts) for measure in ("width", "kl") for facts in FACTS),
        *zip(("l2", "total-variation", "hellinger"), FACTS, strict=True),
    ],
)
def test_the_smallest_epsilon_is_found(measure: str, facts: dict[str, str]) -> None:
    want = pv.Want.of(f"{measure} 0.08")
    plan = pv.plan_for(want, MODEL, SCHEMA, records=1000, **facts)  # type: ignore[arg-type]
    assert want.reached(plan.forecast)
    below = plan.at(plan.mechanism.epsilon * 97 / 100)
    assert not want.reached(below.forecast)


def test_what_the_records_cannot_give_no_epsilon_can() -> None:
    with pytest.raises(pv.PlanError, match="records alone"):
        pv.plan_for(pv.Want.of("width 0.01"), MODEL, SCHEMA, records=100)


def test_a_want_that_anything_reaches_takes_next_to_nothing() -> None:
    assert (
        pv.plan_for(pv.Want.of("width 1"), MODEL, SCHEMA, records=100).cost.epsilon
        <= pv.Budget.of("2e-6").epsilon
    )


@pytest.mark.parametrize("text", ["width", "0.1", "width 0", "width x", "speed 1", "", None, 3])
def test_nonsense_is_refused(text: object) -> None:
    with pytest.raises(pv.PriviorError):
        pv.Want.of(text)


@pytest.mark.parametrize("measure", ["width", "l2", "kl"])
def test_shares_that_may_be_more_than_1_apart_are_refused(measure: str) -> None:
    with pytest.raises(pv.PlanError, match="than 1"):
        pv.plan_for(pv.Want.of(f"{measure} 2"), MODEL, SCHEMA, records=100)


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize(
    ("neighbours", "epsilon"),
    [
        ("add-or-remove-one", "0.02"),
        ("replace-one", "0.1"),
        ("add-or-remove-one", "1"),
        *(pytest.param("replace-one", one, marks=pytest.mark.slow) for one in ("0.02", "1")),
        pytest.param("add-or-remove-one", "0.1", marks=pytest.mark.slow),
    ],
)
def test_the_width_that_was_forecast_is_the_width_that_comes(epsilon: str, neighbours: str) -> None:
    """Over 50 tables from the prior: within 15%; one of half the width is not."""
    plan = pv.plan(MODEL, SCHEMA, records=1000, epsilon=epsilon, neighbours=neighbours)
    rng = np.random.default_rng(3)
    widths = []
    for _ in range(50):
        counts = rng.multinomial(1000, rng.dirichlet(np.ones(6)))
        release = measure_statistics(plan, ExactStatistics(counts), ledger=pv.Ledger.in_memory())
        ends = pv.infer(release).interval(0.9)
        widths.append(float((ends[:, 1] - ends[:, 0]).mean()))
    ratio = plan.forecast.width / float(np.mean(widths))
    assert 0.85 < ratio < 1.15
    assert not 0.85 < ratio / 2 < 1.15


def test_more_epsilon_never_widens_the_forecast() -> None:
    plan = pv.plan(MODEL, SCHEMA, records=1000, epsilon=1)
    widths = [other.forecast.width for other in plan.around([Fraction(2) ** i for i in range(-12, 8)])]
    assert widths == sorted(widths, reverse=True)
    assert plan.without_noise.width <= widths[-1] * (1 + 1e-9)
    assert widths[0] <= plan.without_release.width * 1.1


def test_what_no_epsilon_reaches_is_advised_in_words_of_the_model() -> None:
    """A family has no cells of which there could be fewer."""
    schema = pv.Schema({"hits": pv.Integer(0, 3)}, population="p", unit="person")
    model = pv.BetaBinomial("hits", 3)
    with pytest.raises(pv.PlanError, match="only more records") as refused:
        pv.plan_for(pv.Want.of("width 1e-6"), model, schema, records=10)
    assert "cells" not in str(refused.value)
    plan = pv.plan(model, schema, records=10, epsilon=1)
    assert dict(plan.facts())["model"].endswith("its probability; known: trials 3")
