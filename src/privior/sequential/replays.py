"""Replays: an agent learns from a log in which actions were chosen at random, as if it had chosen them.

A line whose action is the one that the agent takes at that moment is counted, any other one passed over (Li,
Chu, Langford, Wang 2011): what is counted has the law of what the agent would have met. Which lines are
counted is private, like the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from privior.sequential.agent import Agent


def replay(agent: Agent, steps: Iterable[dict[str, Any]], blocks: int = 1) -> tuple[int, int]:
    """Let an agent learn from a log; return how many lines were looked at and how many episodes ended.

    Args:
        agent: who learns
        steps: the log
        blocks: stop at the end of so many blocks, an open one included, so that no more is spent
    """
    lines = episodes = counted = 0
    for step in steps:
        lines += 1
        if agent.act(max(0, step.get("state", 0))) != step["action"]:
            continue
        agent.observe(**step)
        counted += 1
        if counted < agent.plan.problem.horizon:
            continue
        agent.end_episode()
        episodes, counted = episodes + 1, 0
        blocks -= agent.episodes_left == 0
        if blocks <= 0:
            break
    return lines, episodes


def observed(agent: Agent, steps: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Count the steps of one episode as they were, end it, and return what was published, if it was time."""
    for place, step in enumerate(steps):
        if place < agent.plan.problem.horizon:
            agent.act(max(0, min(step.get("state", 0), agent.plan.problem.states - 1)))
            agent.observe(**step)
    return agent.end_episode()
