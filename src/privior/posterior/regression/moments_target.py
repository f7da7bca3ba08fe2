"""Latent moments of a regression as coordinates of chains, and their log density (`moments_law` has the law).

Coordinates of L and t are in units of powers of sqrt(v) and of sqrt(s^2/n + tau^2 v): 1 where the noise
leaves L and t to their priors, 0 where it tells them, so that no scale is the neck of a funnel. That of s is
in units of sqrt(rho), which tells it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.models.weight_prior import STANDARD
from privior.posterior.regression.moments_law import LOG_S, LOG_V, MomentFacts, densities


@dataclass(frozen=True)
class WeightLaw:
    """What is believed of the weights: Normal(mean, covariance), or of a scale that is learned.

    Attributes:
        mean: in the rotated basis; None for 0
        covariance: in the rotated basis; None for that of independent effects with a scale that is learned
        heavy: whether each effect has a scale of its own around tau, for heavy tails
        effects: one a row, by features (`Design.effects`); None for the features themselves
    """

    mean: Floats | None = None
    covariance: Floats | None = None
    heavy: bool = False
    effects: Floats | None = None


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
            len(self._effects) * self.prior.heavy,
            int(not self.public),
        ]
        return [int(one) for one in np.cumsum([0, *sizes])]

    @cached_property
    def _effects(self) -> Floats:
        """What believed effects are of, in the rotated basis."""
        return self.basis if self.prior.effects is None else self.prior.effects @ self.basis

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
        v, rho = np.exp(points[:, cut[7]]), np.exp(points[:, cut[4]])
        s2 = rho * np.exp(2 * points[:, cut[5]])
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
            "rho": rho,
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
        squares = found["tau"][:, None] ** 2 * self._relative(found)
        if self.prior.heavy:
            squares = squares * found["scales"]
        return np.asarray(self._effects.T @ (squares[:, :, None] * self._effects))

    def _relative(self, found: dict[str, Floats]) -> Floats:
        """Return what the prior multiplies the variance of each effect by: (v / scatter) ** STANDARD."""
        scatter = ((self._effects @ found["L"]) ** 2).sum(axis=2)
        return np.asarray((found["v"][:, None] / scatter) ** STANDARD)

    # The density

    def density(self, points: Floats, precisions: Floats | None = None) -> tuple[Floats, Floats]:
        """Return the log density up to a constant, and its slopes."""
        noise = self.precisions[np.newaxis] if precisions is None else precisions
        return densities(self._facts, np.ascontiguousarray(points), noise)  # type: ignore[no-any-return]

    @cached_property
    def _facts(self) -> MomentFacts:
        """Everything that stays, as compiled loops read it."""
        d, known = self.features, self.prior.covariance
        mean = np.zeros(d) if self.prior.mean is None else self.prior.mean
        return MomentFacts(
            d,
            int(self.intercept),
            int(known is None),
            int(self.prior.heavy),
            int(self.public),
            float(self.terms),
            float(self.records),
            float(self.freedom),
            float(self.powers[0]),
            float(self.powers[1]),
            self._wide,
            STANDARD,
            np.array(self.places, np.int64),
            np.ascontiguousarray(self.rows),
            np.ascontiguousarray(self.rows.T),
            self.seen,
            np.ascontiguousarray(self._effects),
            mean,
            np.zeros((d, d)) if known is None else np.ascontiguousarray(known),
            self._middle,
            self._reach,
        )

    @cached_property
    def _middle(self) -> Floats:
        """Some point in the middle of what is possible."""
        cut, middle = self.places, np.zeros(self.size)
        middle[cut[4]], middle[cut[7]] = 2 * LOG_S[0], LOG_V[0] - np.log(self.terms)
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
