"""Finding where a log density of one variable lies, on finer and finer grids."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats
from privior.errors import InferenceError

#: what lies so far below the largest, in logs, is left out
DEPTH = 45.0
#: a grid is fine enough if so many of its points are kept; after so many turns any is taken
_ENOUGH, _TURNS = 0.25, 60
#: a log density whose floats are farther apart than this says nothing
_COARSE = 0.1


def near(logs: Floats, depth: float) -> NDArray[np.bool_]:
    """Say which logs are at most so far below the largest; refuse logs of which floats cannot tell that."""
    known = np.where(np.isnan(logs), -np.inf, logs)
    largest = float(np.max(known, initial=-np.inf))
    if not np.isfinite(largest) or np.spacing(abs(largest)) > _COARSE:
        raise InferenceError(
            "the posterior cannot be found: its density is beyond 64-bit floats",
            advice="The prior is too narrow or too far from what was released. Give another: prior=...",
        )
    return np.asarray(known > largest - depth)


def zoomed(log_density: Callable[[Floats], Floats], low: float, high: float, points: int) -> Floats:
    """Return a regular grid on the part of [low, high] that holds all but a share of about e^-45.

    The log density is taken to have one peak, wide or narrow: the grid is moved to the points near the
    largest one, with one step on each side, until a good part of it is near enough. Where the density is not
    a number it counts as 0.
    """
    grid = np.linspace(low, high, points)
    for _ in range(_TURNS):
        logs = log_density(grid)
        kept = np.flatnonzero(near(logs, DEPTH))
        step = grid[1] - grid[0]
        low, high = max(low, grid[kept[0]] - step), min(high, grid[kept[-1]] + step)
        if kept.size >= _ENOUGH * points or not low < high:
            break
        grid = np.linspace(low, high, points)
    return grid
