"""The Normal law, by enclosures of its distribution function, for exactly rounded draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from privior.interval_arithmetic import arb, flint
from privior.randomness.concave import ConcaveLaw, EnclosedCurve, ball, magnitude
from privior.special import ndtri


@dataclass(frozen=True)
class NormalLaw(ConcaveLaw):
    """Normal(mean, variance), with exact rational parameters, in t = (x - mean) / sqrt(variance)."""

    mean: Fraction
    variance: Fraction
    ends = (None, None)
    steepest = (None, None)
    guard = 16

    def __post_init__(self) -> None:
        if self.variance <= 0:
            raise ValueError("a Normal law has a positive variance")

    @property
    def size(self) -> int:
        """About log2 of the standard deviation."""
        return magnitude(self.variance) // 2 + 1

    @property
    def centre(self) -> Fraction:
        """The mean of the law, near which it is looked at first."""
        return self.mean

    def guess(self, share: float) -> Fraction | None:
        """The quantile in floating point."""
        found = float(ndtri(share))
        if not math.isfinite(found):
            return None
        return self.mean + Fraction(found) * _root(self.variance)

    def below(self, point: Fraction) -> arb:
        """Enclose the chance of a draw below the point, by the complementary error function."""
        return (-self.coordinate(point) / flint.arb(2).sqrt()).erfc() / 2

    def density(self, points: arb) -> arb:
        """exp(-t^2/2) / sqrt(2 pi variance)."""
        deviation = ball(self.variance).sqrt()
        return self.curve().at((points - ball(self.mean)) / deviation).exp() / deviation

    def coordinate(self, x: Fraction) -> arb:
        """How many standard deviations above the mean."""
        return ball(x - self.mean) / ball(self.variance).sqrt()

    def gap(self, low: Fraction, high: Fraction) -> arb:
        """Enclose how far two points are apart, in standard deviations."""
        return ball(high - low) / ball(self.variance).sqrt()

    def moved(self, x: Fraction, by: float) -> Fraction:
        """Return about the point that is so many standard deviations away."""
        return x + Fraction(by) * _root(self.variance)

    def curve(self) -> EnclosedCurve:
        """Of the logarithm of the density of t; |phi''| = 1."""
        one, norm = flint.arb(1), (2 * flint.arb.pi()).log()
        return EnclosedCurve(lambda t: -(t * t + norm) / 2, lambda t: -t, lambda ts, height: one)


def _root(number: Fraction) -> Fraction:
    """Return about the square root, to the digits of a float, of a number of any size."""
    shift = 2 * (magnitude(number) // 2)
    return Fraction(math.sqrt(number / Fraction(2) ** shift)) * Fraction(2) ** (shift // 2)
