"""What weights of a logistic regression say of records: coefficients, chances of the target."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from privior.arrays import Integers
from privior.models import LogisticRegression
from privior.posterior.numbers import Floats
from privior.posterior.regression.weight_numbers import WeightNumbers


@final
@dataclass(frozen=True)
class LogisticNumbers(WeightNumbers):
    """Coefficients that add to the log odds of the target's second level, and its chances."""

    model: LogisticRegression

    @cached_property
    def to_coefficients(self) -> Floats:
        """The matrix that makes coefficients of the columns as they are from weights of features."""
        whole = np.array([[float(one) for one in row] for row in self.design.design.coefficients])
        return whole if self.model.formula.intercept else whole[:, 1:]

    def coefficients(self, theta: Floats) -> Floats:
        """Return the coefficients of the columns as they are: what 1 adds to the log odds."""
        return np.asarray(theta @ self.to_coefficients.T)

    def chance(self, predictors: Floats) -> Floats:
        """Return the chance of the target's second level, whose log odds the predictor is."""
        return chance(predictors)

    def chances(self, theta: Floats, codes: dict[str, Integers]) -> Floats:
        """Return the chance of the target's second level, a row for each row of weights.

        Args:
            theta: weights, one row each
            codes: of the columns that explain, of as many records
        """
        return chance(self.predictors(codes, theta))


def chance(x: Floats) -> Floats:
    """1 / (1 + e^-x), also for large numbers."""
    away = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, away, 1.0) / (1.0 + away))
