"""Writes the files of agents that later versions must read: python tests/compat/write_agents.py."""

from __future__ import annotations

import tempfile
from pathlib import Path

from privior.ledger import Ledger
from privior.sequential import Agent, AgentPlan, Episodes, FiniteChain

HERE = Path(__file__).parent / "agents"


def write() -> None:
    """Let two agents swim, and write what they published."""
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger.create(Path(folder) / "l", population="swimmers", epsilon=100, delta="1e-4")
        for kind in ("noisy-counts", "diffuse"):
            problem = FiniteChain(6, 2, 4, "bounded", prior="1/6")
            plan = AgentPlan.of(
                problem,
                population="swimmers",
                episodes=5,
                epsilon=20,
                schedule="every",
                mechanism=kind,
            )
            agent = Agent(plan, ledger=ledger)
            agent.run(Episodes(steps=4), 7)  # a block, and the beginning of the next
            agent.published().write(HERE / f"{plan.mechanism.name}.json")


if __name__ == "__main__":
    write()
