"""Two kinds of statistics that must never be mistaken for each other: exact ones and released ones."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privior.arrays import Floats, Integers


class _Private(ABC):
    """Numbers that no serialiser may write and no set may hold."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]
    about: ClassVar[str]

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{self.about} are private and cannot be written anywhere")

    @abstractmethod
    def __repr__(self) -> str:
        """Name what it is and its public size; never a number that is private."""


class ExactStatistics(_Private):
    """True counts or sums: private. They have no readable form, cannot be pickled, written or hashed."""

    __slots__ = ("_counts",)
    about = "exact statistics"

    def __init__(self, counts: ArrayLike) -> None:
        given = np.asarray(counts)
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer) or given.size < 1:
            raise ValueError("exact statistics are a vector of whole numbers")
        self._counts = given.astype(np.int64)
        self._counts.setflags(write=False)

    @property
    def counts(self) -> Integers:
        """The true counts or sums, for a mechanism to add noise to."""
        return self._counts

    @property
    def total(self) -> int:
        """The sum of all counts."""
        return int(self._counts.sum())

    def __repr__(self) -> str:
        return f"ExactStatistics({self._counts.size} private numbers)"


class ExactTable(_Private):
    """True counts of a table of which few cells may occur: private, like `ExactStatistics`."""

    __slots__ = ("_cells", "_counts", "_size")
    about = "exact counts"

    def __init__(self, size: int, cells: Integers, counts: Integers) -> None:
        self._size, self._cells, self._counts = size, cells, counts

    @property
    def size(self) -> int:
        """How many cells there are, which is public."""
        return self._size

    @property
    def occurring(self) -> tuple[Integers, Integers]:
        """The numbers of the cells with a record, rising, and how many records each has."""
        return self._cells, self._counts

    def dense(self) -> Integers:
        """Return the counts of all cells."""
        counts = np.zeros(self._size, np.int64)
        counts[self._cells] = self._counts
        return counts

    def __repr__(self) -> str:
        return f"ExactTable({self._size} cells, private)"


class ExactRecords(_Private):
    """Codes of records: private. They have no readable form, cannot be pickled, written or hashed."""

    __slots__ = ("_codes",)
    about = "exact records"

    def __init__(self, codes: NDArray[np.signedinteger]) -> None:
        if codes.ndim != 2:
            raise ValueError("exact records are a row of codes each")
        self._codes = codes
        self._codes.setflags(write=False)

    @property
    def codes(self) -> NDArray[np.signedinteger]:
        """A row for each record and a column for each column, for a mechanism to look at."""
        return self._codes

    @property
    def total(self) -> int:
        """How many records there are."""
        return len(self._codes)

    def __repr__(self) -> str:
        return f"ExactRecords({self._codes.shape[1]} columns, private)"


#: decimal places of a number; more would say nothing of a count or a sum
MOST_DECIMALS = 12


@dataclass(frozen=True)
class Layout:
    """What one array of a release looks like: a public fact.

    Attributes:
        name: of the array, as files have it
        shape: of the array; numbers are listed row by row
        places: numbers are in units of 2^-places; negative for units larger than 1
        decimals: and of 10^-decimals
    """

    name: str
    shape: tuple[int, ...]
    places: int = 0
    decimals: int = 0

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return math.prod(self.shape)


@dataclass(frozen=True)
class Observed:
    """What a mechanism published: whole numbers, possibly negative, in one array or several.

    Attributes:
        layouts: what the arrays look like
        numbers: those of each array, row by row
    """

    layouts: tuple[Layout, ...]
    numbers: tuple[tuple[int, ...], ...]

    @staticmethod
    def of(
        numbers: Sequence[int], name: str = "counts", shape: tuple[int, ...] = (), places: int = 0
    ) -> Observed:
        """Put one array into a release; without a shape it is a list."""
        return Observed((Layout(name, shape or (len(numbers),), places),), (tuple(numbers),))

    @property
    def counts(self) -> tuple[int, ...]:
        """The numbers of all arrays, one after the other."""
        return (
            self.numbers[0] if len(self.numbers) == 1 else tuple(one for part in self.numbers for one in part)
        )

    def array(self, place: int = 0) -> Integers:
        """Return one array of whole numbers, as it is shaped."""
        if self.layouts[place].decimals:
            raise ValueError("these numbers have decimals")
        return np.asarray(self.numbers[place], dtype=np.int64).reshape(self.layouts[place].shape)

    def values(self, place: int = 0) -> Floats:
        """Return one array as floats, in units of 1."""
        layout = self.layouts[place]
        floats = [math.ldexp(number / 10**layout.decimals, -layout.places) for number in self.numbers[place]]
        return np.array(floats).reshape(layout.shape)

    @property
    def amounts(self) -> Integers | Floats:
        """The numbers of all arrays, one after the other, in units of 1: whole unless one has decimals."""
        if any(layout.decimals for layout in self.layouts):
            return np.concatenate([self.values(place).ravel() for place in range(len(self.layouts))])
        return np.asarray(self.counts, dtype=np.int64)
