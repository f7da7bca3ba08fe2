"""Hellinger distances and sensitivities: known values, brute force over the definitions, extremes, speed."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable

import mpmath
import numpy as np
import pytest

import privior as pv
from privior.mechanisms.hellinger.hellinger import (
    distance,
    distances,
    global_sensitivity,
    inverse_local_sensitivities,
    inverse_smooth_sensitivities,
    local_sensitivity,
    smooth_sensitivity,
)
from privior.mechanisms.tables.dirichlet_affinity import log_affinities, log_phi
from privior.privacy.hellinger import all_tables

RNG = np.random.default_rng(20)
SMALL = [(2, 1), (2, 8), (2, 25), (3, 1), (3, 6), (4, 5)]
CASES = [
    (10 ** RNG.uniform(-3, 2, k), int(n), float(10 ** RNG.uniform(-3, 0.5)))
    for k, n in SMALL
    for _ in range(3)
]


def overlap(one: list[float], other: list[float]) -> mpmath.mpf:
    """Return the affinity of two Dirichlet laws with fifty digits."""

    def log_beta(parameters: list[mpmath.mpf]) -> mpmath.mpf:
        return sum(map(mpmath.loggamma, parameters)) - mpmath.loggamma(sum(parameters))

    a, b = [mpmath.mpf(p) for p in one], [mpmath.mpf(p) for p in other]
    middle = [(p + q) / 2 for p, q in zip(a, b, strict=True)]
    return mpmath.exp(log_beta(middle) - (log_beta(a) + log_beta(b)) / 2)


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (global_sensitivity([1, 1], 10), 0.353238470947),
        (global_sensitivity([0.5] * 3, 10), 0.602810274989),
        (local_sensitivity([5, 5], [1, 1]), 0.211510444838),
        (local_sensitivity([300, 300, 400], 1), 0.028837522457),
        (smooth_sensitivity([5, 5], 1, 0.1), 0.309506613751),
        (smooth_sensitivity([3, 3, 4], 1, 0.1), 0.376130004306),
    ],
)
def test_known_values(found: float, expected: float) -> None:
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ([1, 1], [2, 0.5]),
        ([1e-6, 3], [1 + 1e-6, 2]),
        ([0.3, 4, 50], [1.3, 3, 50]),
        ([23.5, 700, 1], [24.5, 650, 50]),
        ([1e9, 5e8, 2], [1e9 - 1, 5e8 + 1, 2]),
        ([1e9, 1e9], [1e9 + 2e4, 1e9 - 2e4]),
        ([0.5, 1e9], [1e6, 1e9 - 1e6]),
    ],
)
def test_distances_have_all_digits(one: list[float], other: list[float]) -> None:
    with mpmath.workdps(60):
        true = float(mpmath.sqrt(1 - overlap(one, other)))
    assert distance(one, other) == pytest.approx(true, rel=1e-13)
    assert distance(other, one) == pytest.approx(true, rel=1e-13)
    assert distance(one, one) == 0


def test_phi_and_affinities_have_all_digits() -> None:
    with mpmath.workdps(60):
        for t in (1e-6, 1e-3, 0.09, 0.1, 1, 7.5, 23.9, 24, 1e3, 1e6, 1e9, 1e12):
            at = mpmath.mpf(t)
            true = mpmath.loggamma(at + 0.5) - mpmath.loggamma(at) - mpmath.log(at) / 2
            assert float(log_phi(t)) == pytest.approx(float(true), rel=1e-14)
            for d in (0.5, 1, 40):
                middle = at + d
                pair = mpmath.loggamma(middle) - (mpmath.loggamma(at) + mpmath.loggamma(at + 2 * d)) / 2
                found = log_affinities(np.array(t + d), np.array(float(d)))
                assert float(found) == pytest.approx(float(pair), rel=1e-9 if t < 1e-2 else 1e-14)


@pytest.mark.parametrize(("prior", "records", "gamma"), CASES)
def test_sensitivities_by_definition(prior: np.ndarray, records: int, gamma: float) -> None:
    """LS from the distances to all neighbours, GS the largest, S over all tables at their distances."""
    tables = all_tables(records, prior.size)
    assert len(tables) == math.comb(records + prior.size - 1, prior.size - 1)
    local = []
    for table in tables:
        moves = itertools.permutations(range(prior.size), 2)
        near = [table + np.eye(prior.size, dtype=int)[j] - np.eye(prior.size, dtype=int)[i] for i, j in moves]
        there = [other for other in near if other.min() >= 0]
        local.append(float(distances(table, np.array(there), prior).max()))
        assert local_sensitivity(table, prior) == pytest.approx(local[-1], rel=1e-11)
    assert global_sensitivity(prior, records) == pytest.approx(max(local), rel=1e-11)
    assert 1 / inverse_local_sensitivities(tables, prior) == pytest.approx(np.array(local), rel=1e-11)
    together = 1 / inverse_smooth_sensitivities(tables, prior, gamma)
    for place in range(0, len(tables), max(1, len(tables) // 12)):
        table = tables[place]
        apart = np.abs(tables - table).sum(axis=1) / 2
        by_definition = (1 / (1 / np.array(local) + gamma * apart)).max()
        assert smooth_sensitivity(table, prior, gamma) == pytest.approx(by_definition, rel=1e-11)
        assert together[place] == pytest.approx(by_definition, rel=1e-11)


def test_a_billion_records() -> None:
    """LS^2 is 1/(8 w_i) + 1/(8 w_j) at first order; S of a small gamma is what a walk to the corner costs."""
    third = 333_333_333
    assert local_sensitivity([third, third, third + 1], 1) == pytest.approx(
        math.sqrt(2 / (8 * third)), rel=1e-8
    )
    assert 1 / smooth_sensitivity([third, third, third + 1], 1, 1e-9) == pytest.approx(
        1 / global_sensitivity([1, 1, 1], 10**9) + 1e-9 * (2 * third - 1), rel=1e-12
    )
    assert distance([1e9, 1e9], [1e9 + 1, 1e9 - 1]) == pytest.approx(math.sqrt(1 / 4e9), rel=1e-8)


def test_ten_thousand_cells_are_fast() -> None:
    """The second table is the worst: no cell is beaten by another, so all pairs are looked at."""
    k = 10_000
    rng = np.random.default_rng(1)
    usual = rng.multinomial(10**6, rng.dirichlet(np.ones(k)))
    contrary = np.sort(rng.integers(0, 10**5, k))[::-1]
    grown = np.sort(rng.gamma(1.0, 1.0, k)) + 0.01
    for counts, prior in ((usual, np.ones(k)), (contrary, grown)):
        start = time.process_time()
        local_sensitivity(counts, prior)
        local = time.process_time()
        global_sensitivity(prior, 10**6)
        everywhere = time.process_time()
        smooth_sensitivity(counts, prior, 1e-6)
        smooth = time.process_time()
        assert local - start < 0.1
        assert everywhere - local < 0.1
        assert smooth - everywhere < 2


def test_bad_input_is_refused() -> None:
    refused: list[Callable[[], float]] = [
        lambda: distance([1, 2], [1, 2, 3]),
        lambda: distance([1, 0], [1, 1]),
        lambda: distance([1, math.nan], [1, 1]),
        lambda: local_sensitivity([0, 0], 1),
        lambda: local_sensitivity([1, -1], 1),
        lambda: local_sensitivity([1.5, 1], 1),
        lambda: local_sensitivity([1, 1], [1, 1, 1]),
        lambda: global_sensitivity([1, 1], 0),
        lambda: smooth_sensitivity([1, 1], 1, 0),
    ]
    for wrong in refused:
        with pytest.raises(pv.NumberError):
            wrong()
