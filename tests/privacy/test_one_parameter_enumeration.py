"""Draws of one parameter from counts: every neighbour to n = 6, by quadrature or sums of the two densities.

Poisson counts in [0, B] are tables of k = B + 1 levels; what is drawn depends on the sum of the records
alone, and truncated and finite families of a chance on the number of ones. All tables are gone through.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
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
)
from scipy import special

from privior.privacy.pairs import (
    DominatingPair,
    FiniteBernoulli,
    GammaShapePair,
    SignedSteps,
    TruncatedBernoulli,
    TruncatedDraw,
    both_orders,
    poisson_draw,
)

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)


def panels(breaks: Floats) -> tuple[Floats, Floats]:
    half = np.diff(breaks)[:, None] / 2
    return (breaks[:-1, None] + half * (1 + _NODES)).ravel(), (half * _WEIGHTS).ravel()


class GammaLaws:
    """Gamma(first, rate) and Gamma(second, rate), by the logarithm of what is drawn; the loss is monotone."""

    def __init__(self, first: float, second: float, rate: float) -> None:
        self.first, self.second, self.rate = first, second, rate
        self.breaks = np.concatenate([-np.geomspace(1000, 3, 24), np.linspace(-2, 6, 24)]) - math.log(rate)
        self.norms = special.gammaln(first), special.gammaln(second)

    def logs(self, u: Floats) -> tuple[Floats, Floats]:
        scaled = u + math.log(self.rate)
        loss = (self.first - self.second) * scaled - self.norms[0] + self.norms[1]
        return self.first * scaled - self.rate * np.exp(u) - self.norms[0], loss

    def delta(self, epsilon: float) -> float:
        crossing = (epsilon + self.norms[0] - self.norms[1]) / (self.first - self.second) - math.log(
            self.rate
        )
        assert abs(self.logs(np.array([crossing]))[1][0] - epsilon) < 1e-12
        u, weights = panels(np.sort(np.append(self.breaks, crossing)))
        log_p, loss = self.logs(u)
        return float(np.sum(weights * np.exp(log_p) * -np.expm1(np.minimum(0.0, epsilon - loss))))

    def renyi(self, order: float) -> float:
        u, weights = panels(self.breaks)
        log_p, loss = self.logs(u)
        assert abs(np.sum(weights * np.exp(log_p)) - 1) < 1e-12
        if order == 1:
            return float(np.sum(weights * np.exp(log_p) * loss))
        far = self.logs(np.array([-1000.0, -900.0]))
        if far[0][0] + (order - 1) * far[1][0] > far[0][1] + (order - 1) * far[1][1] - 1:
            return math.inf
        return float(np.log(np.sum(weights * np.exp(log_p + (order - 1) * loss))) / (order - 1))


@cache
def poisson_worst(shape: Fraction, bound: int, rate: Fraction, records: int) -> Worst:
    sums = set()
    for shared, i, j in replaced(records, bound + 1):
        one, other = (sum(x * c for x, c in enumerate(plus(shared, cell))) for cell in (i, j))
        sums.add((one, other))
    worst, scale = Worst(), float(F(3, 2) + rate * records)
    for one, other in sums:
        laws = GammaLaws(float(shape + rate * one), float(shape + rate * other), scale)
        worst.see({e: laws.delta(e) for e in EPSILONS}, {order: laws.renyi(order) for order in ORDERS})
    return worst


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("bound", [1, 2, 3])
@pytest.mark.parametrize("shape", [F(4, 5), F(9, 2)], ids=str)
def test_poisson(shape: Fraction, bound: int, rate: Fraction) -> None:
    """Tight for every n: all records but one are zero."""
    pair = poisson_draw(shape, bound, rate)
    assert pair.pure is None
    for records in RECORDS:
        assert complaints(pair, poisson_worst(shape, bound, rate, records), tight=True) == []


def test_a_wrong_poisson_pair_is_noticed() -> None:
    worst = poisson_worst(F(4, 5), 2, F(1), 4)
    right = GammaShapePair(F(4, 5), F(2))
    wrong: list[DominatingPair] = [
        right,
        right.mirror,
        both_orders(GammaShapePair(F(4, 5), F(1))),
        both_orders(GammaShapePair(F(14, 5), F(2))),
        both_orders(GammaShapePair(F(4, 5) + F(1, 10**7), F(2))),
    ]
    assert complaints(both_orders(right), worst, tight=True) == []
    for pair in wrong:
        assert complaints(pair, worst, tight=True) != []


POINTS = (F(1, 10), F(3, 10), F(1, 2), F(17, 20))
PRIOR_WEIGHTS = (F(2), F(1), F(5), F(1, 3))


def finite_law(records: int, ones: int, rate: Fraction) -> Floats:
    points = np.array([float(p) for p in POINTS])
    likelihood = points ** float(rate * ones) * (1 - points) ** float(rate * (records - ones))
    weights = likelihood * np.array([float(w) for w in PRIOR_WEIGHTS])
    return np.asarray(weights / weights.sum())


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize("records", RECORDS)
def test_finite_family(records: int, rate: Fraction) -> None:
    """The largest loss is attained; both pairs are bounds on the curve."""
    worst = Worst()
    for shared, i, j in replaced(records, 2):
        worst.see_laws(*(finite_law(records, plus(shared, cell)[1], rate) for cell in (i, j)))
    _both(FiniteBernoulli(POINTS, PRIOR_WEIGHTS, records, rate), worst)


class TruncatedLaws:
    """Two Beta laws cut to the same range of the chance, by its log odds; log p/q is linear in them."""

    def __init__(
        self, low: float, high: float, first: tuple[float, float], second: tuple[float, float]
    ) -> None:
        self.edges = math.log(low / (1 - low)), math.log(high / (1 - high))
        self.laws, self.slope = (first, second), first[0] - second[0]
        assert abs(self.slope - second[1] + first[1]) < 1e-12
        u, weights = panels(np.linspace(self.edges[0], self.edges[1], 12))
        self.norms = tuple(float(np.sum(weights * self._density(law, u))) for law in self.laws)

    @staticmethod
    def _density(law: tuple[float, float], u: Floats) -> Floats:
        return np.asarray(np.exp(-law[0] * np.logaddexp(0, -u) - law[1] * np.logaddexp(0, u)))

    def probabilities(self, epsilon: float) -> tuple[Floats, Floats]:
        """Return those of a fine grid, one of whose panels ends where the loss is epsilon."""
        crossing = (epsilon + math.log(self.norms[0] / self.norms[1])) / self.slope
        breaks = np.linspace(self.edges[0], self.edges[1], 12)
        if self.edges[0] < crossing < self.edges[1]:
            breaks = np.sort(np.append(breaks, crossing))
        u, weights = panels(breaks)
        p, q = (weights * self._density(law, u) / n for law, n in zip(self.laws, self.norms, strict=True))
        return p, q

    @property
    def loss(self) -> float:
        """The largest, at one of the edges."""
        edges = np.array(self.edges)
        p, q = (self._density(law, edges) / n for law, n in zip(self.laws, self.norms, strict=True))
        return float(np.log(p / q).max())


@pytest.mark.parametrize("rate", RATES, ids=str)
@pytest.mark.parametrize(("low", "high", "a", "b"), [("0.2", "0.8", "1", "1"), ("0.05", "0.7", "0.5", "3")])
def test_truncated_bernoulli(low: str, high: str, a: str, b: str, rate: Fraction) -> None:
    """The largest loss is attained for every n; both pairs are bounds on the curve."""
    for records in RECORDS:
        worst = Worst()
        for shared, i, j in replaced(records, 2):
            sides = []
            for cell in (i, j):
                zeros, ones = plus(shared, cell)
                sides.append((float(F(a) + rate * ones), float(F(b) + rate * zeros)))
            laws = TruncatedLaws(float(F(low)), float(F(high)), sides[0], sides[1])
            for e in EPSILONS:
                worst.see_laws(*laws.probabilities(e), (e,))
            worst.loss = max(worst.loss, laws.loss)
        _both(TruncatedBernoulli(F(low), F(high), records, F(a), F(b), rate), worst)


def _both(family: TruncatedDraw, worst: Worst) -> None:
    assert complaints(family.pair, worst, tight=False, attained=True) == []
    assert complaints(family.bounded_range, worst, tight=False) == []
    assert complaints(SignedSteps(family.pure * F(999, 1000)), worst, tight=False) != []
