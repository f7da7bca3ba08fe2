"""Writes the files of agents that later versions must read: python tests/compat/write_agents.py."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from privior.ledger import Ledger
from privior.sequential import Agent, AgentPlan, CategoricalBandit, User

HERE = Path(__file__).parent / "agents"


def write() -> None:
    """Let two agents learn a block and the beginning of the next; keep what they and their ledger wrote."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["PRIVIOR_STATE"] = str(Path(folder) / "state")
        place = Path(folder) / "shop.ledger"
        ledger = Ledger.create(place, population="visitors", epsilon=100, delta="1e-4")
        for kind in ("noisy-tree", "diffuse"):
            plan = AgentPlan.of(
                CategoricalBandit(3, (0, 1, 3), batch=5, prior="1/2"),
                population="visitors",
                episodes=5,
                epsilon=8,
                unit=User(3),
                schedule="every",
                mechanism=kind,
            )
            state = Path(folder) / f"{plan.mechanism.name}.private"
            with Agent.create(plan, ledger=ledger, path=state) as agent:
                for episode in range(1, 9):
                    agent.reserve()
                    steps = [{"action": agent.act(), "outcome": i % 3, "user": f"u{i}"} for i in range(5)]
                    agent.learn(steps, episode=episode)
                agent.published().write(HERE / f"{plan.mechanism.name}.json")
            shutil.copyfile(state, HERE / state.name)
        shutil.copyfile(place, HERE / place.name)


if __name__ == "__main__":
    write()
