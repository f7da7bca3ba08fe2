"""Draws of the weights of a logistic regression, given a released minimiser and noisy sums of products.

The minimiser theta^ of sum log(1 + e^(-y a.theta)) + lam/2 |theta|^2 + b.theta satisfies

    lam theta^ + G(theta^) - G(theta) = sum (y - P(y)) a - b  ~  Normal(0, H(theta) + s^2 I)

theta the true weights, G the expected gradient and H its Jacobian, of the records' features; so its density
is that Normal one times det(H(theta^) + lam I). G and H depend on the features' law, of which the sums of
products S = A'A are released with noise: `feature_law` has those of features with these moments, Normal but
for the ones that outweigh the others. S is latent: Normal around what was released, with a prior that keeps
the features' covariance away from singular ones. It is drawn by elliptical slices (Murray, Adams, MacKay
2010), which need no tuning; given S the weights are drawn from their Normal approximation at the mode. Where
the standard deviation tau of the weights is learned, it is walked between the slices, with what
`index_target` believes of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.models import RowDesign
from privior.posterior.diagnostics import Diagnostics, split_r_hat
from privior.posterior.kept import kept
from privior.posterior.regression.feature_law import FeatureLaw
from privior.posterior.regression.index_target import FIRST_STDDEV, LOG_INDEX
from privior.posterior.seeds import drawing
from privior.privacy import REPLACE_ONE
from privior.release import Release

_SEED = 20_261_118
_CHAINS, _FORGOTTEN, _KEPT = 8, 120, 240
#: below this the chains agree; else they walk on, each time twice as long, so many times in all
_AGREED, _TRIES = 1.04, 3
_NEWTON, _SHRINKS = 25, 60
#: steps of the search for a mode that end it, and that are so large that none was found
_SMALL, _LOST = 1e-6, 1e-2
#: columns of more values than this are numbers
_FEW = 1000
#: what is believed of the scatter: its determinant to this power
_KEEPING = 1.5
#: the least scatter in any direction at the start, as a share of a feature's range
_LEAST = 0.01
#: the steps of a learned log tau
_WALK = 0.4
#: features that outweigh the others in the released weights and are not taken to be Normal, at most
_LEADING = 2


@kept
@dataclass(frozen=True)
class LogisticDraws:
    """Draws of weights.

    Attributes:
        weights: one row for each draw
        alone: the standard deviation that records alone would leave, without privacy noise
        diagnostics: how far the draws can be trusted
    """

    weights: Floats
    alone: Floats
    diagnostics: Diagnostics


@dataclass(frozen=True, eq=False)
class Said:
    """What was released and is known beside.

    Attributes:
        minimiser: theta^
        ridge: lam
        variance: s^2
        products: the noisy S, of features in [-1, 1]
        noise: the variance of the noise on its diagonal, and twice that above it
        records: n where it is public; None where S tells it
        stddev: of the weights, before any data; None if it is learned
        squares: (place, 0) of a feature that is -1 or 1, (place, place) of one that is 0 or 1: the sum of its
            squares is that entry of the first row of S
    """

    minimiser: Floats
    ridge: float
    variance: float
    products: Floats
    noise: float
    records: int | None
    stddev: float | None
    squares: tuple[tuple[int, int], ...] = ()

    @cached_property
    def leading(self) -> tuple[tuple[int, float], ...]:
        """The features that move the index most by the released weights, and the low ends of their ranges."""
        n, ends = max(float(self.products[0, 0]), 1.0), dict(self.squares)
        means = np.clip(self.products[0, 1:] / n, -1, 1)
        spread = np.clip(np.diag(self.products)[1:] / n - means**2, 0.05, 1.0)
        moved = np.abs(self.minimiser[1:]) * np.sqrt(spread)
        first = np.argsort(-moved)[:_LEADING].tolist()
        return tuple((place, 0.0 if ends.get(place + 1) else -1.0) for place in first)

    def precisions(self, tau: Floats, size: int) -> Floats:
        """Return one over the variances of the weights before any data, a row for each chain."""
        found = np.repeat(tau[:, None] ** -2.0, size, axis=1)
        if self.stddev is None:
            found[:, 0] = FIRST_STDDEV**-2
        return found

    def settled(self, sums: Floats) -> Floats:
        """Put what follows from other sums in its place."""
        if self.records is not None:
            sums[..., 0, 0] = self.records
        for place, other in self.squares:
            sums[..., place, place] = sums[..., 0, other]
        return sums


def drawn(release: Release, stddev: float | None) -> LogisticDraws:
    """Sample weights and latent sums together."""
    law, public = release.plan.mechanism, release.plan.neighbours is REPLACE_ONE
    return sampled(
        Said(
            law.weights(release.statistics),
            float(law.ridge),
            float(law.variance),
            law.noisy_products.matrix(release.statistics.numbers[1]),
            float(law.products),
            release.plan.records if public else None,
            stddev,
            _squares(law.design),
        )
    )


def _squares(design: RowDesign) -> tuple[tuple[int, int], ...]:
    """Return the features whose squares are 1, or themselves."""
    found = []
    for place, feature in enumerate(design.design.features, 1):
        values = []
        for part in feature.parts:
            size = design.schema.column(part.factor.column).size
            values.append(set(part.factor.of(np.arange(size)).tolist()) if size <= _FEW else {2})
        if all(one <= {-1, 1} for one in values):
            found.append((place, 0))
        elif all(one <= {0, 1} for one in values):
            found.append((place, place))
    return tuple(found)


def sampled(said: Said, seed: int = _SEED, kept_states: int | None = None) -> LogisticDraws:
    """Sample given what was said, and on while the chains disagree: of the last walk as many states are kept.

    See `drawn`.
    """
    rng, number = drawing(seed), kept_states or _KEPT
    size = len(said.minimiser)
    state = _start(said)[None] + np.zeros((_CHAINS, size, size))
    tau = np.full(_CHAINS, said.stddev or _tau(said, state[:1])[0])
    height, mode, spread, alone = _evidence(said, state, tau)
    modes: list[Floats] = []
    draws: list[Floats] = []
    without: list[Floats] = []
    asked, turns, walk, r_hat = 0, _FORGOTTEN + number, number, np.inf
    longest = _FORGOTTEN + number * (2**_TRIES - 1)
    for turn in range(longest):
        if turn == turns:  # the last walk has ended
            r_hat = split_r_hat(np.stack(modes, axis=1))
            if r_hat <= _AGREED:
                break
            walk, modes, draws, without = 2 * walk, [], [], []
            turns += walk
        known = (height, mode, spread, alone)
        state, height, mode, spread, alone, looks = _slice(said, state, tau, known, rng)
        asked += looks
        if said.stddev is None:
            tried = tau * np.exp(_WALK * rng.standard_normal(_CHAINS))
            new = _evidence(said, state, tried, mode)
            taken = np.log(rng.random(_CHAINS)) < new[0] - height
            tau, height = np.where(taken, tried, tau), np.where(taken, new[0], height)
            mode, alone = np.where(taken[:, None], new[1], mode), np.where(taken[:, None], new[3], alone)
            spread = np.where(taken[:, None, None], new[2], spread)
        if turn >= _FORGOTTEN:
            modes.append(mode)
            values, vectors = np.linalg.eigh(spread)
            root = vectors * np.sqrt(np.maximum(values, 0.0))[:, None, :]
            noise = root @ rng.standard_normal((_CHAINS, size, 1))
            draws.append(mode + noise[:, :, 0])
            without.append(alone)
    every = walk // number
    diagnostics = Diagnostics.of_chains(
        r_hat=r_hat if r_hat <= _AGREED else split_r_hat(np.stack(modes, axis=1)),
        acceptance=turns / max(asked, 1),
        chains=_CHAINS,
        sweeps=turns,
        moves=float(asked),
        misfit=None,
        method="elliptical slices over latent sums of products",
    )
    weights = np.stack(draws[::every], axis=1).reshape(-1, size)
    return LogisticDraws(weights, np.sqrt(np.mean(without, axis=(0, 1))), diagnostics)


def _start(said: Said) -> Floats:
    """Return sums of products near the released ones that some table could have."""
    n = float(max(said.products[0, 0], 2.0) if said.records is None else said.records)
    means = np.clip(said.products[0, 1:] / n, -0.95, 0.95)
    for place, other in said.squares:
        means[place - 1] = np.clip(means[place - 1], 0.02, 0.95) if other else means[place - 1]
    scatter = said.products[1:, 1:] / n - np.outer(means, means)
    values, vectors = np.linalg.eigh(scatter)
    scatter = (vectors * np.clip(values, _LEAST, 1.0)) @ vectors.T
    room = np.minimum(1.0, np.sqrt(0.98 * (1 - means**2) / np.diag(scatter)))
    scatter = scatter * np.outer(room, room)
    found = np.zeros_like(said.products)
    found[0, 0], found[0, 1:], found[1:, 0] = n, n * means, n * means
    for place, other in said.squares:
        mean = means[place - 1]
        scatter[place - 1, place - 1] = mean * (1 - mean) if other else 1 - mean**2
    for _ in range(60):
        if np.linalg.eigvalsh(scatter)[0] > _LEAST / 2:
            break
        scatter = 0.9 * scatter + 0.1 * np.diag(np.diag(scatter))
    found[1:, 1:] = n * (scatter + np.outer(means, means))
    return said.settled(found)


def _tau(said: Said, sums: Floats) -> Floats:
    """Return the standard deviation of weights at which the index is as wide as believed."""
    n = sums[:, 0, 0]
    means, squares = sums[:, 0, 1:] / n[:, None], np.diagonal(sums, axis1=1, axis2=2)[:, 1:]
    return np.asarray(np.exp(LOG_INDEX[0]) / np.sqrt((squares / n[:, None] - means**2).sum(axis=1)))


def _slice(
    said: Said,
    state: Floats,
    tau: Floats,
    known: tuple[Floats, Floats, Floats, Floats],
    rng: np.random.Generator,
) -> tuple[Floats, Floats, Floats, Floats, Floats, int]:
    """Move every chain along an ellipse around what was released, to a point of the slice."""
    height, mode, spread, alone = (one.copy() for one in known)
    many, size = len(state), state.shape[1]
    away = state - said.products
    other = rng.standard_normal(state.shape) * np.sqrt(said.noise)
    other = (other + other.transpose(0, 2, 1)) / 2
    diagonal = np.arange(size)
    other[:, diagonal, diagonal] = np.sqrt(said.noise) * rng.standard_normal((many, size))
    if said.records is not None:
        other[:, 0, 0] = 0.0
        away[:, 0, 0] = 0.0
    level = height + np.log(rng.random(many))
    angle = rng.uniform(0, 2 * np.pi, many)
    low, high = angle - 2 * np.pi, angle.copy()
    new, open_chains, looks = state.copy(), np.arange(many), 0
    for _ in range(_SHRINKS):
        turn = angle[open_chains, None, None]
        tried = said.products + away[open_chains] * np.cos(turn) + other[open_chains] * np.sin(turn)
        tried = said.settled(tried)
        found = _evidence(said, tried, tau[open_chains], mode[open_chains])
        looks += 1
        good = found[0] > level[open_chains]
        taken = open_chains[good]
        new[taken], height[taken] = tried[good], found[0][good]
        mode[taken], spread[taken], alone[taken] = found[1][good], found[2][good], found[3][good]
        open_chains = open_chains[~good]
        if not len(open_chains):
            break
        below = angle[open_chains] < 0
        low[open_chains] = np.where(below, angle[open_chains], low[open_chains])
        high[open_chains] = np.where(below, high[open_chains], angle[open_chains])
        angle[open_chains] = rng.uniform(low[open_chains], high[open_chains])
    return new, height, mode, spread, alone, looks


def _evidence(
    said: Said, sums: Floats, tau: Floats, start: Floats | None = None
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return for each S and tau the log evidence of theta^, the mode of the weights, their covariance given
    S, and the variances that records alone would leave."""
    many, size = len(sums), sums.shape[1]
    n = sums[:, 0, 0]
    safe = np.maximum(n, 1.0)
    means = sums[:, 0, 1:] / safe[:, None]
    scatter = sums[:, 1:, 1:] / safe[:, None, None] - means[:, :, None] * means[:, None, :]
    diagonal = sums[:, np.arange(size), np.arange(size)]
    values = np.linalg.eigvalsh(scatter)
    there = (n >= 1) & (values[:, 0] > 1e-6) & (diagonal <= 1.001 * safe[:, None]).all(axis=1)
    heights = np.full(many, -np.inf)
    mode = np.tile(said.minimiser, (many, 1)) if start is None else start.copy()
    spread = np.tile(np.eye(size), (many, 1, 1))
    alone = np.ones((many, size))
    if not there.any():
        return heights, mode, spread, alone
    some = FeatureLaw.normal(safe[there], means[there], scatter[there]).led_by(said.leading)
    theta_hat = np.tile(said.minimiser, (int(there.sum()), 1))
    gradient_hat, hessian_hat = some.gradient(theta_hat)
    each, theta = said.precisions(tau[there], size), mode[there]
    prior = each[:, :, None] * np.eye(size)
    goal = said.ridge * theta_hat + gradient_hat
    step = np.zeros_like(theta)
    for _ in range(_NEWTON):
        gradient, hessian = some.gradient(theta)
        noise = hessian + said.variance * np.eye(size)
        pull = np.linalg.solve(noise, hessian)  # V^-1 J
        left = goal - gradient
        curvature = hessian @ pull + prior
        slope = (left[:, None, :] @ pull)[:, 0] - theta * each
        step = np.asarray(np.linalg.solve(curvature, slope[:, :, None])[:, :, 0], np.float64)
        long = np.maximum(1.0, np.abs(step).max(axis=1, keepdims=True))
        theta = theta + step / long
        if np.abs(step).max() < _SMALL:
            break
    gradient, hessian = some.gradient(theta)
    noise = hessian + said.variance * np.eye(size)
    left = goal - gradient
    curvature = hessian @ np.linalg.solve(noise, hessian) + prior
    fit = (left * np.linalg.solve(noise, left[:, :, None])[:, :, 0]).sum(axis=1)
    lost = np.abs(step).max(axis=1) > _LOST
    heights[there] = np.where(lost, -np.inf, 0.0) + (
        -fit / 2
        - np.linalg.slogdet(noise)[1] / 2
        + np.linalg.slogdet(hessian_hat + said.ridge * np.eye(size))[1]
        - (each * theta**2 - np.log(each)).sum(axis=1) / 2
        - np.linalg.slogdet(curvature)[1] / 2
        + _KEEPING * np.log(values[there]).sum(axis=1)
    )
    if said.stddev is None:
        away = np.log(tau[there] / _tau(said, sums[there]))
        heights[there] -= away**2 / (2 * LOG_INDEX[1] ** 2)
    inverse = np.linalg.inv(curvature)
    mode[there], spread[there] = theta, (inverse + inverse.transpose(0, 2, 1)) / 2
    own = np.linalg.inv(hessian + prior)
    alone[there] = own[:, np.arange(size), np.arange(size)]
    return np.nan_to_num(heights, nan=-np.inf), mode, spread, alone
