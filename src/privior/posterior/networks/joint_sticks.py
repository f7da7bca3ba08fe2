"""What released draws of tables say of a move's counts, compiled: stick by stick, as `DrawnSticks` has them.

The stick of a cell tells how the records of its row that are not in an earlier cell are divided: c of them
are in the cell and d in later ones. A move changes few cells of a row, and so the c or the d of few sticks:
only their likelihoods are compared.

This module is imported only when a chain is run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit

from privior.arrays import Floats, Integers

#: how far the logarithm of what is integrated over a box is followed, and by how many points
_DEPTH, _NODES = 26.0, 40
_POINTS, _WEIGHTS = np.polynomial.legendre.leggauss(_NODES)


class Sticks(NamedTuple):
    """What is known of each stick, at the place of its cell: a row for each release of draws.

    `boxes` has the integrals over a box for all c and d, where records are few; `boxed` says which of these
    tables is that of a stick, -1 if none.
    """

    first: Floats
    second: Floats
    taken: Floats
    left: Floats
    zeros: Floats
    ones: Floats
    rates: Floats
    draws: Floats
    smallest: Floats
    boxed: Integers
    boxes: Floats


@njit(cache=True, nogil=True)
def box(a: float, b: float, smallest: float) -> float:
    """Return what `log_box` returns, to nine digits for boxes from 0.05 on, to 0.005 from 1e-6 on."""
    end = math.log((1 - smallest) / smallest)
    peak = min(max(math.log(a / b), -end), end)
    share = 1 / (1 + math.exp(-peak))
    slope, bend = abs(a - (a + b) * share), (a + b) * share * (1 - share)
    reach = 1.4 * math.sqrt(2 * _DEPTH / bend) + 2 * _DEPTH / min(a, b)
    if slope * reach > _DEPTH:
        reach = _DEPTH / slope
    if -end < peak - reach and peak + reach < end:
        return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)  # nothing is cut off
    low, high = max(peak - reach, -end), min(peak + reach, end)
    half, centre, total = (high - low) / 2, (low + high) / 2, 0.0
    top = a * peak - (a + b) * (max(peak, 0.0) + math.log1p(math.exp(-abs(peak))))
    for k in range(_NODES):
        t = centre + half * _POINTS[k]
        height = a * t - (a + b) * (max(t, 0.0) + math.log1p(math.exp(-abs(t))))
        total += _WEIGHTS[k] * math.exp(height - top)
    return top + math.log(total * half)


@njit(cache=True, nogil=True)
def box_table(first: float, second: float, rate: float, smallest: float, most: int) -> Floats:
    """Return the integrals for all c and d that are `most` together, or fewer."""
    found = np.zeros((most + 1, most + 1))
    for c in range(most + 1):
        for d in range(most + 1 - c):
            found[c, d] = box(first + rate * c, second + rate * d, smallest)
    return found


@njit(cache=True, nogil=True)
def stick(sticks: Sticks, place: int, c: int, d: int) -> float:
    """Return the log likelihood of a stick's draws if c records are in its cell and d in later ones."""
    found = 0.0
    for k in range(sticks.rates.size):
        if sticks.first[k, place] == 0:
            continue  # of this table there are no draws
        a = sticks.first[k, place] + sticks.rates[k] * c
        b = sticks.second[k, place] + sticks.rates[k] * d
        found += a * sticks.taken[k, place] + b * sticks.left[k, place]
        if sticks.smallest[k] > 0:
            table = sticks.boxed[k, place]
            inside = sticks.boxes[table, c, d] if table >= 0 else box(a, b, sticks.smallest[k])
            found -= sticks.draws[k] * inside
            continue
        found -= sticks.draws[k] * (math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))
        if sticks.zeros[k, place] > 0:
            found -= sticks.zeros[k, place] * math.log(a)
        if sticks.ones[k, place] > 0:
            found -= sticks.ones[k, place] * math.log(b)
    return found


@njit(cache=True, nogil=True)
def row_gain(
    sticks: Sticks, row: int, levels: int, counts: Integers, less: int, more: int, step: int
) -> float:
    """Return how the log likelihood of a row's draws changes if records go from a place to another.

    Args:
        sticks: what is known of them
        row: the place of the row's first cell
        levels: how many cells the row has
        counts: of all places, before the move
        less: the place that loses records, or any that is not in the row
        more: the place that gets them, likewise
        step: how many
    """
    gain, last = 0.0, row + levels - 1
    old = new = counts[last]
    new += step * (int(more == last) - int(less == last))
    for place in range(last - 1, row - 1, -1):
        was = counts[place]
        now = was + step * (int(more == place) - int(less == place))
        if was != now or old != new:
            gain += stick(sticks, place, now, new) - stick(sticks, place, was, old)
        old += was
        new += now
    return gain


@njit(cache=True, nogil=True)
def table_gain(
    sticks: Sticks, table: int, levels: int, counts: Integers, less: int, more: int, step: int
) -> float:
    """Return the same for two cells of a table, whose first cell is at `table`: in one row or in two."""
    old, new = less - (less - table) % levels, more - (more - table) % levels
    gain = row_gain(sticks, old, levels, counts, less, more, step)
    if new != old:
        gain += row_gain(sticks, new, levels, counts, less, more, step)
    return float(gain)


@njit(cache=True, nogil=True)
def table_fit(sticks: Sticks, table: int, rows: int, levels: int, counts: Integers) -> float:
    """Return the log likelihood of all draws of a table, whose first cell is at `table`."""
    found = 0.0
    for row in range(table, table + rows * levels, levels):
        rest = counts[row + levels - 1]
        for place in range(row + levels - 2, row - 1, -1):
            found += stick(sticks, place, counts[place], rest)
            rest += counts[place]
    return found
