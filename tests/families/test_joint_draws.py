"""Released draws of several parameters have the posterior's law, at the suite's false-alarm rate."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from joint_cases import CASES, SCHEMA, Case
from numpy.typing import NDArray
from scipy.special import ndtr

import privior as pv
from chi_square import fits
from privior.models import ExactStatistics, JointFamily, Observed
from privior.randomness.wishart import Rotation

Floats = NDArray[np.float64]

DRAWS, CELLS = 800, 8


def released(model: JointFamily, records: int, sums: list[int], number: int) -> Floats:
    mechanism = pv.PosteriorDraws(model, SCHEMA, records, 10**4, "0.5")
    assert mechanism.weight == 1
    exact = ExactStatistics(np.array(sums))
    return np.concatenate([mechanism.parameters_drawn(mechanism.release(exact)) for _ in range(number)])


def test_means_have_their_law_and_no_other() -> None:
    """A posterior whose sums are off by 5% is noticed, in each of the independent directions."""
    model = CASES[1].model
    assert isinstance(model, pv.MultivariateNormalMean)
    n, sums = 900, [900 * 30, 900 * 4]  # means of 1.5 and 5
    drawn = released(model, n, sums, DRAWS)
    centre = np.array([float(one) for one in model.centre(SCHEMA)])
    units = np.array([float(one) for one in model.units(SCHEMA)])
    prior = np.linalg.inv(np.array([[1, 0.3], [0.3, 2]]))
    known = np.linalg.inv(np.array([[1, 0.5], [0.5, 4]]))
    precision = prior + n * known
    law = dict.fromkeys(range(CELLS), 1 / CELLS)
    for off, right in ((1.0, True), (1.05, False)):
        values = n * centre + off * units * np.array(sums)
        mean = np.linalg.solve(precision, prior @ np.array([0.5, 1]) + known @ values)
        white = (drawn - mean) @ np.linalg.cholesky(precision)
        shares = ndtr(white)
        for place in range(2):
            cells = np.minimum((shares[:, place] * CELLS).astype(int), CELLS - 1)
            assert fits(cells.tolist(), law) is right, (off, place)
        both = (shares[:, 0] < 0.5).astype(int) + 2 * (shares[:, 1] < 0.5).astype(int)
        if right:
            assert fits(both.tolist(), dict.fromkeys(range(4), 0.25))


def boxed(model: JointFamily, n: int, sums: list[int], off: float) -> tuple[Floats, Floats, Floats]:
    """Return the posterior on a grid of the box: points of the mean and the precision, and masses."""
    prior = model.prior
    assert isinstance(prior, pv.NormalGamma)
    assert prior.means is not None
    assert prior.precisions is not None
    centre = float(model.centre(SCHEMA)[0])
    first, second = (off * float(unit) * one for unit, one in zip(model.units(SCHEMA), sums, strict=True))
    mu = np.linspace(float(prior.means[0]), float(prior.means[1]), 2002)
    tau = np.linspace(float(prior.precisions[0]), float(prior.precisions[1]), 2002)
    mu, tau = (mu[1:] + mu[:-1]) / 2, (tau[1:] + tau[:-1]) / 2
    strength, shape, rate = (float(one) for one in (prior.strength, prior.shape, prior.rate))
    away = mu[:, None] - centre
    squares = second - 2 * away * first + n * away**2
    logs = (shape + n / 2 - 0.5) * np.log(tau) - tau * (
        rate + (squares + strength * (mu[:, None] - float(prior.mean)) ** 2) / 2
    )
    masses = np.exp(logs - logs.max())
    return mu, tau, masses / masses.sum()


def cells_of(drawn: Floats, mu: Floats, tau: Floats, masses: Floats) -> tuple[list[int], dict[int, float]]:
    """Cut both coordinates into quarters of the marginal law: 16 cells and their chances."""
    shares = np.array([0.25, 0.5, 0.75])
    edges, codes = [], []
    for values, points, axis in ((drawn[:, 0], mu, 1), (drawn[:, 1], tau, 0)):
        below = np.cumsum(masses.sum(axis=axis))
        edge = np.searchsorted(below, shares)
        step = points[1] - points[0]
        codes.append(np.searchsorted(points[edge] + step / 2, values))
        edges.append(np.searchsorted(edge, np.arange(points.size), side="left"))
    chance = np.zeros((4, 4))
    np.add.at(chance, (edges[0][:, None], edges[1][None]), masses)
    law = {place: float(one) for place, one in enumerate(chance.ravel())}
    return (4 * codes[0] + codes[1]).tolist(), law


@pytest.mark.parametrize("cut", [False, True], ids=["wide", "narrow"])
def test_mean_and_precision_have_their_law_and_no_other(cut: bool) -> None:
    """In a box that hardly cuts the posterior and, with few records, in one that cuts it on all sides."""
    box = {"means": (-8, 8), "precisions": ("0.25", "0.6") if cut else ("0.1", 2)}
    strength, n = (1, 3) if cut else (4, 900)
    model = pv.NormalMeanPrecision("error", pv.NormalGamma(0, strength, 2, 2, **box))
    sums = [240, 20_000] if cut else [9000, 900 * 300]
    drawn = released(model, n, sums, DRAWS)
    assert fits(*cells_of(drawn, *boxed(model, n, sums, 1.0)))
    if not cut:
        assert not fits(*cells_of(drawn, *boxed(model, n, sums, 1.05)))


def quarters(points: Floats, chances: Floats) -> list[Floats]:
    """Return, for each coordinate, where its quarters end."""
    found = []
    for values in points.T:
        order = np.argsort(values)
        found.append(values[order][np.searchsorted(np.cumsum(chances[order]), [0.25, 0.5, 0.75])])
    return found


def test_precision_matrices_have_their_law_and_no_other() -> None:
    """Through a release; and the density by which inference weighs it is that of the same law on a grid."""
    model = CASES[2].model
    n, sums = 900, [900 * 500, -900 * 15, 900 * 7]  # mean squares of 5 and 7, mean products of -1.5
    drawn = released(model, n, sums, DRAWS // 2)
    likelihood = model.at(SCHEMA)
    centre, spread = drawn.mean(axis=0), drawn.std(axis=0)
    axes = [
        np.linspace(middle - 6 * sd, middle + 6 * sd, 73) for middle, sd in zip(centre, spread, strict=True)
    ]
    points = np.stack([one.ravel() for one in np.meshgrid(*axes, indexing="ij")], axis=1)
    for off, right in ((1.0, True), (1.05, False)):
        totals = off * likelihood.units * np.array(sums)
        x, z, y = points.T
        logs = likelihood.log_prior(points) - (totals[0] * x + 2 * totals[1] * z + totals[2] * y) / 2
        logs += n / 2 * np.log(np.maximum(x * y - z**2, 1e-300))
        masses = np.exp(logs - logs.max())
        masses /= masses.sum()
        edges = quarters(points, masses)
        law, codes = (
            sum(
                4**i * np.searchsorted(edge, values)
                for i, (edge, values) in enumerate(zip(edges, one.T, strict=True))
            )
            for one in (points, drawn)
        )
        chances = np.bincount(law, weights=masses, minlength=64)
        assert fits(codes.tolist(), dict(enumerate(chances.tolist()))) is right
        if right:
            density = masses / np.prod([axis[1] - axis[0] for axis in axes])
            some = np.argsort(density)[[-1, -5000, -50_000]]
            for place in some:
                found = likelihood.log_posterior(points[[place]], n, totals[np.newaxis], 1.0)[0]
                assert found - np.log(np.pi) == pytest.approx(np.log(density[place]), abs=0.02)
            both = likelihood.log_posterior(points[some], n, totals[np.newaxis], 1.0)[0]
            each = [likelihood.log_posterior(points[[one]], n, totals[np.newaxis], 1.0)[0] for one in some]
            assert both == pytest.approx(sum(each))


def test_matrices_that_might_take_long_are_refused() -> None:
    """By public facts: the more records count, the nearer to a bound all of the law may lie."""
    model, schema = CASES[2].small
    narrow = pv.MultivariateNormalPrecision(
        ["x", "y"], [0, "0.5"], pv.Wishart(3, [[1, 0], [0, 1]], 1, "1.01")
    )
    with pytest.raises(pv.PlanError, match="might take about") as refused:
        pv.plan(narrow, schema, records=10**9, epsilon=8, mechanism=pv.PosteriorDraws)
    assert "less epsilon" in str(refused.value)  # what to do
    assert pv.plan(model, schema, records=1000, epsilon=1, mechanism=pv.PosteriorDraws).cost.delta == 0


FLAT = pv.Schema({name: pv.Bounded(-1, 1, grid=1) for name in "xy"}, population="few", unit="patient")


@pytest.mark.parametrize(
    ("degrees", "scale", "upper"),
    [
        (3, "1e-9", "1e4"),  # nearly all of the law is below its bounds
        (3, "1e-10", "1e4"),
        (3, "1e-12", "1e4"),
        (3, "1e-14", "1e4"),
        (3, "1", "1.000000000000001"),  # floats can hardly tell the bounds apart
        (3, "1", "1.0000000000000001"),
        ("1e18", "1e-18", "1.5"),  # or the law from a point
    ],
)
def test_what_floats_cannot_judge_is_refused(degrees: object, scale: str, upper: str) -> None:
    law = pv.Wishart(degrees, [[scale, 0], [0, scale]], 1, upper)
    model = pv.MultivariateNormalPrecision(["x", "y"], [0, 0], law)
    with pytest.raises(pv.PlanError, match="trials"):
        pv.plan(model, FLAT, records=5, epsilon=1, mechanism=pv.PosteriorDraws)


def precision(scale: list[list[object]], lower: object, upper: object) -> pv.MultivariateNormalPrecision:
    return pv.MultivariateNormalPrecision(["x", "y"], [0, 0], pv.Wishart(3, scale, lower, upper))


def test_a_prior_that_is_far_surer_of_one_direction_is_drawn() -> None:
    law = pv.PosteriorDraws(precision([[1, 0], [0, "1e-4"]], "0.5", 2), FLAT, 20, 1)
    for sums in ([20, 20, 20], [0, 0, 0], [20, 0, 3]):  # the most and the least that records may add
        assert law.admits(law.release(ExactStatistics(np.array(sums))), 20)


def test_a_prior_that_is_singular_for_floats_is_judged() -> None:
    nearly = "0.99999999999999999"
    model = precision([[1, nearly], [nearly, 1]], "0.5", 2)
    assert pv.plan(model, FLAT, records=20, epsilon=1).mechanism.name == "noisy-statistics"
    with pytest.raises(pv.PlanError, match="might take about"):
        pv.PosteriorDraws(model, FLAT, 20, 1)


def test_rates_of_all_sizes_are_turned() -> None:
    """The largest that priors allow, by bounds as far apart as they may be: the coin hardly ever fails."""
    entries = Fraction(10) ** 100, Fraction(10) ** 99, Fraction(10) ** 50
    wide = Fraction(10) ** 100
    left = Rotation.nearly(entries, Fraction(1, 8) / wide).undo(entries)[1]
    assert abs(left) * wide <= Fraction(1, 8)


@pytest.mark.parametrize(
    ("scale", "lower", "upper"),
    [
        ([[1, 0], [0, 1]], 1, "1e309"),
        ([[1, 0], [0, 1]], "1e-309", 1),
        ([["1e-150", 0], [0, 1]], 1, 2),
        ([[1, f"0.{'9' * 120}"], [f"0.{'9' * 120}", 1]], 1, 2),
    ],
    ids=["upper", "lower", "scale", "inverse"],
)
def test_matrices_beyond_all_measure_are_refused(
    scale: list[list[object]], lower: object, upper: object
) -> None:
    with pytest.raises(pv.ModelError, match="too large or too small"):
        precision(scale, lower, upper)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_no_mechanism_promises_anything_about_units_of_several_rows(case: Case) -> None:
    unit = pv.Unit("patient", column="who", max_rows=5)
    schema = pv.Schema(SCHEMA.columns, population="clinic", unit=unit)
    with pytest.raises(pv.PriviorError, match="one row of each unit"):
        pv.PosteriorDraws(case.cut or case.model, schema, 20, 1, "1e-6")


def test_files_of_matrices_outside_the_bounds_are_refused() -> None:
    model, schema = CASES[2].small
    mechanism = pv.PosteriorDraws(model, schema, 5, 1)
    one = 2**mechanism.places
    for entries, fine in (
        ((1, 0, 1), True),
        ((2, 0, 2), True),
        ((2, 1, 2), False),
        ((1, 0, 3), False),
        ((0, 0, 1), False),
    ):
        seen = Observed.of(tuple(one * entry for entry in entries), "points", places=mechanism.places)
        assert mechanism.admits(seen, 5) is fine


def test_boxes_in_which_draws_may_take_long_are_refused() -> None:
    """By public facts alone."""
    for means, why in (((-8, 7), "does not hold all records"), ((-9, 9), "")):
        model = pv.NormalMeanPrecision(
            "error", pv.NormalGamma(0, 1, 1, 1, means=means, precisions=("0.5", 2))
        )
        if why:
            with pytest.raises(pv.PlanError, match=why):
                pv.plan(model, SCHEMA, records=9, epsilon=1, mechanism=pv.PosteriorDraws)
        else:
            assert pv.plan(model, SCHEMA, records=9, epsilon=1, mechanism=pv.PosteriorDraws).cost.delta == 0
    flat = pv.NormalMeanPrecision(
        "error",
        pv.NormalGamma(0, "1e-6", 1, 1, means=(-8, 8), precisions=("1e-6", 2)),
    )
    with pytest.raises(pv.PlanError, match="too narrow"):
        pv.plan(flat, SCHEMA, records=2, epsilon="1e-3", mechanism=pv.PosteriorDraws)
