"""How many trials rejection in shells takes at most, on average, whatever the records are: proved.

A draw takes M/Z trials on average, Z the integral of e^-(F - F(c)) in units of w (`shells`). Both are bounded
for every table of n rows of length R at most, from the constants of the loss (slope s, smoothness B,
concordance C), beta, m and the ball's radius W alone. c is taken to be the mode.

**By the prior.** The envelope has no more mass than the plain one: M <= (m/2pi)^(-d/2), in theta. For any law
q, log Z >= entropy of q - E(F - F(c)) (Jensen). With q Normal(c, v I) a predictor moves by a Normal number of
variance t^2 <= R^2 v, and by that a loss rises above its tangent by min(B t^2/2, 2 s t sqrt(2/pi)) at most.

**On a ball** with c on its boundary, pulled outwards by h, the plain envelope has m + h. The ellipsoid around
(1-x) c with half-axes x W along c and sqrt(x) W across lies in the ball, for x <= 1/4 also where c is moved
inwards with it. Uniform q there has E(F - F(c)) <= h x W^2 + (m V + beta n B R^2 v)/2, V the trace and v the
largest eigenvalue of E(theta - c)(theta - c)'. As losses are convex along the way from 0 to c, h W^2 + m W^2
<= beta n s0 R W, s0 the largest slope at 0.

**In shells.** At the mode let P = m TT' and sum_i mu_i v_i v_i' = I - P the losses' part, |v_i| = 1. As |a_i|
<= R, k_i^2 <= R^2 / (m x_i), x_i = v_i'P^-1 v_i >= 1. So with f(x) = 2h(c/sqrt(x)), c = C R r / sqrt(m), h as
in `bregman_share`, S_k >= P + sum_i mu_i f(x_i) v_i v_i'. f is concave: f' is (2e^-s + s - 2 + s e^-s)/c^2 at
s = c/sqrt(x), which grows with s. x f(x) is convex: its derivative 2h - s h' falls in s, as h' <= 0 <= h''.

Let E = I - S_k, Q a projection of rank k, f_1.. a basis of its range where QPQ is diagonal, of p_j, and
y_ij = (v_i.f_j)^2, y_i their sum over j. Then x_i >= sum_j y_ij/p_j, and by concavity f(x_i) >=
sum_j (y_ij/y_i) f(y_i/p_j). By a tangent of x f(x) at z0, f(z) >= A - b/(p_j z), A the derivative there,
where z0^2 f'(z0) = b/p_j. As sum_i mu_i y_ij <= 1 - p_j and sum_i mu_i <= d,

    tr QE <= k max_p (1-p)(1 - A(b/p)) + d b    for every b > 0,

and by f alone tr E <= d max_p (1-p)(1 - f(1/p)) and tr QE <= k (1 - f(1)). This bounds every sum of the k
largest eigenvalues of E by a concave function of k, so sum_j -log(1 - t - e_j), convex in them, by its steps
(majorisation), and with it the mass of each shell. `in_shells` takes the shells of least mass from a fixed
list of radii: no more than the best ones for these bounds.

Z: with q Normal(c, v T'T) losses rise by the concordance, E(e^|x| - 1 - |x|), x Normal of variance
v (C k_i)^2; in x_i this is convex (a series of powers of 1/sqrt(x)), so at most what p_j = 1/x_i gives,
averaged.

**Floats** take a part of S_k away and leave a gradient at c; both are bounded below as `shells` states them
(sums over records are taken in blocks, so that what is lost hardly grows with n), with F at c above its least
by no more than 1e-13 of |F(c)|, where the search for the mode ends: of F(0) where losses are at least 0,
and of what they can be on a ball (Poisson's are below 0 there).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, ndtr

from privior.arrays import Floats
from privior.randomness.block_sums import roundings
from privior.randomness.shells import Bending, possible_ends

_U = 2.0**-53
#: where suprema over p, and the least over s and b, are looked for
_SHARES = np.concatenate([np.geomspace(1e-7, 0.02, 60), np.linspace(0.02, 1, 197)[1:]])
_AWAY = np.geomspace(1e5, 1e-4, 3000)
_SLACKS = np.geomspace(1e-5, 1, 100)
_TILTS = np.linspace(0, 0.95, 39)
_RADII = 90
#: grids find suprema up to this part of a logarithm
_GRID = 0.01


@dataclass(frozen=True)
class AnyTable:
    """What is public of a table that draws are made for.

    Attributes:
        loss: of a predictor and a target
        targets: the least and the largest one
        size: d, how many weights there are
        records: n
        length: R, of the longest possible row
        temperature: beta
        precision: m
        radius: W, of the ball; None if there is none
    """

    loss: Bending
    targets: tuple[float, float]
    size: int
    records: int
    length: float
    temperature: float
    precision: float
    radius: float | None

    @property
    def weight(self) -> float:
        """Beta n: what all records weigh."""
        return self.temperature * self.records

    @property
    def bent(self) -> float:
        """How many times as much as the prior everything together bends at most."""
        return 1 + self.weight * float(self.loss.smoothness) * self.length**2 / self.precision

    def log_trials(self) -> float:
        """Bound the logarithm of the expected number of trials of a draw."""
        steep = self._steep()
        if steep > 0.5:
            return math.inf
        found = self._by_prior() if self.radius is None else self._on_ball()
        found += self.size * (steep - math.log1p(-steep)) / 2
        if self.radius is None and self.loss.concordance is not None:
            lost = max(1e-4, steep) + self._lost()
            if lost < 0.25:
                found = min(found, self._in_shells(1 - lost) + self.size * steep / 2)
        return max(0.0, found + _GRID)

    # Floats

    def _steep(self) -> float:
        """Bound G sqrt(1/(e d)), e the least eigenvalue of P: what is lost to a gradient at the centre."""
        d, n, slope, away = self.size, self.records, float(self.loss.slope), self._away()
        predictors = 1.01 * (d + 1) * _U * self.length * (1 + away)
        each = float(self.loss.derivative_error) + float(self.loss.smoothness) * predictors
        error = self.weight * self.length * (each + 1.01 * (roundings(n) + 8) * _U * slope)
        error = 1.01 * (error + 8 * _U * self.precision * away)
        ends = np.array(self.targets)
        start = self.weight * float(np.abs(self.loss.value(np.zeros(2), ends)).max())
        if self.radius is not None:
            start += self.weight * slope * self.length * self.radius
        left = math.sqrt(2e-13 * (1 + start))
        return (1.02 * error * math.sqrt(d / self.precision) + left) * math.sqrt(self.bent / d)

    def _away(self) -> float:
        """Bound |c|: F(c) <= F(0)."""
        found = 2 * self.weight * float(self.loss.slope) * self.length / self.precision
        return found if self.radius is None else min(found, self.radius)

    def _lost(self) -> float:
        """Bound which part of S_k floats take away: its errors, those of L_k, and of predictors."""
        d = self.size
        sums = 4 * (roundings(self.records) + 8 * d + 40) * d * self.bent + 640 * (d + 4) ** 2 * d**2
        predictors = 1.01 * (d + 1) * _U * self.length * self._away()
        return sums * _U * self.bent + 1.01 * predictors * float(self.loss.concordance)

    # Bounds

    def _by_prior(self) -> float:
        d, slope, smooth = self.size, float(self.loss.slope), float(self.loss.smoothness)
        scale = np.geomspace(1e-8, 1, 4000)  # sqrt(v m)
        t = scale * self.length / math.sqrt(self.precision)
        rise = np.minimum(smooth * t**2 / 2, 2 * slope * t * math.sqrt(2 / math.pi))
        return float((-d * np.log(scale) - d * (1 - scale**2) / 2 + self.weight * rise).min())

    def _on_ball(self) -> float:
        d, m, wide = self.size, self.precision, float(self.radius or 0.0)
        slope = float(np.abs(self.loss.derivative(np.zeros(2), np.array(self.targets))).max())
        most = max(0.0, self.weight * slope * self.length / wide - m)
        pull = np.concatenate([[0.0], np.geomspace(1e-3 * m, max(most, 1e-3 * m), 200)])[:, None]
        x = np.geomspace(1e-8, 0.25, 1000)
        along, across = (x * wide) ** 2 * (d + 3) / (d + 2), x * wide**2 / (d + 2)
        trace, largest = along + (d - 1) * across, np.maximum(along, across if d > 1 else along)
        rise = self.weight * float(self.loss.smoothness) * self.length**2 * largest
        unit = d / 2 * math.log(math.pi) - float(gammaln(d / 2 + 1))
        volume = unit + d * math.log(wide) + (d + 1) / 2 * np.log(x)
        rises = pull * x * wide**2 + (m * trace + rise) / 2
        logs = d / 2 * np.log(2 * math.pi / (m + pull)) - volume + rises
        return float(logs.min(axis=1).max())

    def _in_shells(self, kept: float) -> float:
        reach = float(self.loss.concordance) * self.length / math.sqrt(self.precision)
        ends = np.array(possible_ends(self.size, _RADII))
        begins = np.concatenate([[0.0], ends])
        best = [-math.inf]
        for place, end in enumerate(ends):
            least = kept * (1 - _taken(self.size, reach * end))
            tilts = _TILTS * least.min()
            logs = -0.5 * np.log(least[:, None] - tilts).sum(axis=0)
            masses = (logs - tilts * begins[: place + 1, None] ** 2 / 2).min(axis=1)
            best.append(float(np.logaddexp(np.array(best), masses).min()))
        return float(np.logaddexp(best[-1], -14)) + self._small(reach)

    def _small(self, reach: float) -> float:
        """Bound -log Z."""
        scale = np.linspace(0.1, 1.1, 101)[:, None]
        s = np.maximum(scale * reach * np.sqrt(_SHARES), 1e-3)
        grown = 2 * np.exp(np.minimum(s**2 / 2, 600)) * ndtr(s) - 1 - s * math.sqrt(2 / math.pi)
        rise = (_SHARES + (1 - _SHARES) * 2 * grown / s**2).max(axis=1)
        return float((self.size * (-np.log(scale[:, 0]) - 0.5 + scale[:, 0] ** 2 * rise / 2)).min())


def _taken(size: int, reach: float) -> Floats:
    """Bound the eigenvalues of E, the largest first, as far as sums of them are concerned."""
    there = np.log(_SLACKS[:, None] / (_SHARES * reach**2))
    at = np.interp(there, _LOG_TANGENTS, _LOG_AWAY)
    derivative = np.interp(-at, -_LOG_AWAY, _DERIVATIVES)
    most = ((1 - _SHARES) * (1 - derivative)).max(axis=1)
    ranks = np.arange(1, size + 1)
    sums = (ranks[:, None] * most + size * _SLACKS).min(axis=1)
    sums = np.minimum(sums, ranks * (1 - _bent(np.array([reach]))[0]))
    sums = np.minimum(sums, size * ((1 - _SHARES) * (1 - _bent(reach * np.sqrt(_SHARES)))).max())
    return np.diff(sums, prepend=0.0)


def _bent(s: Floats) -> Floats:
    """Return 2 h(s) for h(s) = (e^-s - 1 + s) / s^2: from 1 at 0 it falls like 2 / s."""
    far = np.maximum(s, 1e-2)
    return np.where(s < 1e-2, 1 - s / 3, 2 * (np.expm1(-far) + far) / far**2)


def _bent_less(s: Floats) -> Floats:
    """Return -h'(s) of the same h."""
    far = np.maximum(s, 1e-2)
    return np.where(s < 1e-2, 1 / 6 - s / 12, (2 * (np.expm1(-far) + far) / far + np.expm1(-far)) / far**2)


_LOG_AWAY = np.log(_AWAY)
_LOG_TANGENTS = np.log(_bent_less(_AWAY) / _AWAY)
_DERIVATIVES = _bent(_AWAY) + _AWAY * _bent_less(_AWAY)
