"""The probability of some of a column's values, where that of all values up to each is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

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
