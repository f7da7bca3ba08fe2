"""Distances between tables of shares, and the table that is nearest to an unknown one.

Which single table is the best guess depends on how its error is counted. The mean has the least expected
square of the Euclidean distance. The least expected distance itself has another table: the geometric median,
which is the most probable table if that has more than half of the probability, and close to the mean if
many cells are uncertain. The Hellinger distance is Euclidean in the square roots of shares, up to √2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers

#: the iteration ends when it moves by less than this share of the typical distance
_STEPS, _CLOSE = 100, 1e-7


@dataclass(frozen=True)
class TableDistance:
    """A distance of two tables of shares: Euclidean, between powers of the shares.

    Attributes:
        name: what others call it
        power: 1, or a half for square roots
        factor: what the Euclidean distance is multiplied by
    """

    name: str
    power: float
    factor: float

    def between(self, shares: Floats, others: Floats) -> Floats:
        """Return the distance of two tables, or of several pairs of tables."""
        away = np.linalg.norm(shares**self.power - others**self.power, axis=-1)
        return np.asarray(self.factor * away)

    def nearest(self, tables: Integers) -> Floats:
        """Return the shares with the least average distance to these tables of counts, (table, cell).

        Weiszfeld's iteration: points weighted by one over their distance. On square roots each step goes
        back to the sphere on which they lie, so that what does not change is stationary there.
        """
        totals = tables.sum(axis=1, keepdims=True)
        even = np.full(tables.shape[1], 1 / tables.shape[1])
        shares = np.where(totals > 0, tables / np.maximum(totals, 1), even)
        common, repeated = _most_common(shares)
        if (repeated.sum() > 1 or len(shares) == 1) and self._is_nearest(shares, common, repeated):
            return common
        points = shares**self.power
        middle = points.mean(axis=0)
        points -= middle
        squares = np.einsum("ij,ij->i", points, points)
        typical = float(np.sqrt(squares.mean()))
        at = self._back(middle) - middle
        for _ in range(_STEPS):
            away = np.sqrt(np.maximum(squares - 2 * (points @ at) + at @ at, (_CLOSE * typical) ** 2))
            weights = 1 / away
            new = self._back(middle + weights @ points / weights.sum()) - middle
            moved, at = float(np.linalg.norm(new - at)), new
            if moved <= _CLOSE * typical:
                break
        found = np.maximum(middle + at, 0) ** (1 / self.power)
        return np.asarray(found / found.sum())

    def _back(self, point: Floats) -> Floats:
        """Return the point where shares to this power lie."""
        return np.asarray(point / (point ** (1 / self.power)).sum() ** self.power)

    def _is_nearest(self, shares: Floats, table: Floats, repeated: NDArray[np.bool_]) -> bool:
        """Whether no step away from a table that was drawn several times lowers the average distance."""
        away = shares[~repeated] ** self.power - table**self.power
        pull = (away / np.linalg.norm(away, axis=1, keepdims=True)).sum(axis=0)
        if self.power < 1:
            roots = table**self.power
            pull -= (pull @ roots) * roots
        return bool(np.linalg.norm(pull) <= repeated.sum())

    def __str__(self) -> str:
        return self.name


def _most_common(shares: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Return the table that occurs most often, and where it does."""
    keys = shares @ np.random.default_rng(0).random(shares.shape[1])
    _, first, which, number = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
    most = int(number.argmax())
    table = shares[first[most]]
    repeated = (which == most) & (shares == table).all(axis=1)
    return table, np.asarray(repeated)


EUCLIDEAN = TableDistance("l2", 1.0, 1.0)
HELLINGER = TableDistance("Hellinger", 0.5, 0.5**0.5)
