"""The Gamma pair of different rates: one record adds to the rate."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, balls, upper
from privior.privacy.pairs.contract import DominatingPair
from privior.privacy.pairs.incomplete import gamma_above, gamma_below


@dataclass(frozen=True)
class GammaScalePair(DominatingPair):
    """P = Gamma of rate 1, Q = Gamma of rate `ratio` > 1, the same shape; swapped if `steeper`.

    One draw of an Exponential rate or a Normal precision from its Gamma posterior: the rate is beta plus
    the sum of n statistics in [A, B], n public, so replacing one record multiplies it by at most
    1 + (B-A)/(beta + nA), all other records at A. Smaller ratios R are dominated: the likelihood ratio of
    the family g -> rate is monotone. N draws have the product of the likelihood ratios, which depends on
    their sum: N times the shape.

    The loss (R-1) g - shape ln R lies in (-shape ln R, infinity): unbounded in this order. In the other
    order it is the negative: at most shape ln R, which is `pure`.
    """

    shape: Fraction
    ratio: Fraction
    steeper: bool = False

    @cached_property
    def pure(self) -> Fraction | None:
        """In the swapped order shape * ln(ratio), rounded up; in this one there is no bound."""
        if not self.steeper:
            return None
        return Fraction(upper(lambda: ball(self.shape) * ball(self.ratio).log()))

    @property
    def adds_up(self) -> tuple[str, Hashable, Fraction]:
        """Shapes of one ratio and order."""
        return "slopes", (self.ratio, self.steeper), self.shape

    def of_amount(self, amount: Fraction) -> tuple[GammaScalePair, int]:
        """Return the pair of this shape: shapes add up."""
        return replace(self, shape=amount), 1

    @property
    def mirror(self) -> GammaScalePair:
        """The pair in the other order, which has another curve."""
        return replace(self, steeper=not self.steeper)

    def delta(self, epsilon: float) -> float:
        """P[loss > epsilon] - e^epsilon Q[loss > epsilon]; below -shape ln R the event is certain."""
        if self.pure is not None and Fraction(epsilon) >= self.pure:
            return 0.0

        def formula() -> arb:
            k, ratio, e = balls(self.shape, self.ratio, epsilon)
            bound = k * ratio.log()
            none = ball(0)
            if self.steeper:
                point = ((bound - e) / (ratio - 1)).max(none)
                return gamma_below(ratio * point, k) - e.exp() * gamma_below(point, k)
            point = (e + bound) / (ratio - 1)
            if point < 0:
                return 1 - e.exp()
            point = point.max(none)
            return gamma_above(point, k) - e.exp() * gamma_above(ratio * point, k)

        return min(1.0, upper(formula))

    def renyi(self, order: float) -> float:
        """Return the closed form; this order is finite below ratio / (ratio - 1), the swapped one always."""
        if not self.steeper and Fraction(order) * (self.ratio - 1) >= self.ratio:
            return float("inf")

        def formula() -> arb:
            k, ratio, l = balls(self.shape, self.ratio, order)  # noqa: E741
            if order == 1:
                return k * (ratio.log() + 1 / ratio - 1) if self.steeper else k * (ratio - 1 - ratio.log())
            if self.steeper:
                return k * (l * ratio.log() - (1 + l * (ratio - 1)).log()) / (l - 1)
            return k * (-ratio.log() - (ratio - l * (ratio - 1)).log() / (l - 1))

        return upper(formula)
