"""Sums of many independent privacy losses on one grid, by a tilted Fourier transform with its error.

The masses are first multiplied by e^(theta loss - K), K the logarithm of their sum, with theta near the
saddle point, so that losses about epsilon become the likely ones; what was sought is then e^(K - theta
epsilon) times a sum of the order of one, and a small delta is as exact as a large one.

What is added so that nothing stated is below the truth, in these units:
- the transform: each computed coefficient is within eta = 16 u log2(n) sqrt(n) |p|_2 of the true one (u =
  2^-53; Higham 2002, Theorem 24.2, has about 7 u log2(n) for powers of two), so its power within
  (|x| + eta)^N - |x|^N, plus 32 u N (|log x| + 1) of it for logarithm and exponential. By Parseval these are
  the 2-norm of the error of the masses, and by Cauchy-Schwarz it times the 2-norm of the weights
  e^(-theta s) (1 - e^-s), s = loss - epsilon > 0, is that of the sum;
- the window: what is above it is at most a Chernoff bound; what is wrapped into it only adds;
- summation: relative errors of n u and of u times the exponents, with a factor of four.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import fft

from privior.privacy.composition.loss_distribution import UNIT, LossLaw
from privior.privacy.composition.smooth_losses import Reals

#: the largest transform
MOST_POINTS = 1 << 21
_ABOVE, _BELOW = math.log(1e22), math.log(1e18)
_MOST_TILTS = 400
_KEPT = 6


@dataclass(frozen=True, eq=False)
class _Window:
    """Tilted masses of a stretch of the grid, and what is not known about them."""

    theta: float
    scale: float  # K
    start: int
    masses: Reals
    weights: Reals
    norm: float  # 2-norm of the weights
    error: float  # 2-norm of the error of the masses
    above: float  # mass above the window
    wrapped: float  # mass that may have been wrapped into it
    roundings: float


@dataclass(frozen=True, eq=False)
class LossSum:
    """The sum of `times` independent losses of each law; every gap is a multiple of `gap`."""

    laws: Sequence[tuple[LossLaw, int]]
    gap: float
    _scales: dict[int, float] = field(default_factory=dict)
    _windows: dict[int, _Window] = field(default_factory=dict)

    def bounds(self, epsilon: float) -> tuple[float, float]:
        """Return bounds of the curve of the sum at epsilon, from below and from above."""
        window = self._window(self._tilt(epsilon))
        found, error = self._inside(window, epsilon)
        exponent = min(window.scale - window.theta * epsilon, 700.0)  # far below 0 at a saddle point
        pad = window.roundings + 8 * UNIT * (abs(window.theta * epsilon) + 8)
        top = window.start + len(window.masses)
        over = window.above * math.exp(-window.theta * max(0.0, top * self.gap - epsilon))
        upper = (found + error + over) * math.exp(exponent) * (1 + pad) + 1e-300
        lower = (found - error - window.wrapped) * math.exp(exponent) * (1 - pad)
        infinite = self._infinite
        return max(0.0, lower) + infinite * (1 - 1e-9), min(1.0, upper + infinite * (1 + 1e-9))

    @cached_property
    def _infinite(self) -> float:
        """The mass of sums with an infinite loss: of all sums, less that of the finite ones."""
        grown = stays = 0.0
        for law, times in self.laws:
            total = float(law.masses.sum()) + law.infinite
            grown += times * math.log(total)
            stays += times * math.log1p(-min(law.infinite / total, 1 - UNIT))
        return -math.expm1(stays) * math.exp(min(grown, 700.0))

    def _inside(self, window: _Window, epsilon: float) -> tuple[float, float]:
        """Sum masses times weights from epsilon on; linear in e^epsilon between two points of the grid."""
        place = math.floor(epsilon / self.gap) - window.start
        size = len(window.masses)
        if place >= size:
            return 0.0, 0.0
        if place < 0:
            after = (window.start + np.arange(size)) * self.gap - epsilon
            found = float(window.masses @ (np.exp(-window.theta * after) * -np.expm1(-after)))
            return found, window.error * math.sqrt(size)
        at = (window.start + place) * self.gap
        here = float(window.masses[place:] @ window.weights[: size - place])
        there = float(window.masses[place + 1 :] @ window.weights[: size - place - 1])
        here *= math.exp(window.theta * (epsilon - at))
        there *= math.exp(window.theta * (epsilon - at - self.gap))
        share = min(1.0, max(0.0, math.expm1(epsilon - at) / math.expm1(self.gap)))
        slip = 8 * UNIT * (abs(epsilon) / self.gap + 8)  # of the share
        found = (1 - share) * here + share * there
        error = window.error * window.norm * math.exp(window.theta * self.gap) + slip * abs(here - there)
        return found, error

    def _scale(self, step: int) -> float:
        """K at this tilt: the sum of log E e^(theta loss)."""
        if step not in self._scales:
            self._scales[step] = math.fsum(t * _log_moment(law, step * self._step) for law, t in self.laws)
        return self._scales[step]

    @cached_property
    def _step(self) -> float:
        """Tilts are multiples of this: a standard deviation apart."""
        variance = math.fsum(times * law.variance() for law, times in self.laws)
        widest = max(float(np.abs(law.losses).max()) for law, _ in self.laws)
        return min(1 / max(math.sqrt(variance), 1e-300), 600 / (widest * _MOST_TILTS), 1e12)

    def _tilt(self, epsilon: float) -> int:
        """Return the tilt with the smallest Chernoff bound."""
        best = 0
        while best < _MOST_TILTS // 2:
            gain = self._scale(best + 1) - self._scale(best) - self._step * epsilon
            if gain >= 0:
                break
            best += 1
        return best

    def _window(self, step: int) -> _Window:
        if step not in self._windows:
            while len(self._windows) >= _KEPT:
                del self._windows[next(iter(self._windows))]
            self._windows[step] = self._transform(step)
        return self._windows[step]

    def _ends(self, step: int) -> tuple[float, float]:
        """Return losses between which nearly all of the tilted mass lies, by Chernoff bounds."""
        here = self._scale(step)
        most = sum(times * float(law.losses[-1]) for law, times in self.laws)
        least = sum(times * float(law.losses[0]) for law, times in self.laws)
        for k in range(1, 40):
            most = min(most, (self._scale(step + k) - here + _ABOVE) / (k * self._step))
            least = max(least, -(self._scale(step - k) - here + _BELOW) / (k * self._step))
        return least, most

    def _transform(self, step: int) -> _Window:
        theta = step * self._step
        least, most = self._ends(step)
        start = math.floor(least / self.gap) - 1
        size = 1 << max(6, (math.ceil(most / self.gap) - start + 2).bit_length())
        size = min(size, 2 * MOST_POINTS)
        spare = size - (math.ceil(most / self.gap) - start + 2)
        start -= spare // 4 if spare > 0 else spare  # too wide a sum keeps its upper part
        bits = size.bit_length() - 1
        logs, angles, highest, vague = np.zeros((4, size // 2 + 1))
        scale = roundings = 0.0
        for law, times in self.laws:
            moment = _log_moment(law, theta)
            places = (law.low + np.arange(len(law.masses))) * round(law.gap / self.gap)
            exponents = theta * law.losses - moment
            grown = np.exp(exponents) * (1 + 4 * UNIT * (np.abs(exponents) + abs(moment) + 8))
            folded = np.bincount(places % size, weights=law.masses * grown, minlength=size)
            tilted = folded * (1 + 4 * UNIT)
            found = fft.rfft(tilted)
            eta = 16 * UNIT * bits * math.sqrt(size) * float(np.linalg.norm(tilted))
            with np.errstate(divide="ignore"):
                logs += times * np.log(np.abs(found))
            angles += times * np.angle(found)
            largest = np.log(np.abs(found) + eta)
            highest += times * largest
            vague += times * 32 * UNIT * (np.abs(largest) + 5)
            scale += times * moment
            roundings += 4 * UNIT * abs(times * moment)
        powers = np.exp(logs) * np.exp(1j * angles)
        rise = np.maximum(highest - logs, 0.0)
        doubt = np.exp(np.minimum(highest, 600.0)) * (-np.expm1(-rise) + vague)
        double = np.full(size // 2 + 1, 2.0)
        double[0] = double[-1] = 1.0
        error = math.sqrt(float(double @ doubt**2) / size)
        error += 16 * UNIT * bits * math.sqrt(float(double @ np.abs(powers) ** 2) / size)
        sums = np.maximum(np.roll(fft.irfft(powers, size), -(start % size)), 0.0)
        offsets = np.arange(size) * self.gap
        weights = np.exp(-theta * offsets) * -np.expm1(-offsets)
        top = (start + size) * self.gap
        above = self._chernoff(step, top, 1)
        wrapped = above + self._chernoff(step, start * self.gap, -1)
        norm = float(np.linalg.norm(weights)) * (1 + 1e-9)
        error = error * 1.001 + 1e-280  # and whatever is too small for a float
        roundings += 4 * UNIT * size
        return _Window(theta, scale, start, sums, weights, norm, error, above, wrapped, roundings)

    def _chernoff(self, step: int, loss: float, side: int) -> float:
        """Bound the tilted mass above (side 1) or below (side -1) a loss."""
        here = self._scale(step)
        logs = (self._scale(step + side * k) - here - side * k * self._step * loss for k in range(1, 40))
        return math.exp(min(600.0, min(logs))) * (1 + 1e-6)


def _log_moment(law: LossLaw, theta: float) -> float:
    """log E e^(theta loss)."""
    exponents = theta * law.losses + law.logarithms
    most = float(exponents.max())
    return most + math.log(float(np.exp(exponents - most).sum()))
