"""Draws of a model from the posterior of a finite family: exact, and pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, final

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.checks import fill, known_as, whole_number
from privior.errors import NumberError, PlanError
from privior.exact import decimal, round_down
from privior.mechanisms.contract import MECHANISMS, Asked, Mechanism
from privior.mechanisms.table_mechanism import check_records, check_unit, true_counts
from privior.mechanisms.weighting import weight_for
from privior.models import ExactStatistics, FiniteFamily, Layout, Model, Observed
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import FiniteDraw, SignedSteps
from privior.randomness import OPERATING_SYSTEM, Bits, draw_models
from privior.schema import Schema

#: draws of all models together, which take a second or a few
MOST_DRAWS = 10_000


@final
@MECHANISMS.register
@dataclass(frozen=True)
class ModelDraws(Mechanism):
    """N independent draws of a model, in whose posterior every record has the same weight.

    M_1, ..., M_N ~ prior(m) * prod_i p_mi^(weight * c_i). What is released is how often each model was drawn.
    Proof (privior.privacy.pairs.finite_draw): the loss of one draw never exceeds the range of the log
    likelihood ratio of two records over the models, nor, at a public number of records, the largest loss over
    all tables, which is computed where they can be listed. N draws of one table: N times that, pure; or, with
    a delta, the composition of N bounded ranges. The weight is the largest that keeps the promise, at most 1.
    A model that excludes a level could be excluded by one record: the loss is unbounded, so there are none.

    Attributes:
        model: the family
        records: n, exact under replace-one, the largest possible one otherwise
        draws: N
        weight: of each record
    """

    model: FiniteFamily
    records: int
    epsilon: Fraction
    delta: Fraction
    draws: int
    weight: Fraction
    neighbours: Neighbours
    max_rows: int
    name: ClassVar[str] = "model-draws"
    about: ClassVar[str] = "exact draws of a model from the posterior"
    randomness: ClassVar[str] = OPERATING_SYSTEM
    models: ClassVar[tuple[type[Model], ...]] = (FiniteFamily,)
    stands_for: ClassVar[str] = "posterior-draws"
    options: ClassVar[Mapping[str, object]] = {"draws": 1}
    draws_posterior: ClassVar[bool] = True
    #: several draws with a delta are composed, and tables are listed
    slow: ClassVar[bool] = True

    def __init__(
        self,
        model: FiniteFamily,
        records: int,
        epsilon: object,
        delta: object = 0,
        *,
        draws: int = 1,
        weight: object = None,
        neighbours: Neighbours | str = REPLACE_ONE,
        max_rows: int = 1,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        no_number = "not a number of draws"
        whole_number(draws, "draws", 1, MOST_DRAWS, what=no_number, where=self.name, error=PlanError)
        relation, records = Neighbours.of(neighbours), check_records(records, self.name)
        Sensitivity.of_counts(relation, max_rows)  # refuses what is no number of rows
        fill(self, model=model, records=records, epsilon=budget.epsilon, delta=budget.delta)
        fill(self, draws=draws, neighbours=relation, max_rows=max_rows)
        if not model.bounded:
            raise self.refusal(
                "a model excludes a level, so one record could exclude the model: the loss is unbounded",
                advice="Release noisy counts instead, or give every level a small chance in every model.",
            )
        fill(self, weight=weight_for(weight, self._enough, budget, self.name))

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """How often each model was drawn."""
        return (Layout("counts", (len(self.model.names),)),)

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves the table of counts."""
        return Sensitivity.of_counts(self.neighbours, self.max_rows)

    @cached_property
    def _one(self) -> FiniteDraw:
        try:
            return FiniteDraw(
                self.model.chances, self.model.prior, self.neighbours, self.records, self.max_rows
            )
        except NumberError as error:
            raise self.refusal(error.what, asked=error.asked) from None

    def _pure_at(self, weight: Fraction) -> bool:
        """Whether N draws are pure at this epsilon; the bound that needs no tables is tried first."""
        if self.draws * self._one.oscillation(weight) <= self.epsilon:
            return True
        return self._one.listable and self.draws * self._one.listed(weight) <= self.epsilon

    def _composed(self, weight: Fraction) -> DominatingPair:
        return compose_symmetric([(self._one.bounded_range(weight), self.draws)])

    def _enough(self, weight: Fraction) -> bool:
        if self._pure_at(weight):
            return True
        if self.delta == 0:
            return False
        return Fraction(self._composed(weight).delta(round_down(self.epsilon))) <= self.delta

    @cached_property
    def _pair(self) -> tuple[DominatingPair, bool]:
        """The pair, and whether it is pure at the epsilon that was asked for."""
        if self._pure_at(self.weight):
            return SignedSteps(self._one.pure(self.weight), self.draws), True
        return self._composed(self.weight), False

    @property
    def guarantee(self) -> Guarantee:
        """The epsilon asked for, pure if the losses of all draws add up to no more."""
        pair, pure = self._pair
        times = "" if self.draws == 1 else f", {self.draws} draws composed"
        how = "range of the log likelihood ratio"
        if pure and self._one.listable:
            how = "largest loss over all tables"
        unit = Sensitivity.unit(self.max_rows)
        reason = (
            f"{how} of a draw of a model at weight {decimal(self.weight)}{times} (proof: docs/guarantees.md)"
        )
        budget = Budget(self.epsilon, Fraction(0) if pure else self.delta)
        return Guarantee(pair, self.neighbours, budget, reason, unit)

    @property
    def draw_weight(self) -> Fraction:
        """The weight of one record in the law that draws come from; 1 is the posterior itself."""
        return self.weight

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw, with the exact powers of the exact chances, and count."""
        counts = true_counts(statistics, len(self.model.chances[0]))
        powers = [self.weight * int(count) for count in counts]
        drawn = draw_models(self.model.prior, self.model.chances, powers, self.draws, Bits())
        return Observed.of([drawn.count(index) for index in range(len(self.model.names))])

    def log_laws(self, tables: NDArray[np.generic]) -> Floats:
        """Return the log probability of drawing each model, for each row of possible counts."""
        logs = self.model.log_prior() + float(self.weight) * (
            np.asarray(tables, dtype=np.float64) @ self.model.log_chances().T
        )
        most = logs.max(axis=1, keepdims=True)
        return np.asarray(logs - most - np.log(np.exp(logs - most).sum(axis=1, keepdims=True)))

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return the log probability of these numbers of draws if these are the true counts."""
        if not self.admits(observed, self.records):
            return -math.inf
        drawn = np.array(observed.counts, dtype=np.float64)
        ways = math.lgamma(self.draws + 1) - sum(math.lgamma(one + 1) for one in observed.counts)
        return float(self.log_laws(statistics.counts[np.newaxis])[0] @ drawn) + ways

    def admits(self, observed: Observed, records: int) -> bool:
        """So many draws, none of a model less than never."""
        drawn = observed.counts
        return min(drawn) >= 0 and sum(drawn) == self.draws

    def parameters_drawn(self, observed: Observed) -> Floats:
        """Return the cell chances of the models that were drawn, in the order of the models."""
        return np.repeat(np.exp(self.model.log_chances()), observed.counts, axis=0)

    def check(self, asked: Asked) -> None:
        """Refuse another family, unit or number of records."""
        check_unit(self, asked)
        if (asked.model, asked.records) != (self.model, self.records):
            raise self.refusal("the mechanism is for another family or number of records")

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say how much a record weighs."""
        weight = float(self.weight)
        return [("draws", f"every record has the weight {weight:.4g} in the posterior drawn from")]

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Build it for the family and the unit that are asked about."""
        given = known_as(FiniteFamily, asked.model), asked.records, asked.budget.epsilon, asked.budget.delta
        rows = asked.schema.unit.max_rows
        return cls(*given, neighbours=asked.neighbours, max_rows=rows, **asked.options)

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read it beside its model."""
        return cls(known_as(FiniteFamily, model), **entries)
