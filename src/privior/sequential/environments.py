"""Environments: public worlds to try an agent in. Finite chains, RiverSwim among them, and arms; many
copies at once.

`reset` and `step` are those of Gymnasium, whose registry has RiverSwim as `privior/RiverSwim-v0` once
`register_environments()` was called; Gymnasium itself is optional.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import PlanError, shown
from privior.sequential.planning import best_value

#: the name in Gymnasium's registry
RIVER_SWIM = "privior/RiverSwim-v0"


class Environment(Protocol):
    """What an agent acts in: Gymnasium's two functions, with states and actions as whole numbers from 0."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; return the first state."""

    def step(self, action: Any) -> tuple[Any, Any, bool, bool, dict[str, Any]]:
        """Act; return the next state, the reward, whether it ended, whether it was cut off, and more."""


@dataclass(frozen=True, eq=False)
class World:
    """A finite chain whose chances are known to whoever simulates it.

    Attributes:
        chances: states x actions x next states
        rewards: mean rewards, states x actions
        start: the first state of every episode
        binary: whether a reward is 0 or 1 with that mean, or the mean itself
    """

    chances: Floats
    rewards: Floats
    start: int = 0
    binary: bool = False

    def __post_init__(self) -> None:
        states, actions = self.rewards.shape
        fine = self.chances.shape == (states, actions, states) and (self.chances >= 0).all()
        if not fine or not np.allclose(self.chances.sum(axis=2), 1):
            raise PlanError("not the chances of a finite chain", where="world", asked=str(self.chances.shape))
        if not np.isfinite(self.rewards).all():
            raise PlanError("rewards are finite numbers", where="world", asked=shown(self.rewards.tolist()))
        if self.binary and not ((self.rewards >= 0) & (self.rewards <= 1)).all():
            raise PlanError(
                "not chances of a reward", where="world", asked=shown(self.rewards.tolist()), allowed="0 to 1"
            )

    @property
    def states(self) -> int:
        """The number of states."""
        return len(self.rewards)

    @property
    def actions(self) -> int:
        """The number of actions."""
        return int(self.rewards.shape[1])

    def best(self, steps: int) -> float:
        """The mean reward of an episode of whoever knows all."""
        if self.states == 1:
            return steps * float(self.rewards.max())
        return best_value(self.chances, self.rewards, steps, self.start)

    def moved(self, states: Integers, actions: Integers, generator: np.random.Generator) -> Integers:
        """Draw the next state of every copy."""
        below = np.cumsum(self.chances, axis=2)[states, actions]
        return np.asarray(
            (generator.random(len(states))[:, None] > below[:, :-1]).sum(axis=1), dtype=np.int64
        )


def river_swim(states: int = 6) -> World:
    """Return RiverSwim (Strehl, Littman 2008) as in Osband, Russo, Van Roy 2013: swim right for the large
    reward.

    Left always succeeds, and is worth .005 at the left bank. Right is against the current: .6 up and .4
    staying at the left bank, .35 up, .6 staying and .05 back between, .6 staying and .4 back at the right
    bank, where it is worth 1.
    """
    chances, rewards = np.zeros((states, 2, states)), np.zeros((states, 2))
    for state in range(states):
        chances[state, 0, max(0, state - 1)] = 1
        if state == 0:
            chances[state, 1, :2] = 0.4, 0.6
        elif state == states - 1:
            chances[state, 1, state - 1 :] = 0.4, 0.6
        else:
            chances[state, 1, state - 1 : state + 2] = 0.05, 0.6, 0.35
    rewards[0, 0], rewards[-1, 1] = 0.005, 1.0
    return World(chances, rewards)


def arms(chances: list[float]) -> World:
    """Return arms with these chances of a reward of 1."""
    rewards = np.array([chances], dtype=np.float64)
    return World(np.ones((1, len(chances), 1)), rewards, binary=True)


class Episodes:
    """A world with Gymnasium's interface: episodes of `steps` steps."""

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 - Gymnasium's own name

    def __init__(self, world: World | None = None, steps: int = 30, render_mode: str | None = None) -> None:
        self.world = river_swim() if world is None else world
        self.steps, self.render_mode = steps, render_mode
        self._generator = np.random.default_rng()
        self._state = self._step = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin an episode."""
        if seed is not None:
            self._generator = np.random.default_rng(seed)
        self._state, self._step = self.world.start, 0
        return self._state, {}

    def step(self, action: Any) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Act: return the next state, the reward and whether the episode is over."""
        reward = float(self.world.rewards[self._state, int(action)])
        if self.world.binary:
            reward = float(self._generator.random() < reward)
        states, actions = np.array([self._state]), np.array([int(action)])
        self._state = int(self.world.moved(states, actions, self._generator)[0])
        self._step += 1
        return self._state, reward, False, self._step >= self.steps, {}


def register_environments() -> None:
    """Register RiverSwim with Gymnasium, which must be installed: pip install 'privior[agents]'."""
    from privior.sequential.gymnasium_door import registered

    registered(RIVER_SWIM)
