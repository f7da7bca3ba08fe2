"""The guarantees of draws of a model against brute force: all tables of up to six records, all neighbours."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from finite_cases import DIE, GRID, PAIR, STRICT, all_tables, chances_of
from numpy.typing import NDArray

import privior as pv
from privior.errors import NumberError
from privior.mechanisms import ModelDraws
from privior.privacy.pairs import FiniteDraw, both_orders

Floats = NDArray[np.float64]
FAMILIES = {"die": DIE, "grid": GRID, "pair": PAIR}


def law_of(model: pv.FiniteFamily, counts: Floats, weight: float) -> Floats:
    """The posterior at a weight, by its definition."""
    prior = np.array([float(one) for one in model.prior])
    masses = prior * np.prod(chances_of(model) ** (weight * counts), axis=1)
    return np.asarray(masses / masses.sum())


def replaced(model: pv.FiniteFamily, records: int, weight: float) -> float:
    """The largest loss over all pairs of tables that differ in one record."""
    cells, most = len(model.chances[0]), 0.0
    for others in all_tables(records - 1, cells):
        laws = [law_of(model, others + one, weight) for one in np.eye(cells)]
        most = max(most, *(float(np.log(a / b).max()) for a, b in product(laws, laws)))
    return most


def added(model: pv.FiniteFamily, records: int, weight: float) -> float:
    """The largest loss over all tables of fewer records, with one more."""
    cells, most = len(model.chances[0]), 0.0
    for total in range(records):
        for others in all_tables(total, cells):
            without = law_of(model, others, weight)
            for one in np.eye(cells):
                losses = np.log(law_of(model, others + one, weight) / without)
                most = max(most, float(np.abs(losses).max()))
    return most


@pytest.mark.parametrize("name", FAMILIES)
@pytest.mark.parametrize("records", [1, 2, 4, 6])
@pytest.mark.parametrize("weight", ["1", "0.37"])
def test_one_record_replaced(name: str, records: int, weight: str) -> None:
    model, exact = FAMILIES[name], Fraction(weight)
    draw = FiniteDraw(model.chances, model.prior, pv.REPLACE_ONE, records)
    truth = replaced(model, records, float(exact))
    assert draw.listable
    assert math.isclose(float(draw.listed(exact)), truth, rel_tol=1e-9)
    assert float(draw.listed(exact)) >= truth - 1e-14
    assert truth <= float(draw.oscillation(exact)) + 1e-12


@pytest.mark.parametrize("name", FAMILIES)
def test_the_number_of_records_private(name: str) -> None:
    """The bound holds for every number, and is approached as data leave one model."""
    model = FAMILIES[name]
    draw = FiniteDraw(model.chances, model.prior, pv.ADD_OR_REMOVE_ONE, 4)
    assert not draw.listable
    assert added(model, 5, 1.0) <= float(draw.pure(Fraction(1))) + 1e-12
    far = max(
        float(np.abs(np.log(law_of(model, 60 * start + one, 1.0) / law_of(model, 60 * start, 1.0))).max())
        for start in np.eye(len(model.chances[0]))
        for one in np.eye(len(model.chances[0]))
    )
    assert far <= float(draw.pure(Fraction(1))) + 1e-12
    assert far > 0.8 * float(draw.pure(Fraction(1)))


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_units_of_two_records(relation: pv.Neighbours) -> None:
    """Whatever a unit of up to two records brings, and whatever replaces it."""
    for model in (DIE, GRID):
        cells = len(model.chances[0])
        draw = FiniteDraw(model.chances, model.prior, relation, 3, max_rows=2)
        parts = [table for size in range(3) for table in all_tables(size, cells)]
        seconds = parts if relation is pv.REPLACE_ONE else [np.zeros(cells)]
        most = 0.0
        for others in (table for size in (0, 2, 4) for table in all_tables(size, cells)):
            for first, second in product(parts, seconds):
                one, other = (law_of(model, others + part, 0.6) for part in (first, second))
                most = max(most, float(np.abs(np.log(one / other)).max()))
        eta = float(draw.pure(Fraction(3, 5)))
        assert 0.6 * eta < most <= eta + 1e-12


def test_known_values() -> None:
    """Example 1 with chances 0.2, 0.4, 0.6, 0.8: ln 4 for one record, 2.68329489 for ten."""
    for records, known in ((1, 1.38629436), (10, 2.68329489)):
        draw = FiniteDraw(GRID.chances, GRID.prior, pv.REPLACE_ONE, records)
        assert math.isclose(float(draw.pure(Fraction(1))), known, abs_tol=1e-8)


@pytest.mark.parametrize("draws", [1, 3])
@pytest.mark.parametrize("delta", ["0", "0.001"])
def test_several_draws(draws: int, delta: str) -> None:
    """The curve of N draws is above the divergence of every two neighbours, outcome by outcome."""
    mechanism = ModelDraws(DIE, 5, 2, delta, draws=draws)
    pair = both_orders(mechanism.guarantee.pair)
    weight, cells = float(mechanism.weight), 3
    epsilons = (0.0, 0.5, 1.0, 2.0)
    worst = dict.fromkeys(epsilons, 0.0)
    for others in all_tables(4, cells):
        laws = [law_of(DIE, others + one, weight) for one in np.eye(cells)]
        for first, second in product(laws, laws):
            outcomes = [
                (
                    _ways(drawn) * float(np.prod(first[list(drawn)])),
                    _ways(drawn) * float(np.prod(second[list(drawn)])),
                )
                for drawn in combinations_with_replacement(range(4), draws)
            ]
            for epsilon in epsilons:
                gap = sum(max(0.0, p - math.exp(epsilon) * q) for p, q in outcomes)
                worst[epsilon] = max(worst[epsilon], gap)
    for epsilon, found in worst.items():
        assert found <= pair.delta(epsilon) + 1e-12
    assert worst[2.0] <= float(Fraction(delta)) + 1e-12


def _ways(drawn: tuple[int, ...]) -> int:
    return math.factorial(len(drawn)) // math.prod(math.factorial(one) for one in Counter(drawn).values())


def test_the_weight_is_the_largest() -> None:
    """A little more weight breaks the promise, unless it is 1 already."""
    for draws, delta in ((1, "0"), (4, "0"), (4, "1e-4")):
        mechanism = ModelDraws(DIE, 6, 1, delta, draws=draws)
        assert mechanism.weight < 1
        with pytest.raises(pv.PlanError, match="does not give"):
            ModelDraws(DIE, 6, 1, delta, draws=draws, weight=mechanism.weight * Fraction(10001, 10000))
        assert ModelDraws(DIE, 6, 1, delta, draws=draws, weight=mechanism.weight) == mechanism
    pure, approximate = (ModelDraws(DIE, 6, 1, delta, draws=50) for delta in ("0", "1e-4"))
    assert approximate.weight > pure.weight
    assert pure.guarantee.cost.delta == 0
    assert approximate.guarantee.cost == pv.Budget.of(1, "1e-4")
    assert ModelDraws(DIE, 6, 1000).weight == 1


def test_listing_is_better_than_the_range() -> None:
    few, many = ModelDraws(DIE, 5, 1), ModelDraws(DIE, 10**6, 1)
    assert few.weight > many.weight
    assert "largest loss over all tables" in few.guarantee.reason
    assert "range of the log likelihood ratio" in many.guarantee.reason


def test_refusals() -> None:
    with pytest.raises(NumberError, match="unbounded"):
        FiniteDraw(STRICT.chances, STRICT.prior, pv.REPLACE_ONE, 3)
    with pytest.raises(pv.PlanError, match="unbounded"):
        ModelDraws(STRICT, 3, 1)
    for draws in (0, True, 10**9, "2"):
        with pytest.raises(pv.PlanError, match="number of draws"):
            ModelDraws(DIE, 3, 1, draws=draws)  # type: ignore[arg-type]
    for records in (0, True, "2"):
        with pytest.raises(pv.PlanError, match="positive whole number"):
            ModelDraws(DIE, records, 1)  # type: ignore[arg-type]
    with pytest.raises(NumberError, match="weight is out of range"):
        ModelDraws(DIE, 3, 1, weight=2)
