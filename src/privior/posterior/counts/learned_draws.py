"""Draws of whole tables when the law of the cells' rates is learned: a law first, then each cell given it.

Cells are independent given the law, and only then: it is what they share that makes the total uncertain. Laws
are drawn by systematic sampling, at most a hundred for all tables together, and fewer for large tables, so
that their lists of counts are made once for many tables.
"""

from __future__ import annotations

import numpy as np

from privior.arrays import Integers
from privior.posterior.counts.learned_laws import LearnedRates, tiles

#: laws that are drawn, and the numbers that lists of their counts may take
_LAWS, _LISTED = 100, 50_000_000


def learned_draws(learned: LearnedRates, size: int, rng: np.random.Generator) -> Integers:
    """Return draws of the whole table, as (size, cells)."""
    widest = sum(likelihood.size for likelihood in learned.likelihoods)
    number = max(1, min(size, _LAWS, _LISTED // widest))
    spread = np.cumsum(learned.chances)
    points = (np.arange(number) + rng.random()) / number * spread[-1]
    chosen = np.minimum(np.searchsorted(spread, points, side="right"), spread.size - 1)
    distinct, place = np.unique(chosen, return_inverse=True)
    masses = [np.empty((likelihood.size, distinct.size)) for likelihood in learned.likelihoods]
    weights = learned.prior.weights[distinct].T
    for at, counts, binomials in tiles(learned.windows, learned.prior):
        masses[at][counts - learned.windows[at][0]] = binomials @ weights
    # The laws take turns; the order of tables is shuffled at the end.
    turns = place[np.arange(size) % number]
    tables = np.empty((size, learned.group.size), dtype=np.int64)
    for at, (likelihood, mass) in enumerate(zip(learned.likelihoods, masses, strict=True)):
        cells = np.flatnonzero(learned.group == at)
        upwards = np.cumsum((likelihood[:, None] * mass).T, axis=1)
        # All laws in one rising list: that of place t goes from t to t + 1.
        upwards /= upwards[:, -1:]
        upwards += np.arange(distinct.size)[:, None]
        wanted = np.minimum(
            rng.random((size, cells.size)) + turns[:, None], np.nextafter(turns + 1.0, 0)[:, None]
        )
        found = np.searchsorted(upwards.ravel(), wanted, side="right") - (turns * likelihood.size)[:, None]
        tables[:, cells] = learned.windows[at][0] + found
    return rng.permutation(tables)
