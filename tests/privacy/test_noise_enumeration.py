"""Noise on counts: every neighbour of every table to n = 6 and k = 4, by sums over the outcomes.

Laplace noise: clamping a noisy count to [0, n] merges outcomes with the same ratio under any two counts in
[0, n], since a geometric tail has one ratio; so divergences are those of finitely many outcomes, exactly, and
nothing is reduced. K-norm and Gaussian noise: the laws depend on the noise alone, and what a move does to it
is the same up to the names of the cells whatever the table; that is proved by going through all tables where
few outcomes matter.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
from neighbouring_tables import (
    EPSILONS,
    RECORDS,
    Counts,
    F,
    Floats,
    Worst,
    complaints,
    plus,
    replaced,
    tables,
)
from numpy.typing import NDArray

import privior as pv
from privior.privacy.pairs import Concentrated, DiscreteGaussianShift, DominatingPair, KNormPair, SignedSteps

LEVELS = (2, 3, 4)


def outer(parts: Sequence[Floats]) -> Floats:
    return functools.reduce(np.multiply.outer, parts).ravel()


def clamped_laplace(count: int, scale: Fraction, low: int, high: int) -> Floats:
    """The law of a noisy count clamped to low..high."""
    q = math.exp(-float(1 / scale))
    law = np.array([q ** abs(y - count) * (1 - q) / (1 + q) for y in range(low, high + 1)])
    law[0], law[-1] = q ** (count - low) / (1 + q), q ** (high - count) / (1 + q)
    assert abs(math.fsum(law) - 1) < 1e-14
    return law


@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)], ids=str)
@pytest.mark.parametrize("levels", LEVELS)
def test_laplace_counts(levels: int, epsilon: Fraction) -> None:
    """Tight for every table, in both relations."""
    for records in RECORDS:
        mechanism = pv.LaplaceCounts(levels, epsilon)
        cells = [clamped_laplace(c, mechanism.laplace_scale, 0, records) for c in range(records + 1)]
        laws = {table: outer([cells[c] for c in table]) for table in tables(records, levels)}
        worst = Worst()
        for shared, i, j in replaced(records, levels):
            worst.see_laws(laws[plus(shared, i)], laws[plus(shared, j)])
        assert complaints(mechanism.guarantee.pair, worst, tight=True) == []

        mechanism = pv.LaplaceCounts(levels, epsilon, neighbours=pv.ADD_OR_REMOVE_ONE)
        cells = [clamped_laplace(c, mechanism.laplace_scale, 0, records) for c in range(records + 1)]
        worst = Worst()
        for shared, i in itertools.product(tables(records - 1, levels), range(levels)):
            p, q = (outer([cells[c] for c in table]) for table in (plus(shared, i), shared))
            worst.see_laws(p, q)
            worst.see_laws(q, p)
        assert complaints(mechanism.guarantee.pair, worst, tight=True) == []


@pytest.mark.parametrize("kind", [pv.LSHist, pv.LSDim])
@pytest.mark.parametrize("levels", LEVELS)
def test_published_laplace(kind: type[pv.PublishedLaplace], levels: int) -> None:
    """Noise on k - 1 counts, clamped, and the last by subtraction: the true cost is attained for every n."""
    for records, epsilon in itertools.product(RECORDS, (F(1), F(5, 2))):
        mechanism = kind(levels, epsilon, records)
        cells = [clamped_laplace(c, mechanism.laplace_scale, 0, records) for c in range(records + 1)]
        laws = {table: outer([cells[c] for c in table[:-1]]) for table in tables(records, levels)}
        worst = Worst()
        for shared, i, j in replaced(records, levels):
            worst.see_laws(laws[plus(shared, i)], laws[plus(shared, j)])
        assert complaints(mechanism.guarantee.pair, worst, tight=True) == []


def units(levels: int, relation: pv.Neighbours) -> set[Counts]:
    """How one unit of up to two records may change a table."""
    gifts = [table for records in range(3) for table in tables(records, levels)]
    if relation is pv.ADD_OR_REMOVE_ONE:
        return {tuple(sign * c for c in gift) for gift in gifts for sign in (1, -1) if any(gift)}
    found = {tuple(a - b for a, b in zip(x, y, strict=True)) for x, y in itertools.product(gifts, repeat=2)}
    return {change for change in found if any(change)}


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE], ids=str)
@pytest.mark.parametrize("levels", LEVELS)
def test_units_of_two_records(levels: int, relation: pv.Neighbours) -> None:
    """Laplace: the largest loss is attained. Gaussian: a concentrated bound, attained by whole orders."""
    laplace = pv.LaplaceCounts(levels, 2, neighbours=relation, max_rows=2)
    gaussian = pv.GaussianCounts(levels, 9, "0.05", neighbours=relation, max_rows=2)
    bound = gaussian.guarantee.pair
    assert isinstance(bound, Concentrated)
    assert gaussian.stddev < F(11, 10)
    one, other = Worst(), Worst()
    for change in sorted({tuple(sorted(change)) for change in units(levels, relation)}):
        moves = [c for c in change if c]
        sides = ([0] * len(moves), moves)
        p, q = (outer([clamped_laplace(at, laplace.laplace_scale, -2, 2) for at in side]) for side in sides)
        one.see_laws(p, q)
        p, q = (outer([gaussian_line(gaussian.stddev**2, at, -11, 11) for at in side]) for side in sides)
        other.see_laws(p, q, orders=(0.5, 1.0, 1.4, 2.0))
    assert complaints(laplace.guarantee.pair, one, tight=False, attained=True) == []
    other.loss = math.inf
    assert complaints(bound, other, tight=False) == []
    assert other.renyis[2.0] == pytest.approx(bound.renyi(2.0), rel=1e-9)


Integers = NDArray[np.int64]


@functools.cache
def lattice(levels: int, low: int, high: int, total: int) -> Integers:
    """All integer vectors of this sum whose first k - 1 entries are in low..high."""
    head = np.array(list(itertools.product(range(low, high + 1), repeat=levels - 1)))
    return np.column_stack([head, total - head.sum(axis=1)])


def k_norm_weights(points: Integers, counts: Counts, epsilon: Fraction) -> Floats:
    return np.asarray(np.exp(-float(epsilon) / 2 * np.abs(points - np.array(counts)).sum(axis=1)))


@pytest.mark.parametrize("levels", LEVELS)
def test_k_norm_for_every_table(levels: int) -> None:
    """So little noise that few outcomes matter: all tables, nothing reduced."""
    epsilon, reach = F(4), 9
    total = k_norm_weights(lattice(levels, -reach, reach, 0), (0,) * levels, epsilon).sum()
    for records in RECORDS:
        points = lattice(levels, -reach, records + reach, records)
        laws = {table: k_norm_weights(points, table, epsilon) / total for table in tables(records, levels)}
        worst, least = Worst(), math.inf
        for shared, i, j in replaced(records, levels):
            p, q = laws[plus(shared, i)], laws[plus(shared, j)]
            worst.see_laws(p, q, orders=(0.5, 1.0, 2.0))
            least = min(least, float(np.maximum(0.0, p - q).sum()))
        assert complaints(KNormPair(levels, epsilon), worst, tight=True) == []
        assert least == pytest.approx(worst.deltas[0.0], rel=1e-11)
        assert (
            complaints(pv.KNorm(levels, epsilon).guarantee.pair, worst, tight=levels == 2, attained=True)
            == []
        )


@pytest.mark.parametrize(
    ("levels", "epsilon", "reach"), [(2, F(1, 2), 80), (3, F(1, 2), 80), (4, F(3, 2), 26)]
)
def test_k_norm_for_every_move(levels: int, epsilon: Fraction, reach: int) -> None:
    """More noise: the table drops out, every move is tried."""
    points, worst = lattice(levels, -reach, reach, 0), Worst()
    p = k_norm_weights(points, (0,) * levels, epsilon)
    for i, j in itertools.permutations(range(levels), 2):
        move = tuple((cell == i) - (cell == j) for cell in range(levels))
        worst.see_laws(p / p.sum(), k_norm_weights(points, move, epsilon) / p.sum(), orders=(0.5, 1.0, 2.0))
    assert complaints(KNormPair(levels, epsilon), worst, tight=True) == []
    assert complaints(pv.KNorm(levels, epsilon).guarantee.pair, worst, tight=levels == 2, attained=True) == []


def gaussian_line(variance: Fraction, count: int, low: int, high: int) -> Floats:
    y, far = np.arange(low, high + 1), np.arange(-60, 61)
    weights = np.exp(-((y - count) ** 2) / (2 * float(variance)))
    return np.asarray(weights / np.exp(-(far**2) / (2 * float(variance))).sum())


@pytest.mark.parametrize(("levels", "most"), [(2, 6), (3, 6), (4, 4)])
def test_gaussian_for_every_table(levels: int, most: int) -> None:
    """So little noise that few outcomes matter: all tables, in both relations, nothing reduced."""
    variance = F(1, 8)
    for records in range(1, most + 1):
        cells = [gaussian_line(variance, c, -4, records + 4) for c in range(records + 1)]
        two, one = Worst(), Worst()
        for shared, i, j in replaced(records, levels):
            p, q = (outer([cells[c] for c in plus(shared, cell)]) for cell in (i, j))
            two.see_laws(p, q, EPSILONS, (0.5, 1.0, 1.4))
        for shared, i in itertools.product(tables(records - 1, levels), range(levels)):
            p, q = (outer([cells[c] for c in table]) for table in (plus(shared, i), shared))
            one.see_laws(p, q, EPSILONS, (0.5, 1.0, 1.4))
            one.see_laws(q, p, EPSILONS, (0.5, 1.0, 1.4))
        two.loss = one.loss = math.inf  # the box ends, the loss does not
        assert complaints(DiscreteGaussianShift(variance, 2), two, tight=True) == []
        assert complaints(DiscreteGaussianShift(variance, 1), one, tight=True) == []


@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)], ids=str)
@pytest.mark.parametrize("levels", LEVELS)
def test_gaussian_for_every_move(levels: int, epsilon: Fraction) -> None:
    """The cells that a record does not touch have one law in both tables and drop out; at two budgets."""
    for relation, moves in ((pv.REPLACE_ONE, (1, -1)), (pv.ADD_OR_REMOVE_ONE, (1,))):
        mechanism = pv.GaussianCounts(levels, epsilon, "0.01", neighbours=relation)
        changes = {tuple(sorted(c for c in change if c)) for change in single(levels, relation)}
        assert changes == {(-1, 1) if relation is pv.REPLACE_ONE else (-1,)}
        variance, reach = mechanism.stddev**2, math.ceil(10 * mechanism.stddev) + 4
        worst = Worst()
        for signs in (moves, tuple(-m for m in moves)):
            p, q = (outer([gaussian_line(variance, m * at, -reach, reach) for m in signs]) for at in (0, 1))
            worst.see_laws(p, q)
        worst.loss = math.inf
        assert complaints(mechanism.guarantee.pair, worst, tight=True) == []


def single(levels: int, relation: pv.Neighbours) -> set[Counts]:
    """How one record may change a table, over all tables."""
    found = set()
    for records in RECORDS:
        for shared, i, j in replaced(records, levels):
            before, after = plus(shared, i), plus(shared, j) if relation is pv.REPLACE_ONE else shared
            found |= {tuple(b - a for a, b in zip(before, after, strict=True))}
    return found


WRONG: list[DominatingPair] = [
    SignedSteps(F(3, 2)),
    SignedSteps(F(3, 4), 3),
    SignedSteps(F(3)),
    SignedSteps(F(299, 200), 2),
    KNormPair(3, F(3)),
    DiscreteGaussianShift(F(1, 2), 2),
]


@pytest.mark.parametrize("wrong", WRONG, ids=str)
def test_a_wrong_pair_is_noticed(wrong: DominatingPair) -> None:
    """Laplace noise at epsilon 3 on three counts, and pairs that are not its own."""
    mechanism, worst = pv.LaplaceCounts(3, 3), Worst()
    cells = [clamped_laplace(c, mechanism.laplace_scale, 0, 2) for c in range(3)]
    for shared, i, j in replaced(2, 3):
        worst.see_laws(*(outer([cells[c] for c in plus(shared, cell)]) for cell in (i, j)))
    assert complaints(mechanism.guarantee.pair, worst, tight=True) == []
    assert complaints(wrong, worst, tight=True) != []
