"""Noise on all tables of a network: all neighbours of all small data sets, losses summed over outcomes.

Records are counted by hand. Between two neighbours some counts move by one; outcomes of one table with the
same loss are put together: for Laplace noise those below and above the step, for Gaussian noise those with
the same sum of the moved counts' noises.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, reduce
from typing import Any

import numpy as np
from mpmath import mp
from two_laws import DIGITS, Case, Points, Worst, number

import privior as pv

Move = tuple[tuple[int, int], ...]
#: graphs of two and three nodes
GRAPHS: dict[str, dict[str, list[str]]] = {
    "pair": {"a": [], "b": ["a"]},
    "chain": {"a": [], "b": ["a"], "c": ["b"]},
    "collider": {"a": [], "b": [], "c": ["a", "b"]},
    "common cause": {"a": [], "b": ["a"], "c": ["a"]},
}


def counted(graph: dict[str, list[str]], record: tuple[int, ...], levels: int) -> np.ndarray:
    """Count a record in every table: an axis for the tables, one for the cells of the largest."""
    one = dict(zip(graph, record, strict=True))
    found = np.zeros((len(graph), levels ** (1 + max(map(len, graph.values())))), dtype=np.int8)
    for table, (node, above) in enumerate(graph.items()):
        place = 0
        for name in (*above, node):
            place = place * levels + one[name]
        found[table, place] += 1
    return found


@cache
def moves(name: str, levels: int, most: int, replaced: bool) -> frozenset[Move]:
    """Return how many counts of each table move up, and down, over all neighbours of up to `most` records."""
    graph = GRAPHS[name]
    every = list(itertools.product(range(levels), repeat=len(graph)))
    alone = np.array([counted(graph, record, levels) for record in every])
    ends = list(itertools.permutations(range(len(every)), 2)) if replaced else []
    found = set()
    for records in range(1, most + 1):
        for shared in itertools.combinations_with_replacement(range(len(every)), records - 1):
            table = alone[list(shared)].sum(axis=0, dtype=np.int8)
            first = table + alone[[before for before, _ in ends]] if replaced else table[None]
            second = table + (alone[[after for _, after in ends]] if replaced else alone)
            step = second - first
            assert np.abs(step).max() <= 1
            up, down = (step == 1).sum(axis=2), (step == -1).sum(axis=2)
            found |= set(map(tuple, np.stack([up, down], axis=2).reshape(len(step), -1).tolist()))
    return frozenset(tuple(zip(move[::2], move[1::2], strict=True)) for move in found)


def two_laws(move: Move, scales: tuple[Fraction, ...], gaussian: bool) -> Points:
    """Return the laws of the losses of two data sets between which the tables move so."""
    with mp.workdps(DIGITS):
        parts = [
            _gaussian(up + down, scale) if gaussian else _laplace(up + down, scale)
            for (up, down), scale in zip(move, scales, strict=True)
            if up + down
        ]
        return reduce(_product, parts)


def delta(move: Move, scales: tuple[Fraction, ...], epsilon: float) -> float:
    """Return the hockey-stick divergence of Gaussian noise between such data sets, in double precision."""
    first, second = np.ones(1), np.ones(1)
    for (up, down), scale in zip(move, scales, strict=True):
        if up + down:
            law = _gaussian(up + down, scale)
            first = np.outer(first, np.array(law.first, dtype=float)).ravel()
            second = np.outer(second, np.array(law.second, dtype=float)).ravel()
    return math.fsum(np.maximum(first - math.exp(epsilon) * second, 0))


def _product(one: Points, other: Points) -> Points:
    return Points(
        [p * q for p in one.first for q in other.first], [p * q for p in one.second for q in other.second]
    )


def _laplace(moved: int, scale: Fraction) -> Points:
    """So many integers with Laplace noise that move by one: each is below the step, or above it."""
    q = mp.exp(-1 / number(scale))
    one = [1 / (1 + q), q / (1 + q)]
    return reduce(_product, [Points(one, one[::-1])] * moved)


@cache
def _gaussian(moved: int, scale: Fraction) -> Points:
    """So many integers with Gaussian noise that move by one: the loss is a function of their sum."""
    reach = int(14 * float(scale)) + 3
    weights = [mp.exp(-number(Fraction(x * x)) / (2 * number(scale) ** 2)) for x in range(-reach, reach + 1)]
    total = mp.fsum(weights)
    one = [weight / total for weight in weights]
    law = one
    for _ in range(moved - 1):
        law = _convolved(law, one)
    return _shifted(law, moved)


def _convolved(one: list[Any], other: list[Any]) -> list[Any]:
    found = [mp.mpf(0)] * (len(one) + len(other) - 1)
    for i, p in enumerate(one):
        for j, q in enumerate(other):
            found[i + j] += p * q
    return found


def _shifted(law: list[Any], by: int) -> Points:
    """Return a law and the same farther up; the ends, where one of them is cut off, weigh nothing."""
    inside = slice(by, len(law) - by)
    return Points(law[inside], [law[place - by] for place in range(len(law))][inside])


def mechanisms(graph: dict[str, list[str]], levels: int) -> Iterator[tuple[str, Any]]:
    """Yield each mechanism under each relation, with noise so small that outcomes can be summed."""
    columns = {name: pv.Categorical([f"{name}{place}" for place in range(levels)]) for name in graph}
    schema, model = pv.Schema(columns, population="few", unit="person"), pv.BayesianNetwork(graph, prior=1)
    for relation in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE):
        yield f"laplace, {relation}", pv.LaplaceTables(model, schema, "1.5", neighbours=relation)
        yield f"gaussian, {relation}", pv.GaussianTables(model, schema, 4, "0.01", neighbours=relation)


def worst(name: str, levels: int, most: int, mechanism: Any) -> Worst:
    """Return the worst of all neighbours; the names of the levels do not matter."""
    found = moves(name, levels, most, mechanism.neighbours is pv.REPLACE_ONE)
    gaussian = isinstance(mechanism, pv.GaussianTables)
    return Worst([two_laws(move, mechanism.scales, gaussian) for move in found if any(map(any, move))])


def largest_loss(mechanism: Any, found: frozenset[Move]) -> float:
    """Return the largest loss of Laplace noise: every moved count beyond its step."""
    return max(
        math.fsum(
            (up + down) / float(scale) for (up, down), scale in zip(move, mechanism.scales, strict=True)
        )
        for move in found
    )


def cases() -> list[Case]:
    """Two nodes of two levels; what is composed on a grid is a little above the truth."""
    return [
        Case(
            f"tables of a network, {name}",
            lambda mechanism=mechanism: mechanism.guarantee.worst,  # type: ignore[misc]
            lambda mechanism=mechanism: worst("pair", 2, 2, mechanism),  # type: ignore[misc]
            above=0.02,
        )
        for name, mechanism in mechanisms(GRAPHS["pair"], 2)
    ]
