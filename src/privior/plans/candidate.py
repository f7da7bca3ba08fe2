"""A candidate: one way to carry out a release, as the planner saw it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from privior.errors import PlanError
from privior.forecasting import Forecast
from privior.privacy import Budget


@dataclass(frozen=True)
class Candidate:
    """One mechanism as the planner saw it: its forecast, or why it does not fit and what to do about it.

    Attributes:
        name, about: of the mechanism
        ahead: makes the forecast, which takes longest of all: when somebody wants to see it
        cost: what it would spend
        unfit, advice: why it does not fit, and what to do about it
    """

    name: str
    about: str
    ahead: Callable[[], Forecast] | None
    cost: Budget | None
    unfit: str | None = None
    advice: str | None = None

    @cached_property
    def forecast(self) -> Forecast | None:
        """What can be expected of it; None if it does not fit."""
        return None if self.ahead is None else self.ahead()

    def refusal(self, where: str) -> PlanError:
        """Return what to tell somebody who asked for a mechanism that does not fit."""
        return PlanError(f"does not fit: {self.unfit}", where=where, advice=self.advice)
