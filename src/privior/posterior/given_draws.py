"""Draws of cell probabilities taken as they are: released ones, or a single point such as a mode."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError
from privior.posterior.averages import numbers_of
from privior.posterior.events import Event, Events, quoted
from privior.posterior.quantity import Quantity, check_number
from privior.release import Release
from privior.schema import Schema

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GivenDraws:
    """The law that gives each of some tables of cell probabilities the same chance.

    Attributes:
        releases: what the draws follow from
        columns: those of the table, in order
        theta: the draws, as (draws, cells)
    """

    releases: tuple[Release, ...]
    columns: tuple[str, ...]
    theta: Floats

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the probability of an event in each draw."""
        wanted, condition = self._events.cells(event), self._condition(given)
        shares = self._among(condition)[:, wanted].sum(axis=1)
        return self._quantity(f"P({self._events.name(event)}{self._bar(given)})", shares)

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the mean of a column of numbers in each draw."""
        place = self._events.place(column)
        numbers = numbers_of(column, self._schema.column(column))
        shape = tuple(self._schema.column(name).size for name in self.columns)
        values = numbers[np.unravel_index(np.arange(self.theta.shape[1]), shape)[place]]
        return self._quantity(
            f"mean({quoted(column)}{self._bar(given)})", self._among(self._condition(given)) @ values
        )

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n of the draws: all in turn, from the first one again after the last."""
        return self.theta[np.arange(check_number(n, "n", self.theta.shape[1])) % len(self.theta)]

    @cached_property
    def _events(self) -> Events:
        return Events(self._schema, self.columns)

    @property
    def _schema(self) -> Schema:
        return self.releases[0].plan.schema

    def _condition(self, given: Event | object | None) -> NDArray[np.bool_]:
        return np.ones(self.theta.shape[1], dtype=bool) if given is None else self._events.cells(given)

    def _among(self, condition: NDArray[np.bool_]) -> Floats:
        """Return the probabilities of each draw given that a record is in some cells."""
        inside = np.where(condition, self.theta, 0.0)
        whole = inside.sum(axis=1, keepdims=True)
        if not (whole > 0).all():
            raise InferenceError("what is conditioned on has no chance at all in a draw")
        return np.asarray(inside / whole)

    def _bar(self, given: Event | object | None) -> str:
        return "" if given is None else f" | {self._events.name(given)}"

    @staticmethod
    def _quantity(name: str, values: Floats) -> Quantity:
        return Quantity(name, float(values.mean()), values)
