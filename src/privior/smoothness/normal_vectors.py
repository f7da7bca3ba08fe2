"""Families of several parameters of the Normal law, under the eyes of the analysis: what they share.

    log p(x) - log p(y) = (q(y) - q(x)) / 2,    q(x) = (x - mu)' X (x - mu), X the precision

What is known of l and of its mass under the prior differs by family, and is a bound where no closed form is
known: `outside` is never too small, `roughest` and `oscillation` never either. Each subject says so.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from itertools import product

import numpy as np

from privior.errors import ModelError
from privior.models.families import JointFamily, MultivariateNormalPrecision
from privior.models.families.family import numeric
from privior.privacy.pairs import DominatingPair
from privior.schema import Schema
from privior.smoothness.distances import MOST_VALUES, Distance, Replaced, to_distance
from privior.smoothness.subject import Cut, Subject

#: what is added to numbers that are found in floating point and must not be too small
UP = 1 + 1e-9


class NormalVectors(Subject):
    """A family of several parameters, its prior and a distance of records."""

    model: JointFamily
    schema: Schema
    distance: Distance
    mass_bounded = True

    def pair(self, records: int, draws: int) -> DominatingPair | None:
        """The family's own pair; where it has none, the oscillation's."""
        try:
            return self.model.draw_pair(self.schema, records, Fraction(1), draws)
        except ModelError:
            return super().pair(records, draws)

    def refused(self, records: int) -> str:
        """What the family says of draws that might take long, or of draws that it has none of."""
        try:
            self.model.draw_pair(self.schema, records, Fraction(1), 1)
            self.model.check_draws(self.schema, Fraction(records))
        except ModelError as error:
            return error.what
        return ""

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
                found.append(Cut(level, outside, kept, 2 * level * self.distance.reach * UP))
        return found


class SeveralColumns(NormalVectors):
    """Records are vectors: all grid points of a box."""

    @cached_property
    def sides(self) -> list[tuple[float, float]]:
        """The least and the largest value of each column."""
        grids = [numeric(self.schema, name, self.model.family) for name in self.model.vector]
        return [(float(lower), float(lower + step * (size - 1))) for lower, step, size in grids]

    @cached_property
    def nearest(self) -> float:
        """The least distance of two records that differ: slopes are at most those of "records" over it."""
        return self.distance.nearest(math.prod(self.schema.column(name).size for name in self.model.vector))


def vectors(model: JointFamily, schema: Schema, asked: object) -> Distance:
    """Return the distance of vectors that was asked for; all values of vectors are listed for an own one."""
    if asked is None or asked == "records":
        return Replaced()
    columns = [schema.column(name) for name in model.vector]
    size = math.prod(column.size for column in columns)
    if callable(asked) and size > MOST_VALUES:
        raise model.refusal(
            "too many values for a distance that is asked for every pair",
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


def checked(model: JointFamily, schema: Schema | None) -> Schema:
    """Return the schema, once the family and its records can be analysed."""
    if schema is None:
        raise model.refusal("a family needs the schema of its columns")
    model.sums(schema)
    model.check_unit(schema)
    return schema
