"""Counts with a Gamma prior of their mean."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from privior.checks import known_as
from privior.errors import ModelError
from privior.exact import decimal
from privior.models.families.family import Family, Floats, numeric, pure_draws
from privior.models.laws import Conjugate, Gamma, Law
from privior.models.model import MODELS
from privior.models.summands import Factor, Summand
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import DominatingPair, TruncatedPoisson, poisson_draw
from privior.schema import Schema
from privior.special import gammaln, pdtr, xlogy


@final
@MODELS.register
@dataclass(frozen=True)
class GammaPoisson(Family):
    """x ~ Poisson(theta), theta ~ Gamma(a, b): theta | x ~ Gamma(a + sum x, b + n)."""

    column: str
    prior: Law
    family: ClassVar[str] = "gamma-poisson"
    parameter: ClassVar[str] = "mean"
    shape: ClassVar[str] = "Poisson"
    conjugate: ClassVar[type[Conjugate]] = Gamma

    def __init__(self, column: str, prior: object = Gamma()) -> None:
        self._set(column, prior)

    def summand(self, schema: Schema) -> Summand:
        """The count in the column, as it is."""
        lower, step, _ = numeric(schema, self.column, self.family)
        if lower != 0 or step != 1:
            raise ModelError(
                "counts are whole numbers from 0",
                where=f"{self.family}, {self.column}",
                asked=f"from {decimal(lower)} in steps of {decimal(step)}",
                allowed="integer, lower 0",
            )
        return Summand((Factor(self.column),))

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """Sums are of the values themselves."""
        return Fraction(0), Fraction(1)

    def update(self, law: Conjugate, records: Fraction, total: Fraction) -> Gamma:
        """Add the sum to the shape, the records to the rate."""
        gamma = known_as(Gamma, law)
        return Gamma(gamma.shape + total, gamma.rate + records)

    def updated(self, records: float, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Add the sum to the shape, the records to the rate."""
        gamma = known_as(Gamma, self.law)
        rates = np.full_like(totals, float(gamma.rate) + records)
        return float(gamma.shape) + totals, rates, np.zeros_like(totals)

    def natural(self, theta: Floats) -> Floats:
        """Return log theta."""
        return np.asarray(np.log(theta))

    def partition(self, theta: Floats) -> Floats:
        """Return theta, which is also the log of the constant of the law."""
        return theta

    def log_measure(self, records: Floats, totals: Floats, unit: float) -> Floats:
        """Return log n^T / T!, for a sum of Poisson counts is one."""
        safe = np.maximum(totals, 0.0)
        return np.asarray(np.where(totals >= 0, xlogy(safe, records) - gammaln(safe + 1), -np.inf))

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the distribution function of the Poisson law."""
        return np.asarray(pdtr(np.floor(value), theta))

    def mean_of(self, theta: Floats) -> Floats:
        """Return theta, which is the mean of a record."""
        return theta

    def cut_pair(self, schema: Schema, records: int, weight: Fraction) -> TruncatedPoisson:
        """A mean in an interval."""
        gamma, most = known_as(Gamma, self.law), int(self.bounds(schema)[1])
        return TruncatedPoisson(*self.ends, records, most, gamma.rate, gamma.shape, weight)

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """A record moves the shape by up to the largest count."""
        gamma, most = known_as(Gamma, self.law), int(self.bounds(schema)[1])
        each = self.bounded_pair(schema, records, weight)
        if each is not None:
            return pure_draws(each, draws)
        return compose_symmetric([(poisson_draw(gamma.shape, most, weight), draws)])
