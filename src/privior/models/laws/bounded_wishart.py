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
from numpy.typing import NDArray

Floats = NDArray[np.float64]

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
    from scipy.special import i0e

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

    The proposal has Gamma laws between the bounds on the diagonal, and any correlation.
    """
    from scipy.special import betaln

    own = log_wishart_mass(degrees, least, most, low, high, nodes=3 * NODES) + np.log(np.pi)
    half = (degrees - 1) / 2
    angle = (degrees - 2) * np.log(2) + betaln(half, half)
    return np.asarray(own - sum(log_gamma_mass(degrees / 2, s / 2, low, high) for s in (least, most)) - angle)


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
        """Return the farthest t towards an end that is not negligible, or a little beyond."""
        near, far = self.peak, np.full_like(self.peak, end)
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            deep = self.logs(middle, np.exp(middle)) < -_DEPTH
            near, far = np.where(deep, near, middle), np.where(deep, middle, far)
        return far

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
    places, weights = np.polynomial.legendre.leggauss(nodes)
    return (1 + places) / 2, weights / 2
