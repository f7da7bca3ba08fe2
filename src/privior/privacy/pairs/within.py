"""Sampler error: what is left of a pair when draws are only near those it speaks of."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.contract import DominatingPair

_GOLDEN = (math.sqrt(5) - 1) / 2
#: no epsilon beyond this is looked at
_FARTHEST = 700.0


@dataclass(frozen=True)
class Within(DominatingPair):
    """What is released is within total variation `distance` of a mechanism with this pair, for all data.

    For any event S, what is released has P'(S) <= P(S) + t <= e^epsilon Q(S) + delta + t <= e^epsilon Q'(S) +
    delta + (1 + e^epsilon) t. That is delta(epsilon) + (1 + e^epsilon) t, convex in e^epsilon; where it
    would rise again, its smallest value holds, for the true curve never rises.
    The distances of several mechanisms add up, and are charged once, at the total.
    """

    pair: DominatingPair
    distance: Fraction

    @property
    def pure(self) -> Fraction | None:
        """A guarantee that was pure is so no more."""
        return None if self.distance else self.pair.pure

    @property
    def mirror(self) -> Within:
        """The mirror, as far away."""
        mirror = self.pair.mirror
        return self if mirror == self.pair else Within(mirror, self.distance)

    @cached_property
    def rho(self) -> Fraction | None:
        """None: no divergence is bounded."""
        return None if self.distance else self.pair.rho

    @cached_property
    def mu_squared(self) -> Fraction | None:
        """None: the curve ends above 0, no Gaussian one does."""
        return None if self.distance else self.pair.mu_squared

    def delta(self, epsilon: float) -> float:
        """Add (1 + e^epsilon) times the distance, where that is smallest up to epsilon."""
        stated = self._stated(epsilon)
        return min(stated, self._stated(self._turn)) if epsilon > self._turn else stated

    def renyi(self, order: float) -> float:
        """Events of any small chance may tell everything, so no divergence from order 1 is bounded."""
        if not self.distance:
            return self.pair.renyi(order)
        return math.inf

    def _stated(self, epsilon: float) -> float:
        if not self.distance:
            return self.pair.delta(epsilon)

        def formula() -> arb:
            return ball(self.pair.delta(epsilon)) + (1 + ball(epsilon).exp()) * ball(self.distance)

        return min(1.0, upper(formula))

    @cached_property
    def _turn(self) -> float:
        """About where the smallest value is; any place is safe, so floats decide."""
        if not self.distance:
            return _FARTHEST
        low, high = 0.0, 1.0
        while high < _FARTHEST and self._stated(2 * high) < self._stated(high):
            high *= 2
        high *= 2
        for _ in range(24):
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            if self._stated(left) <= self._stated(right):
                high = right
            else:
                low = left
        return (low + high) / 2
