"""What weights of a Gibbs posterior say of records: coefficients, chances, means or quantiles of the target.

A row of parameters has the weights of features in [-1, 1], the intercept first. Nothing is known of the
features themselves: a question gives a value for each column that explains.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError, shown
from privior.models import GibbsPosterior, Loss, RowDesign
from privior.posterior.events import Event, Events, quoted
from privior.posterior.numbers import Floats, Named, Numbers, quantile_name


@dataclass(frozen=True)
class GibbsNumbers(Numbers):
    """Numbers that follow from a row of weights."""

    model: GibbsPosterior

    @cached_property
    def design(self) -> RowDesign:
        """The rows."""
        return self.model.design(self.schema)

    @cached_property
    def loss(self) -> Loss:
        """The loss in the units of the target."""
        return self.model.loss_for(self.schema)

    @property
    def width(self) -> int:
        """How many weights there are."""
        return self.design.size

    @property
    def parameters(self) -> tuple[str, ...]:
        """The coefficients."""
        return self.design.names

    @cached_property
    def _scaled(self) -> bool:
        """Whether predictors are in units of half the target's range, about its middle."""
        return not (self.loss.of_levels or self.loss.as_they_are)

    @cached_property
    def to_coefficients(self) -> Floats:
        """The matrix that makes coefficients of the columns as they are from weights."""
        matrix = np.array([[float(one) for one in row] for row in self.design.design.coefficients])
        matrix = matrix if self.design.formula.intercept else matrix[:, 1:]
        return np.asarray(matrix * float(self.design.design.target.half) if self._scaled else matrix)

    def coefficients(self, theta: Floats) -> Floats:
        """Return the coefficients of the columns as they are, one row for each row."""
        found = theta @ self.to_coefficients.T
        if self._scaled and self.design.formula.intercept:
            found[:, 0] += float(self.design.design.target.centre)
        return np.asarray(found)

    def parameter(self, name: str) -> Named:
        """Return a coefficient by its name."""
        if name not in self.parameters:
            raise InferenceError(
                "no such parameter", asked=shown(name), allowed=", ".join(map(quoted, self.parameters))
            )
        place = self.parameters.index(name)
        return name, lambda theta: self.coefficients(theta)[:, place]

    # The target

    def predictors(self, codes: dict[str, Integers], theta: Floats) -> Floats:
        """Return the predictor of each record, a column each, for each row of weights."""
        count = len(next(iter(codes.values())))
        known = [codes.get(name, np.zeros(count, np.int64)) for name in self.model.columns]
        return np.asarray(theta @ self.design.rows(np.column_stack(known)).T)

    def _given(self, given: Event | object | None) -> Callable[[Floats], Floats]:
        """Return the predictor for one value of each column that explains."""
        alternatives = self.events.codes(given) if given else [{}]
        several = [name for one in alternatives for name, codes in one.items() if len(codes) > 1]
        if len(alternatives) > 1 or several:
            raise InferenceError(
                "a regression is asked about one value of each column", asked=self.events.name(given)
            )
        found = {name: np.array([codes[0]], np.int64) for name, codes in alternatives[0].items()}
        if self.model.target in found:
            raise InferenceError(
                "the target is what is asked about, not what is given", asked=self.model.target
            )
        absent = [name for name in self.model.columns[1:] if name not in found]
        if absent:
            raise InferenceError(
                "the draws say nothing of how features are distributed: give a value for each",
                asked=", ".join(absent),
                advice=f"Ask for P({quoted(self.model.target)}=... | {absent[0]}=..., ...).",
            )
        return lambda theta: self.predictors(found, theta)[:, 0]

    def _check_target(self, column: str) -> None:
        self.events.place(column)
        if column != self.model.target:
            raise InferenceError(
                "a regression tells of its target alone",
                asked=shown(column),
                allowed=quoted(self.model.target),
            )

    def _condition(self, given: Event | object | None) -> str:
        return f" | {self.events.name(given)}" if given else ""

    def _untold(self, what: str) -> InferenceError:
        return InferenceError(
            f"the loss {self.loss.name} tells no {what} of {self.model.target}",
            advice="Logistic losses tell probabilities, Huber and Poisson losses means, quantile losses "
            "their quantile; ask for parameters().",
        )

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability that the target has one of these levels, given values of all others."""
        named = self.events.columns_of(event)
        if len(named) != 1:
            raise InferenceError("a regression tells of its target alone", asked=", ".join(named))
        self._check_target(named[0])
        if self.loss.chance(np.zeros(1)) is None:
            raise self._untold("probabilities")
        of_no, of_yes = Events(self.schema, (named[0],)).cells(event)
        predictor = self._given(given)

        def chances(theta: Floats) -> Floats:
            yes = np.asarray(self.loss.chance(predictor(theta)))
            return np.asarray(bool(of_no) * (1 - yes) + bool(of_yes) * yes)

        return f"P({self.events.name(event)}{self._condition(given)})", chances

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of the target, given values of all others."""
        self._check_target(column)
        if self.loss.mean(np.zeros(1)) is None:
            raise self._untold("means")
        predictor = self._given(given)
        return f"mean({quoted(column)}{self._condition(given)})", lambda theta: self.in_words_of_target(
            np.asarray(self.loss.mean(predictor(theta)))
        )

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return the quantile of the target that the loss is about."""
        self._check_target(column)
        known = self.loss.quantile
        if known is None or abs(float(known) - share) > 1e-9:
            raise self._untold(f"{100 * share:g}% quantiles")
        predictor = self._given(given)
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

    # Records

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Refuse: features are not modelled."""
        raise InferenceError(
            "the draws say nothing of how features are distributed: no records can be made up",
            advice="Release the features too, such as by pv.BayesianNetwork.",
        )

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return coefficients by their names."""
        return {"posterior": {name: self.parameter(name)[1](theta)[None] for name in self.parameters}}
