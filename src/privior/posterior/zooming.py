"""Finding where a log density of one variable lies, on finer and finer grids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: what lies so far below the largest, in logs, is left out
DEPTH = 45.0
#: a grid is fine enough if so many of its points are kept; after so many turns any is taken
_ENOUGH, _TURNS = 0.25, 60


def zoomed(log_density: Callable[[Floats], Floats], low: float, high: float, points: int) -> Floats:
    """Return a regular grid on the part of [low, high] that holds all but a share of about e^-45.

    The log density is taken to have one peak, wide or narrow: the grid is moved to the points near the
    largest one, with one step on each side, until a good part of it is near enough.
    """
    grid = np.linspace(low, high, points)
    for _ in range(_TURNS):
        logs = log_density(grid)
        kept = np.flatnonzero(logs > np.max(logs) - DEPTH)
        step = grid[1] - grid[0]
        low, high = max(low, grid[kept[0]] - step), min(high, grid[kept[-1]] + step)
        if kept.size >= _ENOUGH * points or not low < high:
            break
        grid = np.linspace(low, high, points)
    return grid
