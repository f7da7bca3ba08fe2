"""Simulation: many copies of an agent in a public world, with seeds. Marked as simulated; no release is
made of it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import whole_number
from privior.errors import PlanError
from privior.sequential.environments import World
from privior.sequential.learner import Learner
from privior.sequential.mechanisms import AgentMechanism
from privior.sequential.problems import Problem
from privior.sequential.rewards import rounded
from privior.sequential.schedule import Schedule
from privior.sequential.sources import SeededSource


@dataclass(frozen=True, eq=False)
class Simulated:
    """What copies of an agent earned in a world: made with a seed, protecting nobody.

    Attributes:
        rewards: true mean rewards, episodes x copies; of arms with payoffs, what they pay
        best: the mean reward of an episode of whoever knows all
    """

    rewards: Floats
    best: float
    simulated = True

    @property
    def totals(self) -> Floats:
        """The reward of each copy in all episodes."""
        return np.asarray(self.rewards.sum(axis=0))

    @property
    def regrets(self) -> Floats:
        """What each copy lost against whoever knows all."""
        return np.asarray(self.best * len(self.rewards) - self.totals)


def simulate(
    problem: Problem,
    mechanism: AgentMechanism,
    schedule: Schedule,
    world: World,
    *,
    episodes: int,
    copies: int = 1,
    seed: int = 0,
) -> Simulated:
    """Let copies of an agent act in a world; nobody's data, nothing is spent, nothing may be released."""
    whole_number(episodes, "episodes", 1, 10**7, where="simulation", error=PlanError)
    whole_number(copies, "copies", 1, 10**5, where="simulation", error=PlanError)
    if (world.states, world.actions) != (problem.states, problem.actions):
        raise PlanError(
            "the world is of another size than the problem",
            where="simulation",
            asked=f"{world.states} states, {world.actions} actions",
            allowed=f"{problem.states} states, {problem.actions} actions",
        )
    if problem.states == 1 and problem.cells and not world.binary:
        raise PlanError("outcomes need a world of chances", where="simulation", advice="Take `arms`.")
    worth = problem.worth(world.rewards)
    seeds = np.random.SeedSequence(seed).spawn(3)
    acts, draws, free = (np.random.default_rng(one) for one in seeds)
    source = SeededSource(draws, copies)
    learner = Learner(problem, mechanism, schedule, episodes, source, free)
    run = _Copies(problem, world, worth, learner, acts, copies)
    earned = np.empty((episodes, copies))
    for episode in range(episodes):
        earned[episode] = run.episode()
        learner.end_episode()
    return Simulated(earned, replace(world, rewards=worth, binary=False).best(problem.horizon))


class _Copies:
    """Copies in a world, one episode after the other."""

    def __init__(
        self,
        problem: Problem,
        world: World,
        worth: Floats,
        learner: Learner,
        generator: np.random.Generator,
        copies: int,
    ) -> None:
        self._problem, self._world, self._worth, self._learner = problem, world, worth, learner
        self._generator, self._copies = generator, copies
        self._below = np.cumsum(world.chances, axis=2)[:, :, :-1]

    def episode(self) -> Floats:
        problem, world, draw = self._problem, self._world, self._generator
        policy = self._learner.policy()
        every = np.arange(self._copies)
        states: Integers = np.full(self._copies, world.start, dtype=np.int64)
        chained = problem.states > 1
        chances = draw.random((problem.horizon, self._copies))
        if world.binary or problem.rewards is not None:
            lots = draw.random((problem.horizon, self._copies))
        total = np.zeros(self._copies)
        for step in range(problem.horizon):
            actions = policy[every, min(step, policy.shape[1] - 1), states]
            rows = states * problem.actions + actions
            means = world.rewards[states, actions]
            total += self._worth[states, actions]
            if chained:
                after = (chances[step][:, None] > self._below[states, actions]).sum(axis=1)
            rewards = (lots[step] < means).astype(np.float64) if world.binary else means
            law = problem.rewards
            units = None if law is None else rounded(rewards, law, draw)
            if chained:
                self._learner.count(rows, after, units)
                states = after
            else:
                outcomes = rewards.astype(np.int64) if problem.cells else None
                self._learner.count(rows, outcomes, units)
        return total
