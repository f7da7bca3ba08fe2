"""What a row of weights says of records: coefficients by their names, and of the target what its kind allows.

A row of parameters is the weights, the intercept first, of features in [-1, 1] (`RowDesign`). Columns that a
question leaves open are taken in the middle of their ranges, levels as the first one: the release tells
nothing of what records are like, and the answer says so.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NoReturn

import numpy as np

from privior.arrays import Integers
from privior.errors import InferenceError, shown
from privior.models import RowDesign
from privior.models.formula_model import RecordsModel
from privior.posterior.events import Event, Events, quoted
from privior.posterior.numbers import Floats, Named
from privior.posterior.regression.target_numbers import TargetNumbers


@dataclass(frozen=True)
class WeightNumbers(TargetNumbers):
    """Numbers that follow from a row of weights."""

    model: RecordsModel
    example: ClassVar[str] = "P(target=level | column=value)"

    @cached_property
    def design(self) -> RowDesign:
        """What the formula makes of records: rows of bounded length."""
        return self.model.design(self.schema)

    @property
    def width(self) -> int:
        """How many weights there are."""
        return self.design.size

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the coefficients."""
        return self.design.names

    @abstractmethod
    def coefficients(self, theta: Floats) -> Floats:
        """Return the coefficients of the columns as they are, one row for each row of weights."""

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
        """Return the predictor of each record, a column each, for each row of weights.

        Args:
            codes: of the columns that explain, of as many records
            theta: weights, one row each
        """
        count = len(next(iter(codes.values())))
        known = [codes.get(name, np.zeros(count, np.int64)) for name in self.model.columns]
        return np.asarray(theta @ self.design.rows(np.column_stack(known)).T)

    @abstractmethod
    def chance(self, predictors: Floats) -> Floats:
        """Return the chance of the target's second level."""

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the chance that the target has one of these levels, given values of other columns."""
        self._check_target(*self.events.columns_of(event))
        of_no, of_yes = Events(self.schema, (self.model.target,)).cells(event)
        predictor = self._predictor(given)

        def found(theta: Floats) -> Floats:
            yes = self.chance(predictor(theta))
            return np.asarray(bool(of_no) * (1 - yes) + bool(of_yes) * yes)

        return f"P({self.events.name(event)}{self._condition(given)})", found

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the share of true of a target that is true or false."""
        self._check_target(column)
        name, function = self.probability({column: self.design.levels[1]}, given)
        return name.replace("P(", "mean(", 1), function

    def left_open(self, given: Event | object | None) -> str:
        """Say where columns are taken to be that nothing is said of; nothing if there are none."""
        known = self.known(given)
        free = [name for name in self.model.columns[1:] if name not in known]
        said = [
            f"{quoted(name)} = {self.schema.column(name).labels[self._middle(name)]}" for name in free[:6]
        ]
        more = [f"{len(free) - 6} more columns likewise"] if len(free) > 6 else []
        of_numbers = [self._numeric(name) for name in free]
        taken = ["the middle of its range"] * any(of_numbers) + ["the first level"] * (not all(of_numbers))
        left = f" ({' or '.join(taken)}, not the average of all records)" if free else ""
        return " and ".join([*said, *more]) + left

    def _numeric(self, name: str) -> bool:
        column = self.schema.column(name)
        return hasattr(column, "lower") and hasattr(column, "upper")

    def _middle(self, name: str) -> int:
        return (self.schema.column(name).size - 1) // 2 if self._numeric(name) else 0

    def _predictor(self, given: Event | object | None) -> Callable[[Floats], Floats]:
        known = self.known(given)
        codes = {name: np.array([known.get(name, self._middle(name))]) for name in self.model.columns[1:]}
        return lambda theta: self.predictors(codes, theta)[:, 0]

    # Records

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> NoReturn:
        """Refuse: nothing is known of the columns that explain."""
        raise InferenceError(
            "a regression tells how its target depends on other columns, not what these are like",
            asked="sample",
            advice="Ask predict_proba(frame) for rows of your own.",
        )

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return coefficients by their names."""
        return {"posterior": {name: self.parameter(name)[1](theta)[None] for name in self.parameters}}
