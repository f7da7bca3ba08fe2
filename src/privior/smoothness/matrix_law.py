"""A Wishart law of two rows with bounded eigenvalues as points and their chances, in floating point.

Let p > q be the eigenvalues of X, turned by an angle from those of the rate, s < t: trace(rate X) / 2 is
(p s + q t) / 2 + (p - q) (t - s) (1 - cos(2 angle)) / 4. Over log p - log q, log p + log q given that, and
the angle given both, the density is smooth. Points of Gauss are taken where it is not negligible.

A few records far from the mean make one eigenvalue of the rate so large that the other is lost in floating
point: rates are exact, and the smaller one is the determinant over the larger.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.models.laws.gauss import gauss
from privior.special import i0e

#: a density so far below its largest value, as a logarithm, is left out
_DEPTH = 40.0
#: points for eigenvalues, in each direction, and for the angle; and fewer, to see how much that changes
_FINE, _COARSER = (48, 64), (40, 52)
_ZOOMS, _COARSE = 6, 65
#: at so many levels two laws are compared
_LEVELS = 1 << 14


@dataclass(frozen=True)
class Rate:
    """A positive definite matrix of two rows, exactly."""

    first: Fraction
    beside: Fraction
    second: Fraction

    def __add__(self, other: Rate) -> Rate:
        return Rate(self.first + other.first, self.beside + other.beside, self.second + other.second)

    @staticmethod
    def of(number: int, deviation: tuple[Fraction, Fraction]) -> Rate:
        """Return what so many records with the same deviation add."""
        x, y = deviation
        return Rate(number * x * x, number * x * y, number * y * y)

    @cached_property
    def matrix(self) -> Floats:
        """The matrix in floating point."""
        first, beside, second = float(self.first), float(self.beside), float(self.second)
        return np.array([[first, beside], [beside, second]])

    @cached_property
    def _shape(self) -> tuple[float, float]:
        """The difference on the diagonal and twice what is beside it, over the trace."""
        trace = self.first + self.second
        return float((self.first - self.second) / trace), float(2 * self.beside / trace)

    @cached_property
    def eigenvalues(self) -> tuple[float, float]:
        """The smaller and the larger one, each to the last digits."""
        most = float(self.first + self.second) * (1 + math.hypot(*self._shape)) / 2
        return float((self.first * self.second - self.beside**2) / Fraction(most)), most

    @cached_property
    def eigenvectors(self) -> Floats:
        """Of the smaller and of the larger one, as columns."""
        angle = math.atan2(self._shape[1], self._shape[0]) / 2
        return np.array([[-math.sin(angle), math.cos(angle)], [math.cos(angle), math.sin(angle)]])


@dataclass(frozen=True, eq=False)
class MatrixLaw:
    """Density |X|^((degrees - 3) / 2) e^(-trace(rate X) / 2), the eigenvalues of X in [low, high]."""

    rate: Rate
    degrees: float
    low: float
    high: float

    def along(self, matrix: Floats) -> Traces:
        """Return the law of trace(M X)."""
        fine, coarse = (self._traces(matrix, *nodes) for nodes in (_FINE, _COARSER))
        levels = np.linspace(fine.values[0], fine.values[-1], _LEVELS)
        apart = np.abs(fine.excess(levels) - coarse.excess(levels)).max()
        return replace(fine, error=float(apart))

    def _traces(self, matrix: Floats, nodes: int, angles: int) -> Traces:
        matrices, chances = self.points(nodes, angles)
        traces = np.einsum("ij,rji->r", matrix, matrices)
        order = np.argsort(traces)
        sums = np.concatenate([[0.0], np.cumsum(chances[order])])
        return Traces(traces[order], sums / sums[-1])

    def points(self, nodes: int = _FINE[0], angles: int = _FINE[1]) -> tuple[Floats, Floats]:
        """Return matrices, and the chance of each."""
        least, most = self.rate.eigenvalues
        turn, gap = self.rate.eigenvectors, most - least
        width, middle = math.log(self.high / self.low), math.log(self.high * self.low) / 2

        def at(first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
            """Return p, q and the log density of both at two numbers from 0 to 1."""
            ratio = width * first
            room = width - ratio
            centre = middle + room * (second - 0.5)
            p, q = np.exp(centre + ratio / 2), np.exp(centre - ratio / 2)
            with np.errstate(divide="ignore"):
                volume = np.log((p - q) * room)
            powers = (self.degrees - 1) * centre  # of p q, and of both logarithms
            return p, q, powers + volume - (p * least + q * most) / 2 + np.log(i0e((p - q) * gap / 4))

        ends = [(0.0, 1.0), (0.0, 1.0)]
        for _ in range(_ZOOMS):  # nearer each time
            axes = [np.linspace(start, stop, _COARSE) for start, stop in ends]
            logs = at(*np.meshgrid(*axes, indexing="ij"))[2]
            seen = np.argwhere(logs > logs.max() - _DEPTH)
            first, last = np.maximum(seen.min(axis=0) - 1, 0), np.minimum(seen.max(axis=0) + 1, _COARSE - 1)
            ends = [(axis[i], axis[j]) for axis, i, j in zip(axes, first, last, strict=True)]
        places, weights = gauss(nodes)
        axes = [(start + stop + (stop - start) * places) / 2 for start, stop in ends]
        p, q, logs = (one.ravel()[:, np.newaxis] for one in at(*np.meshgrid(*axes, indexing="ij")))
        chances = np.exp(logs - logs.max()) * np.outer(weights, weights).reshape(-1, 1)
        # the angle, doubled
        places, weights = gauss(angles)
        steep = (p - q) * gap / 4
        reach = np.minimum(math.pi, math.pi * np.sqrt(_DEPTH / 2 / np.maximum(steep, 1e-300)))
        angle = reach * places
        shares = np.exp(-2 * steep * np.sin(angle / 2) ** 2) * weights
        chances = chances * shares / shares.sum(axis=1, keepdims=True)
        half = (p - q) / 2
        around, beside = half * np.cos(angle), half * np.sin(angle)
        rows = np.array([[(p + q) / 2 + around, beside], [beside, (p + q) / 2 - around]])
        matrices = np.einsum("ia,abrs,jb->rsij", turn, rows, turn).reshape(-1, 2, 2)
        return matrices, (chances / chances.sum()).ravel()


@dataclass(frozen=True, eq=False)
class Traces:
    """The law of trace(M X).

    Attributes:
        values: in order
        sums: the chances of fewer than each, and 1
        error: by how much the mean of (1 - e^(level - trace(M X)))_+ is taken to be off, at any level: as far
            as it is from that of fewer points
    """

    values: Floats
    sums: Floats
    error: float = 0.0

    def below(self, levels: Floats) -> Floats:
        """Return the chance that trace(M X) is at most each level."""
        return np.asarray(self.sums[np.searchsorted(self.values, levels, side="right")])

    def excess(self, levels: Floats) -> Floats:
        """Return the mean of (1 - e^(level - trace(M X)))_+; values are rounded down to the levels."""
        from scipy.signal import lfilter

        chances = np.diff(self.below(levels), append=1.0)[::-1]
        fall = float(np.exp(levels[0] - levels[1]))
        return np.asarray(np.cumsum(chances) - lfilter([1.0], [1.0, -fall], chances))[::-1]
