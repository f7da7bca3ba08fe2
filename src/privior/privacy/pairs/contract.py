"""The contract of a dominating pair, and what follows from it for any pair.

A dominating pair is an ordered pair of laws (P, Q) such that no two neighbours' releases can be told apart
better: for every epsilon the hockey-stick divergence sup_S P(S) - e^epsilon Q(S) is at least theirs.
Whatever a pair states is an upper bound, tight up to rounding: never below the truth.

A pair answers for itself: all that depends on its fields is said in its own class, and nothing elsewhere asks
what class it is of. What is not said follows from `pure` alone, or is not known.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable
from fractions import Fraction
from functools import cached_property
from typing import Self

from privior.interval_arithmetic import arb
from privior.privacy.pairs.balls import ball, upper


class DominatingPair(ABC):
    """What a guarantee needs of an ordered pair of laws (P, Q)."""

    # ---- this order ---------------------------------------------------------------------------------------

    @property
    def pure(self) -> Fraction | None:
        """The largest privacy loss log P/Q, exact or rounded up; None if no bound is known."""
        return None

    @property
    @abstractmethod
    def mirror(self) -> DominatingPair:
        """The pair in the other order, (Q, P); the pair itself if both orders have the same curves."""

    @abstractmethod
    def delta(self, epsilon: float) -> float:
        """Return the hockey-stick divergence of P from Q at any epsilon, also a negative one."""

    @abstractmethod
    def renyi(self, order: float) -> float:
        """Return the Renyi divergence of P from Q, order above 0 (1: Kullback-Leibler); may be infinite."""

    @property
    def certain(self) -> Fraction:
        """A chance under P of outcomes that Q cannot give; never above the truth."""
        return Fraction(0)

    def least(self, epsilon: float) -> float:
        """Return delta, or less if it was raised by rounding losses to a grid: how far it is from exact."""
        return self.delta(epsilon)

    def smooth_loss(self) -> tuple[arb, arb | None, arb, arb] | None:
        """Return (a, b, slope, shift) in balls if the loss is elementary under P, or else None.

        It is slope * logit(y) - shift, y ~ Beta(a, b) or, if b is None, slope * log(g) - shift, g ~ Gamma(a).
        """
        return None

    # ---- both orders: what filters add up -----------------------------------------------------------------
    # Remembered, not computed properties, so that a pair may have one of these names as a field.

    @cached_property
    def rho(self) -> Fraction | None:
        """rho with every Renyi divergence of order l at most l rho, in both orders; None if none is known.

        epsilon^2 / 2 if the pair is pure in both orders (Bun, Steinke 2016, Proposition 1.4).
        """
        epsilon = self.largest_loss
        return None if epsilon is None else epsilon**2 / 2

    @cached_property
    def mu_squared(self) -> Fraction | None:
        """The square of a mu whose Gaussian pair dominates both orders; None if none is known.

        Of a pure epsilon, rounded up: the least is mu = 2 z, z the normal quantile of 1 / (1 + e^-epsilon).
        """
        epsilon = self.largest_loss
        if epsilon is None:
            return None
        return Fraction(upper(lambda: 8 * (2 / (1 + ball(epsilon).exp())).erfcinv() ** 2))

    @property
    def mu(self) -> float | None:
        """The mu of a pair whose curve is that of a Gaussian pair, rounded up; None for any other."""
        return None

    @property
    def largest_loss(self) -> Fraction | None:
        """The larger `pure` of both orders; None if one has no bound."""
        one, other = self.pure, self.mirror.pure
        return None if one is None or other is None else max(one, other)

    # ---- groups and compositions --------------------------------------------------------------------------

    def grouped(self, size: int) -> DominatingPair | None:
        """Return the pair of a unit of up to `size` records in closed form; None if there is none."""
        return None

    @property
    def members(self) -> tuple[DominatingPair, ...]:
        """The pairs of which one, not known which, dominates all repetitions."""
        return (self,)

    @cached_property
    def parts(self) -> tuple[tuple[DominatingPair, int], ...]:
        """The independent pairs, each so many times, of which it is composed."""
        return ((self, 1),)

    @property
    def few(self) -> DominatingPair:
        """The worst of few pairs, to be composed with others: the pair itself unless it stands for many."""
        return self

    @property
    def adds_up(self) -> tuple[str, Hashable, Fraction] | None:
        """In which kind of sum it composes exactly, with which others of that kind, and what it adds."""
        return None

    def of_amount(self, amount: Fraction) -> tuple[DominatingPair, int]:
        """Return the pair of such a sum, and how often it is to be composed."""
        raise NotImplementedError


class SymmetricPair(DominatingPair):
    """A pair whose two orders have the same curves; why is said where one is defined."""

    @property
    def mirror(self) -> Self:
        """The pair itself: both orders have one curve."""
        return self
