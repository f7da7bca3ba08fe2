"""What Exponential rates, Laplace scales and Normal precisions have in common: a Gamma posterior whose
shape grows with the number of records and whose rate grows with their sum."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.checks import known_as
from privior.models.families.family import Family, Floats, pure_draws
from privior.models.laws import Conjugate, Gamma
from privior.privacy.pairs import DominatingPair, TruncatedExponential, gamma_rate_draw
from privior.schema import Schema
from privior.special import gammaln


class GammaRate(Family):
    """log p(x | theta) = each log theta - theta t(x) + a constant, t >= 0.

    theta ~ Gamma(a, b): theta | x ~ Gamma(a + each n, b + T).
    """

    conjugate: ClassVar[type[Conjugate]] = Gamma
    draws_compose: ClassVar[bool] = True
    #: what one record adds to the shape
    each: ClassVar[Fraction] = Fraction(1)

    def update(self, law: Conjugate, records: Fraction, total: Fraction) -> Gamma:
        """Add to the shape for each record, and the sum to the rate."""
        gamma = known_as(Gamma, law)
        return Gamma(gamma.shape + self.each * records, gamma.rate + total)

    def updated(self, records: float, totals: Floats) -> tuple[Floats, Floats, Floats]:
        """Add to the shape for each record, and the sum to the rate."""
        gamma = known_as(Gamma, self.law)
        shapes = np.full_like(totals, float(gamma.shape) + float(self.each) * records)
        return shapes, float(gamma.rate) + totals, np.zeros_like(totals)

    def natural(self, theta: Floats) -> Floats:
        """Return -theta, the natural parameter of a rate."""
        return -theta

    def partition(self, theta: Floats) -> Floats:
        """Return -each log theta."""
        return np.asarray(-float(self.each) * np.log(theta))

    def log_measure(self, records: Floats, totals: Floats, unit: float) -> Floats:
        """T ~ Gamma(each n): log T^(each n - 1) / Gamma(each n); a sum of 0 is taken as half a unit."""
        shape = float(self.each) * records
        safe = np.maximum(totals, unit / 2)
        return np.asarray(np.where(totals >= 0, (shape - 1) * np.log(safe) - gammaln(shape), -np.inf))

    def cut_pair(self, schema: Schema, records: int, weight: Fraction) -> TruncatedExponential:
        """A rate in an interval."""
        gamma, (least, most) = known_as(Gamma, self.law), self.bounds(schema)
        ends = self.ends
        return TruncatedExponential(*ends, records, least, most, gamma.rate, gamma.shape, weight, self.each)

    def draw_pair(self, schema: Schema, records: int, weight: Fraction, draws: int) -> DominatingPair:
        """A record moves the rate by up to the length of the range."""
        gamma, (least, most) = known_as(Gamma, self.law), self.bounds(schema)
        each = self.bounded_pair(schema, records, weight)
        if each is not None:
            return pure_draws(each, draws)
        return gamma_rate_draw(gamma.shape, gamma.rate, records, least, most, weight, draws, self.each)
