"""The mass of a Wishart law of two rows between bounds of its eigenvalues, in floating point; many at once.

Let p > q be the eigenvalues of X, and s <= t those of the rate S. Over the angle between X and S the density
|X|^((k - 3) / 2) e^(-trace(S X) / 2) has the integral, with p - q for the volume,

    pi (p q)^((k - 3) / 2) (p - q) exp(-(p s + q t) / 2) B((p - q) (t - s) / 4),    B(z) = e^(-z) I0(z)

I0 a Bessel function. But for p - q and B, which change slowly, it is a product of two Gamma laws, log-concave
in log p and log q: where each of them is not negligible, the integral is summed at Gauss points.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from privior.arrays import Floats
from privior.models.laws.gauss import gauss
from privior.special import betaln, i0e

#: points in each direction: so many give the logarithm of a mass within 0.01, three times as many within
#: 0.001
NODES = 16
#: how far below its peak a Gamma law is left out, in logs; and how often intervals are halved to find that
_DEPTH, _HALVINGS = 18.0, 24


def eigenvalues(first: Floats, beside: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Return the smaller and the larger eigenvalue of symmetric matrices of two rows."""
    middle, apart = (first + second) / 2, np.hypot((first - second) / 2, beside)
    most = middle + apart
    with np.errstate(all="ignore"):
        return np.where(middle > 0, (first * second - beside**2) / most, middle - apart), most


def log_wishart_mass(
    degrees: float, least: Floats, most: Floats, low: float, high: float, *, nodes: int = NODES
) -> Floats:
    """Return the log of the integral over all X with eigenvalues in [low, high], by those of the rates.

    It is without the factor of the angle, pi, which all have.
    """
    larger = _LogGamma.of((degrees - 1) / 2, least / 2, low, high)
    smaller = _LogGamma.of((degrees - 1) / 2, most / 2, low, high)
    places, weights = _rule(nodes)
    log_p = larger.start + larger.width * places
    room = np.minimum(smaller.start + smaller.width, log_p) - smaller.start
    log_q = smaller.start[:, :, np.newaxis] + room[:, :, np.newaxis] * places
    p, q = np.exp(log_p), np.exp(log_q)
    away = p[:, :, np.newaxis] - q
    inner = (
        np.exp(smaller.logs(log_q, q)) * away * i0e(away * ((most - least) / 4)[:, np.newaxis, np.newaxis])
    )
    sums = (np.exp(larger.logs(log_p, p)) * room * (inner @ weights)) @ weights
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(sums * larger.width[:, 0]) + larger.height + smaller.height)


def log_gamma_mass(shape: float, rate: Floats, low: float, high: float) -> Floats:
    """Return the log of the integral of x^(shape - 1) e^(-rate x) from low to high."""
    law = _LogGamma.of(shape, rate, low, high)
    places, weights = _rule(NODES)
    t = law.start + law.width * places
    sums = np.exp(law.logs(t, np.exp(t))) @ weights
    return np.asarray(np.log(sums * law.width[:, 0]) + law.height)


def log_trial(degrees: float, least: Floats, most: Floats, low: float, high: float) -> Floats:
    """Return the log of the chance that a trial of `BoundedWishart` succeeds: one mass over another.

    The proposal has Gamma laws between the bounds on the diagonal, and any correlation. Where floats do not
    tell, it is no number, or above 0.
    """
    half = (degrees - 1) / 2
    angle = (degrees - 2) * np.log(2) + betaln(half, half)
    with np.errstate(all="ignore"):
        own = log_wishart_mass(degrees, least, most, low, high, nodes=3 * NODES) + np.log(np.pi)
        proposed = sum(log_gamma_mass(degrees / 2, rate / 2, low, high) for rate in (least, most))
        return np.asarray(own - proposed - angle)


@dataclass(frozen=True, eq=False)
class _LogGamma:
    """x^shape e^(-rate x) as a function of t = log x between two ends, one rate a row, each a column.

    Attributes:
        peak: where it is largest
        start: the least t at which it is not negligible
        width: of all such t
    """

    shape: float
    rate: Floats
    peak: Floats
    start: Floats
    width: Floats

    @staticmethod
    def of(shape: float, rate: Floats, low: float, high: float) -> _LogGamma:
        rate = rate[:, np.newaxis]
        ends = np.log(low), np.log(high)
        peak = np.clip(np.log(shape / rate), *ends)
        law = _LogGamma(shape, rate, peak, peak, peak)
        first, last = (law._side(end) for end in ends)
        return _LogGamma(shape, rate, peak, first, last - first)

    def _side(self, end: float) -> Floats:
        """Return the farthest t towards an end that is not negligible, or a little beyond.

        As the log is concave it falls at least as fast as at the peak, and near it like a parabola: beyond
        what these say nothing is looked for, so that a law is found however narrow it is.
        """
        away, bend = end - self.peak, self.rate * np.exp(self.peak)
        with np.errstate(divide="ignore"):
            straight = 2 * _DEPTH / np.abs(bend - self.shape)
            bent = np.sqrt(4 * _DEPTH / bend)
        most = np.minimum(straight, np.where(bent < 1, bent, np.inf))
        near, far = self.peak, self.peak + np.sign(away) * np.minimum(np.abs(away), most)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            deep = self.logs(middle, np.exp(middle)) < -_DEPTH
            near, far = np.where(deep, near, middle), np.where(deep, middle, far)
        return np.asarray(far)

    def logs(self, t: Floats, x: Floats) -> Floats:
        """Return the log at x = e^t, 0 at the peak."""
        rate, peak = (one.reshape(-1, *[1] * (t.ndim - 1)) for one in (self.rate, self.peak))
        return np.asarray(self.shape * (t - peak) - rate * (x - np.exp(peak)))

    @property
    def height(self) -> Floats:
        """The log at the peak."""
        return np.asarray(self.shape * self.peak - self.rate * np.exp(self.peak))[:, 0]


@cache
def _rule(nodes: int) -> tuple[Floats, Floats]:
    """Return the places and weights of Gauss for the integral from 0 to 1."""
    places, weights = gauss(nodes)
    return (1 + places) / 2, weights / 2
