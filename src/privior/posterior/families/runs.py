"""Probabilities and quantiles of a column's values, where the probability of all up to each is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Integers
from privior.posterior.numbers import Floats


def chance_of(wanted: NDArray[np.bool_], below: Callable[[int], Floats]) -> Floats:
    """Return the probability that a record has one of the wanted codes: runs of neighbours, added up.

    Args:
        wanted: which codes
        below: the probability of a code and all before it, one for each of many parameters
    """
    edges = np.flatnonzero(np.diff(np.concatenate([[False], wanted, [False]]).astype(np.int8)))
    found = [
        below(int(after) - 1) - below(int(first) - 1)
        for first, after in zip(edges[::2], edges[1::2], strict=True)
    ]
    return np.asarray(sum(found))


def codes_reached(
    share: float, number: int, size: int, below: Callable[[NDArray[np.intp], int], Floats]
) -> Integers:
    """Return for each of many parameters the least code up to which at least this share lies: bisection.

    Args:
        share: between 0 and 1
        number: how many parameters there are
        size: how many codes
        below: the probability of a code and all before it, for some of the parameters by their places
    """
    found = np.empty(number, dtype=np.int64)
    left = [(np.arange(number), 0, size - 1)]
    while left:
        places, low, high = left.pop()
        if low == high:
            found[places] = low
            continue
        middle = (low + high) // 2
        reached = below(places, middle) >= share
        halves = (places[reached], low, middle), (places[~reached], middle + 1, high)
        left += [half for half in halves if half[0].size]
    return found
