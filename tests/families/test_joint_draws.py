"""Released draws of several parameters have the posterior's law, at the suite's false-alarm rate."""

from __future__ import annotations

import numpy as np
import pytest
from joint_cases import CASES, SCHEMA
from numpy.typing import NDArray
from scipy.special import ndtr

import privior as pv
from chi_square import fits
from privior.models import ExactStatistics, JointFamily

Floats = NDArray[np.float64]

DRAWS, CELLS = 800, 8


def released(model: JointFamily, records: int, sums: list[int], number: int) -> Floats:
    mechanism = pv.PosteriorDraws(model, SCHEMA, records, 10**4, "0.5")
    assert mechanism.weight == 1
    exact = ExactStatistics(np.array(sums))
    return np.concatenate([mechanism.values(mechanism.release(exact)) for _ in range(number)])


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
