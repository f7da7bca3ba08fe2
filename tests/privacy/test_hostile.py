"""Attempts to break the proofs of docs/guarantees.md: data, priors and tests chosen by an enemy."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats
from scipy.special import betaln, gammaln

import privior as pv
from privior.privacy.pairs import (
    BetaPair,
    BoundedRangePair,
    Concentrated,
    DiscreteGaussianShift,
    FinitePair,
    GammaScalePair,
    GammaShapePair,
    GaussianPair,
    KNormPair,
    SignedSteps,
    TruncatedBernoulli,
    TruncatedExponential,
    TwoLevelsPair,
    VirtualRecordsPair,
    WorstOf,
    both_orders,
    dirichlet_draw,
)

F = Fraction
EPSILONS = (-0.5, 0.0, 0.3, 1.0, 2.5)


def beta_delta(one: tuple[float, float], other: tuple[float, float], epsilon: float) -> float:
    """Between two Beta laws whose likelihood ratio increases; by the law of Neyman and Pearson."""
    step = one[0] - other[0]
    logit = (epsilon + betaln(*one) - betaln(*other)) / step
    y, rest = 1 / (1 + math.exp(-logit)), 1 / (1 + math.exp(logit))
    mine = stats.beta.sf(y, *one) if y < 0.5 else stats.beta.cdf(rest, one[1], one[0])
    theirs = stats.beta.sf(y, *other) if y < 0.5 else stats.beta.cdf(rest, other[1], other[0])
    return float(mine - math.exp(epsilon) * theirs)


def test_beta_random_priors_and_data_never_exceed_the_pair() -> None:
    """Any prior, any counts, any rate: the two cells that move are never worse than the smallest two."""
    generator = np.random.default_rng(7)
    for _ in range(300):
        prior = np.exp(generator.normal(0, 2, size=4))
        rate = float(np.exp(generator.normal(0, 1)))
        counts = generator.integers(0, 4, size=4)
        i, j = generator.permutation(4)[:2]
        a, b = prior[i] + rate * counts[i], prior[j] + rate * counts[j]
        smallest = sorted(F(p) for p in prior)[:2]
        pair = both_orders(BetaPair(smallest[0], smallest[1], F(rate)))
        epsilon = float(generator.normal(0, 2))
        assert beta_delta((a + rate, b), (a, b + rate), epsilon) <= pair.delta(epsilon) + 1e-9


def test_beta_the_smallest_parameter_alone_is_not_enough() -> None:
    """A claim from the smallest parameter and its neighbour in the table, instead of the second smallest."""
    assert BetaPair(F(1), F(5)).delta(1.0) < BetaPair(F(1), F(2)).delta(1.0)
    truth = beta_delta((3, 1), (2, 2), 1.0)  # prior (1, 5, 2): records move between first and third
    assert truth > max(BetaPair(F(1), F(5)).delta(1.0), BetaPair(F(5), F(1)).delta(1.0))
    assert truth <= dirichlet_draw([1, 5, 2]).delta(1.0)


def test_two_levels_an_enemy_chooses_the_shared_records() -> None:
    pair = TwoLevelsPair(F(1, 2), F(3), F(1), 12)
    for shared, epsilon in itertools.product(range(12), EPSILONS):
        a, b = 0.5 + shared, 3.0 + 11 - shared
        assert beta_delta((a + 1, b), (a, b + 1), epsilon) <= pair.delta(epsilon) + 1e-9
    # if the number of records is not public the pair is too small: an enemy with no shared records wins
    assert beta_delta((4, 0.5), (3, 1.5), 1.0) > pair.delta(1.0)


def test_gamma_shape_large_counts_approach_and_never_exceed() -> None:
    """A record is added: Beta(a + r, b) against Beta(a, b), b the rest of the table, ever larger."""
    pair = GammaShapePair(F(1, 2), F(1))
    previous = 0.0
    for rest in (1.0, 10.0, 1e3, 1e6):
        at = math.exp(1.0 + betaln(1.5, rest) - betaln(0.5, rest))  # y^1 exceeds this
        found = float(stats.beta.sf(at, 1.5, rest) - math.e * stats.beta.sf(at, 0.5, rest)) if at < 1 else 0.0
        assert previous <= found + 1e-12
        assert found <= pair.delta(1.0)
        previous = found
    assert previous == pytest.approx(pair.delta(1.0), rel=1e-4)


def test_gamma_shape_an_ordered_curve_is_not_symmetric() -> None:
    """Whoever composes one order of one table with the other order of another gets too little."""
    pair = GammaShapePair(F(1, 2), F(1))
    gaps = [pair.delta(e) - pair.mirror.delta(e) for e in EPSILONS]
    assert max(gaps) > 1e-3
    assert min(gaps) < -1e-3


def test_gamma_shape_smaller_moves_are_weaker() -> None:
    for step, epsilon in itertools.product((F(1, 10), F(1), F(5, 2)), EPSILONS):
        small, large = GammaShapePair(F(2), step), GammaShapePair(F(2), F(3))
        assert small.delta(epsilon) <= large.delta(epsilon)
        assert small.mirror.delta(epsilon) <= large.mirror.delta(epsilon)


def test_gamma_scale_an_enemy_puts_all_other_records_anywhere() -> None:
    """Statistics in [1, 4], prior rate 3, five records: every sum of the others, every move."""
    worst = GammaScalePair(F(7), 1 + F(3) / (3 + 5))
    for others, low, high in itertools.product((4.0, 9.0, 16.0), (1.0, 2.0), (3.0, 4.0)):
        ratio = F(3 + others + high) / F(3 + others + low)
        for epsilon in EPSILONS:
            assert GammaScalePair(F(7), ratio).delta(epsilon) <= worst.delta(epsilon)
            assert GammaScalePair(F(7), ratio, steeper=True).delta(epsilon) <= worst.mirror.delta(epsilon)


def test_gamma_scale_many_draws_are_one_draw_of_a_larger_shape() -> None:
    """Two draws with loss in their sum: the curve by simulation of pairs of draws."""
    generator = np.random.default_rng(3)
    ratio, shape, epsilon = 1.5, 4.0, 0.5
    draws = generator.gamma(shape, size=(400_000, 2))
    loss = ((ratio - 1) * draws - shape * math.log(ratio)).sum(axis=1)
    found = np.maximum(0, 1 - np.exp(epsilon - loss)).mean()
    assert GammaScalePair(F(8), F(3, 2)).delta(epsilon) == pytest.approx(found, abs=4e-3)


def test_gaussian_prior_and_data_in_many_dimensions() -> None:
    """A likelihood ratio test along any direction is weaker than along the shift."""
    generator = np.random.default_rng(5)
    shift = np.array([0.6, -0.3, 0.2])
    pair = GaussianPair(F(float(shift @ shift)))
    for _ in range(50):
        direction = generator.normal(size=3)
        seen = abs(direction @ shift) / np.linalg.norm(direction)
        for epsilon in (0.0, 0.5, 1.5):
            tested = stats.norm.cdf(seen / 2 - epsilon / seen) - math.exp(epsilon) * stats.norm.cdf(
                -seen / 2 - epsilon / seen
            )
            assert tested <= pair.delta(epsilon) + 1e-12


def test_bounded_range_every_three_point_law_is_below() -> None:
    """Laws with losses inside a range of length eta, at any place: never above; two points: attained."""
    eta = 1.4
    pair = BoundedRangePair(F(eta))
    generator = np.random.default_rng(11)
    for _ in range(2000):
        losses = np.sort(generator.uniform(0, eta, size=3))
        losses[[0, 2]] = (0.0, eta)
        weights = generator.dirichlet((1, 1, 1))  # of Q, before normalising P
        top = -math.log((weights * np.exp(losses)).sum())
        p, loss = weights * np.exp(losses + top), losses + top
        epsilon = float(generator.uniform(-eta, eta))
        assert (p * np.maximum(0, 1 - np.exp(epsilon - loss))).sum() <= pair.delta(epsilon) + 1e-12


def test_bounded_range_fixing_its_place_would_be_too_little() -> None:
    """The symmetric place t = eta/2 alone (randomised response at eta/2) is exceeded at other epsilons."""
    pair, guess = BoundedRangePair(F(2)), SignedSteps(F(1))
    assert pair.delta(0.0) == pytest.approx(guess.delta(0.0))
    assert pair.delta(1.0) > guess.delta(1.0) + 0.1


def test_truncated_the_oscillation_is_needed_for_concentration() -> None:
    """epsilon of n = 1 record is below eta; the loss of ONE draw ranges over all of eta, not over epsilon."""
    family = TruncatedBernoulli(F(1, 5), F(4, 5), 1)
    grid = np.linspace(0.2, 0.8, 4001)
    loss = np.log(grid / (1 - grid))  # x = 1 against x = 0, flat prior
    assert loss.max() - loss.min() == pytest.approx(float(family.oscillation), rel=1e-12)
    assert np.abs(loss).max() == pytest.approx(float(family.pure), rel=1e-12)
    assert family.pure < family.oscillation


def test_truncated_mixed_data_are_never_worse() -> None:
    family = TruncatedExponential(F(1, 2), F(2), 6, F(0), F(1))
    h = np.linspace(0.5, 2, 20001)

    def log_posterior(total: float) -> NDArray[np.float64]:
        raw = 6 * np.log(h) - h * (1 + total)
        density = np.exp(raw - raw.max())
        middle = (density[1:] + density[:-1]).sum() / 2 * (h[1] - h[0])
        return np.asarray(raw - raw.max() - math.log(middle))

    generator = np.random.default_rng(2)
    for _ in range(200):
        others, x, y = generator.uniform(0, 5), *generator.uniform(0, 1, size=2)
        loss = np.abs(log_posterior(others + x) - log_posterior(others + y)).max()
        assert loss <= float(family.pure) + 1e-6


def test_k_norm_more_levels_and_unequal_moves() -> None:
    """Two records at once are not covered by the pair of one, and cost twice its epsilon."""
    one = KNormPair(3, F(1))
    box = [z for z in itertools.product(range(-30, 31), repeat=2) if abs(sum(z)) <= 30]
    weight = {z: math.exp(-(abs(z[0]) + abs(z[1]) + abs(z[0] + z[1])) / 2) for z in box}
    total = sum(weight.values())
    for move, covered in (((1, -1), True), ((1, 0), True), ((2, -2), False)):
        found = 0.0
        for z, w in weight.items():
            other = weight.get((z[0] - move[0], z[1] - move[1]), 0.0)
            found += max(0.0, w - math.exp(0.5) * other) / total
        assert (found <= one.delta(0.5) + 1e-9) is covered


def test_signed_steps_any_law_with_a_bounded_loss() -> None:
    generator = np.random.default_rng(4)
    for _ in range(500):
        q = generator.dirichlet(np.ones(5))
        p = q * np.exp(generator.uniform(-0.45, 0.45, size=5))
        p /= p.sum()
        step = np.abs(np.log(p / q)).max()
        epsilon = float(generator.uniform(-1, 1))
        assert np.maximum(0, p - math.exp(epsilon) * q).sum() <= SignedSteps(F(step)).delta(epsilon) + 1e-12


def test_discrete_gaussian_two_moves_in_one_cell_are_not_covered() -> None:
    """Two coordinates by one each, not one coordinate by two: the second is a larger Euclidean move."""
    variance = 3.0
    x = np.arange(-60, 61)
    law = np.exp(-(x**2) / (2 * variance))
    law /= law.sum()
    shifted = np.exp(-((x - 2) ** 2) / (2 * variance)) / np.exp(-(x**2) / (2 * variance)).sum()
    found = np.maximum(0, law - math.exp(0.7) * shifted).sum()
    assert found > DiscreteGaussianShift(F(3), 2).delta(0.7)


def test_concentrated_the_worst_law_stays_below() -> None:
    """The Gaussian pair meets the bound on every divergence, and the converted delta exceeds its curve."""
    for mu, epsilon in itertools.product((0.2, 1.0, 3.0), (0.1, 1.0, 4.0)):
        gaussian = GaussianPair(F(mu) ** 2)
        bound = Concentrated(gaussian.rho)
        assert bound.renyi(3.0) == pytest.approx(gaussian.renyi(3.0))
        assert gaussian.delta(epsilon) <= bound.delta(epsilon)


def test_virtual_records_one_batch_is_not_many() -> None:
    """Two batches from ONE draw are one larger batch; the epsilon of the halves does not add up to it."""
    half, whole = VirtualRecordsPair(5, F(1), F(1)), VirtualRecordsPair(10, F(1), F(1))
    assert half.pure < whole.pure < 2 * half.pure
    a, b = 1.0, 1.0  # beta-binomial laws in full, against the pair
    x = np.arange(11)

    def log_law(first: float, second: float) -> NDArray[np.float64]:
        choose = gammaln(11) - gammaln(x + 1) - gammaln(11 - x)
        return np.asarray(choose + betaln(first + x, second + 10 - x) - betaln(first, second))

    loss = log_law(a + 1, b) - log_law(a, b + 1)
    assert loss.max() == pytest.approx(float(whole.pure), rel=1e-12)


def test_finite_zero_probabilities_are_not_lost() -> None:
    pair = FinitePair.of(("0.01", "0.99"), (0, 1))
    assert pair.pure is None
    assert pair.delta(50.0) == pytest.approx(0.01)
    assert pair.mirror.pure == pytest.approx(math.log(1 / 0.99))


def test_worst_of_is_convex_where_a_minimum_would_not_be() -> None:
    """The maximum of two curves is a curve: convex and decreasing in e^epsilon."""
    pair = WorstOf((SignedSteps(F(1)), GaussianPair(F(1, 4))))
    points = [1 + i / 20 for i in range(60)]
    values = [pair.delta(math.log(x)) for x in points]
    for left, middle, right in zip(values, values[1:], values[2:], strict=False):
        assert middle <= (left + right) / 2 + 1e-12
        assert right <= middle <= left


def test_relations_do_not_mix() -> None:
    """The add-or-remove pair of the same table is smaller; replace-one data break it."""
    added = dirichlet_draw([1, 1, 1], neighbours=pv.ADD_OR_REMOVE_ONE)
    largest = max(added.delta(1.0), added.mirror.delta(1.0))
    assert beta_delta((2, 1), (1, 2), 1.0) > largest
