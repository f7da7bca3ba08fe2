"""How a table is halved: the tree of its parts, from the whole table down to its cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Integers, Scalar
from privior.posterior.kept import kept

#: a column of so many levels is halved first
_FEW = 3


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
        kinds: of each group, what its parts have in common besides (`apart`)
    """

    halves: Integers
    group: Integers
    depths: Integers
    lows: Integers
    highs: Integers
    axes: Integers
    kinds: Integers

    @property
    def cells(self) -> int:
        """The number of cells."""
        return len(self.halves) + 1

    @property
    def each_depth(self) -> Iterator[slice]:
        """The parts of several cells, counted from the first of them: those of each depth, deepest first."""
        return (slice(*ends) for ends in pairwise(self.depths.tolist()))

    def apart(self, kind: Integers) -> HalvingTree:
        """Return the same tree with each group divided into kinds, of which there are a few."""
        many = int(kind.max(initial=0)) + 1
        found, group = np.unique(many * self.group + kind, return_inverse=True)
        return replace(self, group=group.ravel().astype(np.int64), kinds=found % many)

    def sums(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """Return the sum over the cells of each part, cells included; more axes are more tables."""
        every = np.concatenate([values, np.zeros((len(self.halves), *values.shape[1:]), values.dtype)])
        for some in self.each_depth:
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
    kinds = np.zeros(int(group.max(initial=-1)) + 1, dtype=np.int64)
    return HalvingTree(halves, group, depths, lows, highs, axes, kinds)
