"""Batches: costs add up, disjoint groups cost what one does, or two where a record may change its group."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import privior as pv
from privior.models import ExactStatistics, Observed

SCHEMA = pv.Schema(
    {
        "region": pv.Categorical(["north", "south"]),
        "smoker": pv.Boolean(),
        "age": pv.Binned([0, 40, 120]),
    },
    population="clinic",
    unit="person",
)


CELLS = list(itertools.product(range(2), range(2)))


def planned(column: str = "smoker", epsilon: object = "0.5", **facts: object) -> pv.Plan:
    chosen = {"neighbours": pv.ADD_OR_REMOVE_ONE, "mechanism": pv.LaplaceCounts, **facts}
    return pv.plan(pv.DirichletCategorical(column, prior=1), SCHEMA, records=100, epsilon=epsilon, **chosen)  # type: ignore[arg-type]


def test_costs_add_up() -> None:
    batch = pv.Batch.of([planned("smoker", "0.5"), planned("age", "0.25")])
    assert batch.cost == pv.Budget.of("0.75")
    assert batch.members == batch.plans
    assert len(set(batch.digests)) == 2
    assert "epsilon 0.75, delta 0 together" in str(batch)


def test_groups_cost_what_one_does_or_two_under_replace_one() -> None:
    one = pv.Batch.of([planned()], by="region")
    assert one.cost == pv.Budget.of("0.5")
    assert [str(plan.group) for plan in one.members] == ["region = north", "region = south"]
    assert "all cost what one costs" in str(one)
    two = pv.Batch.of([planned()], by="region", neighbours=pv.REPLACE_ONE)
    assert two.cost == pv.Budget.of(1)
    assert two.neighbours is pv.REPLACE_ONE
    assert "all cost what two cost" in str(two)


def _tables(records: int) -> list[tuple[tuple[int, int], ...]]:
    """All data sets of so many records, each (region, smoker)."""
    return list(itertools.combinations_with_replacement(CELLS, records))


def _loss(batch: pv.Batch, one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> float:
    """The largest loss over all releases of both groups: groups are drawn independently, so losses add up."""

    def counts(rows: tuple[tuple[int, int], ...]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        return np.array([rows.count(cell) for cell in CELLS], dtype=np.int64)

    total = 0.0
    for plan in batch.members:
        here, there = (plan.statistics(counts(rows)[:, np.newaxis]) for rows in (one, other))
        total += max(
            plan.mechanism.log_likelihood(Observed.of(found), here)
            - plan.mechanism.log_likelihood(Observed.of(found), there)
            for found in itertools.product(range(-3, 6), repeat=2)
        )
    return total


def test_all_neighbours_are_within_the_cost_and_some_reach_it() -> None:
    one = pv.Batch.of([planned()], by="region")
    two = pv.Batch.of([planned()], by="region", neighbours=pv.REPLACE_ONE)
    added = [(rows, (*rows, cell)) for rows in _tables(2) for cell in CELLS]
    losses = [max(_loss(one, a, b), _loss(one, b, a)) for a, b in added]
    assert max(losses) == pytest.approx(float(one.cost.epsilon))
    replaced = [(rows, (*rows[1:], cell)) for rows in _tables(2) for cell in CELLS]
    losses = [_loss(two, a, b) for a, b in replaced]
    assert max(losses) == pytest.approx(float(two.cost.epsilon))
    assert max(losses) > float(one.cost.epsilon) * 1.5  # what one group costs would be a lie here


def test_what_does_not_divide_is_refused() -> None:
    with pytest.raises(pv.PlanError, match=r"sizes of groups are private.*\n.*\n.*\n.*--charge-as replace"):
        pv.Batch.of([planned(neighbours=pv.REPLACE_ONE)], by="region")
    with pytest.raises(pv.PlanError, match="counts the column that divides"):
        pv.Batch.of([planned("region")], by="region")
    visits = pv.Schema(
        SCHEMA.columns,
        population="clinic",
        unit=pv.Unit("person", column="id", max_rows=3),
    )
    several = pv.plan(
        pv.DirichletCategorical("smoker", prior=1),
        visits,
        records=10,
        epsilon=1,
        neighbours=pv.ADD_OR_REMOVE_ONE,
        mechanism=pv.LaplaceCounts,
    )
    with pytest.raises(pv.PlanError, match="may lie in several groups"):
        pv.Batch.of([several], by="region")
    with pytest.raises(pv.PlanError, match="different neighbour relations"):
        pv.Batch.of([planned(), planned(neighbours=pv.REPLACE_ONE)])
    with pytest.raises(pv.PlanError, match="neighbour relation of its plans"):
        pv.Batch.of([planned()], neighbours=pv.REPLACE_ONE)
    with pytest.raises(pv.PlanError, match="one or more"):
        pv.Batch.of([])
    with pytest.raises(pv.PlanError, match="no such group"):
        pv.Plan.from_document({**planned().to_document(), "group": {"column": "region", "level": "west"}})


def test_a_group_is_part_of_the_plan() -> None:
    north, south = pv.Batch.of([planned()], by="region").members
    assert north.digest != south.digest != planned().digest
    assert pv.Plan.from_document(north.to_document()) == north
    assert "only records with region = north" in str(north)
    assert north.at(1).group == north.group
    for plan, known in ((north, [0, 1]), (south, [2, 3])):
        found = plan.statistics(np.arange(4)[:, np.newaxis])
        assert isinstance(found, ExactStatistics)
        assert list(found.counts) == known


def test_a_ledger_charges_a_batch_at_once_or_not_at_all() -> None:
    book = pv.Ledger.in_memory(population="clinic", epsilon=1)
    entry = book.spend(pv.Batch.of([planned("smoker", "0.5"), planned("age", "0.25")]))
    assert (entry.spent, len(entry.plans)) == (pv.Budget.of("0.75"), 2)
    with pytest.raises(pv.BudgetExceededError):
        book.spend(pv.Batch.of([planned("smoker", "0.2"), planned("age", "0.1")]))
    assert book.verify() == entry
    book.spend(pv.Batch.of([planned(epsilon="0.25")], by="region"))
    assert book.left.epsilon == Fraction(0)


def test_a_plan_of_one_group_is_not_turned_into_one_of_others() -> None:
    north = pv.Batch.of([planned()], by="region").members[0]
    assert pv.Batch.of([north]).members == (north,)
    with pytest.raises(pv.PlanError, match="cannot be divided"):
        pv.Batch.of([north], by="age")


def test_gaussian_counts_by_group_cost_what_two_cells_of_all_groups_tell() -> None:
    """Every table of two records, every replaced record, every release of both groups: summed."""
    plan = planned("smoker", "0.5", delta="1e-3", mechanism=pv.GaussianCounts)
    batch = pv.Batch.of([plan], by="region", neighbours=pv.REPLACE_ONE)
    assert batch.cost.epsilon == 1
    variance = float(plan.mechanism.stddev) ** 2
    far = 60
    z = np.arange(-far, far + 1)
    noise = np.exp(-(z**2) / (2 * variance))
    noise /= noise.sum()

    def law(count: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        return np.asarray(np.roll(noise, count))  # what is rolled over the end weighs less than 1e-50

    moves = set()
    for one in _tables(2):
        for other in _tables(2):
            if sum((Counter(one) - Counter(other)).values()) == 1:
                moves.add(tuple(sorted((one.count(cell), other.count(cell)) for cell in CELLS)))
    worst = 0.0
    for counts in moves:
        changed = [pair for pair in counts if pair[0] != pair[1]]  # the other cells tell nothing
        first, second = (np.ones(1), np.ones(1))
        for here, there in changed:
            first, second = np.outer(first, law(here)).ravel(), np.outer(second, law(there)).ravel()
        worst = max(worst, float(np.maximum(first - math.e * second, 0).sum()))
    assert worst == pytest.approx(7.6e-5, rel=0.01)
    assert worst <= float(batch.cost.delta) * (1 + 1e-9)
    assert float(batch.cost.delta) == pytest.approx(worst, rel=1e-6)
