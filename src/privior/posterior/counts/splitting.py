"""Splitting many sums of two integers, compiled; imported only where there are very many.

Given a sum t, its first part has weights F(s) G(t−s). Propose s from F, accept with G(t−s) / max G: where
both laws are centred, about every second proposal is taken. After some in vain, as in the tails, the
weights are added up instead. Either way the draw is exact.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers

_PROPOSALS = 40


def _split(
    first: Floats,
    spread: Floats,
    second: Floats,
    sums: Integers,
    rng: np.random.Generator,
    parts: Integers,
) -> None:
    """Write into `parts` a first part of each sum; all indices count from the ends of the laws."""
    top = second.max()
    for draw in range(sums.size):
        t = sums[draw]
        part = -1
        for _ in range(_PROPOSALS):
            s = int(np.searchsorted(spread, rng.random(), side="right"))
            if 0 <= t - s < second.size and rng.random() * top < second[t - s]:
                part = s
                break
        if part < 0:
            low, high = max(0, t - second.size + 1), min(first.size - 1, t)
            whole = 0.0
            for s in range(low, high + 1):
                whole += first[s] * second[t - s]
            goal = rng.random() * whole
            for s in range(low, high + 1):
                weight = first[s] * second[t - s]
                if weight > 0:
                    part = s
                    goal -= weight
                    if goal < 0:
                        break
        parts[draw] = part


split = njit(cache=True, nogil=True)(_split)
