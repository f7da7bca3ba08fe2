"""A Normal law of unknown mean and precision, under the eyes of the analysis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np

from privior.arrays import Floats
from privior.models.families import NormalMeanPrecision
from privior.schema import Schema
from privior.smoothness.distances import Distance, to_distance
from privior.smoothness.normal_gamma import NormalGammaLaw
from privior.smoothness.normal_vectors import NormalVectors, checked
from privior.smoothness.subject import Contrast, on_fewer, replaced_numbers, subject_of
from privior.special import gammainc, gammaincc, gammainccinv, gammaincinv, ndtr
from privior.theory.likelihood_ratio import RatioTest

#: intervals of the precision over which a mass is summed, and slopes at which it is
_BINS, _MOST_SLOPES = 800, 200


@dataclass(frozen=True)
class MeanPrecision(NormalVectors):
    """Normal-Gamma: l = tau k(mu), k the largest of finitely many |s mu + q|, which is convex.

    Given tau, {l <= L} is an interval of mu, of known chance. Over tau the chance is summed by intervals, in
    each of which every factor is taken at the end where it is larger: never too small.
    """

    model: NormalMeanPrecision
    schema: Schema
    distance: Distance
    chords: Floats
    values: Floats
    computed: ClassVar[str] = (  # type: ignore[misc]
        "L in floating point from closed forms; masses are bounds, summed over intervals of the precision; "
        "posteriors by integrals in floating point; the guarantee by how far likelihood ratios vary, exactly"
    )
    advice: ClassVar[str] = "cut the prior to a box: means=(..., ...), precisions=(..., ...)"  # type: ignore[misc]

    def steepness(self, means: Floats) -> Floats:
        """Return k, which is l over the precision, at many means."""
        parts = np.array_split(means, max(1, means.size * len(self.chords) // 10**6))
        each = [np.abs(np.outer(part, self.chords[:, 0]) + self.chords[:, 1]).max(axis=1) for part in parts]
        return np.concatenate(each)

    @cached_property
    def means(self) -> tuple[float, float]:
        """Both ends of the mean under the prior."""
        cut = self.model.prior.means
        return (-math.inf, math.inf) if cut is None else (float(cut[0]), float(cut[1]))

    @cached_property
    def precisions(self) -> tuple[float, float]:
        """Both ends of the precision under the prior."""
        cut = self.model.prior.precisions
        return (0.0, math.inf) if cut is None else (float(cut[0]), float(cut[1]))

    @cached_property
    def roughest(self) -> float:
        """Convex in mu, linear in tau: at a corner of the box."""
        if self.model.prior.box is None:
            return math.inf
        return float(self.steepness(np.array(self.means)).max()) * self.precisions[1]

    @cached_property
    def smoothest(self) -> float:
        """The least k times the least precision."""
        low, high = 0.0, float(self.steepness(np.array([float(self.model.prior.mean)]))[0])
        while not self._meets(high):
            high *= 2
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if self._meets(middle) else (middle, high)
        return low * self.precisions[0]

    def _meets(self, level: float) -> bool:
        low, high = self._sublevels(np.array([level]))
        return bool(max(low[0], self.means[0]) <= min(high[0], self.means[1]))

    @cached_property
    def oscillation(self) -> float:
        """How far the log likelihood ratio varies over the box, for all real records in the range."""
        if self.model.prior.box is None:
            return math.inf
        return math.nextafter(float(self.model.oscillation(self.schema)), math.inf)

    @cached_property
    def _bins(self) -> tuple[Floats, Floats]:
        """Return the ends of intervals of tau, and the chance of each."""
        shape, rate = float(self.model.prior.shape), float(self.model.prior.rate)
        low, high = (end * rate for end in self.precisions)
        least = max(low, float(gammaincinv(shape, 1e-14)), 1e-290)
        most = min(high, float(gammainccinv(shape, 1e-300)))
        ends = np.unique(
            np.concatenate([[low], np.geomspace(least, max(most, least * 1.001), _BINS), [high]])
        )
        ends = ends[(ends >= low) & (ends <= high)]
        below, above = gammainc(shape, ends), gammaincc(shape, ends)
        chances = np.where(below[:-1] < 0.5, np.diff(below), -np.diff(above))
        return ends / rate, np.maximum(chances, 0.0)

    def outside(self, slopes: Floats) -> Floats:
        """A bound: a sum over intervals of the precision."""
        return on_fewer(slopes, _MOST_SLOPES, self._outside)

    def _outside(self, level: float) -> float:
        ends, chances = self._bins
        if level >= self.roughest:
            return 0.0
        first, last = self.means
        with np.errstate(divide="ignore"):
            allowed = np.where(np.isinf(ends[1:]), 0.0, level / ends[1:])  # of k, at the upper end of tau
        lows, highs = self._sublevels(allowed)
        empty = (lows > highs) | (lows >= last) | (highs <= first)
        left = np.clip(np.where(empty, last, lows), first, last)
        right = np.clip(np.where(empty, last, highs), first, last)
        cut = self._chance(np.full_like(left, first), left, True)
        cut = cut + self._chance(right, np.full_like(right, last), True)
        whole = self._chance(np.full_like(left, first), np.full_like(left, last), False)
        if self.model.prior.means is None:
            whole = np.ones_like(whole)
        kept = float(whole @ chances)
        return min(1.0, float(np.minimum(cut, self._far(level)) @ chances) / kept) if kept > 0 else 1.0

    def _far(self, level: float) -> Floats:
        """Bound the chance of l > L in each bin, whatever the cut of mu: what counts where tau is small.

        k is at most k(m) + s |mu - m|, and mu - m is Z / sqrt(strength tau), so l is at most tau k(m) + s |Z|
        sqrt(tau / strength), which rises with tau.
        """
        prior, tops = self.model.prior, self._bins[0][1:]
        steep = float(np.abs(self.chords[:, 0]).max())
        own = float(self.steepness(np.array([float(prior.mean)]))[0])
        with np.errstate(invalid="ignore"):
            away = (level - tops * own) / (steep * np.sqrt(tops / float(prior.strength)))
        return np.where(away > 0, 2 * ndtr(-np.maximum(np.nan_to_num(away), 0.0)), 1.0)

    def _sublevels(self, levels: Floats) -> tuple[Floats, Floats]:
        """Return the intervals of mu with k at most each level; crossed ends if there are none."""
        slopes, shifts = self.chords.T
        flat = slopes == 0
        lows, highs = np.full(levels.size, -math.inf), np.full(levels.size, math.inf)
        if not flat.all():
            centres, widths = -shifts[~flat] / slopes[~flat], 1 / np.abs(slopes[~flat])
            spread = np.outer(levels, widths)
            lows, highs = (centres - spread).max(axis=1), (centres + spread).min(axis=1)
        barred = levels < np.abs(shifts[flat]).max(initial=0.0)
        return np.where(barred, math.inf, lows), np.where(barred, -math.inf, highs)

    def _chance(self, low: Floats, high: Floats, most: bool) -> Floats:
        """Return the chance that mu is between two numbers, at most or at least, for tau in each bin.

        The chance of mu below c is Phi((c - m) sqrt(strength tau)), which rises in tau if c > m.
        """
        ends, _ = self._bins
        strength, mean = float(self.model.prior.strength), float(self.model.prior.mean)
        roots = np.sqrt(strength * ends)

        def scaled(points: Floats, larger: bool) -> Floats:
            """(c - m) root, at the end of the bin where it is larger or smaller."""
            upper = (points > mean) == larger
            with np.errstate(invalid="ignore"):
                found = np.where(
                    points == mean, 0.0, (points - mean) * np.where(upper, roots[1:], roots[:-1])
                )
            return np.asarray(np.nan_to_num(found, nan=0.0, posinf=math.inf, neginf=-math.inf))

        top, bottom = scaled(high, most), scaled(low, not most)
        if not most:
            return np.asarray(np.maximum(ndtr(top) - ndtr(bottom), 0.0))
        found = np.where(bottom > 0, ndtr(-bottom) - ndtr(-top), ndtr(top) - ndtr(bottom))
        return np.asarray(np.where(high > low, np.maximum(found, 0.0), 0.0))

    # What follows from posteriors

    def posterior(self, records: int, total: float, squares: float) -> NormalGammaLaw:
        """Return the law of mean and precision given the sums of records and of their squares."""
        prior = self.model.prior
        mean, strength, shape, rate = (
            float(one) for one in (prior.mean, prior.strength, prior.shape, prior.rate)
        )
        centre = (strength * mean + total) / (strength + records)
        around = squares - 2 * centre * total + records * centre**2 + strength * (centre - mean) ** 2
        updated = strength + records, shape + records / 2, rate + max(around, 0.0) / 2
        return NormalGammaLaw(centre, *updated, self.means, self.precisions)

    @cached_property
    def marks(self) -> list[int]:
        """The places of the least, a middle and the largest value."""
        return sorted({0, len(self.values) // 2, len(self.values) - 1})

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Records replaced by others far off, where the rest is in the middle, at both ends or with them."""
        first, middle, last = self.marks[0], self.marks[-2], self.marks[-1]
        found = []
        for replaced in replaced_numbers(records):
            pairs = [(last, first), (last, middle), (first, middle)] if replaced == 1 else [(last, first)]
            for one, two in ((one, two) for one, two in dict.fromkeys(pairs) if one != two):
                rest = records - replaced
                others = {
                    "in the middle": (middle, middle),
                    "at both ends": (first, last),
                    "there": (two, two),
                }
                for where, (left, right) in others.items() if rest else [("nowhere", (two, two))]:
                    common = [(rest - rest // 2, left), (rest // 2, right)]
                    p, q = (self._sums([*common, (replaced, place)]) for place in (one, two))
                    about = f"{replaced} replaced, the others {where}" if rest else "all replaced"
                    apart = replaced * self.distance.apart(one, two)
                    found.append(Contrast(about, replaced, apart, self._test(records, p, q)))
                    if replaced == 1:
                        found.append(Contrast(about, replaced, apart, self._test(records, q, p)))
        return found

    def _sums(self, shares: Sequence[tuple[int, int]]) -> tuple[float, float]:
        """Return the sum of records and of their squares, given how many are at which places."""
        values = [(number, float(self.values[place])) for number, place in shares]
        return sum(n * value for n, value in values), sum(n * value**2 for n, value in values)

    def _test(self, records: int, one: Sequence[float], two: Sequence[float]) -> RatioTest:
        """Return the best test between two posteriors: the loss is tau (slope mu + shift) - constant."""
        law, other = self.posterior(records, *one), self.posterior(records, *two)
        slope, shift = one[0] - two[0], (two[1] - one[1]) / 2
        constant = law.log_mass - other.log_mass
        return RatioTest(lambda losses: law.below(slope, shift, losses + constant))

    def _top(self) -> float:
        return self.roughest if math.isfinite(self.roughest) else 10 * self._middle

    @cached_property
    def _middle(self) -> float:
        """A level that is not exceeded by half of the prior."""
        level = max(self.smoothest, 1e-3)
        while self._outside(level) > 0.5:
            level *= 1.25
        return level


@subject_of.register
def _(model: NormalMeanPrecision, schema: Schema | None, distance: object) -> MeanPrecision:
    schema = checked(model, schema)
    values = schema.column(model.column).values
    numbers = np.array([float(value) for value in values])  # type: ignore[arg-type]
    points = np.stack([numbers, -(numbers**2) / 2], axis=1)
    made = to_distance("records" if distance is None else distance, values, None, points, model.family)
    return MeanPrecision(model, schema, made, made.chords(points), numbers)
