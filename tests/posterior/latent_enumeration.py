"""The posterior of a table by listing every table: slow, plain, and independent of the code it judges."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq
from scipy.special import betainc, gammaln

from privior.posterior.counts.evidence import CellEvidence, Total


@dataclass(frozen=True)
class Case:
    """What inference is given."""

    evidence: tuple[CellEvidence, ...]
    prior: NDArray[np.float64]
    total: Total


@dataclass(frozen=True)
class Enumeration:
    """Every table and its posterior probability."""

    case: Case
    tables: NDArray[np.int64]
    weights: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        return np.asarray(self.weights @ self.tables)

    @property
    def stddev(self) -> NDArray[np.float64]:
        return np.sqrt(self.weights @ (self.tables - self.mean) ** 2)

    def marginal(self, cell: int) -> NDArray[np.float64]:
        return np.asarray(
            np.bincount(self.tables[:, cell], self.weights, self.case.total.most + 1), np.float64
        )

    def totals(self) -> NDArray[np.float64]:
        return self._law(self.tables.sum(axis=1))

    def _law(self, counts: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(np.bincount(counts, self.weights, self.case.total.most + 1), np.float64)

    def theta_quantile(self, cell: int, tail: float) -> float:
        a, size = self.case.prior[cell], self.case.prior.sum() + self.case.total.most
        counts, law = np.arange(self.case.total.most + 1), self.marginal(cell)

        def excess(logit: float) -> float:
            x = 1 / (1 + math.exp(-logit))
            return float(law @ betainc(a + counts, size - a - counts, x)) - tail

        if excess(-700.0) >= 0:
            return 0.0
        if excess(36.0) <= 0:
            return 1.0
        return float(1 / (1 + math.exp(-brentq(excess, -700.0, 36.0, xtol=1e-13, rtol=1e-14))))


def enumerate_tables(case: Case) -> Enumeration:
    cells, most = case.prior.size, case.total.most
    every = itertools.product(range(most + 1), repeat=cells)
    tables = np.array([t for t in every if sum(t) == most or (not case.total.known and sum(t) < most)])
    a, n = case.prior, tables.sum(axis=1)
    logs = gammaln(n + 1) - gammaln(n + a.sum()) + np.sum(gammaln(tables + a) - gammaln(tables + 1), axis=1)
    for release in case.evidence:
        away = release.observed - tables
        logs = logs - np.sum(release.rates * np.abs(away) + release.curvatures * away**2 / 2, axis=1)
    weights = np.exp(logs - logs.max())
    return Enumeration(case, tables, weights / weights.sum())


def release(
    observed: Sequence[int], rates: Sequence[float] | float = 0.0, curvatures: Sequence[float] | float = 0.0
) -> CellEvidence:
    size = len(observed)
    return CellEvidence(
        np.array(observed, dtype=np.int64),
        np.broadcast_to(np.array(rates, dtype=np.float64), size),
        np.broadcast_to(np.array(curvatures, dtype=np.float64), size),
    )


def case(evidence: Sequence[CellEvidence], prior: Sequence[float], most: int, *, known: bool = True) -> Case:
    return Case(tuple(evidence), np.array(prior, dtype=np.float64), Total(most, known))


#: small tables, each with something that could go wrong
CASES = {
    "k-norm": case([release([5, 3], 0.5)], [1, 1], 8),
    "weak prior": case([release([6, -1, 3], 0.3)], [0.01, 0.01, 0.01], 8),
    "strong prior": case([release([8, 0, 0], 1.0)], [50, 20, 5], 8),
    "gaussian": case([release([4, 2, 1, 3], curvatures=0.2)], [0.5, 2, 0.01, 9], 8),
    "spike and bump": case([release([5, 5, 1], curvatures=[0.3, 0.05, 2])], [0.01, 0.02, 3], 8),
    "mixed": case([release([4, 9, 1], [0.4, 0, 2], [0, 0.1, 0])], [0.5, 0.5, 4], 7),
    "unreleased": case([release([3, 0, 2, 0], [0.5, 0, 0.5, 0])], [0.3, 0.7, 1, 2], 7),
    "nothing released": case([], [0.2, 1.5, 30], 8),
    "two releases": case([release([2, 3, 5], 0.7), release([0, 7, 1], 0.2, 0.1)], [1, 0.1, 10], 8),
    "far outside": case([release([-40, 90, 3], 1.5)], [1, 2, 3], 8),
    "far outside, gaussian": case([release([-40, 90, 33], curvatures=0.5)], [1, 0.2, 3], 8),
    "all too high": case([release([900, 800, 1000], 2.0)], [0.1, 2, 3], 8),
    "no records": case([release([3, 2], 0.5)], [1, 0.1], 0),
    "one record": case([release([3, 2, 0], 0.5)], [1, 0.1, 3], 1),
    "one cell": case([release([3], 0.5)], [0.7], 6),
    "unknown": case([release([2, 1, 3], 0.4)], [0.5, 1, 2], 8, known=False),
    "unknown, weak prior": case([release([2, -1, 3], 0.4)], [0.01, 0.02, 0.3], 8, known=False),
    "unknown, strong prior": case([release([2, 6, 3], 0.6)], [50, 10, 3], 8, known=False),
    "unknown, nothing released": case([], [50, 10, 3], 8, known=False),
    "unknown, too high": case([release([70, 60], 1.0)], [1, 2], 8, known=False),
    "unknown, negative": case([release([-70, -60, 1], 1.0)], [1, 2, 0.1], 7, known=False),
    "unknown, gaussian": case(
        [release([3, 1, 1, 0], curvatures=[1, 0.1, 0, 0.5])], [1, 2, 0.1, 5], 6, known=False
    ),
    "unknown, one cell": case([release([3], 0.4)], [0.7], 8, known=False),
    "unknown, one cell, two releases": case([release([3], 0.4), release([9], 0.0, 0.3)], [7], 8, known=False),
}
