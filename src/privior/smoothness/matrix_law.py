"""A Wishart law of two rows with bounded eigenvalues as points and their chances, in floating point.

Let p > q be the eigenvalues of X, turned by an angle from those of the rate, whose trace is t and whose
eigenvalues are d apart: trace(rate X) / 2 = (p + q) t / 4 - (p - q) d cos(2 angle) / 4. Over log p - log q,
log p + log q given that, and the angle given both, the density is smooth. Points of Gauss are taken where it
is not negligible.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: a density so far below its largest value, as a logarithm, is left out
_DEPTH = 40.0
#: points for eigenvalues, in each direction, and for the angle
_NODES, _ANGLES = 48, 64
_ZOOMS, _COARSE = 6, 65


@dataclass(frozen=True, eq=False)
class MatrixLaw:
    """Density |X|^((degrees - 3) / 2) e^(-trace(rate X) / 2), the eigenvalues of X in [low, high]."""

    rate: Floats
    degrees: float
    low: float
    high: float

    @cached_property
    def points(self) -> tuple[Floats, Floats]:
        """Return matrices, and the chance of each."""
        from scipy.special import i0e

        values, turn = np.linalg.eigh(self.rate)
        trace, gap = float(values.sum()), float(values[1] - values[0])
        width, middle = math.log(self.high / self.low), math.log(self.high * self.low) / 2

        def at(first: Floats, second: Floats) -> tuple[Floats, Floats, Floats]:
            """Return p, q and the log density of both at two numbers from 0 to 1."""
            ratio = width * first
            room = width - ratio
            centre = middle + room * (second - 0.5)
            p, q = np.exp(centre + ratio / 2), np.exp(centre - ratio / 2)
            turned = (p - q) * gap / 4
            with np.errstate(divide="ignore"):
                volume = np.log((p - q) * room)
            powers = (self.degrees - 1) * centre  # of p q, and of both logarithms
            return p, q, powers + volume - (p + q) * trace / 4 + turned + np.log(i0e(turned))

        ends = [(0.0, 1.0), (0.0, 1.0)]
        for _ in range(_ZOOMS):  # nearer each time
            axes = [np.linspace(start, stop, _COARSE) for start, stop in ends]
            logs = at(*np.meshgrid(*axes, indexing="ij"))[2]
            seen = np.argwhere(logs > logs.max() - _DEPTH)
            first, last = np.maximum(seen.min(axis=0) - 1, 0), np.minimum(seen.max(axis=0) + 1, _COARSE - 1)
            ends = [(axis[i], axis[j]) for axis, i, j in zip(axes, first, last, strict=True)]
        nodes, weights = np.polynomial.legendre.leggauss(_NODES)
        axes = [(start + stop + (stop - start) * nodes) / 2 for start, stop in ends]
        p, q, logs = (one.ravel()[:, np.newaxis] for one in at(*np.meshgrid(*axes, indexing="ij")))
        chances = np.exp(logs - logs.max()) * np.outer(weights, weights).reshape(-1, 1)
        # the angle, doubled
        nodes, weights = np.polynomial.legendre.leggauss(_ANGLES)
        steep = (p - q) * gap / 4
        reach = np.minimum(math.pi, math.pi * np.sqrt(_DEPTH / 2 / np.maximum(steep, 1e-300)))
        angle = reach * nodes
        shares = np.exp(-2 * steep * np.sin(angle / 2) ** 2) * weights
        chances = chances * shares / shares.sum(axis=1, keepdims=True)
        half = (p - q) / 2
        around, beside = half * np.cos(angle), half * np.sin(angle)
        rows = np.array([[(p + q) / 2 + around, beside], [beside, (p + q) / 2 - around]])
        matrices = np.einsum("ia,abrs,jb->rsij", turn, rows, turn).reshape(-1, 2, 2)
        return matrices, (chances / chances.sum()).ravel()

    def below(self, matrix: Floats, levels: Floats) -> Floats:
        """Return the chance that trace(M X) is at most each level."""
        matrices, chances = self.points
        traces = np.einsum("ij,rji->r", matrix, matrices)
        order = np.argsort(traces)
        sums = np.concatenate([[0.0], np.cumsum(chances[order])])
        return np.asarray(np.minimum(sums[np.searchsorted(traces[order], levels, side="right")], 1.0))
