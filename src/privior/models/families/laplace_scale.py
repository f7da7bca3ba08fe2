"""Deviations from a known location, Laplace distributed, with a Gamma prior of one over their scale."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from privior.checks import fill
from privior.models.families.family import Floats, numeric
from privior.models.families.gamma_rate import GammaRate
from privior.models.laws import Gamma, Law
from privior.models.laws.conjugate import read_number
from privior.models.model import MODELS
from privior.models.summands import Factor, Summand
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class LaplaceScale(GammaRate):
    """x ~ Laplace(location, 1/theta), theta ~ Gamma(a, b).

    theta | x ~ Gamma(a + n, b + sum |x - location|).
    """

    column: str
    location: Fraction
    prior: Law
    family: ClassVar[str] = "laplace-scale"
    parameter: ClassVar[str] = "rate"
    shape: ClassVar[str] = "Laplace"

    def __init__(self, column: str, location: object, prior: object = Gamma()) -> None:
        fill(self, location=read_number(location, self.family, "location"))
        self._set(column, prior)

    def summand(self, schema: Schema) -> Summand:
        """The distance, in units that the location is a whole number of."""
        lower, step, _ = numeric(schema, self.column, self.family)
        offset = (lower - self.location) / step
        return Summand((Factor(self.column, offset.denominator, offset.numerator, absolute=True),))

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """Distances are counted from 0, in these units."""
        lower, step, _ = numeric(schema, self.column, self.family)
        return Fraction(0), step / ((lower - self.location) / step).denominator

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the distribution function of the Laplace law."""
        away = value - float(self.location)
        tail = np.exp(-theta * abs(away)) / 2
        return np.asarray(tail if away < 0 else 1 - tail)

    def mean_of(self, theta: Floats) -> Floats:
        """Return the location."""
        return np.full_like(theta, float(self.location))
