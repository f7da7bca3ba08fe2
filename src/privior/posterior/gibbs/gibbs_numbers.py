"""What weights of a Gibbs posterior say of records: coefficients, chances, means or quantiles of the target.

A row of parameters has the weights of features in [-1, 1], the intercept first. Columns that a question
leaves open are taken in the middle, as of logistic regressions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError
from privior.models import GibbsPosterior, Loss
from privior.posterior.events import Event, Events, quoted
from privior.posterior.numbers import Floats, Named, quantile_name
from privior.posterior.regression.logistic_numbers import LogisticNumbers


@dataclass(frozen=True)
class GibbsNumbers(LogisticNumbers):
    """Numbers that follow from a row of weights."""

    model: GibbsPosterior  # type: ignore[assignment]

    @cached_property
    def loss(self) -> Loss:
        """The loss in the units of the target."""
        return self.model.loss_for(self.schema)

    @cached_property
    def _scaled(self) -> bool:
        """Whether predictors are in units of half the target's range, about its middle."""
        return not (self.loss.of_levels or self.loss.as_they_are)

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

    def predictors(self, codes: dict[str, Integers], theta: Floats) -> Floats:
        """Return the predictor of each record, a column each, for each row of weights."""
        count = len(next(iter(codes.values())))
        known = [codes.get(name, np.zeros(count, np.int64)) for name in self.model.columns]
        return np.asarray(theta @ self.design.rows(np.column_stack(known)).T)

    def _predictor(self, given: Event | object | None) -> Callable[[Floats], Floats]:
        known = self.known(given)
        codes = {name: np.array([known.get(name, self._middle(name))]) for name in self.model.columns[1:]}
        return lambda theta: self.predictors(codes, theta)[:, 0]

    def _condition(self, given: Event | object | None) -> str:
        return f" | {self.events.name(given)}" if given else ""

    def _untold(self, what: str) -> InferenceError:
        return InferenceError(
            f"the loss {self.loss.name} tells no {what} of {self.model.target}",
            advice="Logistic losses tell probabilities, Huber and Poisson losses means, quantile losses "
            "their quantile; ask for parameters().",
        )

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability that the target has one of these levels, given values of other columns."""
        self._check_target(*self.events.columns_of(event))
        if self.loss.chance(np.zeros(1)) is None:
            raise self._untold("probabilities")
        of_no, of_yes = Events(self.schema, (self.model.target,)).cells(event)
        predictor = self._predictor(given)

        def chances(theta: Floats) -> Floats:
            yes = np.asarray(self.loss.chance(predictor(theta)))
            return np.asarray(bool(of_no) * (1 - yes) + bool(of_yes) * yes)

        return f"P({self.events.name(event)}{self._condition(given)})", chances

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of the target, given other columns; of true and false the share of true."""
        self._check_target(column)
        if self.loss.of_levels:
            name, function = self.probability({column: self.design.levels[1]}, given)
            return name.replace("P(", "mean(", 1), function
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
