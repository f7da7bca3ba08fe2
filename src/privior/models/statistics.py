"""Two kinds of statistics that must never be mistaken for each other: exact ones and noisy ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

Counts = NDArray[np.int64]


class ExactStatistics:
    """True counts: private. They have no readable form, cannot be pickled, copied to text or hashed."""

    __slots__ = ("_counts",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, counts: ArrayLike) -> None:
        given = np.asarray(counts)
        if given.ndim != 1 or not np.issubdtype(given.dtype, np.integer) or given.size < 2 or given.min() < 0:
            raise ValueError("exact statistics are a vector of two or more counts")
        self._counts = given.astype(np.int64)
        self._counts.setflags(write=False)

    @property
    def counts(self) -> Counts:
        """The true counts, for a mechanism to add noise to."""
        return self._counts

    def __repr__(self) -> str:
        return f"ExactStatistics({self._counts.size} private counts)"

    def __reduce__(self) -> NoReturn:
        raise TypeError("exact statistics are private and cannot be written anywhere")


@dataclass(frozen=True)
class NoisyStatistics:
    """Counts as a mechanism published them: integers, possibly negative, one per cell."""

    counts: tuple[int, ...]

    def array(self) -> Counts:
        """Return the counts as an array."""
        return np.asarray(self.counts, dtype=np.int64)
