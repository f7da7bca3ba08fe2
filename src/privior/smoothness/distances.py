"""Distances between records, under which a likelihood may be smooth.

A distance is *sufficient* for a model if records at distance 0 have the same likelihood under every
parameter; under any other no draw can be private, and it is refused. A distance of data sets is the sum over
the records (Lemma 5); one replaced record moves it by `reach` at most.

    records     1 for any two different records: the usual neighbours
    values      how far two values are apart
    statistic   how far the model's statistics of two values are apart
    squares     |x^2 - y^2| + 2 |x - y| (Lemma 22)

or any function of two values that is symmetric and not negative.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.errors import ModelError, shown

#: somebody's own distance of two values
Own = Callable[[object, object], float]

#: own distances are asked for all pairs of values
MOST_VALUES = 300


class Distance(ABC):
    """A distance of the values that a record can have.

    Attributes:
        name: what it is called
        reach: of the two values that are farthest apart
    """

    name: str
    reach: float

    @abstractmethod
    def chords(self, points: Floats) -> Floats:
        """Return what spans all slopes of functions of the values.

        Args:
            points: for each value a vector p, so that a function of the values is u.p for some u

        Returns:
            vectors v such that the largest |f(x) - f(y)| / rho(x, y) over all pairs is the largest |u.v|
        """

    @abstractmethod
    def apart(self, one: int, two: int) -> float:
        """Return the distance of two values, given by their places."""

    @abstractmethod
    def confused(self, points: Floats) -> tuple[int, int] | None:
        """Return two values at distance 0 whose vectors differ; None if there are none."""

    def table_of(self, size: int) -> Floats:
        """Return the distances of all pairs of so many values."""
        return np.array([[self.apart(one, two) for two in range(size)] for one in range(size)])

    def nearest(self, size: int) -> float:
        """Return the least distance of two values that are apart."""
        found = self.table_of(size)
        return float(found[found > 0].min())


@dataclass(frozen=True)
class Line(Distance):
    """|v(x) - v(y)| for a coordinate v, or a sum of such for coordinates that rise and fall together.

    Between neighbours on the line slopes are largest: the slope between any two values is a mean of those
    in between, for distances on a line add up.
    """

    name: str
    places: Floats

    @property
    def reach(self) -> float:  # type: ignore[override]
        """How far the first and the last place are apart."""
        return float(self.places.max() - self.places.min())

    def apart(self, one: int, two: int) -> float:
        """Return how far both are from each other on the line."""
        return abs(float(self.places[one] - self.places[two]))

    def chords(self, points: Floats) -> Floats:
        """One for each two neighbours on the line."""
        order = np.argsort(self.places, kind="stable")
        steps, moves = np.diff(self.places[order]), np.diff(points[order], axis=0)
        apart = steps > 0
        return np.asarray(moves[apart] / steps[apart, np.newaxis])

    def confused(self, points: Floats) -> tuple[int, int] | None:
        """Two values in the same place that are not alike."""
        order = np.argsort(self.places, kind="stable")
        same = np.diff(self.places[order]) == 0
        moved = (np.diff(points[order], axis=0) != 0).any(axis=1)
        found = np.flatnonzero(same & moved)
        return (int(order[found[0]]), int(order[found[0] + 1])) if found.size else None


@dataclass(frozen=True)
class Replaced(Distance):
    """1 for any two values that differ."""

    name: str = "records"
    reach: float = 1.0

    def apart(self, one: int, two: int) -> float:
        """Return 1 for any two that differ."""
        return float(one != two)

    def chords(self, points: Floats) -> Floats:
        """Differences of all pairs; in the plane of those of an upper and a lower corner only.

        For u = (h, 1) the largest u.p is at a corner of the upper hull, the least at one of the lower hull.
        """
        if points.shape[1] == 2:
            upper, lower = _hull(points), _hull(points * [1.0, -1.0]) * [1.0, -1.0]
            return np.asarray((upper[:, np.newaxis] - lower[np.newaxis]).reshape(-1, 2))
        pairs = points[:, np.newaxis] - points[np.newaxis]
        return np.asarray(pairs.reshape(-1, points.shape[1]))

    def confused(self, points: Floats) -> tuple[int, int] | None:
        """None: only equal records are at distance 0."""
        return None

    def nearest(self, size: int) -> float:
        """1, however many values there are."""
        return 1.0


@dataclass(frozen=True)
class Listed(Distance):
    """Somebody's own distance, asked for every pair of values."""

    name: str
    table: Floats

    @property
    def reach(self) -> float:  # type: ignore[override]
        """The largest distance that somebody's function gave."""
        return float(self.table.max())

    def apart(self, one: int, two: int) -> float:
        """Return what somebody's function said of both."""
        return float(self.table[one, two])

    def chords(self, points: Floats) -> Floats:
        """One for each pair that is apart."""
        one, two = np.nonzero(np.triu(self.table, 1))
        return np.asarray((points[one] - points[two]) / self.table[one, two][:, np.newaxis])

    def confused(self, points: Floats) -> tuple[int, int] | None:
        """A pair at distance 0 that is not alike."""
        for one, two in np.argwhere(np.triu(self.table == 0, 1)):
            if (points[one] != points[two]).any():
                return int(one), int(two)
        return None


def to_distance(
    asked: object, values: Sequence[object], statistics: Floats | None, points: Floats, where: str
) -> Distance:
    """Build the distance that was asked for and refuse it if it is not sufficient.

    Args:
        asked: a name, or somebody's own function
        values: every value that a record can have
        statistics: the model's statistic of each, if it has one
        points: what the likelihood of each value depends on: equal rows have the same likelihood
        where: the model, for messages
    """
    found = _own(asked, values, where) if callable(asked) else _named(asked, values, statistics, where)
    pair = found.confused(points)
    if pair is not None:
        one, two = (shown(values[place]) for place in pair)
        raise ModelError(
            "the distance is not sufficient: it does not see a difference that the likelihood sees",
            where=where,
            asked=f"{found.name}: {one} and {two} are at distance 0",
            advice="Take a distance that is above 0 wherever likelihoods differ, such as 'records'.",
        )
    return found


def _named(asked: object, values: Sequence[object], statistics: Floats | None, where: str) -> Distance:
    if asked == "records":
        return Replaced()
    numbers = _numbers(values)
    if asked == "statistic" and statistics is not None:
        return Line("statistic", statistics)
    if asked == "values" and numbers is not None:
        return Line("values", numbers)
    if asked == "squares" and numbers is not None:
        if numbers.min() < 0 < numbers.max():
            table = np.abs(numbers[:, np.newaxis] ** 2 - numbers**2)
            table += 2 * np.abs(numbers[:, np.newaxis] - numbers)
            _few(values, where)
            return Listed("squares", table)
        return Line("squares", np.sign(numbers.sum()) * numbers**2 + 2 * numbers)
    fitting = ["records"] if numbers is None else ["records", "values", "squares"]
    raise ModelError(
        "this distance does not fit the records",
        where=where,
        asked=shown(asked),
        allowed=", ".join([*fitting, *(["statistic"] if statistics is not None else [])])
        + ", or a function of two values",
    )


def _own(asked: Own, values: Sequence[object], where: str) -> Listed:
    _few(values, where)
    name = getattr(asked, "__name__", "own distance")
    table = np.array([[float(asked(one, two)) for two in values] for one in values])
    faults = {
        "is not a number everywhere": not np.isfinite(table).all(),
        "is negative somewhere": bool((table < 0).any()),
        "differs between (x, y) and (y, x)": not np.array_equal(table, table.T),
        "is not 0 from a value to itself": bool(np.diag(table).any()),
        "is 0 everywhere": not table.any(),
    }
    for fault, found in faults.items():
        if found:
            raise ModelError(f"this is no distance: it {fault}", where=where, asked=name)
    return Listed(name, table)


def _few(values: Sequence[object], where: str) -> None:
    if len(values) > MOST_VALUES:
        raise ModelError(
            "too many values for a distance that is asked for every pair",
            where=where,
            asked=len(values),
            allowed=MOST_VALUES,
            advice="Take a coarser grid, or one of the named distances.",
        )


def _numbers(values: Sequence[object]) -> Floats | None:
    try:
        return np.array([float(value) for value in values])  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return None


def _hull(points: Floats) -> Floats:
    """Return the corners of the upper hull of points in the plane, by their first coordinate."""
    kept: list[Floats] = []
    order = np.lexsort((points[:, 1], points[:, 0]))
    for point in points[order]:
        while kept and kept[-1][0] == point[0]:
            kept.pop()
        while len(kept) >= 2 and _turn(kept[-2], kept[-1], point) >= 0:
            kept.pop()
        kept.append(point)
    return np.array(kept)


def _turn(one: Floats, two: Floats, three: Floats) -> float:
    """Above 0 if the way from one over two to three turns left."""
    return float((two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0]))


def sublevel(chords: Floats, level: float) -> tuple[float, float]:
    """Return where |s h + q| <= level for all chords (s, q): an interval, empty if its ends are crossed."""
    slopes, shifts = chords[:, 0], chords[:, 1]
    flat = slopes == 0
    if (np.abs(shifts[flat]) > level).any():
        return math.inf, -math.inf
    if flat.all():
        return -math.inf, math.inf
    s, q = slopes[~flat], shifts[~flat]
    low, high = (-level - q) / s, (level - q) / s
    return float(np.minimum(low, high).max()), float(np.maximum(low, high).min())
