"""The error of a release of draws from a Dirichlet posterior: all cells at once, over scenarios.

Of N draws y of Dirichlet(a + r c), `infer` uses the sums S_i of log y_i: a table c of n records weighs

    G(A + r n)^N * product over cells of G(c_i+a_i) / c_i! e^(r c_i S_i) / G(a_i + r c_i)^N,  G(.) = Gamma,

so how far the draws are apart tells of every count, and how the other cells split up tells as well. Given n
each cell is summed over its own places, many near where the draws have it, with the chance that the others
add up to the rest: a law with their means and variances, at the tilt e^(t c) at which all means add up to n.
Where the draws tell nothing every count has a negative binomial law, and so have sums; where they tell much
sums are normal. Two cells are summed exactly. Private totals are a few that stand for all, each weighed by
its own sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.forecasting.one_cell import CountLaw, around, log_rising, widths
from privior.forecasting.expect import Expect
from privior.forecasting.whole_tables import mean_errors
from privior.forecasting.scenarios import strata, tables

Floats = NDArray[np.float64]

#: scenarios: so many, or fewer that have so many cells together; a few at least
_SCENARIOS, _CELLS, _FEW = 1024, 2048, 4
#: the same where the total is private, and the totals that stand for all, as shares of the largest
_PRIVATE_CELLS = 512
_POSSIBLE = (np.arange(16) + 0.5) / 16
#: of more draws so many are looked at, and the spread of their mean
_MOST_DRAWS = 12
#: a share is never less
_LEAST_LOG = -700.0
#: a sum of counts whose law has a larger shape is taken as normal
_ROUND = 1e3
#: steps to the tilt, and how near the sum of all means has to come, in standard deviations
_STEPS, _CLOSE = 40, 0.02
#: counts beyond the total, as if there were more records: each so much larger, until the prior has e^-so many
_GROWTH, _FALLEN = 1.2, 12.0
#: tables of no more records have their log weights listed
_LISTED = 1 << 15


@dataclass(frozen=True)
class TiedDraws:
    """The law of N draws of proportions.

    Attributes:
        rate: the weight r of one record
        draws: how many, N
        least: the public minimum of the counts
        total_known: whether the total of the counts is public
    """

    rate: float
    draws: int
    least: int
    total_known: bool

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors and the expected variance of the counts, all cells together."""
        most = _CELLS if self.total_known else _PRIVATE_CELLS
        size = max(_FEW, min(_SCENARIOS, most // prior.size))
        counts = tables(tuple(prior.tolist()), records, expect, size)
        logs = self._mean_logs(counts, prior)
        cells = TiedCells(self, prior, records)
        if self.total_known:
            means, variance, _ = cells.given(logs, records)
        else:
            totals = np.unique(np.maximum(np.round(records * _POSSIBLE), 1.0))
            each = [cells.given(logs, int(total)) for total in totals]
            heaps = np.stack([heap for _, _, heap in each])
            chances = np.exp(heaps - heaps.max(axis=0))
            chances /= chances.sum(axis=0)
            means = np.einsum("ts,tsc->sc", chances, np.stack([mean for mean, _, _ in each]))
            scaled = (records / totals[:, None]) ** 2 * np.stack([variance for _, variance, _ in each])
            variance = (chances * scaled).sum(axis=0)
        means = np.maximum(means, records * 1e-12)
        found = mean_errors(counts, means, np.full(size, 1 / size), prior)
        return found.sum(axis=1), float(variance.mean())

    def _mean_logs(self, counts: Floats, prior: Floats) -> Floats:
        """Return the mean log of each proportion over the draws, as (scenarios, cells)."""
        from scipy.special import digamma, gammaincinv, gammaln

        size, cells = counts.shape
        looked_at = min(self.draws, _MOST_DRAWS)
        parameters = prior + self.rate * np.maximum(counts, self.least)
        logs = np.empty((looked_at, size, cells))
        for draw in range(looked_at):
            place = strata(size, cells, first=(2 + draw) * cells)
            small = (np.log(place) + gammaln(parameters + 1)) / parameters  # of a parameter near 0
            drawn = gammaincinv(parameters, place)
            gammas = np.where(drawn > 1e-200, np.log(np.maximum(drawn, 1e-200)), small)
            logs[draw] = gammas - np.logaddexp.reduce(gammas, axis=1, keepdims=True)
        expected = digamma(parameters) - digamma(parameters.sum(axis=1, keepdims=True))
        mean = expected + (logs.mean(axis=0) - expected) * math.sqrt(looked_at / self.draws)
        return np.asarray(np.clip(mean, _LEAST_LOG, -1e-300))


class TiedCells:
    """The weights of the counts of all cells, of at most so many records."""

    def __init__(self, law: TiedDraws, prior: Floats, records: int) -> None:
        self.law, self.prior, self.total = law, prior, float(prior.sum())
        self.listed: Floats | None = None
        reach = max(1.0, _FALLEN / self.total)
        self.beyond = _GROWTH ** np.arange(0.5, math.log(reach) / math.log(_GROWTH))
        most = int(records * max(1.0, self.beyond.max(initial=1.0))) + 1
        if most <= _LISTED:
            self.listed = self._own(np.broadcast_to(np.arange(most + 1.0), (prior.size, most + 1)))

    def _own(self, counts: Floats) -> Floats:
        """Return log G(c+a) / c! - N log G(a + r c), of counts as (..., cells, places)."""
        from scipy.special import gammaln

        alpha = self.prior[:, None]
        used = alpha + self.law.rate * np.maximum(counts, self.law.least)
        return np.asarray(log_rising(counts, alpha) - self.law.draws * gammaln(used))

    def _weights(self, places: Floats, slopes: Floats) -> Floats:
        """Return the log weights of counts as (scenario, cell, place), given N r times the mean logs."""
        if self.listed is None:
            own = self._own(places)
        else:
            own = self.listed[np.arange(self.prior.size)[None, :, None], places.astype(np.intp)]
        return np.asarray(own + slopes[:, :, None] * np.maximum(places, self.law.least))

    def given(self, mean_logs: Floats, records: int) -> tuple[Floats, Floats, Floats]:
        """Return posterior means, the sum of the variances, and the log weight of this total."""
        from scipy.special import digamma, gammaln, polygamma

        law, whole = self.law, self.total + self.law.rate * records
        aimed = mean_logs + digamma(whole)  # over tables of one total this changes nothing
        slopes = law.draws * law.rate * aimed
        centre = _inverse_digamma(aimed)
        deviation = 1 / (law.rate * np.sqrt(law.draws * polygamma(1, centre)))
        near = np.clip(around((centre - self.prior) / law.rate, deviation), 0, records)
        every = self._places(near, records)
        with np.errstate(divide="ignore"):
            logs = self._weights(every, slopes) + np.log(widths(every))
        constant = law.draws * (gammaln(whole) - law.rate * records * digamma(whole))
        constant += -float(log_rising(np.array(float(records)), self.total))
        if self.prior.size == 2:
            first = np.minimum(every[:, :1], records)
            inside = np.where(every[:, :1] <= records, logs[:, :1], -np.inf)
            other = self._weights(np.concatenate([first, records - first], axis=1), slopes)[:, 1:]
            heap, mean, variance = _moments(inside + other, first)
            means = np.concatenate([mean, records - mean], axis=1)
            return means, 2 * variance[:, 0], constant + heap[:, 0]
        tilt = _tilt(logs, every, float(records))
        tilted = logs + tilt[:, None, None] * every
        heap, mean, variance = _moments(tilted, every)
        whole_mean, spread = mean.sum(axis=1, keepdims=True), variance.sum(axis=1, keepdims=True)
        others = _log_sums(records - every, (whole_mean - mean)[:, :, None], (spread - variance)[:, :, None])
        _, found, left = _moments(tilted + others, every)
        hidden = left.sum(axis=1)
        missing = (records - found.sum(axis=1)) / np.maximum(hidden, 1e-300)
        found = np.clip(found + missing[:, None] * left, 0, records)
        chance = _log_sums(np.full_like(spread, records), whole_mean, spread)[:, 0]
        return found, hidden, constant + heap.sum(axis=1) - tilt * records + chance

    def _places(self, near: Floats, records: int) -> Floats:
        """Return counts that stand for all (scenario, cell, place): these, the prior's, and some beyond."""
        beyond = np.round(records * self.beyond)
        far = {
            parameter: np.append(CountLaw(records, parameter, self.total - parameter).nodes(), beyond)
            for parameter in set(self.prior.tolist())
        }
        most = max(one.size for one in far.values())
        cells = [np.pad(far[one], (0, most - far[one].size), mode="edge") for one in self.prior.tolist()]
        every = np.concatenate([near, np.broadcast_to(cells, (len(near), len(cells), most))], axis=2)
        every.sort(axis=2)
        return every


def _log_sums(sums: Floats, means: Floats, variances: Floats) -> Floats:
    """Return the log chance of sums of counts by their means and variances; -infinity below 0.

    Negative binomial, which counts are by the prior alone, if the variance is larger than the mean, else
    normal.
    """
    from scipy.special import gammaln

    means, variances = np.maximum(means, 1e-9), np.maximum(variances, 1e-12)
    more = np.maximum(variances - means, 1e-6 * means)
    shape, total = means**2 / more, np.maximum(sums, 0.0)
    large = shape > _ROUND
    some = np.where(large, 1.0, shape)
    heavy = log_rising(total, some) - gammaln(some) + total * np.log(more / (means + more))
    heavy += some * np.log(means / (means + more))
    parameter = _parameter(variances)
    normal = -((sums - means) ** 2) / (2 * parameter) - np.log(2 * math.pi * parameter) / 2
    found = np.where(large | (variances <= means), normal, heavy)
    return np.where(sums >= 0, found, -np.inf)


def _moments(logs: Floats, places: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the log sum, the mean and the variance along the last axis."""
    top = logs.max(axis=-1, keepdims=True)
    mass = np.exp(logs - top)
    heap = mass.sum(axis=-1)
    mean = (mass * places).sum(axis=-1) / heap
    variance = (mass * (places - mean[..., None]) ** 2).sum(axis=-1) / heap
    return np.log(heap) + top[..., 0], mean, variance


def _tilt(logs: Floats, places: Floats, records: float) -> Floats:
    """Return for each scenario the tilt at which the means of all cells add up to the records."""
    tilt, low, high = np.zeros(len(logs)), np.full(len(logs), -np.inf), np.full(len(logs), np.inf)
    for _ in range(_STEPS):
        _, mean, variance = _moments(logs + tilt[:, None, None] * places, places)
        surplus = mean.sum(axis=1) - records
        spread = np.maximum(variance.sum(axis=1), 1e-9 * records)
        if (np.abs(surplus) <= _CLOSE * np.sqrt(spread) + 1e-6 * records).all():
            break
        low, high = np.where(surplus < 0, tilt, low), np.where(surplus > 0, tilt, high)
        step = tilt - surplus / spread
        middle = np.where(np.isinf(low) | np.isinf(high), step, (low + high) / 2)
        tilt = np.where((step > low) & (step < high), step, middle)
    return tilt


def _parameter(variance: Floats) -> Floats:
    """Return the variance parameter of a normal law on whole numbers of this variance."""
    small = 1 / (2 * np.log(2 / np.minimum(variance, 0.5)))
    return np.where(variance < 0.5, np.maximum(variance, small), variance)


def _inverse_digamma(values: Floats) -> Floats:
    """Return x > 0 with this digamma, by Newton's method."""
    from scipy.special import digamma, polygamma

    found = np.where(values > -2.2, np.exp(np.minimum(values, 600.0)) + 0.5, -1 / (values + 0.5772156649))
    for _ in range(5):
        found = np.maximum(found - (digamma(found) - values) / polygamma(1, found), found / 4)
    return np.asarray(found)
