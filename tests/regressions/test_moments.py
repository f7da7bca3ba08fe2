"""Noise on moments: how far a record moves them, by brute force, and what the noise promises."""

from __future__ import annotations

import math
from copy import copy
from dataclasses import fields
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from scipy.signal import fftconvolve

import privior as pv
from privior.mechanisms.regression.gaussian_moments import BALANCED
from privior.models import ExactStatistics, MomentWeights
from privior.models.moment_distance import RecordNumbers
from privior.models.moment_weights import FIRST
from privior.models.single_feature import moved
from privior.tables import open_table
from privior.testing import check_mechanism
from privior.testing.small_tables import codes, statistics

SCHEMA = pv.Schema(
    {
        "y": pv.Integer(0, 4),
        "a": pv.Integer(-1, 3),
        "b": pv.Boolean(),
        "c": pv.Categorical(["u", "v", "w"]),
        "d": pv.Integer(0, 2),
        "e": pv.Integer(2, 5),
    },
    population="few",
    unit="person",
)
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
FORMULAS = ["y ~ a", "y ~ b", "y ~ c", "y ~ a + b", "y ~ a*b", "y ~ a + b + c", "y ~ a*c", "y ~ a:c"]
FORMULAS += ["y ~ a - 1", "y ~ c + a - 1", "y ~ a + b - 1"]
FORMULAS += ["y ~ a*c - 1", "y ~ c + a:c", "y ~ b:c", "y ~ a:b", "y ~ c + b:c - 1"]
FORMULAS += ["y ~ a + b + c + d", "y ~ a*b*c", "y ~ a*d", "y ~ e", "y ~ e - 1"]
#: found of what is proved: products are not free of their parts, grids and ranges without 0 have few values
REACHED = {
    "y ~ a*c - 1": 0.89,
    "y ~ a - 1": 1,
    "y ~ e - 1": 0.94,
    "y ~ c + a - 1": 0.95,
    "y ~ a + b - 1": 0.95,
}


@cache
def published(formula: str, relation: pv.Neighbours) -> Any:
    """The published sums of every record that the schema allows, one a row, each once."""
    model = pv.LinearRegression(formula)
    layout, found = model.layout(SCHEMA, relation), []
    size = len(layout.design.numbers)
    for one in codes(model, SCHEMA):
        matrix = np.zeros((size, size))
        matrix[np.triu_indices(size)] = statistics(model, SCHEMA, relation, one[np.newaxis])
        found.append([matrix[place] for place in layout.places])
    return np.unique(np.array(found), axis=0)


def moves(layout: Any, each: Any, relation: pv.Neighbours) -> tuple[float, float]:
    """How far any record moves the sums: squared, and in L1, both as they are weighed."""
    squared, plain = (np.array([float(one) for one in some]) for some in (layout.squared, layout.plain))
    away = [each] if relation is not pv.REPLACE_ONE else [each - one for one in each]
    return max(float(((one**2) @ squared).max()) for one in away), max(
        float((np.abs(one) @ plain).max()) for one in away
    )


#: six squared weights each: those of earlier releases, those that are taken now, and some for every branch
WEIGHTS = {
    "first": FIRST,
    "balanced": BALANCED[pv.REPLACE_ONE],
    "balanced, private number": BALANCED[pv.ADD_OR_REMOVE_ONE],
    "products light": MomentWeights("1/8", "1/2", 2, "1/4", 1, "1/4"),
    "target heavy": MomentWeights(1, "1/8", 1, 3, 8, 1),
}


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
@pytest.mark.parametrize("formula", FORMULAS)
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_no_record_moves_the_moments_farther_than_is_proved(
    formula: str, relation: pv.Neighbours, weights: MomentWeights
) -> None:
    """All pairs of all records of the grid: never farther, and nearly or exactly as far, in L2 and in L1."""
    model = pv.LinearRegression(formula)
    if relation is pv.REPLACE_ONE and formula.endswith("- 1") and weights == WEIGHTS["target heavy"]:
        with pytest.raises(pv.PriviorError, match="nothing is proved"):
            model.layout(SCHEMA, relation, weights).l2_squared  # noqa: B018
        return
    layout, each = model.layout(SCHEMA, relation, weights), published(formula, relation)
    farthest, length = moves(layout, each, relation)
    assert farthest <= float(layout.l2_squared) * (1 + 1e-12)
    assert length <= float(layout.l1) * (1 + 1e-12)
    if relation is pv.ADD_OR_REMOVE_ONE:
        assert farthest == pytest.approx(float(layout.l2_squared))
        assert length == pytest.approx(float(layout.l1))
        return
    assert length >= REACHED.get(formula, 0.98) * float(layout.l1)
    if weights == FIRST and formula in ("y ~ b", "y ~ c", "y ~ a + b", "y ~ a:c"):
        assert farthest == pytest.approx(float(layout.l2_squared))
    if weights == BALANCED[relation]:
        free = len(layout.design.features) == 1 or layout.design.formula.intercept
        assert farthest >= (0.97 if free else 0.7) * float(layout.l2_squared)


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_the_bounds_hold_between_the_corners(weights: MomentWeights) -> None:
    """Records anywhere in the ball, many features, by chance and by climbing from there; attained."""
    rng = np.random.default_rng(1)
    c, a, b, e, q, _ = (float(getattr(weights, one.name)) for one in fields(weights))

    def squares(x: Any, u: Any, z: Any, v: Any) -> Any:
        both = (x**2).sum(1) ** 2 + (z**2).sum(1) ** 2 - 2 * (x * z).sum(1) ** 2
        rest = a * ((x - z) ** 2).sum(1) + b * ((x * u[:, None] - z * v[:, None]) ** 2).sum(1)
        return c * both + rest + e * (u - v) ** 2 + q * (u**2 - v**2) ** 2

    for features in (1, 2, 5):
        best = rng.standard_normal((4000, 2 * features + 2))
        top = np.full(4000, -1.0)
        for step in (1.0, 0.5, 0.2, 0.1, 0.05) * 8:
            tried = best + step * rng.standard_normal(best.shape)
            x, z = tried[:, :features], tried[:, features : 2 * features]
            x = x / np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))
            z = z / np.maximum(1, np.linalg.norm(z, axis=1, keepdims=True))
            ends = np.clip(tried[:, -2:], -0.5, 0.5)
            now = squares(x, ends[:, 0], z, ends[:, 1])
            better = now > top
            best[better], top[better] = np.column_stack([x, z, ends])[better], now[better]
        most = float(weights.replacing(True, features))
        assert top.max() <= most + 1e-9
        if features > 1 or weights == FIRST:
            assert top.max() >= most * 0.98


@pytest.mark.parametrize(
    "kinds",
    [
        *({"free": 2}, {"free": 3}, {"free": 5}, {"free": 1, "ends": 1}, {"free": 2, "ends": 3}),
        *(
            {"free": 1, "split": 1},
            {"free": 2, "split": 1},
            {"free": 3, "split": 3},
            {"free": 1, "one_sided": 2},
        ),
        {"free": 1, "one_sided": 2, "ends": 1, "split": 1},
    ],
    ids=str,
)
@pytest.mark.parametrize("intercept", [True, False])
def test_the_bound_in_l1_is_attained_where_numbers_are_free(kinds: dict[str, int], intercept: bool) -> None:
    """Pairs of records anywhere, by chance and by climbing from there; the last number is the target."""
    numbers = RecordNumbers(**{"split": 0, "one_sided": 0, "ends": 0, **kinds}, intercept=intercept)
    rng, listed = np.random.default_rng(2), ["split", "one_sided", "ends", "free"]
    kind = np.repeat(listed, [getattr(numbers, one) for one in listed])
    above = np.triu_indices(len(kind), 1)

    def length(pair: Any) -> Any:
        x, z = np.moveaxis(np.clip(pair, -1, 1), 1, 0)
        x, z = (np.where(kind == "ends", np.where(one < 0, -1, 1), one) for one in (x, z))
        x, z = (np.where(kind == "one_sided", np.abs(one), one) for one in (x, z))
        apart = (kind == "split")[above[0]] | (kind == "split")[above[1]]
        one, other = (each[:, above[0]] * each[:, above[1]] for each in (x, z))
        pairs = np.where(apart, np.abs(one) + np.abs(other), np.abs(one - other)).sum(axis=1)
        squares = np.where(kind == "split", x**2 + z**2, np.abs(x**2 - z**2)).sum(axis=1)
        alone = np.where(kind == "split", np.abs(x) + np.abs(z), np.abs(x - z)).sum(axis=1)
        return pairs + squares + (alone if intercept else 0)

    best = rng.uniform(-1.5, 1.5, (3000, 2, len(kind)))
    top = length(best)
    for step in (1.0, 0.5, 0.2, 0.1, 0.05, 0.02) * 12:
        moved = rng.random(best.shape) < 0.4
        tried = np.clip(best + step * moved * rng.standard_normal(best.shape), -1.5, 1.5)
        now = length(tried)
        best[now > top], top = tried[now > top], np.maximum(now, top)
    most = float(numbers.replaced())
    assert 0.99 * most <= top.max() <= most + 1e-9


def test_one_feature_moves_the_moments_as_far_as_its_range_allows() -> None:
    """The largest value of the polynomial on a fine grid is the bound, for all weights and widths."""
    for weights in WEIGHTS.values():
        for intercept, feature, target in product((True, False), ("2", "1", "3/5"), ("1", "1/2", "1/7")):
            p, g = (np.linspace(0, float(Fraction(one)), 801) for one in (feature, target))
            p = p[:, None]
            c, a, b, e, q, _ = (float(getattr(weights, one.name)) for one in fields(weights))
            a, e = (a, e) if intercept else (0.0, 0.0)
            value = c * p**2 * (2 - p) ** 2 + a * p**2 + b / 4 * (p + 2 * g - 2 * p * g) ** 2
            seen = float((value + e * g**2 + q * g**2 * (1 - g) ** 2).max())
            said = float(moved(weights, intercept, Fraction(feature), Fraction(target)))
            assert seen * (1 - 1e-9) <= said <= seen * 1.001 + 2e-6


def test_weights_for_which_nothing_is_proved_are_refused() -> None:
    with pytest.raises(pv.PriviorError, match="nothing is proved"):
        MomentWeights(1, "1/4", 2, "1/4", "4.6", 1)
    for wrong in ([1, 1, 1], [1, 0, 1, 1, 1, 1], "even", [1, -1, 1, 1, 1, 1]):
        with pytest.raises(pv.PriviorError):
            MomentWeights.of(wrong)
    balanced = BALANCED[pv.REPLACE_ONE]
    assert MomentWeights.of(balanced.to_document()) == balanced
    assert balanced.replacing(True, 14) == Fraction(121, 32)
    assert FIRST.replacing(True, 14) == 5
    assert FIRST.replacing(True, 1) == 4
    assert FIRST.replacing(False, 3) == Fraction(25, 8)
    assert FIRST.adding(True) == Fraction(37, 16) + Fraction(1, 4)


@pytest.mark.parametrize("kind", [pv.GaussianMoments, pv.LaplaceMoments])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_it_keeps_the_contract_of_mechanisms(kind: Any, relation: pv.Neighbours) -> None:
    """With few enough numbers that the law of the releases is looked at."""
    model = pv.LinearRegression("y ~ b")
    plan = pv.plan(model, SCHEMA, records=9, epsilon=3, delta="1e-2", neighbours=relation, mechanism=kind)
    check_mechanism(plan.mechanism, model, SCHEMA, records=9, neighbours=relation, releases=600)


TINY = pv.Schema({"y": pv.Integer(-1, 1), "a": pv.Integer(-1, 1)}, population="few", unit="person")


def moved_by(noise: Any) -> set[tuple[int, ...]]:
    """How far neighbouring tables of the tiny grid can be apart, sum by sum."""
    each = [
        noise._true(ExactStatistics(statistics(noise.model, TINY, noise.neighbours, one[None])))
        for one in codes(noise.model, TINY)
    ]
    pairs = product(each, each) if noise.neighbours is pv.REPLACE_ONE else [(one, 0 * one) for one in each]
    return {tuple(np.abs(one - other).tolist()) for one, other in pairs} - {(0,) * len(each[0])}


def laws(noise: Any) -> list[Any]:
    """The chance of each whole number, of the noise of each sum."""
    found = []
    many = 15 if noise.heavy else 8
    for place, variance in enumerate(noise.variances):
        reach = int(many * math.sqrt(variance)) + 2
        rows = (np.full(len(noise.variances), z) for z in range(-reach, reach + 1))
        found.append(np.exp([noise._log_pmf(row)[place] for row in rows]))
        assert found[-1].sum() == pytest.approx(1, abs=1e-6)
    return found


def excess(chances: list[Any], move: tuple[int, ...], levels: list[float]) -> list[float]:
    """The hockey-stick divergences of a release from one that is moved, by all losses of all sums.

    Losses are counted in steps of 1/2000, so that those of five sums are known to 0.0013.
    """
    total, none = np.ones(1), 0.0
    offset, step = 0, 1 / 2000
    for chance, by in zip(chances, move, strict=True):
        here, there = chance[by:], chance[: len(chance) - by]
        losses = np.rint(np.log(here / there) / step).astype(int)
        law = np.bincount(losses - losses.min(), weights=here)
        none += float(chance[:by].sum())  # what the other table never gives
        total, offset = np.maximum(fftconvolve(total, law), 0), offset + int(losses.min())
    loss = (np.arange(total.size) + offset) * step
    return [float((total * np.maximum(0, 1 - np.exp(at - loss))).sum()) + none for at in levels]


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("formula", ["y ~ a - 1", "y ~ a"])
@pytest.mark.parametrize("epsilon", ["2", "6"])
@pytest.mark.parametrize("kind", [pv.GaussianMoments, pv.LaplaceMoments])
def test_the_noise_is_no_more_than_is_promised_by_enumeration(
    kind: Any, epsilon: str, formula: str, relation: pv.Neighbours
) -> None:
    """All outcomes for all neighbouring records of a tiny grid; noise half as wide is noticed."""
    delta = {"delta": "1e-3"} if kind is pv.GaussianMoments else {}
    noise = kind(pv.LinearRegression(formula), TINY, epsilon, neighbours=relation, **delta)
    levels = [0.1, float(epsilon) / 2, float(epsilon)]
    promised = np.array([float(noise.guarantee.delta(at)) for at in levels])
    half = copy(noise)
    vars(half).pop("exact_variances", None)
    vars(half).update(
        {"variance": noise.variance / 4} if delta else {"scales": tuple(one / 2 for one in noise.scales)}
    )

    def worst(of: Any) -> Any:
        chances = laws(of)
        return np.max([excess(chances, move, levels) for move in moved_by(noise)], axis=0)

    found = worst(noise)
    assert (found <= [noise.guarantee.delta(at - 0.0013) + 1e-7 for at in levels]).all()
    assert found[0] >= (0.9 if delta else 0.35) * promised[0]  # so near that a fault would be seen
    assert (worst(half) > promised + 0.02).any()


def test_losses_of_sums_are_those_of_all_outcomes() -> None:
    """The way of the test above, against divergences over the whole grid of three sums."""
    noise = pv.GaussianMoments(pv.LinearRegression("y ~ a - 1"), TINY, 6, "1e-3")
    chances = laws(noise)
    for move in moved_by(noise):
        here, there = np.ones(()), np.ones(())
        for chance, by in zip(chances, move, strict=True):
            padded = np.concatenate([chance, np.zeros(by)])
            here = np.multiply.outer(here, padded)
            there = np.multiply.outer(there, np.roll(padded, by))
        exact = [float(np.maximum(here - math.exp(at) * there, 0).sum()) for at in (0.0, 3.0, 6.0)]
        assert exact == pytest.approx(excess(chances, move, [0.0, 3.0, 6.0]), abs=1e-3)
        assert (np.array(exact) <= [noise.guarantee.delta(at) + 1e-7 for at in (0.0, 3.0, 6.0)]).all()


def test_less_noise_is_refused() -> None:
    model = pv.LinearRegression("y ~ a + c")
    gaussian = pv.GaussianMoments(model, SCHEMA, 1, "1e-5")
    with pytest.raises(pv.PlanError, match="does not give"):
        pv.GaussianMoments(model, SCHEMA, 1, "1e-5", variance=gaussian.variance * 999 / 1000)
    laplace = pv.LaplaceMoments(model, SCHEMA, 1)
    with pytest.raises(pv.PlanError, match="do not give"):
        pv.LaplaceMoments(model, SCHEMA, 1, scales=[laplace.scales[0] / 2, *laplace.scales[1:]])
    with pytest.raises(pv.PlanError, match="not one scale"):
        pv.LaplaceMoments(model, SCHEMA, 1, scales=laplace.scales[1:])
    with pytest.raises(pv.PlanError, match="delta > 0"):
        pv.GaussianMoments(model, SCHEMA, 1, 0)


def test_the_variances_are_those_of_the_noise() -> None:
    model = pv.LinearRegression("y ~ b")
    z = np.arange(-4000, 4001)
    for noise in (pv.GaussianMoments(model, SCHEMA, 2, "1e-3"), pv.LaplaceMoments(model, SCHEMA, 2)):
        for place, variance in enumerate(noise.variances):
            rows = np.zeros((z.size, len(noise.variances)), np.int64)
            rows[:, place] = z
            logs = np.array([noise._log_pmf(row)[place] for row in rows[::1]])
            assert (np.exp(logs) * z**2).sum() == pytest.approx(variance, rel=2e-2)


@pytest.mark.parametrize("formula", ["y ~ a + c", "y ~ a:c - 1"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_rows_outside_the_bounds_and_bad_cells_move_the_moments_no_farther(
    relation: pv.Neighbours, formula: str
) -> None:
    """T14: rows as tables have them, read by the engine one by one: every pair within the bound."""
    schema = pv.Schema(
        {
            "y": pv.Bounded(0, 2, grid="0.5", missing=1),
            "a": pv.Integer(-1, 3, missing=0),
            "c": pv.Categorical(["u", "v", "w"], missing="v"),
        },
        population="few",
        unit="person",
    )
    model = pv.LinearRegression(formula)
    noise = pv.GaussianMoments(model, schema, 1, "1e-3", neighbours=relation)
    (reading,) = model.readings(schema, relation)
    cells = product(
        (-1e300, 0.0, 2.0, math.nan, math.inf, None),
        (-(10**15), -1, 3, 10**15, None),
        ("u", "w", "none such", None),
    )
    found = []
    for y, a, c in cells:
        types = pa.schema({"y": pa.float64(), "a": pa.int64(), "c": pa.string()})
        table = pa.table({"y": [y], "a": [a], "c": [c]}, schema=types)
        (counts,) = model.counted(open_table(table, schema, reading.columns, ()).read(reading))
        found.append(noise._true(ExactStatistics(counts)))
    each = np.unique(np.array(found, np.float64), axis=0)
    if formula == "y ~ a + c":
        assert len(each) == 3 * 3 * 3  # the ends of each column and what stands for bad cells, nothing else
    farthest, length = moves(noise.layout, each, relation)
    assert 0.8 * float(noise.layout.l2_squared) <= farthest <= float(noise.layout.l2_squared) * (1 + 1e-12)
    assert 0.9 * float(noise.layout.l1) <= length <= float(noise.layout.l1) * (1 + 1e-12)


def test_without_an_intercept_the_weight_of_squares_is_bound_by_that_of_products_alone() -> None:
    """All 189 records reach 3.275 with these weights, where the theorem's formula says 2.0503."""
    columns = {name: pv.Integer(-1, 1, missing=0) for name in "xz"}
    schema = pv.Schema({"y": pv.Integer(-10, 10, missing=0), **columns}, population="t", unit="person")
    weights = [1, "1/4", "1/10", 10, 20, "1/4"]
    pv.GaussianMoments(pv.LinearRegression("y ~ x + z"), schema, 1, "1e-6", weights=weights)
    with pytest.raises(pv.PriviorError, match="nothing is proved"):
        pv.GaussianMoments(pv.LinearRegression("y ~ x + z - 1"), schema, 1, "1e-6", weights=weights)
