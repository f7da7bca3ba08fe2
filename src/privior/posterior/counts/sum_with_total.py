"""The law of a sum of some cells together with a total that is not known.

Given the total N the sum is s with probability F(s) H(N − s), up to a factor, as in `cell_sums`; the law of N
itself was summed with the tree. Where there are many totals, every so many are taken: p(N) times what follows
given N is smooth on the scale of the spread of N, and a sum over steps of at most a fifth of that standard
deviation differs from the sum over all N by far less than 1e-16 of it (Poisson's summation formula: the error
is that of the Fourier transform beyond 2π·5 standard deviations). That needs both ends to be reached by
nothing, so a total that is cut off at its public maximum is summed in full.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.cell_sums import both_sums, matched
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.counts.summation import SumTree

#: no more pairs of a sum and a total are listed; with fewer, all totals are
_MOST, _ALL = 12_000_000, 200_000
#: so many steps in a standard deviation of the total, and what may be at the ends of its law
_STEPS, _NOTHING = 5, 1e-13
#: what is trimmed off each end of the law of a sum
_TRIMMED = 1e-17


@dataclass(frozen=True, eq=False)
class SumWithTotal:
    """The joint law of a sum and a total.

    Attributes:
        totals: the totals
        shares: the probability of each
        sums: the law of the sum given each total
    """

    totals: Integers
    shares: Floats
    sums: tuple[IntegerLaw, ...]

    @staticmethod
    def of(trees: Sequence[SumTree], shares: Floats, cells: NDArray[np.bool_]) -> SumWithTotal | None:
        """Sum some cells together with the total; None where there are too many pairs.

        Args:
            trees: of the table, each with a block of totals
            shares: the probability of each block
            cells: which cells are summed
        """
        parts = [both_sums(tree, cells) for tree in trees]
        totals = np.concatenate([np.arange(tree.total.low, tree.total.high + 1) for tree in trees])
        chances = np.concatenate([share * tree.total.mass for tree, share in zip(trees, shares, strict=True)])
        block = np.repeat(np.arange(len(trees)), [tree.total.mass.size for tree in trees])
        order = np.argsort(totals, kind="stable")
        kept = order[chances[order] > _NOTHING * chances.max()]
        width = max(min(inside.mass.size, others.mass.size) for inside, others in parts)
        step = _step(totals[kept], chances[kept]) if kept.size * width > _ALL else 1
        kept = kept[::step]
        if kept.size * width > _MOST:
            return None
        pairs = [(*parts[block[at]], int(totals[at])) for at in kept]
        laws = [matched(inside, others, total) for inside, others, total in pairs]
        there = [place for place, law in enumerate(laws) if law.mass.sum() > 0]
        if not there:
            return None
        sums = tuple(_normalised(laws[place]) for place in there)
        known = chances[kept][there]
        return SumWithTotal(totals[kept][there], known / known.sum(), sums)


def _step(totals: Integers, chances: Floats) -> int:
    """Return how many totals may be passed over: none, if they are cut off, or not one after the other."""
    share = chances / chances.sum()
    spread = float(np.sqrt(share @ (totals - share @ totals) ** 2))
    cut = max(share[0], share[-1]) > 100 * _NOTHING * share.max()
    gaps = bool((np.diff(totals) != 1).any())
    return 1 if cut or gaps else max(1, int(spread / _STEPS))


def _normalised(law: IntegerLaw) -> IntegerLaw:
    trimmed = law.trimmed(_TRIMMED)
    return IntegerLaw(trimmed.low, trimmed.mass / trimmed.mass.sum())
