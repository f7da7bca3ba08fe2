"""Draws of a regression's coefficients from their posterior, cut to a ball, with a public noise: pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill, is_whole, known_as
from privior.errors import shown
from privior.exact import decimal, positive, round_down
from privior.mechanisms.contract import Asked, Mechanism, offered_for
from privior.mechanisms.families.weighting import weight_for
from privior.mechanisms.regression.ball_mass import log_mass
from privior.models import Design, ExactStatistics, Layout, LinearRegression, Model, Observed
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours, Sensitivity
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BoundedRangePair, SignedSteps
from privior.privacy.pairs.balls import ball, upper
from privior.randomness import EXACTLY_ROUNDED, Bits, NormalInBall
from privior.schema import Schema

#: draws of one release
MOST_DRAWS = 1000
#: binary places of coefficients, which are shares of the target's range
_PLACES = 24


@final
@offered_for(LinearRegression)
@dataclass(frozen=True)
class BallDraw(Mechanism):
    """N draws of intercept and weights t from their posterior, |t| <= radius, every record of the same
    weight.

    t ~ prior(t) exp(-weight * sum_i (u_i - a_i.t)^2 / (2 stddev^2)) on the ball: a_i = (1, x_i), |x_i| <= 1,
    u_i in [-1/2, 1/2], all by the rows as they are on their public grids (`Design`); stddev is a public guess
    of the errors, as a share of the target's range. A prior that is learned is flat here. The draws are
    rounded exactly.

    **Theorem.** Let Y = 1/2, R^2 = 2 (1 without an intercept), W the radius, J = 2 (Y + RW)^2 if Y <= RW,
    else 8YRW, eta = weight J / (2 stddev^2). If a record is replaced the loss of a draw lies in an interval
    of length eta, if one is added or removed of length eta / 2; so a draw is eta-, or eta/2-differentially
    private. Proof. The two densities have the ratio exp(g(t)) c, c the ratio of the normalisers, with g(t) =
    weight ((v - z.t)^2 - (u - a.t)^2) / (2 stddev^2) for the records (a, u), (z, v); of a record that is
    added one square alone. c is an average of exp(-g), so the loss lies between inf g - sup g and sup g - inf
    g, in an interval of that length. A square is at least 0 and at most (Y + RW)^2; where Y > RW it is u^2
    and a part that lies between R^2W^2 - 2YRW and R^2W^2 + 2YRW, u^2 being the same for all t. Rounding is
    post-processing. [] The number of records is used nowhere. The first is attained where a and z are free in
    their ball of two or more dimensions: u = Y, a = R e, t = -W e; v = -Y, z = R t'/W at t' with a.t' = Y.

    Zhang, Rubinstein and Dimitrakakis (2016), Lemma D.1, has the posterior; its L(w) is corrected in
    `papers.published.regression`.

    Attributes:
        model: the regression, with the prior that is drawn from
        schema: the public facts of its columns
        draws: N
        weight: of each record, at most 1
        radius: W, of intercept and weights together; a weight of 1 can move the target by its whole range
        stddev: of the errors
        places: binary places of the grid
    """

    model: LinearRegression
    schema: Schema
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    draws: int
    weight: Fraction
    radius: Fraction
    stddev: Fraction
    places: int
    name: ClassVar[str] = "ball-draw"
    about: ClassVar[str] = "exactly rounded draws from the posterior of bounded coefficients"
    randomness: ClassVar[str] = EXACTLY_ROUNDED
    stands_for: ClassVar[str] = "posterior-draws"
    options: ClassVar[Mapping[str, object]] = {"draws": 1, "radius": "1", "stddev": "0.25"}
    draws_posterior: ClassVar[bool] = True

    def __init__(
        self,
        model: LinearRegression,
        schema: Schema,
        epsilon: object,
        delta: object = 0,
        *,
        neighbours: Neighbours | str = REPLACE_ONE,
        draws: int = 1,
        weight: object = None,
        radius: object = "1",
        stddev: object = "0.25",
        places: int = _PLACES,
    ) -> None:
        budget = Budget.of(epsilon, delta)
        if not is_whole(draws, 1, MOST_DRAWS):
            raise self.refusal("not a number of draws", asked=shown(draws), allowed=f"1 to {MOST_DRAWS}")
        if not is_whole(places, 0, 40):
            raise self.refusal("not a number of places", asked=shown(places), allowed="0 to 40")
        fill(self, model=model, schema=schema, epsilon=budget.epsilon, delta=budget.delta, draws=draws)
        fill(self, neighbours=Neighbours.of(neighbours), places=places)
        least, most = Fraction(1, 1000), Fraction(1000)
        fill(self, radius=positive(radius, "radius", least=least, most=most))
        fill(self, stddev=positive(stddev, "stddev", least=least, most=most))
        self.sensitivity  # noqa: B018 - refuses a schema that does not fit
        fill(self, weight=weight_for(weight, self._enough, budget, self.name))

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon, and delta if there are several draws."""
        spent, relation = (asked.budget.epsilon, asked.budget.delta), asked.neighbours
        return cls(asked.model, asked.schema, *spent, neighbours=relation, **asked.options)  # type: ignore[arg-type]

    @cached_property
    def design(self) -> Design:
        """What the formula makes of records: the features that weights are drawn for."""
        return self.model.design(self.schema)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """How far one record moves all sums, each by itself."""
        return self.model.sensitivity(self.schema, self.neighbours)

    # What it promises

    @cached_property
    def range_at_one(self) -> Fraction:
        """The length of the interval of the loss of a draw at weight 1, rounded up."""
        norms, spread = 1 + int(self.design.formula.intercept), self.stddev**2

        def length() -> Any:
            reach, end = ball(norms * self.radius**2).sqrt(), ball(Fraction(1, 2))
            whole = 2 * (end + reach) ** 2 if norms * self.radius**2 * 4 >= 1 else 8 * end * reach
            return whole / ball(2 * spread)

        found = Fraction(upper(length))
        return found if self.neighbours is REPLACE_ONE else found / 2

    def _enough(self, weight: Fraction) -> bool:
        if self.draws * weight * self.range_at_one <= self.epsilon:
            return True
        if self.delta == 0:
            return False
        return Fraction(self._composed(weight).delta(round_down(self.epsilon))) <= self.delta

    def _composed(self, weight: Fraction) -> DominatingPair:
        return compose_symmetric([(BoundedRangePair(weight * self.range_at_one), self.draws)])

    @property
    def guarantee(self) -> Guarantee:
        """Pure if the losses of all draws add up to no more than epsilon."""
        eta = self.weight * self.range_at_one
        pure = self.draws * eta <= self.epsilon
        pair: DominatingPair = SignedSteps(eta, self.draws) if pure else self._composed(self.weight)
        if pure and self.draws == 1:
            pair = BoundedRangePair(eta)
        times = "" if self.draws == 1 else f", {self.draws} draws composed"
        reason = (
            f"range of the loss of a draw of coefficients no longer than {decimal(self.radius)} at weight "
            f"{decimal(self.weight)}{times} (Zhang, Rubinstein, Dimitrakakis 2016, corrected; proof: "
            "docs/mechanisms.md)"
        )
        budget = Budget(self.epsilon, Fraction(0) if pure else self.delta)
        return Guarantee(pair, self.neighbours, budget, reason, "record")

    # What it publishes

    @property
    def numbers(self) -> int:
        """Of one draw: the intercept, if there is one, and a weight for each feature."""
        return len(self.design.names)

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """All numbers of all draws, one draw after the other: of features in [-1, 1], as shares of a
        range."""
        return (Layout("points", (self.draws * self.numbers,), self.places),)

    @property
    def units(self) -> tuple[int, ...]:
        """What a coordinate is multiplied by to be published: the reach of its feature."""
        first = (1,) if self.design.formula.intercept else ()
        return (*first, *(one.reach for one in self.design.features))

    @cached_property
    def widths(self) -> tuple[Fraction, ...]:
        """The squared norm of coordinates: weights are of features divided by the root of the terms."""
        first = self.units[: int(self.design.formula.intercept)]
        rest = self.units[len(first) :]
        return (*map(Fraction, first), *(Fraction(self.design.terms * one**2) for one in rest))

    @cached_property
    def prior(self) -> tuple[tuple[tuple[Fraction, ...], ...], tuple[Fraction, ...]]:
        """Precision and slope of the prior, by coordinates; of the intercept it says nothing."""
        size, first = self.numbers, int(self.design.formula.intercept)
        said = self.model.prior.normal(self.design)
        precision, slope = np.zeros((size, size)), np.zeros(size)
        if said is not None:
            known = np.linalg.inv(said[1])
            roots = np.sqrt([float(one) for one in self.widths[first:]])
            precision[first:, first:] = (known + known.T) / 2 * np.outer(roots, roots)
            slope[first:] = roots * (known @ said[0])
        rows = tuple(tuple(Fraction(float(one)) for one in row) for row in precision)
        return rows, tuple(Fraction(float(one)) for one in slope)

    def law(self, statistics: ExactStatistics) -> NormalInBall:
        """Return the law of a draw, exactly."""
        matrix = self._matrix(statistics)
        skip = 1 - int(self.design.formula.intercept)
        each = self.weight / self.stddev**2
        half = Fraction(1, 2 * self.design.target.reach)
        before, pulled = self.prior
        size = self.numbers
        precision = tuple(
            tuple(before[i][j] + each * int(matrix[i + skip, j + skip]) for j in range(size))
            for i in range(size)
        )
        slope = tuple(pulled[i] + each * half * int(matrix[i + skip, -1]) for i in range(size))
        return NormalInBall(precision, slope, self.widths, self.radius**2)

    def _matrix(self, statistics: ExactStatistics) -> Integers:
        size = len(self.design.numbers)
        if statistics.counts.size != size * (size + 1) // 2:
            raise ValueError("these are not the moments of this regression")
        matrix = np.zeros((size, size), np.int64)
        above = np.triu_indices(size)
        matrix[above] = statistics.counts
        matrix.T[above] = statistics.counts
        return matrix

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw, exactly rounded."""
        law, bits, units = self.law(statistics), Bits(), [Fraction(one) for one in self.units]
        drawn = [one for _ in range(self.draws) for one in law.rounded(units, self.places, bits)]
        return Observed(self.layouts, (tuple(drawn),))

    def points(self, observed: Observed) -> Floats:
        """Return the draws in units in which the ball is round, one a row."""
        found = observed.values().reshape(self.draws, self.numbers)
        roots = np.sqrt([float(one) for one in self.widths])
        return np.asarray(found / np.array(self.units) * roots, np.float64)

    def log_densities(self, observed: Observed, precisions: Floats, slopes: Floats) -> Floats:
        """Return the log density of all draws, in round units, for each precision and slope of the law
        there."""
        points = self.points(observed)
        values, vectors = np.linalg.eigh(precisions)
        squares = np.einsum("nij,ni->nj", vectors, slopes) ** 2
        whole = log_mass(np.maximum(values, 0.0), squares, float(self.radius) ** 2)
        heights = (
            np.einsum("ni,ki->n", slopes, points) - np.einsum("nij,ki,kj->n", precisions, points, points) / 2
        )
        return np.asarray(heights - self.draws * whole)

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Multiply the density by the volume of a cell of the grid."""
        law, roots = self.law(statistics), np.sqrt([float(one) for one in self.widths])
        precision = np.array([[float(one) for one in row] for row in law.precision]) / np.outer(roots, roots)
        slope = np.array([float(one) for one in law.slope]) / roots
        cell = float(np.log(roots / self.units).sum()) - self.numbers * self.places * float(np.log(2))
        found = self.log_densities(observed, precision[np.newaxis], slope[np.newaxis])
        return float(found[0]) + self.draws * cell

    def parameters_drawn(self, observed: Observed) -> Floats:
        """Return intercept and weights of each draw, of features in [-1, 1], as shares of the target's
        range."""
        return observed.values().reshape(self.draws, self.numbers)

    def admits(self, observed: Observed, records: int) -> bool:
        """Draws lie in the ball, but for rounding."""
        roots = np.sqrt([float(one) for one in self.widths]) / np.array(self.units)
        room = float(np.linalg.norm(roots)) * 2.0 ** -(self.places + 1)
        lengths = np.linalg.norm(self.points(observed), axis=1)
        return bool((lengths <= float(self.radius) * (1 + 1e-12) + room).all())

    @property
    def draw_weight(self) -> Fraction:
        """The weight of a record in the posterior drawn from."""
        return self.weight

    def check(self, asked: Asked) -> None:
        """Refuse another regression, prior, schema or neighbour relation."""
        model = known_as(LinearRegression, asked.model)
        same = model == self.model and self.design.numbers == model.design(asked.schema).numbers
        if not same or self.neighbours is not asked.neighbours:
            raise self.refusal("the mechanism is for another regression, prior, schema or neighbour relation")

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say how much a record weighs, and what is taken for granted."""
        return [
            ("draws", f"every record has the weight {float(self.weight):.4g} in the posterior drawn from"),
            (
                "ball",
                f"intercept and weights have the norm {decimal(self.radius)} at most, errors the standard "
                f"deviation {decimal(self.stddev)}, as shares of the range of {self.model.target}",
            ),
        ]

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        return cls(known_as(LinearRegression, model), schema, **entries)
