"""A parameter for each group of a column: group sizes are private, whatever the neighbour relation."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from family_cases import CASES, SCHEMA, Case

import privior as pv

WARDS = ("north", "south", "west")
RELATIONS = (pv.ADD_OR_REMOVE_ONE, pv.REPLACE_ONE)


@pytest.mark.usefixtures("seeded_noise")
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.name}-{case.model.column}")
def test_each_group_has_a_posterior(case: Case) -> None:
    rng = np.random.default_rng(10)  # of its tables few are far from what their parameters lead one to expect
    column = case.model.column
    schema = pv.Schema(
        {column: SCHEMA.column(column), "ward": pv.Categorical(WARDS)}, population="clinic", unit="patient"
    )
    ledger = pv.Ledger.in_memory(population="clinic", epsilon=6)
    wards = rng.permutation(np.repeat(WARDS, (300, 200, 100)))
    thetas = {ward: case.draw(rng) for ward in WARDS}
    cells = np.empty(wards.size, dtype=object)
    for ward in WARDS:
        cells[wards == ward] = case.cells(rng, thetas[ward], int((wards == ward).sum()))
    plan = pv.plan(case.model, schema, records=600, epsilon=3, neighbours=pv.ADD_OR_REMOVE_ONE)
    batch = pv.Batch.of([plan], by="ward", neighbours=pv.REPLACE_ONE)
    assert batch.cost.epsilon == 6
    releases = pv.measure_all(batch, pa.table({column: cells.tolist(), "ward": wards}), ledger=ledger)
    for ward, release in zip(WARDS, releases, strict=True):
        low, high = pv.infer(release).interval(0.9999)
        assert low <= thetas[ward] <= high
    assert ledger.spent.epsilon == 6


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("case", CASES[:4], ids=lambda case: f"{case.name}-{case.model.column}")
def test_the_guarantee_of_all_groups_against_every_neighbour(case: Case, relation: pv.Neighbours) -> None:
    """Laplace noise of scale s on a sum that moves by d has the loss d/s at its ends: they add up."""
    model, alone = case.small
    column = alone.column(model.column)
    schema = pv.Schema(
        {model.column: column, "ward": pv.Categorical(WARDS[:2])}, population="few", unit="patient"
    )
    plan = pv.plan(
        model,
        schema,
        records=3,
        epsilon="0.7",
        neighbours=pv.ADD_OR_REMOVE_ONE,
        mechanism=pv.NoisyStatistics,
    )
    cost = pv.Batch.of([plan], by="ward", neighbours=relation).cost.epsilon
    scales = plan.mechanism.to_document()["scales"]
    assert isinstance(scales, list)
    sums = model.summand(schema).of({model.column: np.arange(column.size)})
    records = list(product(range(2), sums.tolist()))

    def statistic(table: tuple[tuple[int, int], ...]) -> list[int]:
        return [
            part
            for ward in range(2)
            for part in (
                sum(1 for place, _ in table if place == ward),
                sum(value for place, value in table if place == ward),
            )
        ]

    def loss(one: tuple[tuple[int, int], ...], other: tuple[tuple[int, int], ...]) -> Fraction:
        moves = zip(statistic(one), statistic(other), scales * 2, strict=True)
        return sum((abs(a - b) / Fraction(scale) for a, b, scale in moves), start=Fraction(0))

    worst = Fraction(0)
    for rest in product(records, repeat=2):
        for record in records:
            if relation is pv.ADD_OR_REMOVE_ONE:
                worst = max(worst, loss((*rest, record), rest))
            else:
                worst = max(worst, *(loss((*rest, record), (*rest, other)) for other in records))
    assert worst <= cost
    assert float(worst) == pytest.approx(float(cost), rel=1e-8)
