"""Masses of the loss from its density, for draws from large Dirichlet and Gamma posteriors.

Connecting a thousand dots asks for a thousand tails, and a tail of a Beta law with parameters of a million
takes a twentieth of a second. The density of the loss is elementary, so the masses are integrated instead:
a loss l between two dots is divided between them, the part u(l) = (e^-l - e^-l1) / (e^-l0 - e^-l1) to the
lower dot, which keeps both laws' sums. The curve that results is the chords of the exact curve.

With t = logit y (Beta) or log g (Gamma) the loss is linear, l = slope t - shift, and the density of t
  f(t) = exp(A t - m log(1 + e^t)) / B(A, m - A)   or   exp(A t - e^t) / G(A)
is log-concave and analytic: |f(t + is)| <= f(t) exp(bend s^2), bend = 0.15 m (|s| <= 1, for |1 + e^(t+is)|
>= (1 + e^t) cos(s/2)) or e^t / 2.
Gauss-Legendre with 5 nodes is exact below degree 10, the Chebyshev coefficients of an analytic function
are at most 2 M rho^-k, and for T_k, k even, the rule gives at most 2 and the integral 2/(k^2 - 1) <= 2/99
(for k odd both are 0), 4.04 M rho^-10 / (1 - rho^-2) in all: on an interval of half-width w it errs by
less than 64/15 w M rho^-10 / (1 - rho^-2), M the largest absolute value of f u inside the ellipse of
half-axes w (rho +- 1/rho)/2, here rho = 20; by concavity f(t) <= f(centre) e^(|(log f)'(centre)| |t -
centre|).
That error is added to both dots. Beyond the grid the mass is at most f / |(log f)'|.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from privior.privacy.pairs import BetaPair, DominatingPair, GammaShapePair
from privior.privacy.pairs.balls import ball
from privior.privacy.pairs.incomplete import log_beta

Reals = NDArray[np.float64]

_BITS = 160
_RHO = 20.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_UNIT = 2.0**-53
#: a quadrature whose error is more than this of a mass is not made
_WORST = 1e-9


@dataclass(frozen=True)
class _Density:
    """log f(t) = tilt t - weight log(1 + e^t) - norm, or tilt t - e^t - norm if weight is None."""

    tilt: Any
    weight: Any
    norm: Any
    slope: Any
    shift: Any

    def place(self, loss: float) -> float:
        """Return t where the loss is this."""
        return float((ball(loss) + self.shift) / self.slope)

    def logarithm(self, losses: Reals) -> Reals:
        """Log f at the t of each loss, correct to the last place."""
        from flint import ctx

        found = np.empty(len(losses))
        with ctx.workprec(_BITS):
            for k, loss in enumerate(losses):
                t = (ball(float(loss)) + self.shift) / self.slope
                rest = t.exp() if self.weight is None else self.weight * (1 + t.exp()).log()
                found[k] = float(self.tilt * t - rest - self.norm)
        return found

    def steepness(self, t: Reals) -> Reals:
        """(log f)', to eight digits or so."""
        if self.weight is None:
            return np.asarray(float(self.tilt) - np.exp(np.minimum(t, 700.0)))
        return np.asarray(float(self.tilt) - float(self.weight) / (1 + np.exp(np.minimum(-t, 700.0))))

    def bend(self, t: Reals) -> Reals:
        """The largest growth into the complex plane, for real parts up to t."""
        if self.weight is None:
            return np.asarray(np.exp(np.minimum(t, 700.0)) / 2)
        return np.full_like(t, 0.15 * float(self.weight))


@lru_cache(maxsize=64)
def _density(pair: Hashable) -> _Density | None:
    from flint import ctx

    with ctx.workprec(_BITS):
        if isinstance(pair, BetaPair):
            a, b, r = ball(pair.first), ball(pair.second), ball(pair.rate)
            norm = log_beta(a + r, b)
            return _Density(a + r, a + b + r, norm, r, norm - log_beta(a, b + r))
        if isinstance(pair, GammaShapePair):
            a, s = ball(pair.shape), ball(pair.step)
            ratio = (a + s).lgamma() - a.lgamma()
            if pair.less:
                return _Density(a, None, a.lgamma(), -s, -ratio)
            return _Density(a + s, None, (a + s).lgamma(), s, ratio)
    return None


def smooth_reach(pair: DominatingPair, tail: float) -> float | None:
    """Return a loss above which the mass is about `tail`, by doubling and halving; None if not smooth."""
    density = _density(cast(Hashable, pair))
    if density is None:
        return None

    def below(loss: float) -> bool:
        t = np.array([density.place(loss)])
        steep = float(density.steepness(t)[0]) * math.copysign(1.0, float(density.slope))
        return steep < 0 and float(density.logarithm(np.array([loss]))[0]) - math.log(-steep) < math.log(tail)

    low, high = 0.0, 1e-9
    while not below(high) and high < 1e9:
        low, high = high, 2 * high
    for _ in range(8):
        middle = (low + high) / 2
        low, high = (low, middle) if below(middle) else (middle, high)
    return high


@lru_cache(maxsize=64)
def smooth_masses(pair: Hashable, gap: float, low: int, high: int) -> tuple[Reals, float] | None:
    """Return the masses of the dots low..high (times gap), rounded up, and of an infinite loss.

    None if the pair has no such density or the grid is too coarse for it.
    """
    density = _density(pair)
    if density is None:
        return None
    starts = np.arange(low, high) * gap
    part = (1 + _NODES) / 2
    losses = starts[:, None] + gap * part[None, :]
    logs = density.logarithm(losses.ravel()).reshape(losses.shape)
    half = gap / 2 / abs(float(density.slope))
    f = np.exp(logs) * (1 + 4 * _UNIT * (np.abs(logs) + 8))
    centre = np.array([density.place(float(loss)) for loss in losses[:, 2]])
    wide, tall = half * (_RHO + 1 / _RHO) / 2, half * (_RHO - 1 / _RHO) / 2
    # the largest of |u| and |1 - u| inside the ellipse
    divided = math.expm1((_RHO / 4 + 0.6) * gap) / -math.expm1(-gap) if gap < 10 else math.inf
    growth = np.abs(density.steepness(centre)) * wide + density.bend(centre + wide) * tall**2
    if tall > 1 or not math.isfinite(divided) or float(growth.max()) > 30:
        return None
    error = 64 / 15 * np.exp(growth) * divided * _RHO**-10 / (1 - _RHO**-2) * 1.01
    if float(error[np.exp(logs[:, 2]) * half > 1e-6].max(initial=0.0)) > _WORST:
        return None
    lower = np.expm1(gap * (1 - part)) / math.expm1(gap)  # u at the nodes
    each = half * f * _WEIGHTS
    extra = half * f[:, 2] * (error + 64 * _UNIT)
    masses = np.zeros(high - low + 1)
    masses[:-1] += each @ lower + extra
    masses[1:] += each @ (1 - lower) + extra
    masses *= 1 + 64 * _UNIT
    ends = np.array([low * gap, high * gap])
    steep = density.steepness(np.array([density.place(float(loss)) for loss in ends]))
    outward = steep * np.array([-1.0, 1.0]) * math.copysign(1.0, float(density.slope))
    if (outward >= 0).any():
        return None
    tails = np.exp(density.logarithm(ends)) / -outward * (1 + 1e-6)
    masses[0] += tails[0]
    return masses, float(tails[1])
