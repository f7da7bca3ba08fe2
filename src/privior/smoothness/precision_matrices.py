"""Precision matrices of known mean and bounded eigenvalues, under the eyes of the analysis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations, product
from typing import ClassVar

import numpy as np

from privior.arrays import Floats
from privior.exact import round_up
from privior.models.families import MultivariateNormalPrecision
from privior.models.families.family import numeric
from privior.models.laws.bounded_wishart import log_wishart_mass
from privior.models.laws.matrices import inverse
from privior.schema import Schema
from privior.smoothness.distances import MOST_VALUES, Distance
from privior.smoothness.matrix_law import MatrixLaw, Rate
from privior.smoothness.normal_vectors import UP, SeveralColumns, checked, vectors
from privior.smoothness.subject import Contrast, Cut, on_fewer, replaced_numbers, subject_of
from privior.theory.likelihood_ratio import RatioTest

#: points of integrals in each direction, and the share of a law that may be lost in them
_NODES, _ROUNDING = 96, 1e-7
#: at so many slopes a mass is computed; between them the next lower one speaks
_MOST_SLOPES = 200


@dataclass(frozen=True)
class Precisions(SeveralColumns):
    """X with eigenvalues in [a, b], u and v two deviations from the known mean.

    log p(x) - log p(y) = trace(X M) / 2, M = v v' - u u', which has an eigenvalue s >= 0, one t <= 0, and
    else 0: s, t = ((|v|^2 - |u|^2) +- D) / 2, D = sqrt((|u|^2 + |v|^2)^2 - 4 (u'v)^2). As a <= X <= b,
    trace(X M) is between a s + b t and b s + a t, and reaches both where X has the eigenvectors of M. So L is
    the largest (b s + a t) / 2, at most b |v|^2 / 2, and the oscillation the largest (b - a) D / 2, at most
    (b - a) R^2, R the largest deviation: at a corner. A draw from the posterior of any prior on these X has
    a loss in a range of that length (as for every likelihood: docs/guarantees.md).

    l(X) is at most R^2 / 2 times the largest eigenvalue: the chance of l > L is at most that of an eigenvalue
    above 2 L / R^2. For two columns that is one mass over another (`bounded_wishart`).
    """

    model: MultivariateNormalPrecision
    schema: Schema
    distance: Distance
    smoothest: ClassVar[float] = 0.0

    @property
    def computed(self) -> str:  # type: ignore[override]
        """What is known of matrices of two columns, and of more."""
        if self.two:
            return (
                "L, and bounds of masses by the largest eigenvalue, in floating point, rounded up; Theorem 6 "
                "by integrals, the best test by sums over many matrices, with an error that is estimated; "
                "the guarantee by how far likelihood ratios vary"
            )
        return (
            "bounds in floating point, rounded up. For other than two columns neither the chance of smoother "
            "matrices nor their mean likelihood is known: nothing is said of masses, Theorem 6 and tests. "
            "The guarantee is that of draws made exactly, which privior makes of two columns only"
        )

    @property
    def two(self) -> bool:
        """Whether records have two columns."""
        return len(self.sides) == 2

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
    def farthest(self) -> float:
        """R^2, the square of the largest deviation."""
        ends = zip(self.sides, self.model.mean, strict=True)
        return sum(max((low - float(c)) ** 2, (high - float(c)) ** 2) for (low, high), c in ends) * UP

    @cached_property
    def _eigenvalues(self) -> tuple[Floats, Floats] | None:
        """s and t of all pairs of records; None if there are too many."""
        records = self._records
        if records is None:
            return None
        inner = records @ records.T
        squares = np.diag(inner)
        plus, minus = squares[:, np.newaxis] + squares, squares[:, np.newaxis] - squares
        root = np.sqrt(np.maximum(plus**2 - 4 * inner**2, 0.0))
        return (minus + root) / 2, (minus - root) / 2

    @cached_property
    def ends(self) -> tuple[float, float]:
        """Both ends of the eigenvalues under the prior."""
        return float(self.model.prior.lower), float(self.model.prior.upper)

    @cached_property
    def roughest(self) -> float:
        """Over all pairs of records if there are few; else by the corner."""
        low, high = self.ends
        if self._eigenvalues is None:
            return high * self.farthest / 2
        above, below = self._eigenvalues
        slopes = (high * above + low * below) / 2
        apart = self.distance.table_of(len(slopes))
        return float((slopes[apart > 0] / apart[apart > 0]).max()) * UP

    @cached_property
    def oscillation(self) -> float:
        """Over all pairs of records if there are few; else by the model's own bound, or by the corner."""
        low, high = self.ends
        if self._eigenvalues is None:
            return round_up(self.model.oscillation(self.schema)) if self.two else (high - low) * self.farthest
        above, below = self._eigenvalues
        return (high - low) * float((above - below).max()) / 2 * UP

    def outside(self, slopes: Floats) -> Floats:
        """Of two columns by the largest eigenvalue; of more it is known only that none is rougher than L."""

        def above(level: float) -> float:
            if level >= self.roughest:
                return 0.0
            return self._above(2 * level * self.nearest / (self.farthest * UP)) if self.two else 1.0

        return on_fewer(np.asarray(slopes, np.float64), _MOST_SLOPES, above)

    def _above(self, top: float) -> float:
        """Return the prior's chance of an eigenvalue above a number, never too small."""
        low, high = self.ends
        if not low < top < high:
            return float(top <= low)
        whole = self.log_mass(0, self.rate, high)
        return min(1.0, -math.expm1(self.log_mass(0, self.rate, top) - whole) + _ROUNDING)

    @cached_property
    def rate(self) -> Rate:
        """The prior's rate matrix, the inverse of its scale."""
        (first, beside), (_, second) = inverse(self.model.prior.scale)
        return Rate(first, beside, second)

    def log_mass(self, records: int, rate: Rate, high: float) -> float:
        """Return the log of the mass of matrices with eigenvalues up to a number, given so many records."""
        least, most = (np.array([one]) for one in rate.eigenvalues)
        degrees = float(self.model.prior.degrees) + records
        return float(log_wishart_mass(degrees, least, most, self.ends[0], high, nodes=_NODES)[0])

    @cached_property
    def marks(self) -> list[tuple[int, tuple[Fraction, Fraction]]]:
        """Records of a grid of 3 x 3, at ends and in the middle: their places and deviations."""
        (first, step, size), (second, pace, across) = (
            numeric(self.schema, name, self.model.family) for name in self.model.vector
        )
        x, y = self.model.mean
        return [
            (i * across + j, (first + step * i - x, second + pace * j - y))
            for i in sorted({0, size // 2, size - 1})
            for j in sorted({0, across // 2, across - 1})
        ]

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Two columns: records far from the mean replaced by others across, or near, the rest anywhere."""
        if not self.two:
            return ()
        marks = self.marks
        squares = [Rate.of(1, deviation).matrix for _, deviation in marks]
        far, across = max(
            combinations(range(len(marks)), 2),
            key=lambda two: float(np.linalg.norm(squares[two[0]] - squares[two[1]], "nuc")),
        )
        near = min(range(len(marks)), key=lambda place: float(np.trace(squares[place])))
        # as a posterior given records near the mean sees them
        rate = self.rate + Rate.of(records, marks[near][1])
        axes = rate.eigenvectors / np.sqrt(rate.eigenvalues)
        white = [axes.T @ square @ axes for square in squares]
        best = max(
            combinations(range(len(marks)), 2),
            key=lambda two: float(np.linalg.norm(white[two[0]] - white[two[1]])),
        )
        found = []
        for replaced in replaced_numbers(records):
            pairs = {(far, across), (far, near), (across, near), best} if replaced == 1 else {(far, across)}
            for one, two in sorted(pair for pair in pairs if pair[0] != pair[1]):
                rest = records - replaced
                others = {"near": near, "far": far, "there": two}
                for where, other in others.items() if rest else [("nowhere", near)]:
                    common = self.rate + Rate.of(rest, marks[other][1])
                    p, q = (common + Rate.of(replaced, marks[place][1]) for place in (one, two))
                    about = f"{replaced} replaced, the others {where}" if rest else "all replaced"
                    apart = replaced * self.distance.apart(marks[one][0], marks[two][0])
                    tests = [(p, q), (q, p)] if replaced == 1 else [(p, q)]
                    found += [Contrast(about, replaced, apart, self._test(records, *both)) for both in tests]
        return found

    def _test(self, records: int, one: Rate, two: Rate) -> RatioTest:
        """Return the best test between the posteriors of two rates: the loss is trace(M X) - constant."""
        low, high = self.ends
        law = MatrixLaw(one, float(self.model.prior.degrees) + records, low, high)
        constant = self.log_mass(records, one, high) - self.log_mass(records, two, high)
        change = [two.first - one.first, two.beside - one.beside, two.second - one.second]
        traces = law.along(Rate(*change).matrix / 2)
        return RatioTest(lambda losses: traces.below(losses + constant), error=traces.error)

    def cuts(self, records: int) -> Sequence[Cut]:
        """The matrices with eigenvalues up to a number, for several; none where their chance is not known.

        The oscillation is a multiple of b - a, so that of a cut is known.
        """
        if not self.two:
            return ()
        (low, high), found = self.ends, []
        for share in (0.1, 0.25, 0.5, 0.75, 1.0):
            top = low + share * (high - low)
            level = min(top * self.farthest / (2 * self.nearest), self.roughest)
            kept = f"eigenvalues up to {top:.4g}"
            if (outside := self._above(top)) < 1:
                found.append(Cut(level, outside, kept, share * self.oscillation * UP))
        return found

    def _top(self) -> float:
        return self.roughest


@subject_of.register
def _(model: MultivariateNormalPrecision, schema: Schema | None, distance: object) -> Precisions:
    schema = checked(model, schema)
    return Precisions(model, schema, vectors(model, schema, distance))
