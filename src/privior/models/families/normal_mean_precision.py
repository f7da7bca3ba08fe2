"""Normal values of unknown mean and precision, with a Normal-Gamma prior of both."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar, final

import numpy as np

from privior.errors import ModelError
from privior.exact import decimal
from privior.models.families.family import numeric
from privior.models.families.joint import Floats, JointFamily, JointLikelihood, Random
from privior.models.laws.gauss import gauss
from privior.models.laws.joint import NormalGamma
from privior.models.model import MODELS
from privior.privacy.pairs import BoundedRangePair, DominatingPair, SignedSteps
from privior.randomness import Bits, NormalGammaBox
from privior.schema import Schema
from privior.special import gammaincinv, gammaln, ndtr, stdtrit

#: a draw of which fewer trials than this share succeed, whatever the records, is refused
_LEAST_CHANCE = 0.02
#: points of the integral over the precision, and how far below its peak it is cut, in logs
_NODES, _DEPTH = 48, 40.0


@final
@MODELS.register
@dataclass(frozen=True)
class NormalMeanPrecision(JointFamily):
    """x ~ Normal(mu, 1/tau), tau ~ Gamma(a, b), mu | tau ~ Normal(m, 1/(k tau)).

    With n records of mean y and sum of squares about it Q: tau | x ~ Gamma(a + n/2, b + Q/2 + k n (y-m)^2 /
    (2 (k+n))), mu | tau, x ~ Normal((k m + n y) / (k+n), 1 / ((k+n) tau)).
    """

    vector: tuple[str, ...]
    prior: NormalGamma
    family: ClassVar[str] = "normal-mean-precision"
    parameter: ClassVar[str] = "mean and precision"
    #: the deviations and their squares
    products: ClassVar[tuple[tuple[int, ...], ...]] = ((0,), (0, 0))
    #: one record says nothing of how far records lie apart
    least_records: ClassVar[int] = 2

    def __init__(self, column: str, prior: object) -> None:
        self._set(column, prior, NormalGamma)
        self._check_size(1, "a Normal-Gamma prior")

    @property
    def column(self) -> str:
        """The column whose values are modelled."""
        return self.vector[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Mean, precision and what that is as a standard deviation."""
        return tuple(f"{name} of {self.column}" for name in ("mean", "precision", "stddev"))

    def at(self, schema: Schema) -> JointLikelihood:
        """Return the likelihood in floating point."""
        return _MeanPrecisionLikelihood(self, schema)

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """Draws are pure where the prior is cut to a box: the loss of one lies in a range of known length.

        The log likelihood ratio of two records x, y is f(mu, tau) = tau (x - y) (mu - (x + y) / 2), which is
        linear in mu and in tau: its largest and its least value in the box are at corners. Their difference
        is g(x) - g(y), g(x) = (t (x - m)^2 - s (x - k)^2) / 2 for corners (k, s) and (m, t); over all records
        it is largest where g is largest and least: at the ends of the range of records, or where g' = 0. The
        largest of these over all pairs of corners is eta. A draw in which records have the weight r has a
        loss in a range of length r eta, hence at most r eta, for any prior on the box and any number of
        records (`BoundedRangePair`); N draws have at most N times that.
        """
        each = weight * self.oscillation(schema)
        return BoundedRangePair(each) if draws == 1 else SignedSteps(each, draws)

    def oscillation(self, schema: Schema) -> Fraction:
        """Return eta: how far one record, replaced, moves the log likelihood within the box."""
        box = self.prior.box
        if box is None:
            raise self.no_draws()
        lower, step, size = numeric(schema, self.column, self.family)
        ends = (lower, lower + step * (size - 1))
        found = Fraction(0)
        for (k, s), (m, t) in product(product(*box), repeat=2):
            points = list(ends)
            if s != t and ends[0] < (vertex := (t * m - s * k) / (t - s)) < ends[1]:
                points.append(vertex)
            values = [(t * (x - m) ** 2 - s * (x - k) ** 2) / 2 for x in points]
            found = max(found, max(values) - min(values))
        return found

    def check_draws(self, schema: Schema, records: Fraction) -> None:
        """Refuse a box in which a draw might take long.

        If the interval of the mean holds the prior mean and all records, it holds the posterior mean M. Given
        tau the mean of a draw from the law before it is cut lies in the interval, of length w, with a chance
        of at least P(0 < Z < w sqrt(k tau)), Z standard Normal: an interval that begins at M has the least.
        """
        box = self.prior.box
        if box is None:
            raise self.no_draws()
        (first, last), (least, _) = box
        lower, step, size = numeric(schema, self.column, self.family)
        upper = lower + step * (size - 1)
        if not (first <= min(lower, self.prior.mean) and max(upper, self.prior.mean) <= last):
            raise self.refusal(
                "the interval of the mean does not hold all records and the prior mean",
                asked=f"{decimal(first)} to {decimal(last)}",
                allowed=f"{decimal(lower)} to {decimal(upper)}, or wider",
                advice="Draws are then found in a few trials, whatever the records.",
            )
        width = float(last - first) * math.sqrt(float((self.prior.strength + records) * least))
        if math.erf(width / math.sqrt(2)) / 2 < _LEAST_CHANCE:
            raise self.refusal(
                "the interval of the mean is too narrow for draws",
                asked=f"{decimal(first)} to {decimal(last)}",
                advice="Take a wider one, larger precisions, or noisy statistics (pv.NoisyStatistics).",
            )

    def finest(self, schema: Schema) -> float:
        """Return the smaller scale of the box to which the prior is cut."""
        if self.prior.box is None:
            raise self.no_draws()
        return min(float(high - low) for low, high in self.prior.box)

    def drawn(
        self, schema: Schema, records: int, weight: Fraction, sums: Sequence[int], places: int, bits: Bits
    ) -> tuple[int, ...]:
        """Update the prior exactly and draw mean and precision, exactly rounded."""
        prior, box = self.prior, self.prior.box
        if box is None:
            raise self.no_draws()
        first, second = self.totals(schema, sums)
        middle = self.centre(schema)[0]
        away, heavy = prior.mean - middle, weight * records
        strength = prior.strength + heavy
        mean = (prior.strength * away + weight * first) / strength
        rate = prior.rate + (weight * second + prior.strength * away**2 - strength * mean**2) / 2
        law = NormalGammaBox(mean + middle, strength, prior.shape + heavy / 2, rate, *box)
        return law.rounded(places, bits)

    def admits(self, points: Sequence[int], unit: Fraction) -> bool:
        """In the box, but for rounding."""
        box = self.prior.box
        return box is not None and all(
            low <= (point + 1) * unit and (point - 1) * unit <= high
            for place, point in enumerate(points)
            for low, high in (box[place % 2],)
        )

    def no_draws(self) -> ModelError:
        """The loss of a draw is bounded in a box only."""
        return self.refusal(
            "no privacy is proved for draws of a mean and a precision together, but from a prior that is cut "
            "to a box: no pair of data sets is known to be the worst, and the loss has no bound",
            asked=str(self.prior),
            advice="Cut it: pv.NormalGamma(..., means=(low, high), precisions=(low, high)); or release noisy "
            "statistics (pv.NoisyStatistics).",
        )

    def to_document(self) -> dict[str, object]:
        """Write the model as plain values, for JSON and TOML."""
        return {"family": self.family, "column": self.column, "prior": self.prior.to_document()}


class _MeanPrecisionLikelihood(JointLikelihood):
    """theta = (mu, tau), T = (sum of deviations, sum of their squares), of which Q = T2 - T1^2 / n.

    w = ((T1 - n (mu - centre)) sqrt(tau / n), log(tau Q)): a standard Normal, and the log of a chi-square
    of n - 1 degrees of freedom.
    """

    def __init__(self, family: NormalMeanPrecision, schema: Schema) -> None:
        prior = family.prior
        self.centre = np.array([float(one) for one in family.centre(schema)])
        self.units = np.array([float(one) for one in family.units(schema)])
        self.mean = float(prior.mean) - self.centre[0]
        self.strength, self.shape, self.rate = (
            float(one) for one in (prior.strength, prior.shape, prior.rate)
        )
        self.means, self.precisions = _ends(prior.means), _ends(prior.precisions)

    def normal(self, theta: Floats) -> tuple[Floats, Floats]:
        """Mean and variance."""
        return theta[:, :1], (1 / theta[:, 1])[:, None, None]

    def quantities(self, theta: Floats) -> list[Floats]:
        """Mean, precision, standard deviation."""
        return [theta[:, 0], theta[:, 1], theta[:, 1] ** -0.5]

    def log_prior(self, theta: Floats) -> Floats:
        """The Normal-Gamma density on the box."""
        mu, tau = theta[:, 0], theta[:, 1]
        away = mu - self.centre[0] - self.mean
        logs = (self.shape - 0.5) * np.log(tau) - tau * (self.rate + self.strength * away**2 / 2)
        inside = (self.means[0] <= mu) & (mu <= self.means[1])
        inside &= (self.precisions[0] <= tau) & (tau <= self.precisions[1])
        return np.where(inside, logs, -np.inf)

    def typical(self) -> tuple[Floats, Floats]:
        """Quantiles of the precision at the prior mean; spreads from the middle two thirds of each."""
        shares = np.array([0.1, 0.3, 0.5, 0.7, 0.9])
        low, high = _within(gammaincinv(self.shape, np.array([0.16, 0.84])) / self.rate, self.precisions)
        half = stdtrit(2 * self.shape, 0.84) * math.sqrt(self.rate / (self.shape * self.strength))
        prior = self.centre[0] + self.mean
        first, last = _within(np.array([prior - half, prior + half]), self.means)
        taus = _within(gammaincinv(self.shape, shares) / self.rate, self.precisions)
        mean = min(max(prior, self.means[0]), self.means[1])
        spreads = np.array([max(last - first, 1e-12), max(high - low, 1e-12)]) / 2
        return np.column_stack([np.full(shares.shape, mean), taus]), spreads**2

    def free(self, theta: Floats) -> Floats:
        """The mean and the log of the precision."""
        return np.column_stack([theta[:, 0], np.log(theta[:, 1])])

    def bound(self, free: Floats) -> Floats:
        """Return the mean, and the precision from its log."""
        return np.column_stack([free[:, 0], np.exp(np.clip(free[:, 1], -600, 600))])

    def log_slope(self, free: Floats) -> Floats:
        """The log of the precision."""
        return free[:, 1]

    def _squares(self, records: Floats, totals: Floats) -> Floats:
        return totals[:, 1] - totals[:, 0] ** 2 / records

    def log_density(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """Normal in T1; Q tau is chi-square."""
        tau, half = theta[:, 1], (records - 1) / 2
        squares = self._squares(records, totals)
        away = totals[:, 0] - records * (theta[:, 0] - self.centre[0])
        safe = np.where(squares > 0, squares, 1.0)
        logs = (np.log(tau) - np.log(records)) / 2 - away**2 * tau / (2 * records)
        logs = logs + half * np.log(tau / 2) - gammaln(half) + (half - 1) * np.log(safe) - tau * squares / 2
        return np.where(squares > 0, logs, -np.inf)

    def whiten(self, records: Floats, totals: Floats, theta: Floats) -> Floats:
        """Return the standardised sum, and the log of the squares in units of the variance."""
        tau = theta[:, 1]
        away = (totals[:, 0] - records * (theta[:, 0] - self.centre[0])) * np.sqrt(tau / records)
        return np.column_stack([away, np.log(tau * np.maximum(self._squares(records, totals), 1e-300))])

    def coloured(self, records: Floats, theta: Floats, white: Floats) -> Floats:
        """Return the sums that have these innovations: what `whiten` undoes."""
        tau = theta[:, 1]
        first = records * (theta[:, 0] - self.centre[0]) + white[:, 0] * np.sqrt(records / tau)
        return np.column_stack([first, np.exp(np.minimum(white[:, 1], 600)) / tau + first**2 / records])

    def log_white(self, records: Floats, white: Floats) -> Floats:
        """Normal, and the log of a chi-square."""
        half = (records - 1) / 2
        logs = half * (white[:, 1] - math.log(2)) - np.exp(np.minimum(white[:, 1], 600)) / 2 - gammaln(half)
        return np.asarray(logs - white[:, 0] ** 2 / 2)

    def white(self, records: Floats, rng: Random) -> Floats:
        """Draw a standard Normal number and the log of a chi-square."""
        squares = 2 * rng.standard_gamma((records - 1) / 2)
        return np.column_stack([rng.standard_normal((records.size,)), np.log(np.maximum(squares, 1e-300))])

    def updated(self, records: Floats | float, totals: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return centre of the mean, strength, shape and rate given T; records may be weighted."""
        strength = self.strength + records
        mean = (self.strength * self.mean + totals[:, 0]) / strength
        rate = self.rate + (totals[:, 1] + self.strength * self.mean**2 - strength * mean**2) / 2
        shape = self.shape + np.asarray(records) / 2
        one = np.ones(totals.shape[0])
        return mean + self.centre[0], strength * one, shape * one, np.maximum(rate, 1e-300)

    def conjugate(self, records: Floats, totals: Floats, rng: Random) -> Floats:
        """The precision first, then the mean given it."""
        mean, strength, shape, rate = self.updated(records, totals)
        tau = np.maximum(rng.standard_gamma(shape) / rate, 1e-290)
        return np.column_stack([mean + rng.standard_normal(tau.shape) / np.sqrt(strength * tau), tau])

    def possible(self, records: Floats, totals: Floats) -> Floats:
        """Squares are at least what the sum alone makes of them."""
        least = totals[:, 0] ** 2 / records + self.units[1] * records
        return np.column_stack([totals[:, 0], np.maximum(totals[:, 1], least)])

    def log_posterior(self, theta: Floats, records: int, totals: Floats, weight: float) -> Floats:
        """The Normal-Gamma density over its mass in the box.

        Over the mean that mass is a difference of two distribution functions; over t, the log of the
        precision, it is summed at Gauss points where the Gamma part, log-concave in t, is not negligible.
        """
        mean, strength, shape, rate = self.updated(weight * records, weight * totals)
        own = np.zeros_like(mean)
        for mu, tau in theta:
            own += (shape - 0.5) * np.log(tau) - tau * (rate + strength * (mu - mean) ** 2 / 2)
        ends = np.log(np.array(self.precisions))
        peak = np.clip(np.log(shape / rate), *ends)

        def depth(t: Floats) -> Floats:
            return np.asarray(shape * (peak - t) - rate * (np.exp(peak) - np.exp(t)))

        sides = []
        for end in ends:
            near, far = peak.copy(), np.full_like(peak, end)
            for _ in range(30):
                middle = (near + far) / 2
                deep = depth(middle) > _DEPTH
                near, far = np.where(deep, near, middle), np.where(deep, middle, far)
            sides.append(far)
        nodes, weights = gauss(_NODES)
        half = ((sides[1] - sides[0]) / 2)[:, None]
        t = (sides[0] + sides[1])[:, None] / 2 + half * nodes
        root = np.sqrt(strength[:, None] * np.exp(t))
        inside = ndtr(root * (self.means[1] - mean[:, None])) - ndtr(root * (self.means[0] - mean[:, None]))
        logs = shape[:, None] * (t - peak[:, None]) - rate[:, None] * (np.exp(t) - np.exp(peak)[:, None])
        mass = (np.exp(logs) * inside * half * weights).sum(axis=1)
        whole = np.log(mass) + shape * peak - rate * np.exp(peak) + np.log(2 * math.pi / strength) / 2
        return np.asarray(own - len(theta) * whole)

    def clipped(self, theta: Floats) -> Floats:
        """Return the nearest parameters inside the box."""
        return np.column_stack([_within(theta[:, 0], self.means), _within(theta[:, 1], self.precisions)])


def _ends(cut: tuple[Fraction, Fraction] | None) -> tuple[float, float]:
    return (-math.inf, math.inf) if cut is None else (float(cut[0]), float(cut[1]))


def _within(values: Floats, ends: tuple[float, float]) -> Floats:
    return np.clip(values, ends[0], ends[1])
