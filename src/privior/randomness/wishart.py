"""A symmetric matrix of two rows with bounded eigenvalues, from a Wishart law, for exactly rounded draws.

The law has the density |X|^((k - 3) / 2) e^(-trace(S X) / 2) where all eigenvalues of X are in [a, b]. Both
entries of the diagonal are then in [a, b] too, whichever way X is turned. Where S is diagonal the law before
it is cut is that of two Gamma laws on the diagonal and a correlation, all independent:

    x ~ Gamma(k / 2, s / 2),  y ~ Gamma(k / 2, t / 2),  (1 + r) / 2 ~ Beta((k - 1) / 2, (k - 1) / 2)

So x and y are drawn in [a, b], and all three anew until the eigenvalues are inside: (x - a) (y - a) and
(b - x) (b - y) are at least the square of r sqrt(x y).

Any other S is turned first, by rotations of rational numbers that make it all but diagonal: eigenvalues stay
what they are. What is left beside the diagonal, e, has the factor exp(-e z), z = r sqrt(x y), which is at
most (b - a) / 2: a coin of probability exp(-e z - |e| (b - a) / 2) makes up for it, exactly. Floats choose
the rotations, and nothing depends on these but how often the coin fails: seldom, for they go on until e is
small enough.

Nothing is ever computed but known by cells of grids that get finer, as in `normal_gamma`. How many trials a
draw takes depends on S; that they are few, whatever S is, is for whoever chooses a and b to see to.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.interval_arithmetic import arb, flint
from privior.randomness.acceptance import accepted
from privior.randomness.beta import BetaLaw
from privior.randomness.concave import ball, magnitude
from privior.randomness.entropy import Bits
from privior.randomness.gamma import GammaLaw
from privior.randomness.rounding import IdealDraw
from privior.randomness.truncated import TruncatedLaw

#: binary places, beyond the size of what is drawn, at which a trial is looked at first
_SPARE = 16
#: what is left beside the diagonal, times b - a, is at most this; and that many rotations are enough for it,
#: of rates that are, times b - a, below 2^700: priors allow 10^200, and records add about n epsilon to it
_LEFT, _TURNS = Fraction(1, 8), 16

#: a symmetric matrix of two rows, as its lower triangle
Triangle = tuple[Fraction, Fraction, Fraction]


@dataclass(frozen=True)
class Rotation:
    """The matrix ((c, -s), (s, c)), with c^2 + s^2 = 1."""

    cosine: Fraction
    sine: Fraction

    @staticmethod
    def nearly(matrix: Triangle, small: Fraction) -> Rotation:
        """Return a rotation Q such that Q' M Q has a small number beside the diagonal, the smaller one first.

        Each step leaves about 2^-50 of what the one before has left.
        """
        turn = Rotation(Fraction(1), Fraction(0))
        for _ in range(_TURNS):
            first, beside, second = turn.undo(matrix)
            if abs(beside) <= small and first <= second:
                break
            scale = max(abs(first), abs(beside), abs(second))
            angle = math.atan2(float(-2 * beside / scale), float((second - first) / scale)) / 2
            tangent = Fraction(math.tan(angle / 2))
            whole = 1 + tangent**2
            step = Rotation((1 - tangent**2) / whole, 2 * tangent / whole)
            turn = Rotation(
                turn.cosine * step.cosine - turn.sine * step.sine,
                turn.sine * step.cosine + turn.cosine * step.sine,
            )
        return turn

    def undo(self, matrix: Triangle) -> Triangle:
        """Return Q' M Q."""
        return turned(*matrix, self.cosine, -self.sine)


def turned(first: Fraction, beside: Fraction, second: Fraction, c: Fraction, s: Fraction) -> Triangle:
    """Return R M R' for the rotation R = ((c, -s), (s, c)); of Arb's numbers too."""
    return (
        c * c * first - 2 * c * s * beside + s * s * second,
        c * s * (first - second) + (c * c - s * s) * beside,
        s * s * first + 2 * c * s * beside + c * c * second,
    )


@dataclass(frozen=True)
class BoundedWishart:
    """Density |X|^((degrees - 3) / 2) exp(-trace(rate X) / 2), the eigenvalues of X in [lower, upper]."""

    degrees: Fraction
    rate: Triangle
    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        if self.degrees <= 1 or not 0 < self.lower < self.upper:
            raise ValueError(
                "a Wishart law of two rows has more than 1 degree of freedom, and eigenvalues above 0"
            )

    @cached_property
    def _rotation(self) -> Rotation:
        return Rotation.nearly(self.rate, _LEFT / (self.upper - self.lower))

    @cached_property
    def _laws(self) -> tuple[TruncatedLaw, BetaLaw, TruncatedLaw]:
        """Of x, of (1 + r) / 2 and of y."""
        first, _, second = self._rotation.undo(self.rate)
        x, y = (
            TruncatedLaw(GammaLaw(self.degrees / 2, one / 2), self.lower, self.upper)
            for one in (first, second)
        )
        half = (self.degrees - 1) / 2
        return x, BetaLaw(half, half), y

    @property
    def _beside(self) -> Fraction:
        """e: what the rate has beside its diagonal, once it is turned."""
        return self._rotation.undo(self.rate)[1]

    def rounded(self, places: int, bits: Bits) -> tuple[int, int, int]:
        """Draw X and return the whole numbers that are nearest to its entries times 2^places."""
        while True:
            trial = _WishartTrial(self, bits)
            if trial.inside() and trial.kept(bits):
                return trial.entries(places)


class _WishartTrial:
    """One draw of x, r and y, of which only as much is looked at as is asked for."""

    def __init__(self, law: BoundedWishart, bits: Bits) -> None:
        self.law = law
        self._draws = [IdealDraw(one, bits) for one in law._laws]

    def _enclosed(self, fine: int) -> tuple[arb, arb, arb]:
        """Enclose x, z and y."""
        x, half, y = (draw.enclosed(fine - draw.law.size) for draw in self._draws)
        return x, (2 * half - 1) * (x * y).sqrt(), y

    def _precision(self, fine: int) -> int:
        """Bits for numbers as large as the upper end, of which so many beyond the size of a draw count."""
        least = min(draw.law.size for draw in self._draws)
        return 2 * fine + 64 + max(0, magnitude(self.law.upper) - least)

    def inside(self) -> bool:
        """Say whether both eigenvalues are."""
        fine, low, high = _SPARE, self.law.lower, self.law.upper
        while True:
            with flint.ctx.workprec(self._precision(fine)):
                x, z, y = self._enclosed(fine)
                rooms = [(x - ball(low)) * (y - ball(low)), (ball(high) - x) * (ball(high) - y)]
                if any(room < z * z for room in rooms):
                    return False
                if all(room >= z * z for room in rooms):
                    return True
            fine *= 2

    def kept(self, bits: Bits) -> bool:
        """Toss the coin for what the rotation left beside the diagonal."""
        beside = self.law._beside
        if not beside:
            return True
        most = abs(beside) * (self.law.upper - self.law.lower) / 2
        return accepted(
            lambda: ball(beside) * self._enclosed(flint.ctx.prec)[1] + ball(most), self._precision(0), bits
        )

    def entries(self, places: int) -> tuple[int, int, int]:
        """Turn X back, and round it."""
        turn = self.law._rotation
        fine = _SPARE + max(0, places + magnitude(self.law.upper))
        while True:
            with flint.ctx.workprec(self._precision(fine)):
                x, z, y = self._enclosed(fine)
                numbers = turned(x, z, y, ball(turn.cosine), ball(turn.sine))
                nearest = [
                    (one * flint.arb(2) ** places + flint.arb(1) / 2).floor().unique_fmpz() for one in numbers
                ]
                if all(one is not None for one in nearest):
                    first, beside, second = (int(one) for one in nearest)
                    return first, beside, second
            fine *= 2
