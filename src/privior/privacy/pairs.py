"""Dominating pairs: two laws whose privacy loss is at least that of any two neighbours.

Contract: `delta(epsilon)` is the hockey-stick divergence of the pair, never rounded below its true
value, the larger of both orders; `pure` is the largest loss, None if it is unbounded.
All pairs here are symmetric: swapping the two laws gives the same curve.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

import numpy as np

# Sums of positive terms, whose relative error is far below this, are multiplied by it; a difference
# epsilon - loss is first lowered by more than the rounding of its two terms.
_UP = 1 + 1e-10
_ROUNDING = 1e-15
_LEAST = 5e-324
# beyond this many times sqrt(2 variance) (or sqrt(4 variance)) a Gaussian weighs less than 1e-300 in all
_FARTHEST = 28
_LARGEST_CHUNK = 1 << 20


class DominatingPair(Protocol):
    """What a guarantee needs of a pair."""

    @property
    def pure(self) -> Fraction | None:
        """The largest privacy loss; None if there is no bound."""

    def delta(self, epsilon: float) -> float:
        """Return an upper bound, tight up to rounding, of the hockey-stick divergence at epsilon."""


@dataclass(frozen=True)
class SignedSteps:
    """The loss is a sum of `times` independent signs, each worth `step`.

    `times` = 1 is randomised response, which dominates every mechanism whose loss never exceeds `step`
    (Kairouz, Oh, Viswanath 2015, Theorem 3.4 and its proof for k = 1): one output is e^step times as
    likely under one law as under the other, the second output the reverse. Adding discrete Laplace noise
    to an integer that moves by one gives exactly this pair.
    """

    step: Fraction
    times: int = 1

    @property
    def pure(self) -> Fraction | None:
        """All signs positive."""
        return self.step * self.times

    def delta(self, epsilon: float) -> float:
        """Sum P[loss] (1 - e^(epsilon - loss)) over the losses above epsilon."""
        if Fraction(epsilon) >= self.step * self.times:
            return 0.0
        up = 1 / (1 + math.exp(-float(self.step)))
        down = up * math.exp(-float(self.step))
        total = 0.0
        for plus in range(self.times + 1):
            loss = float(self.step * (2 * plus - self.times))
            gap = epsilon - loss - _ROUNDING * (abs(epsilon) + abs(loss))
            if gap < 0:
                chance = math.comb(self.times, plus) * up**plus * down ** (self.times - plus)
                total += chance * -math.expm1(gap)
        return min(1.0, max(total * _UP, _LEAST))


@dataclass(frozen=True)
class DiscreteGaussianShift:
    """Discrete Gaussian noise of this variance on one integer that moves by 1, or on two that do.

    One coordinate: P is the discrete Gaussian, Q its shift by one, loss(x) = (1 - 2x) / (2 variance).
    Two coordinates moving by +1 and -1: the loss (1 - d) / variance depends on d = x1 - x2 only, and
    P(d) is proportional to exp(-d^2 / (4 variance)) theta(d), where theta(d), the sum over integers m
    of exp(-(m - d/2)^2 / variance), takes one value for even and one for odd d.
    Reflection of x (or d) shows that both orders give the same curve.
    """

    variance: Fraction
    coordinates: int

    @property
    def pure(self) -> Fraction | None:
        """The loss is unbounded."""
        return None

    def delta(self, epsilon: float) -> float:
        """Sum P(x) (1 - e^(epsilon - loss(x))) from the first x with a positive term downwards."""
        variance = float(self.variance)
        if self.coordinates == 1:
            start = math.ceil(0.5 - epsilon * variance) + 1
            widths, norms = 2 * variance, (1.0, 1.0)
        else:
            start = math.ceil(1 - epsilon * variance) + 1
            widths = 4 * variance
            norms = (_theta(0.0, variance), _theta(0.5, variance))
        farthest = math.ceil(_FARTHEST * math.sqrt(widths))
        total = 1e-300 if start > farthest else 0.0  # what lies farther out, where all terms are positive
        start = min(start, farthest)
        normaliser = _theta(0.0, 2 * variance) ** self.coordinates
        chunk = min(_LARGEST_CHUNK, 64 + int(12 * math.sqrt(widths)))
        while True:
            x = np.arange(start, start - chunk, -1, dtype=np.float64)
            loss = (1 - 2 * x) / (2 * variance) if self.coordinates == 1 else (1 - x) / variance
            weight = np.exp(-x * x / widths) * np.where(x % 2 == 0, norms[0], norms[1])
            gap = epsilon - loss - _ROUNDING * (abs(epsilon) + np.abs(loss))
            total += float(np.sum(weight * -np.expm1(np.minimum(gap, 0.0))))
            start -= chunk
            # Past the mode the terms fall faster than geometrically: what is left is below the last
            # weight times the width of the law.
            rest = math.exp(-(start * start) / widths) * max(norms) * (math.sqrt(widths) + 2)
            if start < 0 and rest <= 1e-30 * total + 1e-300:
                break
        return min(1.0, max((total + rest) / normaliser * _UP, _LEAST))


@dataclass(frozen=True)
class Concentrated:
    """Any pair whose Renyi divergence of order a is at most a rho for every a > 1 (zCDP).

    delta(epsilon) is the minimum over a > 1 of exp((a-1)(a rho - epsilon)) / (a-1) * (1 - 1/a)^a
    (Canonne, Kamath, Steinke 2020, Corollary 13); any a gives a valid bound, so the search is safe.
    """

    rho: Fraction

    @property
    def pure(self) -> Fraction | None:
        """Concentration does not bound the largest loss."""
        return None

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
        return min(1.0, max(math.exp(min(0.0, log_bound((low + high) / 2) + 1e-8)), _LEAST))


def _theta(offset: float, variance: float) -> float:
    """Sum exp(-(m - offset)^2 / variance) over all integers m, directly or by Poisson's formula."""
    if variance < 1:
        return math.fsum(math.exp(-((m - offset) ** 2) / variance) for m in range(-30, 31))
    waves = [
        2 * math.cos(2 * math.pi * m * offset) * math.exp(-((math.pi * m) ** 2) * variance)
        for m in range(1, 9)
    ]
    return math.sqrt(math.pi * variance) * (1 + math.fsum(waves))
