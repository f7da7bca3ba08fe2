"""What tests of agents share: a small click test, its ledger, and its steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from privior.ledger import Ledger
from privior.privacy import Budget
from privior.sequential import (
    Agent,
    AgentPlan,
    CategoricalBandit,
    Every,
    FiniteChain,
    Noise,
    NoisyCounts,
    Step,
)

#: visitors of an episode
BATCH = 4


def plan_of(**facts: Any) -> AgentPlan:
    """Eight episodes of four visitors, three variants; published after 1, 2 and 4 episodes."""
    problem = CategoricalBandit(3, batch=BATCH, prior="1/2")
    return AgentPlan.of(
        problem, **{"population": "visitors", "episodes": 8, "epsilon": 1, "schedule": "doubling", **facts}
    )


def chain_plan(reward: str, steps: int, episodes: int, **facts: Any) -> AgentPlan:
    """A chain as large as RiverSwim, published after every episode; its noise is not calibrated."""
    made: dict[str, Any] = {
        "problem": FiniteChain(6, 2, steps, reward, prior="1/6"),
        "mechanism": NoisyCounts(Noise(12)),
        "schedule": Every(),
        "unit": Step(),
        "budget": Budget.of(5, "1e-6"),
        "population": "visitors",
    }
    return AgentPlan(**{**made, "episodes": episodes, **facts})


def ledger_at(folder: Path, epsilon: object = 2) -> Ledger:
    """A ledger in a file."""
    return Ledger.create(folder / "shop.ledger", population="visitors", epsilon=epsilon, delta="1e-5")


def memory() -> Ledger:
    """A ledger that is forgotten."""
    return Ledger.in_memory(epsilon=100, delta="1e-3")


def clicks(count: int = BATCH, **facts: Any) -> list[dict[str, Any]]:
    """Visitors of variant 0 of whom every second clicks."""
    return [{"action": 0, "outcome": place % 2, **facts} for place in range(count)]


def one_episode(agent: Agent, steps: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Act, and learn the episode that comes next."""
    episode = agent.episode
    assert episode is not None
    agent.act()
    return agent.learn(clicks() if steps is None else steps, episode=episode)


def parts_in(ledger: Ledger) -> list[str | None]:
    """What the ledger says of every part: the state that it was drawn from."""
    return [entry.version for entry in ledger.entries() if entry.kind.value == "part"]


def private_total(agent: Agent) -> int:
    """What is pending: for tests alone."""
    return int(agent._state.learner.vectors["counts"].pending.sum())
