"""How far the posterior that one may draw from is from the one that one would like to draw from.

P = Dirichlet(X + a), the posterior under the prior that is meant, and Q = Dirichlet(X + b), the one under a
larger prior, for privacy. Their Kullback-Leibler divergence is sum_i g(X_i; a_i, b_i) - g(N; a_0, b_0) with
g(x; a, b) = lnG(x+b) - lnG(x+a) - (b-a) psi(x+a), a_0 and b_0 the sums: each count enters by itself, so an
expectation over multinomial counts is a sum over single counts, exact up to the rounding of floats.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privior.errors import NumberError, shown
from privior.privacy.published.readings import above, many

Floats = NDArray[np.float64]

#: a sum over this many counts takes a second
MOST_RECORDS = 10**7


def divergence(counts: Sequence[int], prior: Sequence[object], other: Sequence[object]) -> float:
    """Return KL(Dirichlet(counts + prior), Dirichlet(counts + other)).

    >>> round(divergence([0, 0], [1, 1], [2, 2]), 6)  # ln B(2, 2) - ln B(1, 1) + 2 = 2 - ln 6
    0.208241
    """
    a, b = _priors(prior, other)
    x = np.array([many(count, "counts", 0) for count in counts], dtype=np.float64)
    if x.size != a.size:
        raise NumberError("one count per level is needed", asked=f"{x.size} counts, {a.size} levels")
    return max(0.0, float(_gap(x, a, b).sum() - _gap(x.sum(), a.sum(), b.sum())))


def expected_divergence(
    shares: Sequence[object], records: int, prior: Sequence[object], other: Sequence[object]
) -> float:
    """Return the expectation over X ~ Multinomial(records, shares): every count is binomial."""
    a, b = _priors(prior, other)
    p = [above(share, "shares") for share in shares]
    if len(p) != a.size or sum(p) != 1:
        raise NumberError("one share per level is needed, of sum 1", asked=shown(shares))
    n = _records(records)
    gaps = (
        float(_binomial(n, float(share)) @ _gap(np.arange(n + 1.0), low, high))
        for share, low, high in zip(p, a, b, strict=True)
    )
    return max(0.0, sum(gaps) - float(_gap(np.float64(n), a.sum(), b.sum())))


def expected_divergence_over_shares(
    levels: int, evenness: object, records: int, prior: object, other: object
) -> float:
    """Return the expectation over counts whose shares are Dirichlet(evenness, ..., evenness) themselves.

    Every count is then beta-binomial; the same prior parameters at every level.
    """
    k, n, eta = many(levels, "levels", 2), _records(records), float(above(evenness, "evenness"))
    a, b = _priors([prior], [other])
    law = _beta_binomial(n, eta, (k - 1) * eta)
    per_level = float(law @ _gap(np.arange(n + 1.0), a[0], b[0]))
    return max(0.0, k * per_level - float(_gap(np.float64(n), k * a[0], k * b[0])))


def _priors(prior: Sequence[object], other: Sequence[object]) -> tuple[Floats, Floats]:
    a, b = (np.array([float(above(cell, "prior")) for cell in cells]) for cells in (prior, other))
    if a.size != b.size or a.size == 0:
        raise NumberError("both priors need one parameter per level", asked=f"{a.size} and {b.size}")
    return a, b


def _records(records: int) -> int:
    n = many(records, "records")
    if n > MOST_RECORDS:
        raise NumberError("records is out of range", asked=n, allowed=f"1 to {MOST_RECORDS}")
    return n


def _gap(x: Floats | np.float64, low: Floats | np.float64, high: Floats | np.float64) -> Floats:
    from scipy.special import gammaln, psi

    return np.asarray(gammaln(x + high) - gammaln(x + low) - (high - low) * psi(x + low))


def _binomial(records: int, share: float) -> Floats:
    from scipy.special import gammaln, xlog1py, xlogy

    x = np.arange(records + 1.0)
    ways = gammaln(records + 1) - gammaln(x + 1) - gammaln(records - x + 1)
    return _normalised(ways + xlogy(x, share) + xlog1py(records - x, -share))


def _beta_binomial(records: int, first: float, second: float) -> Floats:
    from scipy.special import betaln, gammaln

    x = np.arange(records + 1.0)
    ways = -gammaln(x + 1) - gammaln(records - x + 1)
    return _normalised(ways + betaln(x + first, records - x + second))


def _normalised(logs: Floats) -> Floats:
    law = np.exp(logs - logs.max())
    return np.asarray(law / law.sum())
