"""The Gamma law, by enclosures of its distribution function, for exactly rounded draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from privior.interval_arithmetic import arb, flint
from privior.randomness.concave import ConcaveLaw, EnclosedCurve, ball, grown, magnitude
from privior.special import gammaincinv

#: up to this shape Arb's incomplete Gamma function is quicker than quadrature, and as narrow
_SMALL = 4096


@dataclass(frozen=True)
class GammaLaw(ConcaveLaw):
    """Gamma(shape, rate), with exact rational parameters; its mean is shape / rate.

    The coordinate is t = log(x / mean): phi(t) = shape (t - e^t) - log Gamma(shape) + shape log(shape).
    """

    shape: Fraction
    rate: Fraction
    ends = (0, None)

    def __post_init__(self) -> None:
        if self.shape <= 0 or self.rate <= 0:
            raise ValueError("a Gamma law has a positive shape and a positive rate")

    @property
    def guard(self) -> int:
        """Logarithms as large as the shape cancel."""
        return max(0, magnitude(self.shape)) + 16

    @property
    def size(self) -> int:
        """About log2 of the standard deviation."""
        return magnitude(self.shape / self.rate**2) // 2 + 1

    @property
    def centre(self) -> Fraction:
        """The mean of the law, near which it is looked at first."""
        return self.shape / self.rate

    @property
    def steepest(self) -> tuple[Fraction, None]:  # type: ignore[override]
        """To the left phi becomes a straight line."""
        return self.shape, None

    def guess(self, share: float) -> Fraction | None:
        """The quantile in floating point."""
        if magnitude(self.shape) > 1000:
            return None
        found = float(gammaincinv(float(self.shape), share))
        return Fraction(found) / self.rate if math.isfinite(found) else None

    def below(self, point: Fraction) -> arb:
        """By the upper incomplete Gamma function, or by quadrature."""
        if self.shape <= _SMALL:
            found = 1 - ball(point * self.rate).gamma_upper(ball(self.shape), regularized=True)
            if found.rad() < flint.arb(2) ** (self.guard - flint.ctx.prec):
                return found
        return super().below(point)

    def density(self, points: arb) -> arb:
        """rate^shape x^(shape-1) e^(-rate x) / Gamma(shape)."""
        return self.curve().at((points / ball(self.centre)).log()).exp() / points

    def coordinate(self, x: Fraction) -> arb:
        """Enclose log(x / mean)."""
        return ball(x / self.centre).log()

    def gap(self, low: Fraction, high: Fraction) -> arb:
        """Enclose log(high / low)."""
        return ball((high - low) / low).log1p()

    def moved(self, x: Fraction, by: float) -> Fraction:
        """Return about x e^by."""
        return x * grown(by)

    def curve(self) -> EnclosedCurve:
        """Of the logarithm of the density of t; |phi''(t+is)| = shape e^t."""
        shape, norm = ball(self.shape), _norm(self.shape)
        return EnclosedCurve(
            lambda t: shape * (t - t.exp()) - norm,
            lambda t: -shape * t.expm1(),
            lambda ts, height: shape * ts.exp().abs_upper(),
        )


def _norm(shape: Fraction) -> arb:
    return _norm_at(shape, flint.ctx.prec)


@lru_cache(maxsize=8)
def _norm_at(shape: Fraction, precision: int) -> arb:
    return ball(shape).lgamma() - ball(shape) * ball(shape).log()
