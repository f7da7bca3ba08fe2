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
from privior.exact import decimal, rational, round_down
from privior.mechanisms.contract import Asked, Mechanism, offered_for
from privior.mechanisms.families.weighting import weight_for
from privior.mechanisms.tables.table_mechanism import check_records, check_unit, true_counts
from privior.models import ExactStatistics, FiniteFamily, Layout, Model, Observed
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BoundedRangePair, FiniteDraw, SignedSteps
from privior.privacy.pairs.balls import ball, upper
from privior.randomness import OPERATING_SYSTEM, Bits, draw_models, draw_scored
from privior.schema import Schema

#: draws of all models together, which take a second or a few
MOST_DRAWS = 10_000
#: a record that weighs more than this decides alone
MOST_WEIGHT = Fraction(10**6)


@final
@offered_for(FiniteFamily)
@dataclass(frozen=True)
class ModelDraws(Mechanism):
    """N independent draws of a model, in whose posterior every record has the same weight.

    M_1, ..., M_N ~ prior(m) * prod_i p_mi^(weight * c_i). What is released is how often each model was drawn.
    Proof (privior.privacy.pairs.finite_draw): the loss of one draw never exceeds the range of the log
    likelihood ratio of two records over the models, nor, at a public number of records, the largest loss over
    all tables, which is computed where they can be listed. N draws of one table: N times that, pure; or, with
    a delta, the composition of N bounded ranges. The weight is the largest that keeps the promise, at most 1.
    A model that excludes a level could be excluded by one record: the loss is unbounded, so there are none.

    A private MAP estimate is such a draw (`pv.PrivateMAP`), in two forms; in both the base measure is the
    family's prior, as in footnote 4 of Zhang, Rubinstein and Dimitrakakis (2016), here on finitely many
    models, so that everything is summable. `point`: the weight may be above 1, so that the most likely model
    is drawn the more often the larger epsilon is: epsilon / (range of the log likelihood ratio), pure by the
    same proof, without the factor 2 of the exponential mechanism. `published`: Algorithm 3 of that paper,
    M ~ prior(m) exp(epsilon P(m | c) / (2 N D)), the score being the posterior probability of m. Neighbours'
    posteriors differ by D = tanh(eta / 4) at most, eta the range at weight 1, for BoundedRangePair(eta) is
    how far apart they are; so the score of no model moves by more, and the loss has a range of epsilon / N
    (McSherry, Talwar 2007).

    Attributes:
        model: the family
        records: n, exact under replace-one, the largest possible one otherwise
        draws: N
        weight: of each record
        point: whether it may be above 1
        published: whether the score is the posterior probability
    """

    model: FiniteFamily
    records: int
    epsilon: Fraction
    delta: Fraction
    draws: int
    weight: Fraction
    neighbours: Neighbours
    max_rows: int
    point: bool
    published: bool
    name: ClassVar[str] = "model-draws"
    about: ClassVar[str] = "exact draws of a model from the posterior"
    randomness: ClassVar[str] = OPERATING_SYSTEM
    stands_for: ClassVar[str] = "posterior-draws"
    options: ClassVar[Mapping[str, object]] = {"draws": 1, "point": False, "published": False}
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
        point: bool = False,
        published: bool = False,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        if not isinstance(point, bool) or not isinstance(published, bool) or (point and published):
            raise self.refusal("a point is drawn by its likelihood or as published, not both")
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
        fill(self, point=point, published=published)
        if published:
            fill(self, delta=Fraction(0), weight=rational(1 if weight is None else weight, "weight"))
            if self.weight != 1:
                raise self.refusal(
                    "the published score is about the posterior itself", asked=decimal(self.weight)
                )
            return
        most = MOST_WEIGHT if point else Fraction(1)
        fill(self, weight=weight_for(weight, self._enough, budget, self.name, most))

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
        if self.published:
            return compose_symmetric([(BoundedRangePair(self.epsilon / self.draws), self.draws)]), True
        if self._pure_at(self.weight):
            return SignedSteps(self._one.pure(self.weight), self.draws), True
        return self._composed(self.weight), False

    @property
    def guarantee(self) -> Guarantee:
        """The epsilon asked for, pure if the losses of all draws add up to no more."""
        pair, pure = self._pair
        if self.published:
            moved = f"posterior probabilities, which move by at most tanh(eta/4) = {float(self.moved):.6g}"
            reason = f"exponential mechanism with the factor 2 on {moved} (McSherry, Talwar 2007)"
            unit = Sensitivity.unit(self.max_rows)
            return Guarantee(pair, self.neighbours, Budget(self.epsilon), reason, unit)
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

    @cached_property
    def moved(self) -> Fraction:
        """How far one unit moves the posterior probability of any model: tanh(eta / 4), rounded up."""
        eta = self._one.oscillation(Fraction(1))
        return min(Fraction(1), Fraction(upper(lambda: (ball(eta) / 4).tanh())))

    @property
    def strength(self) -> Fraction:
        """What the published score is multiplied by: epsilon / (2 N D), rounded down."""
        return Fraction(round_down(self.epsilon / (2 * self.draws * self.moved)))

    @property
    def draw_weight(self) -> Fraction:
        """The weight of one record in the law that draws come from; 1 is the posterior itself."""
        return self.weight

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw, with the exact powers of the exact chances, and count."""
        counts = true_counts(statistics, len(self.model.chances[0]))
        powers = [self.weight * int(count) for count in counts]
        if self.published:
            scored = self.model.prior, self.model.chances, powers, self.strength
            drawn = draw_scored(*scored, self.draws, Bits())
        else:
            drawn = draw_models(self.model.prior, self.model.chances, powers, self.draws, Bits())
        return Observed.of([drawn.count(index) for index in range(len(self.model.names))])

    def log_laws(self, tables: NDArray[np.generic]) -> Floats:
        """Return the log probability of drawing each model, for each row of possible counts."""
        logs = self.model.log_prior() + float(self.weight) * (
            np.asarray(tables, dtype=np.float64) @ self.model.log_chances().T
        )
        if self.published:
            logs = self.model.log_prior() + float(self.strength) * np.exp(_normalised(logs))
        return _normalised(logs)

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
        """Say how much a record weighs, or what the score is."""
        if self.published:
            return [("draws", f"models by their posterior probability, times {float(self.strength):.4g}")]
        weight = float(self.weight)
        return [("draws", f"every record has the weight {weight:.4g} in the posterior drawn from")]

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Build it for the family and the unit that are asked about."""
        given = known_as(FiniteFamily, asked.model), asked.records, asked.budget.epsilon, asked.budget.delta
        rows = asked.schema.unit.max_rows
        return cls(*given, neighbours=asked.neighbours, max_rows=rows, **asked.options)

    def to_document(self) -> dict[str, object]:
        """Write a form of MAP only where it is one."""
        return {name: value for name, value in super().to_document().items() if value is not False}

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        return cls(known_as(FiniteFamily, model), **entries)


def _normalised(logs: Floats) -> Floats:
    most = logs.max(axis=1, keepdims=True)
    return np.asarray(logs - most - np.log(np.exp(logs - most).sum(axis=1, keepdims=True)))
