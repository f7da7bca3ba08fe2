"""A candidate: one way to carry out a release, as the planner saw it."""

from __future__ import annotations

from dataclasses import dataclass

from privior.errors import PlanError
from privior.forecasting import Ahead
from privior.privacy import Budget


@dataclass(frozen=True)
class Candidate:
    """One mechanism as the planner saw it: its forecast, or why it does not fit and what to do about it."""

    name: str
    about: str
    forecast: Ahead | None
    cost: Budget | None
    unfit: str | None = None
    advice: str | None = None

    def refusal(self, where: str) -> PlanError:
        """Return what to tell somebody who asked for a mechanism that does not fit."""
        return PlanError(f"does not fit: {self.unfit}", where=where, advice=self.advice)
