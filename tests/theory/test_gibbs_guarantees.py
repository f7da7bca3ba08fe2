"""What Gibbs draws promise, of every loss: exact divergences of one weight are never above it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest
from gibbs_quadrature import Floats, delta, law, line, potential

import privior as pv
from privior.models import Loss

SCHEMA = pv.Schema(
    {
        "yes": pv.Boolean(missing=False),
        "income": pv.Integer(-1, 1, missing=0),
        "visits": pv.Integer(0, 6, missing=0),
        "x": pv.Integer(-1, 1, missing=0),
    },
    population="p",
    unit="person",
)
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
EPSILONS = (0.0, 0.05, 0.2, 0.5, 0.8, 1.0, 1.5)


@dataclass(frozen=True)
class Case:
    """A loss, and by itself what it is.

    Attributes:
        loss: as plans have it
        target: the column
        targets: its values, as the loss has them
        formula: the same loss, in plain numpy
        radius: of the ball for pure releases
        nearest: how near the worst cases come to what is promised of them, with delta and without
    """

    loss: Loss
    target: str
    targets: tuple[float, ...]
    formula: Callable[[Floats, float], Floats]
    radius: str
    nearest: tuple[float, float]


def logistic(u: Floats, y: float) -> Floats:
    return np.logaddexp(0, -y * u)


def huber(u: Floats, y: float) -> Floats:
    away = np.abs(u - y)
    return np.where(away <= 0.5, away**2 / 2, 0.5 * away - 0.125)


def hinge(u: Floats, y: float) -> Floats:
    return np.asarray(0.05 * np.logaddexp(0, (1 - y * u) / 0.05))


def quantile(u: Floats, y: float) -> Floats:
    return np.asarray(0.7 * (y - u) + 0.05 * np.logaddexp(0, (u - y) / 0.05))


def poisson(u: Floats, y: float) -> Floats:
    return np.asarray(np.exp(u) - y * u)


CASES = [
    Case(pv.LogisticLoss(), "yes", (-1, 1), logistic, "1", (0.45, 0.95)),
    Case(pv.HuberLoss("0.5"), "income", (-1, 0, 1), huber, "0.4", (0.9, 0.95)),
    Case(pv.SmoothHingeLoss("0.05"), "yes", (-1, 1), hinge, "0.8", (0.9, 0.95)),
    Case(pv.SmoothQuantileLoss("0.7", "0.05"), "income", (-1, 0, 1), quantile, "0.8", (0.9, 0.95)),
    # the slope is attained at the end of the ball alone
    Case(pv.PoissonLoss(1), "visits", (0, 6), poisson, "1", (0.8, 0.8)),
]


def made(case: Case, records: int, spent: str, relation: pv.Neighbours) -> pv.GibbsDraws:
    """One weight, without an intercept; in a ball where nothing else bounds the losses."""
    radius = None if spent != "0" else case.radius
    prior = "0.5" if spent != "0" and case.loss.reach is None else "tuned"
    model = pv.GibbsPosterior(case.loss, f"{case.target} ~ x - 1", radius=radius, prior=prior)
    return pv.GibbsDraws(model, SCHEMA, records, 1, spent, neighbours=relation)


def worst(case: Case, plan: pv.GibbsDraws, temperature: float) -> tuple[float, float, float]:
    """Of data sets of all others alike, all pairs of records: what is found of what is promised.

    Returns:
        the largest excess of delta, the largest share of a delta above 1e-3, the largest loss
    """
    reach = 12 / math.sqrt(plan.precision) if plan.radius is None else float(plan.radius)
    grid = line(reach, 12_001)
    possible = [(np.array([x]), y) for x in (-1.0, 0.0, 1.0) for y in case.targets]
    kinds = [one for one in possible if one[0][0] >= 0]
    above, share, loss = -math.inf, 0.0, 0.0
    for other in kinds:
        rest = potential(grid, [other] * (plan.records - 1), case.formula, temperature, float(plan.precision))
        pulls = [temperature * case.formula(grid @ x, y) for x, y in possible]
        laws = [law(grid, rest + pull) for pull in pulls]
        pairs = [(laws[i], laws[j]) for i in range(len(laws)) for j in range(i)]
        if plan.neighbours is pv.ADD_OR_REMOVE_ONE:
            without = law(grid, rest)
            pairs = [(one, without) for one in laws]
        for one, two in pairs:
            held = (one > 1e-290) & (two > 1e-290)
            loss = max(loss, float(np.abs(np.log(one[held] / two[held])).max()))
            for epsilon in EPSILONS:
                found, bound = delta(one, two, epsilon), plan.guarantee.delta(epsilon)
                above = max(above, found - bound)
                share = max(share, found / bound if bound > 1e-3 else 0.0)
    return above, share, loss


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.loss.name))
def test_no_divergence_is_above_the_gaussian_curve(case: Case, relation: pv.Neighbours) -> None:
    """delta > 0, without a ball where the loss needs none; near where the loss is straight."""
    nearest = 0.0
    for records in (1, 4, 25):
        plan = made(case, records, "1e-2", relation)
        above, share, _ = worst(case, plan, float(plan.temperature))
        assert above <= 1e-9
        nearest = max(nearest, share)
    assert nearest > case.nearest[0]


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.loss.name))
def test_no_divergence_in_a_ball_is_above_the_pure_promise(case: Case, relation: pv.Neighbours) -> None:
    """delta = 0: no loss above epsilon, and no delta above the curve of a bounded range."""
    largest = 0.0
    for records in (1, 4, 100):
        plan = made(case, records, "0", relation)
        above, _, loss = worst(case, plan, float(plan.temperature))
        assert plan.guarantee.pure == Fraction(plan.temperature) * plan.calibration.loss_range <= 1
        assert above <= 1e-9
        assert loss <= 1 + 1e-9
        largest = max(largest, loss)
    assert largest > case.nearest[1]


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.loss.name))
def test_a_range_of_one_loss_for_two_is_noticed(case: Case) -> None:
    """V instead of 2V under replace-one: twice the temperature, and more than epsilon is told."""
    few, many = (made(case, records, "0", pv.REPLACE_ONE) for records in (4, 100))
    assert worst(case, few, 2 * float(few.temperature))[0] > 1e-3
    assert worst(case, many, 2 * float(many.temperature))[2] > 1.5


def test_where_losses_lie_does_not_count() -> None:
    """Huber 0.5 within .01: losses of 0 and 1 differ by .375 and vary by .01, which is charged."""
    loss, reach = pv.HuberLoss("0.5"), Fraction(1, 100)
    assert float(loss.value(np.zeros(1), np.ones(1))[0]) == pytest.approx(0.375)
    assert loss.varies(reach) == reach
    model = pv.GibbsPosterior(loss, "income ~ x - 1", radius=reach)
    for relation, times in zip(RELATIONS, (2, 1), strict=True):
        plan = pv.GibbsDraws(model, SCHEMA, 5, "0.01", neighbours=relation)
        assert float(plan.temperature) == pytest.approx(1 / times, rel=1e-9)
