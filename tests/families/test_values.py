"""T14, T21: units with no value or with several in means and rates: the number of values is released too."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, product
from pathlib import Path

import numpy as np
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics, SummedModel
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


#: families of several parameters, and whether one record can reach the ends of all ranges at once
DROPPED, EVEN = pv.Integer(-1, 1, missing=DROP), [[1, 0], [0, 1]]
JOINT: dict[str, tuple[SummedModel, dict[str, Column], bool]] = {
    "mean and precision": (pv.NormalMeanPrecision("x", pv.NormalGamma(0, 1, 2, 1)), {"x": DROPPED}, False),
    "two means": (
        pv.MultivariateNormalMean(["x", "y"], pv.MultivariateNormal([0, 0], EVEN), EVEN),
        {"x": DROPPED, "y": pv.Integer(0, 2)},
        True,
    ),
    "precision of two": (
        pv.MultivariateNormalPrecision(["x", "y"], [0, 1], pv.Wishart(3, [[1, 0], [0, 1]], "0.5", 2)),
        {"x": DROPPED, "y": pv.Integer(0, 2, missing=DROP)},
        False,
    ),
    "several rows": (pv.NormalMeanPrecision("x", pv.NormalGamma(0, 1, 2, 1)), {"x": pv.Integer(0, 2)}, False),
}


def schema_of(column: Column, rows: int) -> pv.Schema:
    return schema_with({"x": column}, rows)


def schema_with(columns: dict[str, Column], rows: int) -> pv.Schema:
    unit = pv.Unit("person", column="id", max_rows=rows) if rows > 1 else pv.Unit("person")
    return pv.Schema(columns, population="p", unit=unit)


def contributions(model: SummedModel, schema: pv.Schema, relation: pv.Neighbours) -> set[tuple[int, ...]]:
    """Return what one unit can add to the sums: any rows, each with any codes or with bad cells."""
    columns = {name: schema.column(name) for name in model.columns}
    summands = model.summands(schema, relation)
    cells = [[*([None] if one.missing is DROP else []), *range(one.size)] for one in columns.values()]
    found = set()
    for many in range(1, schema.unit.max_rows + 1):
        for rows in combinations_with_replacement(list(product(*cells)), many):
            kept = [row for row in rows if None not in row]
            codes = np.array(kept, np.int64).reshape(len(kept), len(columns))
            by_name = dict(zip(columns, codes.T, strict=True))
            found.add(tuple(int(one.of(by_name).sum()) for one in summands))
    return found


@pytest.mark.parametrize("delta", ["0", "1e-6"])
@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("name", JOINT)
def test_no_unit_moves_several_sums_farther_than_the_noise_is_for(
    name: str, relation: pv.Neighbours, rows: int, delta: str
) -> None:
    """All neighbouring pairs of families of several parameters: never above, and attained where it can be."""
    model, columns, attained = JOINT[name]
    schema = schema_with(columns, rows)
    units = contributions(model, schema, relation)
    other = units if relation is pv.REPLACE_ONE else {(0,) * len(next(iter(units)))}
    moves = {tuple(abs(a - b) for a, b in zip(one, two, strict=True)) for one, two in product(units, other)}
    stated = model.sensitivity(schema, relation)
    least, squares = max(map(sum, moves)), max(sum(part**2 for part in move) for move in moves)
    assert least <= stated.l1
    assert squares <= stated.l2_squared
    if attained:
        assert (least, squares) == (stated.l1, stated.l2_squared)
    plan = pv.plan(
        model, schema, records=5, epsilon=1, delta=delta, neighbours=relation, mechanism=pv.NoisyStatistics
    )
    scales = plan.mechanism.scales
    if plan.mechanism.gaussian:
        rho = max(sum(Fraction(d) ** 2 / (2 * s**2) for d, s in zip(m, scales, strict=True)) for m in moves)
        assert len(scales) == 1 or rho <= (plan.guarantee.pair.rho or 0) * (1 + Fraction(1, 10**9))
    else:
        assert max(sum(Fraction(d) / s for d, s in zip(move, scales, strict=True)) for move in moves) <= 1
    assert pv.Plan.from_document(plan.to_document()) == plan


def test_records_with_a_bad_cell_count_in_no_sum_of_several_columns(tmp_path: Path) -> None:
    """The sums that are read are those of records with all cells; the posterior is theirs."""
    lines = [f"{x};{y}\n" for x, y in [("3", "1"), ("", "2"), ("4", "x"), ("5", "3"), ("NA", "")] * 60]
    (tmp_path / "t.csv").write_text("x;y\n" + "".join(lines))
    grid = pv.Integer(-10, 10, missing=DROP)
    schema = pv.Schema(
        {"x": grid, "y": grid}, population="p", unit="person", csv=pv.CsvDialect(delimiter=";")
    )
    model = pv.MultivariateNormalMean(["x", "y"], pv.MultivariateNormal([0, 0], [[9, 0], [0, 9]]), EVEN)
    plan = pv.plan(model, schema, records=300, epsilon=900)
    (found,) = open_table(tmp_path / "t.csv", schema, ("x", "y"), ()).read(Sums((), plan.summands))
    assert found[0].tolist() == [120, 480, 240]
    posterior = pv.infer(pv.measure(plan, tmp_path / "t.csv", ledger=pv.Ledger.in_memory()))
    assert list(posterior.mean().values())[:2] == pytest.approx([4, 2], abs=0.15)
    assert "how many have a value stays private" in plan.records_in_words


def test_the_number_of_values_is_inferred_as_a_private_number_of_records_is() -> None:
    """The same noisy numbers, with the same noise, say the same where records come and go: all latent.

    Calibration of that is shown by evidence/test_joint_families.py.
    """
    model = pv.NormalMeanPrecision("x", pv.NormalGamma(5, 1, 8, 24))
    plan = pv.plan(model, schema_of(pv.Integer(0, 10, missing=DROP), 1), records=300, epsilon=1)
    codes = np.clip(np.rint(np.random.default_rng(15).normal(5, 1.7, 140)), 0, 10).astype(np.int64)
    seen = ExactStatistics([int(one.of({"x": codes}).sum()) for one in plan.summands])
    release = measure_statistics(plan, seen, ledger=pv.Ledger.in_memory())
    law = plan.mechanism
    relation = pv.ADD_OR_REMOVE_ONE
    other = pv.Plan(
        plan.schema,
        model,
        pv.NoisyStatistics(law.ranges, 1, neighbours=relation, scales=law.scales),
        relation,
        300,
    )
    charged = measure_statistics(other, seen, ledger=pv.Ledger.in_memory())
    twin = replace(charged, statistics=release.statistics)
    first, second = pv.infer(release), pv.infer(twin)
    assert first.interval(0.9) == second.interval(0.9)
    assert abs(first.records.mean() - 140) < 30
    assert first.records.std() > 1


def test_persons_with_several_rows_may_have_more_values_than_there_are_persons() -> None:
    model = pv.NormalMeanPrecision("x", pv.NormalGamma(5, 1, 8, 24))
    plan = pv.plan(model, schema_of(pv.Integer(0, 10), 2), records=300, epsilon=20)
    codes = np.clip(np.rint(np.random.default_rng(15).normal(5, 1.7, 500)), 0, 10).astype(np.int64)
    sums = [int(one.of({"x": codes}).sum()) for one in plan.summands]
    posterior = pv.infer(measure_statistics(plan, ExactStatistics(sums), ledger=pv.Ledger.in_memory()))
    assert abs(posterior.records.mean() - 500) < 5
    assert abs(next(iter(posterior.mean().values())) - codes.mean()) < 0.3


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
