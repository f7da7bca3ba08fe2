"""The law of a sum of some cells of a table whose total is known, exactly.

The cells of the sum and the others are two parts of the tree that was summed: with F and H the convolutions
of their laws, the sum is s with probability F(s) H(n − s), up to a factor. Nodes of the tree that lie in one
part are there already; the rest is convolved, the two narrowest first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.summation import SumTree, convolved

#: what may be trimmed off each tail of a convolution
_NOTHING = 1e-15


def law_of_sum(tree: SumTree, cells: NDArray[np.bool_]) -> IntegerLaw:
    """Return the law of the sum of some cells.

    Args:
        tree: of a table whose total is known
        cells: which cells are summed
    """
    total = tree.total.low
    if cells.all() or not cells.any():
        return IntegerLaw(total if cells.all() else 0, np.ones(1))
    mass = matched(*both_sums(tree, cells), total)
    return IntegerLaw(mass.low, mass.mass / mass.mass.sum())


def both_sums(tree: SumTree, cells: NDArray[np.bool_]) -> tuple[IntegerLaw, IntegerLaw]:
    """Return the laws of the sum of some cells and of the sum of the others, as if the total told nothing."""
    inside, others = (
        convolved(_parts(tree, chosen), tree.total.high, _NOTHING) for chosen in (cells, ~cells)
    )
    return inside, others


def matched(inside: IntegerLaw, others: IntegerLaw, total: int) -> IntegerLaw:
    """Return how probable each sum is together with what is left of a total: not normalised."""
    first, last = max(inside.low, total - others.high), min(inside.high, total - others.low)
    if last < first:
        return IntegerLaw(first, np.zeros(1))
    mass = inside.mass[first - inside.low : last + 1 - inside.low].copy()
    mass *= others.mass[::-1][first - (total - others.high) :][: mass.size]
    return IntegerLaw(first, mass)


def _parts(tree: SumTree, cells: NDArray[np.bool_]) -> Sequence[IntegerLaw]:
    """Return the laws of the largest nodes, or single cells, that lie in a part of the table."""
    whole = list(map(bool, cells))
    covered = [False] * len(tree.laws)
    for index, node in enumerate(tree.nodes, start=len(whole)):
        whole.append(whole[node.left] and whole[node.right])
        if whole[index]:
            covered[node.left] = covered[node.right] = True
    return [
        law
        for law, is_whole, is_covered in zip(tree.laws, whole, covered, strict=True)
        if is_whole and not is_covered
    ]
