"""Several numbers together from a Normal law cut to a ball, for exactly rounded draws.

The density is exp(c't - t'Pt/2) where t'Qt <= r2, and 0 elsewhere; P is symmetric and not negative, Q
diagonal and positive. A trial is an ideal draw from Normal((P + kQ)^-1 c, (P + kQ)^-1), k >= 0. The density
is exp(k t'Qt / 2) times that of the trial, up to a constant, and t'Qt is at most r2: so a trial in the ball
is kept with the chance exp(-k (r2 - t'Qt) / 2), one outside never. What is kept has the law exactly,
whichever k is taken. Floats choose k, and nothing depends on it but how many trials there are: the share that
is kept is largest where E[t'Qt] = r2 for a trial, or at k = 0 if that is smaller there. A flat law is kept
with the chance of about 1 / sqrt(pi p), p the number of coordinates; one whose middle lies outside seldom
with much less.

A trial is t = m + U^-1 diag(s) z, z independent standard Normal numbers, U from the elimination of the whole
numbers N (P + kQ) without fractions (Bareiss 1968): N (P + kQ) = U' diag(1 / (d_(i-1) d_i)) U, d_i = U_ii its
leading minors. Nothing is ever computed but known by cells of grids that get finer, as in `normal_gamma`.
How many trials a draw takes depends on P and c.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.interval_arithmetic import arb, flint
from privior.randomness.acceptance import accepted
from privior.randomness.concave import ball
from privior.randomness.entropy import Bits
from privior.randomness.normal import NormalLaw
from privior.randomness.rounding import IdealDraw

#: binary places at which a trial is looked at first
_SPARE = 32
#: bits of k that count: more would make all whole numbers longer
_DIGITS = 12


@dataclass(frozen=True)
class NormalInBall:
    """Density exp(slope't - t' precision t / 2) where sum_j widths_j t_j^2 <= squared_radius.

    Attributes:
        precision: P, symmetric, without negative eigenvalues
        slope: c
        widths: the diagonal of Q
        squared_radius: r2
    """

    precision: tuple[tuple[Fraction, ...], ...]
    slope: tuple[Fraction, ...]
    widths: tuple[Fraction, ...]
    squared_radius: Fraction

    def __post_init__(self) -> None:
        if min(self.widths) <= 0 or self.squared_radius <= 0:
            raise ValueError("a ball has a radius above 0 in every direction")

    @cached_property
    def pull(self) -> Fraction:
        """k, by floating point, rounded up."""
        widths = np.sqrt([float(one) for one in self.widths])
        matrix = np.array([[float(one) for one in row] for row in self.precision]) / np.outer(widths, widths)
        values, vectors = np.linalg.eigh(matrix)
        values = np.maximum(values, 0.0)
        squares = (vectors.T @ (np.array([float(one) for one in self.slope]) / widths)) ** 2
        most = float(self.squared_radius)

        def far(k: float) -> bool:
            with np.errstate(divide="ignore", invalid="ignore"):
                return not float((1 / (values + k) + squares / (values + k) ** 2).sum()) <= most

        if not far(0.0):
            return Fraction(0)
        low, high = 0.0, 1.0
        while far(high):
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if far(middle) else (low, middle)
        part, power = math.frexp(high)
        return Fraction(math.ceil(part * 2**_DIGITS)) * Fraction(2) ** (power - _DIGITS)

    @cached_property
    def _eliminated(self) -> tuple[int, list[list[int]]]:
        """N and U of the elimination of N (P + kQ), in whole numbers."""
        size, k = len(self.slope), self.pull
        matrix = [
            [one + (k * self.widths[i] if i == j else 0) for j, one in enumerate(row)]
            for i, row in enumerate(self.precision)
        ]
        whole = math.lcm(*(one.denominator for row in matrix for one in row))
        upper = [[int(one * whole) for one in row] for row in matrix]
        before = 1
        for step in range(size):
            pivot = upper[step][step]
            if pivot <= 0:
                raise ValueError("the precision has a direction of no or negative curvature")
            for i in range(step + 1, size):
                first = upper[i][step]
                upper[i] = [
                    (pivot * upper[i][j] - first * upper[step][j]) // before if j > step else 0
                    for j in range(size)
                ]
            before = pivot
        return whole, upper

    def rounded(self, units: Sequence[Fraction], places: int, bits: Bits) -> tuple[int, ...]:
        """Draw t and return the whole numbers that are nearest to units_j t_j 2^places."""
        while True:
            trial = _BallTrial(self, bits)
            if trial.inside() and trial.kept(bits):
                return trial.coordinates(units, places)


class _BallTrial:
    """One draw from the wider Normal law, of which only as much is looked at as is asked for."""

    def __init__(self, law: NormalInBall, bits: Bits) -> None:
        self.law = law
        normal = NormalLaw(Fraction(0), Fraction(1))
        self._draws = [IdealDraw(normal, bits) for _ in law.slope]

    def _enclosed(self, fine: int) -> list[arb]:
        """Enclose the coordinates at the working precision, by z on grids of so many places."""
        whole, upper = self.law._eliminated
        size = len(upper)
        minors = [1, *(upper[i][i] for i in range(size))]
        scale = ball(Fraction(whole)).sqrt()
        # U' diag(1 / (d d')) (U m) = N c, from the first row on; then U t = U m + diag(s) z, from the last
        # one
        middle: list[arb] = []
        for i in range(size):
            found = ball(self.law.slope[i] * whole)
            for j in range(i):
                found -= upper[j][i] * middle[j] / (flint.arb(minors[j]) * minors[j + 1])
            middle.append(found * minors[i])
        sides = [
            one + (flint.arb(minors[i]) * minors[i + 1]).sqrt() * scale * self._draws[i].enclosed(fine)
            for i, one in enumerate(middle)
        ]
        points: list[arb] = [flint.arb(0)] * size
        for i in reversed(range(size)):
            found = sides[i]
            for j in range(i + 1, size):
                found -= upper[i][j] * points[j]
            points[i] = found / minors[i + 1]
        return points

    def _room(self, fine: int) -> arb:
        """Enclose how far inside the ball the trial t lies, as squares: r2 - t'Qt."""
        room = ball(self.law.squared_radius)
        for width, one in zip(self.law.widths, self._enclosed(fine), strict=True):
            room -= ball(width) * one * one
        return room

    def inside(self) -> bool:
        """Say whether the trial lies in the ball."""
        fine = _SPARE
        while True:
            with flint.ctx.workprec(4 * fine + 64):
                room = self._room(fine)
                if room >= 0:
                    return True
                if room < 0:
                    return False
            fine *= 2

    def kept(self, bits: Bits) -> bool:
        """Toss the coin for the pull inwards."""
        k = self.law.pull
        return not k or accepted(lambda: ball(k / 2) * self._room(flint.ctx.prec), 64, bits)

    def coordinates(self, units: Sequence[Fraction], places: int) -> tuple[int, ...]:
        """Round what was kept."""
        fine = _SPARE + max(0, places)
        while True:
            with flint.ctx.workprec(4 * fine + 64):
                scale = flint.arb(2) ** places
                nearest = [
                    (ball(unit) * one * scale + flint.arb(1) / 2).floor().unique_fmpz()
                    for unit, one in zip(units, self._enclosed(fine), strict=True)
                ]
                if all(one is not None for one in nearest):
                    return tuple(int(one) for one in nearest)
            fine *= 2
