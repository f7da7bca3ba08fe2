"""Chains of the weather, for what is tested and measured of Markov chains."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import privior as pv

STATES = ("sun", "cloud", "rain")
SCHEMA = pv.Schema(
    {"today": pv.Categorical(STATES), "tomorrow": pv.Categorical(STATES)}, population="weather", unit="day"
)
SEQUENCES = pv.Schema(
    {"today": pv.Categorical(STATES), "tomorrow": pv.Categorical(STATES)},
    population="weather",
    unit=pv.Unit("town", "town", max_rows=5),
)


def walked(
    rng: np.random.Generator, matrix: NDArray[np.float64], towns: int, steps: int
) -> dict[str, list[str]]:
    """Walk through the states, one sequence for each town."""
    columns: dict[str, list[str]] = {"town": [], "today": [], "tomorrow": []}
    for town in range(towns):
        state = int(rng.integers(len(matrix)))
        for _ in range(steps):
            after = int(rng.choice(len(matrix), p=matrix[state]))
            for name, value in zip(columns, (str(town), STATES[state], STATES[after]), strict=True):
                columns[name].append(value)
            state = after
    return columns
