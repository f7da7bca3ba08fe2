"""How a table is halved: the tree of its parts, from the whole table down to its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.kept import kept

Number = TypeVar("Number", np.float64, np.int64)

#: a column of so many levels is halved first
_FEW = 3
#: shares are pooled where so many parts have the same levels, and log odds end there
_MANY, _FAR = 8, 4.6


@kept
@dataclass(frozen=True, eq=False)
class HalvingTree:
    """Parts of a table: cells first, in order, then parts made of two, smaller before larger.

    Attributes:
        halves: of each part of more than one cell, as (part, 2): what it is made of
        group: which of these are halved along the same column at the same depth
        depths: where the parts of each depth begin, the deepest first, and where the last ends
        lows, highs: the levels of each column that a part of several cells has, as (part, column)
        axes: the column along which it is halved
    """

    halves: Integers
    group: Integers
    depths: Integers
    lows: Integers
    highs: Integers
    axes: Integers

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.halves) + 1

    @property
    def levels(self) -> Iterator[slice]:
        """The parts of several cells, counted from the first of them: those of each depth, deepest first."""
        return (slice(*ends) for ends in pairwise(self.depths.tolist()))

    def apart(self, kind: NDArray[np.bool_]) -> HalvingTree:
        """Return the same tree with each group divided in two."""
        group = np.unique(2 * self.group + kind, return_inverse=True)[1]
        return replace(self, group=group.ravel().astype(np.int64))

    def sums(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return the sum over the cells of each part, cells included; more axes are more tables."""
        every = np.concatenate([values, np.zeros((len(self.halves), *values.shape[1:]), values.dtype)])
        for some in self.levels:
            one, other = self.halves[some].T
            every[self.cells :][some] = every[one] + every[other]
        return every

    @property
    def groups(self) -> int:
        """How many kinds of halving there are."""
        return int(self.group.max(initial=-1)) + 1


def halving_tree(shape: Sequence[int], ordered: Sequence[bool] = ()) -> HalvingTree:
    """Halve a table of this shape: what is halved first has sums that are parts, and best held.

    Columns of very few levels come first, then ordered ones, whose means and tails are sums of many cells,
    then the others; among alike the one with the fewest levels.
    """
    sizes = np.array(shape, dtype=np.int64)
    orderly = np.array(ordered, dtype=bool) if len(ordered) else np.ones(sizes.size, dtype=bool)
    order = np.lexsort((sizes, ~orderly & (sizes > _FEW), sizes > _FEW))
    strides = np.append(np.cumprod(sizes[:0:-1])[::-1], 1)
    low, high = np.zeros((1, sizes.size), dtype=np.int64), sizes[None, :].copy()
    cells = int(np.prod(sizes))
    parts: list[tuple[Integers, Integers, Integers]] = []
    places: list[Integers] = []
    place, made = np.zeros(1, dtype=np.int64), 1
    leaves: list[tuple[Integers, Integers]] = []
    while len(low):
        whole = (high - low).max(axis=1) > 1
        leaves.append((place[~whole], low[~whole] @ strides))
        low, high, place = low[whole], high[whole], place[whole]
        wide = (high - low)[:, order] > 1
        axis = order[wide.argmax(axis=1)]
        parts.append((low, high, axis))
        places.append(place)
        rows = np.arange(len(low))
        middle = (low[rows, axis] + high[rows, axis] + 1) // 2
        lower, upper = low.copy(), high.copy()
        upper[rows, axis] = middle
        lower[rows, axis] = middle
        low = np.stack([low, lower], axis=1).reshape(-1, sizes.size)
        high = np.stack([upper, high], axis=1).reshape(-1, sizes.size)
        place = made + np.arange(len(low))
        made += len(low)
    # Places count from the top, all parts alike; cells get their own numbers, the rest count from the end.
    number = np.empty(made, dtype=np.int64)
    for where, cell in leaves:
        number[where] = cell
    several = np.concatenate(places)
    number[several] = made - 1 - np.arange(several.size)
    firsts = np.cumsum([1, *(2 * len(some) for some in places)])
    halves = np.empty((several.size, 2), dtype=np.int64)
    for some, first in zip(places, firsts, strict=False):
        children = number[first + np.arange(2 * len(some))].reshape(-1, 2)
        halves[number[some] - cells] = children
    back = slice(None, None, -1)
    lows, highs = (np.concatenate([part[side] for part in parts])[back] for side in (0, 1))
    axes = np.concatenate([part[2] for part in parts])[back]
    depth = np.repeat(np.arange(len(places)), [len(some) for some in places])[back]
    # Groups are numbered from the finest on.
    group = np.unique(axes - sizes.size * depth, return_inverse=True)[1].ravel().astype(np.int64)
    depths = np.cumsum([0, *(len(some) for some in places[::-1])])
    return HalvingTree(halves, group, depths, lows, highs, axes)


@kept
@dataclass(frozen=True, eq=False)
class Centres:
    """What is expected of the share of a part's first half, as log odds.

    Attributes:
        odds: the log odds
        spread: how uncertain they are where parts alike are pooled; 0 elsewhere
        alike: which parts share one unknown share
        pooled: where a share is pooled
    """

    odds: Floats
    spread: Floats
    alike: Integers
    pooled: NDArray[np.bool_]

    def shares(self, shift: Floats) -> Floats:
        """Return the shares, those that are pooled moved by so many of their standard deviations."""
        return np.asarray(
            1 / (1 + np.exp(-np.clip(self.odds + self.spread * shift[self.alike], -_FAR, _FAR)))
        )


def centres(tree: HalvingTree, ordered: Sequence[bool], observed: Floats, variances: Floats) -> Centres:
    """Return the share of its first half that a part is expected to have.

    Along an ordered column its neighbours suggest it; else all parts with the same levels of the column
    together, if there are many; else halves are equal.

    Args:
        tree: the parts
        ordered: whether the levels of each column are
        observed: the noisy count of each cell
        variances: of the noise
    """
    many = len(tree.halves)
    rows = np.arange(many)
    low, high = tree.lows[rows, tree.axes], tree.highs[rows, tree.axes]
    middle = (low + high + 1) // 2
    odds, spread = np.log((middle - low) / (high - middle)), np.zeros(many)
    levels = int(tree.highs.max()) + 1
    _, alike = np.unique((tree.axes * levels + low) * levels + high, return_inverse=True)
    alike = alike.ravel()
    pooled = np.zeros(many, dtype=bool)
    together = np.bincount(alike)[alike]
    for axis in np.unique(tree.axes):
        if ordered[axis]:
            some = np.flatnonzero(tree.axes == axis)
            _neighbours(tree, some, axis, observed, variances, odds)
            continue
        some = np.flatnonzero((tree.axes == axis) & (together >= _MANY))
        if not some.size:
            continue
        sides = []
        for start, end in ((low[some], middle[some]), (middle[some], high[some])):
            noise = np.sqrt(_sums(tree, some, axis, start, end, variances, whole=True))
            total = np.maximum(_sums(tree, some, axis, start, end, observed, whole=True), noise)
            sides.append((total, noise / total))
        (one, blur), (other, other_blur) = sides
        spread[some] = np.sqrt(blur**2 + other_blur**2)
        odds[some] += (np.log(one / other) - odds[some]) / (1 + spread[some] ** 2)
        pooled[some] = True
    return Centres(odds, spread, alike, pooled)


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
        total = _sums(tree, some, axis, start, end, observed) / many
        noise = np.sqrt(_sums(tree, some, axis, start, end, variances)) / many
        sides.append((np.maximum(total, np.maximum(noise, 1e-9)), noise))
    (one, blur), (other, other_blur) = sides
    trusted = 1 / (1 + (blur / one) ** 2 + (other_blur / other) ** 2)
    gap = (ends[2] + ends[3] - ends[0] - ends[1]) / 2
    odds[some] -= np.clip(trusted * np.log(other / one) * (size / 2) / gap, -3, 3)


def _sums(
    tree: HalvingTree,
    parts: Integers,
    axis: int,
    start: Integers,
    end: Integers,
    values: Floats,
    *,
    whole: bool = False,
) -> Floats:
    """Sum over each part, or all others, moved along one column to the levels from start to end."""
    shape = tuple(int(one) for one in tree.highs[-1])
    padded = np.zeros(tuple(size + 1 for size in shape))
    padded[(slice(1, None),) * len(shape)] = values.reshape(shape)
    for each in range(len(shape)):
        padded = np.cumsum(padded, axis=each)
    lows, highs = tree.lows[parts].copy(), tree.highs[parts].copy()
    if whole:
        lows[:], highs[:] = 0, tree.highs[-1]
    lows[:, axis], highs[:, axis] = start, end
    total = np.zeros(len(parts))
    for corner in range(1 << len(shape)):
        sides = [highs[:, each] if corner >> each & 1 else lows[:, each] for each in range(len(shape))]
        sign = (-1) ** (len(shape) - bin(corner).count("1"))
        total += sign * padded[tuple(sides)]
    return total
