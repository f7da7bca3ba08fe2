"""Sticks: how a draw of cell probabilities is published.

Stick i of a draw is the part of what the cells before left over that goes to cell i, exactly rounded to a
public grid; the last cell gets what is left. So k cells take k-1 whole numbers.
"""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats
from privior.models import Observed

#: what the array is called in files
NAME = "draws"


def log_sticks(observed: Observed) -> tuple[Floats, Floats]:
    """Return the logs of x and of 1 - x for every stick x; at 0 and 1, of half a unit."""
    sticks, unit = observed.array(), 1 << observed.layouts[0].places
    taken = np.log(np.maximum(sticks, 0.5)) - np.log(unit)
    left = np.log(np.maximum(unit - sticks, 0.5)) - np.log(unit)
    near = np.log1p(-np.minimum(sticks / unit, 0.5))
    return taken, np.where(2 * sticks < unit, near, left)


def log_probabilities(observed: Observed) -> Floats:
    """Return the log of each cell's probability, as (draws, k).

    A stick that was rounded to 0 or 1 is taken as half a unit away from there, where the end of its
    interval lies.
    """
    taken, left = log_sticks(observed)
    none = np.zeros((len(taken), 1))
    passed = np.concatenate([none, np.cumsum(left, axis=1)], axis=1)
    return np.asarray(np.concatenate([taken, none], axis=1) + passed)


def probabilities(observed: Observed) -> Floats:
    """Return the cell probabilities of each draw, as (draws, k), computed from the rounded sticks."""
    sticks, unit = observed.array(), 1 << observed.layouts[0].places
    ones = np.ones((len(sticks), 1))
    passed = np.cumprod(np.concatenate([ones, (unit - sticks) / unit], axis=1), axis=1)
    return np.asarray(np.concatenate([sticks / unit, ones], axis=1) * passed)
