"""Two kinds of statistics that must never be mistaken for each other: exact ones and released ones."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]


class ExactStatistics:
    """True counts or sums: private. They have no readable form, cannot be pickled, written or hashed."""

    __slots__ = ("_counts",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, counts: ArrayLike) -> None:
        given = np.asarray(counts)
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer) or given.size < 1:
            raise ValueError("exact statistics are a vector of whole numbers")
        self._counts = given.astype(np.int64)
        self._counts.setflags(write=False)

    @property
    def counts(self) -> Counts:
        """The true counts or sums, for a mechanism to add noise to."""
        return self._counts

    def __repr__(self) -> str:
        return f"ExactStatistics({self._counts.size} private numbers)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact statistics are private and cannot be written anywhere")


class ExactTable:
    """True counts of a table of which few cells may occur: private, like `ExactStatistics`."""

    __slots__ = ("_cells", "_counts", "_size")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, size: int, cells: Counts, counts: Counts) -> None:
        self._size, self._cells, self._counts = size, cells, counts

    @property
    def size(self) -> int:
        """How many cells there are, which is public."""
        return self._size

    @property
    def occurring(self) -> tuple[Counts, Counts]:
        """The numbers of the cells with a record, rising, and how many records each has."""
        return self._cells, self._counts

    def dense(self) -> Counts:
        """Return the counts of all cells."""
        counts = np.zeros(self._size, np.int64)
        counts[self._cells] = self._counts
        return counts

    def __repr__(self) -> str:
        return f"ExactTable({self._size} cells, private)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact counts are private and cannot be written anywhere")


class ExactRecords:
    """Codes of records: private. They have no readable form, cannot be pickled, written or hashed."""

    __slots__ = ("_codes",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, codes: NDArray[np.signedinteger]) -> None:
        if codes.ndim != 2:
            raise ValueError("exact records are a row of codes each")
        self._codes = codes
        self._codes.setflags(write=False)

    @property
    def codes(self) -> NDArray[np.signedinteger]:
        """A row for each record and a column for each column, for a mechanism to look at."""
        return self._codes

    def __repr__(self) -> str:
        return f"ExactRecords({self._codes.shape[1]} columns, private)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact records are private and cannot be written anywhere")


@dataclass(frozen=True)
class Observed:
    """Counts as a mechanism published them: integers, possibly negative, one per cell."""

    counts: tuple[int, ...]

    def array(self) -> Counts:
        """Return the counts as an array."""
        return np.asarray(self.counts, dtype=np.int64)


@dataclass(frozen=True)
class ObservedPoints(Observed):
    """Draws of one parameter as published: whole numbers in units of 2^-places, exactly rounded.

    Attributes:
        counts: one for each draw
        places: binary places of the grid, negative for one coarser than the whole numbers
    """

    places: int

    def values(self) -> NDArray[np.float64]:
        """Return the draws as floats."""
        return np.array([math.ldexp(point, -self.places) for point in self.counts])


@dataclass(frozen=True)
class ObservedSticks(Observed):
    """Draws from a Dirichlet posterior as published: whole numbers that are sticks, not counts.

    Stick i of a draw is the part of what the cells before left over that goes to cell i, in units of
    2^-places, exactly rounded; the last cell gets what is left.

    Attributes:
        counts: the sticks, k-1 for each draw, one draw after the other
        draws: how many draws
        places: binary places of the grid
    """

    draws: int
    places: int

    @property
    def sticks(self) -> Counts:
        """The sticks as (draws, k-1)."""
        return self.array().reshape(self.draws, -1)

    def log_sticks(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the logs of x and of 1 - x for every stick x; at 0 and 1, of half a unit."""
        sticks, unit = self.sticks, 1 << self.places
        taken = np.log(np.maximum(sticks, 0.5)) - np.log(unit)
        left = np.log(np.maximum(unit - sticks, 0.5)) - np.log(unit)
        near = np.log1p(-np.minimum(sticks / unit, 0.5))
        return taken, np.where(2 * sticks < unit, near, left)

    def log_probabilities(self) -> NDArray[np.float64]:
        """Return the log of each cell's probability, as (draws, k).

        A stick that was rounded to 0 or 1 is taken as half a unit away from there, where the end of its
        interval lies.
        """
        taken, left = self.log_sticks()
        passed = np.concatenate([np.zeros((self.draws, 1)), np.cumsum(left, axis=1)], axis=1)
        return np.asarray(np.concatenate([taken, np.zeros((self.draws, 1))], axis=1) + passed)

    def probabilities(self) -> NDArray[np.float64]:
        """Return the cell probabilities of each draw, as (draws, k), computed from the rounded sticks."""
        sticks, unit, ones = self.sticks, 1 << self.places, np.ones((self.draws, 1))
        passed = np.cumprod(np.concatenate([ones, (unit - sticks) / unit], axis=1), axis=1)
        return np.asarray(np.concatenate([sticks / unit, ones], axis=1) * passed)
