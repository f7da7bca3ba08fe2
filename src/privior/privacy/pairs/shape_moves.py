"""Shape moves: a Dirichlet draw of any non-negative statistics, of which only sensitivities are declared."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, balls, upper
from privior.privacy.pairs.contract import SymmetricPair

#: halvings of the search for an order; logits of its place between 1 and the end are sought within this
_STEPS, _REACH = 90, 20.0


@dataclass(frozen=True)
class ShapeMoves(SymmetricPair):
    """Y ~ Dirichlet(u), all u_i >= `smallest` = a;
    neighbours move u by s: |s_i| <= `largest`, |s|^2 <= `squared`.

    Proof. Y is a function of independent Gammas of the shapes u_i, so a divergence of Y is at most the sum of
    theirs. What two neighbours share above a is the same independent Gamma added on both sides: the shapes
    are a and a + s_i, in one order or the other. With h(t) = lnG(a + s t), the divergence of order l is

        [h(1 - l) + (l-1) h(1) - l h(0)] / (l-1)    of Gamma(a) from Gamma(a + s),
        [h(l) + (l-1) h(0) - l h(1)] / (l-1)        of Gamma(a + s) from Gamma(a).

    Both vanish for linear h, so both are s^2 times the integral of psi'(a + s t) against a kernel that is not
    negative (Peano) and weighs l/2. psi' is convex and decreasing. So divided by s^2 the second decreases in
    s from l/2 psi'(a), and the first is convex in s: nowhere above the larger of its ends, l/2 psi'(a) at
    s = 0 and its value at s = `largest`. Summed over the cells:

        D_l <= squared * max(l/2 psi'(a), D_l(Gamma(a) | Gamma(a + largest)) / largest^2),

    infinite from l = 1 + a/largest on; below order 1 the first end is the larger. Never above the bound
    squared * l/2 psi'(a - (l-1) largest), in which psi' is taken at the far end of the kernel. Several draws:
    the divergences add up, so `squared` does.

    delta is the least over l of the conversion (Canonne, Kamath, Steinke 2020), as in `Concentrated`, and at
    most that of the total variation, sqrt(D_1/2) by Pinsker. A bound on curves, not the curve of two laws.

    Both orders have the same curves: the bound holds in both orders.
    """

    smallest: Fraction
    squared: Fraction
    largest: Fraction

    @property
    def end(self) -> Fraction:
        """The orders of finite divergence end here."""
        return 1 + self.smallest / self.largest

    @property
    def adds_up(self) -> tuple[str, Hashable, Fraction]:
        """Squared moves from one smallest shape, of one largest move."""
        return "squared moves", (self.smallest, self.largest), self.squared

    def of_amount(self, amount: Fraction) -> tuple[ShapeMoves, int]:
        """Of moves that sum to this."""
        return replace(self, squared=amount), 1

    def renyi(self, order: float) -> float:
        """Return the bound on the divergence."""
        at = Fraction(order)
        if at >= self.end:
            return math.inf
        flat = upper(lambda: self._flat(at))
        return flat if at <= 1 else max(flat, upper(lambda: self._far(at)))

    def delta(self, epsilon: float) -> float:
        """Convert at the best order that a golden-section search finds: any order is safe."""
        order = self._best_order(epsilon)

        def converted(divergence: arb) -> arb:
            l, above, e = balls(order, order - 1, epsilon)  # noqa: E741
            return (above * (divergence - e) + l * (1 - 1 / l).log()).exp() / above

        found = max(upper(lambda: converted(self._flat(order))), upper(lambda: converted(self._far(order))))
        return min(1.0, found, self._from_distance(epsilon))

    def _from_distance(self, epsilon: float) -> float:
        if epsilon >= 0:
            return self._distance
        return upper(lambda: 1 - ball(epsilon).exp() * (1 - ball(self._distance)))

    @cached_property
    def _distance(self) -> float:
        """Bound the total variation of the two laws, by Pinsker's inequality."""
        return min(1.0, upper(lambda: self._flat(Fraction(1)).sqrt() / ball(2).sqrt()))

    def _flat(self, order: Fraction) -> arb:
        """The bound of many small moves: squared * order/2 psi'(a), psi'(a) = zeta(2, a)."""
        return ball(order / 2 * self.squared) * ball(2).zeta(ball(self.smallest))

    def _far(self, order: Fraction) -> arb:
        """The bound of the largest moves, order above 1."""
        excess = order - 1
        near, far, low = balls(
            self.smallest, self.smallest + self.largest, self.smallest - excess * self.largest
        )
        gap = low.lgamma() + ball(excess) * far.lgamma() - ball(order) * near.lgamma()
        return gap * ball(self.squared / (excess * self.largest**2))

    def _best_order(self, epsilon: float) -> Fraction:
        """Minimise the convex logarithm of the conversion, in floats."""
        span = float(self.end - 1)

        def order(logit: float) -> Fraction:
            return 1 + Fraction(span / (1 + math.exp(-logit)))

        def size(logit: float) -> float:
            at = order(logit)
            if not 1 < at < self.end:
                return math.inf
            excess, divergence = float(at - 1), max(float(self._flat(at).mid()), float(self._far(at).mid()))
            return (
                excess * (divergence - epsilon)
                + excess * math.log(excess)
                - (1 + excess) * math.log1p(excess)
            )

        low, high, ratio = -_REACH, _REACH, (math.sqrt(5) - 1) / 2
        for _ in range(_STEPS):
            left, right = high - ratio * (high - low), low + ratio * (high - low)
            low, high = (low, right) if size(left) < size(right) else (left, high)
        found = order((low + high) / 2)
        return found if 1 < found < self.end else 1 + (self.end - 1) / 2
