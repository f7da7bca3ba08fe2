"""What is expected of the halves of a part before its own counts are looked at: what parts beside it have.

Along an ordered column the neighbours suggest a share; along others all parts with the same levels of the
column together, if there are many: in the whole table, or in a stretch of its longest ordered column. What is
expected of the latter is uncertain by the noise of their sums, and drawn anew for each state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats, Integers, distinct
from privior.posterior.counts.halving_tree import HalvingTree
from privior.special import log_ndtr

#: shares are pooled where so many parts have the same levels, in stretches of twice as many
_MANY = 8
#: shares are never nearer to 0 or 1; by what part a stretch typically differs from the whole table
_LEAST, _DIFFERENT = 0.01, 0.7


@dataclass(frozen=True, eq=False)
class Centres:
    """The share of its first half that a part of several cells is expected to have.

    Attributes:
        expected: the share
        pool: the parts with which a part has its share in common; -1 if it has its own
        means, spreads: of the two sums of each pool, as (pool, half)
    """

    expected: Floats
    pool: Integers
    means: Floats
    spreads: Floats

    def shares(self, rng: np.random.Generator | None = None) -> Floats:
        """Return the shares; with a generator, those in common are drawn."""
        found = self.expected
        if rng is not None and len(self.means):
            drawn = rng.gamma((self.means / self.spreads) ** 2, self.spreads**2 / self.means)
            share = drawn[:, 0] / np.maximum(drawn.sum(axis=1), 1e-300)
            found = np.where(self.pool >= 0, share[self.pool], found)
        return np.asarray(np.clip(found, _LEAST, 1 - _LEAST))


def centres(tree: HalvingTree, ordered: Sequence[bool], observed: Floats, variances: Floats) -> Centres:
    """Return what is expected of all parts.

    Args:
        tree: the parts
        ordered: whether the levels of each column are
        observed: the noisy count of each cell
        variances: of the noise
    """
    rows = np.arange(len(tree.halves))
    low, high = tree.lows[rows, tree.axes], tree.highs[rows, tree.axes]
    middle = (low + high + 1) // 2
    odds = np.log((middle - low) / (high - middle))
    orderly = np.array(ordered, dtype=bool)[tree.axes]
    for axis in distinct(tree.axes[orderly]):
        _neighbours(tree, np.flatnonzero(tree.axes == axis), axis, observed, variances, odds)
    expected = 1 / (1 + np.exp(-odds))
    levels = int(tree.highs.max()) + 1
    key = (tree.axes * levels + low) * levels + high
    together = _times(key)
    pooled = np.flatnonzero(~orderly & (together >= _MANY))
    lows, highs = _stretches(tree, ordered, together)
    pool = np.full(len(rows), -1)
    _, first, pool[pooled] = np.unique(
        np.column_stack([key, lows])[pooled], axis=0, return_index=True, return_inverse=True
    )
    first = pooled[first]
    halves = ((low[first], middle[first]), (middle[first], high[first]))
    means, spreads = _pooled(tree, first, halves, lows[first], highs[first], observed, variances)
    expected[pooled] = (means[:, 0] / means.sum(axis=1))[pool[pooled]]
    return Centres(expected, pool, means, spreads)


def _pooled(
    tree: HalvingTree,
    parts: Integers,
    halves: Sequence[tuple[Integers, Integers]],
    lows: Integers,
    highs: Integers,
    observed: Floats,
    variances: Floats,
) -> tuple[Floats, Floats]:
    """Return means and spreads of both sums of each pool: of the table, or of a stretch if that tells."""
    if not len(parts):  # as in every small table, which needs no special function then
        return np.zeros((0, 2)), np.zeros((0, 2))
    whole = np.zeros_like(lows), np.tile(tree.highs[-1], (len(parts), 1))
    of_whole: list[tuple[Floats, Floats]] = []
    of_stretch: list[tuple[Floats, Floats]] = []
    for ends in halves:
        for box, found in ((whole, of_whole), ((lows, highs), of_stretch)):
            sides = box[0].copy(), box[1].copy()
            for side, end in zip(sides, ends, strict=True):
                side[np.arange(len(parts)), tree.axes[parts]] = end
            found.append((_sums(tree, *sides, observed), np.sqrt(_sums(tree, *sides, variances))))
    means, spreads = (
        np.stack(each, axis=1) for each in zip(*(_positive(*one) for one in of_whole), strict=True)
    )
    partly = (highs - lows < tree.highs[-1]).any(axis=1)[:, None]
    seen, noise = (np.stack(each, axis=1) for each in zip(*of_stretch, strict=True))
    total = np.maximum(seen.sum(axis=1), np.sqrt((noise**2).sum(axis=1)))[:, None]
    before = total * means / means.sum(axis=1, keepdims=True)
    apart = before * np.sqrt(_DIFFERENT**2 + (spreads / means) ** 2)
    weight = apart**2 / (apart**2 + noise**2)
    there = _positive(before + weight * (seen - before), noise * np.sqrt(weight))
    return np.where(partly, there[0], means), np.where(partly, there[1], spreads)


def _positive(centre: Floats, spread: Floats) -> tuple[Floats, Floats]:
    """Return mean and spread of a normal law of which only what is positive is possible."""
    at = centre / spread
    ratio = np.exp(-(at**2) / 2 - 0.5 * np.log(2 * np.pi) - log_ndtr(at))
    mean = np.maximum(centre + spread * ratio, 1e-9)
    return mean, np.maximum(spread * np.sqrt(np.maximum(1 - ratio * (at + ratio), 1e-6)), 1e-9)


def _times(keys: Integers) -> Integers:
    """Return how often each of some keys is there."""
    _, place, times = np.unique(keys, return_inverse=True, return_counts=True)
    return np.asarray(times[place.ravel()])


def _stretches(tree: HalvingTree, ordered: Sequence[bool], together: Integers) -> tuple[Integers, Integers]:
    """Return of which part of the table a part shares what is expected of its halves: (part, column) twice.

    Of the whole table, or where many parts have the same levels, of a stretch of the longest ordered column.
    """
    whole = tree.highs[-1]
    lows, highs = np.zeros_like(tree.lows), np.tile(whole, (len(tree.lows), 1))
    if any(ordered):
        along = int(np.argmax(np.where(ordered, whole, 0)))
        single = tree.highs[:, along] - tree.lows[:, along] == 1
        stretches = np.where(single, np.maximum(together // (2 * _MANY), 1), 1)
        width = -(-whole[along] // stretches)
        lows[:, along] = tree.lows[:, along] // width * width
        highs[:, along] = np.minimum(lows[:, along] + width, whole[along])
    return lows, highs


def _neighbours(
    tree: HalvingTree, some: Integers, axis: int, observed: Floats, variances: Floats, odds: Floats
) -> None:
    """Change log odds to what the parts beside them along an ordered column suggest.

    That is a straight line through the log counts of the part before and the part after, at the ends of the
    column of the two before or the two after.
    """
    low, high = tree.lows[some, axis], tree.highs[some, axis]
    size, levels = high - low, int(tree.highs[-1, axis])
    last, first = (high == levels) & (low >= 2 * size), (low == 0) & (high + 2 * size <= levels)
    ends = [
        np.where(last, low - 2 * size, np.where(first, high, np.maximum(low - size, 0))),
        np.where(last, low - size, np.where(first, high + size, low)),
        np.where(last, low - size, np.where(first, high + size, high)),
        np.where(last, low, np.where(first, high + 2 * size, np.minimum(high + size, levels))),
    ]
    known = (ends[0] < ends[1]) & (ends[2] < ends[3])
    some, size = some[known], size[known]
    ends = [each[known] for each in ends]
    sides = []
    for start, end in (ends[:2], ends[2:]):
        many = (end - start).astype(np.float64)
        box = tree.lows[some], tree.highs[some]
        box[0][:, axis], box[1][:, axis] = start, end
        total = _sums(tree, *box, observed) / many
        noise = np.sqrt(_sums(tree, *box, variances)) / many
        sides.append((np.maximum(total, np.maximum(noise, 1e-9)), noise))
    (one, blur), (other, other_blur) = sides
    trusted = 1 / (1 + (blur / one) ** 2 + (other_blur / other) ** 2)
    gap = (ends[2] + ends[3] - ends[0] - ends[1]) / 2
    odds[some] -= np.clip(trusted * np.log(other / one) * (size / 2) / gap, -3, 3)


def _sums(tree: HalvingTree, lows: Integers, highs: Integers, values: Floats) -> Floats:
    """Sum over boxes of cells."""
    shape = tuple(int(one) for one in tree.highs[-1])
    padded = np.zeros(tuple(size + 1 for size in shape))
    padded[(slice(1, None),) * len(shape)] = values.reshape(shape)
    for each in range(len(shape)):
        padded = np.cumsum(padded, axis=each)
    total = np.zeros(len(lows))
    for corner in range(1 << len(shape)):
        sides = [highs[:, each] if corner >> each & 1 else lows[:, each] for each in range(len(shape))]
        sign = (-1) ** (len(shape) - bin(corner).count("1"))
        total += sign * padded[tuple(sides)]
    return total
