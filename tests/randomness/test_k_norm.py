"""The discrete K-norm law: counted by brute force, sampled, and pushed to extremes."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import accumulate, product

import numpy as np
import pytest
from numpy.typing import NDArray

from chi_square import fits, mean_fits
from privior.randomness import Bits, k_norm
from privior.randomness import knorm as steps
from privior.randomness.compositions import composition, subset
from privior.randomness.inversion import NextRatio

EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(3)]


def _counts(cells: int, most: int) -> NDArray[np.int64]:
    """Count integer vectors by (sum of positive entries, sum of negative ones without sign), 0..most each.

    One more cell is zero, or adds any positive number to either sum: running sums along either axis.
    """
    table = np.zeros((most + 1, most + 1), dtype=np.int64)
    table[0, 0] = 1
    for _ in range(cells):
        table = table.cumsum(axis=0) + table.cumsum(axis=1) - table
    return table


def _statistic(first: int, half: int, epsilon: Fraction) -> tuple[int, int]:
    """What is compared: the first entry and T = |z|_1 / 2, on a coarse grid if epsilon is small."""
    grain = max(1, round(1 / epsilon))
    return first // grain, half // grain


def _law(size: int, epsilon: Fraction, rate: float) -> dict[tuple[int, int], float]:
    """The exact law of the statistic when the noise has parameter `rate`, from the counts alone."""
    weights: dict[tuple[int, int], float] = defaultdict(float)
    for (up, down), count in np.ndenumerate(_counts(size - 1, math.ceil(25 / epsilon))):
        half = max(up, down)  # the first entry is down - up
        weights[_statistic(down - up, half, epsilon)] += float(count) * math.exp(-rate * half)
    everything = math.fsum(weights.values())
    return {key: weight / everything for key, weight in weights.items()}


@pytest.mark.parametrize(
    ("size", "epsilon"),
    [
        pytest.param(size, epsilon, marks=[] if place == size - 2 or size == 3 else [pytest.mark.slow])
        for size in (2, 3, 4)
        for place, epsilon in enumerate(EPSILONS)
    ],
)
def test_law(size: int, epsilon: Fraction) -> None:
    """Of so many draws another law is rejected by six standard deviations; larger tables tell more."""
    sample = []
    for _ in range(5_500 if size == 2 else 4_000):
        noise = k_norm(size, epsilon)
        assert len(noise) == size
        assert sum(noise) == 0
        sample.append(_statistic(noise[0], sum(map(abs, noise)) // 2, epsilon))
    assert fits(sample, _law(size, epsilon, float(epsilon)))
    assert not fits(sample, _law(size, epsilon, 1.3 * float(epsilon)))
    assert not fits(sample, _law(size, epsilon, float(epsilon) / 1.3))


@pytest.mark.parametrize("size", [3, 4])
def test_law_of_the_whole_vector(size: int) -> None:
    """Every vector with entries up to 4 has its own cell, so no place and no sign is favoured."""
    epsilon = 1.0
    everything = sum(
        float(count) * math.exp(-epsilon * half) for half, count in enumerate(_counts(size, 40).diagonal())
    )
    law = {
        noise: math.exp(-epsilon * sum(map(abs, noise)) / 2) / everything
        for noise in product(range(-4, 5), repeat=size)
        if sum(noise) == 0
    }
    sample = [tuple(k_norm(size, Fraction(1))) for _ in range(10_000)]
    assert fits(sample, law)
    tilted = {noise: chance * (1.2 if noise[0] > 0 else 1.0) for noise, chance in law.items()}
    assert not fits(sample, {noise: chance / sum(tilted.values()) for noise, chance in tilted.items()})


def test_two_cells_give_the_geometric_mechanism() -> None:
    sample = [tuple(k_norm(2, Fraction(1, 2))) for _ in range(10_000)]
    ratio = math.exp(-0.5)
    assert fits(sample, {(z, -z): (1 - ratio) / (1 + ratio) * ratio ** abs(z) for z in range(-60, 61)})


@pytest.mark.parametrize(("size", "draws", "expected"), [(3, 20_000, 9.488976), (10, 10_000, 60.479497)])
def test_mean_square(size: int, draws: int, expected: float) -> None:
    squares = [float(sum(z * z for z in k_norm(size, Fraction(1)))) for _ in range(draws)]
    assert mean_fits(squares, expected)
    assert not mean_fits(squares, 1.2 * expected)


def _weights(count: int, ratio: NextRatio, first: int) -> list[Fraction]:
    steps_up = [Fraction(*ratio(index)) for index in range(count - 1)]
    return list(accumulate(steps_up, lambda weight, step: weight * step, initial=Fraction(first)))


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_weights_count_what_they_should(size: int) -> None:
    """Every weight against brute force: the half-norm T, then the signs (p, q) given T."""
    most = 5
    found: Counter[tuple[int, int, int]] = Counter()
    for noise in product(range(-most, most + 1), repeat=size):
        half = sum(map(abs, noise)) // 2
        if sum(noise) == 0 and half <= most:
            found[half, sum(z > 0 for z in noise), sum(z < 0 for z in noise)] += 1
    shifts = _weights(size, steps._shift_ratio(size), 1)
    for half in range(1, most + 1):
        by_series = sum(
            weight * math.comb(half - j + size - 2, size - 2) for j, weight in enumerate(shifts) if j <= half
        )
        assert by_series == sum(count for (norm, _, _), count in found.items() if norm == half)
        first_up = size * math.comb(size + half - 2, half)
        for p, by_p in enumerate(_weights(min(size - 1, half), steps._up_ratio(size, half), first_up), 1):
            assert by_p == sum(count for (norm, up, _), count in found.items() if (norm, up) == (half, p))
            first_down = math.comb(size, p) * math.comb(half - 1, p - 1) * (size - p)
            downs = _weights(min(size - p, half), steps._down_ratio(size - p, half), first_down)
            for q, by_q in enumerate(downs, 1):
                assert by_q == found[half, p, q]
            assert sum(downs) == by_p


def test_places_subsets_and_compositions_are_uniform() -> None:
    bits = Bits()
    cells = [tuple(steps._arrangement(4, 2, bits)) for _ in range(10_000)]
    assert fits(cells, {(a, b): 1 / 12 for a, b in product(range(4), repeat=2) if a != b})
    subsets = [frozenset(subset(6, 3, bits)) for _ in range(10_000)]
    assert len(set(subsets)) == 20
    assert fits(subsets, dict.fromkeys(set(subsets), 1 / 20))
    parts = [tuple(composition(6, 3, bits)) for _ in range(10_000)]
    assert fits(parts, {(a, b, 6 - a - b): 1 / 10 for a, b in product(range(1, 5), repeat=2) if a + b < 6})
    assert composition(7, 1, bits) == [7]
    assert composition(3, 3, bits) == [1, 1, 1]


def test_t01_neighbours_have_the_same_possible_outputs() -> None:
    """Counts (5, 5, 5) and (6, 4, 5): around them, the outputs that occur are the same set."""
    window = {tuple(c) for c in product(range(3, 8), repeat=3) if sum(c) == 15 and abs(c[2] - 5) <= 1}
    reached = []
    for counts in ((5, 5, 5), (6, 4, 5)):
        outputs = {
            tuple(c + z for c, z in zip(counts, k_norm(3, Fraction(1)), strict=True)) for _ in range(8_000)
        }
        assert all(type(value) is int for output in outputs for value in output)
        assert all(sum(output) == 15 for output in outputs)
        reached.append(outputs & window)
    assert reached[0] == reached[1] == window


@pytest.mark.parametrize("size", [2, 3, 2_000])
@pytest.mark.parametrize(
    "epsilon", [Fraction(1, 10**300), Fraction(1, 10**9), Fraction(100), Fraction(10**300)]
)
def test_t10_extreme_parameters_end(size: int, epsilon: Fraction) -> None:
    noise = k_norm(size, epsilon)
    assert len(noise) == size
    assert sum(noise) == 0
    assert any(noise) == (epsilon < 1)


def test_t10_an_awkward_ratio_ends() -> None:
    epsilon = Fraction(10**200 + 7, 10**201 + 9)
    assert sum(k_norm(50, epsilon)) == 0


@pytest.mark.parametrize(("size", "epsilon"), [(1, 1), (0, 1), (-3, 1), (3, 0), (3, -1)])
def test_t10_parameters_without_a_law_are_refused(size: int, epsilon: int) -> None:
    with pytest.raises(ValueError, match=r"two cells|positive"):
        k_norm(size, Fraction(epsilon))
