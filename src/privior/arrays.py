"""Arrays by what they hold, as types; and what is different in one."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
#: whole numbers of any width, as tables have them
Codes = NDArray[np.signedinteger]
Scalar = TypeVar("Scalar", np.int64, np.float64)


def distinct(numbers: NDArray[Scalar]) -> NDArray[Scalar]:
    """Return each number once, from small to large: numpy's `unique` loads masked arrays for that."""
    ordered = np.sort(numbers, axis=None)
    return np.asarray(ordered[np.append(True, ordered[1:] != ordered[:-1])[: ordered.size]])
