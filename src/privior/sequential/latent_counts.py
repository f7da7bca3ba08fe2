"""Latent counts: what noisy counts say of the true ones, and draws of the chances behind them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.special import gammaln, ndtr, ndtri

#: how many deviations of the noise are looked at, and at how many whole numbers
_REACH, _POINTS = 6.0, 129


@dataclass(frozen=True, eq=False)
class LatentCells:
    """The posterior of true counts c >= 0 of which x = c + Gaussian noise of this variance was published.

    Prior: a cell's rate is Gamma(prior), its count Poisson with that rate times a number that nobody knows
    and that is large: P(c) is proportional to Gamma(c + prior) / c!. The shares of the rates of a row are
    Dirichlet(prior) beforehand, Dirichlet(prior + c) given the counts, and cells are independent given what
    was published, so that a draw is made of all of them at once. Counts are taken at up to 129 whole numbers
    within six deviations.

    Attributes:
        points: the lowest whole number that is looked at, and the step to the next, of each cell
        below: for each cell the chances of the points before each one
    """

    least: Floats
    step: Floats
    below: Floats
    prior: float

    @staticmethod
    def of(noisy: Floats, variance: float, prior: float) -> LatentCells:
        """Return what follows from noisy counts of any shape."""
        wide = _REACH * np.sqrt(variance)
        # Where x is far below 0 the posterior falls like e^(c x / variance): it is looked at on that scale.
        far = np.where(noisy < -wide, _REACH * 3 * variance / np.maximum(-noisy, wide), np.inf)
        least = np.maximum(0.0, np.floor(noisy - wide))
        most = np.minimum(np.maximum(noisy, 0.0) + wide, least + far)
        step = np.maximum(1.0, np.ceil((most - least) / (_POINTS - 1)))
        counts = least[..., None] + step[..., None] * np.arange(_POINTS)
        logs = (
            gammaln(counts + prior) - gammaln(counts + 1) - (counts - noisy[..., None]) ** 2 / (2 * variance)
        )
        weights = np.exp(logs - logs.max(axis=-1, keepdims=True))
        below = np.cumsum(weights, axis=-1)
        return LatentCells(least, step, below / below[..., -1:], prior)

    def draw(self, generator: np.random.Generator) -> Floats:
        """Draw true counts."""
        place = (generator.random(self.least.shape)[..., None] > self.below).sum(axis=-1)
        return np.asarray(self.least + self.step * place)

    def chances(self, counts: Floats, generator: np.random.Generator) -> Floats:
        """Draw the shares of each row given true counts."""
        return shares(counts + self.prior, generator)


def shares(parameters: Floats, generator: np.random.Generator) -> Floats:
    """Draw from Dirichlet laws, one for each row of parameters."""
    drawn = generator.standard_gamma(parameters)
    drawn += 1e-300
    return np.asarray(drawn / drawn.sum(axis=-1, keepdims=True))


def sums_within(noisy: Floats, deviation: float, most: Floats, generator: np.random.Generator) -> Floats:
    """Draw true sums of which a noisy value was published, all from 0 to `most` being as likely before."""
    low, high = ndtr(-noisy / deviation), ndtr((most - noisy) / deviation)
    drawn = noisy + deviation * ndtri(low + (high - low) * generator.random(noisy.shape))
    near = np.clip(noisy, 0.0, most)
    return np.asarray(np.where(high - low > 1e-9, np.clip(drawn, 0.0, most), near))
