"""Conditional tables to n = 6: one record moves between any two cells, of one row or of two.

The reduction. A row's draw is a Dirichlet, independent of the other rows. Within a row it is that of
`test_pair_enumeration`. Between two rows log p/q = r log y_i - r log z_j + const, with y_i and z_j the
chances of the two cells, independent, of laws Beta(w_i + r, rest) and Beta(w_j, rest') under P, Beta(w_i,
rest) and Beta(w_j + r, rest') under Q; what else was drawn has one law given them. Given z the divergence is
that of the two laws of y at epsilon less the loss of z; it is averaged over z by quadrature. Renyi
divergences add up.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction

import numpy as np
import pytest
from beta_quadrature import BetaLaws, Situation
from neighbouring_tables import (
    EPSILONS,
    ORDERS,
    RATES,
    RECORDS,
    F,
    Floats,
    Worst,
    complaints,
    plus,
    replaced,
    tables,
)
from scipy import interpolate, special

import privior as pv
from privior.privacy.pairs import BetaPair, both_orders, network_draw

Rows = tuple[tuple[Fraction, ...], ...]

APART: Rows = ((F(7, 10), F(2)), (F(3), F(11, 10)))
CASES: tuple[tuple[Rows, Fraction], ...] = (
    (APART, F(1)),
    (APART, F(2, 5)),
    (((F(9, 10), F(3, 2)), (F(4), F(5, 2))), F(3, 2)),
    (((F(5, 4), F(3), F(2)), (F(4), F(5, 2), F(8, 5))), F(1)),
    (((F(2), F(3)), (F(4), F(5, 2)), (F(1), F(6))), F(1)),
    (((F(2), F(3), F(4), F(5, 4)), (F(6), F(5), F(3, 2), F(7))), F(1, 2)),
)
LAST = 5  # records that both neighbours share


def situations(rows: Rows, rate: Fraction, records: int) -> tuple[set[Situation], set[Situation]]:
    """Return the pairs of Beta laws within rows, and (w_i, rest, w_j, rest') between rows."""
    place = [(row, a, sum(cells) - a) for row, cells in enumerate(rows) for a in cells]
    ends = [sum(map(len, rows[: row + 1])) for row in range(len(rows))]
    seen = set()
    for counts, i, j in replaced(records, len(place)):
        full = [sum(counts[end - len(cells) : end]) for end, cells in zip(ends, rows, strict=True)]
        seen.add((i, counts[i], full[place[i][0]] - counts[i], j, counts[j], full[place[j][0]] - counts[j]))
    within, between = set(), set()
    for i, in_i, by_i, j, in_j, by_j in seen:
        (row_i, a, more), (row_j, c, other) = place[i], place[j]
        w, v = a + rate * in_i, c + rate * in_j
        if row_i == row_j:
            within.add((float(w + rate), float(v), float(w), float(v + rate)))
        else:
            between.add((float(w), float(more + rate * by_i), float(v), float(other + rate * by_j)))
    return within, between


_STEP = 0.4
_U = np.arange(-40, 40, _STEP)


def row_delta(a: float, b: float, rate: float) -> Callable[[Floats], Floats]:
    """H of Beta(a + rate, b) from Beta(a, b) as a function of epsilon: two tails above a point, interpolated.

    It is 0 above the largest loss and 1 up to rounding 40 below it.
    """
    most = float(special.betaln(a, b) - special.betaln(a + rate, b))
    below = np.sinh(np.linspace(0, math.asinh(400.0), 500)) / 10
    point, factor = np.exp(-below / rate), np.exp(most - below)
    curve = special.betaincc(a + rate, b, point) - factor * special.betaincc(a, b, point)
    spline = interpolate.CubicSpline(below, curve)
    return lambda epsilon: np.asarray(spline(np.clip(most - epsilon, 0.0, 40.0)))


def between_rows(found: Iterable[Situation], rate: float) -> Worst:
    """Group the situations by the row that gains in P, and average over the other row."""
    groups: dict[tuple[float, float], list[tuple[float, float]]] = {}
    for a, b, c, d in found:
        groups.setdefault((a, b), []).append((c, d))
    worst = Worst()
    gains = BetaLaws([(a + rate, b, a, b) for a, b in groups])
    others = sorted({other for group in groups.values() for other in group})
    losses = BetaLaws([(c, d, c + rate, d) for c, d in others])
    renyis = {order: (gains.renyi(order), losses.renyi(order)) for order in ORDERS}
    log_p, loss = (dict(zip(others, one, strict=True)) for one in losses.logs(_U))
    for index, ((a, b), group) in enumerate(groups.items()):
        curve = row_delta(a, b, rate)
        density = np.exp(np.array([log_p[other] for other in group])) * _STEP
        shift = np.array([loss[other] for other in group])
        at = [others.index(other) for other in group]
        worst.see(
            {e: np.sum(density * curve(e - shift), axis=1) for e in EPSILONS},
            {order: up[index] + down[at] for order, (up, down) in renyis.items()},
        )
    return worst


@pytest.mark.parametrize(
    ("rows", "rate"),
    [
        pytest.param(*case, marks=[pytest.mark.slow] if case in (CASES[1], CASES[-1]) else [])
        for case in CASES
    ],
    ids=str,
)
def test_one_table_replace_one(rows: Rows, rate: Fraction) -> None:
    """Tight for every n if the two smallest parameters are in one row: the others' records go elsewhere."""
    (pair,) = network_draw([rows], rate)
    assert network_draw([rows, rows[:1]], rate, records=6)[0] == pair  # how many are in each row is private
    smallest = sorted((a, row) for row, cells in enumerate(rows) for a in cells)[:2]
    one_row = smallest[0][1] == smallest[1][1]
    worst = Worst()
    for records in RECORDS:
        within, between = situations(rows, rate, records)
        laws, crossed = BetaLaws(sorted(within)), between_rows(between, float(rate))
        worst.see({e: laws.delta(e) for e in EPSILONS}, {order: laws.renyi(order) for order in ORDERS})
        worst.see(crossed.deltas, crossed.renyis)
        assert complaints(pair, worst, tight=one_row) == []
    if not one_row:
        assert worst.deltas[0.0] > 0.8 * pair.delta(0.0)


@pytest.mark.parametrize("rate", RATES, ids=str)
def test_a_root_uses_the_number_of_records(rate: Fraction) -> None:
    """A root is one row: two levels are tight for every public n, beside any other table."""
    root = APART[0]
    for records in RECORDS:
        within, between = situations((root,), rate, records)
        assert not between
        laws, worst = BetaLaws(sorted(within)), Worst()
        worst.see({e: laws.delta(e) for e in EPSILONS}, {order: laws.renyi(order) for order in ORDERS})
        pairs = network_draw([(root,), APART], rate, records=records)
        assert complaints(pairs[0], worst, tight=True) == []


def test_two_rows_reach_the_pair_as_they_fill() -> None:
    (pair,) = network_draw([APART], 1)
    reached = []
    for fill in (0, 5, 50, 5000):
        situation = (0.7, 2.0 + fill, 1.1, 3.0 + fill)
        reached.append(between_rows([situation, situation[2:] + situation[:2]], 1.0).deltas[0.35])
    assert reached == sorted(reached)
    assert reached[-1] == pytest.approx(pair.delta(0.35), rel=2e-3)


@pytest.mark.parametrize(("rows", "rate"), CASES, ids=str)
def test_one_table_add_or_remove_one(rows: Rows, rate: Fraction) -> None:
    """One record more in any cell of any row."""
    (pair,) = network_draw([rows], rate, pv.ADD_OR_REMOVE_ONE)
    r, found = float(rate), set()
    for cells in rows:
        for records in range(LAST + 1):  # those of this row; other rows have the rest
            for counts, i in itertools.product(tables(records, len(cells)), range(len(cells))):
                w = [float(a + rate * count) for a, count in zip(cells, counts, strict=True)]
                rest = math.fsum(w) - w[i]
                found.add((w[i] + r, rest, w[i], rest))
    swapped = {(c, d, a, b) for a, b, c, d in found}
    for one, side in ((pair, found), (pair.mirror, swapped)):
        worst, laws = Worst(), BetaLaws(sorted(side))
        worst.see({e: laws.delta(e) for e in EPSILONS}, {order: laws.renyi(order) for order in ORDERS})
        assert complaints(one, worst, tight=False) == []


def test_the_reduction_between_rows() -> None:
    """All neighbours of up to two records by quadrature over both rows in the plane."""
    nodes, weights = special.roots_legendre(900)
    u, rate = 34 * nodes, 1.0
    low, high = -np.logaddexp(0, -u), -np.logaddexp(0, u)

    def plane(first: tuple[float, float], second: tuple[float, float]) -> Floats:
        rows = (np.exp(a * low + b * high - special.betaln(a, b)) * 34 * weights for a, b in (first, second))
        return np.outer(*rows)

    prior = [float(a) for row in APART for a in row]
    for records in range(1, 3):
        for counts, i, j in replaced(records, 4):
            if i // 2 == j // 2:
                continue
            w = [a + rate * c for a, c in zip(prior, counts, strict=True)]
            laws = []
            for cell in (i, j):
                v = [x - y + rate * z for x, y, z in zip(w, counts, plus(counts, cell), strict=True)]
                laws.append(plane((v[0], v[1]), (v[2], v[3])))
            p, q = laws
            reduced = between_rows([(w[i], w[i ^ 1], w[j], w[j ^ 1])], rate)
            for e in (-0.6, 0.35):
                whole = float(np.maximum(0.0, p - math.exp(e) * q).sum())
                assert reduced.deltas[e] == pytest.approx(whole, rel=5e-3)
            moment = float(np.sum(np.sqrt(p * q)))
            assert reduced.renyis[0.5] == pytest.approx(-2 * math.log(moment), rel=1e-8)


def test_a_wrong_pair_is_noticed() -> None:
    """One row taken for all: the smallest of a repeated row counted once, or another row forgotten."""
    repeated: Rows = ((F(1), F(5)), (F(1), F(5)))
    worst = between_rows(situations(repeated, F(1), 6)[1], 1.0)
    (right,) = network_draw([repeated])
    assert complaints(right, worst, tight=False) == []
    assert complaints(both_orders(BetaPair(F(1), F(5))), worst, tight=False) != []
    worst = between_rows(situations(APART, F(1), 6)[1], 1.0)
    assert complaints(both_orders(BetaPair(F(11, 10), F(3))), worst, tight=False) != []
