"""What weights of a Gibbs posterior say of records: coefficients, chances, means or quantiles of the target.

A row of parameters has the weights of features in [-1, 1], the intercept first. Columns that a question
leaves open are taken in the middle, as of logistic regressions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from privior.errors import InferenceError
from privior.models import GibbsPosterior, Loss
from privior.posterior.events import Event, quoted
from privior.posterior.numbers import Floats, Named, quantile_name
from privior.posterior.regression.weight_numbers import WeightNumbers


@final
@dataclass(frozen=True)
class GibbsNumbers(WeightNumbers):
    """Numbers that follow from a row of weights, as far as the loss tells them."""

    model: GibbsPosterior

    @cached_property
    def loss(self) -> Loss:
        """The loss in the units of the target."""
        return self.model.loss_for(self.schema)

    @cached_property
    def _scaled(self) -> bool:
        """Whether predictors are in units of half the target's range, about its middle."""
        return not (self.loss.of_levels or self.loss.as_they_are)

    @property
    def in_units_of_target(self) -> float:
        """What 1 of a predictor is worth: half the target's range, if it is a number in these units."""
        return float(self.design.design.target.half) if self._scaled else 1.0

    @property
    def added(self) -> str:
        """What weights are, in words."""
        if self._scaled:
            return "what each feature adds, in its own units"
        if self.loss.chance(np.zeros(1)) is not None:
            return "what each feature adds to the log odds"
        return "what each feature adds to the predictor"

    @cached_property
    def to_coefficients(self) -> Floats:
        """The matrix that makes coefficients of the columns as they are from weights."""
        whole = np.array([[float(one) for one in row] for row in self.design.design.coefficients])
        matrix = whole if self.design.formula.intercept else whole[:, 1:]
        return np.asarray(matrix * float(self.design.design.target.half) if self._scaled else matrix)

    def coefficients(self, theta: Floats) -> Floats:
        """Return the coefficients of the columns as they are, one row for each row."""
        found = theta @ self.to_coefficients.T
        if self._scaled and self.design.formula.intercept:
            found[:, 0] += float(self.design.design.target.centre)
        return np.asarray(found)

    # The target

    def _untold(self, what: str) -> InferenceError:
        return InferenceError(
            f"the loss {self.loss.name} tells no {what} of {self.model.target}",
            advice="Logistic losses tell probabilities, Huber and Poisson losses means, quantile losses "
            "their quantile; ask for parameters().",
        )

    def chance(self, predictors: Floats) -> Floats:
        """Return the chance of the target's second level, if the loss tells it."""
        found = self.loss.chance(predictors)
        if found is None:
            raise self._untold("probabilities")
        return np.asarray(found)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability that the target has one of these levels, given values of other columns."""
        self._check_target(*self.events.columns_of(event))
        self.chance(np.zeros(1))
        return super().probability(event, given)

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of the target, given other columns; of true and false the share of true."""
        if self.loss.of_levels:
            return super().average(column, given)
        self._check_target(column)
        if self.loss.mean(np.zeros(1)) is None:
            raise self._untold("means")
        predictor = self._predictor(given)
        return f"mean({quoted(column)}{self._condition(given)})", lambda theta: self.in_words_of_target(
            np.asarray(self.loss.mean(predictor(theta)))
        )

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return the quantile of the target that the loss is about; of true and false any one."""
        self._check_target(column)
        if self.loss.of_levels:
            _, no = self.probability({column: self.design.levels[0]}, given)
            name = quantile_name(column, share, self._condition(given))
            return name, lambda theta: np.where(no(theta) >= share, 0.0, 1.0)
        known = self.loss.quantile
        if known is None or abs(float(known) - share) > 1e-9:
            raise self._untold(f"{100 * share:g}% quantiles")
        predictor = self._predictor(given)
        name = quantile_name(column, share, self._condition(given))
        return name, lambda theta: self.in_words_of_target(predictor(theta))

    def in_words_of_target(self, values: Floats) -> Floats:
        """Return numbers of the target as they are, within its range."""
        if not self._scaled:
            return values
        coded, column = self.design.design.target, self.schema.column(self.model.target)
        known: Any = column
        least = float(known.lower)
        most = least + (known.size - 1) * float(getattr(known, "grid", 1))
        return np.clip(float(coded.centre) + float(coded.half) * values, least, most)
