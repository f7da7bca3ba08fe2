"""Every pair's curve against direct sums of its two laws in 40 digits: never below (T09), and tight."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import mpmath
import pytest

from privior.privacy import Concentrated, DiscreteGaussianShift, DominatingPair, SignedSteps

EPSILONS = (-2.0, -0.3, 0.0, 0.1, 0.7, 1.0, 2.5, 8.0)


def gaussian_truth(variance: Fraction, coordinates: int, epsilon: float) -> mpmath.mpf:
    """Sum max(0, P - e^eps Q) over a box of the lattice, from the definition of the noise alone."""
    with mpmath.workdps(40):
        v = mpmath.mpf(variance.numerator) / variance.denominator
        reach = int(14 * math.sqrt(variance) + 14)
        line = range(-reach, reach + 1)
        norm = mpmath.fsum(mpmath.exp(-(x * x) / (2 * v)) for x in line)
        p = {x: mpmath.exp(-(x * x) / (2 * v)) / norm for x in range(-reach - 1, reach + 2)}
        factor = mpmath.exp(mpmath.mpf(epsilon))
        if coordinates == 1:
            return mpmath.fsum(max(mpmath.mpf(0), p[x] - factor * p[x - 1]) for x in line)
        pairs = itertools.product(line, line)
        return mpmath.fsum(max(mpmath.mpf(0), p[x] * p[y] - factor * p[x - 1] * p[y + 1]) for x, y in pairs)


@pytest.mark.parametrize("coordinates", [1, 2])
@pytest.mark.parametrize("variance", [Fraction(1, 9), Fraction(1, 2), Fraction(3, 2), Fraction(6)])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_discrete_gaussian_curve_is_exact(variance: Fraction, coordinates: int, epsilon: float) -> None:
    truth = gaussian_truth(variance, coordinates, epsilon)
    stated = DiscreteGaussianShift(variance, coordinates).delta(epsilon)
    assert stated >= truth * (1 - mpmath.mpf(10) ** -25)
    assert stated <= truth * (1 + mpmath.mpf(10) ** -8) + mpmath.mpf(10) ** -30


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("times", [1, 2, 3])
@pytest.mark.parametrize("step", [Fraction(1, 10), Fraction(1), Fraction(3)])
def test_signed_steps_curve_is_exact(step: Fraction, times: int, epsilon: float) -> None:
    with mpmath.workdps(40):
        s = mpmath.mpf(step.numerator) / step.denominator
        up = 1 / (1 + mpmath.exp(-s))
        truth = mpmath.mpf(0)
        for signs in itertools.product((1, 0), repeat=times):
            p = mpmath.fprod(up if sign else 1 - up for sign in signs)
            q = mpmath.fprod(1 - up if sign else up for sign in signs)
            truth += max(mpmath.mpf(0), p - mpmath.exp(mpmath.mpf(epsilon)) * q)
    stated = SignedSteps(step, times).delta(epsilon)
    assert truth - mpmath.mpf(10) ** -38 <= stated <= truth * (1 + mpmath.mpf(10) ** -8) + 1e-15


def test_the_continuous_limit_is_the_gaussian_curve() -> None:
    """mu*(1, 1e-6) = .23670438: with that much noise the discrete curve is the continuous one."""
    fine = Fraction(round(1e4 / 0.23670438 * 1000), 1000)
    scale = 10**4  # a shift of 1 at stddev s is a shift of 1/scale at s/scale; compare at large stddev
    pair = DiscreteGaussianShift(fine**2, 1)
    mu, epsilon = 1 / float(fine), 1 / scale
    normal = mpmath.ncdf
    truth = normal(-epsilon / mu + mu / 2) - mpmath.exp(epsilon) * normal(-epsilon / mu - mu / 2)
    assert pair.delta(epsilon) == pytest.approx(float(truth), rel=1e-2)


@pytest.mark.parametrize("coordinates", [1, 2])
def test_concentration_is_a_valid_and_looser_bound(coordinates: int) -> None:
    for variance, epsilon in itertools.product(
        (Fraction(1, 2), Fraction(20), Fraction(900)), (0.05, 0.5, 1.0, 3.0)
    ):
        exact = DiscreteGaussianShift(variance, coordinates).delta(epsilon)
        bound = Concentrated(coordinates / (2 * variance)).delta(epsilon)
        assert exact <= bound <= 1


PAIRS: list[DominatingPair] = [
    SignedSteps(Fraction(1)),
    SignedSteps(Fraction(1, 20), 2),
    DiscreteGaussianShift(Fraction(7, 2), 1),
    DiscreteGaussianShift(Fraction(10**8), 2),
    DiscreteGaussianShift(Fraction(1, 1000), 2),
    Concentrated(Fraction(1, 100)),
]


@pytest.mark.parametrize("pair", PAIRS, ids=str)
def test_every_curve_decreases_within_its_bounds(pair: DominatingPair) -> None:
    deltas = [pair.delta(epsilon) for epsilon in (-3.0, -1.0, 0.0, 1e-4, 0.01, 0.5, 1.0, 4.0, 20.0)]
    assert all(0 <= delta <= 1 for delta in deltas)
    assert all(later <= earlier for earlier, later in itertools.pairwise(deltas))
    assert all(
        delta >= 1 - math.exp(epsilon) - 1e-12 for delta, epsilon in zip(deltas, (-3, -1), strict=False)
    )
    assert pair.delta(0.0) > 0
    if pair.pure is not None:
        assert pair.delta(float(pair.pure)) == 0
        assert pair.delta(float(pair.pure) * 0.999) > 0


def test_a_wrong_curve_would_be_noticed() -> None:
    """The comparison above fails for one coordinate instead of two and for a variance off by 1%."""
    truth = float(gaussian_truth(Fraction(3, 2), 2, 0.7))
    for wrong in (DiscreteGaussianShift(Fraction(3, 2), 1), DiscreteGaussianShift(Fraction(303, 200), 2)):
        assert abs(wrong.delta(0.7) / truth - 1) > 1e-3
