"""Plans for families: of one parameter, and of several."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from privior.errors import PlanError
from privior.mechanisms import (
    Expect,
    FamilyMechanism,
    NoisyStatistics,
    ParameterForecast,
    parameter_forecast,
)
from privior.models import Family, JointFamily, Summand, SummedModel
from privior.plans.group import Group
from privior.plans.plan import Candidate, Plan
from privior.privacy import Budget, Neighbours
from privior.schema import Schema

#: sums reach no farther than this, in every engine
_MOST = 2**62


@dataclass(frozen=True, repr=False)
class SummedPlan(Plan):
    """The sums of a family's statistics, with a prior of its parameters."""

    model: SummedModel
    mechanism: FamilyMechanism

    def _check(self) -> None:
        ranges = tuple(one.bounds(self.schema) for one in self.summands)
        farthest = max(abs(end) for pair in ranges for end in pair)
        if self.records * farthest >= _MOST:
            raise PlanError(
                "the sum of so many records might not be exact in every engine",
                where=", ".join(self.model.columns),
                asked=f"{self.records} records of up to {farthest} units",
                allowed=f"{_MOST // farthest - 1} records",
                advice="Give the column a coarser grid.",
            )
        self.model.sensitivity(self.schema, self.neighbours)
        if self.records < self.model.least_records:
            raise PlanError(
                "too few records for this family",
                where=self.model.family,
                asked=self.records,
                allowed=f"{self.model.least_records} or more",
            )
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
        return parameter_forecast(self.inferred, self.schema, 0, None)

    @cached_property
    def without_noise(self) -> ParameterForecast:
        """How far from it publishing the true statistic would be."""
        return self._ahead(None)

    @property
    def inferred(self) -> SummedModel:
        """The model with the prior that forecasts take readers to infer with."""
        return self.model

    def _ahead(self, mechanism: FamilyMechanism | None) -> ParameterForecast:
        return parameter_forecast(self.inferred, self.schema, self.records, mechanism)

    def at(self, epsilon: object) -> Self:
        """Return the plan of the same release with another epsilon."""
        mechanism = self.mechanism.at(Budget.of(epsilon, self.cost.delta))
        return replace(self, mechanism=mechanism, candidates=(), choice="")

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
        return self.model.first_question

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
        noise = (
            f"one record moves the sums by up to {', '.join(map(str, self.mechanism.moves))} units"
            if isinstance(self.mechanism, NoisyStatistics)
            else f"every record has the weight {float(self.mechanism.weight):.4g} in the posterior drawn from"
        )
        return [("statistic", f"{self.model.statistic_in_words(self.schema)}; {noise}")]


@dataclass(frozen=True, repr=False)
class FamilyPlan(SummedPlan):
    """The sum of a family's statistic, with a prior of its one parameter.

    Attributes:
        believed: the model with the prior that is believed, where draws are made with another one; like
            `expect` for forecasts alone
    """

    model: Family
    believed: Family | None = field(default=None, compare=False)

    @property
    def inferred(self) -> Family:
        """That with the prior which is believed."""
        return self.believed or self.model

    @property
    def released(self) -> Self:
        """Without what is believed: whoever reads the release may believe something else."""
        return self if self.believed is None else replace(self, believed=None)

    def further_facts(self) -> list[tuple[str, str]]:
        """Say also whose prior forecasts are about."""
        facts = super().further_facts()
        if self.inferred == self.model:
            return facts
        return [*facts, ("forecasts", f"for data typical of {self.inferred.prior}, and who infers with it")]


@dataclass(frozen=True, repr=False)
class JointPlan(SummedPlan):
    """The sums of a family of several parameters."""

    model: JointFamily

    @property
    def error_in_words(self) -> str:
        """Of all parameters alike."""
        return "error / prior"

    @property
    def width_in_words(self) -> str:
        """Of the parameters, each by its own measure."""
        return f"90% intervals of the {self.model.parameter}, in standard deviations of the prior"


def summed_plan(
    schema: Schema,
    model: SummedModel,
    mechanism: FamilyMechanism,
    neighbours: Neighbours,
    records: int,
    candidates: tuple[Candidate, ...] = (),
    choice: str = "",
    expect: Expect = Expect.TYPICAL,
    group: Group | None = None,
) -> FamilyPlan | JointPlan:
    """Return the plan of a family."""
    rest = (mechanism, neighbours, records, candidates, choice, expect, group)
    if isinstance(model, JointFamily):
        return JointPlan(schema, model, *rest)
    if isinstance(model, Family):
        return FamilyPlan(schema, model, *rest)
    raise TypeError("not a family")
