"""Tables with a Dirichlet prior, under the eyes of the analysis.

log p(x) is the log probability of the cell of x, so l(theta) is the log ratio of the largest probability to
the smallest (distance 1 for any two records): unbounded, as is the loss of a draw. With independent Gammas
G_i in place of the probabilities, the chance that max G / min G exceeds e^L is one integral over the
smallest of them.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from privior.arrays import Floats
from privior.models import DirichletTable
from privior.privacy import REPLACE_ONE
from privior.privacy.composition import compose_symmetric
from privior.privacy.pairs import DominatingPair, dirichlet_draw
from privior.schema import Schema
from privior.smoothness.distances import Distance, Replaced
from privior.smoothness.subject import Contrast, Cut, Subject, on_fewer, replaced_numbers, subject_of
from privior.smoothness.table_records import distance_of_cells, schema_of_table
from privior.special import betainc, betaln, expit, gammaincc, gammaincinv, gammaln
from privior.theory.likelihood_ratio import RatioTest

_POINTS, _MOST_SLOPES = 1200, 400


@dataclass(frozen=True)
class DirichletCells(Subject):
    """A table with a Dirichlet prior."""

    model: DirichletTable
    schema: Schema
    distance: Distance
    #: infinite, as the log of a probability is
    oscillation: ClassVar[float] = math.inf
    #: A probability may be as small as it likes
    roughest: ClassVar[float] = math.inf
    #: 0: under one parameter all cells are alike
    smoothest: ClassVar[float] = 0.0

    @property
    def mass_bounded(self) -> bool:  # type: ignore[override]
        """Where some cells are nearer to each other than others."""
        return not isinstance(self.distance, Replaced)

    @cached_property
    def alphas(self) -> list[Fraction]:
        """The prior parameters, the smallest first."""
        return sorted(self.model.exact_parameters(self.schema))

    @cached_property
    def groups(self) -> list[tuple[float, int]]:
        """Each prior parameter, and how many cells have it."""
        return [(float(alpha), times) for alpha, times in sorted(Counter(self.alphas).items())]

    @cached_property
    def nearest(self) -> float:
        """The least distance of two different records."""
        return self.distance.nearest(self.model.size(self.schema))

    def outside(self, slopes: Floats) -> Floats:
        """Exact if all distances are alike; else l <= (log max - log min) / (least distance) bounds it."""
        return on_fewer(slopes, _MOST_SLOPES, lambda slope: self._ratio_above(slope * self.nearest))

    def _ratio_above(self, log_ratio: float) -> float:
        """Return P[max G > e^L min G]: cell i is the smallest, at m, and not all others are within e^L."""
        if log_ratio <= 0:
            return 1.0
        points, steps, densities, tails = self._smallest
        far = points * math.exp(min(log_ratio, 700.0))
        beyond = np.array([gammaincc(alpha, far) for alpha, _ in self.groups])
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = np.where(tails > 0, np.minimum(beyond / tails, 1.0), 0.0)
            logs = np.log1p(-shares)
            log_tails = np.log(tails)
        times = np.array([count for _, count in self.groups])[:, np.newaxis]
        found = np.zeros_like(points)
        every, survived = (times * logs).sum(axis=0), (times * log_tails).sum(axis=0)
        for place, (_, count) in enumerate(self.groups):
            with np.errstate(invalid="ignore"):
                rest, alive = every - logs[place], survived - log_tails[place]
            missed = -np.expm1(np.where(np.isnan(rest), -np.inf, rest))
            found += count * densities[place] * np.exp(np.where(np.isnan(alive), -np.inf, alive)) * missed
        # what lies below the grid counts as outside
        below = -math.expm1(float(survived[0]))
        return min(1.0, float(found @ steps) + below)

    @cached_property
    def _smallest(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return points m, weights of an integral over log m, m times each density, and each upper tail."""
        low = min(math.log(max(float(gammaincinv(alpha, 1e-18)), 1e-300)) for alpha, _ in self.groups)
        low = max(low, -690.0)
        high = math.log(max(float(gammaincinv(alpha, 1 - 1e-15)) for alpha, _ in self.groups)) + 0.5
        logs = np.linspace(low, high, _POINTS)
        points = np.exp(logs)
        densities = np.array([np.exp(a * logs - points - gammaln(a)) for a, _ in self.groups])
        tails = np.array([gammaincc(a, points) for a, _ in self.groups])
        steps = np.full(_POINTS, logs[1] - logs[0])
        return points, steps, densities, tails

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """The Beta pair of the two smallest prior parameters."""
        one = dirichlet_draw(self.alphas, Fraction(1), REPLACE_ONE, records)
        return compose_symmetric([(one, draws)])

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Some records moved between the two cells of smallest prior, the others elsewhere or in them."""
        first, second = (float(alpha) for alpha in self.alphas[:2])
        found = []
        for moved in replaced_numbers(records):
            rest = records - moved
            places = [(rest, 0, "in one of them"), (rest // 2, rest - rest // 2, "in both alike")]
            if len(self.alphas) > 2:
                places.insert(0, (0, 0, "elsewhere"))
            for one, two, where in places if rest else places[:1]:
                about = f"{moved} moved between two cells, the others {where}" if rest else "all moved"
                ends = first + one, second + two
                found += [
                    Contrast(about, moved, moved * self.distance.reach, _beta_test(*order, moved))
                    for order in (ends, ends[::-1])
                ]
        return found

    def cuts(self, records: int) -> Sequence[Cut]:
        """Probabilities that differ by a factor of e^L at most: a draw costs 2 L (no exact loss is known)."""
        slopes = np.array([0.25, 0.5, 1.0, 2.0, 3.0, 5.0])
        chances = self.outside(slopes)
        return [
            Cut(
                float(slope), float(chance), f"largest over smallest at most {math.exp(slope):.4g}", 2 * slope
            )
            for slope, chance in zip(slopes, chances, strict=True)
        ]


def _beta_test(first: float, second: float, moved: int) -> RatioTest:
    """Return the test between Beta(a + d, b) and Beta(a, b + d), of which the draws' ratio is a function."""
    shift = float(betaln(first + moved, second) - betaln(first, second + moved))

    def below(losses: Floats) -> Floats:
        return np.asarray(betainc(first + moved, second, expit((losses + shift) / moved)))

    return RatioTest(below)


@subject_of.register
def _(model: DirichletTable, schema: Schema | None, distance: object) -> DirichletCells:
    schema = schema_of_table(model, schema)
    points = np.arange(model.size(schema), dtype=np.float64)  # no two cells have the same likelihood
    return DirichletCells(model, schema, distance_of_cells(model, schema, distance, points))
