"""Counts of a class and its features as flat arrays, as compiled loops read them, and what a count weighs."""

from __future__ import annotations

import math
from typing import NamedTuple

from numba import njit

from privior.arrays import Floats, Integers
from privior.posterior.networks.joint_numbers import remainder


class Star(NamedTuple):
    """Where cells are.

    Attributes:
        root: the cell of the first class
        classes: how many there are
        first: of each feature the first cell; its rows, one for each class, follow each other
        levels: of each feature
        cells: those that shifts may start from: of features with several levels
        of: the feature of each of these
        reach: of shifts of each feature, 4σ + 2
        at_once: records that are born or die at once, at most
    """

    root: int
    classes: int
    first: Integers
    levels: Integers
    cells: Integers
    of: Integers
    reach: Floats
    at_once: int


class StarTables(NamedTuple):
    """Tables: first cell, rows, levels, whether the prior is learned, and where its shares are."""

    first: Integers
    rows: Integers
    levels: Integers
    learned: Integers
    weight: Integers


class StarState(NamedTuple):
    """What a chain changes: counts, Dirichlet parameters and weights of all cells, κ and b of each table.

    `alone` is 1 at the first cell of each row that does not resemble the others.
    """

    counts: Integers
    prior: Floats
    weights: Floats
    kappa: Floats
    shares: Floats
    alone: Integers


class Room(NamedTuple):
    """Room for what births and deaths change, so that nothing is allocated in a loop."""

    before: Integers
    up: Floats
    down: Floats


@njit(cache=True, nogil=True)
def stretch(x: float, d: float) -> float:
    """Return log Γ(x+d) - log Γ(x) where both are at least 15 or so, whatever d is."""
    y = x + d
    return float((x - 0.5) * math.log1p(d / x) + d * (math.log(y) - 1) + remainder(y) - remainder(x))


@njit(cache=True, nogil=True)
def weight(count: int, prior: float) -> float:
    """Return log Γ(count + prior) - log Γ(count + 1)."""
    if count >= 16:
        return float(stretch(count + 1.0, prior - 1.0))
    above, below = 1.0, 1.0
    for k in range(count, 16):
        above *= k + prior
        below *= k + 1.0
    return float(stretch(17.0, prior - 1.0) - math.log(above / below))


@njit(cache=True, nogil=True)
def weigh_cells(state: StarState, start: int, end: int) -> None:
    """Write down the weight of the counts of some cells."""
    for p in range(start, end):
        state.weights[p] = weight(state.counts[p], state.prior[p])
