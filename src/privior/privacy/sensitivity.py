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
    def of_sums(
        ranges: Sequence[tuple[int, int]], neighbours: Neighbours | str, values: tuple[int, int] = (1, 1)
    ) -> Sensitivity:
        """Return how far one unit moves sums to which each of its values adds numbers in these ranges.

        Args:
            ranges: the least and the largest number that one value adds to each sum; (1, 1) counts values
            neighbours: the neighbour relation
            values: how many values a unit has at least and at most
        """
        relation = Neighbours.of(neighbours)
        ways = Sensitivity.ways(ranges, relation, values)
        return Sensitivity(
            max(sum(way) for way in ways), max(sum(move**2 for move in way) for way in ways), False, relation
        )

    @staticmethod
    def ways(
        ranges: Sequence[tuple[int, int]], neighbours: Neighbours, values: tuple[int, int] = (1, 1)
    ) -> tuple[tuple[int, ...], ...]:
        """Return moves of all sums, one of which is nowhere less than the move of any unit.

        A unit with k values in [low, high] adds something in [k low, k high] to a sum. Removing it moves the
        sum by at most b max(|low|, |high|), b the most values that it can have.

        Replacing k values by k' moves a sum by |s - s'|, s, s' in their ranges, which is convex in (k, k').
        So is every weighted sum, or sum of squares, of such moves, and its maximum over a <= k, k' <= b is
        at a corner: at k = k' = b, where each sum moves by at most b (high - low) and the number of values
        does not, or at k = b and k' = a, where it moves by b - a and each sum by at most
        max(b high - a low, a high - b low). With one value of each unit both are high - low.
        """
        least, most = values
        if neighbours is not REPLACE_ONE:
            return (tuple(most * max(abs(low), abs(high)) for low, high in ranges),)
        as_many = tuple(most * (high - low) for low, high in ranges)
        fewer = tuple(max(most * high - least * low, least * high - most * low) for low, high in ranges)
        return (as_many,) if as_many == fewer else (as_many, fewer)

    @staticmethod
    def unit(max_rows: int) -> str:
        """What neighbours differ by, in words."""
        return "record" if max_rows == 1 else f"unit of up to {max_rows} records"

    @property
    def l2(self) -> float:
        """The largest Euclidean change, for display."""
        return math.sqrt(self.l2_squared)
