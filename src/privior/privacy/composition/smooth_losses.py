"""Masses of the loss from its density, for draws from large Dirichlet and Gamma posteriors.

Connecting a thousand dots asks for a thousand tails, and a tail of a Beta law with parameters of a million
takes a twentieth of a second. The density of the loss is elementary, so the masses are integrated instead:
a loss l between two dots is divided between them, the part u(l) = (e^-l - e^-l1) / (e^-l0 - e^-l1) to the
lower dot, which keeps both laws' sums. The curve that results is the chords of the exact curve.

With t = logit y (Beta; y and 1-y swapped if that makes A <= m/2) or log g (Gamma) the loss is linear in t,
and the density of t, about a centre c near its mode, t = c + x,
  f(t) = f(c) exp(A x - m log(1 + s (e^x - 1))), s = 1 / (1 + e^-c), or f(c) exp(A x - e^c (e^x - 1))
is log-concave, s about 1/2 or less. The centre is a loss that is a float; s, e^c and f(c) are found in
balls, once. In floats every term then has a few roundings of its own size, for 1 + s (e^x - 1) > 1/4: the
exponent errs by less than 16 u |x| (A + m s(t)), s(t) = s e^x / (1 + s (e^x - 1)) (or e^t for m s(t)), and
f is raised by that.

f is analytic: |f(t + iv)| <= f(t) exp(bend v^2), bend = 0.15 m (|v| <= 1, for |1 + e^(t+iv)|
>= (1 + e^t) cos(v/2)) or e^t / 2.
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
from typing import cast

import numpy as np

from privior.arrays import Floats
from privior.interval_arithmetic import flint
from privior.privacy.pairs import DominatingPair
from privior.privacy.pairs.balls import ball
from privior.privacy.pairs.incomplete import log_beta

Reals = Floats

#: enough for parameters up to 1e15 and rates down to 1e-12, each of which costs about 50 bits
_BITS = 400
_RHO = 20.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(5)
_UNIT = 2.0**-53
#: a quadrature whose error is more than this of a mass is not made
_WORST = 1e-9
#: beyond this e^x is taken to be linear: s e^x is then above e^500
_FAR = 600.0


@dataclass(frozen=True)
class _Density:
    """log f = height + pull x - push / share log(1 + share (e^x - 1)), x = (loss - centre) / slope.

    For a Gamma law `share` is 0, and the last term push (e^x - 1).
    """

    height: float
    centre: float
    slope: float
    pull: float
    push: float
    share: float

    def places(self, starts: Reals, offsets: Reals | float = 0.0) -> Reals:
        """Return x at the losses starts + offsets."""
        return np.asarray(((starts - self.centre) + offsets) / self.slope)

    def against(self, x: Reals) -> Reals:
        """The derivative of the last term."""
        power = np.exp(np.minimum(x, _FAR))
        return np.asarray(self.push * power / (1 + self.share * (power - 1)))

    def logarithm(self, x: Reals) -> Reals:
        """Log f, raised by more than its rounding."""
        near, rest = np.minimum(x, _FAR), np.maximum(x - _FAR, 0.0)
        last = np.expm1(near)
        if self.share:
            last = (np.log1p(self.share * last) + rest) / self.share
        found = self.height + self.pull * x - self.push * last
        slips = 16 * np.abs(x) * (self.pull + self.against(x)) + 4 * np.abs(found) + 4 * abs(self.height) + 32
        return np.asarray(found + np.minimum(_UNIT * slips, 700.0))

    def steepness(self, x: Reals) -> Reals:
        """(log f)', to eight digits or so where it is not small."""
        return np.asarray(self.pull - self.against(x))

    def bend(self, x: Reals) -> Reals:
        """The largest growth into the complex plane, for places up to x."""
        if self.share:
            return np.full_like(x, 0.15 * self.push / self.share)
        return np.asarray(self.against(x) / 2)


@lru_cache(maxsize=64)
def _density(pair: Hashable) -> _Density | None:
    with flint.ctx.workprec(_BITS):
        found = cast(DominatingPair, pair).smooth_loss()
        if found is None:
            return None
        a, b, r, shift = found
        if b is not None:
            norm = log_beta(a, b)
            if a > b:
                a, b, r = b, a, -r
            centre = float(r * (a / b).log() - shift)
            c = (ball(centre) + shift) / r
            share = 1 / (1 + (-c).exp())
            height = a * c - (a + b) * (1 + c.exp()).log() - norm
            push = (a + b) * share
        else:
            centre = float(r * a.log() - shift)
            c, share = (ball(centre) + shift) / r, ball(0)
            push = c.exp()
            height = a * c - push - a.lgamma()
        return _Density(float(height), centre, float(r), float(a), float(push), float(share))


def smooth_reach(pair: DominatingPair, tail: float) -> float | None:
    """Return a loss above which the mass is about `tail`, by doubling and halving; None if not smooth."""
    density = _density(cast(Hashable, pair))
    if density is None:
        return None

    def below(loss: float) -> bool:
        x = density.places(np.array([loss]))
        steep = float(density.steepness(x)[0]) * math.copysign(1.0, density.slope)
        return steep < 0 and float(density.logarithm(x)[0]) - math.log(-steep) < math.log(tail)

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
    part = (1 + _NODES) / 2
    starts = np.asarray(np.arange(low, high) * gap, dtype=np.float64)
    x = density.places(starts[:, None], gap * part[None, :])
    half = gap / 2 / abs(density.slope)
    f = np.exp(density.logarithm(x)) * (1 + 4 * _UNIT)
    wide, tall = half * (_RHO + 1 / _RHO) / 2, half * (_RHO - 1 / _RHO) / 2
    # the largest of |u| and |1 - u| inside the ellipse
    divided = math.expm1((_RHO / 4 + 0.6) * gap) / -math.expm1(-gap) if gap < 10 else math.inf
    centre = x[:, 2]
    growth = np.abs(density.steepness(centre)) * wide + density.bend(centre + wide) * tall**2
    if tall > 1 or not math.isfinite(divided) or float(growth.max()) > 30:
        return None
    error = 64 / 15 * np.exp(growth) * divided * _RHO**-10 / (1 - _RHO**-2) * 1.01
    if float(error[f[:, 2] * half > 1e-6].max(initial=0.0)) > _WORST:
        return None
    lower = np.expm1(gap * (1 - part)) / math.expm1(gap)  # u at the nodes
    each = half * f * _WEIGHTS
    extra = half * f[:, 2] * (error + 64 * _UNIT)
    masses = np.zeros(high - low + 1)
    masses[:-1] += each @ lower + extra
    masses[1:] += each @ (1 - lower) + extra
    masses *= 1 + 64 * _UNIT
    ends = density.places(np.array([low * gap, high * gap]))
    outward = density.steepness(ends) * np.array([-1.0, 1.0]) * math.copysign(1.0, density.slope)
    if (outward >= 0).any():
        return None
    tails = np.exp(density.logarithm(ends)) / -outward * (1 + 1e-6)
    masses[0] += tails[0]
    return masses, float(tails[1])
