"""Draws from a Dirichlet posterior of two levels, when the number of records is public."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from privior.privacy.pairs.beta import BetaPair
from privior.privacy.pairs.contract import SymmetricPair
from privior.privacy.pairs.worst import WorstOf

#: a bound this close to the truth is returned; and after this many divisions any bound is
_TOLERANCE = 1e-10
_MOST_DIVISIONS = 2000
#: with at least so many common records in both cells, the pair with just so many is tried as a bound first
_MANY = 64


@dataclass(frozen=True)
class TwoLevelsPair(SymmetricPair):
    """The worst, over s = 0..n-1 and both orders, of BetaPair(first + rate s, second + rate (n-1-s), rate).

    s of the n-1 records that both neighbours share are in the first cell, so here the worst data cannot be
    small in both cells, as they can for three levels. n = `records` is public.

    The worst s is found without a scan: BetaPair(a, b) dominates BetaPair(a', b') for a' >= a and b' >= b
    (its docstring has the kernel), so BetaPair(first + rate low, second + rate (n-1-high)) bounds every s in
    low..high. The block with the largest bound is divided until no bound exceeds what an s attains (by more
    than 1e-10 of it). Whatever happens, what is returned is a bound.

    Both orders are among the pairs.
    """

    first: Fraction
    second: Fraction
    rate: Fraction
    records: int

    def shared(self, low: int, high: int | None = None) -> BetaPair:
        """Return the pair for s = low, or one that dominates all s in low..high."""
        rest = self.records - 1 - (low if high is None else high)
        return BetaPair(self.first + self.rate * low, self.second + self.rate * rest, self.rate)

    @property
    def blocks(self) -> tuple[BetaPair, ...]:
        """Few pairs, with their mirrors, of which one dominates each s: blocks that double from both ends.

        The smallest parameters, at the ends, are the worst as a rule, and there the blocks are short.
        """
        last, found, start = self.records - 1, [], 0
        while start <= last:
            size = min(start, last - start) // 2 + 1
            found.append(self.shared(start, min(last, start + size - 1)))
            start += size
        return tuple(dict.fromkeys(one for pair in found for one in (pair, pair.mirror)))

    @property
    def few(self) -> WorstOf:
        """The worst of the blocks."""
        return WorstOf(self.blocks)

    def delta(self, epsilon: float) -> float:
        """The largest over s and both orders."""
        return self.largest(lambda pair: pair.delta(epsilon))

    def renyi(self, order: float) -> float:
        """The largest over s and both orders."""
        return self.largest(lambda pair: pair.renyi(order))

    def largest(self, measure: Callable[[BetaPair], float], tolerance: float = _TOLERANCE) -> float:
        """Return a bound of a measure of the pairs of all s, in both orders.

        Args:
            measure: what it says of a pair must bound what is true of each pair that the pair dominates
            tolerance: by what part the bound may exceed what is said of an s
        """

        def both(pair: BetaPair) -> float:
            return max(measure(pair), 0.0 if pair.mirror == pair else measure(pair.mirror))

        last = self.records - 1
        attained = both(self.shared(0))
        if self.first != self.second:
            attained = max(attained, both(self.shared(last)))
        most = last - _MANY
        many = both(self.shared(_MANY, most)) if most >= _MANY else 0.0

        def worse(low: int, high: int) -> float:
            if low >= _MANY and high <= most and many <= attained:
                return many
            return both(self.shared(low, high))

        if self.first == self.second:
            last = last // 2  # s and n-1-s are mirrors
        blocks = [(-worse(0, last), 0, last)]
        for _ in range(_MOST_DIVISIONS):
            negative, low, high = blocks[0]
            if -negative <= attained * (1 + tolerance):
                break
            if low == high:
                return -negative
            heapq.heappop(blocks)
            middle = (low + high) // 2
            for part in ((low, middle), (middle + 1, high)):
                heapq.heappush(blocks, (-worse(*part), *part))
        return max(-blocks[0][0], attained)
