"""Numbers: what parameters of a model say about its records, for many parameters at once."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError, shown
from privior.posterior.events import Event, Events, quoted
from privior.schema import Schema

#: a question in words, and the answer as a function of parameters, one a row
Named = tuple[str, Callable[[Floats], Floats]]


@dataclass(frozen=True)
class Numbers(ABC):
    """What follows from parameters of a model.

    Attributes:
        model: the model
        schema: the public facts of its columns
    """

    model: Any
    schema: Schema

    @cached_property
    def events(self) -> Events:
        """The events of the model's columns."""
        return Events(self.schema, self.model.columns)

    @property
    def width(self) -> int:
        """How many numbers a draw of the parameters has."""
        return 1

    @property
    def parameters(self) -> tuple[str, ...]:
        """What the parameters are called, where there are several; one is asked for by its column."""
        return ()

    @property
    def parameter_ends(self) -> tuple[float, float]:
        """Between what any parameter lies, whatever the data."""
        return -math.inf, math.inf

    @abstractmethod
    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability of an event, given another one."""

    @abstractmethod
    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of a column, given an event."""

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return the least value of a column that at least this share of records does not exceed."""
        raise InferenceError("this model tells no quantiles", asked=shown(column))

    def at_most(self, column: str, code: int) -> Callable[[Floats], Floats]:
        """Return the probability that a record's value in a column has this code, or a lower one."""
        raise InferenceError("this model tells no probabilities of a column's values in order", asked=column)

    def parameter(self, name: str) -> Named:
        """Return one of the parameters by its name, or by its column where there is one alone."""
        raise InferenceError("no such parameter", asked=shown(name))

    @abstractmethod
    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Draw so many records given one draw of the parameters, column by column."""

    @abstractmethod
    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return draws of the parameters as ArviZ takes them: `posterior`, and perhaps `coords`, `dims`."""


def quantile_of(chances: Floats, values: Floats, share: float) -> Floats:
    """Return the least value that at least this share does not exceed, for each row of chances."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(chances[:, order], axis=1)
    reached = below >= share * below[:, -1:] * (1 - 1e-12)
    return np.where(np.isfinite(below[:, -1]), values[order][reached.argmax(axis=1)], np.nan)


def quantile_name(column: str, share: float, condition: str = "") -> str:
    """Write the question for a quantile, after which stands what is conditioned on."""
    if share == 0.5:
        return f"median({quoted(column)}{condition})"
    return f"quantile({quoted(column)}, {100 * share:.10g}%{condition})"
