"""Planning: the best action of every step and state of a finite chain, for many copies at once."""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats, Integers


def best_actions(chances: Floats, rewards: Floats, steps: int) -> Integers:
    """Return the best actions, copies x steps x states, by value iteration backwards from the last step.

    Args:
        chances: copies x states x actions x next states
        rewards: mean rewards, copies x states x actions
        steps: how many there are
    """
    copies, states, actions, _ = chances.shape
    flat = chances.reshape(copies, states * actions, states)
    found = np.empty((copies, steps, states), dtype=np.int64)
    values = np.zeros((copies, states, 1))
    for step in range(steps - 1, -1, -1):
        worth = rewards + np.matmul(flat, values).reshape(copies, states, actions)
        found[:, step] = worth.argmax(axis=2)
        values = worth.max(axis=2)[:, :, None]
    return found


def best_value(chances: Floats, rewards: Floats, steps: int, start: int) -> float:
    """Return the mean reward of an episode of whoever knows all: states x actions x next states."""
    values = np.zeros(len(chances))
    for _ in range(steps):
        values = (rewards + chances @ values).max(axis=1)
    return float(values[start])
