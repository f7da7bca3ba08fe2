"""Several Normal means of known covariance, under the eyes of the analysis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np

from privior.arrays import Floats
from privior.models.families import MultivariateNormalMean
from privior.models.laws.matrices import floats
from privior.schema import Schema
from privior.smoothness.distances import Distance, Replaced
from privior.smoothness.normal_vectors import UP, SeveralColumns, checked, vectors
from privior.smoothness.subject import Contrast, replaced_numbers, subject_of
from privior.special import gammaincc, ndtr
from privior.theory.likelihood_ratio import RatioTest


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
        "privior has no prior of several means that is cut; the exact guarantee of draws has a delta"
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
        return np.asarray(np.sqrt(variances) * UP)

    @cached_property
    def corners(self) -> Floats:
        """The corners of the box of records, less the prior's mean."""
        return np.array(list(product(*self.sides))) - [float(one) for one in self.model.prior.mean]

    @cached_property
    def _start(self) -> float:
        """What l is at most at the prior's mean: -min g, at a corner of the box of records."""
        known = np.linalg.solve(floats(self.model.covariance), self.corners.T)
        return float(np.einsum("ci,ic->c", self.corners, known).max()) / 2 * UP

    def outside(self, slopes: Floats) -> Floats:
        """The smaller of both bounds: of single corners added up, and of a chi variable."""
        away = np.maximum(np.asarray(slopes) * self.nearest - self._start, 0.0)[:, np.newaxis]
        single = (2 * ndtr(-away / self._deviations)).sum(axis=1)
        together = gammaincc(len(self.sides) / 2, (away[:, 0] / self._deviations.max()) ** 2 / 2)
        return np.asarray(np.minimum(np.minimum(single, together), 1.0))

    def contrasts(self, records: int) -> Sequence[Contrast]:
        """Records at opposite corners: the posteriors are Normal, and the loss of a draw is too."""
        pair = self.model.draw_pair(self.schema, records, Fraction(1), 1)
        shift = math.sqrt(2 * pair.renyi(1.0))  # of a Gaussian pair: the distance of the whitened means
        reach = self.distance.reach
        return [
            Contrast(f"{n} moved between opposite corners", n, n * reach, _normal_test(n * shift))
            for n in replaced_numbers(records)
            if shift > 0 and isinstance(self.distance, Replaced)
        ]

    def _top(self) -> float:
        return (self._start + 6 * float(self._deviations.max())) / self.nearest


def _normal_test(shift: float) -> RatioTest:
    """Return the test between Normal laws of unit variance, so far apart."""
    return RatioTest(lambda losses: np.asarray(ndtr((losses - shift**2 / 2) / shift)))


@subject_of.register
def _(model: MultivariateNormalMean, schema: Schema | None, distance: object) -> Means:
    schema = checked(model, schema)
    return Means(model, schema, vectors(model, schema, distance))
