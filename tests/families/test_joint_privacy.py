"""The guarantees of families of several parameters against brute force over neighbouring tables."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from joint_cases import CASES, Case
from numpy.typing import NDArray
from scipy.special import ndtr
from test_family_privacy import gaussian_delta

import privior as pv
from privior.models import JointFamily
from privior.privacy import Concentrated

Floats = NDArray[np.float64]


def records_of(model: JointFamily, schema: pv.Schema) -> list[dict[str, int]]:
    """Return every record that there is, by codes."""
    sizes = [range(schema.column(name).size) for name in model.columns]
    return [dict(zip(model.columns, codes, strict=True)) for codes in product(*sizes)]


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE], ids=str)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_noisy_statistics(case: Case, relation: pv.Neighbours) -> None:
    """The largest loss over outputs, of every record that is replaced or added, is within the budget."""
    model, schema = case.small
    summands = model.summands(schema, relation)
    ranges = [one.bounds(schema) for one in summands]
    adds = np.array(
        [
            [int(one.of({name: np.array([code]) for name, code in record.items()})[0]) for one in summands]
            for record in records_of(model, schema)
        ]
    )
    assert ranges == [
        (int(low), int(high)) for low, high in zip(adds.min(axis=0), adds.max(axis=0), strict=True)
    ]
    moves = {tuple(one - other) for one in adds for other in adds}
    if relation is not pv.REPLACE_ONE:
        moves = {tuple(sign * one) for one in adds for sign in (1, -1)}
    laplace = pv.NoisyStatistics(ranges, "0.8", neighbours=relation)
    rates = np.array([float(1 / scale) for scale in laplace.scales])
    largest = max(float(np.abs(np.array(move)) @ rates) for move in moves)
    assert largest <= 0.8 * (1 + 1e-12)
    assert largest >= 0.4  # the sums do not all move at once, but half the budget is used
    gaussian = pv.NoisyStatistics(ranges, "0.8", "0.01", neighbours=relation)
    pair = gaussian.guarantee.pair
    assert isinstance(pair, Concentrated)
    squares = max(
        sum((step / float(scale)) ** 2 for step, scale in zip(move, gaussian.scales, strict=True))
        for move in moves
    )
    assert squares / 2 <= float(pair.rho) * (1 + 1e-12)
    if len(ranges) == 2:
        assert max(gaussian_delta(np.array(move), gaussian, 0.8) for move in moves) <= 0.01


@pytest.mark.parametrize("weight", ["1", "0.4"])
def test_draws_of_means(weight: str) -> None:
    """The distance of the posteriors of neighbours, whitened: what is claimed is attained and not passed."""
    model, schema = CASES[1].small
    assert isinstance(model, pv.MultivariateNormalMean)
    prior = np.linalg.inv(np.array([[1, 0.5], [0.5, 2]]))
    known = np.linalg.inv(np.array([[2.0, 1], [1, 1]]))
    values = np.array(list(product((-1, 0, 1), (0, 1, 2))), dtype=float)
    heavy = float(weight)
    for records in (1, 2, 4):
        precision = prior + heavy * records * known
        root = np.linalg.cholesky(precision)
        farthest = 0.0
        for shared in combinations_with_replacement(range(len(values)), records - 1):
            total = values[list(shared)].sum(axis=0)
            pulls = prior @ np.array([0, 1]) + heavy * (total + values) @ known.T
            means = np.linalg.solve(precision, pulls.T).T @ root
            apart = np.linalg.norm(means[:, None] - means[None], axis=2)
            farthest = max(farthest, float(apart.max()))
        pair = model.draw_pair(schema, records, Fraction(weight), 1)
        for epsilon in (0.0, 0.7, 2.0):
            exact = ndtr(farthest / 2 - epsilon / farthest)
            exact -= math.exp(epsilon) * ndtr(-farthest / 2 - epsilon / farthest)
            assert math.isclose(pair.delta(epsilon), exact, abs_tol=1e-8)
        four = model.draw_pair(schema, records, Fraction(weight), 4).delta(0.7)
        assert math.isclose(four, _gaussian(2 * farthest, 0.7), abs_tol=1e-8)


def _gaussian(mu: float, epsilon: float) -> float:
    return float(ndtr(mu / 2 - epsilon / mu) - math.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu))


@pytest.mark.parametrize("weight", ["1", "0.3"])
def test_pure_draws_of_mean_and_precision(weight: str) -> None:
    """Every table of up to six records, every neighbour: the loss on a grid of the box, corners included.

    Its range is exactly the claimed one for some two records; the loss itself never passes it.
    """
    schema = CASES[0].small[1]
    model = pv.NormalMeanPrecision("x", pv.NormalGamma(0, 1, 2, 1, means=(-1, 1), precisions=("0.5", 2)))
    heavy = float(weight)
    mu, tau = np.linspace(-1, 1, 81), np.linspace(0.5, 2, 81)
    simpson = np.ones(81)
    simpson[1:-1:2], simpson[2:-1:2] = 4, 2
    grid = np.outer(simpson, simpson)
    values = np.linspace(-1, 1, 5)
    prior = 1.5 * np.log(tau) - tau * (1 + mu[:, None] ** 2 / 2)
    each = np.log(tau) / 2 - tau * (values[:, None, None] - mu[:, None]) ** 2 / 2
    for records in (1, 3, 6):
        claimed = model.draw_pair(schema, records, Fraction(weight), 1).pure
        assert claimed is not None
        widest = largest = 0.0
        for shared in combinations_with_replacement(range(5), records - 1):
            logs = prior + heavy * (each[list(shared)].sum(axis=0) + each)
            logs = logs - logs.max(axis=(1, 2), keepdims=True)
            laws = logs - np.log((np.exp(logs) * grid).sum(axis=(1, 2), keepdims=True))
            for one in laws:
                loss = one - laws
                largest = max(largest, float(loss.max()))
                widest = max(widest, float((loss.max(axis=(1, 2)) - loss.min(axis=(1, 2))).max()))
        assert largest <= float(claimed) + 1e-8
        assert math.isclose(widest, float(claimed), abs_tol=1e-8)
        assert largest > 0.4 * float(claimed)
        assert model.draw_pair(schema, records, Fraction(weight), 2).pure == 2 * claimed


@pytest.mark.parametrize("weight", ["1", "0.3"])
def test_pure_draws_of_precision_matrices(weight: str) -> None:
    """Every table of up to six records, every neighbour: the loss on a grid, and where it is extreme.

    Its range is exactly the claimed one for some two records; the loss itself never passes it.
    """
    model, schema = CASES[2].small
    low, high, heavy = 0.5, 2.0, float(weight)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    part, angles = (1 + nodes) / 2, np.pi * (np.arange(16) + 0.5) / 16
    p = low + (high - low) * part[:, None, None]
    q = low + (p - low) * part[:, None]
    measure = (p - low) * (p - q) * weights[:, None, None] * weights[:, None] * np.ones(angles.size)
    grid = _matrices(p, q, angles)  # entries first, side, second; then points
    values = np.array(list(product((-1.0, 0, 1), (-0.5, 0.5, 1.5))))
    # for every pair of records the two matrices at which the likelihood ratio is extreme
    ends = []
    for x, y in product(values, values):
        _, turn = np.linalg.eigh(np.outer(y, y) - np.outer(x, x))
        ends += [turn @ np.diag(two) @ turn.T for two in ((low, high), (high, low))]
    extremes = np.array([[one[0, 0], one[1, 0], one[1, 1]] for one in ends]).T
    squares = np.stack([values[:, 0] ** 2, 2 * values[:, 0] * values[:, 1], values[:, 1] ** 2], axis=1)
    prior = -(grid[0] + grid[2]) / 2  # three degrees of freedom: no power of the determinant

    def logs(matrices: Floats) -> Floats:
        sizes = np.log(matrices[0] * matrices[2] - matrices[1] ** 2)
        return np.asarray((sizes - squares @ matrices) / 2)

    each, peaks = logs(grid), logs(extremes)
    for records in (1, 3, 6):
        claimed = model.draw_pair(schema, records, Fraction(weight), 1).pure
        assert claimed is not None
        widest = largest = 0.0
        for shared in combinations_with_replacement(range(9), records - 1):
            others = heavy * each[list(shared)].sum(axis=0) + prior
            masses = np.log(np.exp(others + heavy * each) @ measure.ravel())
            laws = heavy * peaks - masses[:, None]  # what all tables share is left out
            loss = laws[:, None] - laws
            largest = max(largest, float(loss.max()))
            widest = max(widest, float(np.ptp(loss, axis=2).max()))
        assert largest <= float(claimed) + 1e-8
        assert math.isclose(widest, float(claimed), abs_tol=1e-8)
        assert largest > 0.4 * float(claimed)
        assert model.draw_pair(schema, records, Fraction(weight), 2).pure == 2 * claimed


def _matrices(p: Floats, q: Floats, angles: Floats) -> Floats:
    half = (p - q) / 2
    around, beside = half * np.cos(2 * angles), half * np.sin(2 * angles)
    middle = (p + q) / 2
    return np.array([(middle + around).ravel(), beside.ravel(), (middle - around).ravel()])


@pytest.mark.parametrize("sides", [("1", "1"), ("1", "0.5"), ("0.3", "1"), ("1", "0.2"), ("0.05", "1")])
def test_the_range_for_precision_matrices_is_the_least_that_holds(sides: tuple[str, str]) -> None:
    """Against many pairs of records all over the box, of which some are at its ends."""
    first, second = (float(one) for one in sides)
    schema = pv.Schema(
        {
            name: pv.Bounded(f"-{end}", end, grid=f"{Fraction(end) / 100}")
            for name, end in zip("xy", sides, strict=True)
        },
        population="few",
        unit="patient",
    )
    model = pv.MultivariateNormalPrecision(["x", "y"], [0, 0], pv.Wishart(3, [[1, 0], [0, 1]], 1, 3))
    rng = np.random.default_rng(1)
    u, v = rng.uniform(-1, 1, (2, 400_000, 2)).clip(-0.8, 0.8) / 0.8 * np.array([first, second])
    apart = np.linalg.norm(u - v, axis=1) * np.linalg.norm(u + v, axis=1)
    claimed = float(model.oscillation(schema))
    assert float(apart.max()) <= claimed * (1 + 1e-12)
    assert float(apart.max()) >= claimed * 0.995


def test_draws_that_have_no_proof_are_refused() -> None:
    """With the reason, whatever delta is allowed; also with one side of the box only."""
    half = pv.NormalMeanPrecision("error", pv.NormalGamma(0, 4, 20, 40, precisions=("0.1", 2)))
    schema = pv.Schema({"error": pv.Bounded(-8, 8, grid="0.1")}, population="clinic", unit="patient")
    for delta in ("0", "1e-5"):
        with pytest.raises(pv.PlanError, match="no privacy is proved"):
            pv.plan(half, schema, records=10, epsilon=1, delta=delta, mechanism=pv.PosteriorDraws)
    names = ["x", "y", "z"]
    one = [["1", 0, 0], [0, "1", 0], [0, 0, "1"]]
    matrix = pv.MultivariateNormalPrecision(names, [0, 0, 0], pv.Wishart(4, one, "0.5", 2))
    few = pv.Schema({name: pv.Bounded(-1, 1, grid=1) for name in names}, population="few", unit="patient")
    for delta in ("0", "1e-5"):
        with pytest.raises(pv.PlanError, match="of two columns only"):
            pv.plan(matrix, few, records=10, epsilon=1, delta=delta, mechanism=pv.PosteriorDraws)
        plan = pv.plan(matrix, few, records=10, epsilon=1, delta=delta)
        assert plan.mechanism.name == "noisy-statistics"
