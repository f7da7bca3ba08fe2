"""Normalisers of exponential mechanisms with two cells and many records: sums at some tables only.

ln Z(x), Z(x) the sum of e^(-t(x) H(x, r)) over all r, is smooth in x but for the ends and for bends of t(x).
An interval of tables is cut in half until a polynomial through nine of them meets the sums halfway between
them to 1e-9; short intervals are summed table by table. For inference, not for guarantees or draws.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from privior.arrays import Floats

#: the error that is allowed where it is checked
CLOSE = 1e-9
#: intervals of at most so many tables are summed one by one
_SHORT = 64
_DEGREE = 8


def interpolated(value: Callable[[int], float], most: int) -> Floats:
    """Return the value at 0, 1, ..., most, from as few evaluations as its bends allow."""
    known: dict[int, float] = {}

    def at(place: int) -> float:
        if place not in known:
            known[place] = value(place)
        return known[place]

    found = np.empty(most + 1)
    waiting = [(0, most)]
    while waiting:
        first, last = waiting.pop()
        if last - first < _SHORT:
            found[first : last + 1] = [at(place) for place in range(first, last + 1)]
            continue
        shares = (1 - np.cos(np.pi * np.arange(_DEGREE + 1) / _DEGREE)) / 2
        nodes = np.round(first + shares * (last - first)).astype(np.int64)
        curve = np.polynomial.Chebyshev.fit(nodes, [at(node) for node in nodes.tolist()], _DEGREE)
        checks = ((nodes[1:] + nodes[:-1]) // 2).tolist()  # none of them a node
        if all(abs(float(curve(check)) - at(check)) <= CLOSE for check in checks):
            found[first : last + 1] = curve(np.arange(first, last + 1))
        else:
            middle = (first + last) // 2
            waiting += [(first, middle), (middle + 1, last)]
    for place, exact in known.items():
        found[place] = exact
    return found
