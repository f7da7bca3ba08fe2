"""What testers need and can do: published statements, and the likelihood ratio test against brute force."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privior.errors import NumberError
from privior.papers.distinguishing import le_cam, lemma_12, most_parts, theorem_13
from privior.papers.published import Verdict
from privior.papers.stochastic_lipschitz import best_concentration
from privior.theory.likelihood_ratio import Floats, LossBelow, RatioTest


def test_lemma_12_holds_for_multinomials() -> None:
    rng = np.random.default_rng(1)
    for parts, failure in ((2, "1/16"), (3, "1/64"), (2, "0.01")):
        claim = lemma_12(parts, 50, failure)
        assert claim.verdict is Verdict.LOOSE
        assert (claim.better or 0) <= claim.value
        for shares in (np.full(parts, 1 / parts), rng.dirichlet(np.ones(parts))):
            drawn = rng.multinomial(50, shares, size=20_000) / 50
            off = np.abs(drawn - shares).sum(axis=1)
            assert (off > (claim.better or 0)).mean() <= float(Fraction(failure)) * 1.2
    assert lemma_12(3, 50, "0.05").verdict is Verdict.VACUOUS
    assert lemma_12(2, 1, "0.05").verdict is Verdict.VACUOUS
    assert [most_parts(chance) for chance in ("0.3", "1/16", "1/64", "1e-6")] == [0, 2, 3, 9]


def test_theorem_13_is_false_as_an_if() -> None:
    """A chance in [.2, .8], flat prior, one record, two draws: the best test is far from 95%."""
    below = _two_densities()
    accuracy = RatioTest(below, 2).accuracy
    claim = theorem_13(math.log(4), 2, "0.05", 1, accuracy.high)
    assert claim.value < 1
    assert claim.verdict is Verdict.FALSE
    assert theorem_13(math.log(4), 1, "0.05", 1, accuracy.high).verdict is Verdict.SOUND
    assert theorem_13(math.log(4), 2, "0.05", 1).verdict is Verdict.LOOSE


def _two_densities() -> LossBelow:
    """The loss of theta ~ density theta/.3 against (1-theta)/.3 on [.2, .8]: log odds."""

    def below(losses: Floats) -> Floats:
        theta = np.clip(1 / (1 + np.exp(-np.clip(losses, -50, 50))), 0.2, 0.8)
        return np.asarray((theta**2 - 0.04) / 0.6)

    return below


def test_two_draws_are_tested_as_a_double_integral_says() -> None:
    grid = (np.arange(1500) + 0.5) / 1500 * 0.6 + 0.2
    p, q = grid / grid.sum(), (1 - grid) / (1 - grid).sum()
    both, none = np.outer(p, p).ravel(), np.outer(q, q).ravel()
    test = RatioTest(_two_densities(), 2)
    for epsilon in (-0.5, 0.0, 0.7, 2.0):
        truth = float(np.maximum(both - math.exp(epsilon) * none, 0).sum())
        found = test.delta(epsilon)
        assert found.low - 1e-4 <= truth <= found.high + 1e-4
        assert found.high - found.low < 1e-3
    order = np.argsort(-both / none)
    alarms, powers = np.cumsum(none[order]), np.cumsum(both[order])
    for alarm in (0.01, 0.05, 0.3):
        truth = float(np.interp(alarm, alarms, powers))
        found = test.power(alarm)
        assert found.low - 1e-3 <= truth <= found.high + 1e-3


@pytest.mark.parametrize("points", [64, 1 << 12])
def test_a_coarse_grid_is_wider_and_never_wrong(points: int) -> None:
    mu = 0.6
    test = RatioTest(lambda loss: stats.norm.cdf((loss - mu**2 / 2) / mu), 9, points=points)
    truth = 2 * stats.norm.cdf(3 * mu / 2) - 1
    assert test.total_variation.low <= truth <= test.total_variation.high
    power = stats.norm.cdf(stats.norm.ppf(0.1) + 3 * mu)
    assert test.power(0.1).low <= power <= test.power(0.1).high


def test_le_cam_bounds_every_guess() -> None:
    """Two data sets at distance 4, N(0,1) and N(1,1) as the laws of what is seen: any threshold is worse."""
    apart = 2 * stats.norm.cdf(0.5) - 1
    bound = le_cam(4, float(apart))
    for threshold in np.linspace(-3, 4, 200):
        for low, high in ((0, 4), (1, 3), (2, 2)):
            first = low + (high - low) * stats.norm.sf(threshold)
            second = 4 - (low + (high - low) * stats.norm.sf(threshold - 1))
            assert max(first, second) >= bound - 1e-9
    with pytest.raises(NumberError):
        le_cam(1, 1.5)


def test_the_best_c_and_l0_of_an_exponential_tail_are_its_own() -> None:
    found = best_concentration(lambda levels: np.exp(-2 * np.maximum(levels - 1, 0)), 1.0, math.inf, 2.0)
    assert found is not None
    assert found.rate == pytest.approx(2, rel=1e-2)
    assert found.scale == pytest.approx(1.5, rel=0.03)
    assert found.mean == pytest.approx(1.5, rel=1e-2)
    assert found.inside(found.level(0.1)) == pytest.approx(0.9)
    heavy = best_concentration(lambda levels: 1 / np.maximum(levels, 1.0), 1.0, math.inf, 0.0)
    assert heavy is None


@pytest.mark.parametrize("draws", [1, 3])
def test_laws_that_are_far_apart_are_told_apart(draws: int) -> None:
    """Normal laws so far apart that every loss is beyond the grid."""
    shift = 80.0
    test = RatioTest(lambda losses: np.asarray(stats.norm.cdf((losses - shift**2 / 2) / shift)), draws)
    assert (test.accuracy.low, test.accuracy.high) == pytest.approx((1, 1))
    assert test.power(0.05).low == pytest.approx(1)


@pytest.mark.parametrize("draws", [1, 4])
def test_draws_that_only_one_law_gives_are_counted_once(draws: int) -> None:
    """P gives a, b, c with .3, .5, .2, Q gives b, c, d with .25, .6, .15: a betrays P."""
    losses, chances = np.log([0.2 / 0.6, 0.5 / 0.25]), np.array([0.2, 0.5])

    def below(levels: Floats) -> Floats:
        return np.asarray(((losses <= np.asarray(levels)[:, None]) * chances).sum(axis=1))

    one, other = np.array([0.3, 0.5, 0.2, 0.0]), np.array([0.0, 0.25, 0.6, 0.15])
    laws = [np.ones(1), np.ones(1)]
    for _ in range(draws):
        laws = [np.outer(law, new).ravel() for law, new in zip(laws, (one, other), strict=True)]
    truth = float(np.abs(laws[0] - laws[1]).sum()) / 2
    found = RatioTest(below, draws, certain=0.3).total_variation
    assert found.low <= truth + 1e-9
    assert found.high >= truth - 1e-9
    assert found.low == pytest.approx(truth, abs=1e-2)
