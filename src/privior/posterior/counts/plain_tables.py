"""Tables that noisy counts suggest by themselves: nothing is expected of neighbours, shapes or scales.

A cell in which much is seen has what is seen there but for the noise. The others are taken together: their
sum has what is seen of it but for its own noise, and so have the sums of their halves, given the whole; any
number is as likely beforehand as another. So no stretch of cells is drawn up because none of them has less
than nothing, nor down because small counts are more common.

Noise is taken for normal, with its variance.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.evidence import Total
from privior.posterior.counts.halving_tree import HalvingTree

Pair = tuple[float, float] | Floats

#: from here on a normal law is proposed by an exponential one; narrower ranges are proposed evenly
_TAIL, _NARROW = 0.3, 1.5


def plain_tables(
    tree: HalvingTree,
    seen: Floats,
    variance: Floats,
    filled: NDArray[np.bool_],
    total: Total,
    size: int,
    rng: np.random.Generator,
) -> Integers:
    """Draw tables, as (size, cells).

    Args:
        tree: the parts of the table
        seen: the noisy count of each cell
        variance: of the noise
        filled: in which cells much is seen
        total: what is known of the number of records
        size: the number of tables
        rng: of the draws
    """
    tables, rest = np.zeros((tree.cells, size), dtype=np.int64), np.full(size, total.most)
    sides = [side for side in (~filled, filled) if side.any()]
    for side, later in zip(sides, [*sides[1:], np.zeros_like(filled)], strict=True):
        centre, noise = float(seen[side].sum()), float(variance[side].sum())
        if total.known:
            others = float(seen[later].sum()), float(variance[later].sum())
            number = _between(rest, (centre, others[0]), (noise, others[1]), rng)
        else:
            number = _normal(np.full(size, centre), np.full(size, math.sqrt(noise)), rest, rng)
        _part(tree, np.where(side, seen, 0.0), np.where(side, variance, 0.0), number, tables, rng)
        rest = rest - number
    return np.ascontiguousarray(tables.T)


def _part(
    tree: HalvingTree,
    seen: Floats,
    variance: Floats,
    number: Integers,
    tables: Integers,
    rng: np.random.Generator,
) -> None:
    """Part the sums of some cells among them, and add them to tables (cell, table): others have no noise."""
    centres, noises = tree.sums(seen), tree.sums(variance)
    sums = np.zeros((len(centres), number.size), dtype=np.int64)
    sums[-1] = number
    for some in reversed(list(tree.each_depth)):
        one, other = tree.halves[some].T
        whole = sums[tree.cells :][some]
        of_centres, of_noises = centres[tree.halves[some]].T, noises[tree.halves[some]].T
        sums[one] = _between(whole, of_centres[:, :, None], of_noises[:, :, None], rng)
        sums[other] = whole - sums[one]
    tables += sums[: tree.cells]


def _between(whole: Integers, centres: Pair, noises: Pair, rng: np.random.Generator) -> Integers:
    """Draw what the first of two halves has of a whole: all of it where the other one has no noise.

    Args:
        whole: what both have
        centres: what is seen in each
        noises: the variance of the noise of each
        rng: of the draws
    """
    (one, other), (noise, blur) = centres, noises
    both = np.maximum(np.add(noise, blur), 1e-300)
    centre = one + (whole - one - other) * (noise / both)
    spread = np.broadcast_to(np.sqrt(noise * (blur / both)), whole.shape)
    found = np.where(np.broadcast_to(np.greater(noise, 0), whole.shape), whole, 0)
    unknown = spread > 0
    found[unknown] = _normal(centre[unknown], spread[unknown], whole[unknown], rng)
    return found


def _normal(centre: Floats, spread: Floats, most: Integers, rng: np.random.Generator) -> Integers:
    """Draw whole numbers from 0 to some largest ones, in proportion to a normal law.

    By rejection: from the law itself, from an exponential one where only its tail is possible, evenly where
    the range is narrow.
    """
    # The nearer end, seen from the centre, is the lower one; else all is turned round.
    turned = centre > most / 2
    low = (np.where(turned, centre - most, -centre) - 0.5) / spread
    width = (most + 1.0) / spread
    found, left = np.zeros(low.size), np.arange(low.size)
    while left.size:
        a, b = low[left], low[left] + width[left]
        tail = a > _TAIL
        even = b - a < np.where(tail, 1 / np.maximum(a, _TAIL), _NARROW)
        rate = (a + np.sqrt(a * a + 4)) / 2
        goal = rng.random(left.size)
        proposed = np.where(tail, a - np.log1p(-goal) / rate, rng.standard_normal(left.size))
        proposed = np.where(even, a + goal * (b - a), proposed)
        # The logarithm of what is wanted over what was proposed, at most 0.
        kept = np.where(tail, -((proposed - rate) ** 2) / 2, 0.0)
        kept = np.where(even, (np.clip(0.0, a, b) ** 2 - proposed**2) / 2, kept)
        fits = (proposed >= a) & (proposed <= b) & (-rng.standard_exponential(left.size) <= kept)
        found[left[fits]] = proposed[fits]
        left = left[~fits]
    away = np.rint((found - low) * spread - 0.5).astype(np.int64)
    away = np.clip(away, 0, most)
    return np.where(turned, most - away, away)
