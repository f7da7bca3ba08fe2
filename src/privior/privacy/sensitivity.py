"""Sensitivity: how far one unit can move a statistic. It never travels without its neighbour relation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privior.checks import whole_number
from privior.errors import PlanError
from privior.privacy.neighbours import REPLACE_ONE, Neighbours

#: more rows of one unit than this are a mistake
MOST_ROWS = 10**6


@dataclass(frozen=True)
class Sensitivity:
    """The largest change of an integer vector between neighbours.

    Attributes:
        l1: largest sum of absolute changes
        l2_squared: largest sum of squared changes, kept as an integer
        total_fixed: whether all data sets have the same public total, so that changes sum to zero
        neighbours: the relation for which this holds
    """

    l1: int
    l2_squared: int
    total_fixed: bool
    neighbours: Neighbours

    @staticmethod
    def of_counts(neighbours: Neighbours | str, max_rows: int = 1) -> Sensitivity:
        """Return how far one unit moves a table of counts, if it contributes up to `max_rows` = m records.

        Every record adds one to one cell. Replacing a unit takes up to m records away and adds up to m:
        L1 at most 2m, and the squares are largest when all leave one cell and all enter another: 2 m^2.
        With m = 1 exactly one leaves and one enters, so the total is the public number of units.
        Adding or removing a unit: L1 at most m, squares at most m^2. All are attained.
        """
        relation = Neighbours.of(neighbours)
        whole_number(max_rows, "max_rows", 1, MOST_ROWS, where="sensitivity", error=PlanError)
        if relation is REPLACE_ONE:
            return Sensitivity(2 * max_rows, 2 * max_rows**2, max_rows == 1, relation)
        return Sensitivity(max_rows, max_rows**2, False, relation)

    @staticmethod
    def of_sums(ranges: Sequence[tuple[int, int]], neighbours: Neighbours | str) -> Sensitivity:
        """Return how far one record moves sums to which it adds numbers in these ranges, each on its own.

        Replacing a record moves a sum by at most the length of its range; adding or removing one by the
        largest number in absolute value.
        """
        relation = Neighbours.of(neighbours)
        moves = [high - low if relation is REPLACE_ONE else max(abs(low), abs(high)) for low, high in ranges]
        return Sensitivity(sum(moves), sum(move**2 for move in moves), False, relation)

    @staticmethod
    def unit(max_rows: int) -> str:
        """What neighbours differ by, in words."""
        return "record" if max_rows == 1 else f"unit of up to {max_rows} records"

    @property
    def l2(self) -> float:
        """The largest Euclidean change, for display."""
        return math.sqrt(self.l2_squared)
