"""Losses with a convexity of their own: what more records allow, against quadrature."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from gibbs_quadrature import delta, law, line, potential
from scipy import stats

import privior as pv
from privior.models import ExactRecords
from privior.privacy.pairs import GaussianPair

SCHEMA = pv.Schema({"y": pv.Boolean(), "x": pv.Integer(-1, 1, missing=0)}, population="one", unit="person")


def mechanism(records: int, convexity: str, epsilon: str = "1", **more: object) -> pv.GibbsDraws:
    model = pv.GibbsPosterior("logistic", "y ~ x - 1", prior=1, convexity=convexity, **more)
    return pv.GibbsDraws(model, SCHEMA, records, epsilon, "1e-6")


def test_more_records_allow_more() -> None:
    heats = [float(mechanism(records, "0.1").temperature) for records in (10, 1000, 100_000)]
    assert heats == sorted(heats)
    assert heats[-1] > 100 * heats[0]
    plain = mechanism(1000, "0")
    assert plain.whole_precision == plain.precision
    assert float(plain.temperature) < heats[1]
    one = mechanism(1000, "0.1")
    mu = 2 * float(one.temperature) / math.sqrt(1 + float(one.temperature) * 1000 * 0.1)
    assert GaussianPair((2 * one.temperature) ** 2 / one.whole_precision).delta(1.0) <= 1e-6
    assert stats.norm.cdf(mu / 2 - 1 / mu) - math.e * stats.norm.cdf(-mu / 2 - 1 / mu) == pytest.approx(
        1e-6, rel=1e-3
    )


@pytest.mark.parametrize("seed", range(12))
def test_no_neighbours_are_farther_apart_than_promised(seed: int) -> None:
    """One weight: the exact divergence of two data sets of logistic losses and ridges, by quadrature."""
    rng = np.random.default_rng(seed)
    records, own, epsilon = int(rng.integers(2, 40)), float(rng.choice([0.01, 0.1, 1.0])), "0.5"
    one = mechanism(records, str(own), epsilon)
    beta, grid = float(one.temperature), line(30 / math.sqrt(float(one.whole_precision)))

    def logistic(u: np.ndarray, y: float) -> np.ndarray:
        return np.logaddexp(0, -y * u) + own * grid[:, 0] ** 2 / 2

    rest = [
        (np.array([x]), y) for x, y in zip(rng.choice([-1, 0, 1], records - 1), [1, -1] * 20, strict=False)
    ]
    first, second = (
        law(grid, potential(grid, [*rest, (np.array([1.0]), y)], logistic, beta, 1.0)) for y in (1, -1)
    )
    for level in (0.0, 0.25, 0.5, 1.0):
        assert delta(first, second, level) <= one.guarantee.pair.delta(level) + 1e-9


def test_linear_losses_attain_it_and_a_ridge_counted_twice_is_noticed() -> None:
    """Linear losses with ridges: two Normal laws, mu apart, exactly."""
    beta, own, records = 0.3, 0.1, 50
    whole = 1 + beta * records * own
    grid = line(12 / math.sqrt(whole))
    laws = [law(grid, side * beta * grid[:, 0] + whole * grid[:, 0] ** 2 / 2) for side in (1, -1)]
    pair = GaussianPair(Fraction((2 * beta) ** 2 / whole))
    assert delta(laws[0], laws[1], 0.2) == pytest.approx(pair.delta(0.2), rel=1e-4)
    wrong = GaussianPair(Fraction((2 * beta) ** 2 / (1 + 2 * beta * records * own)))
    assert delta(laws[0], laws[1], 0.2) > 1.05 * wrong.delta(0.2)


@pytest.mark.parametrize("radius", [None, "1"])
def test_draws_have_the_law_that_is_promised(radius: str | None) -> None:
    """Shares of draws below quantiles by quadrature, also on a ball; without the ridge they do not fit."""
    records = np.array([[1, 2], [0, 2], [1, 0], [1, 2], [1, 1]] * 4)
    model = pv.GibbsPosterior("logistic", "y ~ x - 1", prior=2, convexity="5", radius=radius)
    one = pv.GibbsDraws(model, SCHEMA, 20, 60, "1e-6", draws=150)
    beta, grid = float(one.temperature), line(12 if radius is None else 1.0)
    rows = [(np.array([float(x) - 1]), 2.0 * y - 1) for y, x in records]
    drawn = one.release(ExactRecords(records)).values()[:, 0]

    def fits(precision: float) -> bool:
        height = potential(grid, rows, lambda u, y: np.logaddexp(0, -y * u), beta, precision)
        below = np.interp(drawn, grid[:, 0], law(grid, height).cumsum())
        return bool(stats.kstest(below, "uniform").pvalue > 1e-5)

    assert fits(0.25 + beta * 20 * 5)
    assert radius is not None or not fits(0.25)


def test_it_needs_a_public_number_of_records() -> None:
    model = pv.GibbsPosterior("logistic", "y ~ x", convexity="0.1")
    with pytest.raises(pv.ModelError, match="public number of records"):
        pv.plan(model, SCHEMA, records=50, epsilon=1, delta="1e-6", neighbours=pv.ADD_OR_REMOVE_ONE)
    with pytest.raises(pv.ModelError, match="below 0"):
        pv.GibbsPosterior("logistic", "y ~ x", convexity=-1)
    again = pv.GibbsPosterior.from_entries(
        {key: value for key, value in model.to_document().items() if key != "family"}
    )
    assert again == model
    plan = pv.plan(model, SCHEMA, records=50, epsilon=1, delta="1e-6")
    assert "0.1-strongly convex" in str(plan.model)
    with pytest.raises(ValueError, match="as many as planned"):
        plan.mechanism.release(ExactRecords(np.zeros((3, 2), np.int64)))
