"""Normal values of known variance, with a Normal prior of their mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from privior.checks import fill, known_as
from privior.models.families.family import Family, Floats, above, numeric, pure_draws
from privior.models.laws import Conjugate, Law, Normal
from privior.models.model import MODELS
from privior.models.summands import Factor, Summand
from privior.privacy.pairs import DominatingPair, TruncatedNormal, normal_mean_draw
from privior.schema import Schema
from privior.special import ndtr


@final
@MODELS.register
@dataclass(frozen=True)
class NormalMean(Family):
    """x ~ Normal(theta, s^2), theta ~ Normal(m, t^2).

    theta | x ~ Normal, of precision p = 1/t^2 + n/s^2 and mean (m/t^2 + sum x/s^2) / p.
    """

    column: str
    variance: Fraction
    prior: Law
    family: ClassVar[str] = "normal-mean"
    parameter: ClassVar[str] = "mean"
    shape: ClassVar[str] = "Normal"
    conjugate: ClassVar[type[Conjugate]] = Normal
    draws_compose: ClassVar[bool] = True

    def __init__(self, column: str, prior: object, *, stddev: object = None, variance: object = None) -> None:
        spread = Normal(0, stddev=stddev, variance=variance).variance
        fill(self, variance=above(spread, self.family, "variance"))
        self._set(column, prior)

    def summand(self, schema: Schema) -> Summand:
        """Half steps from the middle of the range, which no record is far from."""
        _, _, size = numeric(schema, self.column, self.family)
        return Summand((Factor(self.column, 2, 1 - size),))

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """The middle of the range and half a step."""
        lower, step, size = numeric(schema, self.column, self.family)
        return lower + step * (size - 1) / 2, step / 2

    def update(self, law: Conjugate, records: Fraction, total: Fraction) -> Normal:
        """Add precisions, and average by them."""
        normal = known_as(Normal, law)
        precision = 1 / normal.variance + records / self.variance
        mean = (normal.mean / normal.variance + total / self.variance) / precision
        return Normal(mean, variance=1 / precision)

    def updated(self, records: float, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Add precisions, average by them, and complete the square."""
        normal = known_as(Normal, self.law)
        mean, variance, known = (float(one) for one in (normal.mean, normal.variance, self.variance))
        precision = 1 / variance + records / known
        means = (mean / variance + totals / known) / precision
        squares = (means**2 * precision - mean**2 / variance) / 2
        return means, np.full_like(totals, 1 / precision), squares

    def natural(self, theta: Floats) -> Floats:
        """Return theta / s^2."""
        return theta / float(self.variance)

    def partition(self, theta: Floats) -> Floats:
        """Return theta^2 / (2 s^2)."""
        return np.asarray(theta**2 / (2 * float(self.variance)))

    def log_measure(self, records: Floats, totals: Floats, unit: float) -> Floats:
        """T ~ Normal(n theta, n s^2): -T^2 / (2 n s^2) - log(n) / 2."""
        return np.asarray(-(totals**2) / (2 * records * float(self.variance)) - np.log(records) / 2)

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the distribution function of the Normal law."""
        return np.asarray(ndtr((value - theta) / math.sqrt(self.variance)))

    def mean_of(self, theta: Floats) -> Floats:
        """Return theta, which is the mean of a record."""
        return theta

    def cut_pair(self, schema: Schema, records: int, weight: Fraction) -> TruncatedNormal:
        """A mean in an interval."""
        normal, (least, most) = known_as(Normal, self.law), self.bounds(schema)
        return TruncatedNormal(
            *self.ends, records, least, most, self.variance, normal.mean, normal.variance, weight
        )

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """A record moves the mean by up to the length of the range; the variance is the same for all data."""
        normal, (least, most) = known_as(Normal, self.law), self.bounds(schema)
        each = self.bounded_pair(schema, records, weight)
        if each is not None:
            return pure_draws(each, draws)
        return normal_mean_draw(self.variance, normal.variance, records, most - least, weight, draws)
