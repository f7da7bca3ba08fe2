"""The law of everything that noisy moments of features and a target of two levels depend on.

Features x of a record have |x| <= 1, the target is u = 1/2 or -1/2, P(u = 1/2) = p(z) = 1 / (1 + e^-z) with
the index z = theta_0 + x'w. Features are taken to be Normal(mu, G), G = L L': then z is Normal, of mean c and
standard deviation beta = |b|, b = L'w, and the moments of features and target depend on x through z alone
(Stein). With E over z = c + beta g, g ~ Normal(0, 1), q = p (1 - p), per record:

    E u = E p - 1/2,    Cov(x, u) = L t,  t = b E q

Given the features, the sums of n records vary about that by X'(u - E u), whose covariance is that of
q a a': in the coordinates (1, L^-1 (x - mu)) it is E q in every direction across b, and

    (E q, E qg; E qg, E qg^2)   along (1, b / beta),

so that mean and t are their expectations and a root of that, by sqrt n, times standard Normal numbers. The
rest is as in `moments_target`:

    G ~ Wishart(nu, v/nu I),  mu ~ Normal,  w = sqrt(T) tau e with e ~ Normal(0, I), theta_0 ~ Normal

with tau said or learned, theta_0 = k sqrt(1 + pi beta^2 / 8) - mu'w by its coordinate k, which tells about
how many records are yes, whatever beta. The moments are linear in X'X/n = L L' + mu mu', X'1/n = mu,
X'u/n = L t + mu a, 1'u/n = a, u'u/n = 1/4, and each was released with noise. Coordinates are in units of
their priors, those of e in units of a power of tau: 1 where the noise leaves the weights to their prior,
0 where it tells them, so that tau is not the neck of a funnel. A private n is anything up to the declared
maximum; its coordinate is the log odds of its place below that, since a wall would stop the chains where
the maximum is about the number itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.regression.moments_law import LOG_V, MEAN_STDDEV
from privior.special import expit, log_expit, logit

#: what is believed of log of the standard deviation of the index, if tau is learned: mean, standard deviation
LOG_INDEX = (0.3, 0.5)
#: the standard deviation of theta_0, if tau is learned
FIRST_STDDEV = 2.0
#: the least standard deviation of an index whose direction is looked at
_NARROW = 1e-6
#: the mean of p(z) is about p(c / sqrt(1 + _WIDENED beta^2))
_WIDENED = np.pi / 8
_NODES, _SHARES = np.polynomial.hermite_e.hermegauss(25)
_SHARES = _SHARES / _SHARES.sum()
_POWERS = np.stack([_SHARES * _NODES**k for k in range(4)], axis=1)


@dataclass(frozen=True, eq=False)
class IndexTarget:
    """The log density of the latent numbers, and its slopes; many points at once, one a row.

    Attributes:
        features: d
        terms: T, the largest squared norm of a record, in units of one feature at its end
        records: n; where it is latent the largest one
        public: whether n is known
        rows: what is observed, as linear functions of the moments in the order of `MomentLayout`
        seen: the observations
        precisions: of the observations, one over the variance of the noise
        stddev: tau, for features at the end of their ranges; None if it is learned
        freedom: nu
        power: of tau in the units of the weights, from 0 to 1
    """

    features: int
    terms: int
    records: float
    public: bool
    rows: Floats
    seen: Floats
    precisions: Floats
    stddev: float | None
    freedom: float
    power: float = 1.0

    @cached_property
    def places(self) -> list[int]:
        """Where each group of coordinates begins: L, mu, e, k, chance, log v, log tau, log odds of n."""
        d = self.features
        sizes = [d * (d + 1) // 2, d, d, 1, d + 1, 1, int(self.stddev is None), int(not self.public)]
        return [int(one) for one in np.cumsum([0, *sizes])]

    @property
    def size(self) -> int:
        """How many coordinates there are."""
        return self.places[-1]

    @property
    def scales(self) -> Integers:
        """The coordinates that are logarithms of scales."""
        return np.arange(self.places[5], self.places[7])

    @cached_property
    def _below(self) -> tuple[Integers, Integers]:
        rows, columns = np.tril_indices(self.features)
        return rows, columns

    @cached_property
    def diagonal(self) -> Integers:
        """The places of the diagonal of L, of which coordinates are logarithms."""
        return np.flatnonzero(self._below[0] == self._below[1])

    # What coordinates stand for

    @property
    def _fewest(self) -> float:
        """The least number of records, where it is private."""
        return float(self.features + 2)

    @property
    def _possible(self) -> float:
        """How many more there may be."""
        return max(self.records - self._fewest, 1.0)

    def number(self, places: Floats) -> Floats:
        """Return the numbers of records of their coordinates."""
        return np.asarray(self._fewest + self._possible * expit(places))

    def place(self, number: float) -> float:
        """Return the coordinate of a number of records, or of the nearest one that has one."""
        share = min(max((number - self._fewest) / self._possible, 1e-3), 1 - 1e-3)
        return float(logit(share))

    def parts(self, points: Floats) -> dict[str, Floats]:
        """Return the latent numbers at each row."""
        d, many, cut = self.features, len(points), self.places
        flat = points[:, : cut[1]].copy()
        flat[:, self.diagonal] = np.exp(flat[:, self.diagonal])
        v = np.exp(points[:, cut[5]])
        lower = np.zeros((many, d, d))
        lower[:, self._below[0], self._below[1]] = np.sqrt(v)[:, None] * flat
        learned = self.stddev is None
        tau = np.exp(points[:, cut[6]]) if learned else np.full(many, self.stddev)
        mu = MEAN_STDDEV / np.sqrt(self.terms) * points[:, cut[1] : cut[2]]
        w = np.sqrt(self.terms) * (tau**self.power)[:, None] * points[:, cut[2] : cut[3]]
        b = (w[:, None, :] @ lower)[:, 0]
        beta = np.maximum(np.sqrt((b**2).sum(axis=1)), _NARROW)
        wide = np.sqrt(1 + _WIDENED * beta**2)
        c = points[:, cut[3]] * wide
        found = {
            "flat": flat,
            "L": lower,
            "mu": mu,
            "w": w,
            "first": c - (mu * w).sum(axis=1),
            "c": c,
            "wide": wide,
            "b": b,
            "beta": beta,
            "chance": points[:, cut[4] : cut[5]],
            "v": v,
            "tau": tau,
            "n": np.full(many, self.records) if self.public else self.number(points[:, cut[7]]),
        }
        return {**found, **self._with_target(found)}

    @staticmethod
    def _with_target(one: dict[str, Floats]) -> dict[str, Floats]:
        """Return mean and t of the target, and what they are made of."""
        z = one["c"][:, None] + one["beta"][:, None] * _NODES
        p = 0.5 * (1 + np.tanh(z / 2))
        q = p * (1 - p)
        by_q, by_slope = q @ _POWERS, (q * (1 - 2 * p)) @ _POWERS
        s = np.sqrt(by_q[:, 0])
        side = by_q[:, 1] / s
        rest = np.sqrt(np.maximum(by_q[:, 2] - side**2, 1e-12))
        way, root = one["b"] / one["beta"][:, None], 1 / np.sqrt(one["n"])
        chance, own = one["chance"][:, 1:], one["chance"][:, 0]
        along = (way * chance).sum(axis=1)
        turned = side * own + (rest - s) * along
        away = root[:, None] * (s[:, None] * chance + turned[:, None] * way)
        return {
            "q": by_q,
            "slope": by_slope,
            "s": s,
            "side": side,
            "rest": rest,
            "way": way,
            "root": root,
            "along": along,
            "turned": turned,
            "off": root * s * own,
            "away": away,
            "a": p @ _SHARES - 0.5 + root * s * own,
            "t": by_q[:, :1] * one["b"] + away,
        }

    def moments(self, found: dict[str, Floats]) -> Floats:
        """Return the moments per record, in the order of `MomentLayout`."""
        lower, mu, a = found["L"], found["mu"], found["a"]
        above = np.triu_indices(self.features)
        square = lower @ lower.transpose(0, 2, 1) + mu[:, :, None] * mu[:, None, :]
        with_target = (lower @ found["t"][:, :, None])[:, :, 0] + mu * a[:, None]
        known = np.broadcast_to([0.25, 1.0], (len(a), 2))
        return np.concatenate([square[:, above[0], above[1]], mu, with_target, a[:, None], known], axis=1)

    # The density

    def density(self, points: Floats, precisions: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the log density up to a constant, and its slopes."""
        near = np.asarray((np.abs(points - self.middle) < self._reach).all(axis=1))
        inside = points if near.all() else np.where(near[:, None], points, self.middle)
        with np.errstate(all="ignore"):
            value, slopes = self._density(inside, self.precisions if precisions is None else precisions)
        return np.where(near, value, -np.inf), slopes

    @cached_property
    def middle(self) -> Floats:
        """Some point in the middle of what is possible."""
        cut, found = self.places, np.zeros(self.size)
        found[cut[5]] = LOG_V[0] - np.log(self.terms)
        if self.stddev is None:
            found[cut[6]] = LOG_INDEX[0] - (np.log(self.terms * self.features) + found[cut[5]]) / 2
        return found

    @cached_property
    def _reach(self) -> Floats:
        """How far from there points may be: what lies beyond has no probability that floats can tell."""
        reach = np.full(self.size, 40.0)
        reach[self.diagonal], reach[self.scales] = 12.0, 8.0
        return reach

    def _density(self, points: Floats, precisions: Floats) -> tuple[Floats, Floats]:
        d, cut = self.features, self.places
        one = self.parts(points)
        lower, mu, n, slopes = one["L"], one["mu"], one["n"], np.zeros_like(points)
        each = self.moments(one)
        away = (n[:, None] * each) @ self.rows.T - self.seen
        value = -(precisions * away**2).sum(axis=1) / 2
        pull = -(precisions * away) @ self.rows
        slope_n = (pull * each).sum(axis=1)
        pull = n[:, None] * pull
        m, above = d * (d + 1) // 2, np.triu_indices(d)
        matrix = np.zeros((len(points), d, d))
        matrix[:, above[0], above[1]] = pull[:, :m]
        matrix = matrix + matrix.transpose(0, 2, 1)  # twice the slope by the symmetric matrix
        by_both = pull[:, m + d : m + 2 * d]
        slope_l = matrix @ lower + by_both[:, :, None] * one["t"][:, None, :]
        slope_mu = (matrix @ mu[:, :, None])[:, :, 0] + pull[:, m : m + d] + by_both * one["a"][:, None]
        slope_a = pull[:, m + 2 * d] + (by_both * mu).sum(axis=1)
        slope_t = (by_both[:, None, :] @ lower)[:, 0]
        slope_n -= (slope_a * one["off"] + (slope_t * one["away"]).sum(axis=1)) / (2 * n)
        by_c, by_b, slopes[:, cut[4] : cut[5]] = self._through(one, slope_a, slope_t)
        # the index: theta_0 = c - mu'w, c = k wide, b = L'w
        w, wide = one["w"], one["wide"]
        squared = FIRST_STDDEV**2 if self.stddev is None else self.stddev**2
        value -= one["first"] ** 2 / (2 * squared) - np.log(wide)
        by_first = -one["first"] / squared
        by_c = by_c + by_first
        by_wide = points[:, cut[3]] * by_c + 1 / wide
        by_b = by_b + (_WIDENED * by_wide / wide)[:, None] * one["b"]
        slope_mu -= by_first[:, None] * w
        slope_w = (lower @ by_b[:, :, None])[:, :, 0] - by_first[:, None] * mu
        slope_l += w[:, :, None] * by_b[:, None, :]
        # units, and priors
        slopes[:, cut[1] : cut[2]] = MEAN_STDDEV / np.sqrt(self.terms) * slope_mu
        f, unit, left = points[:, cut[2] : cut[3]], one["tau"] ** self.power, 1 - self.power
        narrow = one["tau"] ** (-2 * left)
        squares = narrow * (f**2).sum(axis=1)
        value -= squares / 2 + d * left * np.log(one["tau"])
        slopes[:, cut[2] : cut[3]] = np.sqrt(self.terms) * unit[:, None] * slope_w - narrow[:, None] * f
        slopes[:, cut[3]] = wide * by_c
        for some in (slice(cut[1], cut[2]), slice(cut[4], cut[5])):
            value -= (points[:, some] ** 2).sum(axis=1) / 2
            slopes[:, some] -= points[:, some]
        own, flat, root = slope_l[:, self._below[0], self._below[1]], one["flat"], np.sqrt(one["v"])
        powers = self.freedom - np.arange(d)
        value += points[:, self.diagonal] @ powers - self.freedom / 2 * (flat**2).sum(axis=1)
        slope_v = root * (own * flat).sum(axis=1) / 2
        by_flat = root[:, None] * own - self.freedom * flat
        by_flat[:, self.diagonal] = by_flat[:, self.diagonal] * flat[:, self.diagonal] + powers
        slopes[:, : cut[1]] = by_flat
        scatter = points[:, cut[5]] + np.log(self.terms) - LOG_V[0]
        value -= scatter**2 / (2 * LOG_V[1] ** 2)
        slope_v -= scatter / LOG_V[1] ** 2
        if self.stddev is None:
            index = points[:, cut[6]] + (np.log(self.terms * d) + points[:, cut[5]]) / 2 - LOG_INDEX[0]
            value -= index**2 / (2 * LOG_INDEX[1] ** 2)
            slope_v -= index / (2 * LOG_INDEX[1] ** 2)
            by_tau = self.power * (slope_w * w).sum(axis=1) + left * (squares - d)
            slopes[:, cut[6]] = by_tau - index / LOG_INDEX[1] ** 2
        slopes[:, cut[5]] = slope_v
        if not self.public:
            below, above = expit(points[:, cut[7]]), expit(-points[:, cut[7]])
            value += log_expit(points[:, cut[7]]) + log_expit(-points[:, cut[7]])
            slopes[:, cut[7]] = self._possible * below * above * slope_n + above - below
        return value, slopes

    @staticmethod
    def _through(one: dict[str, Floats], slope_a: Floats, slope_t: Floats) -> tuple[Floats, Floats, Floats]:
        """Return slopes by c, by b and by the chances, of those by mean and t of the target."""
        s, side, rest, way, root = (one[name] for name in ("s", "side", "rest", "way", "root"))
        own, chance, along = one["chance"][:, 0], one["chance"][:, 1:], one["along"]
        turned = root * (slope_t * way).sum(axis=1)
        by_s = root * (slope_a * own + (slope_t * chance).sum(axis=1)) - along * turned
        by_along, by_rest = (rest - s) * turned, along * turned
        by_side = own * turned - side / rest * by_rest
        by_s -= side / s * by_side
        by_q = np.stack(
            [(slope_t * one["b"]).sum(axis=1) + by_s / (2 * s), by_side / s, by_rest / (2 * rest)], axis=1
        )
        slope = one["slope"]
        by_c = slope_a * one["q"][:, 0] + (by_q * slope[:, :3]).sum(axis=1)
        by_beta = slope_a * one["q"][:, 1] + (by_q * slope[:, 1:]).sum(axis=1)
        by_way = root[:, None] * one["turned"][:, None] * slope_t + by_along[:, None] * chance
        across = by_way - way * (way * by_way).sum(axis=1)[:, None]
        by_b = one["q"][:, :1] * slope_t + by_beta[:, None] * way + across / one["beta"][:, None]
        by_chance = np.empty_like(one["chance"])
        by_chance[:, 0] = root * s * slope_a + side * turned
        by_chance[:, 1:] = (root * s)[:, None] * slope_t + by_along[:, None] * way
        return by_c, by_b, by_chance
