"""Plans for families of one parameter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.errors import PlanError
from privior.mechanisms import (
    FamilyMechanism,
    NoisyStatistics,
    ParameterForecast,
    parameter_forecast,
)
from privior.models import Family, Summand
from privior.plans.plan import Plan
from privior.privacy import Budget

#: sums reach no farther than this, in every engine
_MOST = 2**62


@dataclass(frozen=True, repr=False)
class FamilyPlan(Plan):
    """The sum of a family's statistic, with a prior of its parameter."""

    model: Family
    mechanism: FamilyMechanism

    def _check(self) -> None:
        ranges = tuple(one.bounds(self.schema) for one in self.summands)
        farthest = max(abs(end) for pair in ranges for end in pair)
        if self.records * farthest >= _MOST:
            raise PlanError(
                "the sum of so many records might not be exact in every engine",
                where=self.model.column,
                asked=f"{self.records} records of up to {farthest} units",
                allowed=f"{_MOST // farthest - 1} records",
                advice="Give the column a coarser grid.",
            )
        self.model.sensitivity(self.schema, self.neighbours)
        if not self.mechanism.fits(self.model, self.schema, self.neighbours, self.records):
            raise PlanError(
                "the mechanism is for another model, schema or number of records", where=self.mechanism.name
            )

    @property
    def by(self) -> tuple[str, ...]:
        """The group's column, if there is one."""
        return () if self.group is None else (self.group.column,)

    @property
    def summands(self) -> tuple[Summand, ...]:
        """The statistic; where the number of records is private, they are counted too."""
        return self.model.summands(self.schema, self.neighbours)

    def statistics(self, sums: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sums, those of the group if there is one."""
        row: NDArray[np.int64] = sums[0 if self.group is None else self.group.place(self.schema)]
        return row

    @cached_property
    def forecast(self) -> ParameterForecast:
        """How far from the parameter the release will typically be."""
        return self._ahead(self.mechanism)

    @cached_property
    def without_release(self) -> ParameterForecast:
        """How far from it publishing the prior alone would be."""
        return parameter_forecast(self.model, self.schema, 0, None)

    @cached_property
    def without_noise(self) -> ParameterForecast:
        """How far from it publishing the true statistic would be."""
        return self._ahead(None)

    def _ahead(self, mechanism: FamilyMechanism | None) -> ParameterForecast:
        return parameter_forecast(self.model, self.schema, self.records, mechanism)

    def at(self, epsilon: object) -> FamilyPlan:
        """Return the plan of the same release with another epsilon."""
        budget = Budget.of(epsilon, self.cost.delta)
        return FamilyPlan(
            self.schema,
            self.model,
            self.mechanism.at(budget),
            self.neighbours,
            self.records,
            expect=self.expect,
            group=self.group,
        )

    @property
    def model_in_words(self) -> str:
        """The model and its parameter."""
        return f"{self.model}: its {self.model.parameter}"

    @property
    def drowned(self) -> str:
        """Compare what the records know with what the prior knows."""
        if self.without_noise.error <= 0.7 * self.without_release.error:
            return ""
        return (
            f"The prior knows more than {self.records} records can tell, with or without noise: answers will "
            "mostly repeat it. Take a wider prior, if that is what you believe."
        )

    @property
    def first_question(self) -> str:
        """The parameter."""
        return f"parameter('{self.model.column}')"

    @property
    def remedy(self) -> str:
        """Narrower bounds."""
        return "narrower bounds of the column, a wider prior or more epsilon"

    @property
    def error_in_words(self) -> str:
        """Against the parameter."""
        return "error"

    @property
    def width_in_words(self) -> str:
        """Of the parameter."""
        return f"90% intervals of the {self.model.parameter}"

    def further_facts(self) -> list[tuple[str, str]]:
        """Say between which values records are taken to lie."""
        low, high = self.model.bounds(self.schema)
        noise = (
            f"one record moves the sums by up to {', '.join(map(str, self.mechanism.moves))} units"
            if isinstance(self.mechanism, NoisyStatistics)
            else f"every record has the weight {float(self.mechanism.weight):.4g} in the posterior drawn from"
        )
        return [("statistic", f"each record adds {float(low):.6g} to {float(high):.6g}; {noise}")]
