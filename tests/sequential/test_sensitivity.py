"""What one replaced unit moves (T49): attained by a witness, never exceeded, and the published numbers
refuted.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from privior.privacy.interactions import Moves, gaussian_noise, laplace_noise, posterior_draws, together
from privior.sequential import Episode, Step, User

#: (state, action) pairs, the last action being of no account
Trajectory = list[tuple[int, int]]


def transitions(path: Trajectory) -> Counter[tuple[int, int, int]]:
    """Count (state, action, next state)."""
    return Counter((s, a, t) for (s, a), (t, _) in pairwise(path))


def moved(path: Trajectory, other: Trajectory) -> list[int]:
    """By how much each count moves."""
    one, two = transitions(path), transitions(other)
    return [two[cell] - one[cell] for cell in one.keys() | two.keys() if two[cell] != one[cell]]


def test_a_self_loop_attains_the_sound_sensitivity_and_refutes_the_published_one() -> None:
    path = [(0, 1), (0, 1), (0, 0)]
    other = [(0, 1), (1, 0), (0, 0)]  # the step in the middle replaced
    found = sorted(moved(path, other))
    assert found == [-2, 1, 1]
    moves = Step().transitions(30)
    assert (max(map(abs, found)), sum(m * m for m in found)) == (moves.largest, moves.squared) == (2, 6)
    assert moves.largest > 1  # Dinf = 1, as printed
    assert moves.squared > 4  # D2^2 = 4, as printed


def test_no_random_pair_of_trajectories_exceeds_it() -> None:
    draw = np.random.default_rng(20261118)
    moves = Step().transitions(30)
    listed = {tuple(sorted(p)) for p in moves.patterns} | {
        tuple(sorted(-m for m in p)) for p in moves.patterns
    }
    seen = set()
    for _ in range(10_000):
        states, actions, steps = draw.integers(1, 4), draw.integers(1, 3), draw.integers(2, 12)
        path = [(int(draw.integers(states)), int(draw.integers(actions))) for _ in range(steps)]
        other = list(path)
        other[draw.integers(steps)] = int(draw.integers(states)), int(draw.integers(actions))
        found = tuple(sorted(moved(path, other)))
        seen.add(found)
        assert sum(m * m for m in found) <= moves.squared
        assert max(map(abs, found), default=0) <= moves.largest
        assert any(covered(found, pattern) for pattern in listed), found
    assert listed <= seen  # every pattern occurs


def covered(found: tuple[int, ...], pattern: tuple[int, ...]) -> bool:
    """Whether each move of one sign is within another of the pattern."""
    for sign in (1, -1):
        have = sorted((sign * m for m in found if sign * m > 0), reverse=True)
        may = sorted((sign * m for m in pattern if sign * m > 0), reverse=True)
        if len(have) > len(may) or any(h > m for h, m in zip(have, may, strict=False)):
            return False
    return True


def test_a_whole_episode_of_self_loops_attains_its_squares() -> None:
    path, other = [(0, 0)] * 8, [(0, 1)] * 8
    moves = Episode().transitions(7)
    assert sorted(moved(path, other)) == [-7, 7]
    assert (moves.squared, moves.largest, moves.l1) == (98, 7, 14)
    assert User(7).transitions(7) == moves


def gamma_log(x: np.ndarray, shape: float) -> np.ndarray:
    return np.asarray((shape - 1) * np.log(x) - x - math.lgamma(shape))


@pytest.mark.parametrize("epsilon", [-0.3, 0.2, 1.0])
@pytest.mark.parametrize(("a", "r"), [(1.5, 1.0), (6.0, 0.5)])
def test_one_draw_of_every_pattern_against_quadrature(a: float, r: float, epsilon: float) -> None:
    """By sums over a grid of the Gammas themselves, which share no formula with the code."""
    moves = Step().transitions(30)
    found = together(posterior_draws(moves, Fraction(a), Fraction(r), 1)).delta(epsilon)
    t = np.linspace(-16, 5.5, 161)
    x = np.exp(t)
    logs = {s: gamma_log(x, s) + t + math.log(t[1] - t[0]) for s in (a, a + r, a + 2 * r)}

    def delta(first: tuple[float, ...], second: tuple[float, ...]) -> float:
        p, q = np.zeros(1), np.zeros(1)
        for one, two in zip(first, second, strict=True):
            p, q = np.add.outer(p, logs[one]).ravel(), np.add.outer(q, logs[two]).ravel()
        return float(np.maximum(np.exp(p) - math.exp(epsilon) * np.exp(q), 0).sum())

    up, down = (a + 2 * r, a, a), (a, a + r, a + r)
    worst = max(delta(up, down), delta(down, up), four(a, r, epsilon))
    assert found == pytest.approx(worst, rel=2e-3, abs=1e-5)


def four(a: float, r: float, epsilon: float) -> float:
    """Two Beta pairs, by a grid of both draws."""
    t = np.linspace(-18, 18, 3001)
    y = 1 / (1 + np.exp(-t))
    norm = [math.lgamma(a + r) + math.lgamma(a) - math.lgamma(2 * a + r)]
    width = math.log(t[1] - t[0])
    p = (a + r) * np.log(y) + a * np.log1p(-y) - norm[0] + width
    q = a * np.log(y) + (a + r) * np.log1p(-y) - norm[0] + width
    both = np.exp(np.add.outer(p, p)), np.exp(np.add.outer(q, q))
    return float(np.maximum(both[0] - math.exp(epsilon) * both[1], 0).sum())


def test_a_wrong_pattern_is_noticed() -> None:
    """The published sensitivities claim less than a trajectory with a self-loop loses (a planted fault)."""
    a, r, times = Fraction(10), Fraction(1, 100), 500
    sound = together(posterior_draws(Step().transitions(30), a, r, times)).delta(1.0)
    published = together(posterior_draws(Moves.listed((1, 1, -1, -1)), a, r, times)).delta(1.0)
    assert published < sound / 2


@pytest.mark.parametrize("law", [gaussian_noise, laplace_noise])
def test_noise_on_counts_by_enumeration(law: object) -> None:
    """Three counts that move by 2, -1, -1, all outcomes listed."""
    size = Fraction(4)
    gaussian = law is gaussian_noise
    moves = Moves.listed((2, -1, -1))
    found = together(gaussian_noise(moves, size**2, 1) if gaussian else laplace_noise(moves, size, 1))
    z = np.arange(-48, 49)
    mass = np.exp(-(z**2) / 32) if gaussian else np.exp(-np.abs(z) / 4)
    mass /= mass.sum()
    shifted = {m: np.roll(mass, m) for m in (2, -1)}
    p = np.multiply.outer(np.multiply.outer(mass, mass), mass)
    q = np.multiply.outer(np.multiply.outer(shifted[2], shifted[-1]), shifted[-1])
    for epsilon in (0.0, 0.4, 1.0):
        truth = float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
        if gaussian:
            assert found.delta(epsilon) == pytest.approx(truth, rel=1e-3)
        assert found.delta(epsilon) >= truth - 1e-9


def test_draws_and_noise_keep_both_orders_of_each() -> None:
    moves = Step().transitions(30)
    rows = Step().rows(30)
    one = together(posterior_draws(moves, Fraction(10), Fraction(1, 50), 100))
    both = together(
        posterior_draws(moves, Fraction(10), Fraction(1, 50), 100), gaussian_noise(rows, Fraction(400), 1)
    )
    for epsilon in (0.1, 1.0):
        assert both.delta(epsilon) > one.delta(epsilon)
        assert both.delta(epsilon) == pytest.approx(both.mirror.delta(epsilon))
