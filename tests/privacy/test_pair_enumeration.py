"""All neighbouring data sets of small tables: the pair of a draw is never exceeded, and reached where tight.

T05, T08. What two neighbours' draws give is found from their densities, not from the formulas of the pairs.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import privior as pv
from privior.privacy.pairs import (
    KNormPair,
    dirichlet_draw,
    network_draw,
    virtual_records_draw,
    virtual_records_epsilon,
)

EPSILONS = (-0.7, 0.0, 0.5, 1.5)
Counts = tuple[int, ...]


def proportion(first: tuple[float, float], second: tuple[float, float], epsilon: float) -> float:
    """H of two Beta laws by quadrature of max(0, p - e^eps q) over the log odds."""
    nodes = np.linspace(-1, 1, 20001)
    reach = 38 / min(*first, *second) ** 0.5 if min(*first, *second) > 1 else 40 / min(*first, *second)
    u = np.sinh(nodes * math.asinh(reach))
    jacobian = np.cosh(nodes * math.asinh(reach)) * math.asinh(reach)
    low, high = -np.logaddexp(0, -u), -np.logaddexp(0, u)
    p, q = (np.exp(a * low + b * high - special.betaln(a, b)) for a, b in (first, second))
    return float(np.sum(jacobian * np.maximum(0, p - math.exp(epsilon) * q)) * (nodes[1] - nodes[0]))


def tables(records: int, levels: int) -> Iterator[Counts]:
    for counts in itertools.product(range(records + 1), repeat=levels):
        if sum(counts) == records:
            yield counts


def replaced(
    records: int, prior: tuple[float, ...], rate: float
) -> Iterator[tuple[tuple[float, float], ...]]:
    """The laws of y_i / (y_i + y_j), on which alone the ratio of two neighbours' densities depends."""
    seen = set()
    for counts in tables(records - 1, len(prior)):
        for i, j in itertools.permutations(range(len(prior)), 2):
            a, b = (prior[cell] + rate * counts[cell] for cell in (i, j))
            seen.add(((a + rate, b), (a, b + rate)))
    yield from seen


@pytest.mark.parametrize(
    ("records", "prior", "rate"),
    [
        (1, (0.7, 2.0), 1.0),
        (4, (0.7, 2.0), 1.0),
        (6, (3.0, 0.8), 0.5),
        (6, (1.0, 1.0), 2.0),
        (1, (0.6, 1.5, 4.0), 1.0),
        (3, (2.5, 0.9, 1.1), 0.6),
        (2, (1.0, 3.0, 0.8, 2.0), 1.0),
    ],
)
def test_dirichlet_replace_one(records: int, prior: tuple[float, ...], rate: float) -> None:
    pair = dirichlet_draw(prior, rate, records=records)
    for epsilon in EPSILONS:
        largest = max(proportion(p, q, epsilon) for p, q in replaced(records, prior, rate))
        assert pair.delta(epsilon) == pytest.approx(largest, rel=1e-4, abs=1e-7)
        assert dirichlet_draw(prior, rate).delta(epsilon) >= largest - 1e-5


def test_quadrature_is_good_enough_to_find_a_wrong_pair() -> None:
    """The largest parameters instead of the smallest, or n-1 common counts without the rate, are found."""
    largest = max(proportion(p, q, 0.5) for p, q in replaced(3, (2.5, 0.9, 1.1), 0.6))
    assert dirichlet_draw((2.5, 1.1), 0.6).delta(0.5) < 0.95 * largest
    two = max(proportion(p, q, 0.5) for p, q in replaced(6, (3.0, 0.8), 0.5))
    assert dirichlet_draw((3.0, 0.8), 0.5, records=11).delta(0.5) < (1 - 1e-3) * two
    assert dirichlet_draw((3.0, 0.8), 0.5).delta(0.5) > (1 + 1e-3) * two


@pytest.mark.parametrize(("prior", "rate"), [((0.7, 2.0), 1.0), ((2.5, 0.9, 1.1), 0.6)])
def test_dirichlet_add_or_remove(prior: tuple[float, ...], rate: float) -> None:
    """One cell against the rest; as the other cells fill, the curve of the Gamma pair is approached."""
    pair = dirichlet_draw(prior, rate, pv.ADD_OR_REMOVE_ONE)
    reached = dict.fromkeys(EPSILONS, (0.0, 0.0))
    for records in (0, 1, 2, 5, 2000):
        for counts in (
            tables(records, len(prior))
            if records < 6
            else [(0,) * i + (records,) + (0,) * (len(prior) - i - 1) for i in range(len(prior))]
        ):
            parameters = [a + rate * c for a, c in zip(prior, counts, strict=True)]
            for a in parameters:
                b = sum(parameters) - a
                for epsilon in EPSILONS:
                    more = proportion((a + rate, b), (a, b), epsilon)
                    less = proportion((a, b), (a + rate, b), epsilon)
                    assert pair.delta(epsilon) >= more - 1e-5
                    assert pair.mirror.delta(epsilon) >= less - 1e-5
                    reached[epsilon] = (max(reached[epsilon][0], more), max(reached[epsilon][1], less))
    for epsilon, (more, less) in reached.items():
        assert more == pytest.approx(pair.delta(epsilon), rel=5e-3, abs=1e-4)
        assert less == pytest.approx(pair.mirror.delta(epsilon), rel=5e-3, abs=1e-4)


def test_one_node_of_a_network() -> None:
    """A count moves within a row or between two: pairs of independent Betas, by quadrature in the plane."""
    rows, rate, epsilon = ((1.0, 5.0), (1.0, 5.0)), 1.0, 1.0
    (pair,) = network_draw([rows], rate)
    nodes, weights = np.polynomial.legendre.leggauss(1500)
    y, w = (nodes + 1) / 2, weights / 2

    def density(a: float, b: float) -> NDArray[np.float64]:
        return np.asarray(np.exp((a - 1) * np.log(y) + (b - 1) * np.log1p(-y) - special.betaln(a, b)))

    found = []
    for fill in ((0, 0), (0, 4), (0, 400)):  # records that both share, in the large cell of each row
        (a1, b1), (a2, b2) = ((row[0], row[1] + rate * fill[1]) for row in rows)
        first = np.outer(w * density(a1 + rate, b1), w * density(a2, b2))
        second = np.outer(w * density(a1, b1), w * density(a2 + rate, b2))
        found.append(float(np.maximum(0, first - math.exp(epsilon) * second).sum()))
        within = proportion((a1 + rate, b1), (a1, b1 + rate), epsilon)
        assert pair.delta(epsilon) >= max(found[-1], within) - 1e-5
    assert found == sorted(found)
    assert found[-1] == pytest.approx(pair.delta(epsilon), rel=1e-2)


def k_norm_law(levels: int, epsilon: float, reach: int) -> dict[Counts, float]:
    line = range(-reach, reach + 1)
    weights = {}
    for head in itertools.product(line, repeat=levels - 1):
        z = (*head, -sum(head))
        weights[z] = math.exp(-epsilon * sum(map(abs, z)) / 2)
    total = math.fsum(weights.values())
    return {z: weight / total for z, weight in weights.items()}


@pytest.mark.parametrize(
    ("levels", "epsilon", "reach"), [(2, 1.0, 36), (3, 1.0, 36), (4, 2.0, 14), (5, 4.0, 6)]
)
def test_k_norm(levels: int, epsilon: float, reach: int) -> None:
    """Every move of one record between two cells, by sums over the lattice."""
    law = k_norm_law(levels, epsilon, reach)
    pair = KNormPair(levels, Fraction(epsilon))
    moves = itertools.permutations(range(levels), 2) if levels < 5 else [(0, 1), (4, 2)]
    for i, j in moves:
        for e in (-1.3, 0.0, 0.4, 0.9):
            total = []
            for z, p in law.items():
                moved = list(z)
                moved[i] += 1
                moved[j] -= 1
                total.append(max(0.0, p - math.exp(e) * law.get(tuple(moved), 0.0)))
            assert pair.delta(e) == pytest.approx(math.fsum(total), rel=1e-8)


def urn_law(parameters: tuple[Fraction, ...], drawn: int) -> dict[Counts, Fraction]:
    """The counts of records drawn one by one, each as likely as its parameter plus what was drawn."""
    state = {(0,) * len(parameters): Fraction(1)}
    for step in range(drawn):
        after: dict[Counts, Fraction] = {}
        for counts, chance in state.items():
            for cell, parameter in enumerate(parameters):
                one = (*counts[:cell], counts[cell] + 1, *counts[cell + 1 :])
                gain = chance * (parameter + counts[cell]) / (sum(parameters) + step)
                after[one] = after.get(one, Fraction(0)) + gain
        state = after
    return state


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
@pytest.mark.parametrize("rate", [Fraction(1), Fraction(2, 5)])
@pytest.mark.parametrize("prior", [("1/2", "2"), ("3", "1/2", "1")])
def test_virtual_records(prior: tuple[str, ...], rate: Fraction, relation: pv.Neighbours) -> None:
    """All neighbours of up to three records, exactly: never above the pair; equal to it where it is tight."""
    alpha, drawn = tuple(map(Fraction, prior)), 4
    pair = virtual_records_draw(prior, drawn, rate, relation)
    assert pair.pure == virtual_records_epsilon(drawn, min(alpha), rate)
    largest = dict.fromkeys(EPSILONS, 0.0)
    loss = 0.0
    for records in (0, 1, 2) if relation is pv.REPLACE_ONE else (0, 1, 20):
        for counts in tables(records, len(alpha)) if records < 9 else [(0, *(0,) * (len(alpha) - 2), 20)]:
            base = [a + rate * c for a, c in zip(alpha, counts, strict=True)]
            laws = [urn_law(_with(base, cell, rate), drawn) for cell in range(len(alpha))]
            if relation is pv.REPLACE_ONE:
                both = list(itertools.permutations(laws, 2))
            else:
                none = urn_law(tuple(base), drawn)
                both = [pair_of for law in laws for pair_of in ((law, none), (none, law))]
            for p, q in both:
                loss = max(loss, max(math.log(p[x] / q[x]) for x in p))
                for e in EPSILONS:
                    found = math.fsum(max(0.0, float(p[x]) - math.exp(e) * float(q[x])) for x in p)
                    largest[e] = max(largest[e], found)
    assert loss <= float(pair.pure) * (1 + 1e-12)
    for e, found in largest.items():
        assert pair.delta(e) >= found * (1 - 1e-12)
        if relation is pv.REPLACE_ONE:
            assert loss == pytest.approx(float(pair.pure), rel=1e-12)
            if len(prior) == 2:  # a third cell takes part of the records: the curve is then a bound
                assert pair.delta(e) == pytest.approx(found, rel=1e-9, abs=1e-15)


def _with(base: list[Fraction], cell: int, rate: Fraction) -> tuple[Fraction, ...]:
    return tuple(b + rate if i == cell else b for i, b in enumerate(base))
