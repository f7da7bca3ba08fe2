"""Objective perturbation: the minimiser of a penalised sum over all records with a random linear term."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import fill, is_whole, known_as
from privior.errors import PlanError, shown
from privior.exact import decimal, rational, round_down, shortened_up
from privior.mechanisms.contract import Asked, Mechanism, offered_for
from privior.mechanisms.regression.noisy_products import NoisyProducts
from privior.models import MOST_SUM, ExactRecords, Layout, LogisticRegression, Model, Observed, RowDesign
from privior.models.design import MOST_FEATURES
from privior.models.row_design import AT_ONCE
from privior.privacy import REPLACE_ONE, Budget, Guarantee, Neighbours, Sensitivity
from privior.privacy.calibration import largest
from privior.privacy.composition import compose_ordered, compose_symmetric
from privior.privacy.pairs import (
    DominatingPair,
    GaussianPair,
    ObjectivePair,
    ReplacedObjectivePair,
    both_orders,
)
from privior.randomness import Bits, Objective, rounded_minimum
from privior.schema import Schema

#: variances and penalties within these
_WIDEST = Fraction(10**15)
#: the grid is finer than a standard deviation by so many powers of two
_FINER = 2
#: the share of mu^2 that intervals take
_SHARE = Fraction(1, 5)


@final
@offered_for(LogisticRegression)
@dataclass(frozen=True)
class ObjectivePerturbation(Mechanism):
    """theta^ = argmin sum log(1 + e^(-y a.theta)) + ridge/2 |theta|^2 + b.theta, b ~ N(0, variance I).

    a is the row of a record, |a| <= R, intercept included (`RowDesign`), y = 1 or -1. The exact minimiser has
    the curve of `privacy.pairs.ObjectivePair`, where the proof is; what is released is that minimiser rounded
    to a public grid, a post-processing, and surely so: `randomness.perturbed_minimum` returns a grid point
    only if every point near enough to be the minimiser rounds to it. A solver's tolerance plays no part.

    With h^2 = R^2/variance and c = R^2/ridge the curve at epsilon is that of the Gaussian mechanism of mu = h
    if c <= epsilon + h^2/2, of mu = 2h under replace-one if c <= epsilon/2 and mu^2 <= 4 epsilon. The penalty
    is chosen so: ridge = k R^2/epsilon + 8 d variance / (9 n), k = 1, or 2 under replace-one; the second term
    is about what d noisy weights of n records want. n is `expected`: the exact, public number of records
    under replace-one, and otherwise a public guess, half of the declared maximum unless told, never counted.

    With `intervals` the sums of products of all entries, A'A, are released beside it with a fifth of mu^2
    (`NoisyProducts`): how uncertain weights are follows from these. Both are composed by their curves.

    Attributes:
        model: the regression; its prior plays no part
        schema: the public facts of its columns
        epsilon, delta: what it spends
        neighbours: the neighbour relation
        expected: the number of records that penalty and grid are made for
        variance: of each number of b
        ridge: the penalty lam
        products: the variance of the noise on A'A; 0 if that is not released
    """

    model: LogisticRegression
    schema: Schema
    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    expected: int
    variance: Fraction
    ridge: Fraction
    products: Fraction
    name: ClassVar[str] = "objective-perturbation"
    about: ClassVar[str] = "the exact minimiser of a randomly tilted objective"
    randomness: ClassVar[str] = (
        "Normal numbers by interval arithmetic from the system's bits, as many as the rounding needs"
    )
    options: ClassVar[Mapping[str, object]] = {"expected": 0, "intervals": False}

    def __init__(
        self,
        model: LogisticRegression,
        schema: Schema,
        epsilon: object,
        delta: object,
        *,
        expected: int,
        neighbours: Neighbours | str = REPLACE_ONE,
        variance: object = None,
        ridge: object = None,
        products: object = 0,
        intervals: bool = False,
    ) -> None:
        """Build it from what it spends, or read what was built before.

        Args:
            model: the regression
            schema: the public facts of its columns
            epsilon: what may be spent
            delta: likewise
            expected: the number of records that penalty and grid are made for
            neighbours: the neighbour relation
            variance: of the noise; found if it is not said
            ridge: likewise the penalty
            products: likewise the variance of the noise on A'A
            intervals: whether to find one
        """
        budget = Budget.of(epsilon, delta)
        if budget.delta == 0:
            raise self.refusal("needs delta > 0: Gaussian noise is never pure")
        if not is_whole(expected, 1):
            raise self.refusal("expected is not a number of records", asked=shown(expected))
        if (intervals or rational(products, "products")) and not model.formula.intercept:
            raise self.refusal(
                "intervals need an intercept: without one nothing tells the means of the features",
                asked=str(model.formula),
            )
        fill(self, model=model, schema=schema, epsilon=budget.epsilon, delta=budget.delta)
        fill(self, neighbours=Neighbours.of(neighbours), expected=expected)
        self.sensitivity  # noqa: B018 - refuses a schema that does not fit
        beside, features = rational(products, "products"), len(self.design.design.features)
        if (intervals or beside) and features > MOST_FEATURES:
            raise self.refusal(
                "intervals rest on noisy sums of products, as moments do: there are too many of them",
                asked=f"{features} features",
                allowed=MOST_FEATURES,
                advice="Take fewer features, or no intervals.",
            )
        found = rational(variance, "variance") if variance is not None else Fraction(0)
        if variance is None:
            found, beside = self._calibrated(_SHARE if intervals else Fraction(0))
        fill(self, variance=found, products=beside)
        fill(self, ridge=self._rule(found) if ridge is None else rational(ridge, "ridge"))
        for number in (self.variance, self.ridge, self.products or 1):
            if not 0 < number <= _WIDEST:
                raise self.refusal("this is no variance or penalty", asked=shown(number))
        largest_sum = max(self.design.reach) ** 2 * max(4 * self.expected, AT_ONCE)
        if self.products and largest_sum >= MOST_SUM:
            raise self.refusal(
                "sums of products of such fine features might not be exact",
                asked=largest_sum,
                allowed=MOST_SUM,
                advice="Give columns coarser grids, or take no intervals.",
            )
        if not self._enough():
            raise self.refusal(
                "this variance and penalty do not give the stated guarantee",
                asked=f"{decimal(self.variance)}, {decimal(self.ridge)}",
            )

    @classmethod
    def built(cls, asked: Asked) -> Self:
        """Spend epsilon and delta, for a public or a guessed number of records."""
        told = asked.options.get("expected", 0)
        exact = asked.neighbours is REPLACE_ONE
        if told and exact and told != asked.records:
            raise cls.refusal(
                "the number of records is public under replace-one, and no guess is taken",
                asked=shown(told),
                allowed=asked.records,
            )
        guess = asked.records if exact else told or -(-asked.records // 2)
        spent = (asked.budget.epsilon, asked.budget.delta)
        wanted = bool(asked.options.get("intervals", False))
        return cls(
            asked.model,  # type: ignore[arg-type]
            asked.schema,
            *spent,
            expected=guess,
            neighbours=asked.neighbours,
            intervals=wanted,
        )

    @property
    def intervals(self) -> bool:
        """Whether what intervals need is released too."""
        return self.products > 0

    # Penalty and noise

    @property
    def steps(self) -> int:
        """How many records a neighbour adds or removes: 2 if one is replaced."""
        return 2 if self.neighbours is REPLACE_ONE else 1

    def _rule(self, variance: Fraction) -> Fraction:
        design = self.design
        free = self.steps * design.squared_norm / self.epsilon
        return shortened_up(free + Fraction(8 * design.size, 9 * self.expected) * variance, 8)

    def _calibrated(self, share: Fraction) -> tuple[Fraction, Fraction]:
        """Return variances that are enough: by the Gaussian curve, exact for usual budgets, or more.

        Args:
            share: of mu^2 for the noise on A'A
        """
        level, squared = round_down(self.epsilon), self.design.squared_norm
        mu = largest(
            lambda one: Fraction(GaussianPair(one).delta(level)) <= self.delta, digits=6, most=Fraction(10**6)
        )
        if not mu:
            raise self.refusal(
                "this budget needs more noise than can be certified",
                asked=str(Budget(self.epsilon, self.delta)),
                advice="Ask for a larger epsilon or delta.",
            )
        for _ in range(200):
            variance = shortened_up(Fraction(self.steps**2 * squared) / (mu * (1 - share)), 8)
            moved = NoisyProducts.moved(self.design, self.neighbours)
            beside = shortened_up(moved / (mu * share), 8) if share else Fraction(0)
            pair = self._pair(variance, self._rule(variance), beside)
            if Fraction(pair.delta(level)) <= self.delta:
                return variance, beside
            mu *= Fraction(98, 100)
        raise self.refusal("no noise was found for this budget", asked=str(Budget(self.epsilon, self.delta)))

    def _pair(self, variance: Fraction, ridge: Fraction, products: Fraction) -> DominatingPair:
        squares = self.design.squared_norm / variance, self.design.squared_norm / ridge
        one = ReplacedObjectivePair(*squares) if self.steps == 2 else ObjectivePair(*squares)
        if not products:
            return one
        compose = compose_symmetric if self.steps == 2 else compose_ordered
        return compose([(one, 1), (NoisyProducts(self.design, self.neighbours, products).pair, 1)])

    @cached_property
    def _own_pair(self) -> DominatingPair:
        return self._pair(self.variance, self.ridge, self.products)

    def _enough(self) -> bool:
        both = both_orders(self._own_pair)
        return Fraction(both.delta(round_down(self.epsilon))) <= self.delta

    # What it promises

    @cached_property
    def design(self) -> RowDesign:
        """What becomes of records: rows of bounded length."""
        return self.model.design(self.schema)

    @cached_property
    def sensitivity(self) -> Sensitivity:
        """One record comes, goes or is replaced."""
        return self.model.sensitivity(self.schema, self.neighbours)

    @property
    def guarantee(self) -> Guarantee:
        """A curve of its own, proved beside its pair; with that of the noisy products, if there are any."""
        reason = (
            "objective perturbation with records no longer than "
            f"{float(self.design.squared_norm) ** 0.5:.4g}, the exact minimiser rounded to a public grid "
            "(proof: privior.privacy.pairs.ObjectivePair)"
        )
        if self.products:
            reason += (
                ", and Gaussian noise on the sums of products of features (Dong, Roth, Su 2022, Theorem 1)"
            )
        return Guarantee(self._own_pair, self.neighbours, Budget(self.epsilon, self.delta), reason, "record")

    def check(self, asked: Asked) -> None:
        """Refuse another regression, schema, neighbour relation or, where it is public, number of records."""
        model = known_as(LogisticRegression, asked.model)
        same = self.model.formula == model.formula and self.design.design.features == (
            model.design(asked.schema).design.features
        )
        if not same or self.neighbours is not asked.neighbours:
            raise self.refusal("the mechanism is for another regression, schema or neighbour relation")
        if self.neighbours is REPLACE_ONE and self.expected != asked.records:
            raise self.refusal(
                "the mechanism is for another number of records", asked=self.expected, allowed=asked.records
            )

    # What it publishes

    @cached_property
    def places(self) -> int:
        """The grid is 2^-places, at most a quarter of the least standard deviation that noise can give.

        That is s / (ridge + n R^2/4), for no Hessian of n records is larger.
        """
        steepest = self.ridge + Fraction(self.expected * self.design.squared_norm, 4)
        ratio = steepest**2 / self.variance
        half = math.ceil((ratio.numerator.bit_length() - ratio.denominator.bit_length() + 1) / 2)
        return half + _FINER

    @property
    def layouts(self) -> tuple[Layout, ...]:
        """A number for each weight, and perhaps one for each product."""
        weights = Layout("weights", (self.design.size,), self.places)
        return (weights, self.noisy_products.layout) if self.products else (weights,)

    @property
    def noisy_products(self) -> NoisyProducts:
        """The noise on A'A."""
        return NoisyProducts(self.design, self.neighbours, self.products)

    def weights(self, observed: Observed) -> Floats:
        """Return the released minimiser."""
        return observed.values(0)

    def _objective(self, statistics: ExactRecords) -> Objective:
        codes, design = statistics.codes, self.design

        def rows(start: int, stop: int) -> Integers:
            some = codes[start:stop]
            return np.asarray(design.whole(some) * (2 * some[:, :1].astype(np.int64) - 1))

        return Objective(rows, len(codes), design.reach, design.squared_norm, self.ridge)

    def release(self, statistics: ExactRecords) -> Observed:
        """Draw b, and return the minimiser, exactly rounded."""
        if self.neighbours is REPLACE_ONE and statistics.total != self.expected:
            raise ValueError("the records are not as many as planned")
        found = rounded_minimum(self._objective(statistics), self.variance, self.places, Bits())
        beside = (self.noisy_products.noisy(statistics.codes),) if self.products else ()
        return Observed(self.layouts, (tuple(found), *beside))

    def log_likelihood(self, observed: Observed, statistics: ExactRecords) -> float:
        """Log of the density of the minimiser at a grid point, times the size of a cell."""
        theta, design = self.weights(observed), self.design
        rows = design.rows(statistics.codes) * design.signs(statistics.codes)[:, None]
        q = 0.5 * (1 - np.tanh(rows @ theta / 2))
        b = q @ rows - float(self.ridge) * theta
        curved = rows.T @ (rows * (q * (1 - q))[:, None]) + float(self.ridge) * np.eye(design.size)
        noise = -float(b @ b) / (2 * float(self.variance)) - design.size / 2 * math.log(
            2 * math.pi * float(self.variance)
        )
        density = noise + float(np.linalg.slogdet(curved)[1]) - design.size * self.places * math.log(2)
        if not self.products:
            return density
        return density + self.noisy_products.log_likelihood(observed.numbers[1], statistics.codes)

    def admits(self, observed: Observed, records: int) -> bool:
        """Minimisers lie anywhere on the grid, so that any integers may be released."""
        return True

    # Words and files

    def memory(self, records: int) -> str:
        """Say about how much a release of the declared number of records takes, all of which are kept.

        Not of the guess that penalty and grid are made for: the table may have as many as were declared.
        """
        taken = records * (10.0 * self.design.size + 24.0 * len(self.model.columns)) + 2e8
        return f"about {taken / 1e6:.0f} MB for {records} records"

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say what is computed, and with which penalty."""
        known = "known" if self.neighbours is REPLACE_ONE else "guessed, never counted"
        beside = "noisy sums of products, for intervals" if self.products else "nothing else"
        return [
            ("statistic", f"the minimiser over all records: {self.design.size} weights, and {beside}"),
            ("penalty", f"ridge {float(self.ridge):.4g}, for {self.expected} records ({known})"),
            (
                "noise",
                f"standard deviation {float(self.variance) ** 0.5:.4g} on the gradient",
            ),
        ]

    @cached_property
    def price(self) -> float | None:
        """How much larger the noise's standard deviation is with intervals; None if there can be none."""
        if not self.model.formula.intercept:
            return None
        try:
            plain, dearer = (
                (self._calibrated(Fraction(0))[0], self.variance)
                if self.products
                else (self.variance, self._calibrated(_SHARE)[0])
            )
        except PlanError:  # so small a budget is not divided
            return None
        return math.sqrt(dearer / plain) - 1

    @property
    def drawback(self) -> str:
        """There are no intervals, or what they cost."""
        price = self.price
        more = "" if price is None else f"about {100 * price:.0f}% more noise on the weights"
        if self.products:
            paid = f"Intervals take a fifth of mu squared, for {more}. " if more else ""
            return (
                f"{paid}With them the best test of one record at epsilon 0 (`that is`, in the plan) does "
                "somewhat better than without them at the same (epsilon, delta): two curves are composed "
                "and meet the budget at epsilon, not below it. The stated (epsilon, delta) is promised, and "
                "the whole curve."
            )
        said = (
            "The whole budget goes into predictions: this release has estimates and no intervals, since how "
            "uncertain they are depends on the records."
        )
        if not more:
            return said
        return (
            f"{said} With intervals=True (in files mechanism = "
            '"objective-perturbation" and intervals = true under [ask]) a fifth of mu squared buys them, '
            f"for {more}."
        )

    @property
    def slow(self) -> bool:
        """Two curves are composed for each budget."""
        return self.intervals

    @classmethod
    def from_entries(cls, entries: dict[str, Any], model: Model, schema: Schema) -> Self:
        """Read the entries that a file has beside its model, as `to_document` wrote them."""
        return cls(model, schema, **entries)  # type: ignore[arg-type]
