"""The curves of objective perturbation against quadrature of its own density: never below, and tight."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from objective_quadrature import delta, delta_in_two

from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Budget, Guarantee
from privior.privacy.composition import compose_ordered, compose_symmetric
from privior.privacy.pairs import GaussianPair, ObjectivePair, ReplacedObjectivePair

#: what quadrature may be off by: kinks are met to the second order of the distance of its points
_OFF = 3e-5


def _case(rng: np.random.Generator) -> tuple[np.ndarray, float, float, float, float, float]:
    """Rows of few records, their bound, lam, stddev, and two epsilons of which one is negative."""
    bound = float(rng.choice([0.5, 1.0, 2.0]))
    rows = bound * rng.choice([-1.0, 1.0, 0.3, -0.7], size=int(rng.integers(0, 7)))
    epsilon = float(np.exp(rng.uniform(math.log(0.05), math.log(3))))
    lam = bound**2 / epsilon * float(np.exp(rng.uniform(-1.5, 1.5)))
    stddev = bound / float(np.exp(rng.uniform(math.log(0.08), math.log(1.5))))
    return rows, bound, lam, stddev, epsilon, -float(rng.uniform(0, 1))


@pytest.mark.parametrize("seed", [0, *(pytest.param(one, marks=pytest.mark.slow) for one in range(1, 10))])
def test_random_cases_in_one_dimension_are_never_above_the_bounds(seed: int) -> None:
    """500 in all: both relations, both orders, epsilons of both signs."""
    rng = np.random.default_rng([48, seed])
    for _ in range(50):
        rows, bound, lam, stddev, *epsilons = _case(rng)
        new, old = bound * rng.choice([-1.0, 1.0, 0.5], size=2)
        squares = Fraction(bound) ** 2 / Fraction(stddev) ** 2, Fraction(bound) ** 2 / Fraction(lam)
        pair, replaced = ObjectivePair(*squares), ReplacedObjectivePair(*squares)
        with_new, with_old = np.append(rows, new), np.append(rows, old)
        for epsilon in epsilons:
            true = [
                delta(with_new, rows, lam, stddev, epsilon),
                delta(rows, with_new, lam, stddev, epsilon),
                delta(with_new, with_old, lam, stddev, epsilon),
            ]
            stated = [pair.delta(epsilon), pair.mirror.delta(epsilon), replaced.delta(epsilon)]
            for truth, bounded in zip(true, stated, strict=True):
                assert truth <= bounded + _OFF


def test_a_curve_that_forgets_the_jacobian_is_noticed() -> None:
    """Below c' the Gaussian curve alone is too small: quadrature sees it."""
    lam, stddev, epsilon = 0.25, 12.0, 0.3
    pair = ObjectivePair(Fraction(1, 144), Fraction(4))
    true = max(delta(np.array([one]), np.zeros(0), lam, stddev, epsilon) for one in (1.0, -1.0))
    assert GaussianPair(pair.squared).delta(epsilon) < 1e-4 < true <= pair.delta(epsilon)


@pytest.mark.parametrize("epsilon", [0.3, 1.0])
def test_the_gaussian_part_is_attained(epsilon: float) -> None:
    """Where other records pull the minimiser to one side, the record's gradient is v itself."""
    lam, stddev = 1 / epsilon, 2.5
    pair = ObjectivePair(1 / Fraction(stddev) ** 2, 1 / Fraction(lam))
    truth = delta(np.array([1.0]), np.zeros(0), lam, stddev, epsilon, (-1.0, 1e9), 20_001)
    assert truth == pytest.approx(pair.delta(epsilon), rel=1e-4)
    assert truth <= pair.delta(epsilon) * (1 + 1e-5)


def test_a_replaced_record_costs_what_the_gaussian_mechanism_of_twice_the_shift_does() -> None:
    for epsilon, mu2 in (
        (0.1, Fraction(1, 1000)),
        (0.5, Fraction(2, 100)),
        (1.0, Fraction(7, 100)),
        (2.0, Fraction(1, 5)),
    ):
        squared = mu2 / 4
        pair = ReplacedObjectivePair(squared, Fraction(epsilon) / 2)
        assert pair.delta(epsilon) == GaussianPair(mu2).delta(epsilon)
        larger = ReplacedObjectivePair(squared, Fraction(epsilon) * 2)
        assert larger.delta(epsilon) > pair.delta(epsilon)


@pytest.mark.parametrize("seed", range(3))
def test_spot_checks_in_two_dimensions(seed: int) -> None:
    rng = np.random.default_rng([22, seed])
    rows = rng.uniform(-1, 1, size=(5, 2)) / math.sqrt(2)
    angle = rng.uniform(0, 2 * math.pi)
    new, old = np.array([math.cos(angle), math.sin(angle)]), np.array([math.sin(angle), math.cos(angle)])
    lam, stddev, epsilon = float(rng.uniform(0.5, 3)), float(rng.uniform(1, 4)), float(rng.uniform(0.1, 1))
    squares = 1 / Fraction(stddev) ** 2, 1 / Fraction(lam)
    pair, replaced = ObjectivePair(*squares), ReplacedObjectivePair(*squares)
    with_new, with_old = np.vstack([rows, new]), np.vstack([rows, old])
    assert delta_in_two(with_new, rows, lam, stddev, epsilon, 160) <= pair.delta(epsilon) + 1e-4
    assert delta_in_two(rows, with_new, lam, stddev, epsilon, 160) <= pair.mirror.delta(epsilon) + 1e-4
    assert delta_in_two(with_new, with_old, lam, stddev, epsilon, 160) <= replaced.delta(epsilon) + 1e-4


def test_it_composes_from_its_curve_and_not_as_a_gaussian_pair() -> None:
    pair, other = ObjectivePair(Fraction(7, 100), Fraction(1)), GaussianPair(Fraction(2, 100))
    together = compose_ordered([(pair, 1), (other, 1)])
    gaussian = GaussianPair(Fraction(9, 100))
    assert together.mu_squared is None
    assert gaussian.delta(1.5) < together.delta(1.5) < 1.5 * gaussian.delta(1.5)
    assert together.delta(0.4) > gaussian.delta(0.4)
    replaced = ReplacedObjectivePair(Fraction(7, 400), Fraction(1, 2))
    assert compose_symmetric([(replaced, 2)]).delta(1.5) >= GaussianPair(Fraction(14, 100)).delta(1.5)
    promised = Guarantee(pair, ADD_OR_REMOVE_ONE, Budget.of(1), "").for_units("person", 2)
    assert promised.delta(2.0) > pair.delta(2.0)
    assert Guarantee(replaced, REPLACE_ONE, Budget.of(1), "").pure is None
