"""T14, T21: units with no value or with several in means and rates: the number of values is released too."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.models.families.family import Family
from privior.models.readings import Sums
from privior.schema import DROP, Column
from privior.tables import open_table

NORMAL = pv.NormalMean("x", pv.Normal(0, stddev=3), stddev=1)
POISSON = pv.GammaPoisson("x", pv.Gamma(2, 1))
BERNOULLI = pv.BetaBernoulli("x", pv.Beta(1, 1))
CASES = [
    (NORMAL, pv.Integer(-1, 2, missing=DROP)),
    (NORMAL, pv.Bounded(5, 7, grid=1, missing=DROP)),
    (POISSON, pv.Integer(0, 3, missing=DROP)),
    (BERNOULLI, pv.Boolean(missing=DROP)),
    (NORMAL, pv.Integer(-1, 2, missing=0)),
]


def schema_of(column: Column, rows: int) -> pv.Schema:
    unit = pv.Unit("person", column="id", max_rows=rows) if rows > 1 else pv.Unit("person")
    return pv.Schema({"x": column}, population="p", unit=unit)


def contributions(model: Family, schema: pv.Schema, relation: pv.Neighbours) -> set[tuple[int, ...]]:
    """Return what one unit can add to the sums: any rows, each with any code or with a bad cell."""
    column, summands = schema.column("x"), model.summands(schema, relation)
    bad = [None] if column.missing is DROP else []
    found = set()
    for many in range(1, schema.unit.max_rows + 1):
        for cells in combinations_with_replacement([*bad, *range(column.size)], many):
            codes = np.array([cell for cell in cells if cell is not None], np.int64)
            found.add(tuple(int(one.of({"x": codes}).sum()) for one in summands))
    return found


@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("case", range(len(CASES)))
def test_no_unit_moves_the_sums_farther_than_the_noise_is_for(
    case: int, relation: pv.Neighbours, rows: int, delta: str
) -> None:
    """All neighbouring pairs: the others' records cancel, so only what one unit adds is listed."""
    model, column = CASES[case]
    schema = schema_of(column, rows)
    units = contributions(model, schema, relation)
    other = units if relation is pv.REPLACE_ONE else {(0,) * len(next(iter(units)))}
    moves = [[abs(a - b) for a, b in zip(one, two, strict=True)] for one, two in product(units, other)]
    stated = model.sensitivity(schema, relation)
    assert max(map(sum, moves)) == stated.l1
    assert max(sum(part**2 for part in move) for move in moves) == stated.l2_squared
    plan = pv.plan(
        model, schema, records=5, epsilon=1, delta=delta, neighbours=relation, mechanism=pv.NoisyStatistics
    )
    scales = plan.mechanism.scales
    if plan.mechanism.gaussian:
        rho = max(sum(Fraction(d) ** 2 / (2 * s**2) for d, s in zip(m, scales, strict=True)) for m in moves)
        assert len(scales) == 1 or float(rho) == pytest.approx(float(plan.guarantee.pair.rho or 0), rel=1e-9)
    else:
        loss = max(sum(Fraction(d) / s for d, s in zip(move, scales, strict=True)) for move in moves)
        assert Fraction(9999, 10_000) < loss <= 1
    assert pv.Plan.from_document(plan.to_document()) == plan


def test_a_dropped_cell_counts_nowhere(tmp_path: Path) -> None:
    """The sums that are read are those of the records that have a value, and so is the posterior."""
    lines = [f"{value}\n" for value in ["3", "", "x", "4", "NA", "5", "4"] * 40]
    (tmp_path / "t.csv").write_text("x\n" + "".join(lines))
    schema = schema_of(pv.Integer(-1000, 1000, missing=DROP), 1)
    model = pv.NormalMean("x", pv.Normal(0, stddev=100), stddev=1)
    plan = pv.plan(model, schema, records=280, epsilon=900)
    opened = open_table(tmp_path / "t.csv", schema, ("x",), ())
    (found,) = opened.read(Sums((), plan.summands))
    assert found[0, 0] == 160
    posterior = pv.infer(pv.measure(plan, tmp_path / "t.csv", ledger=pv.Ledger.in_memory()))
    assert posterior.mean() == pytest.approx(4, abs=0.1)
    assert "left out" in plan.bad_cells_in_words


def test_the_number_of_values_is_inferred_with_its_noise(seeded_noise: object) -> None:
    """90% intervals of the mean of the values hold it as often as they should, at a small epsilon."""
    schema = schema_of(pv.Integer(0, 10, missing=DROP), 1)
    model = pv.NormalMean("x", pv.Normal(5, stddev=3), stddev=2)
    plan = pv.plan(model, schema, records=300, epsilon="0.3")
    rng, held = np.random.default_rng(14), 0
    for _ in range(24):
        theta = rng.normal(5, 1)
        values = np.clip(np.rint(rng.normal(theta, 2, size=rng.integers(60, 300))), 0, 10).astype(np.int64)
        sums = [int(one.of({"x": values}).sum()) for one in plan.summands]
        release = measure_statistics(plan, ExactStatistics(sums), ledger=pv.Ledger.in_memory())
        low, high = pv.infer(release).interval(0.9)
        held += low <= theta <= high
    assert 18 <= held <= 24


def test_draws_are_refused_where_a_unit_may_have_no_value_or_several() -> None:
    cut = pv.NormalMean("x", pv.Truncated(pv.Normal(0, stddev=3), -2, 2), stddev=1)
    for schema in (schema_of(pv.Integer(-1, 2, missing=DROP), 1), schema_of(pv.Integer(-1, 2), 3)):
        with pytest.raises(pv.PriviorError):
            pv.plan(cut, schema, records=5, epsilon=1, mechanism=pv.PosteriorDraws)


def test_a_planted_mechanism_for_records_with_one_value_is_refused() -> None:
    schema = schema_of(pv.Integer(0, 3, missing=DROP), 1)
    plan = pv.plan(POISSON, schema, records=5, epsilon=1)
    ranges = [one.bounds(schema) for one in plan.summands]
    with pytest.raises(pv.PlanError):
        pv.Plan(schema, POISSON, pv.NoisyStatistics(ranges, 1), pv.REPLACE_ONE, 5)
