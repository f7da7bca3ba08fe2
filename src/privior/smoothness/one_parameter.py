"""Conjugate families of one parameter, under the eyes of the analysis.

    log p(x | theta) = h t(x) - A(h) + b(x),    h = h(theta) the natural parameter

For two records the difference is h (t(x) - t(y)) + b(x) - b(y), a straight line in h. So l is the largest
|s h + q| over finitely many chords (s, q): convex in h, and the parameters with l <= L are an interval, whose
prior mass is a difference of two distribution functions. b(x) plays no part in any privacy, but it does in
l, which is why 2 L rho may be far above the oscillation D (h_max - h_min).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.errors import ModelError
from privior.exact import decimal
from privior.models import Family
from privior.models.laws import Law, Reweighted, Truncated
from privior.privacy.pairs import DominatingPair
from privior.schema import Schema
from privior.smoothness.distances import Distance, sublevel, to_distance
from privior.smoothness.glued_laws import GluedLaw, glued
from privior.smoothness.natural import Natural, natural_of
from privior.smoothness.subject import Contrast, Cut, Subject, replaced_numbers, subject_of
from privior.theory.likelihood_ratio import RatioTest


@dataclass(frozen=True)
class OneParameter(Subject):
    """A family, its prior and a distance of the values of its column."""

    model: Family
    schema: Schema
    statistics: Floats
    distance: Distance
    chords: Floats

    @cached_property
    def natural(self) -> Natural:
        """What the family says of its natural parameter."""
        return natural_of(self.model)

    @cached_property
    def support(self) -> tuple[float, float]:
        """Both ends of the parameter, infinite where there is none."""
        low, high = self.model.prior.support
        return (-math.inf if low is None else float(low)), (math.inf if high is None else float(high))

    @cached_property
    def ends(self) -> tuple[float, float]:
        """The least and the largest natural parameter in the prior's support."""
        return min(self.natural_ends), max(self.natural_ends)

    # Assumptions 1 and 2

    def slope(self, h: Floats) -> Floats:
        """Return l at natural parameters."""
        return np.asarray(np.abs(np.outer(h, self.chords[:, 0]) + self.chords[:, 1]).max(axis=1))

    @cached_property
    def roughest(self) -> float:
        """Convex in h: the largest of both ends."""
        found = 0.0
        for end in self.ends:
            if math.isfinite(end):
                found = max(found, float(self.slope(np.array([end]))[0]))
            elif self.chords[:, 0].any():
                return math.inf
        return found

    @cached_property
    def smoothest(self) -> float:
        """The least level whose interval meets the support."""
        low, high = 0.0, 1.0
        while not self._meets(high):
            low, high = high, 2 * high
        for _ in range(200):
            middle = (low + high) / 2
            low, high = (low, middle) if self._meets(middle) else (middle, high)
            if high - low <= 1e-14 * high:
                break
        return high if high > 1e-12 else 0.0

    def _inside(self, level: float) -> tuple[float, float]:
        """Return both ends of h with l <= level, inside the support; crossed if there is none."""
        low, high = sublevel(self.chords, level)
        return max(low, self.ends[0]), min(high, self.ends[1])

    def _meets(self, level: float) -> bool:
        low, high = self._inside(level)
        return low <= high

    @cached_property
    def oscillation(self) -> float:
        """D (h_max - h_min), D the range of the statistic."""
        span = float(self.statistics.max() - self.statistics.min())
        width = self.ends[1] - self.ends[0]
        return span * width * (1 + 1e-12) if math.isfinite(width) else math.inf

    def interval(self, level: float) -> tuple[float, float]:
        """Return the parameters with l <= level, inside the support; crossed ends if there are none."""
        low, high = self._inside(level)
        if low > high:
            return math.inf, -math.inf
        found = self._thetas(low, high)
        return min(found), max(found)

    def _thetas(self, low: float, high: float) -> tuple[float, float]:
        """Return the parameters of two natural ones, the support's own ends where they are meant."""
        found = []
        for h in (low, high):
            at_end = [e for e, n in zip(self.support, self.natural_ends, strict=True) if n == h]
            found.append(at_end[0] if at_end else float(self.natural.theta(np.array([h]))[0]))
        return found[0], found[1]

    @cached_property
    def natural_ends(self) -> tuple[float, float]:
        """h at the lower and at the upper end of the parameter."""
        with np.errstate(divide="ignore", invalid="ignore"):
            first, last = self.model.natural(np.array(self.support))
        return float(first), float(last)

    def outside(self, slopes: Floats) -> Floats:
        """The prior's chance of both tails beyond the interval of parameters with l <= L."""
        ends = np.array([self.interval(float(slope)) for slope in slopes])
        empty = ends[:, 0] > ends[:, 1]
        lows, highs = (np.where(empty, self.support[0], side) for side in ends.T)
        found = self._prior.many_below(lows) + self._prior.many_above(highs)
        return np.where(empty, 1.0, np.minimum(found, 1.0))

    @cached_property
    def _prior(self) -> GluedLaw:
        return glued(self.model, 0.0, 0.0)

    # What follows from posteriors

    def log_means(self, records: int, totals: Floats) -> Floats:
        """Return the log of the mean of e^(h T - n A) under the prior."""
        whole = self.model.log_evidence(0.0, np.zeros(1))
        return np.asarray(self.model.log_evidence(float(records), totals) - whole)

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """The family's own pair; where it has none, the oscillation's."""
        try:
            return self.model.draw_pair(self.schema, records, Fraction(1), draws)
        except ModelError:
            return super().pair(records, draws)

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Some records replaced, the least by the largest, where all others are least, mixed or largest."""
        order = np.argsort(self.statistics)
        low, high = int(order[0]), int(order[-1])
        least, most = float(self.statistics[low]), float(self.statistics[high])
        apart = self.distance.apart(low, high)
        found = []
        for replaced in replaced_numbers(records):
            rest = records - replaced
            shares = (0.0, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0) if replaced == 1 else (0.0, 0.5, 1.0)
            for share in shares if rest else (0.0,):
                name = {0.0: "least", 1.0: "largest"}.get(share, f"least but for {share:.0%} largest")
                tops = math.floor(rest * share)
                common = tops * most + (rest - tops) * least
                sums = (common + replaced * most, common + replaced * least)
                for one, two in (sums, sums[::-1]):
                    about = f"{replaced} replaced, the others {name}" if rest else "all replaced"
                    test = self.test(records, one, two)
                    found.append(Contrast(about, replaced, replaced * apart, test))
        return found

    def test(self, records: int, one: float, two: float, draws: int = 1) -> RatioTest:
        """Return the best test between the posteriors of two sums.

        The loss is h (T - T') less a constant: monotone in the parameter.
        """
        means = self.log_means(records, np.array([one, two]))
        law = glued(self.model, float(records), one)
        step, shift = one - two, float(means[0] - means[1])
        rising = (self.natural_ends[0] < self.natural_ends[1]) == (step > 0)

        def below(losses: Floats) -> Floats:
            h = np.clip((losses + shift) / step, *self.ends)
            theta = np.clip(self.natural.theta(h), *self.support)
            found = law.many_below(theta)
            return found if rising else 1 - found

        ends = sorted(h * step - shift for h in self.ends)
        return RatioTest(below, draws, (ends[0], ends[1]))

    def cuts(self, records: int) -> Sequence[Cut]:
        """The prior cut to the parameters with l <= L, for levels between the smoothest and the roughest."""
        top = self.roughest
        if math.isinf(top):
            top = self._level_outside(1e-6)
        found = []
        for place in (0.1, 0.25, 0.5, 0.75, 1.0):
            level = self.smoothest + place * (top - self.smoothest)
            made = self.cut(level, records)
            if made is not None:
                found.append(made)
        return found

    def cut(self, level: float, records: int) -> Cut | None:
        """Return the prior cut to l <= level, its ends rounded inwards; None where nothing is left."""
        low, high = self.interval(level)
        if not low < high or not (math.isfinite(low) and math.isfinite(high)):
            return None
        middle = (low + high) / 2
        own = zip((low, high), self.support, self.model.prior.support, strict=True)
        ends = [
            exact if end == near and exact is not None else _towards(end, middle) for end, near, exact in own
        ]
        if not ends[0] < ends[1]:
            return None
        left = replace(self, model=self.model.with_prior(_cut(self.model.prior, ends)))
        pure = None if (pair := left.pair(records, 1)) is None else pair.pure
        if pure is None:
            return None
        chance = self._prior.below(float(ends[0])) + self._prior.above(float(ends[1]))
        words = f"[{decimal(ends[0])}, {decimal(ends[1])}]"
        return Cut(level, min(1.0, chance), words, float(pure))

    def _level_outside(self, chance: float) -> float:
        """Return a level that the prior exceeds with about this chance."""
        low, high = self.smoothest, max(1.0, 2 * self.smoothest)
        while float(self.outside(np.array([high]))[0]) > chance:
            low, high = high, 2 * high
        for _ in range(60):
            middle = (low + high) / 2
            rougher = float(self.outside(np.array([middle]))[0]) > chance
            low, high = (middle, high) if rougher else (low, middle)
        return high


def _towards(end: float, middle: float) -> Fraction:
    """Round an end to six digits, inwards."""
    near = Fraction(f"{end:.6g}")
    if (near < Fraction(end)) == (end < middle) and near != Fraction(end):
        step = Fraction(10) ** (math.floor(math.log10(abs(end))) - 5) if end else Fraction(1, 10**6)
        near += step if end < middle else -step
    return near


def _cut(prior: Law, ends: Sequence[Fraction]) -> Law:
    """Return the prior cut to an interval, with the weights that it has."""
    if isinstance(prior, Reweighted):
        return Reweighted(Truncated(prior.base, *ends), prior.strength, of=prior.of, pivot=prior.pivot)
    return Truncated(prior.law if isinstance(prior, Truncated) else prior, *ends)


@subject_of.register
def _(model: Family, schema: Schema | None, distance: object) -> OneParameter:
    if schema is None:
        raise model.refusal("a family needs the schema of its column")
    model.check(schema)
    model.check_unit(schema)
    codes = np.arange(schema.column(model.column).size)
    base, unit = model.grid(schema)
    summands = model.summand(schema).of({model.column: codes})
    statistics = float(base) + float(unit) * summands.astype(float)
    points = np.stack([statistics, natural_of(model).base(statistics)], axis=1)
    values = schema.column(model.column).values
    asked = "records" if distance is None else distance
    made = to_distance(asked, values, statistics, points, model.family)
    return OneParameter(model, schema, statistics, made, made.chords(points))
