"""Draws of all tables of a small network, by enumeration: every data set, every neighbour, the exact loss.

Nothing here knows a pair or a closed form. A table's draw is Dirichlet row by row; the logarithm of the ratio
of two neighbours' densities is a function of one chance or of two independent ones, whose densities are put
on a grid and normalised by their sums. Losses of independent tables are added by convolution, rounded down to
a grid, so that what is found is never above the truth.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.signal import fftconvolve

Floats = NDArray[np.float64]
Record = tuple[int, ...]
#: a slope, whether it is that of log odds, and the two parameters of a Beta law
_Part = tuple[float, bool, float, float]
#: a grid of log odds, and one of losses
_T = np.linspace(-60, 60, 6001)
_GAP, _REACH = 0.004, 24.0
_BINS = 2 * round(_REACH / _GAP) + 1


@dataclass(frozen=True)
class Small:
    """A network: the parents of each node by place, levels of each, and prior parameters row by row."""

    parents: tuple[tuple[int, ...], ...]
    levels: tuple[int, ...]
    prior: tuple[tuple[float, ...], ...]

    @property
    def records(self) -> list[Record]:
        return list(itertools.product(*map(range, self.levels)))

    def place(self, node: int, record: Record) -> tuple[int, int]:
        """Return row and level of a record in a node's table."""
        row = 0
        for parent in self.parents[node]:
            row = row * self.levels[parent] + record[parent]
        return row, record[node]

    def weights(self, node: int, rate: float, records: Sequence[Record]) -> Floats:
        """Return prior + rate * counts, (rows, levels)."""
        found = np.array(self.prior[node]).reshape(-1, self.levels[node])
        for record in records:
            found[self.place(node, record)] += rate
        return found


@cache
def _losses(part: _Part) -> Floats:
    """Return the chances of slope * log y (or log odds of y), y ~ Beta(first, second), on the grid of losses.

    What is added to it makes the loss a log density ratio: E[exp(-loss)] = 1.
    """
    slope, on_log_odds, first, second = part
    low, high = -np.logaddexp(0, -_T), -np.logaddexp(0, _T)
    logs = first * low + second * high
    mass = np.exp(logs - logs.max())
    mass /= mass.sum()
    loss = slope * (_T if on_log_odds else low)
    return _on_grid(mass, loss + math.log(float((mass * np.exp(-loss)).sum())))


def _on_grid(mass: Floats, loss: Floats) -> Floats:
    places = np.floor((loss + _REACH) / _GAP).astype(np.int64).clip(0, _BINS - 1)
    return np.asarray(np.bincount(places, mass, _BINS), dtype=np.float64)


@lru_cache(maxsize=256)
def _together(parts: tuple[_Part, ...]) -> Floats:
    found = _losses(parts[0])
    for part in parts[1:]:
        whole = np.maximum(fftconvolve(found, _losses(part)), 0)
        start = round(_REACH / _GAP)
        found = whole[start : start + _BINS].copy()
        found[0] += whole[:start].sum()
        found[-1] += whole[start + _BINS :].sum()
    return found


def _table(old: Floats, moved: Sequence[tuple[int, tuple[int, int]]], rate: float) -> list[_Part]:
    """Return the independent parts of one table's loss under P: `old` are P's parameters.

    `moved` are the places of a count that P has and Q has not (+1), and of one that Q has and P has not (-1).
    """
    if len(moved) == 2 and moved[0][1][0] == moved[1][1][0]:
        (_, one), (_, other) = moved
        return [(rate, True, float(old[one]), float(old[other]))]
    return [(sign * rate, False, float(old[at]), float(old[at[0]].sum() - old[at])) for sign, at in moved]


def neighbours(
    network: Small, records: int, *, replacing: bool
) -> Iterator[tuple[list[Record], Record | None, Record]]:
    """Yield what both have in common, the record of Q (None: it has none), and that of P."""
    every = network.records
    for common in itertools.combinations_with_replacement(every, records - 1):
        for one in every:
            if not replacing:
                yield list(common), None, one
            for other in every if replacing else ():
                if other != one:
                    yield list(common), other, one


def _parts(
    network: Small,
    rate: float,
    draws: int,
    common: list[Record],
    other: Record | None,
    own: Record,
    *,
    less: bool,
) -> tuple[_Part, ...]:
    """Return the independent parts of the loss of all draws, in order: the law is that of their sum.

    P has `own` (or, if `less`, has it not).
    """
    parts = []
    for node in range(len(network.parents)):
        at = network.place(node, own)
        if other is not None:
            gone = network.place(node, other)
            if gone == at:
                continue
            moved = [(1, at), (-1, gone)]
            old = network.weights(node, rate, [*common, own])
        else:
            moved = [(-1 if less else 1, at)]
            old = network.weights(node, rate, common if less else [*common, own])
        parts += _table(old, moved, rate) * draws
    return tuple(sorted(parts))


def delta(law: Floats, epsilon: float) -> float:
    """Return the hockey-stick divergence of such a law."""
    losses = -_REACH + _GAP * np.arange(_BINS)
    return float((law * np.maximum(0.0, -np.expm1(epsilon - losses))).sum())


def worst(
    network: Small, rate: float, draws: int, records: int, epsilons: Sequence[float], *, replacing: bool
) -> Floats:
    """Return the largest delta over all neighbours of up to so many records, at each epsilon."""
    found = np.zeros(len(epsilons))
    for number in range(1, records + 1):
        seen = set[tuple[_Part, ...]]()
        for common, other, own in neighbours(network, number, replacing=replacing):
            for less in (False,) if replacing else (False, True):
                parts = _parts(network, rate, draws, common, other, own, less=less)
                if parts not in seen:
                    seen.add(parts)
                    found = np.maximum(found, [delta(_together(parts), one) for one in epsilons])
    return found


@cache
def _box_mass(smallest: float, first: float, second: float) -> float:
    """Return the logarithm of the mass of an unnormalised Beta density in a box, by an integral."""
    nodes, weights = np.polynomial.legendre.leggauss(200)
    x = 0.5 + (0.5 - smallest) * nodes
    logs = (first - 1) * np.log(x) + (second - 1) * np.log1p(-x)
    return float(logs.max() + np.log((np.exp(logs - logs.max()) * weights).sum()))


def box_loss(
    network: Small, smallest: float, common: list[Record], other: Record | None, own: Record
) -> float:
    """Return the largest log ratio of two neighbours' densities of binary tables in a box, by integrals."""

    def log_mass(table: Floats) -> float:
        return sum(_box_mass(smallest, first, second) for first, second in table.tolist())

    end = math.log((1 - smallest) / smallest)
    found = 0.0
    for node in range(len(network.parents)):
        at = network.place(node, own)
        with_own = network.weights(node, 1.0, [*common, own])
        if other is None:
            without = network.weights(node, 1.0, common)
            found += math.log(1 - smallest) - log_mass(with_own) + log_mass(without)
            continue
        if network.place(node, other) != at:
            found += end - log_mass(with_own) + log_mass(network.weights(node, 1.0, [*common, other]))
    return found
