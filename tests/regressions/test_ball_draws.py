"""Draws of coefficients from a ball: their law against quadrature, and what a record can change of it."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from chi_square import fits
from privior.mechanisms.regression.ball_mass import log_mass
from privior.models import ExactStatistics, Observed
from privior.randomness import Bits, NormalInBall
from privior.testing.small_tables import codes, statistics

RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
TINY = pv.Schema({"y": pv.Integer(-1, 1), "a": pv.Integer(-1, 1)}, population="few", unit="person")


def whole(rows: Any) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(Fraction(one) for one in row) for row in rows)


#: two and three dimensions, the ball cutting through the middle of the law
LAWS = {
    2: NormalInBall(
        whole([[400, 10], [10, 30]]), (Fraction(240), Fraction(6)), (Fraction(1), Fraction(2)), Fraction(2, 5)
    ),
    3: NormalInBall(
        whole([[400, 5, 0], [5, 30, -4], [0, -4, 1]]),
        (Fraction(240), Fraction(0), Fraction(1)),
        (Fraction(1), Fraction(1), Fraction(1, 2)),
        Fraction(1, 2),
    ),
}
#: cells of the first coordinate, and of the squared length as a share of the largest
FIRST = [-1.0, 0.5, 0.54, 0.57, 0.6, 0.63, 1.0]
LENGTHS = [0.0, 0.7, 0.85, 1.0]


def places(law: NormalInBall, points: Any) -> Any:
    """The cell of each point."""
    lengths = points**2 @ np.array([float(one / law.squared_radius) for one in law.widths])
    return np.digitize(points[:, 0], FIRST) * 10 + np.digitize(np.minimum(lengths, 1 - 1e-12), LENGTHS)


def cell_chances(law: NormalInBall, slope: float = 1.0) -> dict[int, float]:
    """The chance of each cell, by the middles of a fine grid; the slope may be off."""
    size, radius = len(law.slope), float(law.squared_radius)
    widths = np.array([float(one) for one in law.widths])
    steps = 1400 if size == 2 else 140
    axes = [math.sqrt(radius / one) * ((2 * np.arange(steps) + 1) / steps - 1) for one in widths]
    points = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, size)
    points = points[points**2 @ widths <= radius]
    precision = np.array([[float(one) for one in row] for row in law.precision])
    heights = slope * points @ np.array([float(one) for one in law.slope])
    heights -= ((points @ precision) * points).sum(axis=1) / 2
    density = np.exp(heights - heights.max())
    chances = np.bincount(places(law, points), density / density.sum())
    return {cell: float(chance) for cell, chance in enumerate(chances) if chance > 0}


@pytest.mark.parametrize("size", [2, 3])
def test_the_sampler_has_its_law_and_not_one_that_is_off_by_5_percent(size: int) -> None:
    law, bits = LAWS[size], Bits()
    drawn = np.array([law.rounded([Fraction(1)] * size, 30, bits) for _ in range(1500)]) / 2**30
    found = places(law, drawn).tolist()
    assert fits(found, cell_chances(law))
    assert not fits(found, cell_chances(law, slope=1.05))
    assert not fits(found, cell_chances(law, slope=0.95))


def test_the_answer_does_not_depend_on_the_pull() -> None:
    """Floats choose how strongly trials are pulled inwards: another pull gives the same law."""
    law = NormalInBall(
        whole([[3, 1], [1, 2]]), (Fraction(5), Fraction(-2)), (Fraction(1), Fraction(2)), Fraction(1)
    )
    assert law.pull > 1
    other = NormalInBall(law.precision, law.slope, law.widths, law.squared_radius)
    other.__dict__["pull"] = 2 * law.pull
    bits = Bits()
    for one in (law, other):
        drawn = np.array([one.rounded([Fraction(1)] * 2, 30, bits) for _ in range(300)]) / 2**30
        halves = (drawn @ np.array([1.0, -1.0]) > 1.0).tolist()
        assert fits(halves, dict(zip((False, True), _halves(law), strict=True)))


def _halves(law: NormalInBall) -> tuple[float, float]:
    steps = (2 * np.arange(1500) + 1) / 1500 - 1
    a, b = np.meshgrid(steps, steps / math.sqrt(2), indexing="ij")
    density = np.exp(5 * a - 2 * b - (3 * a**2 + 2 * a * b + 2 * b**2) / 2) * (a**2 + 2 * b**2 <= 1)
    share = float(density[a - b > 1].sum() / density.sum())
    return 1 - share, share


def test_a_precision_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="radius"):
        NormalInBall(whole([[1]]), (Fraction(0),), (Fraction(0),), Fraction(1))
    wrong = NormalInBall(whole([[1, 2], [2, 1]]), (Fraction(0),) * 2, (Fraction(1),) * 2, Fraction(10**9))
    with pytest.raises(ValueError, match="curvature"):
        wrong.rounded([Fraction(1)] * 2, 10, Bits())


@pytest.mark.parametrize(
    ("values", "slopes", "radius"),
    [
        ([3.0], [5.0], 1.0),
        ([0.001], [0.1], 1.0),
        ([400.0, 0.5], [100.0, -20.0], 0.5),
        ([0.01, 7.0], [0.0, 1.0], 3.0),
    ],
)
def test_the_mass_of_a_ball_is_that_of_quadrature(
    values: list[float], slopes: list[float], radius: float
) -> None:
    v, g = np.array(values), np.array(slopes)
    nodes, weights = np.polynomial.legendre.leggauss(400)
    if len(v) == 1:
        y = math.sqrt(radius) * nodes
        found = np.log((np.exp(-v * y**2 / 2 + g * y) * weights).sum() * math.sqrt(radius))
    else:
        r = math.sqrt(radius) * (nodes + 1) / 2
        angles = np.linspace(0, 2 * np.pi, 1201)[:-1]
        y = r[:, None, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        heights = (-v * y**2 / 2 + g * y).sum(axis=2)
        inner = np.exp(heights - heights.max()).mean(axis=1) * 2 * np.pi
        found = heights.max() + np.log((inner * r * weights).sum() * math.sqrt(radius) / 2)
    assert log_mass(v[None], g[None] ** 2, radius)[0] == pytest.approx(found, abs=1e-7)


def densities(mechanism: pv.BallDraw, table: Any, points: Any) -> Any:
    """The log density of a draw at each of some points, from the records one by one and quadrature."""
    records = codes(mechanism.model, TINY)
    features = np.array([[1.0, row[1] - 1.0] for row in records])[:, 2 - points.shape[1] :]
    target = np.array([row[0] - 1.0 for row in records]) / 2
    each = float(mechanism.weight / mechanism.stddev**2)
    heights = sum(-each * (target[one] - points @ features[one]) ** 2 / 2 for one in table)
    return heights - np.log(np.exp(heights).mean())


@pytest.mark.parametrize("formula", ["y ~ a - 1", "y ~ a"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_no_record_changes_a_density_by_more_than_is_promised(formula: str, relation: pv.Neighbours) -> None:
    """All tables of up to three records of a tiny grid, all points of the ball, the range of the loss too."""
    mechanism = pv.BallDraw(pv.LinearRegression(formula), TINY, 2, neighbours=relation)
    size = mechanism.numbers
    axis = np.linspace(-1, 1, 401 if size == 1 else 81)
    points = np.stack(np.meshgrid(*[axis] * size, indexing="ij"), axis=-1).reshape(-1, size)
    points = points[(points**2).sum(axis=1) <= 1 + 1e-12]
    kinds = range(len(codes(mechanism.model, TINY)))
    laws = {
        table: densities(mechanism, table, points)
        for many in (2, 3)
        for table in combinations_with_replacement(kinds, many)
    }
    worst = widest = 0.0
    for table, here in laws.items():
        if len(table) != 3:
            continue
        for place in range(3):
            rest = table[:place] + table[place + 1 :]
            others = (
                [rest] if relation is pv.ADD_OR_REMOVE_ONE else [tuple(sorted((*rest, one))) for one in kinds]
            )
            for other in others:
                loss = here - laws[other]
                worst, widest = max(worst, np.abs(loss).max()), max(widest, loss.max() - loss.min())
    assert widest <= float(mechanism.weight * mechanism.range_at_one) * (1 + 1e-9)
    assert worst <= 2
    assert widest >= (0.5 if size == 1 else 0.35) * float(mechanism.guarantee.cost.epsilon)


def test_the_bound_is_attained_where_features_are_free() -> None:
    """u = Y, a = R e, t = -W e against v = -Y, z = R t'/W at t': the corners of the proof, and no more
    nearby."""
    reach, end, radius = 1.0, 0.5, 1.0
    other = np.array([end / reach, math.sqrt(radius**2 - (end / reach) ** 2)])
    rng = np.random.default_rng(3)

    def change(a: Any, u: float, z: Any, v: float, t: Any) -> float:
        return float((u - a @ t) ** 2 - (v - z @ t) ** 2)

    a, z = np.array([reach, 0.0]), reach * other / radius
    spread = change(a, end, z, -end, np.array([-radius, 0.0])) - change(a, end, z, -end, other)
    assert spread == pytest.approx(2 * (end + reach * radius) ** 2)
    for _ in range(2000):
        x, w = rng.standard_normal((2, 2)), rng.standard_normal((2, 2))
        x /= np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))
        w /= np.maximum(1, np.linalg.norm(w, axis=1, keepdims=True))
        u, v = rng.uniform(-end, end, 2)
        assert change(x[0], u, x[1], v, w[0]) - change(x[0], u, x[1], v, w[1]) <= spread + 1e-12


def test_the_numbers_of_the_guarantee() -> None:
    """R = 1, Y = 1/2, W = 1, s = 1/4: J = 9/2, eta = 36; with an intercept R^2 = 2; below Y = RW another
    form."""
    line = pv.LinearRegression("y ~ a - 1")
    assert float(pv.BallDraw(line, TINY, 1).range_at_one) == pytest.approx(36)
    assert float(pv.BallDraw(line, TINY, 1, neighbours="add-or-remove-one").range_at_one) == pytest.approx(18)
    assert float(pv.BallDraw(line, TINY, 1, radius="1/4").range_at_one) == pytest.approx(8)
    both = pv.BallDraw(pv.LinearRegression("y ~ a"), TINY, 1)
    assert float(both.range_at_one) == pytest.approx(16 * (0.5 + math.sqrt(2)) ** 2)
    assert both.guarantee.delta(1.0) == 0
    assert both.weight * both.range_at_one <= 1 < both.weight * both.range_at_one * Fraction(1001, 1000)
    assert 4 * 36 * pv.BallDraw(line, TINY, 1, draws=4).weight <= 1
    composed = pv.BallDraw(line, TINY, 1, "1e-3", draws=20)
    assert composed.weight > pv.BallDraw(line, TINY, 1, draws=20).weight
    with pytest.raises(pv.PlanError, match="does not give"):
        pv.BallDraw(line, TINY, 1, weight=both.weight * 3)
    for wrong in ({"draws": 0}, {"radius": 0}, {"stddev": -1}, {"places": 99}):
        with pytest.raises(pv.PriviorError):
            pv.BallDraw(line, TINY, 1, **wrong)  # type: ignore[arg-type]


def test_the_likelihood_is_that_of_the_records_one_by_one() -> None:
    mechanism = pv.BallDraw(pv.LinearRegression("y ~ a"), TINY, 5, places=3)
    records = codes(mechanism.model, TINY)
    table = (0, 4, 7)
    axis = np.arange(-8, 9)
    cells = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    exact = ExactStatistics(statistics(mechanism.model, TINY, pv.REPLACE_ONE, records[list(table)]))
    inside = cells[(cells**2).sum(axis=1) <= 64]
    stated = [
        mechanism.log_likelihood(Observed(mechanism.layouts, (tuple(one),)), exact) for one in inside.tolist()
    ]
    fine = np.stack(np.meshgrid(*[np.linspace(-1, 1, 801)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    fine = fine[(fine**2).sum(axis=1) <= 1]
    both = densities(mechanism, table, np.concatenate([fine, inside / 8]))
    logs = both - np.log(np.exp(both[: len(fine)]).mean())
    assert stated == pytest.approx(logs[len(fine) :] - math.log(math.pi) - 2 * math.log(8), abs=2e-3)


@pytest.mark.usefixtures("seeded_noise")
def test_draws_tell_what_they_can() -> None:
    """Many records and much epsilon: the line is found; few: the prior comes back. Intervals say which."""
    rng = np.random.default_rng(2)
    schema = pv.Schema({"y": pv.Integer(0, 20), "a": pv.Integer(0, 10)}, population="p", unit="person")
    a = rng.integers(0, 11, 4000)
    y = np.clip(np.rint(5 + a + rng.normal(0, 2, a.size)), 0, 20).astype(int)
    table = pa.table({"y": y, "a": a})
    model, found = pv.LinearRegression("y ~ a"), []
    for epsilon, relation in (("0.01", "replace-one"), (40, "add-or-remove-one")):
        plan = pv.plan(
            model, schema, records=4000, epsilon=epsilon, mechanism=pv.BallDraw, neighbours=relation
        )
        release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="p", epsilon=50))
        assert plan.mechanism.admits(release.statistics, 4000)
        posterior = pv.infer(pv.Release.from_json(release.to_json()))
        found.append(posterior.parameter("a"))
    nothing, sharp = found
    assert abs(sharp.mean - 1) < 5 * sharp.stddev < 1
    assert nothing.stddev > 4 * sharp.stddev
    low, high = posterior.average("y", given={"a": 5}).interval(0.9)
    assert high - low < 6
    noisy = pv.plan(model, schema, records=4000, epsilon=1, mechanism=pv.LaplaceMoments)
    moments = pv.measure(noisy, table, ledger=pv.Ledger.in_memory(population="p", epsilon=50))
    with pytest.raises(pv.PriviorError):
        pv.infer([release, moments])
