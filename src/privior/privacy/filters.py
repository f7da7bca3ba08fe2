"""Filters: when to stop releases whose budgets may depend on what earlier ones released.

A filter is fixed and public before the first release. It adds up one kind of cost, the next release
included, and admits that release only while the sum is within its cap. Then all releases together have the
promise of the cap. The sum so far, which may itself depend on the releases, promises nothing by itself:
`converts` says what a filter with that sum as its cap would promise.

The five kinds, all exact or rounded up; docs/guarantees.md proves each:
- `BasicFilter`: sums of (epsilon, delta) (Rogers, Roth, Ullman, Vadhan 2016);
- `GaussianFilter`: sum of mu^2 (Smith, Thakurta 2022);
- `ConcentratedFilter`: sum of rho (Whitehouse, Ramdas, Rogers, Wu 2023);
- `RenyiFilter` with one public order (Feldman, Zrnic 2021), or with a public finite set of orders.

There is no filter for privacy-loss distributions or trade-off functions. Stopping when the composition of the
curves spent so far reaches (epsilon, delta) is not valid: which curve is worst depends on epsilon, and
an adversary who sees the losses so far chooses the next curve to suit them, so that the sum of losses is
worse than that of any list fixed before. A plan fixed beforehand is composed (`composition`) and enters a
filter with its own total.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Self

from privior.checks import above_zero
from privior.errors import NumberError, PlanError, shown
from privior.exact import rational, round_up
from privior.privacy.budget import NOTHING, Budget
from privior.privacy.curve import Curve
from privior.privacy.pairs import Concentrated, DominatingPair, GaussianPair
from privior.privacy.pairs.balls import ball, upper

#: sums of Renyi divergences, one for each order; None is infinite
RenyiTotal = tuple[Fraction | None, ...]


@dataclass(frozen=True)
class BasicFilter:
    """Sums of (epsilon, delta) within a cap; accepts budgets, and pairs that are pure in both orders."""

    cap: Budget

    @property
    def nothing(self) -> Budget:
        """The sum before the first release."""
        return NOTHING

    def add(self, total: Budget, cost: Budget | DominatingPair) -> Budget:
        """Return the sum with this cost."""
        if isinstance(cost, Budget):
            return total + cost
        if cost.largest_loss is None:
            allowed = "a pure guarantee, or an amount of its own"
            raise _refused(cost, "a sum of (epsilon, delta)", allowed, "Its loss has no bound.")
        return total + Budget(cost.largest_loss)

    def admits(self, total: Budget, cost: Budget | DominatingPair) -> bool:
        """Say whether the sum with this cost is within the cap, exactly."""
        return self.add(total, cost).fits(self.cap)

    def converts(self, total: Budget) -> Budget:
        """Return the sum: it is an (epsilon, delta)."""
        return total


@dataclass(frozen=True)
class SumFilter(ABC):
    """One sum within a cap.

    Attributes:
        cap: the largest sum
        delta: at which sums are converted
    """

    cap: Fraction
    delta: Fraction
    #: what is summed, and what dominates all releases of a sum together
    unit: ClassVar[str]
    pair: ClassVar[type[GaussianPair] | type[Concentrated]]

    @classmethod
    def of(cls, cap: object, delta: object) -> Self:
        """Read both numbers exactly."""
        return cls(above_zero(cap, cls.unit), _chance(delta))

    @property
    def nothing(self) -> Fraction:
        """The sum before the first release."""
        return Fraction(0)

    @abstractmethod
    def add(self, total: Fraction, cost: DominatingPair) -> Fraction:
        """Return the sum with this pair."""

    def admits(self, total: Fraction, cost: DominatingPair) -> bool:
        """Say whether the sum with this pair is within the cap, exactly."""
        return self.add(total, cost) <= self.cap

    def converts(self, total: Fraction) -> tuple[float, Fraction]:
        """Return the smallest epsilon at delta for this sum, rounded up."""
        return (Curve(self.pair(total)).epsilon(self.delta) if total else 0.0), self.delta


class GaussianFilter(SumFilter):
    """A sum of mu^2 within a cap.

    Accepts Gaussian pairs, pairs that are pure in both orders, the worst of several, and their compositions.

    A Brownian motion with drift 1 (P) or none (Q) moves in time mu^2 by mu times a draw of N(mu, 1) or
    N(0, 1): each release is a function of its next stretch, whose length depends on the past alone, and all
    are a function of the path up to the cap: the Gaussian pair with the cap for mu^2.
    A pure epsilon is a function of one draw with mu = 2 z, z the normal quantile of 1 / (1 + e^-epsilon): the
    trade-off curve of randomised response has three corners, all on that of the Gaussian, which is convex.
    """

    unit = "mu^2"
    pair = GaussianPair

    def add(self, total: Fraction, cost: DominatingPair) -> Fraction:
        """Return the sum with this pair."""
        if cost.mu_squared is None:
            why = "It has no mu that holds at every epsilon."
            raise _refused(cost, "a sum of mu^2", "Gaussian and pure guarantees", why)
        return total + cost.mu_squared


class ConcentratedFilter(SumFilter):
    """A sum of rho (zCDP) within a cap.

    Accepts Gaussian, discrete Gaussian, bounded-range and concentrated pairs, pairs that are pure in both
    orders (rho = epsilon^2 / 2: Bun, Steinke 2016), the worst of several, and compositions of them.
    For every order l, e^((l-1)(loss - l times the sum of rho)) is a supermartingale under P, and the sum is
    within the cap at the end: all releases together have that rho.
    """

    unit = "rho"
    pair = Concentrated

    def add(self, total: Fraction, cost: DominatingPair) -> Fraction:
        """Return the sum with this pair."""
        if cost.rho is None:
            raise _refused(cost, "a sum of rho", "a concentrated or pure guarantee", "Its loss has no bound.")
        return total + cost.rho


@dataclass(frozen=True)
class RenyiFilter:
    """Sums of Renyi divergences at public orders, for (epsilon, delta); accepts any pair finite at one order.

    Goes on while some order l has its sum, the next release included, within
    epsilon - ln(n / delta) / (l - 1), n the number of orders. One order: the filter of Feldman-Zrnic 2021.
    Several: let M_l = e^((l-1)(loss so far - sum so far at l)), which stops as soon as the next release
    would bring l's sum above its cap: a supermartingale under P, of mean at most 1. At the end the order
    that admitted the last release has its sum within its cap, all releases included; if then the loss
    exceeds epsilon, its M_l exceeds n / delta. By Markov each of the n has chance delta / n: a union bound.
    Only this simple conversion is valid here, not the sharper ones for lists fixed beforehand.

    Both orders of a pair are charged, the larger divergence at each order: that is valid for every
    neighbour relation.

    Attributes:
        orders: all above 1, each once
        epsilon: the cap
        delta: the cap
    """

    orders: tuple[Fraction, ...]
    epsilon: Fraction
    delta: Fraction

    @staticmethod
    def of(orders: tuple[object, ...], epsilon: object, delta: object) -> RenyiFilter:
        """Read the orders, epsilon and delta exactly."""
        found = tuple(sorted(rational(order, "order") for order in orders))
        if not found or found[0] <= 1 or len(set(found)) != len(found):
            raise NumberError("not a set of orders", asked=shown(orders), allowed="above 1, each once")
        return RenyiFilter(found, above_zero(epsilon, "epsilon"), _chance(delta))

    @property
    def nothing(self) -> RenyiTotal:
        """The sums before the first release."""
        return (Fraction(0),) * len(self.orders)

    def add(self, total: RenyiTotal, cost: DominatingPair) -> RenyiTotal:
        """Return the sums with this pair; divergences are rounded up, and grow with the order."""
        floats = [round_up(order) for order in self.orders]
        costs = [max(cost.renyi(order), cost.mirror.renyi(order)) for order in floats]
        if all(math.isinf(found) for found in costs):
            raise _refused(
                cost, "sums of Renyi divergences", "a finite divergence at one order", "All are infinite."
            )
        return tuple(
            None if before is None or math.isinf(more) else before + Fraction(more)
            for before, more in zip(total, costs, strict=True)
        )

    def admits(self, total: RenyiTotal, cost: DominatingPair) -> bool:
        """Say whether some order has its sum with this pair within its cap."""
        pairs = zip(self.add(total, cost), self.surcharges(), strict=True)
        return any(found is not None and found + surcharge <= self.epsilon for found, surcharge in pairs)

    def converts(self, total: RenyiTotal) -> tuple[float, Fraction]:
        """Return the smallest epsilon, over the orders, of these sums at delta; infinite if there is none."""
        found = [
            s + surcharge for s, surcharge in zip(total, self.surcharges(), strict=True) if s is not None
        ]
        return (round_up(min(found)) if found else math.inf), self.delta

    def surcharges(self) -> list[Fraction]:
        """ln(n / delta) / (l - 1) for each order, rounded up."""
        logarithm = Fraction(upper(lambda: ball(len(self.orders) / self.delta).log()))
        return [logarithm / (order - 1) for order in self.orders]


def _refused(pair: DominatingPair, what: str, allowed: str, why: str) -> PlanError:
    return PlanError(
        f"this release has no place in {what}", where="filter", asked=shown(pair), allowed=allowed, advice=why
    )


def _chance(value: object) -> Fraction:
    number = rational(value, "delta")
    if not 0 < number < 1:
        raise NumberError("delta is out of range", asked=shown(value), allowed="above 0, below 1")
    return number
