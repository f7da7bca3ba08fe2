"""The Gaussian pair: what Gaussian differential privacy compares with."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from privior.exact import rational
from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.contract import SymmetricPair


@dataclass(frozen=True)
class GaussianPair(SymmetricPair):
    """P = N(mu, 1), Q = N(0, 1), by the exact square of mu (mu itself may be irrational).

    A release dominated by this pair is mu-GDP (Dong, Roth, Su 2022). The loss mu y - mu^2/2 exceeds epsilon
    above epsilon/mu + mu/2. Reflection shows that both orders have the same curve.

    Both orders have the same curves: reflection swaps both laws.
    """

    mu_squared: Fraction = field()  # the name is the contract's: without `field()` its default would be ours

    @staticmethod
    def of(mu: object) -> GaussianPair:
        """Read mu exactly."""
        return GaussianPair(rational(mu, "mu") ** 2)

    @property
    def mu(self) -> float:
        """The parameter of Gaussian differential privacy, rounded up."""
        return upper(lambda: ball(self.mu_squared).sqrt())

    @cached_property
    def rho(self) -> Fraction:
        """The parameter of concentrated differential privacy, mu^2 / 2, exact."""
        return self.mu_squared / 2

    def grouped(self, size: int) -> GaussianPair:
        """m mu (Dong, Roth, Su 2022, on groups)."""
        return GaussianPair(size**2 * self.mu_squared)

    @property
    def adds_up(self) -> tuple[str, Hashable, Fraction]:
        """mu^2 adds up."""
        return "mu^2", None, self.mu_squared

    def of_amount(self, amount: Fraction) -> tuple[GaussianPair, int]:
        """Return the one pair of this mu^2."""
        return GaussianPair(amount), 1

    def delta(self, epsilon: float) -> float:
        """Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu), by the complementary error function."""

        def formula() -> arb:
            mu, e, two = ball(self.mu_squared).sqrt(), ball(epsilon), ball(2)
            mine = ((e / mu - mu / 2) / two.sqrt()).erfc()
            other = ((e / mu + mu / 2) / two.sqrt()).erfc()
            return (mine - e.exp() * other) / 2

        return min(1.0, upper(formula))

    def renyi(self, order: float) -> float:
        """Return order * mu^2 / 2."""
        return upper(lambda: ball(Fraction(order) * self.mu_squared / 2))
