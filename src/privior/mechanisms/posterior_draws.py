"""Draws from the posterior of a family's parameters, exactly rounded: the posterior is the noise."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from privior.errors import ModelError, PlanError, shown
from privior.exact import decimal, round_down
from privior.mechanisms.contract import InEachGroup
from privior.mechanisms.weighting import weight_for
from privior.models import ExactStatistics, Family, JointFamily, Observed, ObservedPoints, SummedModel
from privior.models.families import JointLikelihood, reweighted_draw
from privior.models.laws import Beta, Conjugate, Gamma, Reweighted, Truncated
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.randomness import (
    EXACTLY_ROUNDED,
    MOST_PLACES,
    BetaLaw,
    Bits,
    GammaLaw,
    NormalLaw,
    Piece,
    TruncatedLaw,
    draw_mixture,
)
from privior.schema import Schema

Floats = NDArray[np.float64]

#: binary digits of a draw, relative to the prior's own scale
_DIGITS = 40


@dataclass(frozen=True)
class PosteriorDraws(InEachGroup):
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
        model.check_unit(schema)
        budget = Budget.of(epsilon, delta)
        if isinstance(draws, bool) or not isinstance(draws, int) or not 1 <= draws <= 10**6:
            raise PlanError("not a number of draws", where=self.name, asked=shown(draws))
        facts = {
            "model": model,
            "schema": schema,
            "records": records,
            "epsilon": budget.epsilon,
            "delta": budget.delta,
            "draws": draws,
            "places": self._places(model, schema) if places is None else places,
        }
        for name, value in facts.items():
            object.__setattr__(self, name, value)
        if (
            isinstance(self.places, bool)
            or not isinstance(self.places, int)
            or abs(self.places) > MOST_PLACES
        ):
            raise PlanError("not a number of places", where=self.name, asked=shown(places))
        if self.delta == 0 and self._pair_at(Fraction(1, 2)).pure is None:
            raise PlanError(
                "needs delta > 0, or a prior that is cut at both ends: the loss of a draw is unbounded",
                where=self.name,
                advice="Ask for a delta, or take pv.Truncated(prior, lower, upper).",
            )
        object.__setattr__(self, "weight", weight_for(weight, self._enough, budget, self.name))
        self._check_draws()

    @property
    def levels(self) -> int:
        """How many numbers a draw has."""
        return len(self.model.products) if isinstance(self.model, JointFamily) else 1

    @property
    def sensitivity(self) -> Sensitivity:
        """Of the family's sums."""
        return self.model.sensitivity(self.schema, REPLACE_ONE)

    def _pair_at(self, weight: Fraction) -> DominatingPair:
        try:
            return self.model.draw_pair(self.schema, self.records, weight, self.draws)
        except ModelError as error:
            raise _refused(error) from None

    def _check_draws(self) -> None:
        if not isinstance(self.model, JointFamily):
            return
        try:
            self.model.check_draws(self.schema, self.weight * self.records)
        except ModelError as error:
            raise _refused(error) from None

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

    @property
    def draw_weight(self) -> Fraction:
        """The weight of one record in the law that draws come from; 1 is the posterior itself."""
        return self.weight

    def release(self, statistics: ExactStatistics) -> ObservedPoints:
        """Update the prior exactly and draw, exactly rounded."""
        if isinstance(self.model, JointFamily):
            return self._joint(self.model, statistics)
        model = one_parameter(self.model)
        total = model.total(self.schema, self.records, int(statistics.counts[0]))
        pieces, bits = self._pieces(model, total), Bits()
        points = tuple(draw_mixture(pieces, self.places, bits) for _ in range(self.draws))
        return ObservedPoints(points, self.places)

    def _pieces(self, model: Family, total: Fraction) -> list[Piece]:
        """Return the posterior as a mixture: of one law, or of those on both sides of a pivot."""

        def updated(law: Conjugate) -> BetaLaw | GammaLaw | NormalLaw:
            return _exact(model.update(law, self.weight * self.records, self.weight * total))

        prior, law = model.prior, updated(model.law)
        if not isinstance(prior, Reweighted):
            cut = TruncatedLaw(law, *prior.support) if isinstance(prior, Truncated) else law
            return [Piece(_certain, cut)]
        glued = reweighted_draw(model, self.schema, self.records, self.weight)
        return [
            Piece(partial(side.log_mass, total), TruncatedLaw(updated(piece.law), piece.lower, piece.upper))
            for piece, side in zip(prior.pieces, glued.sides, strict=True)
        ]

    def _joint(self, model: JointFamily, statistics: ExactStatistics) -> ObservedPoints:
        bits, sums = Bits(), [int(one) for one in statistics.counts]
        points = [
            model.drawn(self.schema, self.records, self.weight, sums, self.places, bits)
            for _ in range(self.draws)
        ]
        return ObservedPoints(tuple(one for draw in points for one in draw), self.places)

    def values(self, observed: ObservedPoints) -> Floats:
        """Return the draws as floats: of several parameters one draw a row."""
        if not isinstance(self.model, JointFamily):
            return observed.values()
        points = observed.values().reshape(self.draws, -1)
        return self.model.from_points(self.schema, self.records, self.weight, points)

    def log_likelihoods(self, observed: Observed, sums: NDArray[np.int64]) -> Floats:
        """Return the log density of the draws for each possible sum, up to the same constant."""
        if not isinstance(observed, ObservedPoints):
            raise TypeError("not draws")
        if isinstance(self.model, JointFamily):
            return self._joint_logs(observed, sums)
        model = one_parameter(self.model)
        base, unit = model.grid(self.schema)
        totals = float(base) * self.records + float(unit) * sums[0].astype(np.float64)
        found = np.zeros(totals.shape)
        for theta in self.inside(observed):
            found += model.log_posterior(theta, self.records, totals, float(self.weight))
        return found

    @cached_property
    def _likelihood(self) -> JointLikelihood:
        if not isinstance(self.model, JointFamily):
            raise TypeError("not a family of several parameters")
        return self.model.at(self.schema)

    def _joint_logs(self, observed: ObservedPoints, sums: NDArray[np.int64]) -> Floats:
        likelihood = self._likelihood
        theta = likelihood.clipped(self.values(observed))
        return likelihood.log_posterior(theta, self.records, sums.T * likelihood.units, float(self.weight))

    def inside(self, observed: ObservedPoints) -> Floats:
        """Return the draws, those that were rounded to an end of the support half a unit inside it."""
        low, high = one_parameter(self.model).prior.support
        half = math.ldexp(0.5, -self.places)
        values = observed.values()
        if low is not None:
            values = np.maximum(values, float(low) + half)
        return values if high is None else np.minimum(values, float(high) - half)

    def fits(self, model: SummedModel, schema: Schema, neighbours: Neighbours, records: int) -> bool:
        """Say whether it is for this model and number of records."""
        return (model, schema, neighbours, records) == (self.model, self.schema, REPLACE_ONE, self.records)

    def at(self, budget: Budget) -> PosteriorDraws:
        """Return the same with another budget."""
        return PosteriorDraws(
            self.model,
            self.schema,
            self.records,
            budget.epsilon,
            budget.delta,
            draws=self.draws,
            places=self.places,
        )

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return the log density of the draws if this is the true sum."""
        return float(self.log_likelihoods(observed, statistics.counts[:, np.newaxis])[0])

    def admits(self, observed: Observed, records: int) -> bool:
        """Draws of the right number, on the right grid, in the support but for rounding."""
        if not isinstance(observed, ObservedPoints) or observed.places != self.places:
            return False
        unit = Fraction(2) ** -self.places
        if isinstance(self.model, JointFamily):
            whole = len(observed.counts) == self.draws * self.levels
            return whole and self.model.admits(observed.counts, unit)
        low, high = one_parameter(self.model).prior.support
        inside = all(
            (low is None or low <= (point + 1) * unit) and (high is None or (point - 1) * unit <= high)
            for point in observed.counts
        )
        return inside and len(observed.counts) == self.draws

    def to_document(self) -> dict[str, object]:
        """Write the mechanism as plain values; the model and the schema stand beside it in a plan."""
        return {
            "name": self.name,
            "records": self.records,
            "epsilon": decimal(self.epsilon),
            "delta": decimal(self.delta),
            "draws": self.draws,
            "weight": decimal(self.weight),
            "places": self.places,
        }

    def _places(self, model: SummedModel, schema: Schema) -> int:
        """Choose the grid from public facts alone."""
        if not isinstance(model, JointFamily):
            return _places(one_parameter(model))
        try:
            return _DIGITS - math.floor(math.log2(max(model.finest(schema), 1e-200)))
        except ModelError as error:
            raise _refused(error) from None


def _refused(error: ModelError) -> PlanError:
    return PlanError(
        error.what,
        where=PosteriorDraws.name,
        asked=error.asked,
        allowed=error.allowed,
        advice=error.advice,
    )


def one_parameter(model: SummedModel) -> Family:
    """Return a model that is known to be of one parameter."""
    if not isinstance(model, Family):
        raise TypeError("not a family of one parameter")
    return model


def _places(model: Family) -> int:
    """Choose the grid from the prior alone: so many digits below its median."""
    law = model.law
    if isinstance(law, Beta):
        return _DIGITS
    typical = law.quantile(0.5) if isinstance(law, Gamma) else math.sqrt(law.variance)
    return _DIGITS - math.floor(math.log2(max(typical, 1e-200)))


def _exact(posterior: Conjugate) -> BetaLaw | GammaLaw | NormalLaw:
    """Return the law to draw from."""
    match posterior:
        case Beta():
            return BetaLaw(posterior.first, posterior.second)
        case Gamma():
            return GammaLaw(posterior.shape, posterior.rate)
        case _:
            return NormalLaw(posterior.mean, posterior.variance)


def _certain() -> Any:
    """The weight of a law that has no other beside it: it is never looked at."""
    raise AssertionError
