"""The contract of forecasts: what can be expected of a release, from public facts alone.

One `Forecaster` for each kind of model, found by registration. Forecasts decide which mechanism is taken and
what people are told; no guarantee rests on them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from privior.errors import PlanError
from privior.forecasting.effort import Effort
from privior.forecasting.expect import Expect
from privior.mechanisms import Mechanism
from privior.models import Model
from privior.privacy import Neighbours
from privior.registry import ByClass
from privior.schema import Schema


class Forecast(Protocol):
    """What a forecast says, of a table or of a parameter."""

    @property
    def width(self) -> float:
        """The expected width of 90% intervals."""

    @property
    def error(self) -> float:
        """The distance by which mechanisms are compared."""

    @property
    def measures(self) -> dict[str, float]:
        """The distances by the names that people read."""

    def to_document(self) -> Mapping[str, object]:
        """Write the distances as plain values."""


@dataclass(frozen=True)
class Forecaster(ABC):
    """Forecasts for one model.

    Attributes:
        model: with the prior that whoever reads the release is taken to infer with
        schema: the public facts about the table
        expect: what the truth is expected to look like
    """

    model: Any
    schema: Schema
    expect: Expect

    @abstractmethod
    def ahead(self, records: int, mechanism: Mechanism | None) -> Forecast:
        """Forecast a release; without a mechanism one of the true statistics."""

    @abstractmethod
    def nothing(self, records: int) -> Forecast:
        """Forecast publishing the prior alone."""

    def typical_records(self, records: int, neighbours: Neighbours) -> int:
        """Return for how many records forecasts are, given the declared number: for all of them."""
        return records

    def effort(self, records: int, mechanism: Mechanism) -> Effort | None:
        """Return what inference will take, where that may be much."""
        return None

    def facts(self, records: int, mechanism: Mechanism) -> list[tuple[str, str]]:
        """Say what else can be expected, as named facts."""
        return []

    def cautions(self, records: int, mechanism: Mechanism) -> tuple[str, ...]:
        """Say what to mind before one spends, where that is more than a forecast error."""
        return ()

    def wasted(self, records: int, mechanism: Mechanism) -> str | None:
        """Say why a release would tell nothing and is refused; None where it would tell something."""
        return None


FORECASTERS: ByClass[type[Forecaster]] = ByClass("forecast", PlanError, "privior.forecasting")


def forecaster(model: Model, schema: Schema, expect: Expect = Expect.TYPICAL) -> Forecaster:
    """Return the forecaster of a model."""
    return FORECASTERS.of(type(model))(model, schema, expect)
