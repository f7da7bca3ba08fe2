"""Waiting times with a Gamma prior of their rate."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from privior.errors import ModelError
from privior.exact import decimal
from privior.models.families.family import Floats, numeric
from privior.models.families.gamma_rate import GammaRate
from privior.models.laws import Gamma, Law
from privior.models.model import MODELS
from privior.models.summands import Factor, Summand
from privior.schema import Schema


@final
@MODELS.register
@dataclass(frozen=True)
class GammaExponential(GammaRate):
    """x ~ Exponential(theta), theta ~ Gamma(a, b): theta | x ~ Gamma(a + n, b + sum x)."""

    column: str
    prior: Law
    family: ClassVar[str] = "gamma-exponential"
    parameter: ClassVar[str] = "rate"
    shape: ClassVar[str] = "exponential"

    def __init__(self, column: str, prior: object = Gamma()) -> None:
        self._set(column, prior)

    def summand(self, schema: Schema) -> Summand:
        """Steps above the least value."""
        lower, _, _ = numeric(schema, self.column, self.family)
        if lower < 0:
            raise ModelError(
                "times are not negative",
                where=f"{self.family}, {self.column}",
                asked=f"lower {decimal(lower)}",
                allowed="lower 0 or more",
            )
        return Summand((Factor(self.column),))

    def grid(self, schema: Schema) -> tuple[Fraction, Fraction]:
        """The least value and the step."""
        lower, step, _ = numeric(schema, self.column, self.family)
        return lower, step

    def value_below(self, theta: Floats, value: float) -> Floats:
        """Return 1 - e^(-theta x)."""
        return np.asarray(-np.expm1(-theta * value))

    def mean_of(self, theta: Floats) -> Floats:
        """Return 1 / theta."""
        return np.asarray(1 / theta)
