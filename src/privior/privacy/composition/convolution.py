"""Sums of many independent privacy losses on one grid, by a tilted Fourier transform with its error.

The masses are first multiplied by e^(theta loss - K), K the logarithm of their sum, with theta near the
saddle point, so that losses about epsilon become the likely ones; what was sought is then e^(K - theta
epsilon) times a sum of the order of one, and a small delta is as exact as a large one.

What is added so that nothing stated is below the truth, in these units:
- the transform: each computed coefficient is within eta = 16 u log2(n) sqrt(n) |p|_2 of the true one, u =
  2^-53. Higham 2002, Theorem 24.2, proves (mu + 4 sqrt(2) u) log2(n) for radix 2, mu the error of the roots
  of unity; those of pocketfft are products of two from tables, mu < 9 u. Its radix 4 has half the products.
  The power is then within (|x| + eta)^N - |x|^N, plus 32 u N (|log x| + 5) of it for logarithm, angle and
  exponential. By Parseval these are the 2-norm of the error of the masses, and by Cauchy-Schwarz it times
  the 2-norm of the weights e^(-theta s) (1 - e^-s), s = loss - epsilon > 0, is that of the sum; of the
  weights of losses that a sum can have, for masses of others are 0 and set to it;
- the window: what is above it is at most a Chernoff bound, and what is below it counts by its own if epsilon
  is lower still; what is wrapped into it only adds;
- summation: the curve at every point of the grid by two recursions of positive terms from the end, which err
  by less than 8 (n + 745) u of it; exponents by u times themselves; with a factor of two and more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate

import numpy as np

from privior.privacy.composition.loss_distribution import UNIT, LossLaw
from privior.privacy.composition.smooth_losses import Reals

#: fewer points than this are summed sooner than the library is loaded that sums many
_FEW = 1 << 14
#: the largest transform
MOST_POINTS = 1 << 21
_ABOVE, _BELOW = math.log(1e22), math.log(1e18)
#: tilts are quarters of a standard deviation apart; one may be so far from the best, in logarithms
_MOST_TILTS, _NEAR = 1000, 2.0
#: by how many of them a Chernoff bound tilts
_TILTS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
#: points of all windows that a sum remembers
_KEPT = 1 << 22


@dataclass(frozen=True, eq=False)
class _Window:
    """The tilted curve on a stretch of the grid, and what is not known about it."""

    theta: float
    scale: float  # K
    start: int
    curve: Reals  # at each point, and 0 at the end
    total: float  # the slope at the first point: the masses times e^-(1 + theta) (loss - start)
    norms: Reals  # 2-norms of the weights of the first losses from epsilon on, one for each number of them
    error: float  # 2-norm of the error of the masses
    above: float  # mass above the window
    below: float  # mass below it
    roundings: float
    raised: float  # by how much the masses may be too large


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
        top = window.start + len(window.curve) - 1
        over = window.above * math.exp(-window.theta * max(0.0, top * self.gap - epsilon))
        if epsilon < window.start * self.gap:
            over += window.below
        upper = (found + error + over) * math.exp(exponent) * (1 + pad) + 1e-300
        lower = (found - error - window.above - window.below) * math.exp(exponent)
        lower *= 1 - pad - window.raised
        infinite, slip = self._infinite
        return max(0.0, lower) + infinite * max(0.0, 1 - slip), min(1.0, upper + infinite * (1 + slip))

    @cached_property
    def _infinite(self) -> tuple[float, float]:
        """The mass of sums with an infinite loss: of all sums, less that of the finite ones; and its slip."""
        grown = stays = 0.0
        for law, times in self.laws:
            total = float(law.masses.sum()) + law.infinite
            grown += times * math.log(total)
            stays += times * math.log1p(-min(law.infinite / total, 1 - UNIT))
        slip = 64 * UNIT * (len(self.laws) + 1) * sum(times for _, times in self.laws)
        return -math.expm1(stays) * math.exp(min(grown, 700.0)), slip

    def _inside(self, window: _Window, epsilon: float) -> tuple[float, float]:
        """Sum masses times weights from epsilon on; linear in e^epsilon between two points of the grid."""
        place = math.floor(epsilon / self.gap) - window.start
        size = len(window.curve) - 1
        if place >= size:
            return 0.0, 0.0
        at = (window.start + place) * self.gap
        if place < 0:
            after = window.start * self.gap - epsilon
            found = float(window.curve[0]) - math.expm1(-after) * window.total
            return found * math.exp(-window.theta * after), window.error * math.sqrt(size)
        here = float(window.curve[place]) * math.exp(window.theta * (epsilon - at))
        there = float(window.curve[place + 1]) * math.exp(window.theta * (epsilon - at - self.gap))
        share = min(1.0, max(0.0, math.expm1(epsilon - at) / math.expm1(self.gap)))
        slip = 8 * UNIT * (abs(epsilon) / self.gap + 8)  # of the share
        found = (1 - share) * here + share * there
        reach = min(size - 1, max(0, int(self._range[1]) - window.start - place + 1))  # no sum is above it
        error = window.error * float(window.norms[reach]) * math.exp(window.theta * self.gap)
        error += slip * abs(here - there)
        return found, error

    def _scale(self, step: int) -> float:
        """K at this tilt: the sum of log E e^(theta loss)."""
        if step not in self._scales:
            self._scales[step] = math.fsum(t * _log_moment(law, step * self._step) for law, t in self.laws)
        return self._scales[step]

    @cached_property
    def _step(self) -> float:
        """The difference of two tilts."""
        variance = math.fsum(times * law.variance() for law, times in self.laws)
        return 0.25 / max(math.sqrt(variance), self.gap)

    @cached_property
    def _range(self) -> tuple[int, int]:
        """The least and the largest sum that has any mass, in gaps."""
        least = most = 0
        for law, times in self.laws:
            held = np.flatnonzero(law.masses)
            ends = (int(held[0]), int(held[-1])) if held.size else (0, len(law.masses) - 1)
            steps = times * round(law.gap / self.gap)
            least, most = least + steps * (law.low + ends[0]), most + steps * (law.low + ends[1])
        return least, most

    def _tilt(self, epsilon: float) -> int:
        """Return a tilt with nearly the smallest Chernoff bound, a round one, so that windows are few."""
        low, high = 0, _MOST_TILTS
        while low < high:
            middle = (low + high) // 2
            falls = self._scale(middle + 1) - self._scale(middle) < self._step * epsilon
            low, high = (middle + 1, high) if falls else (low, middle)
        best = self._scale(low) - low * self._step * epsilon
        for unit in (16, 8, 4, 2):
            tilt = round(low / unit) * unit
            if self._scale(tilt) - tilt * self._step * epsilon <= best + _NEAR:
                return tilt
        return low

    def _window(self, step: int) -> _Window:
        if step not in self._windows:
            found = self._transform(step)
            while self._windows and sum(len(w.curve) for w in self._windows.values()) > _KEPT:
                del self._windows[next(iter(self._windows))]
            self._windows[step] = found
        return self._windows[step]

    def _ends(self, step: int) -> tuple[float, float]:
        """Return losses between which nearly all of the tilted mass lies, by Chernoff bounds."""
        here = self._scale(step)
        least, most = (end * self.gap for end in self._range)
        for k in _TILTS:
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
        scales, raised = [], 0.0
        for law, times in self.laws:
            moment = _log_moment(law, theta)
            places = (law.low + np.arange(len(law.masses))) * round(law.gap / self.gap)
            exponents = theta * law.losses - moment
            slips = 4 * UNIT * (np.abs(exponents) + abs(moment) + np.abs(law.logarithms) + 8)
            slips = np.where(law.masses > 0, slips + UNIT * ((places[-1] - places[0]) // size), 0.0)
            grown = np.exp(exponents + law.logarithms) * (1 + slips)
            tilted = np.asarray(np.bincount(places % size, grown, size), dtype=np.float64)
            raised += 2 * times * float(slips.max())
            found = np.fft.rfft(tilted)
            eta = 16 * UNIT * bits * math.sqrt(size) * _norm(tilted)
            with np.errstate(divide="ignore"):
                logs += times * np.log(np.abs(found))
            angles += times * np.angle(found)
            largest = np.log(np.abs(found) + eta)
            highest += times * largest
            vague += times * (32 + len(self.laws)) * UNIT * (np.abs(largest) + 5)
            scales.append(times * moment)
        powers = np.exp(logs) * np.exp(1j * angles)
        rise = np.maximum(highest - logs, 0.0)
        doubt = np.exp(np.minimum(highest, 600.0)) * (-np.expm1(-rise) + vague)
        error = (_norm(doubt) + 16 * UNIT * bits * _norm(np.exp(logs))) * math.sqrt(2 / size)
        sums = np.maximum(np.roll(np.fft.irfft(powers, size), -(start % size)), 0.0)
        offsets = np.arange(size) * self.gap
        norms = np.sqrt(np.cumsum((np.exp(-theta * offsets) * np.expm1(-offsets)) ** 2)) * (1 + 1e-9)
        lowest, highest_place = self._range
        sums[: max(0, lowest - start)] = 0.0  # no sum of losses lies there: rounding, or wrapped into it
        sums[max(0, highest_place - start + 1) :] = 0.0
        fall = math.exp(-theta * self.gap)
        totals = _from_the_end(sums, fall * math.exp(-self.gap))
        curve = _from_the_end(np.append(totals[1:], 0.0) * (-math.expm1(-self.gap) * fall), fall)
        above, below = self._chernoff(step, start + size, 1), self._chernoff(step, start, -1)
        error = error * 1.001 + 1e-280  # and whatever is too small for a float
        roundings = UNIT * (16 * (size + 1024) + 4 * math.fsum(map(abs, scales)))
        return _Window(
            theta=theta,
            scale=math.fsum(scales),
            start=start,
            curve=np.append(curve, 0.0),
            total=float(totals[0]),
            norms=norms,
            error=error,
            above=above,
            below=below,
            roundings=roundings,
            raised=raised,
        )

    def _chernoff(self, step: int, place: int, side: int) -> float:
        """Bound the tilted mass from a place on (side 1), or below it (side -1)."""
        least, most = self._range
        if place > most if side > 0 else place <= least:
            return 0.0
        here, loss = self._scale(step), place * self.gap
        logs = (self._scale(step + side * k) - here - side * k * self._step * loss for k in _TILTS)
        return math.exp(min(600.0, min(logs))) * (1 + 1e-6)


def _norm(numbers: Reals) -> float:
    """The 2-norm, without the threads of a library."""
    return math.sqrt(float(np.sum(numbers * numbers)))


def _from_the_end(terms: Reals, factor: float) -> Reals:
    """Return s with s_k = terms_k + factor s_(k+1)."""
    if len(terms) <= _FEW:
        steps = accumulate(terms[::-1].tolist(), lambda after, term: term + factor * after)
        return np.array(list(steps))[::-1].copy()
    from scipy.linalg.blas import dtbsv

    band = np.empty((2, len(terms)), order="F")
    band[0], band[1] = -factor, 1.0
    return np.asarray(dtbsv(1, band, terms, diag=1))


def _log_moment(law: LossLaw, theta: float) -> float:
    """Return log E e^(theta loss), not overflowing where e^(theta loss) would."""
    exponents = theta * law.losses + law.logarithms
    most = float(exponents.max())
    return most + math.log(float(np.exp(exponents - most).sum()))
