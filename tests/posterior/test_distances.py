"""The table with the least expected distance: against a general optimiser, and where it is known."""

from __future__ import annotations

import numpy as np
import pytest
from test_posterior import ROWS, release_of

import privior as pv
from privior.posterior import TableDistance


@pytest.mark.parametrize("distance", [pv.EUCLIDEAN, pv.HELLINGER])
def test_no_other_table_is_nearer(distance: TableDistance) -> None:
    from scipy.optimize import minimize

    tables = np.random.default_rng(0).poisson([3, 5, 1, 0.2, 9], (500, 5))
    shares = tables / tables.sum(axis=1, keepdims=True)

    def average(logs: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
        guess = np.exp(logs) / np.exp(logs).sum()
        return float(distance.between(shares, guess).mean())

    found = distance.nearest(tables)
    assert found.sum() == pytest.approx(1)
    least = minimize(average, np.log(shares.mean(axis=0)), method="Nelder-Mead", options={"maxfev": 4000}).fun
    here = float(distance.between(shares, found).mean())
    assert here <= least + 1e-7
    assert here < average(np.log(shares.mean(axis=0)))


@pytest.mark.parametrize("distance", [pv.EUCLIDEAN, pv.HELLINGER])
def test_a_table_that_is_likely_enough_is_returned_as_it_is(distance: TableDistance) -> None:
    tables = np.array([[3, 2, 1]] * 6 + [[2, 2, 2]] * 4 + [[0, 5, 1]])
    assert distance.nearest(tables).tolist() == [3 / 6, 2 / 6, 1 / 6]
    assert distance.nearest(tables[:1]).tolist() == [3 / 6, 2 / 6, 1 / 6]
    assert distance.nearest(np.zeros((5, 4), dtype=np.int64)).tolist() == [0.25] * 4


def test_distances_are_those_of_the_textbook() -> None:
    one, other = np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.5, 0.5])
    assert pv.EUCLIDEAN.between(one, other) == pytest.approx(0.5**0.5)
    assert pv.HELLINGER.between(one, other) == pytest.approx((1 - 0.5) ** 0.5)
    assert pv.HELLINGER.between(np.array([1.0, 0]), np.array([0, 1.0])) == pytest.approx(1)
    assert str(pv.HELLINGER) == "Hellinger"


def test_shares_of_a_release() -> None:
    """Each is better in its own distance, on average over the posterior, than the mean is."""
    counts = pv.infer(release_of(ROWS)).counts()
    tables = counts.draws(4000, seed=5)
    truths = tables / tables.sum(axis=1, keepdims=True)
    mean = counts.mean() / counts.mean().sum()
    for distance in (pv.EUCLIDEAN, pv.HELLINGER):
        found = counts.shares(distance)
        assert found.sum() == pytest.approx(1)
        assert distance.between(truths, found).mean() <= distance.between(truths, mean).mean() * (1 + 1e-3)
    assert counts.shares().tolist() == counts.shares(pv.EUCLIDEAN).tolist()
    with pytest.raises(pv.InferenceError, match="not a distance"):
        counts.shares("hellinger")
