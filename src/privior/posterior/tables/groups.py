"""Groups of cells that people ask about: the first and last levels of each column, and single levels."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

#: a column of more levels is not looked at level by level
_MOST_LEVELS = 64


@dataclass(frozen=True)
class Groups:
    """Public groups of the cells of a table.

    Half of the levels of a column, a quarter of them and so on, from either end: in columns that have an
    order these are the sums people ask for. Where there are several columns, each level is a group too.

    Attributes:
        columns: the name of each column and its levels
    """

    columns: tuple[tuple[str, tuple[str, ...]], ...]

    @cached_property
    def names(self) -> list[str]:
        """What each group is called."""
        found: list[str] = []
        for name, labels in self.columns:
            some = halves(len(labels))
            found += [f"{name} up to {labels[number - 1]}" for number in some]
            found += [f"{name} from {labels[-number]} on" for number in some]
            found += [f"{name} = {label}" for label in labels] if self._each(labels) else []
        return found

    def sums(self, tables: NDArray[Any]) -> NDArray[Any]:
        """Sum tables (rows, cells) over each group, as (rows, groups)."""
        shape = tuple(len(labels) for _, labels in self.columns)
        whole = tables.reshape(-1, *shape)
        parts = []
        for axis, (_, labels) in enumerate(self.columns):
            others = tuple(1 + other for other in range(len(shape)) if other != axis)
            levels = whole.sum(axis=others)
            some = np.array(halves(len(labels)), dtype=np.intp)
            below = levels.cumsum(axis=1)
            parts += [below[:, some - 1], below[:, -1:] - below[:, -some - 1]]
            parts += [levels] if self._each(labels) else []
        return np.concatenate(parts, axis=1)

    def _each(self, labels: tuple[str, ...]) -> bool:
        return len(self.columns) > 1 and 2 < len(labels) <= _MOST_LEVELS


def halves(number: int) -> list[int]:
    """Return half of a number, a quarter of it, and so on down to 1."""
    found = []
    while number > 1:
        number //= 2
        found.append(number)
    return found
