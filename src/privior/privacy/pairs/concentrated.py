"""Concentrated divergence: a bound on every Renyi divergence at once."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, balls, upper
from privior.privacy.pairs.contract import SymmetricPair


@dataclass(frozen=True)
class Concentrated(SymmetricPair):
    """Any pair whose Renyi divergence of order a is at most a rho for every a > 1, in both orders (zCDP).

    delta(epsilon) is the minimum over a > 1 of exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)^a
    (Canonne, Kamath, Steinke 2020, Corollary 13); any a gives a valid bound, so the search is safe: it is
    made in floating point, and the bound at what it found is evaluated in balls.
    A bound on curves, not itself the curve of two laws.

    Both orders have the same curves: the bound holds in both orders.
    """

    rho: Fraction = field()  # the name is the contract's: without `field()` its default would be ours

    def grouped(self, size: int) -> Concentrated:
        """m^2 rho (Bun, Steinke 2016, on groups)."""
        return Concentrated(size**2 * self.rho)

    @property
    def adds_up(self) -> tuple[str, Hashable, Fraction]:
        """rho adds up."""
        return "rho", None, self.rho

    def of_amount(self, amount: Fraction) -> tuple[Concentrated, int]:
        """Return the one bound of this rho."""
        return Concentrated(amount), 1

    def delta(self, epsilon: float) -> float:
        """Minimise the bound over the order by golden-section search in log(a - 1)."""
        rho = float(self.rho)

        def log_bound(log_excess: float) -> float:
            a = 1 + math.exp(log_excess)
            return (a - 1) * (a * rho - epsilon) - log_excess + a * math.log1p(-1 / a)

        low, high = -20.0, 40.0
        ratio = (math.sqrt(5) - 1) / 2
        for _ in range(200):
            left, right = high - ratio * (high - low), low + ratio * (high - low)
            if log_bound(left) < log_bound(right):
                high = right
            else:
                low = left
        excess = Fraction(math.exp((low + high) / 2))

        def formula() -> arb:
            above, a, r, e = balls(excess, 1 + excess, self.rho, epsilon)
            return (above * (a * r - e) + a * (1 - 1 / a).log()).exp() / above

        return min(1.0, upper(formula))

    def renyi(self, order: float) -> float:
        """Return order times rho; below order 1 the divergence is at most that of order 1, rho."""
        return upper(lambda: ball(max(Fraction(order), Fraction(1)) * self.rho))
