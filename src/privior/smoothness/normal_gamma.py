"""Normal-Gamma laws of a mean and a precision, perhaps cut to a box: masses, and laws of straight lines."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.models.laws.gauss import gauss
from privior.special import log_ndtr, logsumexp, ndtr

#: an integrand so far below its largest value, as a logarithm, is left out
_DEPTH = 45.0
#: panels of the log of the precision, and Gauss points in each
_PANELS, _NODES = 25, 8


@dataclass(frozen=True)
class NormalGammaLaw:
    """tau^(shape - 1/2) e^(-tau (rate + strength (mu - mean)^2 / 2)) on a box, the whole plane by default.

    Given tau the mean is Normal, so that masses are one-dimensional integrals over t = log tau.
    """

    mean: float
    strength: float
    shape: float
    rate: float
    means: tuple[float, float] = (-math.inf, math.inf)
    precisions: tuple[float, float] = (0.0, math.inf)

    @cached_property
    def _points(self) -> tuple[Floats, Floats]:
        """Return Gauss points of t, and the logs of the masses that they stand for."""
        low, high = (math.log(end) if end > 0 else -math.inf for end in self.precisions)
        away = max(self.means[0] - self.mean, self.mean - self.means[1], 0.0)
        width = 60 / self.shape + 15 / math.sqrt(self.shape)
        first = math.log(self.shape / (self.rate + self.strength * away**2 / 2)) - width
        last = math.log((self.shape + 15 * math.sqrt(self.shape) + 80) / self.rate)
        start, stop = max(min(first, high - width), low), min(max(last, low + width), high)
        for _ in range(4):  # nearer each time to where the integrand is not negligible
            places = np.linspace(start, stop, 513)
            logs = self._logs(places)
            seen = np.flatnonzero(logs > logs.max() - _DEPTH)
            start, stop = places[max(seen[0] - 1, 0)], places[min(seen[-1] + 1, 512)]
        nodes, weights = gauss(_NODES)
        edges = np.linspace(start, stop, _PANELS + 1)
        half = (stop - start) / (2 * _PANELS)
        points = ((edges[:-1] + edges[1:])[:, np.newaxis] / 2 + half * nodes).ravel()
        return points, self._logs(points) + np.log(np.tile(weights * half, _PANELS))

    def _logs(self, t: Floats) -> Floats:
        """Return the log of the integral over the mean, as a density of t."""
        root = np.sqrt(self.strength * np.exp(t))
        inside = _log_between(root * (self.means[0] - self.mean), root * (self.means[1] - self.mean))
        return np.asarray(
            self.shape * t - self.rate * np.exp(t) + inside + math.log(2 * math.pi / self.strength) / 2
        )

    @cached_property
    def log_mass(self) -> float:
        """The log of the integral over the box."""
        return float(logsumexp(self._points[1]))

    @cached_property
    def _taus(self) -> tuple[Floats, Floats]:
        """Return precisions on a grid and their chances."""
        points, logs = self._points
        return np.exp(points), np.exp(logs - self.log_mass)

    def mean_log_precision(self) -> float:
        """Return the mean of log tau."""
        return float(self._points[0] @ self._taus[1])

    def mean_precision(self) -> float:
        """Return the mean of tau."""
        taus, chances = self._taus
        return float(taus @ chances)

    def below(self, slope: float, shift: float, levels: Floats) -> Floats:
        """Return the chance that tau (slope mu + shift) is at most each level; the slope is not 0."""
        taus, chances = self._taus
        root = np.sqrt(self.strength * taus)
        cut = [root * (end - self.mean) for end in self.means]
        found = np.zeros(np.asarray(levels).shape)
        for tau, chance, scale, low, high in zip(taus, chances, root, *cut, strict=True):
            ends = np.clip(scale * ((levels / tau - shift) / slope - self.mean), low, high)
            found += chance * (_share(low, ends, high) if slope > 0 else 1 - _share(low, ends, high))
        return np.asarray(np.clip(found / float(chances.sum()), 0.0, 1.0))


def _share(low: float, ends: Floats, high: float) -> Floats:
    """Return how much of the chance of a standard Normal between low and high is below each end."""
    if low > -high:  # the smaller tails are known more closely
        return 1 - _share(-high, -ends, -low)
    least, most = ndtr(low), ndtr(high)
    if most - least > 1e-200:
        return np.asarray((ndtr(ends) - least) / (most - least))
    first, last = np.array([low]), np.array([high])
    return np.exp(_log_between(first, ends) - _log_between(first, last))


def _log_between(low: Floats, high: Floats) -> Floats:
    """Return the log of the chance that a standard Normal is between two numbers."""
    upper = low > -high  # the smaller tails are known more closely
    first, last = np.where(upper, -high, low), np.where(upper, -low, high)
    bottom, top = log_ndtr(first), log_ndtr(last)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(last > first, top + np.log(-np.expm1(bottom - top)), -np.inf))
