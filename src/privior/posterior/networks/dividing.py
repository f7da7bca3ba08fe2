"""How many of m records go one way, given draws of the chance: one division of records into two parts.

The chance has the prior Beta(a, b), so that c of m records go the first way with a Beta-binomial chance; the
released draws multiply that by their likelihood. Counts are put into bins, of one count each where there are
few; where there are many, a first look finds where the chance is, and bins of equal width cover that. The
likelihood is then that of a bin's middle.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privior.arrays import Floats, Integers
from privior.special import betaln, gammaln

#: bins of one division: counts below this many are exact
BINS = 160
#: counts whose log weight is so far below the largest do not matter
_DEPTH = 30.0

#: the log likelihood of numbers of records that go the first and the second way
Likelihood = Callable[[Floats, Floats], Floats]


def divided(
    records: Integers, prior: tuple[float, float], seen: Likelihood, rng: np.random.Generator
) -> tuple[Integers, Floats]:
    """Draw how many of each number of records go the first way; return also the log evidence of each number.

    Args:
        records: numbers m, one for each draw that is wanted
        prior: a and b
        seen: the log likelihood of c and m - c
        rng: of the draws
    """
    numbers, places = np.unique(records, return_inverse=True)
    m = numbers.astype(np.float64)[:, np.newaxis]

    def weights(c: Floats) -> Floats:
        ways = gammaln(m + 1) - gammaln(c + 1) - gammaln(m - c + 1)
        a, b = prior
        return np.asarray(ways + betaln(c + a, m - c + b) - betaln(a, b) + seen(c, m - c))

    low, high = np.zeros(numbers.size, np.int64), numbers.astype(np.int64)
    if high.max(initial=0) >= BINS:
        low, high = _where(weights, m)
    parts = np.arange(BINS + 1)
    edges = low[:, np.newaxis] + ((high - low + 1)[:, np.newaxis] * parts) // BINS
    width = np.diff(edges, axis=1)
    middle = np.minimum(edges[:, :-1] + np.maximum(width - 1, 0) / 2, m)
    with np.errstate(divide="ignore"):
        logs = weights(middle) + np.log(width)
    top = logs.max(axis=1, keepdims=True)
    below = np.cumsum(np.exp(logs - top), axis=1)
    evidence = top[:, 0] + np.log(below[:, -1])
    chosen = (rng.random((records.size, 1)) * below[places, -1:] >= below[places]).sum(axis=1)
    chosen = np.minimum(chosen, BINS - 1)
    inside = np.floor(rng.random(records.size) * width[places, chosen]).astype(np.int64)
    return edges[places, chosen] + inside, evidence[places]


def _where(weights: Callable[[Floats], Floats], m: Floats) -> tuple[Integers, Integers]:
    """Return between which counts the weight is, by a look at points that are dense at both ends."""
    shares = np.sin(np.linspace(0, np.pi / 2, BINS)) ** 2
    points = np.rint(m * shares)
    logs = weights(points)
    near = logs >= logs.max(axis=1, keepdims=True) - _DEPTH
    first, last = near.argmax(axis=1), BINS - 1 - near[:, ::-1].argmax(axis=1)
    each = np.arange(len(points))
    low, high = points[each, np.maximum(first - 1, 0)], points[each, np.minimum(last + 1, BINS - 1)]
    return low.astype(np.int64), high.astype(np.int64)
