"""Draws from the posterior of a family's parameters, exactly rounded: the posterior is the noise."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, final

from privior.arrays import Floats, Integers
from privior.checks import fill, is_whole, told_by
from privior.errors import ModelError, PlanError, shown
from privior.exact import decimal, round_down
from privior.mechanisms.contract import Asked, offered_for
from privior.mechanisms.families.summed_mechanism import SummedMechanism, summed_model
from privior.mechanisms.families.weighting import weight_for
from privior.models import ExactStatistics, Layout, Model, Observed, SummedModel
from privior.models.families.drawing import Drawing
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.randomness import EXACTLY_ROUNDED, MOST_PLACES, Bits
from privior.schema import Schema

#: binary digits of a draw, relative to the prior's own scale
_DIGITS = 40


@final
@offered_for(SummedModel)
@dataclass(frozen=True)
class PosteriorDraws(SummedMechanism):
    """N draws from the posterior of the parameter, in which every record has the same weight.

    theta_1, ..., theta_N ~ prior(theta) * exp(weight * (h(theta) T - n A(theta))), rounded exactly to a
    public grid. A weight of 1 is the posterior itself; a smaller one is more diffuse and more private. The
    number of records is public. What dominates the draws is the family's (`Family.draw_pair`).

    Attributes:
        model: the family with its prior
        schema: the public facts of its column
        records: n
        draws: N
        weight: of each record, at most 1
        places: binary places of the grid
    """

    model: SummedModel
    schema: Schema
    records: int
    epsilon: Fraction
    delta: Fraction
    draws: int
    weight: Fraction
    places: int
    name: ClassVar[str] = "posterior-draws"
    about: ClassVar[str] = "exactly rounded draws from the posterior"
    randomness: ClassVar[str] = EXACTLY_ROUNDED
    neighbours: ClassVar[Neighbours] = REPLACE_ONE
    options: ClassVar[Mapping[str, object]] = {"draws": 1}
    draws_posterior: ClassVar[bool] = True
    largest: ClassVar[int] = 2**1024

    def __init__(
        self,
        model: SummedModel,
        schema: Schema,
        records: int,
        epsilon: object,
        delta: object = 0,
        *,
        draws: int = 1,
        weight: object = None,
        places: int | None = None,
    ) -> None:
        with told_by(PlanError, self.name, ModelError):
            model.check_unit(schema)
        budget = Budget.of(epsilon, delta)
        if not is_whole(draws, 1, 10**6):
            raise self.refusal("not a number of draws", asked=shown(draws))
        fill(self, model=model, schema=schema, records=records, epsilon=budget.epsilon, delta=budget.delta)
        fill(self, draws=draws, places=_places(model, schema) if places is None else places)
        if not is_whole(self.places, -MOST_PLACES, MOST_PLACES):
            raise self.refusal("not a number of places", asked=shown(places))
        if self.delta == 0 and self._pair_at(Fraction(1, 2)).pure is None:
            raise self.refusal(
                "needs delta > 0, or a prior that is cut at both ends: the loss of a draw is unbounded",
                advice="Ask for a delta, or take pv.Truncated(prior, lower, upper).",
            )
        fill(self, weight=weight_for(weight, self._enough, budget, self.name))
        self._check_draws()

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """All numbers of all draws, one draw after the other."""
        return (Layout("points", (self.draws * self._drawing.numbers,), self.places),)

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves the family's sums."""
        return self.model.sensitivity(self.schema, REPLACE_ONE)

    def _pair_at(self, weight: Fraction) -> DominatingPair:
        with told_by(PlanError, self.name, ModelError):
            return self.model.draw_pair(self.schema, self.records, weight, self.draws)

    def _check_draws(self) -> None:
        with told_by(PlanError, self.name, ModelError):
            self.model.check_draws(self.schema, self.weight * self.records)

    def _enough(self, weight: Fraction) -> bool:
        pair = self._pair_at(weight)
        if pair.pure is not None and pair.pure <= self.epsilon:
            return True
        return self.delta > 0 and Fraction(pair.delta(round_down(self.epsilon))) <= self.delta

    @cached_property
    def _pair(self) -> DominatingPair:
        return self._pair_at(self.weight)

    @property
    def guarantee(self) -> Guarantee:
        """The (epsilon, delta) asked for, and the whole curve; pure if the pair is."""
        pure = self._pair.pure is not None and self._pair.pure <= self.epsilon
        times = "" if self.draws == 1 else f", {self.draws} draws composed"
        kind = "largest loss" if pure else "dominating pair"
        reason = (
            f"{kind} of a draw from the posterior of {self.model} at weight {decimal(self.weight)}{times} "
            "(proof: docs/guarantees.md)"
        )
        budget = Budget(self.epsilon, Fraction(0) if pure else self.delta)
        return Guarantee(self._pair, self.neighbours, budget, reason)

    @cached_property
    def _drawing(self) -> Drawing:
        return self.model.drawing(self.schema, self.records, self.weight)

    def release(self, statistics: ExactStatistics) -> Observed:
        """Update the prior exactly and draw, exactly rounded."""
        sums = [int(one) for one in statistics.counts]
        return Observed(self.layouts, (tuple(self._drawing.drawn(sums, self.places, Bits(), self.draws)),))

    def parameters_drawn(self, observed: Observed) -> Floats:
        """Return the draws as floats: of several parameters one draw a row."""
        return self._drawing.values(self._points(observed))

    def _points(self, observed: Observed) -> Floats:
        return observed.values().reshape(self.draws, -1)

    def log_likelihoods(self, observed: Observed, sums: Integers) -> Floats:
        """Return the log density of the draws for each column of possible sums, up to the same constant."""
        return self._drawing.log_densities(self._points(observed), self.places, sums)

    def check(self, asked: Asked) -> None:
        """Refuse another model, schema, neighbour relation or number of records."""
        own = (self.model, self.schema, self.neighbours, self.records)
        if own != (asked.model, asked.schema, asked.neighbours, asked.records):
            raise self.refusal("the mechanism is for another model, schema or number of records")

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Build it for a public number of records."""
        if asked.neighbours is not REPLACE_ONE:
            raise cls.refusal("needs a public number of records: replace-one")
        budget = asked.budget
        model = summed_model(asked.model)
        return cls(model, asked.schema, asked.records, budget.epsilon, budget.delta, **asked.options)

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read it beside its model and schema."""
        return cls(summed_model(model), schema, **entries)

    @property
    def draw_weight(self) -> Fraction:
        """The weight of a record in the posterior drawn from."""
        return self.weight

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say between which values records are taken to lie, and how much one weighs."""
        noise = f"every record has the weight {float(self.weight):.4g} in the posterior drawn from"
        return [("statistic", f"{summed_model(model).statistic_in_words(schema)}; {noise}")]

    def admits(self, observed: Observed, records: int) -> bool:
        """Draws lie in the support, but for rounding."""
        return self._drawing.admits(observed.counts, Fraction(2) ** -self.places)


def _places(model: SummedModel, schema: Schema) -> int:
    """Choose the grid from public facts alone."""
    with told_by(PlanError, PosteriorDraws.name, ModelError):
        return _DIGITS - math.floor(math.log2(max(model.finest(schema), 1e-200)))
