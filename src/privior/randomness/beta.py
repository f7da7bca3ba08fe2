"""The Beta law, by enclosures of its distribution function, for exactly rounded draws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flint import arb

#: where both parameters are this large, or this large and alike, quadrature is quicker than Arb's functions
_LARGE, _LARGE_ALIKE, _ALIKE = 600, 64, 8
#: half the width of a panel of the quadrature, in standard deviations, and the size of its ellipse
_HALF_WIDTH, _RHO = 2, 6


@dataclass(frozen=True)
class BetaLaw:
    """Beta(first, second), with exact rational parameters."""

    first: Fraction
    second: Fraction
    ends = (0, 1)

    @property
    def guard(self) -> int:
        """Logarithms as large as the parameters cancel."""
        return math.ceil(self.first + self.second).bit_length() + 16

    def guess(self, share: float) -> float:
        """The quantile in floating point."""
        from scipy.special import betaincinv

        return float(betaincinv(float(self.first), float(self.second), share))

    def below(self, point: arb) -> arb:
        """By quadrature, or by the incomplete Beta function at the smaller of the point and what is left."""
        import flint

        least, most = sorted((self.first, self.second))
        if least >= _LARGE or (least >= _LARGE_ALIKE and most <= _ALIKE * least):
            found = self._by_quadrature(point)
            if found.rad() < flint.arb(2) ** (self.guard - flint.ctx.prec):
                return found
        a, b = _ball(self.first), _ball(self.second)
        if 2 * point.mid() > 1:
            return 1 - (1 - point).beta_lower(b, a, regularized=True)
        return point.beta_lower(a, b, regularized=True)

    def density(self, points: arb) -> arb:
        """x^(a-1) (1-x)^(b-1) / B(a, b)."""
        powers = (self.first - 1, points), (self.second - 1, 1 - points)
        logs = [_ball(power) * base.log() for power, base in powers if power]
        return (sum(logs, -_log_beta(self.first, self.second))).exp()

    def _by_quadrature(self, point: arb) -> arb:
        """Integrate the density of t = log(x / (1-x)) from the point outwards, away from the mode.

        f(t) = exp(a t - m log(1 + e^t)) / B(a, b), m = a + b, p = e^t / (1 + e^t). |1 + e^(t+is)|^2 =
        (1 + e^t)^2 (1 - 4 p (1-p) sin^2(s/2)), so |f(t+is)| <= f(t) exp(m v / (2 (1-v))) for v = p (1-p) s^2
        < 1.
        Gauss-Legendre with N nodes is exact up to degree 2N-1, the Chebyshev coefficients of a function of
        absolute value at most M in the ellipse of rho are at most 2 M rho^-k, and for an even k >= 2N the
        rule and the integral of T_k differ by at most 2 + 2/15: on a panel of half-width w the error is below
        (64/15) w M rho^-2N / (1 - rho^-2), with f at most its value at the mode. Beyond the last panel lies
        less than f / |a - m p|, since log f is concave.
        """
        import flint

        wanted = flint.ctx.prec - self.guard
        a, m = _ball(self.first), _ball(self.first + self.second)
        norm, peak = _log_beta(self.first, self.second), _mode(self.first, self.second)
        deviation = math.sqrt(1 / self.first + 1 / self.second)
        start = (point / (1 - point)).log()
        above = float(start.mid()) > math.log(self.first / self.second)
        half = _HALF_WIDTH * deviation
        nodes = _rule(math.ceil((wanted * math.log(2) + 40) / (2 * math.log(_RHO))), flint.ctx.prec)
        width = flint.arb(half)
        factors = [(width * node, (width * node).exp(), weight) for node, weight in nodes]
        total = error = flint.arb(0)
        edge = start
        side = 1 if above else -1
        while True:
            centre = edge + side * width
            grown = centre.exp()
            level = a * centre - norm
            panel = flint.arb(0)
            for shift, factor, weight in factors:
                panel += weight * (level + a * shift - m * (grown * factor).log1p()).exp()
            total += width * panel
            error += _quadrature_error(centre, half, m, peak, len(nodes))
            edge = centre + side * width
            share = 1 / (1 + (-edge).exp())
            slope = (a - m * share).abs_lower()
            rest = (a * edge - m * edge.exp().log1p() - norm).exp() / slope
            if rest < flint.arb(2) ** -wanted:
                break
            if not rest.is_finite():
                return flint.arb("nan")
        tail = total + flint.arb(0, error.abs_upper()) + rest.union(flint.arb(0))
        return 1 - tail if above else tail


def _quadrature_error(centre: arb, half: float, m: arb, peak: arb, nodes: int) -> arb:
    """Bound the error on one panel; not finite where the bound does not hold."""
    import flint

    wide, high = (flint.arb(half) * (_RHO + flint.arb(sign) / _RHO) / 2 for sign in (1, -1))
    around = centre + flint.arb(0, wide.abs_upper())
    spread = 1 / (2 + around.exp() + (-around).exp())
    bend = spread.abs_upper() * high**2
    if not (bend < 1 and high < 3):  # below pi nothing is singular
        return flint.arb("nan")
    most = peak * (m * bend / (2 * (1 - bend))).exp()
    return half * most * 64 / 15 * flint.arb(_RHO) ** (-2 * nodes) / (1 - flint.arb(_RHO) ** -2)


def _mode(first: Fraction, second: Fraction) -> arb:
    """Return the density of log(x / (1-x)) at its mode, where x is the mean."""
    a, b = _ball(first), _ball(second)
    return (a * (a / (a + b)).log() + b * (b / (a + b)).log() - _log_beta(first, second)).exp()


def _ball(number: Fraction) -> arb:
    import flint

    return flint.arb(flint.fmpq(number.numerator, number.denominator))


def _log_beta(first: Fraction, second: Fraction) -> arb:
    import flint

    return _log_beta_at(first, second, flint.ctx.prec)


@lru_cache(maxsize=8)
def _log_beta_at(first: Fraction, second: Fraction, precision: int) -> arb:
    a, b = _ball(first), _ball(second)
    return a.lgamma() + b.lgamma() - (a + b).lgamma()


@lru_cache(maxsize=16)
def _rule(nodes: int, precision: int) -> tuple[tuple[arb, arb], ...]:
    """Return nodes and weights of Gauss and Legendre at the working precision."""
    import flint

    return tuple(flint.arb.legendre_p_root(nodes, k, weight=True) for k in range(nodes))
