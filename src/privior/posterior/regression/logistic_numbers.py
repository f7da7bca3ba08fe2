"""What weights of a logistic regression say of records: coefficients, chances of the target.

A row of parameters is the weights, the intercept first, of features in [-1, 1] (`RowDesign`). Columns that a
question leaves open are taken in the middle of their ranges, levels as the first one: the release tells
nothing of what records are like, and the answer says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError, shown
from privior.models import LogisticRegression, RowDesign
from privior.posterior.events import Event, Events, quoted
from privior.posterior.numbers import Floats, Named, Numbers


@dataclass(frozen=True)
class LogisticNumbers(Numbers):
    """Numbers that follow from a row of weights."""

    model: LogisticRegression

    @cached_property
    def design(self) -> RowDesign:
        """What becomes of records."""
        return self.model.design(self.schema)

    @property
    def width(self) -> int:
        """How many weights there are."""
        return self.design.size

    @property
    def parameters(self) -> tuple[str, ...]:
        """The coefficients."""
        return self.design.names

    @cached_property
    def to_coefficients(self) -> Floats:
        """The matrix that makes coefficients of the columns as they are from weights of features."""
        whole = np.array([[float(one) for one in row] for row in self.design.design.coefficients])
        return whole if self.model.formula.intercept else whole[:, 1:]

    def coefficients(self, theta: Floats) -> Floats:
        """Return the coefficients of the columns as they are: what 1 adds to the log odds."""
        return np.asarray(theta @ self.to_coefficients.T)

    def parameter(self, name: str) -> Named:
        """Return a coefficient by its name."""
        if name not in self.parameters:
            raise InferenceError(
                "no such parameter", asked=shown(name), allowed=", ".join(map(quoted, self.parameters))
            )
        place = self.parameters.index(name)
        return name, lambda theta: self.coefficients(theta)[:, place]

    # Chances of the target

    def chances(self, theta: Floats, codes: dict[str, Integers]) -> Floats:
        """Return the chance of the target's second level, a row for each row of weights.

        Args:
            theta: weights, one row each
            codes: of the columns that explain, of as many records
        """
        records = len(next(iter(codes.values())))
        each = [codes.get(name, np.zeros(records, np.int64)) for name in self.model.columns]
        return chance(theta @ self.design.rows(np.stack(each, axis=1)).T)

    def known(self, given: Event | object | None) -> dict[str, int]:
        """Return the codes of the columns that are given, one value each."""
        if not given:
            return {}
        alternatives = self.events.codes(given)
        several = [name for one in alternatives for name, codes in one.items() if len(codes) > 1]
        if len(alternatives) > 1 or several:
            raise InferenceError(
                "a regression is asked about one value of each column",
                asked=self.events.name(given),
                advice="Ask for each value by itself: P(target=level | column=value).",
            )
        found = {name: codes[0] for name, codes in alternatives[0].items()}
        if self.model.target in found:
            raise InferenceError(
                "the target is what is asked about, not what is given", asked=self.model.target
            )
        return found

    def left_open(self, given: Event | object | None) -> str:
        """Say where columns are taken to be that nothing is said of; nothing if there are none."""
        known = self.known(given)
        free = [name for name in self.model.columns[1:] if name not in known]
        said = [
            f"{quoted(name)} = {self.schema.column(name).labels[self._middle(name)]}" for name in free[:6]
        ]
        more = [f"{len(free) - 6} more columns in the middle"] if len(free) > 6 else []
        return " and ".join([*said, *more])

    def _middle(self, name: str) -> int:
        column = self.schema.column(name)
        numeric = hasattr(column, "lower") and hasattr(column, "upper")
        return (column.size - 1) // 2 if numeric else 0

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the chance that the target has one of these levels, given values of other columns."""
        named = self.events.columns_of(event)
        self._check_target(*named)
        wanted = Events(self.schema, (self.model.target,)).cells(event)
        known = self.known(given)
        codes = {name: np.array([known.get(name, self._middle(name))]) for name in self.model.columns[1:]}
        weights = wanted.astype(np.float64)

        def found(theta: Floats) -> Floats:
            yes = self.chances(theta, codes)[:, 0]
            return np.asarray(weights[0] * (1 - yes) + weights[1] * yes)

        condition = f" | {self.events.name(given)}" if given else ""
        return f"P({self.events.name(event)}{condition})", found

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the share of true of a target that is true or false."""
        self._check_target(column)
        name, function = self.probability({column: self.design.levels[1]}, given)
        return name.replace("P(", "mean(", 1), function

    def _check_target(self, *columns: str) -> None:
        for column in columns:
            self.events.place(column)
        if columns != (self.model.target,):
            raise InferenceError(
                "a regression tells of its target alone",
                asked=", ".join(columns),
                allowed=quoted(self.model.target),
            )

    # Records

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> NoReturn:
        """Refuse: nothing is known of the columns that explain."""
        raise InferenceError(
            "a logistic regression tells how its target depends on other columns, not what these are like",
            asked="sample",
            advice="Ask predict_proba(frame) for rows of your own.",
        )

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return coefficients by their names."""
        return {"posterior": {name: self.parameter(name)[1](theta)[None] for name in self.parameters}}


def chance(x: Floats) -> Floats:
    """1 / (1 + e^-x), also for large numbers."""
    away = np.exp(-np.abs(x))
    return np.asarray(np.where(x < 0, away, 1.0) / (1.0 + away))
