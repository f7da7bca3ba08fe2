"""Agents that learn by acting: what a block of episodes costs, agents that learn from people, and what they
earn in public worlds.

`problems` say what is learned, `units` what is protected, `schedule` when something is published,
`mechanisms` what; an `AgentPlan` fixes all of it with its guarantee. An `Agent` counts what people do within
those bounds and publishes by exact draws that a ledger paid for; `simulate` lets the same learner act in
public worlds, with seeds, and is marked.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from privior.sequential.agent import Agent
    from privior.sequential.environments import (
        RIVER_SWIM,
        Environment,
        Episodes,
        World,
        arms,
        register_environments,
        river_swim,
    )
    from privior.sequential.forecasting import ForecastRegret, forecast_regret
    from privior.sequential.learner import Learner
    from privior.sequential.mechanisms import AgentMechanism, Noise, NoisyCounts, RowDraws, Unprotected
    from privior.sequential.plan import AgentPlan
    from privior.sequential.problems import CategoricalBandit, FiniteChain, Problem, RewardBandit
    from privior.sequential.published import AgentRelease, PublishedBlock
    from privior.sequential.rewards import BoundedRewards, NormalRewards, Rewards
    from privior.sequential.schedule import Doubling, Every, Schedule
    from privior.sequential.simulation import Simulated, simulate
    from privior.sequential.sources import ExactSource, SeededSource, Source
    from privior.sequential.units import Episode, InteractionUnit, Step, User
else:
    from privior.contents import contents

    __getattr__ = contents(__name__)
