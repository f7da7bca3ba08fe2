"""Several draws from one table with two levels, the number of records public."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privior.exact import round_up
from privior.privacy.composition.composed import Composed
from privior.privacy.pairs import BetaPair, TwoLevelsPair, WorstOf
from privior.privacy.pairs.contract import SymmetricPair

#: that of a composition is no better
_TOLERANCE = 1e-3
#: compositions remembered: a search looks at a few dozen
_composition = lru_cache(maxsize=128)(lambda pair, times: Composed(((pair, times),)))


@dataclass(frozen=True)
class TwoLevelsDraws(SymmetricPair):
    """The worst, over s and both orders, of `times` draws from the Beta pair of s (`TwoLevelsPair`).

    The data choose s and the order once, for all draws: so each is composed by itself, and the worst taken
    last. The kernel by which a BetaPair dominates those of larger parameters acts on each draw, so the
    composition of one that dominates a block of s bounds all compositions of the block: the same search.

    Both orders are among the pairs.
    """

    table: TwoLevelsPair
    times: int

    def delta(self, epsilon: float) -> float:
        """The largest over s and both orders."""
        return self.table.largest(lambda pair: _composition(pair, self.times).delta(epsilon), _TOLERANCE)

    def likely(self, epsilon: float) -> float:
        """The larger of those with all shared records in one cell: the worst as a rule, but no bound."""
        ends = {self.table.shared(0), self.table.shared(self.table.records - 1)}
        pairs = {one for pair in ends for one in (pair, pair.mirror)}
        return max(_composition(pair, self.times).delta(epsilon) for pair in pairs)

    def least(self, epsilon: float) -> float:
        """Bound it from below, by the s and order that was found to be the worst."""
        found: dict[BetaPair, float] = {}

        def measure(pair: BetaPair) -> float:
            stated = float(_composition(pair, self.times).delta(epsilon))
            if pair.first + pair.second == ends.first + ends.second:  # of one s, not of a block
                found[pair] = stated
            return stated

        ends = self.table.shared(0)
        self.table.largest(measure, _TOLERANCE)
        return float(_composition(max(found, key=found.__getitem__), self.times).least(epsilon))

    def renyi(self, order: float) -> float:
        """The largest over s and both orders: `times` that of one draw."""
        one = self.table.renyi(order)
        return one if one == float("inf") else round_up(self.times * Fraction(one))

    @property
    def few(self) -> WorstOf:
        """The worst of the blocks, each drawn so often."""
        return WorstOf(tuple(_composition(one, self.times) for one in self.table.blocks))
