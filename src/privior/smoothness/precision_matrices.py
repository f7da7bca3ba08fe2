"""Precision matrices of known mean and bounded eigenvalues, under the eyes of the analysis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from privior.models.families import MultivariateNormalPrecision
from privior.models.families.family import numeric
from privior.schema import Schema
from privior.smoothness.distances import MOST_VALUES, Distance
from privior.smoothness.normal_vectors import UP, SeveralColumns, checked, vectors
from privior.smoothness.subject import Cut, subject_of

Floats = NDArray[np.float64]


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
        return sum(max((low - float(c)) ** 2, (high - float(c)) ** 2) for (low, high), c in ends) * UP

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
        return float((slopes[apart > 0] / apart[apart > 0]).max()) * UP

    @cached_property
    def oscillation(self) -> float:
        """Likewise."""
        low, high = self._ends
        if self._eigenvalues is None:
            return (high - low) * self._farthest
        above, below = self._eigenvalues
        return (high - low) * float((above - below).max()) / 2 * UP

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


@subject_of.register
def _(model: MultivariateNormalPrecision, schema: Schema | None, distance: object) -> Precisions:
    schema = checked(model, schema)
    return Precisions(model, schema, vectors(model, schema, distance))
