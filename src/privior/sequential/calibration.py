"""Calibration: the noise, the rate or the prior that spends a budget on a block of episodes, and no more."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from privior.errors import PlanError, shown
from privior.exact import round_down
from privior.privacy import Budget
from privior.privacy.calibration import largest, largest_within, smallest
from privior.privacy.interactions import together
from privior.privacy.pairs import GaussianPair
from privior.sequential.mechanisms import AgentMechanism, Noise, NoisyCounts, RowDraws, noise_of
from privior.sequential.problems import Problem
from privior.sequential.schedule import Schedule
from privior.sequential.units import InteractionUnit

Calibrated = TypeVar("Calibrated")

NAMES = ("noisy-counts", "noisy-tree", "laplace-counts", "diffuse", "concentrated")
#: the part of epsilon at which the rewards alone would have the whole delta, where rows are drawn
REWARD_SHARE = Fraction(2, 5)
#: the non-private prior of the paper, which the diffuse draw keeps
PAPER_PRIOR = Fraction(10)
#: steps of an episode times the first time, in deviations of the noise
FIRST_COUNTS = 50
_DIGITS = 4


def calibrated(
    name: str, problem: Problem, unit: InteractionUnit, schedule: Schedule, episodes: int, budget: Budget
) -> AgentMechanism:
    """Return the mechanism of this name that spends the budget."""
    if name not in NAMES:
        raise PlanError("no such mechanism", where="agent", asked=shown(name), allowed=", ".join(NAMES))
    if budget.delta <= 0:
        raise PlanError("an agent's guarantee is never pure: give delta > 0", where="agent")

    def delta(mechanism: AgentMechanism) -> float:
        return together(*mechanism.parts(problem, unit, schedule, episodes)).delta(round_down(budget.epsilon))

    def holds(mechanism: AgentMechanism) -> bool:
        return Fraction(delta(mechanism)) <= budget.delta

    if name == "noisy-counts":
        return NoisyCounts(_gaussian(lambda size: NoisyCounts(Noise(size)), delta, budget))
    if name == "noisy-tree":
        return NoisyCounts(_gaussian(lambda size: NoisyCounts(Noise(size, tree=True)), delta, budget))
    if name == "laplace-counts":
        scale = smallest(
            lambda size: holds(NoisyCounts(Noise(size, "laplace"))), Fraction(1, 100), Fraction(10**7)
        )
        return NoisyCounts(_found(None if scale is None else Noise(scale, "laplace"), budget))
    noise = None
    if problem.rewards is not None:
        small = Budget(budget.epsilon * REWARD_SHARE, budget.delta)

        def of_rewards(mechanism: AgentMechanism) -> float:
            rewards = mechanism.parts(problem, unit, schedule, episodes)[1:]
            return together(*rewards).delta(round_down(small.epsilon))

        noise = _gaussian(lambda size: RowDraws(1, 1, Noise(size)), of_rewards, small)
    most = round_down(budget.delta)
    if name == "diffuse":
        rate = largest_within(
            lambda rate: delta(RowDraws(PAPER_PRIOR, rate, noise)),
            most,
            budget.epsilon / 200,
            Fraction(1),
            _DIGITS,
        )
        return _found(None if rate is None else RowDraws(PAPER_PRIOR, rate, noise), budget)
    root = largest_within(
        lambda root: delta(RowDraws(1 / root**2, 1, noise)),
        most,
        budget.epsilon / 1000,
        Fraction(1, 2),
        _DIGITS,
    )
    return _found(None if root is None else RowDraws(_plain(1 / root**2), 1, noise), budget)


def _plain(prior: Fraction) -> Fraction:
    """Round a prior up, which reveals less, to a number whose draws are quick: whole if that is within 1%."""
    parts = 1 if prior >= 100 else 8
    return Fraction(math.ceil(prior * parts), parts)


def first_time(mechanism: AgentMechanism, problem: Problem, episodes: int) -> int:
    """Return the power of two after which as many episodes counts exceed the noise; a public choice.

    Before that there is nothing to be learned from a publication, and every one adds its noise.
    """
    needed = FIRST_COUNTS * math.sqrt(noise_of(mechanism).variance) / problem.horizon
    return int(
        min(2 ** math.ceil(math.log2(max(1.0, needed))), 2 ** max(0, math.ceil(math.log2(episodes / 4))))
    )


def _gaussian(
    made: Callable[[Fraction], AgentMechanism], delta: Callable[[AgentMechanism], float], budget: Budget
) -> Noise:
    """Find the smallest deviation that keeps the promise: the largest inverse, of four digits."""
    epsilon, most = round_down(budget.epsilon), round_down(budget.delta)
    single = largest(
        lambda cost: GaussianPair(cost).delta(epsilon) <= most, Fraction(1, 10**9), Fraction(10**4), digits=4
    )
    guess = Fraction(math.sqrt(_found(single, budget) / 8))
    inverse = largest_within(lambda one: delta(made(1 / one)), most, guess, Fraction(10), _DIGITS)
    return noise_of(made(1 / _found(inverse, budget)))


def _found(made: Calibrated | None, budget: Budget) -> Calibrated:
    if made is None:
        raise PlanError(
            "nothing is private enough for this budget",
            where="agent",
            asked=str(budget),
            advice="Ask for more, for fewer episodes, or protect a smaller unit.",
        )
    return made
