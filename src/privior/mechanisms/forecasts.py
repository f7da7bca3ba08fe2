"""Forecasts: how far from the truth a release will be, from public facts alone.

The truth is taken to be typical of the prior: counts c from the Dirichlet-multinomial with n records.
The estimate is the best linear one given the noisy counts. In the k-1 directions in which proportions
can move, the prior has variance v = sum of Var(c_i) / (k-1) and the noise variances s_d; the squared
error left in direction d is v s_d / (v + s_d), never more than without any release.
The width of an interval comes from a Beta law with the mean and the variance that the posterior of a cell's
probability typically has: what the records leave open, m (1-m) / (n + A + 1), plus what the noise hides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: the level of the intervals whose width is forecast
LEVEL = 0.9
_LEAST_SHARE = 1e-12  # a share of 0 or 1 would leave nothing open
_QUANTILES = (np.arange(33) + 0.5) / 33


@dataclass(frozen=True)
class NoiseSpectrum:
    """The covariance of a mechanism's noise, as (variance, number of directions) on tables of fixed total.

    Attributes:
        parts: the variances with their multiplicities, which add up to levels - 1
        mean_absolute: E|z| over the standard deviation for one cell: sqrt(2/pi) for a normal law
    """

    parts: Sequence[tuple[float, int]]
    mean_absolute: float = math.sqrt(2 / math.pi)


@dataclass(frozen=True)
class Forecast:
    """Typical distances between the estimated and the true proportions of the table.

    Attributes:
        l2: root of the expected squared Euclidean distance
        total_variation: expected half sum of absolute differences
        hellinger: root of the expected squared Hellinger distance
        width: expected width of the 90% interval of a cell's probability, on average over the cells
    """

    l2: float
    total_variation: float
    hellinger: float
    width: float


def forecast(spectrum: NoiseSpectrum, prior: Floats, records: int) -> Forecast:
    """Forecast the error of a release with this noise."""
    spread = float(_count_variances(prior, records).sum())
    per_direction = spread / (prior.size - 1)
    left = sum(m * per_direction * s / (per_direction + s) for s, m in spectrum.parts)
    shrink = left / spread if spread > 0 else 0.0
    ratio = spectrum.mean_absolute * (1 - shrink) + math.sqrt(2 / math.pi) * shrink
    return _forecast(left, prior, records, ratio)


def records_alone(prior: Floats, records: int) -> Forecast:
    """Forecast the error of publishing the true counts: what no epsilon can improve on."""
    return _forecast(0.0, prior, records, math.sqrt(2 / math.pi))


def prior_alone(prior: Floats, records: int) -> Forecast:
    """Forecast the error of publishing nothing but the prior."""
    spread = float(_count_variances(prior, records).sum())
    return _forecast(spread, prior, records, math.sqrt(2 / math.pi))


def _count_variances(prior: Floats, records: int) -> Floats:
    total = float(prior.sum())
    share = prior / total
    return np.asarray(records * share * (1 - share) * (records + total) / (1 + total))


def _forecast(squared: float, prior: Floats, records: int, absolute_ratio: float) -> Forecast:
    """Turn the expected squared error of the counts into distances and widths of the proportions."""
    from scipy.special import betaincinv

    per_cell = math.sqrt(squared / prior.size)
    nodes, weights = np.polynomial.hermite_e.hermegauss(9)
    errors = per_cell * nodes
    chances = weights / weights.sum()
    total = float(prior.sum())
    affinity = 0.0
    for parameter, cells in zip(*np.unique(prior, return_counts=True), strict=True):
        counts = records * betaincinv(parameter, total - parameter, _QUANTILES)
        estimates = np.maximum(counts[:, None] + errors[None, :], 0.0)
        gaps = (np.sqrt(estimates) - np.sqrt(counts)[:, None]) ** 2 @ chances
        affinity += float(cells) * float(gaps.mean()) / (2 * records)
    return Forecast(
        l2=math.sqrt(squared) / records,
        total_variation=min(1.0, prior.size * per_cell * absolute_ratio / (2 * records)),
        hellinger=math.sqrt(min(1.0, affinity)),
        width=_width(squared, prior, records),
    )


def _width(squared: float, prior: Floats, records: int) -> float:
    """Average the widths over the cells and over the shares that the prior finds typical."""
    from scipy.special import betaincinv

    total = float(prior.sum())
    whole = records + total
    spread = float(_count_variances(prior, records).sum())
    kept = math.sqrt(max(0.0, 1 - squared / spread)) if spread > 0 else 0.0
    hidden = squared / prior.size / whole**2
    widths = 0.0
    for parameter, cells in zip(*np.unique(prior, return_counts=True), strict=True):
        shares = betaincinv(parameter, total - parameter, _QUANTILES)
        share = parameter / total
        centre = share + kept * ((records * shares + parameter) / whole - share)
        centre = np.clip(centre, _LEAST_SHARE, 1 - _LEAST_SHARE)
        variance = centre * (1 - centre) / (whole + 1) + hidden
        strength = np.maximum(centre * (1 - centre) / variance - 1, total)  # the prior's own at least
        first, second = centre * strength, (1 - centre) * strength
        low, high = (betaincinv(first, second, (1 + side * LEVEL) / 2) for side in (-1, 1))
        widths += float(cells) * float((high - low).mean())
    return widths / prior.size
