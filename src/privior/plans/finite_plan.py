"""Plans for finite families: noise on their table of counts, or draws of a model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from privior.errors import PlanError
from privior.mechanisms import FiniteMechanism, ModelDraws, ModelForecast, PublicFacts, model_forecast
from privior.models import FiniteFamily
from privior.plans.counts_plan import CountsPlan
from privior.privacy import Budget


@dataclass(frozen=True, repr=False)
class FinitePlan(CountsPlan):
    """Counts of the cells of a table, with a prior of the models of it."""

    model: FiniteFamily
    mechanism: FiniteMechanism

    def _check(self) -> None:
        self.model.size(self.schema)
        self._check_unit()
        if isinstance(self.mechanism, ModelDraws):
            if not self.mechanism.fits(self.model, self.records):
                raise PlanError(
                    "the mechanism is for another family or number of records", where=self.mechanism.name
                )
            return
        self._check_cells()
        if self.mechanism.cell_noise is None:
            raise PlanError(
                "not a mechanism for a finite family: its law is no noise on the cells",
                where=self.mechanism.name,
            )
        if self.mechanism.records not in (None, self.records):
            raise PlanError("the mechanism is for another number of records", where=self.mechanism.name)

    @cached_property
    def forecast(self) -> ModelForecast:
        """How much will be left open of the model."""
        return model_forecast(self.model, self.records, self.mechanism)

    @cached_property
    def without_release(self) -> ModelForecast:
        """How much the prior alone leaves open."""
        return model_forecast(self.model, 0, None)

    @cached_property
    def without_noise(self) -> ModelForecast:
        """How much the true counts would leave open."""
        return model_forecast(self.model, self.records, None)

    def at(self, epsilon: object) -> FinitePlan:
        """Return the plan of the same release with another epsilon."""
        budget = Budget.of(epsilon, self.cost.delta)
        mechanism: FiniteMechanism
        if isinstance(self.mechanism, ModelDraws):
            mechanism = self.mechanism.at(budget)
        else:
            facts = PublicFacts(
                self.mechanism.levels, self.records, self.schema.unit.max_rows, self.neighbours, budget
            )
            mechanism = self.mechanism.for_facts(facts)
        return FinitePlan(
            self.schema,
            self.model,
            mechanism,
            self.neighbours,
            self.records,
            expect=self.expect,
            group=self.group,
        )

    @property
    def slow(self) -> bool:
        """Several draws with a delta are composed, and tables are listed."""
        return isinstance(self.mechanism, ModelDraws)

    @property
    def model_in_words(self) -> str:
        """The models, and the number of cells."""
        names = ", ".join(self.model.names[:8]) + (", ..." if len(self.model.names) > 8 else "")
        return f"{self.model}: {names}; {len(self.model.chances[0])} cells"

    @property
    def drowned(self) -> str:
        """Compare what the records know with what the prior knows."""
        if self.without_noise.error <= 0.7 * self.without_release.error:
            return ""
        return (
            f"{self.records} records hardly tell these models apart, with or without noise: answers will "
            "mostly repeat the prior. Take models that differ more."
        )

    @property
    def first_question(self) -> str:
        """All models."""
        return "models()"

    @property
    def remedy(self) -> str:
        """More records, or more budget."""
        return "models that differ more, fewer cells or more epsilon"

    @property
    def error_in_words(self) -> str:
        """Against the right model."""
        return "wrong models"

    @property
    def width_in_words(self) -> str:
        """Of the cells."""
        cells = len(self.model.chances[0])
        return f"90% intervals of cell probabilities, average over {cells} cells"

    def further_facts(self) -> list[tuple[str, str]]:
        """Say how much a record weighs in a draw."""
        if not isinstance(self.mechanism, ModelDraws):
            return []
        weight = float(self.mechanism.weight)
        return [("draws", f"every record has the weight {weight:.4g} in the posterior drawn from")]
