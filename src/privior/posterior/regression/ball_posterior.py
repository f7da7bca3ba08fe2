"""What draws of a regression's coefficients from a ball say of the coefficients: by weighted populations.

A draw is no estimate with a stated error: it comes from a law that depends on the moments of the table, which
nobody published. So everything is latent that is latent for noisy moments (`moments_law`), under the same
priors; given the moments the density of a draw is known, its normaliser included (`BallDraw.log_densities`).
All latent numbers are functions of independent standard Normal ones. A population of them is drawn from the
prior and led to the posterior in steps: the likelihood gets a larger power, points are drawn again by their
weights, and moved by Metropolis steps (Del Moral, Doucet, Jasra 2006). Two populations, led independently,
must agree. Everything is a function of the seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.models import LinearRegression
from privior.models.weight_prior import STANDARD
from privior.posterior.diagnostics import Diagnostics, split_r_hat
from privior.posterior.regression import moments_law as law
from privior.posterior.regression.regression_draws import FREEDOM, RegressionDraws
from privior.posterior.seeds import drawing
from privior.privacy import REPLACE_ONE
from privior.release import Release
from privior.special import gammaincinv, ndtr

_SEED = 20_261_118
_POPULATIONS, _POINTS, _MOVES, _MOST_STEPS = 2, 500, 6, 60
#: populations are moved on if R-hat is above this: by so many moves, so many times at most
_AGREED, _MORE, _ROUNDS = 1.02, 30, 20
#: the share of a population that must count after a step
_COUNT = 0.5
#: normal numbers beyond this are taken for it where a quantile would be infinite
_FAR = 8.0


def drawn_from_ball(releases: Sequence[Release], model: LinearRegression) -> RegressionDraws:
    """Infer from releases of draws, all of one table."""
    if not all(one.plan.mechanism.draws_posterior for one in releases):
        raise InferenceError(
            "draws of coefficients and noisy moments are not put together",
            asked=", ".join(one.plan.mechanism.name for one in releases),
            advice="Infer from each of them by itself.",
        )
    latent = _Latent(releases, model)
    rng = drawing(_SEED)
    populations = [_Population(latent, rng) for _ in range(_POPULATIONS)]
    for one in populations:
        one.lead()
    r_hat = _r_hat(latent, populations)
    for _ in range(_ROUNDS):
        if r_hat <= _AGREED:
            break
        for one in populations:
            one.move(_MORE)
        r_hat = _r_hat(latent, populations)
    parts = latent.parts(np.concatenate([one.points for one in populations]))
    diagnostics = Diagnostics.of_chains(
        r_hat=r_hat,
        acceptance=float(np.mean([share for one in populations for share in one.shares])),
        chains=_POPULATIONS,
        sweeps=max(len(one.shares) for one in populations),
        moves=float(_POPULATIONS * _POINTS),
        misfit=latent.misfit(parts),
        method="populations led from the prior to the posterior",
    )
    return latent.draws(parts, diagnostics)


@dataclass(frozen=True, eq=False)
class _Latent:
    """The latent numbers as functions of standard Normal ones, and what draws say of them."""

    releases: Sequence[Release]
    model: LinearRegression

    @cached_property
    def _plan(self) -> Any:
        return self.releases[0].plan

    @cached_property
    def _design(self) -> Any:
        return self._plan.mechanism.design

    @cached_property
    def _known(self) -> tuple[Floats, Floats] | None:
        """Mean and covariance of the weights; None if their common scale is learned."""
        found: tuple[Floats, Floats] | None = self.model.prior.normal(self._design)
        return found

    @cached_property
    def sizes(self) -> dict[str, int]:
        """How many numbers of each kind there are, those that draws tell most of first."""
        d, one = len(self._design.features), int(self._design.formula.intercept)
        believed = d if self._known else len(self._design.effects)
        return {
            "weights": believed,
            "alpha": one,
            "scales": 3,
            "tails": believed * int(self.model.prior.heavy),
            "means": d * one,
            "scatter": d * (d + 1) // 2,
            "chance": d + one,
            "records": int(self._plan.neighbours is not REPLACE_ONE),
        }

    @property
    def size(self) -> int:
        """How many latent numbers there are in all."""
        return sum(self.sizes.values())

    @property
    def told(self) -> int:
        """How many of them are weights, intercept and scales, which answers are about."""
        return self.sizes["weights"] + self.sizes["alpha"] + self.sizes["scales"]

    def parts(self, points: Floats) -> dict[str, Floats]:
        """Return the latent numbers of each row; see `moments_law` for their laws."""
        ends = np.cumsum([0, *self.sizes.values()])
        cut = {
            name: points[:, first:last] for name, first, last in zip(self.sizes, ends, ends[1:], strict=False)
        }
        d, terms, many = len(self._design.features), self._design.terms, len(points)
        s = np.exp(law.LOG_S[0] + law.LOG_S[1] * cut["scales"][:, 0])
        v = np.exp(law.LOG_V[0] - np.log(terms) + law.LOG_V[1] * cut["scales"][:, 1])
        signal = np.exp(law.LOG_SIGNAL[0] + law.LOG_SIGNAL[1] * cut["scales"][:, 2])
        tau = s * np.sqrt(signal / (d * v))
        freedom = d + FREEDOM
        lower = np.zeros((many, d, d))
        lower[:, *np.tril_indices(d)] = cut["scatter"]
        degrees = freedom - np.arange(d)
        below = ndtr(np.clip(lower[:, range(d), range(d)], -_FAR, _FAR))
        lower[:, range(d), range(d)] = np.sqrt(2 * gammaincinv(degrees / 2, below))
        lower = lower * np.sqrt(v / freedom)[:, None, None]
        effects = self._design.effects
        spread = tau[:, None] * (v[:, None] / ((effects @ lower) ** 2).sum(axis=2)) ** (STANDARD / 2)
        if self._known is not None:
            weights = self._known[0] + cut["weights"] @ np.linalg.cholesky(self._known[1]).T
        else:
            if self.model.prior.heavy:
                below = ndtr(np.clip(cut["tails"], -_FAR, _FAR))
                spread = spread * np.sqrt(law.TAILS / (2 * gammaincinv(law.TAILS / 2, below)))
            weights = (spread * cut["weights"]) @ effects
        n = np.full(many, float(self._plan.records))
        if self.sizes["records"]:
            least = d + 2.0
            n = least + (self._plan.records - least) * ndtr(cut["records"][:, 0])
        chance = cut["chance"] * (s / np.sqrt(n))[:, None]
        t = (weights[:, None, :] @ lower)[:, 0] + chance[:, :d]
        nothing = np.zeros((many, d))
        mu, alpha, a = nothing, nothing[:, 0], nothing[:, 0]
        if self.sizes["alpha"]:
            mu = law.MEAN_STDDEV / np.sqrt(terms) * cut["means"]
            alpha = law.ALPHA_STDDEV * cut["alpha"][:, 0]
            a = alpha + chance[:, d]
        return {
            "w": weights,
            "alpha": alpha,
            "s": s,
            "spread": spread,
            "mu": mu,
            "L": lower,
            "t": t,
            "a": a,
            "n": n,
        }

    def moments(self, parts: dict[str, Floats]) -> tuple[Floats, Floats]:
        """Return X'X and X'u, of 1 and the features, as draws are made from them."""
        lower, mu, n = parts["L"], parts["mu"], parts["n"][:, None]
        square = lower @ lower.transpose(0, 2, 1) + mu[:, :, None] * mu[:, None, :]
        with_target = (lower @ parts["t"][:, :, None])[:, :, 0] + mu * parts["a"][:, None]
        if not self.sizes["alpha"]:
            return n[:, :, None] * square, n * with_target
        ones = np.ones((len(mu), 1, 1))
        first = np.concatenate([ones, mu[:, None, :]], axis=2)
        rest = np.concatenate([mu[:, :, None], square], axis=2)
        whole = np.concatenate([first, rest], axis=1)
        return n[:, :, None] * whole, n * np.column_stack([parts["a"], with_target])

    def _laws(self, parts: dict[str, Floats]) -> list[tuple[Any, Floats, Floats]]:
        """Return for each release precision and slope of the law of its draws, in round units."""
        square, with_target = self.moments(parts)
        found = []
        for release in self.releases:
            mechanism = release.plan.mechanism
            roots = np.sqrt([float(one) for one in mechanism.widths])
            rows, pulled = mechanism.prior
            before = np.array([[float(one) for one in row] for row in rows]) / np.outer(roots, roots)
            each = float(mechanism.weight / mechanism.stddev**2)
            slope = np.array([float(one) for one in pulled]) / roots + each * with_target
            found.append((release, before + each * square, slope))
        return found

    def likelihood(self, points: Floats) -> Floats:
        """Return the log density of all draws at each row."""
        total = np.zeros(len(points))
        with np.errstate(all="ignore"):
            for release, precision, slope in self._laws(self.parts(points)):
                total += release.plan.mechanism.log_densities(release.statistics, precision, slope)
        return np.where(np.isfinite(total), total, -np.inf)

    def misfit(self, parts: dict[str, Floats]) -> float:
        """Return how far draws lie from the middle of their law, in its units: 1 or less if all is well."""
        found = []
        for release, precision, slope in self._laws(parts):
            points = release.plan.mechanism.points(release.statistics)
            ridge = np.eye(points.shape[1]) * points.shape[1] / float(release.plan.mechanism.radius) ** 2
            middle = np.linalg.solve(precision + ridge, slope[:, :, None])[:, :, 0]
            away = points[None] - middle[:, None]
            squares = np.einsum("nki,nij,nkj->nk", away, precision + ridge, away)
            found.append(squares.mean() / points.shape[1])
        return float(np.mean(found))

    def shown(self, parts: dict[str, Floats]) -> Floats:
        """Return what chains are compared by: w, alpha, and the logs of s and n, one draw a row."""
        return np.column_stack([parts["w"], parts["alpha"], np.log(parts["s"]), np.log(parts["n"])])

    def draws(self, parts: dict[str, Floats], diagnostics: Diagnostics) -> RegressionDraws:
        """Return the points as draws, and what the records alone would leave open."""
        lower, mu, n, s2 = parts["L"], parts["mu"], parts["n"], parts["s"] ** 2
        scatter = lower @ lower.transpose(0, 2, 1)
        if self._known is None:
            effects = self._design.effects
            believed = np.linalg.inv(effects.T @ (parts["spread"][:, :, None] ** 2 * effects))
        else:
            believed = np.broadcast_to(np.linalg.inv(self._known[1]), scatter.shape)
        covariance = np.linalg.inv(believed + (n / s2)[:, None, None] * scatter)
        spread = np.zeros(len(mu))
        if self.sizes["alpha"]:
            spread = 1 / (law.ALPHA_STDDEV**-2 + n / s2)
        within = np.zeros((mu.shape[1] + 1,) * 2)
        with_mean = (covariance @ mu[:, :, None])[:, :, 0]
        within[1:, 1:] = covariance.mean(axis=0)
        within[0, 1:] = within[1:, 0] = -with_mean.mean(axis=0)
        within[0, 0] = (spread + (mu * with_mean).sum(axis=1)).mean()
        first = parts["alpha"] - (mu * parts["w"]).sum(axis=1)
        return RegressionDraws(
            first, parts["w"], np.sqrt(s2), mu, np.asarray(scatter), n, within, diagnostics
        )


def _r_hat(latent: _Latent, populations: Sequence[_Population]) -> float:
    """Return how well the populations agree, and each with itself."""
    return split_r_hat(np.stack([latent.shown(latent.parts(one.points)) for one in populations]))


class _Population:
    """Points that are led from the prior to the posterior, and moved there until they have forgotten."""

    def __init__(self, latent: _Latent, rng: np.random.Generator) -> None:
        self.latent, self.rng = latent, rng
        self.points = rng.standard_normal((_POINTS, latent.size))
        self.heights = latent.likelihood(self.points)
        self.power, self.turns, self.shares = 0.0, [1.0, 0.4, 1.0], list[float]()

    def lead(self) -> None:
        """Give the likelihood more and more weight; draw points again by what that does to them."""
        for _ in range(_MOST_STEPS):
            if self.power >= 1:
                break
            step = _step(self.heights, 1 - self.power)
            self.power += step
            chances = np.exp(step * (self.heights - self.heights.max()))
            places = _again(chances / chances.sum(), self.rng)
            self.points, self.heights = self.points[places], self.heights[places]
            self.move(_MOVES)

    def move(self, moves: int) -> None:
        """Propose other points, of one kind after the other, and take them by what they gain."""
        for move in range(moves):
            kind = move % len(_KINDS)
            tried, prior = _KINDS[kind](self.points, self.latent.told, self.turns[kind], self.rng)
            there = self.latent.likelihood(tried)
            taken = np.log(self.rng.random(_POINTS)) < self.power * (there - self.heights) + prior
            self.points = np.where(taken[:, None], tried, self.points)
            self.heights = np.where(taken, there, self.heights)
            self.shares.append(float(taken.mean()))
            self.turns[kind] = float(np.clip(self.turns[kind] * np.exp(self.shares[-1] - 0.3), 0.02, 1.0))


def _step(heights: Floats, left: float) -> float:
    """Return by how much the power may grow for enough points to count."""

    def count(step: float) -> float:
        chances = np.exp(step * (heights - heights.max()))
        return float(chances.sum() ** 2 / (chances**2).sum())

    if count(left) >= _COUNT * len(heights):
        return left
    low, high = 0.0, left
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if count(middle) >= _COUNT * len(heights) else (low, middle)
    return max(low, 1e-9)


def _again(chances: Floats, rng: np.random.Generator) -> Any:
    """Draw places by their chances, evenly."""
    steps = (rng.random() + np.arange(len(chances))) / len(chances)
    return np.minimum(np.searchsorted(np.cumsum(chances), steps), len(chances) - 1)


def _walked(points: Floats, told: int, turn: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Let weights, intercept and scales walk by the shape of the population; return what the prior gains."""
    tried = points.copy()
    shape = np.cov(points[:, :told].T) + 1e-9 * np.eye(told)
    tried[:, :told] += (
        turn * rng.standard_normal((len(points), told)) @ np.linalg.cholesky(2.38**2 / told * shape).T
    )
    return tried, ((points[:, :told] ** 2).sum(axis=1) - (tried[:, :told] ** 2).sum(axis=1)) / 2


def _turned(points: Floats, told: int, turn: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Turn the others, which keeps their prior."""
    tried, fresh = points.copy(), rng.standard_normal(points[:, told:].shape)
    tried[:, told:] = np.sqrt(1 - turn**2) * points[:, told:] + turn * fresh
    return tried, np.zeros(len(points))


def _bent(points: Floats, told: int, turn: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Turn all of them about the middle of the population, in its shape.

    That keeps the Normal law of this middle and shape; the prior is gained against it.
    """
    many, size = points.shape
    middle, share = points.mean(axis=0), many / (many + 2 * size)
    root = np.linalg.cholesky(share * np.cov(points.T) + (1 - share) * np.eye(size))
    inside = np.linalg.solve(root, (points - middle).T).T
    other = np.sqrt(1 - turn**2) * inside + turn * rng.standard_normal(points.shape)
    tried = middle + other @ root.T
    gained = (other**2).sum(axis=1) - (inside**2).sum(axis=1)
    return tried, (gained + (points**2).sum(axis=1) - (tried**2).sum(axis=1)) / 2


_KINDS = (_walked, _turned, _bent)
