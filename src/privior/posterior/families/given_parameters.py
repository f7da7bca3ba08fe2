"""Draws of a family's parameter taken as they are: released ones, or a single point such as a mode."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.models import Family
from privior.posterior.events import Event, Events, quoted
from privior.posterior.families.parameter_posterior import chance, check_free
from privior.posterior.quantity import Quantity, check_number
from privior.release import Release

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class GivenParameters:
    """The law that gives each of some parameters the same chance.

    Attributes:
        releases: what they follow from
        model: the family
        theta: the parameters
    """

    releases: tuple[Release, ...]
    model: Family
    theta: Floats

    @property
    def parameter(self) -> Quantity:
        """The parameter itself."""
        name = f"{self.model.parameter} of {quoted(self.model.column)}"
        return Quantity(name, float(self.theta.mean()), self.theta)

    def probability(self, event: Event | object, given: Event | object | None = None) -> Quantity:
        """Return the probability of an event for each."""
        check_free(given)
        schema = self.releases[0].plan.schema
        events = Events(schema, self.model.columns)
        values = chance(self.model, schema, events.cells(event), self.theta)
        return Quantity(f"P({events.name(event)})", float(values.mean()), values)

    def average(self, column: str, given: Event | object | None = None) -> Quantity:
        """Return the mean of the column for each."""
        check_free(given)
        Events(self.releases[0].plan.schema, self.model.columns).place(column)
        values = self.model.mean_of(self.theta)
        return Quantity(f"mean({quoted(column)})", float(values.mean()), values)

    def draws(self, n: int, seed: int | None = None) -> Floats:
        """Return n of them: all in turn, from the first one again after the last."""
        return self.theta[np.arange(check_number(n, "n")) % len(self.theta)]
