"""Independent draws of whole tables from a tree of sums.

The total is drawn from its law; then, from the root down, each node's sum t is split between its children
with weights F_L(s) F_R(t−s). Each draw is exact and owes nothing to any other. The weights of each sum that
occurs are listed, over the narrower child; where that is too much, a compiled sampler proposes instead.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from privior.arrays import Integers
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.summation import SumTree, overlay

#: more weights than this are not listed, and this many at once
_LISTED, _AT_ONCE = 30_000_000, 1 << 21


def table_draws(tree: SumTree, size: int, rng: np.random.Generator) -> Integers:
    """Return independent tables, as (size, cells)."""
    cells = len(tree.marginals)
    sums = np.empty((len(tree.laws), size), dtype=np.int64)
    spread = np.cumsum(tree.total.mass)
    chosen = np.searchsorted(spread, rng.random(size) * spread[-1], side="right")
    sums[-1] = tree.total.low + np.minimum(chosen, spread.size - 1)
    split = _listed if _weights(tree, size) <= _LISTED else _proposed
    for index, node in reversed(list(enumerate(tree.nodes, start=cells))):
        # The narrower child is drawn; the other one is what remains.
        narrow, wide = sorted((node.left, node.right), key=lambda child: tree.laws[child].mass.size)
        sums[narrow] = split(tree.laws[narrow], tree.laws[wide], sums[index], rng)
        sums[wide] = sums[index] - sums[narrow]
    return sums[:cells].T.copy()


def _weights(tree: SumTree, size: int) -> int:
    """Return how many weights would be listed for so many draws."""
    cells, weights = len(tree.marginals), 0
    for node, law in zip(tree.nodes, tree.laws[cells:], strict=True):
        narrow = min(tree.laws[node.left].mass.size, tree.laws[node.right].mass.size)
        weights += min(size, law.mass.size) * narrow
    return weights


def _proposed(narrow: IntegerLaw, wide: IntegerLaw, sums: Integers, rng: np.random.Generator) -> Integers:
    """Draw the narrow part of each sum: propose from its law, accept by the other's."""
    from privior.posterior.counts.splitting import split

    spread = np.cumsum(narrow.mass)
    parts = np.empty(sums.size, dtype=np.int64)
    split(narrow.mass, spread / spread[-1], wide.mass, sums - narrow.low - wide.low, rng, parts)
    return narrow.low + parts


def _listed(narrow: IntegerLaw, wide: IntegerLaw, sums: Integers, rng: np.random.Generator) -> Integers:
    """Draw the narrow part of each sum by inverting its distribution function."""
    distinct, inverse = np.unique(sums, return_inverse=True)
    width = narrow.mass.size
    chosen = np.empty(sums.size, dtype=np.int64)
    uniform = rng.random(sums.size)
    order = np.argsort(inverse, kind="stable")
    starts = np.searchsorted(inverse[order], np.arange(distinct.size + 1))
    few = max(1, _AT_ONCE // width)
    for begin in range(0, distinct.size, few):
        some = distinct[begin : begin + few]
        # Row j needs F_wide at some[j] − narrow.high, ..., some[j] − narrow.low, read backwards.
        span = IntegerLaw(int(some[0]) - narrow.high, np.zeros(int(some[-1] - some[0]) + width))
        overlay(span.mass, span.low, wide)
        rows = sliding_window_view(span.mass, width)[some - some[0], ::-1] * narrow.mass
        np.cumsum(rows, axis=1, out=rows)
        rows /= rows[:, -1:]
        rows += np.arange(some.size)[:, None]
        draws = order[starts[begin] : starts[begin + some.size]]
        row = (inverse[draws] - begin).astype(np.float64)
        at = np.minimum(row + uniform[draws], np.nextafter(row + 1, 0))
        found = np.searchsorted(rows.ravel(), at, side="right") - row.astype(np.int64) * width
        chosen[draws] = narrow.low + found
    return chosen
