"""Agents: act on what was published, count what people do, publish at public times that a ledger paid for.

The order is that of the curator: a block of episodes is spent for, durably, before its first action; if the
ledger does not admit it, acting stops. Exact counts never leave the agent but through its source of draws;
its file is private (0600) and no release. A newer run leaves a mark outside the file, so that an older
copy cannot publish a second time what was paid for once (T49, T29).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np

from privior.curator import Reservation, reserve, reserved
from privior.errors import LedgerError, PlanError, PriviorError, ReleaseError, ReleaseFailedError, shown
from privior.ledger import Ledger
from privior.ledger.state_folders import made_state_folder, state_folder
from privior.randomness import Bits
from privior.release import LedgerReceipt
from privior.sequential.environments import Environment
from privior.sequential.learner import Learner
from privior.sequential.plan import AgentPlan
from privior.sequential.published import AgentRelease, Arrays, PublishedBlock
from privior.sequential.sources import ExactSource
from privior.sequential.units import User
from privior.whole_files import read_whole, take_name, write_whole

_KIND, FORMAT = "privior-agent-private", 1
#: tells a new agent from a copy
_ID_BITS: Final = 128


class Agent:
    """One agent that learns from people: `act`, then `observe`, step by step; `end_episode` after each
    episode.

    Between blocks it may be saved and loaded; an open block goes on where it was, if nobody else has gone on.

    Attributes:
        plan: what is published and promised
        path: where its private state is kept; None if it is not
    """

    def __init__(
        self, plan: AgentPlan, *, ledger: Ledger | str | Path, path: str | Path | None = None
    ) -> None:
        if plan.mechanism.unprotected:
            raise PlanError("this mechanism protects nobody: simulate it instead", where="agent")
        self.plan, self.path = plan, None if path is None else Path(path)
        if self.path is not None and self.path.exists():
            raise PlanError(
                "the file exists already", where=str(self.path), advice="Load it: Agent.load(...)."
            )
        self._ledger = ledger
        self._bits = Bits()
        self._identifier = f"{self._bits.bits(_ID_BITS):032x}"
        self._serial = 0
        self._learner = self._made()
        self._reservation: Reservation | None = None
        self._blocks: list[PublishedBlock] = []
        self._open: list[tuple[int, Arrays]] = []
        self._ended = 0
        self._step = 0
        self._policy: Any = None
        self._steps_of: dict[str, int] = {}
        self._take_ticket(0)
        self.save()

    def _made(self) -> Learner:
        plan, free = self.plan, np.random.default_rng()
        source = ExactSource()
        return Learner(plan.problem, plan.mechanism, plan.schedule, plan.episodes, source, free)

    # ---- acting -------------------------------------------------------------------------------

    @property
    def episodes_left(self) -> int:
        """How many episodes of the open block are left; 0 if the next one needs a new block."""
        return 0 if self._reservation is None else self.plan.episodes - self._ended

    def act(self, state: int = 0) -> int:
        """Return the action for a state; reserves a block first if none is open.

        Raises BudgetExceededError, with nothing spent and nothing done, if the ledger does not admit it.
        """
        if self._reservation is None:
            self._begin_block()
        if self._policy is None:
            self._policy = self._learner.policy()[0]
        problem = self.plan.problem
        if not 0 <= int(state) < problem.states:
            raise PlanError(
                "no such state", where="agent", asked=shown(state), allowed=f"0 to {problem.states - 1}"
            )
        return int(self._policy[min(self._step, len(self._policy) - 1), int(state)])

    def observe(
        self,
        *,
        action: int,
        state: int = 0,
        outcome: int | None = None,
        reward: object = None,
        after: int | None = None,
        user: str | None = None,
    ) -> None:
        """Count one step: what was done, and what followed. What cannot be counted counts nowhere.

        Args:
            action: what was done
            state: where
            outcome: of an arm, from 0
            reward: a number
            after: the next state
            user: who it was; needed if users are what is protected
        """
        if self._reservation is None:
            raise PlanError("no block is open: act first", where="agent")
        problem = self.plan.problem
        self._step += 1
        cell = after if problem.states > 1 else outcome
        rows, cells = problem.actions, problem.cells
        inside = 0 <= int(action) < rows and 0 <= int(state) < problem.states
        if not inside or (cells and not (cell is not None and 0 <= int(cell) < cells)):
            return
        units = None
        if problem.rewards is not None:
            try:
                units = np.array([problem.rewards.coded(reward, self._bits.below)])
            except PriviorError:
                return
        if not self._admitted(user):
            return
        row = np.array([int(state) * rows + int(action)])
        self._learner.count(row, None if cell is None else np.array([int(cell)]), units)

    def _admitted(self, user: str | None) -> bool:
        """Whether this step of a user is within what is counted of her."""
        unit = self.plan.unit
        if not isinstance(unit, User):  # other units are replaced whole, whoever they are of
            return True
        if user is None:
            raise PlanError("users are protected: say whose step it is", where="agent")
        before = self._steps_of.get(user, 0)
        if before >= unit.steps:
            return False
        self._steps_of[user] = before + 1
        return True

    def end_episode(self) -> Arrays:
        """End an episode; publish if it is a public time, and return what was published."""
        if self._reservation is None:
            raise PlanError("no block is open: act first", where="agent")
        self._step, self._policy = 0, None
        self._ended += 1
        self._take_ticket(self._serial + 1)  # before anything is drawn: no copy can draw the same again
        try:
            with self._reservation.releasing():
                drawn = self._learner.end_episode()
        except ReleaseFailedError:
            self._reservation = None  # nothing more is drawn for it
            raise
        self._serial += 1
        found: Arrays = {name: numbers[0].tolist() for name, numbers in drawn.items()}
        if found:
            self._open.append((self._ended, found))
        if self._ended == self.plan.episodes:
            self._end_block()
        self.save()
        return found

    def run(
        self, environment: Environment, episodes: int, progress: Callable[[int], None] = lambda n: None
    ) -> float:
        """Act in an environment with Gymnasium's interface; return the sum of rewards, which is private."""
        total = 0.0
        for episode in range(episodes):
            state, _ = environment.reset()
            for _ in range(self.plan.problem.horizon):
                action = self.act(int(state))
                after, reward, ended, cut, _ = environment.step(action)
                total += float(reward)
                found = {"after": int(after)} if self.plan.problem.states > 1 else {"outcome": int(reward)}
                self.observe(action=action, state=int(state), reward=float(reward), **found)  # type: ignore[arg-type]
                state = after
                if ended or cut:
                    break
            self.end_episode()
            progress(episode + 1)
        return total

    # ---- blocks -------------------------------------------------------------------------------

    def _begin_block(self) -> None:
        self._reservation = reserve(self.plan, ledger=self._ledger)
        self._ended, self._open = 0, []
        self._learner.begin_block()
        self.save()

    def _end_block(self) -> None:
        reservation = self._reservation
        if reservation is None:
            return
        block = PublishedBlock(reservation.receipt, tuple(self._open))
        reservation.finish(block.text(self.plan))
        self._blocks.append(block)
        self._reservation, self._open = None, []

    def published(self) -> AgentRelease:
        """Return everything that was published so far, as the one file that may be shown."""
        blocks = list(self._blocks)
        if self._reservation is not None:
            blocks.append(PublishedBlock(self._reservation.receipt, tuple(self._open)))
        return AgentRelease(self.plan, tuple(blocks), self._identifier)

    # ---- between two runs ---------------------------------------------------------------------

    def _ticket(self, serial: int) -> Path:
        return state_folder() / "agents" / f"{self._identifier}.{serial}"

    def _take_ticket(self, serial: int) -> None:
        """Take the one right to draw for the first time after this; an agent without a file has no copies."""
        if self.path is None:
            return
        made_state_folder()
        place = self._ticket(serial)
        place.parent.mkdir(mode=0o700, exist_ok=True)
        try:
            take_name(place)
        except FileExistsError:
            raise _stale(self.path, self._serial) from None
        self._ticket(serial - 2).unlink(missing_ok=True)

    @property
    def _is_newest(self) -> bool:
        return self._ticket(self._serial).exists() and not self._ticket(self._serial + 1).exists()

    def save(self) -> None:
        """Write the private state, readable by its owner alone."""
        if self.path is None:
            return
        document = {
            "kind": _KIND,
            "format": FORMAT,
            "private": "exact counts of people's interactions: never publish this file",
            "id": self._identifier,
            "serial": self._serial,
            "plan": self.plan.to_document(),
            "learner": self._learner.to_document(),
            "ended": self._ended,
            "entry": None if self._reservation is None else self._reservation.entry.number,
            "open": [list(one) for one in self._open],
            "blocks": [block.to_document() for block in self._blocks],
            "users": self._steps_of,
        }
        write_whole(self.path, json.dumps(document) + "\n")
        os.chmod(self.path, 0o600)

    @staticmethod
    def load(path: str | Path, *, ledger: Ledger | str | Path, new_block: bool = False) -> Agent:
        """Go on with a saved agent.

        Args:
            path: its private file
            ledger: the population's
            new_block: if the open block cannot go on, give it up: the next action reserves a new one
        """
        place = Path(path)
        try:
            document = json.loads(read_whole(place))
            if document["kind"] != _KIND or document["format"] != FORMAT:
                raise ReleaseError("not the private file of an agent of this version", where=str(place))
            agent = Agent.__new__(Agent)
            agent._restore(document, place, ledger, new_block)
        except (OSError, KeyError, TypeError, ValueError, AttributeError):
            raise ReleaseError("not the private file of an agent", where=shown(str(path))) from None
        return agent

    def _restore(
        self, document: dict[str, Any], place: Path, ledger: Ledger | str | Path, new_block: bool
    ) -> None:
        self.plan, self.path, self._ledger = AgentPlan.from_document(document["plan"]), place, ledger
        self._bits, self._identifier, self._serial = Bits(), document["id"], int(document["serial"])
        self._learner = self._made()
        self._learner.restore(document["learner"])
        self._blocks = [
            PublishedBlock(LedgerReceipt.from_document(one["ledger"], 6), tuple(map(tuple, one["times"])))
            for one in document["blocks"]
        ]
        self._open = [(time, dict(arrays)) for time, arrays in document["open"]]
        self._ended, self._step, self._policy = int(document["ended"]), 0, None
        self._steps_of = {str(user): int(steps) for user, steps in document["users"].items()}
        self._reservation = None
        number = document["entry"]
        if number is None:
            return
        try:
            if not self._is_newest:
                raise _stale(place, self._serial)
            self._reservation = reserved(number, self.plan, ledger=ledger)
        except LedgerError:
            if not new_block:
                raise
            self._give_up(number)

    def _give_up(self, number: int) -> None:
        """Leave an open block as it is; it stays spent, and what it published is kept."""
        try:
            old = reserved(number, self.plan, ledger=self._ledger)
            self._blocks.append(PublishedBlock(old.receipt, tuple(self._open)))
            old.abandon()
        except LedgerError:
            pass  # it has ended: the newer copy has what it published
        self._reservation, self._open, self._ended = None, [], 0
        self._identifier = f"{self._bits.bits(_ID_BITS):032x}"
        self._take_ticket(self._serial)
        self.save()

    def __repr__(self) -> str:
        return f"<agent for {self.plan.population}: {len(self._blocks)} blocks published>"

    def __getstate__(self) -> object:
        raise TypeError("an agent holds exact counts: save it, or publish what it published")


def _stale(place: Path, serial: int) -> LedgerError:
    return LedgerError(
        "this is not the newest state of the agent: what it would draw may have been drawn already",
        where=str(place),
        asked=f"state {serial}",
        advice="Take the newest file, or say new_block=True (--new-block): the open block is given up, and "
        "the next action reserves, and pays for, a new one.",
    )
