"""Plans for tables of counts."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.errors import PlanError
from privior.mechanisms import (
    DirichletDraw,
    Forecast,
    Mechanism,
    PosteriorRelease,
    PublicFacts,
    forecast,
    prior_alone,
    records_alone,
)
from privior.models import DirichletCategorical
from privior.plans.counts_plan import CountsPlan
from privior.plans.effort import Effort
from privior.privacy import Budget

#: counts whose log likelihood is so far below the largest do not matter, beside the number of cells
_DEPTH = 36.0


@dataclass(frozen=True, repr=False)
class TablePlan(CountsPlan):
    """Counts of the cells of a table, with a Dirichlet prior of their probabilities."""

    model: DirichletCategorical
    mechanism: Mechanism

    def _check(self) -> None:
        self._check_cells()
        self._check_unit()
        if self.mechanism.records not in (None, self.records):
            raise PlanError("the mechanism is for another number of records", where=self.mechanism.name)
        priors = (None, self.model.prior, self.model.exact_parameters(self.schema))
        if self.mechanism.prior not in priors:
            raise PlanError("the mechanism is for another prior", where=self.mechanism.name)
        rows = self.records * self.schema.unit.max_rows
        if self.least * self.mechanism.levels > rows:
            raise PlanError(
                "so many records in every cell are more than there can be",
                where="least",
                asked=f"{self.least} in each of {self.mechanism.levels} cells",
                allowed=f"{rows // self.mechanism.levels} or fewer",
            )

    @property
    def least(self) -> int:
        """How many records every cell has at least, as a declared public fact; 0 if none is used."""
        return self.mechanism.least if isinstance(self.mechanism, PosteriorRelease) else 0

    @property
    def prior(self) -> NDArray[np.float64]:
        """The prior parameter of each cell."""
        return self.model.parameters(self.schema)

    @cached_property
    def forecast(self) -> Forecast:
        """How far from the true table the release will typically be."""
        return forecast(self.mechanism.spectrum, self.prior, self.records, self.expect)

    @cached_property
    def without_release(self) -> Forecast:
        """How far from it publishing the prior alone would be."""
        return prior_alone(self.prior, self.records, self.expect)

    @cached_property
    def without_noise(self) -> Forecast:
        """How far from the probabilities publishing the true counts would be."""
        return records_alone(self.prior, self.records, self.expect)

    def at(self, epsilon: object) -> TablePlan:
        """Return the plan of the same release with another epsilon."""
        budget = Budget.of(epsilon, self.cost.delta)
        facts = PublicFacts(
            self.mechanism.levels,
            self.records,
            self.schema.unit.max_rows,
            self.neighbours,
            budget,
            self.model.prior,
            self.mechanism.draws if isinstance(self.mechanism, DirichletDraw) else 1,
            self.least,
        )
        return TablePlan(
            self.schema,
            self.model,
            self.mechanism.for_facts(facts),
            self.neighbours,
            self.records,
            expect=self.expect,
            group=self.group,
        )

    @property
    def effort(self) -> Effort | None:
        """A sum over all tables, whose cells are as wide as the noise lets them be."""
        noise = self.mechanism.cell_noise
        if noise is None:
            return None
        rows, depth = self.records * self.schema.unit.max_rows, math.log(self.mechanism.levels) + _DEPTH
        rate, bend = float(np.min(noise.rates)), float(np.min(noise.curvatures))
        reach = depth / rate if rate > 0 else math.sqrt(2 * depth / bend) if bend > 0 else math.inf
        return Effort.of(self.mechanism.levels, min(reach, rows) + 1, rows, known=self.total_public)

    @property
    def slow(self) -> bool:
        """Several draws or rows take seconds."""
        mechanism = self.mechanism
        return isinstance(mechanism, DirichletDraw) and (mechanism.draws, mechanism.max_rows) != (1, 1)

    @property
    def model_in_words(self) -> str:
        """The model and its number of cells."""
        return f"{self.model}: {self.mechanism.levels} cells"

    @property
    def drowned(self) -> str:
        """Compare the weight of the prior with the number of rows."""
        weight, rows = float(self.prior.sum()), self.records * self.schema.unit.max_rows
        if weight <= rows:
            return ""
        return (
            f"The prior weighs as much as {weight:.4g} records, more than the {rows} there can be: answers "
            "will mostly repeat the prior. Take fewer cells, or a smaller prior."
        )

    @property
    def first_question(self) -> str:
        """The table."""
        return "counts()"

    @property
    def remedy(self) -> str:
        """Fewer cells."""
        return "fewer cells or more epsilon"

    @property
    def error_in_words(self) -> str:
        """Against the table of the records."""
        return "l2 (noise only)"

    @property
    def width_in_words(self) -> str:
        """Of the cells."""
        return f"90% intervals of cell probabilities, average over {self.mechanism.levels} cells"

    @property
    def least_in_words(self) -> str:
        """What is declared about the smallest count."""
        return (
            f"every cell has at least {self.least} records, which is public; a lower count is raised "
            "to that, so the guarantee holds for every table"
        )

    def further_facts(self) -> list[tuple[str, str]]:
        """Say what is declared about the smallest count."""
        return [("minimum", self.least_in_words)] if self.least else []
