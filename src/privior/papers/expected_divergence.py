"""How far the posterior under a larger prior is from the one that is meant, on average over synthetic data.

The divergence of `privior.theory.draw_divergence` is a sum over single counts, so its expectation is a sum
over their laws: binomial for given shares, beta-binomial for shares that are Dirichlet themselves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privior.arrays import Floats
from privior.checks import above_zero, whole_number
from privior.errors import NumberError, shown
from privior.special import betaln, gammaln, xlog1py, xlogy
from privior.theory.draw_divergence import gap, read_priors

#: a sum over this many counts takes a second
MOST_RECORDS = 10**7


def expected_divergence(
    shares: Sequence[object], records: int, prior: Sequence[object], other: Sequence[object]
) -> float:
    """Return the expectation over X ~ Multinomial(records, shares): every count is binomial."""
    a, b = read_priors(prior, other)
    p = [above_zero(share, "shares") for share in shares]
    if len(p) != a.size or sum(p) != 1:
        raise NumberError("one share per level is needed, of sum 1", asked=shown(shares))
    n = whole_number(records, "records", 1, MOST_RECORDS)
    gaps = (
        float(_binomial(n, float(share)) @ gap(np.arange(n + 1.0), low, high))
        for share, low, high in zip(p, a, b, strict=True)
    )
    return max(0.0, sum(gaps) - float(gap(np.float64(n), a.sum(), b.sum())))


def expected_divergence_over_shares(
    levels: int, evenness: object, records: int, prior: object, other: object
) -> float:
    """Return the expectation over counts whose shares are Dirichlet(evenness, ..., evenness) themselves.

    Every count is then beta-binomial; the same prior parameters at every level.
    """
    k, n = whole_number(levels, "levels", 2), whole_number(records, "records", 1, MOST_RECORDS)
    eta = float(above_zero(evenness, "evenness"))
    a, b = read_priors([prior], [other])
    law = _beta_binomial(n, eta, (k - 1) * eta)
    per_level = float(law @ gap(np.arange(n + 1.0), a[0], b[0]))
    return max(0.0, k * per_level - float(gap(np.float64(n), k * a[0], k * b[0])))


def _binomial(records: int, share: float) -> Floats:
    x = np.arange(records + 1.0)
    ways = gammaln(records + 1) - gammaln(x + 1) - gammaln(records - x + 1)
    return _normalised(ways + xlogy(x, share) + xlog1py(records - x, -share))


def _beta_binomial(records: int, first: float, second: float) -> Floats:
    x = np.arange(records + 1.0)
    ways = -gammaln(x + 1) - gammaln(records - x + 1)
    return _normalised(ways + betaln(x + first, records - x + second))


def _normalised(logs: Floats) -> Floats:
    law = np.exp(logs - logs.max())
    return np.asarray(law / law.sum())
