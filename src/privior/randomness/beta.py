"""The Beta law, by enclosures of its distribution function, for exactly rounded draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privior.interval_arithmetic import arb, flint
from privior.randomness.concave import ConcaveLaw, EnclosedCurve, ball, grown, magnitude
from privior.special import betaincinv

#: where both parameters are this large, or this large and alike, quadrature is quicker than Arb's functions
_LARGE, _LARGE_ALIKE, _ALIKE = 600, 64, 8


@dataclass(frozen=True)
class BetaLaw(ConcaveLaw):
    """Beta(first, second), with exact rational parameters, a and b.

    The coordinate is t = log(x / (1-x)): phi(t) = a t - m log(1 + e^t) - log B(a, b), m = a + b.
    """

    first: Fraction
    second: Fraction
    ends = (0, 1)
    size = 0

    @property
    def guard(self) -> int:
        """Logarithms as large as the parameters cancel."""
        return math.ceil(self.first + self.second).bit_length() + 16

    @property
    def centre(self) -> Fraction:
        """The mean of the law, near which it is looked at first."""
        return self.first / (self.first + self.second)

    @property
    def steepest(self) -> tuple[Fraction, Fraction]:  # type: ignore[override]
        """On both sides phi becomes a straight line."""
        return self.first, self.second

    def guess(self, share: float) -> Fraction | None:
        """The quantile in floating point."""
        if max(magnitude(self.first), magnitude(self.second)) > 1000:
            return None
        found = float(betaincinv(float(self.first), float(self.second), share))
        return Fraction(found) if math.isfinite(found) else None

    def below(self, point: Fraction) -> arb:
        """By quadrature, or by the incomplete Beta function at the smaller of the point and what is left.

        Far out in a tail that function may know nothing, with any number of bits; quadrature does.
        """
        least, most = sorted((self.first, self.second))
        if least >= _LARGE or (least >= _LARGE_ALIKE and most <= _ALIKE * least):
            return super().below(point)
        a, b = ball(self.first), ball(self.second)
        if 2 * point > 1:
            found = 1 - ball(1 - point).beta_lower(b, a, regularized=True)
        else:
            found = ball(point).beta_lower(a, b, regularized=True)
        if found.rad() < flint.arb(2) ** (self.guard - flint.ctx.prec):
            return found
        return super().below(point)

    def density(self, points: arb) -> arb:
        """x^(a-1) (1-x)^(b-1) / B(a, b)."""
        powers = (self.first - 1, points), (self.second - 1, 1 - points)
        logs = [ball(power) * base.log() for power, base in powers if power]
        return (sum(logs, -_log_beta(self.first, self.second))).exp()

    def coordinate(self, x: Fraction) -> arb:
        """Enclose log(x / (1-x))."""
        return ball(x / (1 - x)).log()

    def gap(self, low: Fraction, high: Fraction) -> arb:
        """The difference of two such logarithms."""
        return ball((high - low) / (low * (1 - high))).log1p()

    def moved(self, x: Fraction, by: float) -> Fraction:
        """Return about the point whose odds are e^by times as large."""
        odds = x / (1 - x) * grown(by)
        return odds / (1 + odds)

    def curve(self) -> EnclosedCurve:
        """Of the logarithm of the density of t.

        |phi''(t+is)| = m / (2 (cosh t + cos s)), and nothing is singular for |s| < pi.
        """
        a, b, m = ball(self.first), ball(self.second), ball(self.first + self.second)
        norm = _log_beta(self.first, self.second)

        def bend(ts: arb, height: arb) -> arb:
            if not height < 3:
                return flint.arb("inf")
            return m / (2 * (ts.abs_lower().cosh() + height.cos()))

        def slope(t: arb) -> arb:
            odds = t.exp()
            return (a - b * odds) / (1 + odds)  # nothing cancels in the tails

        return EnclosedCurve(lambda t: a * t - m * t.exp().log1p() - norm, slope, bend)


def _log_beta(first: Fraction, second: Fraction) -> arb:
    return _log_beta_at(first, second, flint.ctx.prec)


@lru_cache(maxsize=8)
def _log_beta_at(first: Fraction, second: Fraction, precision: int) -> arb:
    a, b = ball(first), ball(second)
    return a.lgamma() + b.lgamma() - (a + b).lgamma()
