"""Discrete Gaussian noise on one integer that moves by a whole number, or on two that move by one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.interval_arithmetic import arb, flint
from privior.privacy.pairs.balls import ball, upper
from privior.privacy.pairs.contract import SymmetricPair

# Sums of positive terms, whose relative error is far below this, are multiplied by it; a difference
# epsilon - loss is first lowered by more than the rounding of its two terms.
_UP = 1 + 1e-10
_ROUNDING = 1e-15
_LEAST = 5e-324
# beyond this many times sqrt(2 variance) (or sqrt(4 variance)) a Gaussian weighs less than 1e-300 in all
_FARTHEST = 28
_LARGEST_CHUNK = 1 << 20


@dataclass(frozen=True)
class DiscreteGaussianShift(SymmetricPair):
    """Discrete Gaussian noise of this variance on one integer that moves by `shift`, or on two that do by 1.

    One coordinate: P is the discrete Gaussian, Q its shift by d, loss(x) = (d^2 - 2dx) / (2 variance).
    Smaller shifts are dominated: the law is log-concave, so the best tests are thresholds, and the chance
    below one of them falls as the shift grows.
    Two coordinates moving by +1 and -1: the loss (1 - d) / variance depends on d = x1 - x2 only, and
    P(d) is proportional to exp(-d^2 / (4 variance)) theta(d), where theta(d), the sum over integers m
    of exp(-(m - d/2)^2 / variance), takes one value for even and one for odd d.
    Reflection of x (or d) shows that both orders give the same curve.

    Both orders have the same curves: reflection swaps both laws.
    """

    variance: Fraction
    coordinates: int
    shift: int = 1

    def __post_init__(self) -> None:
        if self.shift < 1 or (self.coordinates != 1 and self.shift != 1):
            raise ValueError("two coordinates move by one")

    @cached_property
    def rho(self) -> Fraction:
        """Divergences are at most l d^2/(2v) for each coordinate, and reached at whole l: see `renyi`."""
        return self.coordinates * self.shift**2 / (2 * self.variance)

    def renyi(self, order: float) -> float:
        """Return coordinates (l d^2/(2v) + log(T(l d)/T(0)) / (l-1)), T(c) the sum of exp(-(x-c)^2 / (2v)).

        Completing the square, for each coordinate; by Poisson's formula T(c) is proportional to Jacobi's
        theta_3 at c of parameter 2 pi i v. T is largest at whole c, so l d^2/(2v) is a bound, reached there.
        """

        def formula() -> arb:
            v, l = ball(self.variance), ball(order)  # noqa: E741
            plain = l * self.shift**2 / (2 * v)
            if order != int(order):
                tau = flint.acb(0, 2 * flint.arb.pi() * v)
                shifted = flint.acb.modular_theta(flint.acb(l * self.shift), tau)[2].real
                plain += (shifted / flint.acb.modular_theta(flint.acb(0), tau)[2].real).log() / (l - 1)
            return self.coordinates * plain

        return upper(formula)

    def delta(self, epsilon: float) -> float:
        """Sum P(x) (1 - e^(epsilon - loss(x))) from the first x with a positive term downwards."""
        variance, d = float(self.variance), self.shift
        if self.coordinates == 1:
            start = math.ceil(d / 2 - epsilon * variance / d) + 1
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
            loss = d * (d - 2 * x) / (2 * variance) if self.coordinates == 1 else (1 - x) / variance
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


def _theta(offset: float, variance: float) -> float:
    """Sum exp(-(m - offset)^2 / variance) over all integers m, directly or by Poisson's formula."""
    if variance < 1:
        return math.fsum(math.exp(-((m - offset) ** 2) / variance) for m in range(-30, 31))
    waves = [
        2 * math.cos(2 * math.pi * m * offset) * math.exp(-((math.pi * m) ** 2) * variance)
        for m in range(1, 9)
    ]
    return math.sqrt(math.pi * variance) * (1 + math.fsum(waves))
