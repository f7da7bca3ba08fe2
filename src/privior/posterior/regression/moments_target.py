"""The law of everything that noisy moments of a regression depend on, in floating point.

Features x of a record have |x| <= 1, the target u lies in [-1/2, 1/2]. Latent, all per record:

    G = L L'   scatter of the features about their mean mu     G ~ Wishart(nu, v/nu I)
    t          L t is the scatter of features and target        t ~ Normal(L' w, s^2/n I)
    rho        what the weights leave of the target's scatter   n rho / s^2 ~ chi-square(n - 1 - d)
    a          the mean of the target                           a ~ Normal(alpha, s^2/n)

which is the exact law of the moments of u = alpha + (x - mu)' w + e, e ~ Normal(0, s^2), given the features:
X'u is Normal given w, u'u depends on it (rho is independent of t). w and alpha are integrated out, since
their priors are Normal: t ~ Normal(L' w0, s^2/n I + L' P L). The moments are linear in

    X'X/n = L L' + mu mu',  X'1/n = mu,  X'u/n = L t + mu a,  1'u/n = a,  u'u/n = |t|^2 + rho + a^2,

and each was released with noise. Without an intercept mu and a are 0, and the chi-square has n - d degrees.
Coordinates of L and t are in units of powers of sqrt(v) and of sqrt(s^2/n + tau^2 v): 1 where the noise
leaves L and t to their priors, 0 where it tells them, so that no scale is the neck of a funnel.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.special import digamma, gammaln

#: the Normal priors of logarithms, mean and standard deviation: of s (a share of the target's range), of v
#: times the terms, and of the signal, tau^2 d v / s^2: what features explain by what they leave
LOG_S, LOG_V, LOG_SIGNAL = (-1.6, 0.7), (-1.2, 0.7), (-0.7, 1.0)
#: the standard deviations of the mean of the target, and of the means of features at the end 1 of their range
ALPHA_STDDEV, MEAN_STDDEV = 0.3, 0.6
#: weights of a heavy-tailed prior are of a Student law with so many degrees of freedom
TAILS = 4.0


@dataclass(frozen=True)
class WeightLaw:
    """What is believed of the weights: Normal(mean, covariance), or of a scale that is learned.

    Attributes:
        mean: in the rotated basis; None for 0
        covariance: in the rotated basis; None for tau^2 I with tau learned
        heavy: whether each weight has a scale of its own around tau, for heavy tails
    """

    mean: Floats | None = None
    covariance: Floats | None = None
    heavy: bool = False


@dataclass(frozen=True, eq=False)
class MomentsTarget:
    """The log density of the latent numbers, and its slopes; many points at once, one a row.

    Attributes:
        features: d
        terms: the largest squared norm of a record, in units of one feature at its end
        records: n; where it is latent the largest one
        public: whether n is known
        intercept: whether there is one
        rows: what is observed, as linear functions of the moments in the rotated basis
        seen: the observations
        precisions: of the observations, one over the variance of the noise
        prior: of the weights, in the rotated basis
        basis: an orthogonal matrix; features are basis @ rotated ones
        freedom: nu
        powers: of the units of L and of t, each from 0 to 1
    """

    features: int
    terms: int
    records: float
    public: bool
    intercept: bool
    rows: Floats
    seen: Floats
    precisions: Floats
    prior: WeightLaw
    basis: Floats
    freedom: float
    powers: tuple[float, float] = (0.0, 0.0)

    @cached_property
    def size(self) -> int:
        """How many coordinates there are."""
        return int(self.places[-1])

    @cached_property
    def places(self) -> list[int]:
        """Where each group of coordinates begins: L, mu, t, a, log rho, log s, log tau, log v, scales, n."""
        d, one = self.features, int(self.intercept)
        learned = int(self.prior.covariance is None)
        sizes = [
            d * (d + 1) // 2,
            d * one,
            d,
            one,
            1,
            1,
            learned,
            1,
            d * self.prior.heavy,
            int(not self.public),
        ]
        return [int(one) for one in np.cumsum([0, *sizes])]

    @cached_property
    def _wide(self) -> float:
        """About the standard deviation of a weight, where that is not learned."""
        known = self.prior.covariance
        return 1.0 if known is None else float(np.sqrt(np.trace(known) / self.features))

    @cached_property
    def _below(self) -> tuple[Floats, ...]:
        return np.tril_indices(self.features)  # type: ignore[return-value]

    @cached_property
    def _above(self) -> tuple[Floats, ...]:
        return np.triu_indices(self.features)  # type: ignore[return-value]

    @cached_property
    def diagonal(self) -> Integers:
        """The places of the diagonal of L, of which coordinates are logarithms."""
        rows, columns = self._below
        return np.flatnonzero(rows == columns)

    # What coordinates stand for

    def parts(self, points: Floats) -> dict[str, Floats]:
        """Return the latent numbers at each row."""
        d, many, cut = self.features, len(points), self.places
        flat = points[:, : cut[1]].copy()
        flat[:, self.diagonal] = np.exp(flat[:, self.diagonal])
        v, s2 = np.exp(points[:, cut[7]]), np.exp(2 * points[:, cut[5]])
        n = np.full(many, self.records) if self.public else np.exp(points[:, cut[9]])
        learned = self.prior.covariance is None
        tau = np.exp(points[:, cut[6]]) if learned else np.full(many, self._wide)
        wide = s2 / n + tau**2 * v
        unit = wide ** (self.powers[1] / 2)
        lower = np.zeros((many, d, d))
        lower[:, self._below[0], self._below[1]] = v[:, None] ** (self.powers[0] / 2) * flat
        nothing = np.zeros((many, d))
        heavy = points[:, cut[8] : cut[9]]
        return {
            "L": lower,
            "mu": points[:, cut[1] : cut[2]] if self.intercept else nothing,
            "t": unit[:, None] * points[:, cut[2] : cut[3]],
            "wide": wide,
            "a": points[:, cut[3]] if self.intercept else nothing[:, 0],
            "rho": np.exp(points[:, cut[4]]),
            "s2": s2,
            "tau": tau,
            "v": v,
            "scales": np.exp(heavy) if self.prior.heavy else np.ones((many, 0)),
            "n": n,
        }

    def moments(self, found: dict[str, Floats]) -> Floats:
        """Return the moments per record in the rotated basis, in the order of `MomentLayout`."""
        lower, mu, t, a = found["L"], found["mu"], found["t"], found["a"]
        square = lower @ lower.transpose(0, 2, 1) + mu[:, :, None] * mu[:, None, :]
        with_target = (lower @ t[:, :, None])[:, :, 0] + mu * a[:, None]
        own = (t**2).sum(axis=1) + found["rho"] + a**2
        above = square[:, self._above[0], self._above[1]]
        rest = [a[:, None], own[:, None], np.ones((len(a), 1))]
        return np.concatenate([above, mu, with_target, *rest], axis=1)

    def weight_covariance(self, found: dict[str, Floats]) -> Floats:
        """Return the covariance of the prior of the weights, in the rotated basis."""
        d, many = self.features, len(found["a"])
        if self.prior.covariance is not None:
            return np.broadcast_to(self.prior.covariance, (many, d, d))
        squares = np.broadcast_to(found["tau"][:, None] ** 2, (many, d))
        if self.prior.heavy:
            squares = squares * found["scales"]
            return self.basis.T @ (squares[:, :, None] * self.basis)
        return squares[:, :, None] * np.eye(d)

    # The density

    def density(self, points: Floats, precisions: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the log density up to a constant, and its slopes."""
        near = np.asarray((np.abs(points - self._middle) < self._reach).all(axis=1))
        inside = points if near.all() else np.where(near[:, None], points, self._middle)
        with np.errstate(all="ignore"):
            value, slopes = self._density(inside, self.precisions if precisions is None else precisions)
        return np.where(near, value, -np.inf), slopes

    @cached_property
    def _middle(self) -> Floats:
        """Some point in the middle of what is possible."""
        cut, middle = self.places, np.zeros(self.size)
        middle[cut[5]], middle[cut[7]] = LOG_S[0], LOG_V[0] - np.log(self.terms)
        if self.prior.covariance is None:
            middle[cut[6]] = -0.5
        if not self.public:
            middle[cut[9]] = np.log(self.records)
        return middle

    @cached_property
    def _reach(self) -> Floats:
        """How far from there points may be: what lies beyond has no probability that floats can tell."""
        cut, reach = self.places, np.full(self.size, 40.0)
        reach[self.diagonal] = 12.0
        reach[cut[4] : cut[8]] = 8.0
        return reach

    def _density(self, points: Floats, precisions: Floats) -> tuple[Floats, Floats]:
        d, cut = self.features, self.places
        found = self.parts(points)
        lower, mu, t, a, n = found["L"], found["mu"], found["t"], found["a"], found["n"]
        rho, s2, v = found["rho"], found["s2"], found["v"]
        slopes = np.zeros_like(points)
        # what was seen
        each = self.moments(found)
        away = (n[:, None] * each) @ self.rows.T - self.seen
        value = -(precisions * away**2).sum(axis=1) / 2
        pull = -(precisions * away) @ self.rows
        slope_n = (pull * each).sum(axis=1)
        pull = n[:, None] * pull
        m = d * (d + 1) // 2
        matrix = np.zeros((len(points), d, d))
        matrix[:, self._above[0], self._above[1]] = pull[:, :m]
        matrix = matrix + matrix.transpose(0, 2, 1)  # twice the slope by the symmetric matrix
        by_mean, by_both, by_a, by_own = (
            pull[:, m : m + d],
            pull[:, m + d : m + 2 * d],
            pull[:, -3],
            pull[:, -2],
        )
        slope_l = matrix @ lower + by_both[:, :, None] * t[:, None, :]
        slope_mu = (matrix @ mu[:, :, None])[:, :, 0] + by_mean + by_both * a[:, None]
        slope_t = (by_both[:, None, :] @ lower)[:, 0] + 2 * by_own[:, None] * t
        slope_a = by_a + 2 * by_own * a + (by_both * mu).sum(axis=1)
        slope_rho = by_own * rho
        # the means of the features, and of the target
        if self.intercept:
            wide = MEAN_STDDEV**2 / self.terms
            value -= (mu**2).sum(axis=1) / (2 * wide)
            slope_mu -= mu / wide
            spread = ALPHA_STDDEV**2 + s2 / n
            value -= a**2 / (2 * spread) + np.log(spread) / 2
            slope_a -= a / spread
            by_spread = (a**2 / spread - 1) / (2 * spread)
            slope_s = 2 * by_spread * s2 / n
            slope_n -= by_spread * s2 / n**2
        else:
            slope_s = np.zeros(len(points))
        # the weights, integrated out: t ~ Normal(L' w0, s2/n I + L' P L)
        believed = self.weight_covariance(found)
        through = believed @ lower
        covariance = lower.transpose(0, 2, 1) @ through
        least = s2 / n + 1e-13 * np.trace(covariance, axis1=1, axis2=2)
        covariance = covariance + least[:, None, None] * np.eye(d)
        known = np.linalg.inv(covariance)
        rest = t if self.prior.mean is None else t - self.prior.mean @ lower
        solved = (known @ rest[:, :, None])[:, :, 0]
        value -= (rest * solved).sum(axis=1) / 2 + np.log(
            np.abs(np.linalg.det(covariance / least[:, None, None]))
        ) / 2
        value -= d * np.log(least) / 2
        slope_t -= solved
        outer = (solved[:, :, None] * solved[:, None, :] - known) / 2
        slope_l += 2 * through @ outer
        if self.prior.mean is not None:
            slope_l += self.prior.mean[:, None] * solved[:, None, :]
        by_noise = np.trace(outer, axis1=1, axis2=2) * s2 / n
        slope_s += 2 * by_noise
        slope_n -= by_noise / n
        by_tau = 2 * ((through @ outer) * lower).sum(axis=(1, 2))
        # what the weights leave
        degrees = n - d - int(self.intercept)
        left = n * rho / s2
        value += degrees / 2 * np.log(left) - left / 2
        slope_rho += degrees / 2 - left / 2
        slope_s += left - degrees
        slope_n += (degrees / 2 - left / 2) / n + np.log(left) / 2
        if not self.public:
            value -= degrees / 2 * np.log(2) + gammaln(degrees / 2)
            slope_n -= np.log(2) / 2 + digamma(degrees / 2) / 2
        # units of coordinates, and the features: G ~ Wishart
        for_l, for_t = self.powers
        by_wide = for_t * ((slope_t * t).sum(axis=1) + d)
        value += for_t * d / 2 * np.log(found["wide"])
        noise_share = s2 / n / found["wide"]
        slope_s += by_wide * noise_share
        slope_n -= by_wide * noise_share / (2 * n)
        slope_v = by_wide * (1 - noise_share) / 2
        freedom, powers = self.freedom, self.freedom + 1 - np.arange(1, d + 1)
        squares = (lower**2).sum(axis=(1, 2))
        value += points[:, self.diagonal] @ powers - freedom * squares / (2 * v)
        slope_l -= freedom / v[:, None, None] * lower
        # density of L in its units: of its d (d + 1) / 2 coordinates the diagonal ones are logarithms
        left_over = d * (d - 1) / 4 * for_l + powers.sum() / 2 * for_l - freedom * d / 2
        value += left_over * np.log(v)
        slope_v += freedom * squares / (2 * v) + left_over + for_l * (slope_l * lower).sum(axis=(1, 2)) / 2
        # priors of scales
        for place, (mean, stddev), slope in (
            (cut[5], LOG_S, slope_s),
            (cut[7], (LOG_V[0] - np.log(self.terms), LOG_V[1]), slope_v),
        ):
            value -= ((points[:, place] - mean) / stddev) ** 2 / 2
            slopes[:, place] = slope - (points[:, place] - mean) / stddev**2
        if self.prior.covariance is None:
            signal = 2 * (points[:, cut[6]] - points[:, cut[5]]) + points[:, cut[7]] + np.log(d)
            far = (signal - LOG_SIGNAL[0]) / LOG_SIGNAL[1] ** 2
            value -= far * (signal - LOG_SIGNAL[0]) / 2
            slopes[:, cut[6]] = by_tau + by_wide * (1 - noise_share) - 2 * far
            slopes[:, cut[5]] += 2 * far
            slopes[:, cut[7]] -= far
        if self.prior.heavy:
            self._tails(points, found, lower @ outer @ lower.transpose(0, 2, 1), value, slopes)
        # coordinates
        slope_l *= v[:, None, None] ** (for_l / 2)
        slope_l[:, range(d), range(d)] *= np.exp(points[:, self.diagonal])
        slopes[:, : cut[1]] = slope_l[:, self._below[0], self._below[1]]
        slopes[:, self.diagonal] += powers
        if self.intercept:
            slopes[:, cut[1] : cut[2]], slopes[:, cut[3]] = slope_mu, slope_a
        slopes[:, cut[2] : cut[3]] = found["wide"][:, None] ** (for_t / 2) * slope_t
        slopes[:, cut[4]] = slope_rho
        if not self.public:
            inside = (degrees > 1) & (n < 2 * self.records)
            value = np.where(inside, value + points[:, cut[9]], -np.inf)
            slopes[:, cut[9]] = n * slope_n + 1
        return value, slopes

    def _tails(
        self, points: Floats, found: dict[str, Floats], by_prior: Floats, value: Floats, slopes: Floats
    ) -> None:
        """Add scales of single weights: TAILS / scale ~ chi-square(TAILS), so that weights are Student."""
        first, last = self.places[8], self.places[9]
        logs, scales = points[:, first:last], found["scales"]
        value += (-TAILS / 2 * (logs + 1 / scales)).sum(axis=1)
        own = ((self.basis @ by_prior) * self.basis).sum(axis=2)
        slopes[:, first:last] = -TAILS / 2 * (1 - 1 / scales) + own * scales * found["tau"][:, None] ** 2
