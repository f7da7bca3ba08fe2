"""Forecasts: what a plan would lose against whoever knows all, by simulation in public worlds. Free."""

from __future__ import annotations

import math
from dataclasses import dataclass

from privior.exact import decimal
from privior.sequential.environments import World
from privior.sequential.mechanisms import Unprotected
from privior.sequential.plan import AgentPlan
from privior.sequential.simulation import Simulated, simulate


@dataclass(frozen=True)
class ForecastRegret:
    """The regret of one block at one epsilon; None is without privacy. Simulated.

    Attributes:
        epsilon: of the block
        regret: what is lost against whoever knows all, on average
        error: its standard error; nan for a single copy
        reward: what is earned
    """

    epsilon: str | None
    regret: float
    error: float
    reward: float


def forecast_regret(
    plan: AgentPlan, world: World, *, copies: int = 20, seed: int = 0
) -> tuple[ForecastRegret, ForecastRegret]:
    """Return the regret of this plan in a public world, then that of the posterior itself, without privacy.

    The plan's own mechanism publishes at the plan's own times; rewards are what the problem pays.

    Args:
        plan: what is simulated
        world: where
        copies: how many agents act, one beside the other
        seed: of all draws
    """
    found = [
        simulate(plan.problem, way, plan.schedule, world, episodes=plan.episodes, copies=copies, seed=seed)
        for way in (plan.mechanism, Unprotected())
    ]
    return _told(decimal(plan.budget.epsilon), found[0]), _told(None, found[1])


def _told(epsilon: str | None, run: Simulated) -> ForecastRegret:
    regrets = run.regrets
    error = float(regrets.std(ddof=1)) / math.sqrt(len(regrets)) if len(regrets) > 1 else math.nan
    return ForecastRegret(epsilon, float(regrets.mean()), error, float(run.totals.mean()))
