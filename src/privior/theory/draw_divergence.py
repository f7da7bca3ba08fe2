"""How far the posterior that one may draw from is from the one that one would like to draw from.

P = Dirichlet(X + a), the posterior under the prior that is meant, and Q = Dirichlet(X + b), the one under a
larger prior, for privacy. Their Kullback-Leibler divergence is sum_i g(X_i; a_i, b_i) - g(N; a_0, b_0) with
g(x; a, b) = lnG(x+b) - lnG(x+a) - (b-a) psi(x+a), a_0 and b_0 the sums: each count enters by itself, so an
expectation over multinomial counts is a sum over single counts, exact up to the rounding of floats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privior.arrays import Floats
from privior.checks import above_zero, whole_number
from privior.errors import NumberError
from privior.special import gammaln, psi


def divergence(counts: Sequence[int], prior: Sequence[object], other: Sequence[object]) -> float:
    """Return KL(Dirichlet(counts + prior), Dirichlet(counts + other)).

    >>> round(divergence([0, 0], [1, 1], [2, 2]), 6)  # ln B(2, 2) - ln B(1, 1) + 2 = 2 - ln 6
    0.208241
    """
    a, b = read_priors(prior, other)
    x = np.array([whole_number(count, "counts", 0) for count in counts], dtype=np.float64)
    if x.size != a.size:
        raise NumberError("one count per level is needed", asked=f"{x.size} counts, {a.size} levels")
    return max(0.0, float(gap(x, a, b).sum() - gap(x.sum(), a.sum(), b.sum())))


def read_priors(prior: Sequence[object], other: Sequence[object]) -> tuple[Floats, Floats]:
    """Read the parameters of two priors for the same levels."""
    a, b = (np.array([float(above_zero(cell, "prior")) for cell in cells]) for cells in (prior, other))
    if a.size != b.size or a.size == 0:
        raise NumberError("both priors need one parameter per level", asked=f"{a.size} and {b.size}")
    return a, b


def gap(x: Floats | np.float64, low: Floats | np.float64, high: Floats | np.float64) -> Floats:
    """Return g(x; a, b), what one count adds to the divergence."""
    return np.asarray(gammaln(x + high) - gammaln(x + low) - (high - low) * psi(x + low))
