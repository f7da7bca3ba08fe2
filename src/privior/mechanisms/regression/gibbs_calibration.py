"""How hot a Gibbs posterior may be drawn: temperature and prior by public facts, and what they cost."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.errors import PlanError
from privior.exact import decimal, rational, round_down
from privior.models import GibbsPosterior, Loss
from privior.privacy import REPLACE_ONE, Budget, Neighbours
from privior.privacy.calibration import largest
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import BoundedRangePair, DominatingPair, GaussianPair
from privior.schema import Schema

#: ridges of about so many times L^2/epsilon are best for one draw, twice that if records are replaced
_RIDGE = Fraction(5, 2)


@dataclass(frozen=True)
class GibbsCalibration:
    """Temperatures beta and precisions m, and the pair of N draws at them, as `GibbsDraws` proves.

    Attributes:
        model: loss, formula and prior
        schema: the public facts of the columns
        records: n
        budget: what all draws may spend
        neighbours: the neighbour relation
        draws: N
    """

    model: GibbsPosterior
    schema: Schema
    records: int
    budget: Budget
    neighbours: Neighbours
    draws: int

    @cached_property
    def loss(self) -> Loss:
        """The loss in the units of the target."""
        return self.model.loss_for(self.schema)

    @cached_property
    def squared_length(self) -> Fraction:
        """R^2, of the longest possible row."""
        return Fraction(self.model.design(self.schema).squared_norm)

    @cached_property
    def lipschitz_squared(self) -> Fraction:
        """L^2 = s^2 R^2: how fast a record's loss changes with the weights at most, squared."""
        return self.loss.slope**2 * self.squared_length

    @cached_property
    def radius(self) -> Fraction | None:
        """The radius of the ball in which weights are drawn; None without one."""
        return self.model.ball(self.schema)

    def tried(self, precision: Fraction) -> float:
        """How far predictors are tried at which somebody's loss must have the constants that it declares.

        In a ball no predictor is larger than R W. Without one any may be: 8 standard deviations of what the
        prior lets the longest row have are tried, and as far as losses of the column's targets are centred.
        """
        if self.radius is not None:
            return math.sqrt(self.squared_length) * float(self.radius)
        ends = np.array([0, self.schema.column(self.model.target).size - 1])
        far = float(np.abs(self.model.targets_at(ends, self.schema)).max())
        return 8 * max(1.0, far / 4, math.sqrt(self.squared_length / precision))

    @property
    def _times(self) -> int:
        return 2 if self.neighbours is REPLACE_ONE else 1

    @cached_property
    def mu_squared(self) -> Fraction:
        """The mu^2 that one draw may have: that of the whole budget, shared by all draws; or 0."""
        level = round_down(self.budget.epsilon)
        found = largest(
            lambda one: Fraction(GaussianPair(one).delta(level)) <= self.budget.delta,
            digits=8,
            most=Fraction(10**6),
        )
        return (found or Fraction(0)) / self.draws

    @cached_property
    def loss_range(self) -> Fraction:
        """What beta is multiplied with in a pure epsilon of one draw: V if a record is added, 2V if replaced.

        V is how much the loss of one record varies over the ball. Neighbours' log density ratio is -beta
        (l(theta, z) - l(theta, z')) and a constant, that of the normalisers: its range over theta is at most
        beta (osc l(., z) + osc l(., z')) <= 2 beta V, and beta V where there is one loss alone. As both
        densities integrate to 1, the log ratio is at least 0 somewhere and at most 0 somewhere: it is nowhere
        farther from 0 than its range is long, which is the pure epsilon, without a further factor 2.
        """
        reach = self.loss.reach
        if reach is None:
            squared = self.squared_length * (self.radius or 0) ** 2
            reach = Fraction(math.sqrt(squared) * (1 + 2.0**-40))
        return self._times * self.loss.varies(reach)

    def whole(self, precision: Fraction, temperature: Fraction) -> Fraction:
        """Return m + beta n m_l, as the float that it is drawn with."""
        own = self.model.convexity * self.records
        return Fraction(float(precision + temperature * own)) if own else precision

    def precision(self) -> Fraction:
        """Return m: 1/stddev^2; or by the rule that ridge m / beta = k 5/2 L^2 / epsilon, all of them public.

        beta = mu sqrt(m) / (k L) then makes m = (5/2)^2 L^2 mu^2 / epsilon^2. A weight of more than 2 for log
        odds, or of more than half the target's range, is not expected: m is at least 1/4 or 1. Pure releases
        do not depend on the prior: it is as wide as the ball.
        """
        if self.model.prior is not None:
            return Fraction(float(1 / self.model.prior.stddev**2))
        if self.budget.delta == 0:
            return Fraction(float(1 / (self.radius or Fraction(1)) ** 2))
        by_rule = _RIDGE**2 * self.lipschitz_squared * self.mu_squared / self.budget.epsilon**2
        return Fraction(float(max(by_rule, Fraction(1, 4) if self.loss.of_levels else Fraction(1))))

    def temperature(self, precision: Fraction) -> Fraction:
        """Return the largest temperature that the budget allows, as a float."""
        if self.budget.delta == 0:
            return _float_below(self.budget.epsilon / (self.draws * self.loss_range))
        # (k L)^2 beta^2 <= mu^2 (m + beta n m_l)
        each = self.mu_squared / (self._times**2 * self.lipschitz_squared)
        half = float(each * self.model.convexity * self.records) / 2
        found = _float_below(Fraction(half + math.sqrt(half**2 + each * precision)))
        while found**2 > each * self.whole(precision, found):
            found = Fraction(math.nextafter(float(found), 0.0))
        return found

    def enough(self, precision: Fraction, temperature: Fraction) -> bool:
        """Whether all draws together keep the budget."""
        if self.budget.delta == 0:
            return self.draws * temperature * self.loss_range <= self.budget.epsilon
        level = round_down(self.budget.epsilon)
        return Fraction(self.pair(precision, temperature).delta(level)) <= self.budget.delta

    def pair(self, precision: Fraction, temperature: Fraction) -> DominatingPair:
        """Return what all draws together are dominated by."""
        if self.budget.delta == 0:
            return compose_symmetric([(BoundedRangePair(temperature * self.loss_range), self.draws)])
        one = (self._times * temperature) ** 2 * self.lipschitz_squared / self.whole(precision, temperature)
        return GaussianPair(self.draws * one)


def exact_float(said: object, name: str) -> Fraction | None:
    """Read a number that floats have exactly; None if none is said."""
    if said is None:
        return None
    found = rational(said, name)
    if found <= 0 or Fraction(float(found)) != found:
        raise PlanError(f"{name} is not a float above 0", where="gibbs-draws", asked=decimal(found))
    return found


def _float_below(number: Fraction) -> Fraction:
    found = Fraction(float(number))
    return found if found <= number else Fraction(math.nextafter(float(found), 0.0))
