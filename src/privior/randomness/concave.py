"""Log-concave laws: the chance of any interval, with a small relative error, however small the chance is.

Beta, Gamma and Normal laws have, in a coordinate t of their own, a density exp(phi(t)) with a concave phi. An
interval that begins at the mode or beyond is integrated from there outwards, panel by panel, so nothing
cancels: chances of 2^-1000000 cost what those of 1/2 do, and so do intervals narrower than any float.

The error of a panel. Gauss-Legendre with N nodes is exact up to degree 2N-1, the Chebyshev coefficients of a
function of absolute value at most M in the ellipse of rho are at most 2 M rho^-k, and for an even k >= 2N the
rule and the integral of T_k differ by at most 2 + 2/15: on a panel of half-width w the error is below
(64/15) w M rho^-2N / (1 - rho^-2). For M: Re phi(t+is) is at most phi(t) + B s^2 / 2 if |phi''| <= B between
t and t+is, and phi(t) <= phi(c) + (t-c) phi'(c), c the centre of the panel, because phi is concave.

The rest beyond t. As phi is concave, it is at most exp(phi(t)) / |phi'(t)|, and at least exp(phi(t)) / s if
phi' is nowhere steeper than s.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import NamedTuple

from privior.interval_arithmetic import arb, flint

#: the ellipse in which the density is bounded, the panel being from -1 to 1: half its width and its height
_RHO = 4
_WIDE, _HIGH, _UNIT = _RHO * _RHO + 1, _RHO * _RHO - 1, 2 * _RHO
#: by how much phi falls on half a panel, and B w^2, at most
_FALL, _BENT = 30, 25
#: the errors of all panels together are about 2^_PANELS times that of one, at most
_PANELS = 5
#: rules have a multiple of so many nodes, and of so many bits, so that few are needed
_STEP, _STEP_OF_PRECISION = 3, 32
#: a density known to fewer bits than this is known by its upper bound only
_BLURRED = 4


class EnclosedCurve(NamedTuple):
    """phi and its derivatives, enclosed at one working precision."""

    #: phi(t)
    at: Callable[[arb], arb]
    #: phi'(t)
    slope: Callable[[arb], arb]
    #: bounds |phi''(t+is)| for all the t of a ball and |s| <= a height; not finite if there is no bound
    bend: Callable[[arb, arb], arb]


class ConcaveLaw(ABC):
    """A law on an interval of real numbers x, with a log-concave density exp(phi(t)) of a coordinate t(x)."""

    #: between these every draw lies; None is infinity
    ends: tuple[Fraction | int | None, Fraction | int | None]
    #: the slopes of phi than which it is nowhere steeper, to the left and to the right; None if there is none
    steepest: tuple[Fraction | None, Fraction | None]

    @property
    @abstractmethod
    def guard(self) -> int:
        """How many bits more than wanted the formulas need."""

    @property
    @abstractmethod
    def size(self) -> int:
        """About log2 of how far draws lie apart."""

    @property
    @abstractmethod
    def centre(self) -> Fraction:
        """The x at which phi is largest."""

    @abstractmethod
    def coordinate(self, x: Fraction) -> arb:
        """Enclose t(x), for an x between the ends."""

    @abstractmethod
    def gap(self, low: Fraction, high: Fraction) -> arb:
        """Enclose t(high) - t(low) > 0, with a small relative error."""

    @abstractmethod
    def moved(self, x: Fraction, by: float) -> Fraction:
        """Return about the point whose coordinate is t(x) + by."""

    @abstractmethod
    def guess(self, share: float) -> Fraction | None:
        """Return about the point below which this share of the law lies, if there is a guess."""

    @abstractmethod
    def density(self, points: arb) -> arb:
        """Enclose the density of x."""

    @abstractmethod
    def curve(self) -> EnclosedCurve:
        """Return phi at the working precision of the moment."""

    def below(self, point: Fraction) -> arb:
        """Enclose the chance of a draw below the point: by the smaller tail, or nearly the smaller one."""
        if point <= self.centre:
            return self.mass(None, point)
        return 1 - self.mass(point, None)

    def mass(self, low: Fraction | None, high: Fraction | None) -> arb:
        """Enclose the chance of a draw between the two points, None being an end of the support."""
        first, last = self.ends
        low = None if low is None or (first is not None and low <= first) else low
        high = None if high is None or (last is not None and high >= last) else high
        if low is None and high is None:
            return flint.arb(1)
        outside = (
            (first is not None and high is not None and high <= first)
            or (last is not None and low is not None and low >= last)
            or (low is not None and high is not None and high <= low)
        )
        if outside:
            return flint.arb(0)
        if low is not None and low >= self.centre:
            return self._outwards(low, high, 1)
        if high is not None and high <= self.centre:
            return self._outwards(high, low, -1)
        return self._outwards(self.centre, low, -1) + self._outwards(self.centre, high, 1)

    def _outwards(self, near: Fraction, far: Fraction | None, side: int) -> arb:
        """Integrate from `near` to `far`, away from the centre."""
        curve = self.curve()
        edge = self.coordinate(near)
        left = None if far is None else self.gap(min(near, far), max(near, far))
        first = curve.at(edge).exp()
        if not first.is_finite() or first.rel_accuracy_bits() < _BLURRED:
            return _bounded(curve, first, edge, left, side)
        small = flint.arb(2) ** (self.guard - flint.ctx.prec - _PANELS)
        steepest = self.steepest[side > 0]
        total = flint.arb(0)
        while True:
            panel = _next_panel(curve, edge, left, side)
            known = total.lower() if total > 0 else (first * panel.half).abs_upper() / 4
            total += panel.integral(curve, small * known)
            if not total > 0:
                return flint.arb("nan")
            if panel.last:
                return total
            edge = edge + 2 * side * panel.half
            least, most = _rest(curve, edge, side, steepest)
            if left is not None:
                left -= 2 * panel.half
                least = flint.arb(0)
            rest = least.union(most)
            if not rest.is_finite():
                continue
            if least.overlaps(most) or rest.rad() < small * (total + rest).abs_lower():
                return total + rest


def _bounded(curve: EnclosedCurve, first: arb, edge: arb, left: arb | None, side: int) -> arb:
    """Enclose an integral whose integrand is known only to be at most `first`, where it begins."""
    slope = -side * curve.slope(edge)
    most = first / slope if slope > 0 else first * left if left is not None and slope >= 0 else None
    return flint.arb("nan") if most is None else flint.arb(0).union(most)


def _rest(curve: EnclosedCurve, edge: arb, side: int, steepest: Fraction | None) -> tuple[arb, arb]:
    """Bound the integral from the edge to the end of the support; not finite if phi may still rise.

    Where the two bounds overlap, phi is a straight line as far as can be told.
    """
    slope = -side * curve.slope(edge)
    if not slope > 0:
        return flint.arb(0), flint.arb("nan")
    height = curve.at(edge).exp()
    return flint.arb(0) if steepest is None else height / ball(steepest), height / slope


def _next_panel(curve: EnclosedCurve, edge: arb, left: arb | None, side: int) -> _Panel:
    """Choose the next panel: of an exact width, unless it is the last one."""
    fall = curve.slope(edge).abs_upper() + _FALL * (curve.bend(edge, flint.arb(0)) / _BENT).sqrt()
    half = (_FALL / fall).mid()
    last = False
    if left is not None and not 2 * half < left:
        half, last = left / 2, True
    while True:
        middle = edge + side * half
        wide, high = half * _WIDE / _UNIT, half * _HIGH / _UNIT
        bend = curve.bend(middle + flint.arb(0, wide.abs_upper()), high)
        if bend * half**2 <= _BENT:
            return _Panel(middle, half, abs(curve.slope(middle)) * wide + bend * high**2 / 2, last)
        half, last = (half / 2).mid(), False


@dataclass(frozen=True)
class _Panel:
    """An interval of t, with a bound of how much Re phi rises from its middle within the ellipse.

    The last one ends where the interval to integrate does, exactly.
    """

    middle: arb
    half: arb
    rise: arb
    last: bool

    def integral(self, curve: EnclosedCurve, small: arb) -> arb:
        """Integrate exp(phi), with an error that is about as small as that."""
        unit = self.half * 64 / 15 / (1 - flint.arb(_RHO) ** -2) * (curve.at(self.middle) + self.rise).exp()
        excess = float((unit.abs_upper() / small).log().mid())
        if not math.isfinite(excess):
            return flint.arb("nan")
        count = _STEP * math.ceil(max(1, excess) / (2 * math.log(_RHO) * _STEP))
        total = flint.arb(0)
        for node, weight in _rule(count):
            total += weight * curve.at(self.middle + self.half * node).exp()
        return self.half * total + flint.arb(0, (unit * flint.arb(_RHO) ** (-2 * count)).abs_upper())


def ball(number: Fraction | int) -> arb:
    """Enclose an exact number at the working precision."""
    return flint.arb(flint.fmpq(number.numerator, number.denominator))


def grown(by: float) -> Fraction:
    """Return about e^by, or what a float can hold of it."""
    return Fraction(math.exp(min(max(by, -700), 700)))


def magnitude(number: Fraction) -> int:
    """Return log2 of a positive number, within one."""
    return number.numerator.bit_length() - number.denominator.bit_length()


def _rule(count: int) -> tuple[tuple[arb, arb], ...]:
    """Return so many nodes and weights of Gauss and Legendre, at the working precision or a little more."""
    return _rule_at(count, -(-flint.ctx.prec // _STEP_OF_PRECISION) * _STEP_OF_PRECISION)


@lru_cache(maxsize=512)
def _rule_at(count: int, precision: int) -> tuple[tuple[arb, arb], ...]:
    with flint.ctx.workprec(precision):
        return tuple(flint.arb.legendre_p_root(count, k, weight=True) for k in range(count))
