"""The divergences of two Dirichlet laws of two or three cells, by summing their densities on a grid.

The coordinates are the log odds of the sticks, in which the densities are smooth and fall off exponentially:
the trapezoid rule is exact but for the edge of the set where one density exceeds e^epsilon times the other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaln, gammaln

Floats = NDArray[np.float64]
#: how far a divergence found here may be off, as a part of it
SURE = 2e-3
_STEP = {2: 0.002, 3: 0.12}


def _stick(a: float, b: float, odds: Floats) -> Floats:
    return np.asarray(a * odds - (a + b) * np.logaddexp(0, odds) - betaln(a, b))


def log_law(u: Sequence[float], odds: Floats) -> Floats:
    """The log density of Dirichlet(u) on the grid of log odds of the sticks."""
    first = _stick(u[0], math.fsum(u[1:]), odds)
    return first if len(u) == 2 else first[:, None] + _stick(u[1], u[2], odds)[None, :]


def deltas(u: Sequence[float], v: Sequence[float], epsilons: Sequence[float]) -> list[float]:
    """The hockey-stick divergences of Dirichlet(u) from Dirichlet(v)."""
    step = _STEP[len(u)]
    far = 30 / min(*u, *v) + 10
    odds = np.arange(-far, far, step)
    p, q = (np.exp(log_law(one, odds)) * step ** (len(u) - 1) for one in (u, v))
    assert abs(p.sum() - 1) < 1e-9
    return [float(np.maximum(0, p - math.exp(e) * q).sum()) for e in epsilons]


def renyi(u: Sequence[float], v: Sequence[float], order: float) -> float:
    """The Renyi divergence, from the normalisers alone."""
    one, other = np.array(u), np.array(v)
    mixed = order * one + (1 - order) * other
    if (mixed <= 0).any():
        return math.inf

    def log_beta(w: Floats) -> float:
        return float(gammaln(w).sum() - gammaln(w.sum()))

    return (log_beta(mixed) - order * log_beta(one) - (1 - order) * log_beta(other)) / (order - 1)
