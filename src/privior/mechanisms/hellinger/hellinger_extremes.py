"""Tables that stand for all: the most even one and a typical one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privior.arrays import Floats, Integers

#: a gain of less than this share is not sought
_CLOSE = 1e-3


def largest_over_tables(values: Callable[[Integers], Floats], alpha: Floats, records: int) -> float:
    """Return about the largest value of a concave function of a table that favours no cell but by its prior.

    It is that of the most even posterior if all prior parameters are equal; else records are moved from
    there, many and then few at a time, while that helps. It decides how long draws may take, and no
    guarantee.
    """
    table = _even(alpha, records)
    best = float(values(table[None, :])[0])
    if np.ptp(alpha) == 0:
        return best
    unit = np.eye(alpha.size, dtype=np.int64)
    moves = (unit[:, None, :] - unit[None, :, :]).reshape(-1, alpha.size)
    step = max(1, records // 4)
    while True:
        near = table + step * moves
        near = near[near.min(axis=1) >= 0]
        found = values(near)
        if found.max() > best * (1 + _CLOSE):
            table, best = near[found.argmax()], float(found.max())
        elif step == 1:
            return best
        else:
            step = max(1, step // 8)


def _even(alpha: Floats, records: int) -> Integers:
    """Return the table whose posterior parameters are most alike."""
    low, high = float(alpha.min()), float(alpha.max()) + records
    for _ in range(100):
        level = (low + high) / 2
        low, high = (low, level) if np.maximum(level - alpha, 0).sum() > records else (level, high)
    return _rounded(np.maximum(low - alpha, 0), records)


def typical_table(alpha: Floats, records: int) -> Integers:
    """Return the table that the prior expects, rounded."""
    return _rounded(records * alpha / alpha.sum(), records)


def _rounded(shares: Floats, records: int) -> Integers:
    table = np.floor(shares).astype(np.int64)
    missing = records - int(table.sum())
    table[np.argsort(table - shares, kind="stable")[:missing]] += 1
    return table
