"""What draws of a regression say of records: coefficients, means given features, chances of the target.

A row of parameters is (intercept, weights, stddev, means of the features, their scatter on and below the
diagonal), in units of `MomentLayout`. Features that a question leaves open are predicted from those that it
gives, linearly, as the latent scatter has it: mean(income | age=50) is what people of 50 have on average,
whatever else they are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Integers
from privior.errors import InferenceError, shown
from privior.models import Design, LinearRegression
from privior.posterior.events import Event, Events, quoted
from privior.posterior.families.runs import chance_of, codes_reached
from privior.posterior.numbers import Floats, Named, quantile_name
from privior.posterior.regression.target_numbers import TargetNumbers
from privior.special import ndtr

#: what there is to know beside coefficients
ERRORS, EXPLAINED = "stddev of errors", "R squared"
#: share of the scatter that is added where features that are given nearly depend on each other
_JITTER = 1e-9


@dataclass(frozen=True)
class RegressionNumbers(TargetNumbers):
    """Numbers that follow from a row of parameters."""

    model: LinearRegression
    example: ClassVar[str] = "mean(target | column=value)"

    @cached_property
    def design(self) -> Design:
        """What the formula makes of records: features and target."""
        return self.model.design(self.schema)

    @property
    def size(self) -> int:
        """How many features there are."""
        return len(self.design.features)

    @property
    def width(self) -> int:
        """How many numbers a row has."""
        return 2 + 2 * self.size + self.size * (self.size + 1) // 2

    @property
    def parameters(self) -> tuple[str, ...]:
        """The coefficients, and what the errors and the whole are called."""
        return (*self.design.names, ERRORS, EXPLAINED)

    # The parts of a row

    @staticmethod
    def rows(intercept: Floats, weights: Floats, stddev: Floats, means: Floats, scatter: Floats) -> Floats:
        """Put draws together, one a row."""
        below = np.tril_indices(weights.shape[1])
        return np.column_stack([intercept, weights, stddev, means, scatter[:, below[0], below[1]]])

    def weights(self, theta: Floats) -> Floats:
        """Return intercept and weights."""
        return theta[:, : 1 + self.size]

    def means(self, theta: Floats) -> Floats:
        """Return the means of the features."""
        return theta[:, 2 + self.size : 2 + 2 * self.size]

    def scatter(self, theta: Floats) -> Floats:
        """Return the covariances of the features."""
        found = np.zeros((len(theta), self.size, self.size))
        below = np.tril_indices(self.size)
        found[:, below[0], below[1]] = found[:, below[1], below[0]] = theta[:, 2 + 2 * self.size :]
        return found

    @cached_property
    def in_units_of_target(self) -> float:
        """What 1 of the target's unit is worth."""
        return 2 * float(self.design.target.half)

    @cached_property
    def to_coefficients(self) -> Floats:
        """The matrix that makes coefficients of the columns as they are from intercept and weights.

        What is left is the target's centre, which the intercept has beside.
        """
        matrix = np.array([[float(one) for one in row] for row in self.design.coefficients])
        matrix[:, 1:] /= np.sqrt(self.design.terms)
        return self.in_units_of_target * matrix

    def coefficients(self, theta: Floats) -> Floats:
        """Return the coefficients of the columns as they are, one row for each row."""
        found = self.weights(theta) @ self.to_coefficients.T
        if self.design.formula.intercept:
            found[:, 0] += float(self.design.target.centre)
        return np.asarray(found)

    def parameter(self, name: str) -> Named:
        """Return a coefficient, the standard deviation of the errors or R squared, by its name."""
        if name not in self.parameters:
            raise InferenceError(
                "no such parameter", asked=shown(name), allowed=", ".join(map(quoted, self.parameters))
            )
        if name == ERRORS:
            return name, lambda theta: self.in_units_of_target * theta[:, 1 + self.size]
        if name == EXPLAINED:
            return name, self._explained
        place = self.design.names.index(name)
        return name, lambda theta: self.coefficients(theta)[:, place]

    def _explained(self, theta: Floats) -> Floats:
        weights = self.weights(theta)[:, 1:]
        signal = np.einsum("bi,bij,bj->b", weights, self.scatter(theta), weights)
        return np.asarray(signal / (signal + theta[:, 1 + self.size] ** 2))

    # Means and chances of the target

    def features(self, codes: dict[str, Integers]) -> Floats:
        """Return the features of records, given the codes of their columns."""
        found = [one.summand.of(codes) / one.reach for one in self.design.features]
        return np.asarray(np.column_stack(found) / np.sqrt(self.design.terms), np.float64)

    def in_words_of_target(self, values: Floats) -> Floats:
        """Return numbers of the target as they are, from its own unit."""
        return np.asarray(float(self.design.target.centre) + self.in_units_of_target * values)

    def expected(self, given: Event | object | None) -> Callable[[Floats], tuple[Floats, Floats]]:
        """Return expectation and variance of the target in its unit, given values of some columns."""
        codes = self.known(given)
        fixed = [place for place, one in enumerate(self.design.features) if set(one.columns) <= set(codes)]
        free = [place for place in range(self.size) if place not in fixed]
        whole = {name: np.array([codes.get(name, 0)]) for name in self.model.columns}
        values = self.features(whole)[0]

        def found(theta: Floats) -> tuple[Floats, Floats]:
            weights, means = self.weights(theta)[:, 1:], self.means(theta)
            mean = theta[:, 0] + weights[:, fixed] @ values[fixed]
            variance = theta[:, 1 + self.size] ** 2
            if free:
                scatter = self.scatter(theta)
                own = scatter[:, free][:, :, free]
                expected = means[:, free]
                if fixed:
                    cross, among = scatter[:, free][:, :, fixed], scatter[:, fixed][:, :, fixed]
                    level = _JITTER * np.trace(scatter, axis1=1, axis2=2)
                    gain = cross @ np.linalg.inv(among + level[:, None, None] * np.eye(len(fixed)))
                    expected = expected + (gain @ (values[fixed] - means[:, fixed])[:, :, None])[:, :, 0]
                    own = own - gain @ cross.transpose(0, 2, 1)
                mean = mean + (weights[:, free] * expected).sum(axis=1)
                part = np.einsum("bi,bij,bj->b", weights[:, free], own, weights[:, free])
                variance = variance + np.maximum(part, 0.0)
            return mean, variance

        return found

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of the target, given values of some columns."""
        self._check_target(column)
        both = self.expected(given)
        return f"mean({quoted(column)}{self._condition(given)})", lambda theta: self.in_words_of_target(
            both(theta)[0]
        )

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability that the target has one of these values, given values of some columns."""
        self._check_target(*self.events.columns_of(event))
        wanted = Events(self.schema, (self.model.target,)).cells(event)

        def chances(theta: Floats) -> Floats:
            below, every = self._below(theta, given), slice(None)
            return chance_of(wanted, lambda code: below(every, code))

        return f"P({self.events.name(event)}{self._condition(given)})", chances

    def at_most(self, column: str, code: int) -> Callable[[Floats], Floats]:
        """Return the probability of a value of the target, or a lower one."""
        self._check_target(column)
        return lambda theta: self._below(theta, None)(slice(None), code)

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return a quantile of the target's values, as they are recorded."""
        self._check_target(column)
        lower, step, size = self.target_grid

        def found(theta: Floats) -> Floats:
            return np.asarray(
                lower + step * codes_reached(share, len(theta), size, self._below(theta, given))
            )

        return quantile_name(column, share, self._condition(given)), found

    @cached_property
    def target_grid(self) -> tuple[float, float, int]:
        """The least value of the target, the step and the number of values."""
        column: Any = self.schema.column(self.model.target)
        return float(column.lower), float(getattr(column, "grid", 1)), int(column.size)

    def _below(
        self, theta: Floats, given: Event | object | None
    ) -> Callable[[NDArray[np.intp] | slice, int], Floats]:
        lower, step, size = self.target_grid
        mean, variance = self.expected(given)(theta)
        centre, deviation = self.in_words_of_target(mean), self.in_units_of_target * np.sqrt(variance)

        def below(some: NDArray[np.intp] | slice, code: int) -> Floats:
            if code < 0 or code >= size - 1:
                return np.full(len(centre[some]), 0.0 if code < 0 else 1.0)
            return np.asarray(ndtr((lower + step * (code + 0.5) - centre[some]) / deviation[some]))

        return below

    # Records

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Draw records: columns that explain one by one, from their means and scatter, then the target."""
        codes = {name: self._column(theta[None], name, number, rng) for name in self.model.columns[1:]}
        mean = theta[0] + self.features(codes) @ theta[1 : 1 + self.size]
        values = self.in_words_of_target(mean + theta[1 + self.size] * rng.standard_normal(number))
        lower, step, size = self.target_grid
        codes[self.model.target] = np.clip(np.rint((values - lower) / step), 0, size - 1).astype(np.int64)
        found: dict[str, list[object]] = {}
        for name in self.model.columns:
            known = self.schema.column(name).values
            found[name] = [known[int(code)] for code in codes[name]]
        return found

    def _column(self, theta: Floats, name: str, number: int, rng: np.random.Generator) -> Integers:
        """Draw codes of a column: Normal about its mean, or levels by their shares; evenly if unknown."""
        size, root = self.schema.column(name).size, np.sqrt(self.design.terms)
        own = [(place, one) for place, one in enumerate(self.design.features) if one.columns == (name,)]
        means, scatter = root * self.means(theta)[0], root**2 * self.scatter(theta)[0]
        if not own:
            return rng.integers(size, size=number)
        place, one = own[0]
        factor = one.parts[0].factor
        if factor.level is None:
            values = means[place] + np.sqrt(scatter[place, place]) * rng.standard_normal(number)
            codes = (values * one.reach - factor.shift) / factor.slope
            return np.asarray(np.clip(np.rint(codes), 0, size - 1), np.int64)
        shares = np.zeros(size)
        for place, one in own:
            shares[one.parts[0].factor.level] = max(float(means[place]), 0.0)
        if len(own) < size:
            shares[0] = max(1 - shares.sum(), 1e-9)
        chances = shares / shares.sum() if shares.sum() else None
        return np.asarray(rng.choice(size, size=number, p=chances), np.int64)

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return coefficients, errors and R squared by their names."""
        return {"posterior": {name: self.parameter(name)[1](theta)[None] for name in self.parameters}}
