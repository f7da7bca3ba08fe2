"""Groups: units with several records, from a pair for one record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from privior.privacy.pairs.balls import ball, powers, upper
from privior.privacy.pairs.contract import DominatingPair
from privior.privacy.pairs.signed_steps import SignedSteps

#: orders at which a divergence is bounded; one of order 1 or below is at most that of a larger order
_ORDERS = (1.125, 1.25, 1.5, 2.0, 3.0, 5.0)


@dataclass(frozen=True)
class GroupPair(DominatingPair):
    """A unit with up to `size` = m records, each of which, one after the other, is covered by `pair`.

    From data set 0 to data set m one record changes at a time, so P_0(S) <= x P_1(S) + delta <= ... <= x^m
    P_m(S) + delta (1 + x + ... + x^(m-1)) for x = e^(epsilon/m): that is what is stated at epsilon, with
    delta = pair.delta(epsilon/m). A pure loss becomes m times as large, and randomised response at that loss
    is a second bound. This is not m-fold composition: one release is made, of data that differ more.
    """

    pair: DominatingPair
    size: int

    @property
    def pure(self) -> Fraction | None:
        """The pure loss of m records: m times that of one."""
        return None if self.pair.pure is None else self.size * self.pair.pure

    @property
    def mirror(self) -> GroupPair:
        """The way back: the mirror, as many times."""
        mirror = self.pair.mirror
        return self if mirror == self.pair else GroupPair(mirror, self.size)

    def delta(self, epsilon: float) -> float:
        """Bound delta from m steps of epsilon/m each; a float below epsilon/m is the safe side."""
        pure, other = self.pure, self.pair.mirror.pure
        step = math.nextafter(epsilon / self.size, -math.inf)
        each = self.pair.delta(step)

        found = min(1.0, upper(lambda: ball(each) * powers(ball(epsilon) / self.size, self.size)))
        found = found if each else 0.0
        if pure is not None and other is not None:
            found = min(found, SignedSteps(max(pure, self.size * other)).delta(epsilon))
        return found

    def renyi(self, order: float) -> float:
        """Bound the divergence by halving the way, at each half.

        By Cauchy-Schwarz, D_a(P|R) <= (a - 1/2)/(a - 1) D_2a(P|Q) + D_(2a-1)(Q|R) for a > 1; a smaller order
        has a smaller divergence. m times the pure loss is a bound at any order.
        """
        orders = [order] if order > 1 else []
        found = [_halved(self.pair, a, self.size) for a in (*orders, *(a for a in _ORDERS if a > order))]
        least = min((f for f in found if f is not None), default=None)
        pure = self.pure
        if least is None or (pure is not None and pure < least):
            least = pure
        return math.inf if least is None else upper(lambda: ball(least))


def _halved(pair: DominatingPair, order: float, size: int) -> Fraction | None:
    if size == 1:
        found = pair.renyi(order)
        return None if math.isinf(found) else Fraction(found)
    a = Fraction(order)
    first = _halved(pair, 2 * order, (size + 1) // 2)
    second = _halved(pair, math.nextafter(2 * order - 1, math.inf), size // 2)
    if first is None or second is None:
        return None
    return (a - Fraction(1, 2)) / (a - 1) * first + second


def group(pair: DominatingPair, size: int) -> DominatingPair:
    """Return the pair of a unit of up to `size` records, in closed form if the pair has one."""
    if size == 1:
        return pair
    closed = pair.grouped(size)
    return GroupPair(pair, size) if closed is None else closed
