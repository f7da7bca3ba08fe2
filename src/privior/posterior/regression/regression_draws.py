"""Draws from the posterior of a regression given noisy moments, and where the sampler starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.models import LinearRegression, MomentLayout
from privior.posterior.diagnostics import Diagnostics, split_r_hat
from privior.posterior.kept import kept
from privior.posterior.regression.hamiltonian import HamiltonianRun, Shape, shape_at_mode, walk
from privior.posterior.regression.moments_law import ALPHA_STDDEV
from privior.posterior.regression.moments_target import MomentsTarget, WeightLaw
from privior.posterior.regression.observations import Observations
from privior.posterior.seeds import drawing
from privior.privacy import REPLACE_ONE
from privior.release import Release

_SEED = 20_261_117
_CHAINS, _FORGOTTEN, _KEPT = 16, 60, 100
#: chains go on if R-hat is above this, so many times at most, for twice as long each time
_AGREED, _TRIES = 1.04, 4
#: the degrees of freedom of the features' scatter, beyond their number: correlations of 0.2 to 0.3 are usual
FREEDOM = 10.0
#: typical scatter of a feature and scale of a weight, for units of coordinates alone
_TYPICAL_V, _TYPICAL_TAU = 0.3, 0.5


@kept
@dataclass(frozen=True)
class RegressionDraws:
    """Draws of everything that there is to know, of features and target in units of `MomentLayout`.

    Attributes:
        intercept: one for each draw: the mean of the target where all features are 0
        weights: one row for each draw
        stddev: of the errors
        means: of the features
        scatter: their covariance; without an intercept their mean products
        records: their number
        within: covariance of intercept and weights if the moments were known, averaged over the draws
        diagnostics: how far the draws can be trusted
    """

    intercept: Floats
    weights: Floats
    stddev: Floats
    means: Floats
    scatter: Floats
    records: Floats
    within: Floats
    diagnostics: Diagnostics


def drawn(releases: Sequence[Release], model: LinearRegression) -> RegressionDraws:
    """Sample weights, noise and latent moments together."""
    plan = releases[0].plan
    layout: MomentLayout = plan.mechanism.layout
    said = Observations.of(releases)
    return sampled(said, layout, model, plan.records, public=plan.neighbours is REPLACE_ONE)


def sampled(
    said: Observations,
    layout: MomentLayout,
    model: LinearRegression,
    records: int,
    *,
    public: bool,
    seed: int = _SEED,
) -> RegressionDraws:
    """Sample given observations; see `drawn`."""
    start = _Start(said, layout, float(records), public)
    target = start.target(model)
    rng = drawing(seed)
    shape = shape_at_mode(target.density, start.point(target), np.arange(target.places[5], target.places[8]))
    found, r_hat, sweeps = _walked(target, shape, said.heavy.astype(bool), rng)
    points = found.states.reshape(-1, target.size)
    parts = target.parts(points)
    away = (parts["n"][:, None] * target.moments(parts)) @ target.rows.T - target.seen
    misfit = float((away**2 * target.precisions)[:, : said.published].mean())
    diagnostics = Diagnostics.of_chains(
        r_hat=r_hat,
        acceptance=found.acceptance,
        chains=_CHAINS,
        sweeps=sweeps,
        moves=float(found.slopes),
        misfit=misfit,
        method="Hamiltonian Monte Carlo over latent moments",
    )
    return _weights(target, parts, diagnostics, rng)


def _walked(
    target: MomentsTarget, shape: Shape, heavy: Any, rng: np.random.Generator
) -> tuple[HamiltonianRun, float, int]:
    """Walk, and on in a better shape and for longer while the chains disagree.

    Returns:
        where the chains went last, their R-hat, and how many sweeps were made
    """
    mixing = Mixing(target, heavy, rng, _CHAINS) if heavy.any() else None
    density, between = (target.density, None) if mixing is None else (mixing.density, mixing.draw)
    forgotten, kept, sweeps, starts = _FORGOTTEN * (1 if mixing is None else 2), _KEPT, 0, None
    for more in range(_TRIES):
        found = walk(
            density,
            shape,
            rng,
            chains=_CHAINS,
            forgotten=forgotten,
            kept=kept,
            between=between,
            starts=starts,
        )
        sweeps += forgotten + kept
        r_hat = split_r_hat(_shown(target, found.states))
        if r_hat <= _AGREED or more + 1 == _TRIES:
            break
        shape, starts, kept = shape.bent(found.states), found.states[:, -1], 2 * kept
    return found, r_hat, sweeps


def _shown(target: MomentsTarget, states: Floats) -> Floats:
    """Return of each state what is reported: expected weights, mean, scales and the number of records."""
    many, length, size = states.shape
    parts = target.parts(states.reshape(-1, size))
    mean, _ = _given_moments(target, parts)
    rest = [np.log(parts["s2"]), np.log(parts["rho"]), np.log(parts["v"])]
    rest += [np.log(parts["tau"])] if target.prior.covariance is None else []
    rest += [parts["a"]] if target.intercept else []
    rest += [] if target.public else [np.log(parts["n"])]
    found = np.column_stack([mean, *rest])
    return found.reshape(many, length, -1)


def _given_moments(target: MomentsTarget, parts: dict[str, Floats]) -> tuple[Floats, Floats]:
    """Return mean and covariance of the weights if the moments were known, in the rotated basis."""
    lower, ratio = parts["L"], parts["n"] / parts["s2"]
    believed = np.linalg.inv(target.weight_covariance(parts))
    covariance = np.linalg.inv(believed + ratio[:, None, None] * (lower @ lower.transpose(0, 2, 1)))
    pull = ratio[:, None] * (lower @ parts["t"][:, :, None])[:, :, 0]
    if target.prior.mean is not None:
        pull = pull + believed @ target.prior.mean
    return (covariance @ pull[:, :, None])[:, :, 0], np.asarray(covariance, np.float64)


def _weights(
    target: MomentsTarget, parts: dict[str, Floats], diagnostics: Diagnostics, rng: np.random.Generator
) -> RegressionDraws:
    mean, covariance = _given_moments(target, parts)
    root, basis, mu = np.linalg.cholesky(covariance), target.basis, parts["mu"]
    weights = mean + (root @ rng.standard_normal(mean.shape)[:, :, None])[:, :, 0]
    scatter = parts["L"] @ parts["L"].transpose(0, 2, 1)
    first = np.zeros(len(mean))
    spread = np.zeros(len(mean))
    if target.intercept:
        spread = 1 / (ALPHA_STDDEV**-2 + parts["n"] / parts["s2"])
        first = spread * parts["a"] * parts["n"] / parts["s2"]
        first = first + np.sqrt(spread) * rng.standard_normal(len(mean)) - (mu * weights).sum(axis=1)
    # of (intercept, weights), averaged: the intercept is alpha - mu' w
    both = np.zeros((mean.shape[1] + 1,) * 2)
    with_mean = (covariance @ mu[:, :, None])[:, :, 0]
    both[1:, 1:] = basis @ covariance.mean(axis=0) @ basis.T
    both[0, 1:] = both[1:, 0] = -basis @ with_mean.mean(axis=0)
    both[0, 0] = (spread + (mu * with_mean).sum(axis=1)).mean()
    return RegressionDraws(
        first,
        weights @ basis.T,
        np.sqrt(parts["s2"]),
        mu @ basis.T,
        np.asarray(basis @ scatter @ basis.T),
        parts["n"],
        both,
        diagnostics,
    )


class _Start:
    """Rough estimates from what was seen: the basis in which the latent scatter is nearly diagonal."""

    def __init__(self, said: Observations, layout: MomentLayout, records: float, public: bool) -> None:
        self.said, self.layout, self.records, self.public = said, layout, records, public
        self.d, self.intercept = len(layout.design.features), layout.design.formula.intercept
        self.terms = layout.design.terms
        d, above = self.d, np.triu_indices(self.d)
        weight = 1 / said.variances
        raw = np.linalg.lstsq(said.rows * np.sqrt(weight)[:, None], said.seen * np.sqrt(weight), rcond=None)[
            0
        ]
        size = len(above[0])
        self.n = records if public else float(np.clip(raw[-1], 2.0 * d + 10, records))
        square = np.zeros((d, d))
        square[above] = raw[:size]
        square = (square + square.T - np.diag(np.diag(square))) / self.n
        self.mean = raw[size : size + d] / self.n if self.intercept else np.zeros(d)
        end = 1 / np.sqrt(self.terms)
        self.mean = np.clip(self.mean, -end, end)
        self.a = float(np.clip(raw[-3] / self.n, -0.5, 0.5)) if self.intercept else 0.0
        self.own = float(max(raw[-2] / self.n - self.a**2, 0.01))
        values, vectors = np.linalg.eigh(square - np.outer(self.mean, self.mean))
        self.values, self.basis = values[::-1], vectors[:, ::-1]
        self.v = float(np.clip(values.mean(), 0.1 / self.terms, 1.0 / self.terms))
        noise = np.sqrt(np.median(said.variances[: said.published]))
        signal = self.n * _TYPICAL_V / self.terms / noise
        self.powers = 1 / (1 + signal**2), 1 / (1 + (_TYPICAL_TAU * signal) ** 2)

    def target(self, model: LinearRegression) -> MomentsTarget:
        """Return the law of the latent numbers."""
        turned = _rotation(self.basis)
        law = model.prior.normal(self.layout.design)
        prior = WeightLaw(heavy=model.prior.heavy, effects=self.layout.design.effects)
        if law is not None:
            prior = WeightLaw(self.basis.T @ law[0], self.basis.T @ law[1] @ self.basis)
        return MomentsTarget(
            self.d,
            self.terms,
            self.records,
            self.public,
            self.intercept,
            self.said.rows @ turned,
            self.said.seen,
            1 / self.said.variances,
            prior,
            self.basis,
            self.d + FREEDOM,
            self.powers,
        )

    def point(self, target: MomentsTarget) -> Floats:
        """Return coordinates near what was seen."""
        found, cut = np.zeros(target.size), target.places
        scatter = np.maximum(self.values, 0.2 * self.v)
        found[target.diagonal] = (np.log(scatter) - self.powers[0] * np.log(self.v)) / 2
        if self.intercept:
            found[cut[1] : cut[2]], found[cut[3]] = self.basis.T @ self.mean, self.a
        found[cut[4]] = np.log(0.7 * self.own)
        if target.prior.covariance is None:
            found[cut[6]] = np.log(0.4 * self.own / (self.d * self.v)) / 2
        found[cut[7]] = np.log(self.v)
        if not self.public:
            found[cut[9]] = np.log(self.n)
        return found


class Mixing:
    """Laplace noise as Normal noise of an exponential variance, drawn anew between proposals."""

    def __init__(self, target: Any, heavy: Any, rng: np.random.Generator, chains: int) -> None:
        self.target, self.heavy, self.rng = target, heavy, rng
        self.precisions = np.repeat(target.precisions[None], chains, axis=0)

    def density(self, points: Floats) -> tuple[Floats, Floats]:
        """Return the log density given the variances."""
        value, slopes = self.target.density(points, self.precisions)
        return value, slopes

    def draw(self, points: Floats) -> None:
        """Draw 1/variance given the noise r: inverse Gaussian of mean 1/(b |r|) and shape 1/b^2."""
        parts = self.target.parts(points)
        away = (parts["n"][:, None] * self.target.moments(parts)) @ self.target.rows.T - self.target.seen
        scale = np.sqrt(1 / (2 * self.target.precisions[self.heavy]))
        mean = 1 / (scale * np.maximum(np.abs(away[:, self.heavy]), 1e-6 * scale))
        self.precisions[:, self.heavy] = np.clip(
            self.rng.wald(mean, 1 / scale**2), 1e-6 / scale**2, 1e6 / scale**2
        )


def _rotation(basis: Floats) -> Floats:
    """Return the matrix that makes moments of the features from those of the rotated ones."""
    d = len(basis)
    above = np.triu_indices(d)
    size = len(above[0])
    whole = np.zeros((size + 2 * d + 3,) * 2)
    for place, (i, j) in enumerate(zip(*above, strict=True)):
        outer = np.outer(basis[:, i], basis[:, j])
        whole[:size, place] = (outer if i == j else outer + outer.T)[above]
    whole[size : size + d, size : size + d] = basis
    whole[size + d : size + 2 * d, size + d : size + 2 * d] = basis
    whole[-3:, -3:] = np.eye(3)
    return whole
