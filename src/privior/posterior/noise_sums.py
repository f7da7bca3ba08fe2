"""The law of the noise of a table: of its sum over some cells, and of its size.

Noise is independent from cell to cell, P(z) proportional to exp(-rate |z| - curvature z^2 / 2), or such noise
given that it sums to zero (K-norm). Sums are convolved exactly, on a grid of a sixteenth of the standard
deviation where the noise is wide.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.special import erfc, gammainc, gammaincc

#: steps of the grid in a standard deviation, and how far sums are followed, in standard deviations
_STEPS, _FAR = 16, 10
#: atoms of one noise below this share are left out, in logs
_LEAST = 42.0


@dataclass(frozen=True, eq=False)
class NoiseSums:
    """The noise of some cells, alike in all of them.

    Attributes:
        rate: how fast the log probability falls with |z|
        curvature: one over the variance of Gaussian noise
        cells: how many
        zero: whether the noise of all cells sums to zero
    """

    rate: float
    curvature: float
    cells: int
    zero: bool
    _tails: dict[int, Floats] = field(default_factory=dict, repr=False)

    @cached_property
    def stddev(self) -> float:
        """The standard deviation of the noise of one cell, if it does not have to sum to zero."""
        laplace = 2 * np.sinh(min(self.rate, 600.0) / 2) ** 2
        return float(1 / np.sqrt(laplace + self.curvature))

    def sum_chances(self, sums: Integers, cells: int) -> Floats:
        """Return how probable sums over so many cells are that are as far from zero as these."""
        tails = self._tails.get(cells)
        if tails is None:
            tails = self._tails[cells] = self._tail(cells)
        return np.asarray(tails[np.minimum(np.abs(sums) // self._step, tails.size - 1)])

    def size_chances(self, noises: Integers, rng: np.random.Generator, *, large: bool = False) -> Floats:
        """Return how probable noise is that is as large as each row of noises, or (not if `large`) as small.

        Each |z| becomes v, uniform between P(|Z| > |z|) and P(|Z| >= |z|), hence uniform on (0, 1): the sum
        of -log v is a Gamma law of as many cells. Noise of sum zero has one cell less: exactly so for narrow
        steps, where |z|_1 is a Gamma law of k - 1.
        """
        near = self._beyond(np.abs(noises))
        far = self._beyond(np.abs(noises) - 1)
        between = near + rng.random(noises.shape) * (far - near)
        size = -np.log(np.maximum(between, 1e-300)).sum(axis=1)
        free = self.cells - self.zero
        above = np.asarray(gammaincc(free, size))
        return above if large else np.minimum(1.0, 2 * np.minimum(gammainc(free, size), above))

    @cached_property
    def _step(self) -> int:
        return max(1, int(self.stddev / _STEPS))

    @cached_property
    def _one(self) -> Floats:
        """The probabilities of 0, 1, 2, ... steps, of which all but 0 occur twice."""
        most = min(
            _LEAST / max(self.rate * self._step, 1e-300),
            np.sqrt(2 * _LEAST / max(self.curvature, 1e-300)) / self._step,
        )
        steps = np.arange(int(most) + 2, dtype=np.float64) * self._step
        weights = np.exp(-self.rate * steps - self.curvature * steps**2 / 2)
        return np.asarray(weights / (2 * weights.sum() - weights[0]))

    @cached_property
    def _transform(self) -> Floats:
        """The discrete Fourier transform of the law of one noise, on a circle that holds any sum."""
        widest = _FAR * self.stddev / self._step * np.sqrt(self.cells) + self._one.size + 2
        circle = np.zeros(1 << int(np.ceil(np.log2(2 * widest))))
        circle[: self._one.size] = self._one
        circle[-self._one.size + 1 :] = self._one[:0:-1]
        return np.asarray(np.fft.rfft(circle).real)

    def _law(self, cells: int) -> Floats:
        """The probabilities of sums of 0, 1, 2, ... steps over independent cells."""
        circle = np.fft.irfft(self._transform**cells)
        return np.asarray(np.maximum(circle[: circle.size // 2], 0))

    def _tail(self, cells: int) -> Floats:
        """The probabilities of sums that are at least 0, 1, 2, ... steps away from zero."""
        law = self._law(cells)
        if self.zero:
            law = law * self._law(self.cells - cells)
        beyond = np.cumsum(law[::-1])[::-1]
        tails = 2 * beyond / (2 * beyond[0] - law[0])
        tails[0] = 1.0
        return np.asarray(tails)

    def _beyond(self, sizes: Integers) -> Floats:
        """Return P(|Z| > size) of one cell's noise; 1 for -1."""
        if self.curvature == 0:
            q = np.exp(-self.rate)
            return np.where(sizes < 0, 1.0, 2 * np.exp(-self.rate * (sizes + 1.0)) / (1 + q))
        if self._step > 1 or self.stddev > 2:
            scale = np.sqrt(self.curvature / 2)
            return np.where(sizes < 0, 1.0, erfc((sizes + 0.5) * scale))
        above = np.append(2 * np.cumsum(self._one[::-1])[::-1][1:], 0.0)
        return np.where(sizes < 0, 1.0, above[np.clip(sizes, 0, above.size - 1)])
