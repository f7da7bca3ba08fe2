"""Normal values of known mean, with a Gamma prior of their precision, one over the variance."""

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
from privior.special import ndtr


@final
@MODELS.register
@dataclass(frozen=True)
class NormalPrecision(GammaRate):
    """x ~ Normal(mean, 1/theta), theta ~ Gamma(a, b).

    theta | x ~ Gamma(a + n/2, b + sum (x - mean)^2 / 2).
    """

    column: str
    mean: Fraction
    prior: Law
    family: ClassVar[str] = "normal-precision"
    parameter: ClassVar[str] = "precision"
    shape: ClassVar[str] = "Normal"
    each: ClassVar[Fraction] = Fraction(1, 2)

    def __init__(self, column: str, mean: object, prior: object = Gamma()) -> None:
        fill(self, mean=read_number(mean, self.family, "mean"))
        self._set(column, prior)

    def _offset(self, schema: Schema) -> tuple[Fraction, Fraction]:
        lower, step, _ = numeric(schema, self.column, self.family)
        return (lower - self.mean) / step, step

    def summand(self, schema: Schema) -> Summand:
        """The squared distance, in units that the mean is a whole number of."""
        offset, _ = self._offset(schema)
        away = Factor(self.column, offset.denominator, offset.numerator)
        return Summand((away, away))

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """Squared distances are counted from 0, in these units."""
        offset, step = self._offset(schema)
        return Fraction(0), (step / offset.denominator) ** 2 / 2

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return the distribution function of the Normal law."""
        return np.asarray(ndtr((value - float(self.mean)) * np.sqrt(theta)))

    def mean_of(self, theta: Floats) -> Floats:
        """Return the known mean."""
        return np.full_like(theta, float(self.mean))
