"""All neighbouring tables of up to six records and four levels, and how a pair is held against them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

import numpy as np
from numpy.typing import NDArray

from privior.privacy.pairs import DominatingPair

F = Fraction
Floats = NDArray[np.float64]
Counts = tuple[int, ...]

RECORDS = range(1, 7)
EPSILONS = (-1.4, -0.6, 0.0, 0.35, 1.0, 1.9)
ORDERS = (0.5, 1.0, 1.4, 2.0, 4.0)
RATES = (F(1), F(2, 5), F(3, 2))
#: no two parameters alike, and the smallest in different places
PRIORS: tuple[tuple[Fraction, ...], ...] = (
    (F(7, 10), F(2)),
    (F(3), F(8, 5)),
    (F(5, 2), F(4, 5), F(11, 10)),
    (F(3, 5), F(6), F(7, 2)),
    (F(1), F(3), F(7, 10), F(2)),
    (F(5), F(9, 2), F(6), F(4)),
)

#: how far a truth found in double precision may be off, and how close a tight pair must come
_SURE, _TIGHT, _NOTHING = 1e-11, 1e-9, 1e-14


@cache
def tables(records: int, levels: int) -> tuple[Counts, ...]:
    """Return every table with this total."""
    if levels == 1:
        return ((records,),)
    return tuple(
        (first, *rest) for first in range(records + 1) for rest in tables(records - first, levels - 1)
    )


def replaced(records: int, levels: int) -> Iterator[tuple[Counts, int, int]]:
    """Every two neighbours, in both orders: the records they share, and where each has its own."""
    for shared in tables(records - 1, levels):
        for i, j in itertools.permutations(range(levels), 2):
            yield shared, i, j


def plus(counts: Counts, cell: int) -> Counts:
    return (*counts[:cell], counts[cell] + 1, *counts[cell + 1 :])


@dataclass
class Worst:
    """The largest divergences found among neighbours."""

    deltas: dict[float, float] = field(default_factory=dict)
    renyis: dict[float, float] = field(default_factory=dict)
    loss: float = -math.inf

    def see(
        self,
        deltas: Mapping[float, Floats | float],
        renyis: Mapping[float, Floats | float],
        loss: float = math.inf,
    ) -> None:
        for kept, seen in ((self.deltas, deltas), (self.renyis, renyis)):
            for at, values in seen.items():
                kept[at] = max(kept.get(at, -math.inf), float(np.max(values)))
        self.loss = max(self.loss, loss)

    def see_laws(
        self, p: Floats, q: Floats, epsilons: Iterable[float] = EPSILONS, orders: Iterable[float] = ORDERS
    ) -> None:
        """Compare two laws on the same outcomes, each of which both can give; some may underflow."""
        deltas = {e: float(np.sum(np.maximum(0.0, p - math.exp(e) * q))) for e in epsilons}
        both = (p > 0) & (q > 0)
        assert p[~both].sum() < 1e-100
        p, q = p[both], q[both]
        loss, renyis = np.log(p / q), {}
        for order in orders:
            if order == 1:
                renyis[order] = float(np.sum(p * loss))
            else:
                renyis[order] = math.log(np.sum(p * np.exp((order - 1) * loss))) / (order - 1)
        self.see(deltas, renyis, float(np.max(loss)))


def complaints(pair: DominatingPair, worst: Worst, *, tight: bool, attained: bool = False) -> list[str]:
    """Say where a pair is below what neighbours reach; if `tight`, also where it is above that.

    `attained`: the largest loss is reached though the curve is not.
    """
    found = []
    stated = [("delta", e, pair.delta(e), truth) for e, truth in worst.deltas.items()]
    stated += [("renyi", order, pair.renyi(order), truth) for order, truth in worst.renyis.items()]
    stated += [("loss", 0.0, math.inf if pair.pure is None else float(pair.pure), worst.loss)]
    for what, at, bound, truth in stated:
        size = max(abs(truth), 1e-300)
        if bound < truth - _SURE * size - _NOTHING:
            found.append(f"{what}({at}): {bound} but neighbours reach {truth}")
        wanted = tight or (attained and what == "loss")
        if wanted and bound > truth + _TIGHT * size + _NOTHING:
            found.append(f"{what}({at}): {bound} but neighbours reach only {truth}")
    return found
