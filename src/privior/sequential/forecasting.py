"""Forecasts: what an agent would lose against whoever knows all, by simulation in public worlds. Free."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from privior.sequential.environments import World
from privior.sequential.mechanisms import Unprotected
from privior.sequential.plan import AgentPlan
from privior.sequential.schedule import Doubling
from privior.sequential.simulation import Simulated, simulate


@dataclass(frozen=True)
class ForecastRegret:
    """The regret of one block at one epsilon; None is without privacy. Simulated.

    Attributes:
        epsilon: of the block
        regret: what is lost against whoever knows all, on average
        error: its standard error
        reward: what is earned
    """

    epsilon: str | None
    regret: float
    error: float
    reward: float


def forecast_regret(
    plan: AgentPlan, world: World, epsilons: Sequence[str], *, copies: int = 20, seed: int = 0
) -> list[ForecastRegret]:
    """Return the regret of a plan like this at several epsilons, and without privacy, in a public world."""
    found = []
    for epsilon in epsilons:
        made = AgentPlan.of(
            plan.problem,
            population=plan.population,
            episodes=plan.episodes,
            epsilon=epsilon,
            delta=plan.budget.delta,
            unit=plan.unit,
        )
        run = simulate(
            made.problem,
            made.mechanism,
            made.schedule,
            world,
            episodes=plan.episodes,
            copies=copies,
            seed=seed,
        )
        found.append(_told(epsilon, run))
    free = simulate(
        plan.problem, Unprotected(), Doubling(), world, episodes=plan.episodes, copies=copies, seed=seed
    )
    return [*found, _told(None, free)]


def _told(epsilon: str | None, run: Simulated) -> ForecastRegret:
    regrets = run.regrets
    error = float(regrets.std(ddof=1)) / math.sqrt(len(regrets)) if len(regrets) > 1 else math.nan
    return ForecastRegret(epsilon, float(regrets.mean()), error, float(run.totals.mean()))
