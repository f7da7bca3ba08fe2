"""Families of several parameters of the Normal law, under the eyes of the analysis.

    log p(x) - log p(y) = (q(y) - q(x)) / 2,    q(x) = (x - mu)' X (x - mu), X the precision

What is known of l and of its mass under the prior differs by family, and is a bound where no closed form is
known: `outside` is never too small, `roughest` and `oscillation` never either. Each subject says so.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privior.errors import ModelError
from privior.models.families import (
    JointFamily,
    MultivariateNormalMean,
    MultivariateNormalPrecision,
    NormalMeanPrecision,
)
from privior.models.families.family import numeric
from privior.models.laws.matrices import floats
from privior.privacy import REPLACE_ONE
from privior.privacy.pairs import DominatingPair
from privior.schema import Schema
from privior.smoothness.distances import MOST_VALUES, Distance, Replaced, to_distance
from privior.smoothness.subject import Contrast, Cut, Subject, subject_of
from privior.theory.likelihood_ratio import RatioTest

Floats = NDArray[np.float64]

#: what is added to numbers that are found in floating point and must not be too small
_UP = 1 + 1e-9
#: intervals of the precision over which a mass is summed, and levels at which it is
_BINS, _MOST_LEVELS = 800, 200


class NormalVectors(Subject):
    """A family of several parameters, its prior and a distance of records."""

    model: JointFamily
    schema: Schema
    distance: Distance
    mass_bounded = True

    @property
    def words(self) -> str:  # type: ignore[override]
        """The family and its prior."""
        return str(self.model)

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """The family's own pair; where it has none, the oscillation's."""
        try:
            return self.model.draw_pair(self.schema, records, Fraction(1), draws)
        except ModelError:
            return super().pair(records, draws)

    @abstractmethod
    def _top(self) -> float:
        """Return a level up to which a cut is worth looking at."""

    def cuts(self, records: int) -> Sequence[Cut]:
        """The parameters with l <= L: a draw costs 2 L rho (no exact loss is known)."""
        found = []
        for share in (0.1, 0.25, 0.5, 0.75, 1.0):
            level = share * self._top()
            outside = float(self.outside(np.array([level]))[0])
            if outside < 1:
                kept = f"all of slope at most {level:.4g}"
                found.append(Cut(level, outside, kept, 2 * level * self.distance.reach * _UP))
        return found


# A mean and a precision


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
    computed: ClassVar[str] = (  # type: ignore[misc]
        "L in floating point from closed forms; masses are bounds, summed over intervals of the precision; "
        "the guarantee exactly"
    )
    advice: ClassVar[str] = "cut the prior to a box: means=(..., ...), precisions=(..., ...)"  # type: ignore[misc]

    def steepness(self, means: Floats) -> Floats:
        """Return k."""
        parts = np.array_split(means, max(1, means.size * len(self.chords) // 10**6))
        each = [np.abs(np.outer(part, self.chords[:, 0]) + self.chords[:, 1]).max(axis=1) for part in parts]
        return np.concatenate(each)

    @cached_property
    def _means(self) -> tuple[float, float]:
        cut = self.model.prior.means
        return (-math.inf, math.inf) if cut is None else (float(cut[0]), float(cut[1]))

    @cached_property
    def _precisions(self) -> tuple[float, float]:
        cut = self.model.prior.precisions
        return (0.0, math.inf) if cut is None else (float(cut[0]), float(cut[1]))

    @cached_property
    def roughest(self) -> float:
        """Convex in mu, linear in tau: at a corner of the box."""
        if self.model.prior.box is None:
            return math.inf
        return float(self.steepness(np.array(self._means)).max()) * self._precisions[1]

    @cached_property
    def smoothest(self) -> float:
        """The least k times the least precision."""
        low, high = 0.0, float(self.steepness(np.array([float(self.model.prior.mean)]))[0])
        while not self._meets(high):
            high *= 2
        for _ in range(100):
            middle = (low + high) / 2
            low, high = (low, middle) if self._meets(middle) else (middle, high)
        return low * self._precisions[0]

    def _meets(self, level: float) -> bool:
        low, high = self._sublevels(np.array([level]))
        return bool(max(low[0], self._means[0]) <= min(high[0], self._means[1]))

    @cached_property
    def oscillation(self) -> float:
        """Of the box, over all real records in the range."""
        if self.model.prior.box is None:
            return math.inf
        return math.nextafter(float(self.model.oscillation(self.schema)), math.inf)

    @cached_property
    def _bins(self) -> tuple[Floats, Floats]:
        """Return the ends of intervals of tau, and the chance of each."""
        from scipy.special import gammainc, gammaincc, gammainccinv, gammaincinv

        shape, rate = float(self.model.prior.shape), float(self.model.prior.rate)
        low, high = (end * rate for end in self._precisions)
        least = max(low, float(gammaincinv(shape, 1e-14)), 1e-290)
        most = min(high, float(gammainccinv(shape, 1e-300)))
        ends = np.unique(
            np.concatenate([[low], np.geomspace(least, max(most, least * 1.001), _BINS), [high]])
        )
        ends = ends[(ends >= low) & (ends <= high)]
        below, above = gammainc(shape, ends), gammaincc(shape, ends)
        chances = np.where(below[:-1] < 0.5, np.diff(below), -np.diff(above))
        return ends / rate, np.maximum(chances, 0.0)

    def outside(self, levels: Floats) -> Floats:
        """A bound; many levels are taken from a coarser grid, each from the point below it."""
        if levels.size > _MOST_LEVELS:
            order = np.unique(np.linspace(0, levels.size - 1, _MOST_LEVELS).astype(int))
            found = self.outside(levels[order])
            return np.asarray(found[np.searchsorted(levels[order], levels, side="right") - 1])
        return np.array([self._outside(float(level)) for level in levels])

    def _outside(self, level: float) -> float:
        ends, chances = self._bins
        if level >= self.roughest:
            return 0.0
        first, last = self._means
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
        return min(1.0, float(np.minimum(cut, self._far(level)) @ chances / (whole @ chances)))

    def _far(self, level: float) -> Floats:
        """Bound the chance of l > L in each bin, whatever the cut of mu: what counts where tau is small.

        k is at most k(m) + s |mu - m|, and mu - m is Z / sqrt(strength tau), so l is at most tau k(m) + s |Z|
        sqrt(tau / strength), which rises with tau.
        """
        from scipy.special import ndtr

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
        from scipy.special import ndtr

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

    @cached_property
    def limit_rate(self) -> float:
        """The least (rate + strength (mu - m)^2 / 2) / k(mu): where tau k(mu) = L is most likely.

        A Normal tail, if it is the precision that is bounded.
        """
        if math.isfinite(self._precisions[1]):
            return math.inf
        prior = self.model.prior
        centre, near = float(prior.mean), math.sqrt(2 * float(prior.rate) / float(prior.strength))
        reach = near + float(np.abs(self.chords[:, 1]).max() / np.abs(self.chords[:, 0]).max()) + abs(centre)
        steps = np.linspace(-20 * reach, 20 * reach, 40_001)
        means = np.clip(centre + steps, *self._means)
        costs = float(prior.rate) + float(prior.strength) * (means - centre) ** 2 / 2
        with np.errstate(divide="ignore"):
            return float((costs / self.steepness(means)).min()) * (1 - 1e-3)

    def log_ratio(self, records: int) -> float | None:
        """Equal records have an unbounded likelihood where the precision is; else it was not computed."""
        return math.inf if math.isinf(self._precisions[1]) else None

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
    schema = _checked(model, schema)
    values = schema.column(model.column).values
    numbers = np.array([float(value) for value in values])  # type: ignore[arg-type]
    points = np.stack([numbers, -(numbers**2) / 2], axis=1)
    made = to_distance("records" if distance is None else distance, values, None, points, model.family)
    return MeanPrecision(model, schema, made, made.chords(points))


# Several columns


class SeveralColumns(NormalVectors):
    """Records are vectors: all grid points of a box."""

    @cached_property
    def sides(self) -> list[tuple[float, float]]:
        """The range of each column."""
        grids = [numeric(self.schema, name, self.model.family) for name in self.model.vector]
        return [(float(lower), float(lower + step * (size - 1))) for lower, step, size in grids]

    @cached_property
    def nearest(self) -> float:
        """The least distance of two records that differ: slopes are at most those of "records" over it."""
        if isinstance(self.distance, Replaced):
            return 1.0
        size = math.prod(self.schema.column(name).size for name in self.model.vector)
        places = [(one, two) for one in range(size) for two in range(one)]
        return min(apart for one, two in places if (apart := self.distance.apart(one, two)) > 0)


@dataclass(frozen=True)
class Means(SeveralColumns):
    """theta ~ Normal(m, V), records Normal(theta, S): l is unbounded.

    log p(x) - log p(y) = d' S^-1 (theta - m) + (g(x) - g(y)), d = x - y, g the log likelihood at theta = m.
    The first is convex in d, so at most the largest of |Z_d| over the corners d of the box of differences,
    Z_d Normal of variance d' S^-1 V S^-1 d; by Cauchy and Schwarz all are at most their largest deviation
    times a chi variable. The second is at most -min g, which is at a corner of the box of records.
    """

    model: MultivariateNormalMean
    schema: Schema
    distance: Distance
    smoothest: ClassVar[float] = 0.0
    roughest: ClassVar[float] = math.inf
    oscillation: ClassVar[float] = math.inf
    computed: ClassVar[str] = (  # type: ignore[misc]
        "masses are bounds: slopes at most those of opposite corners; the guarantee exactly"
    )
    advice: ClassVar[str] = (  # type: ignore[misc]
        "this prior cannot be cut; the exact guarantee of draws has a delta"
    )

    @cached_property
    def _deviations(self) -> Floats:
        """Of Z_d, for all corners d up to their sign."""
        spans = [high - low for low, high in self.sides]
        signs = product((1.0, -1.0), repeat=len(spans) - 1)
        corners = np.array(
            [[spans[0], *(s * w for s, w in zip(some, spans[1:], strict=True))] for some in signs]
        )
        pulls = np.linalg.solve(floats(self.model.covariance), corners.T)
        variances = np.einsum("ic,ij,jc->c", pulls, floats(self.model.prior.covariance), pulls)
        return np.asarray(np.sqrt(variances) * _UP)

    @cached_property
    def _start(self) -> float:
        """-min g."""
        corners = np.array(list(product(*self.sides))) - [float(one) for one in self.model.prior.mean]
        known = np.linalg.solve(floats(self.model.covariance), corners.T)
        return float(np.einsum("ci,ic->c", corners, known).max()) / 2 * _UP

    def outside(self, levels: Floats) -> Floats:
        """The smaller of both bounds."""
        from scipy.special import gammaincc, ndtr

        away = np.maximum(np.asarray(levels) * self.nearest - self._start, 0.0)[:, np.newaxis]
        single = (2 * ndtr(-away / self._deviations)).sum(axis=1)
        together = gammaincc(len(self.sides) / 2, (away[:, 0] / self._deviations.max()) ** 2 / 2)
        return np.asarray(np.minimum(np.minimum(single, together), 1.0))

    def log_ratio(self, records: int) -> float | None:
        """Not computed."""
        return None

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Records at opposite corners: the posteriors are Normal, and the loss of a draw is too."""
        pair = self.model.draw_pair(self.schema, records, Fraction(1), 1)
        shift = math.sqrt(2 * pair.renyi(1.0))  # of a Gaussian pair: the distance of the whitened means
        numbers = sorted({1, *(n for n in (2, 5, 10, 30, 100, 300, 1000) if n <= records), records})
        reach = self.distance.reach
        return [
            Contrast(f"{n} moved between opposite corners", n, n * reach, _normal_test(n * shift))
            for n in numbers
            if shift > 0 and isinstance(self.distance, Replaced)
        ]

    def _top(self) -> float:
        return (self._start + 6 * float(self._deviations.max())) / self.nearest


def _normal_test(shift: float) -> RatioTest:
    """Return the test between Normal laws of unit variance, so far apart."""
    from scipy.special import ndtr

    return RatioTest(lambda losses: np.asarray(ndtr((losses - shift**2 / 2) / shift)))


@dataclass(frozen=True)
class Precisions(SeveralColumns):
    """X with eigenvalues in [a, b], u and v two deviations from the known mean.

    log p(x) - log p(y) = trace(X M) / 2, M = v v' - u u', which has an eigenvalue s >= 0, one t <= 0, and
    else 0: s, t = ((|v|^2 - |u|^2) +- D) / 2, D = sqrt((|u|^2 + |v|^2)^2 - 4 (u'v)^2). As a <= X <= b,
    trace(X M) is between a s + b t and b s + a t, and reaches both where X has the eigenvectors of M. So L is
    the largest (b s + a t) / 2, at most b |v|^2 / 2, and the oscillation the largest (b - a) D / 2, at most
    (b - a) R^2, R the largest deviation: at a corner. A draw from the posterior of any prior on these X has
    a loss in a range of that length (as for every likelihood: docs/guarantees.md).
    """

    model: MultivariateNormalPrecision
    schema: Schema
    distance: Distance
    smoothest: ClassVar[float] = 0.0
    computed: ClassVar[str] = (  # type: ignore[misc]
        "bounds in floating point, rounded up. The chance of smoother matrices has no closed form under a "
        "Wishart law with bounded eigenvalues: nothing is said of it. The guarantee is that of draws made "
        "exactly, which privior does not make of this family"
    )

    @cached_property
    def _records(self) -> Floats | None:
        """All deviations, if there are few records."""
        grids = [numeric(self.schema, name, self.model.family) for name in self.model.vector]
        if math.prod(size for _, _, size in grids) > MOST_VALUES:
            return None
        axes = [[float(lower + step * i - centre) for i in range(size)] for (lower, step, size), centre in
                zip(grids, self.model.mean, strict=True)]  # fmt: skip
        return np.array(list(product(*axes)))

    @cached_property
    def _farthest(self) -> float:
        """R^2."""
        ends = zip(self.sides, self.model.mean, strict=True)
        return sum(max((low - float(c)) ** 2, (high - float(c)) ** 2) for (low, high), c in ends) * _UP

    @cached_property
    def _eigenvalues(self) -> tuple[Floats, Floats] | None:
        """s and t of all pairs."""
        records = self._records
        if records is None:
            return None
        inner = records @ records.T
        squares = np.diag(inner)
        plus, minus = squares[:, np.newaxis] + squares, squares[:, np.newaxis] - squares
        root = np.sqrt(np.maximum(plus**2 - 4 * inner**2, 0.0))
        return (minus + root) / 2, (minus - root) / 2

    @cached_property
    def _ends(self) -> tuple[float, float]:
        return float(self.model.prior.lower), float(self.model.prior.upper)

    @cached_property
    def roughest(self) -> float:
        """Over all pairs of records if there are few; else by the corner."""
        low, high = self._ends
        if self._eigenvalues is None:
            return high * self._farthest / 2
        above, below = self._eigenvalues
        slopes = (high * above + low * below) / 2
        size = range(len(slopes))
        apart = np.array([[self.distance.apart(one, two) for two in size] for one in size])
        return float((slopes[apart > 0] / apart[apart > 0]).max()) * _UP

    @cached_property
    def oscillation(self) -> float:
        """Likewise."""
        low, high = self._ends
        if self._eigenvalues is None:
            return (high - low) * self._farthest
        above, below = self._eigenvalues
        return (high - low) * float((above - below).max()) / 2 * _UP

    def outside(self, levels: Floats) -> Floats:
        """All that is known: none is rougher than L."""
        return np.where(np.asarray(levels) >= self.roughest, 0.0, 1.0)

    def log_ratio(self, records: int) -> float | None:
        """Not computed."""
        return None

    def cuts(self, records: int) -> Sequence[Cut]:
        """None: what a cut leaves is not known."""
        return ()

    def _top(self) -> float:
        return self.roughest


def _vectors(model: JointFamily, schema: Schema, asked: object) -> Distance:
    """Return the distance that was asked for; all values of vectors are listed for an own one."""
    if asked is None or asked == "records":
        return Replaced()
    columns = [schema.column(name) for name in model.vector]
    size = math.prod(column.size for column in columns)
    if callable(asked) and size > MOST_VALUES:
        raise ModelError(
            "too many values for a distance that is asked for every pair",
            where=model.family,
            asked=size,
            allowed=MOST_VALUES,
            advice="Take coarser grids, or the distance 'records'.",
        )
    values = list(product(*(column.values for column in columns))) if callable(asked) else [("a", "vector")]
    shifts = [[0.0] * len(columns)] * len(values)
    if callable(asked):
        shifts = [[float(number) for number in value] for value in values]  # type: ignore[arg-type]
    points = np.array(shifts)
    if isinstance(model, MultivariateNormalPrecision):  # opposite deviations are as likely
        points = points - [float(one) for one in model.mean]
        points = np.einsum("ri,rj->rij", points, points).reshape(len(points), -1)
    return to_distance(asked, values, None, points, model.family)


@subject_of.register
def _(model: MultivariateNormalMean, schema: Schema | None, distance: object) -> Means:
    schema = _checked(model, schema)
    return Means(model, schema, _vectors(model, schema, distance))


@subject_of.register
def _(model: MultivariateNormalPrecision, schema: Schema | None, distance: object) -> Precisions:
    schema = _checked(model, schema)
    return Precisions(model, schema, _vectors(model, schema, distance))


def _checked(model: JointFamily, schema: Schema | None) -> Schema:
    if schema is None:
        raise ModelError("a family needs the schema of its columns", where=model.family)
    model.summands(schema, REPLACE_ONE)
    model.sensitivity(schema, REPLACE_ONE)  # refuses records that are dropped
    return schema
