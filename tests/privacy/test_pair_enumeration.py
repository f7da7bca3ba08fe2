"""Every neighbour of every table to n = 6 and k = 4: the pairs of Dirichlet draws, from the densities alone.

T05, T08. Other mechanisms on counts: the files whose names end in `_enumeration`.

The reduction. Replacing one record moves the rate r from the parameter of cell j to that of cell i. With w
the parameters that both neighbours share, log p/q = r log(y_i / y_j) + const. Under both laws y_i / (y_i +
y_j) is independent of y_i + y_j and of the other cells, whose law is the same; it is Beta(w_i + r, w_j) or
Beta(w_i, w_j + r). So divergences are those of two Beta laws. Adding one record: log p/q = r log y_i + const,
and y_i is Beta(w_i + r, rest) or Beta(w_i, rest). `test_the_reduction_*` integrates over the whole simplex
instead, in coordinates that know nothing of i and j.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from beta_quadrature import BetaLaws, Situation
from dirichlet_oracle import beta_line
from neighbouring_tables import (
    EPSILONS,
    ORDERS,
    PRIORS,
    RATES,
    RECORDS,
    Counts,
    F,
    Floats,
    Worst,
    complaints,
    replaced,
    tables,
)
from scipy import special

import privior as pv
from privior.privacy.pairs import BetaPair, DominatingPair, TwoLevelsPair, both_orders, dirichlet_draw

Prior = tuple[Fraction, ...]


def shared_parameters(prior: Prior, rate: Fraction, counts: Counts) -> list[float]:
    return [float(a + rate * c) for a, c in zip(prior, counts, strict=True)]


def moved(prior: Prior, rate: Fraction, records: int) -> set[Situation]:
    found = set()
    for counts, i, j in replaced(records, len(prior)):
        w, r = shared_parameters(prior, rate, counts), float(rate)
        found.add((w[i] + r, w[j], w[i], w[j] + r))
    return found


def added(prior: Prior, rate: Fraction, records: int) -> set[Situation]:
    """P has the record; `records` with it."""
    found = set()
    for counts in tables(records - 1, len(prior)):
        w, r = shared_parameters(prior, rate, counts), float(rate)
        for i in range(len(prior)):
            rest = math.fsum(w) - w[i]
            found.add((w[i] + r, rest, w[i], rest))
    return found


def worst_of(situations: set[Situation]) -> Worst:
    laws, worst = BetaLaws(sorted(situations)), Worst()
    worst.see({e: laws.delta(e) for e in EPSILONS}, {order: laws.renyi(order) for order in ORDERS})
    return worst


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: ",".join(map(str, prior)))
def test_dirichlet_replace_one(prior: Prior, rate: Fraction) -> None:
    """Tight for three levels or more, for one record, and for two levels if the number of records is used."""
    whatever = dirichlet_draw(prior, rate)
    assert whatever.pure is None
    for records in RECORDS:
        worst = worst_of(moved(prior, rate, records))
        pair = dirichlet_draw(prior, rate, records=records)
        assert complaints(pair, worst, tight=True) == []
        assert complaints(whatever, worst, tight=len(prior) > 2 or records == 1) == []


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: ",".join(map(str, prior)))
def test_dirichlet_add_or_remove_one(prior: Prior, rate: Fraction) -> None:
    """Never exceeded; approached in both orders as the other cells fill."""
    pair = dirichlet_draw(prior, rate, pv.ADD_OR_REMOVE_ONE)
    gaps = []
    for records in (*RECORDS, 20_000):
        situations = added(prior, rate, records) if records < 7 else {crowded(prior, rate, records)}
        swapped = {(c, d, a, b) for a, b, c, d in situations}
        more, less = worst_of(situations), worst_of(swapped)
        assert complaints(pair, more, tight=False) == []
        assert complaints(pair.mirror, less, tight=False) == []
        gaps.append(
            max(1 - more.deltas[0.35] / pair.delta(0.35), 1 - less.deltas[0.35] / pair.mirror.delta(0.35))
        )
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[0] > 0.02 > 4e-3 > gaps[-1]


def crowded(prior: Prior, rate: Fraction, records: int) -> Situation:
    low, r = float(min(prior)), float(rate)
    rest = float(sum(prior) - min(prior)) + r * records
    return low + r, rest, low, rest


def test_the_quadrature_agrees_with_one_of_sixty_digits() -> None:
    sample = [(F(7, 10), F(2), F(1)), (F(6), F(1, 2), F(3, 2)), (F(4), F(8), F(2, 5))]
    laws = BetaLaws([(float(a + r), float(b), float(a), float(b + r)) for a, b, r in sample])
    for index, (a, b, r) in enumerate(sample):
        truth = beta_line(a, b, r, -130, -30, 30, 180)
        for e in EPSILONS:
            assert laws.delta(e)[index] == pytest.approx(float(truth.delta(e)), rel=1e-12, abs=1e-16)
        for order in (0.5, 1.0, 1.2):
            assert laws.renyi(order)[index] == pytest.approx(float(truth.renyi(order)), rel=1e-12)


def simplex(parameters: list[list[float]], nodes: int, reach: float) -> tuple[Floats, Floats]:
    """Probabilities of a fine grid of the whole simplex under two Dirichlet laws.

    Sticks: y_1 = v_1, y_2 = (1 - v_1) v_2, ..., each v by equal steps of its log odds (the trapezoidal rule).
    """
    levels = len(parameters[0])
    u = np.linspace(-reach, reach, nodes)
    low, high = -np.logaddexp(0, -u), -np.logaddexp(0, u)
    laws = []
    for law in parameters:
        norm = special.gammaln(sum(law)) - sum(special.gammaln(a) for a in law)
        log_density = np.full((nodes,) * (levels - 1), norm)
        for axis in range(levels - 1):
            # dv = v (1 - v) du; the stick enters y_axis as v, every later cell and its length as 1 - v
            later = sum(law[axis + 1 :]) - (levels - 1 - axis)
            part = law[axis] * low + (later + levels - 1 - axis) * high
            log_density = log_density + part.reshape([-1 if i == axis else 1 for i in range(levels - 1)])
        laws.append(np.exp(log_density).ravel() * (u[1] - u[0]) ** (levels - 1))
    return laws[0], laws[1]


@pytest.mark.parametrize(
    ("prior", "most", "nodes", "reach"),
    [((F(2), F(1), F(3)), 3, 250, 28.0), ((F(3), F(1), F(2), F(3, 2)), 1, 74, 20.0)],
)
def test_the_reduction_for_replacement(prior: Prior, most: int, nodes: int, reach: float) -> None:
    """All neighbours by the whole simplex: smooth integrands closely, kinks as finely as the grid is."""
    rate = F(1, 2)
    for records in range(1, most + 1):
        for counts, i, j in replaced(records, len(prior)):
            w, r = shared_parameters(prior, rate, counts), float(rate)
            p, q = simplex([_more(w, i, r), _more(w, j, r)], nodes, reach)
            _compare(BetaLaws([(w[i] + r, w[j], w[i], w[j] + r)]), p, q, 2 * reach / (nodes - 1))


@pytest.mark.parametrize(
    ("prior", "most", "nodes", "reach"),
    [((F(2), F(1), F(3)), 3, 250, 28.0), ((F(3), F(1), F(2), F(3, 2)), 1, 74, 20.0)],
)
def test_the_reduction_for_addition(prior: Prior, most: int, nodes: int, reach: float) -> None:
    rate = F(1, 2)
    for records in range(1, most + 1):
        for counts, i in itertools.product(tables(records - 1, len(prior)), range(len(prior))):
            w, r = shared_parameters(prior, rate, counts), float(rate)
            p, q = simplex([_more(w, i, r), w], nodes, reach)
            rest = sum(w) - w[i]
            _compare(BetaLaws([(w[i] + r, rest, w[i], rest)]), p, q, 2 * reach / (nodes - 1))


def _more(w: list[float], cell: int, rate: float) -> list[float]:
    return [a + rate * (i == cell) for i, a in enumerate(w)]


def _compare(laws: BetaLaws, p: Floats, q: Floats, step: float) -> None:
    assert math.fsum(p) == pytest.approx(1, rel=1e-7)
    for order in (0.3, 0.6, 1.25):
        moment = float(np.sum(p**order * q ** (1 - order)))
        assert laws.renyi(order)[0] == pytest.approx(math.log(moment) / (order - 1), rel=1e-5)
    for e in (-0.6, 0.0, 0.35):
        whole = float(np.sum(np.maximum(0.0, p - math.exp(e) * q)))
        assert laws.delta(e)[0] == pytest.approx(whole, abs=0.02 * step**2)


WRONG: list[tuple[str, Prior, Fraction, DominatingPair]] = [
    ("the largest parameters", PRIORS[2], F(1), both_orders(BetaPair(F(11, 10), F(5, 2), F(1)))),
    ("one order", PRIORS[3], F(1), BetaPair(F(3, 5), F(7, 2), F(1))),
    ("the rate forgotten", PRIORS[2], F(2, 5), both_orders(BetaPair(F(4, 5), F(11, 10), F(1)))),
    ("counts without the rate", PRIORS[0], F(2, 5), TwoLevelsPair(F(7, 10), F(2), F(1), 6)),
    ("all n records shared", PRIORS[0], F(1), TwoLevelsPair(F(7, 10), F(2), F(1), 7)),
    ("as if for three levels", PRIORS[1], F(1), both_orders(BetaPair(F(8, 5), F(3), F(1)))),
    ("a parameter off by 1e-8", PRIORS[4], F(1), both_orders(BetaPair(F(7, 10), F(1) + F(1, 10**8), F(1)))),
]


@pytest.mark.parametrize(("why", "prior", "rate", "pair"), WRONG, ids=[wrong[0] for wrong in WRONG])
def test_a_wrong_pair_is_noticed(why: str, prior: Prior, rate: Fraction, pair: DominatingPair) -> None:
    assert complaints(pair, worst_of(moved(prior, rate, 6)), tight=True) != []


def test_a_wrong_pair_for_addition_is_noticed() -> None:
    prior, rate = PRIORS[2], F(1)
    worst = worst_of(added(prior, rate, 6))
    larger = dirichlet_draw((*prior[1:], F(5)), rate, pv.ADD_OR_REMOVE_ONE)
    assert complaints(larger, worst, tight=False) == []
    for wrong in (dirichlet_draw((F(11, 10), F(5, 2)), rate, pv.ADD_OR_REMOVE_ONE), larger.mirror):
        assert complaints(wrong, worst, tight=False) != []
