"""The state of an agent: how far it is, and what it has counted. Private, and kept in one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from privior.arrays import Integers
from privior.errors import PlanError, TableError
from privior.ledger import fresh_nonce
from privior.sequential.learner import Learner
from privior.sequential.plan import AgentPlan
from privior.sequential.published import read_drawn
from privior.sequential.sources import ExactSource
from privior.sequential.tallies import EpisodeTally

_KIND, FORMAT = "privior-agent-private", 1


class AgentState:
    """Block, episodes, parts and exact counts of one agent.

    Attributes:
        plan: what is published and promised
        identifier: the agent's random name
        learner: what was counted and published
        block: the number of the last block that was reserved, from 1; 0 before the first
        is_open: whether that block goes on
        ended: how many of its episodes were counted
        parts: how many of its parts were taken over, or lost
        due: the name of this state if a part is to be drawn from it, or was; None if none is due
        users: how many steps were counted of every user, where that is bounded
        policy: what to do in the episode that comes next, once it was drawn: follows from what was published
    """

    def __init__(self, plan: AgentPlan, identifier: str) -> None:
        self.plan, self.identifier = plan, identifier
        free = np.random.default_rng()  # for what follows from the published: no secret
        self.learner = Learner(
            plan.problem, plan.mechanism, plan.schedule, plan.episodes, ExactSource(), free
        )
        self.block = self.ended = self.parts = 0
        self.is_open = self._torn = False
        self.due: str | None = None
        self.users: dict[str, int] = {}
        self.policy: Integers | None = None

    @property
    def counted(self) -> int:
        """The number of the last episode that was counted, over all blocks."""
        return max(0, self.block - 1) * self.plan.episodes + self.ended

    def begin_block(self) -> None:
        """Begin a block that was reserved."""
        with self._changing():
            self.block, self.is_open, self.ended, self.parts = self.block + 1, True, 0, 0
            self.learner.begin_block()

    def count(self, tally: EpisodeTally) -> None:
        """Count an episode; if that is a public time, this state gets a name."""
        due = fresh_nonce() if self.ended + 1 in self.plan.times else None
        with self._changing():
            for one in tally.steps:
                cell, units = (None if n is None else np.array([n]) for n in (one.cell, one.units))
                self.learner.count(np.array([one.row]), cell, units)
            self.learner.end_counting()
            self.users, self.due = tally.users, due
            self.ended += 1
            if not self.plan.mechanism.draws_rows:
                self.policy = None

    def take(self, text: str | None) -> None:
        """Take over the part that was due, as it was published; None if it was lost."""
        arrays = None if text is None else read_drawn(text)
        with self._changing():
            self.learner.take(None if arrays is None else {n: np.array([a]) for n, a in arrays.items()})
            self.parts += 1
            self.due = self.policy = None

    @contextmanager
    def _changing(self) -> Iterator[None]:
        """Change what was counted: all of it, or this object is of no use any more."""
        self._torn = True
        yield
        self._torn = False

    def check(self) -> None:
        """Refuse a state of which only a part was changed, by an interruption."""
        if self._torn:
            raise PlanError(
                "this agent was interrupted while it counted",
                where="agent",
                advice="Load it again from its file, which is whole.",
            )

    # ---- between two runs -------------------------------------------------------------------------------

    def to_text(self) -> str:
        """Write everything, exact counts too."""
        document = {
            "kind": _KIND,
            "format": FORMAT,
            "private": "exact counts of people's interactions: never publish this file",
            "id": self.identifier,
            "plan": self.plan.to_document(),
            "block": self.block,
            "open": self.is_open,
            "ended": self.ended,
            "parts": self.parts,
            "due": self.due,
            "policy": None if self.policy is None else self.policy.tolist(),
            "learner": self.learner.to_document(),
            "users": self.users,
        }
        return json.dumps(document) + "\n"

    @staticmethod
    def from_text(text: str, where: str) -> AgentState:
        """Read what `to_text` wrote."""
        try:
            document: dict[str, Any] = json.loads(text)
            if (document["kind"], document["format"]) != (_KIND, FORMAT):
                raise TableError("not the private file of an agent of this version", where=where)
            state = AgentState(AgentPlan.from_document(document["plan"]), str(document["id"]))
            state.learner.restore(document["learner"])
            state.block, state.ended, state.parts = (int(document[n]) for n in ("block", "ended", "parts"))
            state.is_open, due = bool(document["open"]), document["due"]
            state.due = None if due is None else str(due)
            state.users = {str(user): int(steps) for user, steps in document["users"].items()}
            policy = document["policy"]
            state.policy = None if policy is None else np.array(policy, dtype=np.int64)
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise TableError("not the private file of an agent", where=where) from None
        return state
