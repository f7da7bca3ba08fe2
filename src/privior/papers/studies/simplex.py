"""Tables of counts as extreme as they can be, and the probability vectors nearest to given vectors."""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats, Integers


def projected(rows: Floats) -> Floats:
    """Return for each row the nearest vector of non-negative entries that sum to 1.

    It is max(y - t, 0) with the t that makes the sum 1, found among the sorted entries
    (Held, Wolfe, Crowder 1974).

    >>> projected(np.array([[0.5, 0.7], [2.0, 0.0]])).tolist()
    [[0.4, 0.6], [1.0, 0.0]]
    """
    falling = -np.sort(-rows, axis=1)
    excess = (np.cumsum(falling, axis=1) - 1) / np.arange(1, rows.shape[1] + 1)
    kept = (falling > excess).sum(axis=1)
    shift = excess[np.arange(len(rows)), kept - 1]
    return np.asarray(np.maximum(rows - shift[:, None], 0.0))


def table(levels: int, records: int, data: str) -> Integers:
    """Return the true counts: as even as can be, or all in the first level."""
    counts = np.zeros(levels, dtype=np.int64)
    if data == "even":
        counts += records // levels
        counts[: records % levels] += 1
    else:
        counts[0] = records
    return counts
