"""Agents: act on what was published, count what people do, publish at public times that a ledger paid for.

The order is that of the curator. A block of episodes is spent for, durably, before its first action. An
episode is counted once, by its number. At a public time the state is saved under a fresh name, then the right
to draw is taken from the ledger, in one transaction, for the state of that name; what is drawn is stored in
the ledger, and only then taken over and shown (T29, T49). Whatever ends the program in between, the ledger
says what happened: nothing is drawn twice, and a state that is not the one drawn from is refused from then
on, so that copies of a state cannot go on side by side. Exact counts leave only through the source of draws.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

from privior.checks import whole_number
from privior.curator import KeptState, Reservation, kept_state, reserve, reserved, steps_of
from privior.errors import LedgerError, PlanError, TableError, shown
from privior.ledger import Ledger, fresh_nonce
from privior.randomness import Bits
from privior.release import LedgerReceipt
from privior.sequential.agent_state import AgentState
from privior.sequential.environments import Environment
from privior.sequential.plan import AgentPlan
from privior.sequential.published import AgentRelease, DrawnArrays, PublishedBlock, drawn_text, read_drawn
from privior.sequential.tallies import tallied


class Agent:
    """One agent that learns from people: `reserve` a block, `act`, then `learn` an episode by its number.

    Made by `Agent.create`, and by `Agent.load` from its private file. Use it in a `with` block, or close it,
    so that other programs can load it.
    """

    def __init__(self, state: AgentState, ledger: Ledger, file: KeptState | None) -> None:
        self._state, self._ledger, self._file = state, ledger, file
        self._block = self._reservation(state.block) if state.is_open else None
        self._turn = threading.RLock()
        self._refuse_stale()

    @staticmethod
    def create(plan: AgentPlan, *, ledger: Ledger | str | Path, path: str | Path | None = None) -> Agent:
        """Make an agent; nothing is spent.

        Args:
            plan: what is published and promised
            ledger: the population's
            path: where its private state is kept; None if it ends with this program
        """
        if plan.mechanism.unprotected:
            raise PlanError("this mechanism protects nobody: simulate it instead", where="agent")
        opened = _opened(ledger)
        if opened.population not in ("", plan.population):
            raise LedgerError(
                "the ledger is of another population",
                where=opened.where,
                asked=plan.population,
                allowed=opened.population,
            )
        state = AgentState(plan, fresh_nonce())
        file = None if path is None else kept_state(path)
        if file is not None:
            try:
                file.create(state.to_text())
            except BaseException:
                file.close()
                raise
        return Agent(state, opened, file)

    @staticmethod
    def load(path: str | Path, *, ledger: Ledger | str | Path) -> Agent:
        """Go on with a saved agent, if the ledger says that this is its newest state.

        Args:
            path: its private file
            ledger: the population's
        """
        opened = _opened(ledger)
        if not Path(path).is_file():
            raise TableError("there is no agent here", where=shown(str(path)))
        file = kept_state(path)
        try:
            return Agent(AgentState.from_text(file.read(), str(file.path)), opened, file)
        except BaseException:
            file.close()
            raise

    @property
    def plan(self) -> AgentPlan:
        """What is published and promised."""
        return self._state.plan

    @property
    def identifier(self) -> str:
        """Its random name, by which the ledger knows its blocks."""
        return self._state.identifier

    @property
    def episode(self) -> int | None:
        """The number of the episode that comes next, from 1; None if no block is open."""
        return None if self._block is None else self._state.counted + 1

    # ---- acting -----------------------------------------------------------------------------------------

    def reserve(self, *, analyst: str | None = None) -> LedgerReceipt:
        """Spend for the next block; nothing if one is open. Asked again after a crash, it is one spend.

        Returns what the ledger has of the block that is open then.

        Raises BudgetExceededError, with nothing spent and nothing done, if the ledger does not admit it.

        Args:
            analyst: who spends; needed if the ledger has quotas
        """
        with self._settled() as state:
            if self._block is not None:
                return self._block.receipt
            key = self._key(state.block + 1)
            made = reserve(state.plan, ledger=self._ledger, key=key, analyst=analyst)
            if made.part(1) is not None:
                raise self._stale()
            state.begin_block()
            self._block = made
            self._save()
            return made.receipt

    def act(self, state: int = 0, step: int = 0) -> int:
        """Return the action for a state at a step of the episode that comes next.

        It depends on what was published alone, and is free. One draw of what is believed is made for an
        episode; drawn rows are believed until the next are.

        Args:
            state: of a chain; a bandit has one
            step: of a chain, from 0
        """
        with self._settled() as own:
            if self._block is None:
                raise _no_block()
            problem = own.plan.problem
            whole_number(state, "state", 0, problem.states - 1, where="agent", error=PlanError)
            whole_number(step, "step", 0, problem.horizon - 1, where="agent", error=PlanError)
            if own.policy is None:
                own.policy = own.learner.policy()[0]
                self._save()
            return int(own.policy[min(step, len(own.policy) - 1), state])

    def learn(self, steps: Iterable[Mapping[str, Any] | None] | str | Path, *, episode: int) -> DrawnArrays:
        """Count an episode, once, and return what was published after it, if that was a public time.

        Args:
            steps: what was recorded, place by place, as mappings (action, outcome; action, reward; state,
                action, reward; and user), or the path of a log. Places beyond the horizon are dropped; what
                cannot be read counts nowhere. Of a chain, the place after the last step has its state alone.
            episode: its number; one that was counted already is not counted again
        """
        with self._settled() as state:
            if self._block is None and episode == state.counted + 1:
                raise _no_block()
            awaited = state.counted + (self._block is not None)
            whole_number(episode, "episode", 1, awaited, where="agent", error=PlanError)
            if episode > state.counted:
                plan = state.plan
                if isinstance(steps, (str, Path)):
                    steps = steps_of(steps, plan.columns, plan.problem.places)
                state.count(tallied(plan.problem, plan.unit, steps, state.users, Bits().below))
                self._save()
                self._settle()
            return self._published_after(episode)

    def run(
        self, environment: Environment, episodes: int, progress: Callable[[int], None] = lambda n: None
    ) -> None:
        """Act in an environment with Gymnasium's interface; a block must be open, and is not passed."""
        problem = self.plan.problem
        chained = problem.states > 1
        for number in range(episodes):
            episode = self.episode
            if episode is None:
                raise _no_block()
            state, _ = environment.reset()
            steps: list[dict[str, Any]] = []
            for step in range(problem.horizon):
                place = int(state) if chained else 0
                action = self.act(place, step)
                after, reward, ended, cut, _ = environment.step(action)
                found = {"reward": float(reward)} if problem.rewards else {"outcome": int(reward)}
                steps.append({"state": place, "action": action, **found})
                state = after
                if ended or cut:
                    break
            self.learn([*steps, {"state": int(state)}] if chained else steps, episode=episode)
            progress(number + 1)

    # ---- publishing -------------------------------------------------------------------------------------

    @contextmanager
    def _settled(self) -> Iterator[AgentState]:
        """Let one thread at a time do something, after what was due was done."""
        with self._turn:
            self._state.check()
            self._settle()
            yield self._state

    def _settle(self) -> None:
        """Do what is due: publish at a public time, once, whatever happened before; end what has ended."""
        state, block = self._state, self._block
        if block is None:
            return
        if state.due is not None:
            self._publish(block, state.due)
            self._refuse_stale()  # a copy that was made when this was due may come late
        if state.ended == state.plan.episodes:
            block.end(self._published_in(block).text(state.plan))
            self._block, state.is_open = None, False
            self._save()

    def _publish(self, block: Reservation, name: str) -> None:
        """Publish the part that is due, which only the state of this name may do."""
        state = self._state
        number = state.parts + 1
        part = block.part(number)
        if part is None:
            self._save()  # under its name, before the ledger knows that
            try:
                text: str | None = block.draw(number, name, lambda: drawn_text(state.learner.draw()))
            except BaseException:
                self._lose(block, name)
                raise
        else:
            if part.entry.version != name:
                raise self._stale()
            if part.closing is None:  # it was cut off: nothing is drawn for it any more
                block.give_up(number)
                part = block.part(number)
            text = None if part is None else part.drawn
        state.take(text)
        self._save()

    def _lose(self, block: Reservation, name: str) -> None:
        """Go on without what was lost, if the ledger says that it is; else it is settled next time."""
        try:
            part = block.part(self._state.parts + 1)
        except LedgerError:
            return
        if part is not None and part.entry.version == name and part.closing is not None:
            self._state.take(part.drawn)
            self._save()

    def published(self) -> AgentRelease:
        """Return everything that was published so far, as the ledger has it: all that may be shown."""
        with self._settled() as state:
            blocks = (self._published_in(self._reservation(one)) for one in range(1, state.block + 1))
            return AgentRelease(state.plan, tuple(blocks), state.identifier)

    def _published_in(self, block: Reservation) -> PublishedBlock:
        """Return what the ledger has of a block."""
        times = []
        for number, time in enumerate(self.plan.times, start=1):
            part = block.part(number)
            if part is None:
                break
            if part.drawn is not None:
                times.append((time, read_drawn(part.drawn)))
        return PublishedBlock(block.receipt, tuple(times))

    def _published_after(self, episode: int) -> DrawnArrays:
        """Return what was published after an episode."""
        block, ended = divmod(episode - 1, self.plan.episodes)
        if ended + 1 not in self.plan.times:
            return {}
        part = self._reservation(block + 1).part(self.plan.times.index(ended + 1) + 1)
        return {} if part is None or part.drawn is None else read_drawn(part.drawn)

    # ---- what the ledger knows of it --------------------------------------------------------------------

    def _key(self, block: int) -> str:
        return f"agent {self.identifier} block {block}"

    def _reservation(self, block: int) -> Reservation:
        found = reserved(self.plan, ledger=self._ledger, key=self._key(block))
        if found is None:
            raise LedgerError(
                "the ledger does not have this block", where=self._ledger.where, asked=self._key(block)
            )
        return found

    def _refuse_stale(self) -> None:
        """Refuse a state that is not the newest, by what the ledger says was drawn in its block."""
        state, block = self._state, self._block
        if block is None:
            return
        if state.parts and block.part(state.parts) is None:
            raise LedgerError(
                "the ledger is older than this agent: an old copy was restored",
                where=self._ledger.where,
                advice="Bring back the newest ledger.",
            )
        part = block.part(state.parts + 1)
        if part is not None and part.entry.version != state.due:
            raise self._stale()

    def _stale(self) -> LedgerError:
        state = self._state
        return LedgerError(
            "this is not the newest state of the agent: what it would draw was drawn from another one",
            where="memory" if self._file is None else str(self._file.path),
            asked=f"block {state.block}, part {state.parts + 1}",
            advice="Take the newest file. If it is lost, create a new agent: it pays for a block of its own.",
        )

    # ---- between two runs -------------------------------------------------------------------------------

    def _save(self) -> None:
        if self._file is not None:
            self._file.write(self._state.to_text())

    def close(self) -> None:
        """Let other programs load it; all of it is saved already."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Agent:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def facts(self) -> list[tuple[str, str]]:
        """Say how far it is, as named facts: what anybody may know."""
        state = self._state
        left = state.plan.episodes - state.ended if self._block is not None else 0
        return [
            ("agent", state.identifier),
            *state.plan.facts(),
            ("blocks", f"{state.block}, {'the last is open' if left else 'none is open'}"),
            (
                "next episode",
                f"{self.episode}; {left} left in the block" if left else "reserve a block first",
            ),
            ("block so far", f"{state.parts} of {len(state.plan.times)} public times{self._waiting()}"),
        ]

    def _waiting(self) -> str:
        """Say of which episodes nothing was published yet, which follows from their numbers alone."""
        state = self._state
        times = state.plan.times
        last = times[state.parts - 1] if state.parts else 0
        if not state.block or state.ended <= last:
            return ""
        more = [time for time in times if time > state.ended]
        when = f"after episode {self._number(more[0])}" if self._block and more else "in the next block"
        first, until = self._number(last + 1), self._number(state.ended)
        which = f"episode {first} is" if first == until else f"episodes {first} to {until} are"
        return f"; {which} to be published {when}"

    def _number(self, ended: int) -> int:
        """The number of an episode of the last block, over all blocks."""
        return (self._state.block - 1) * self.plan.episodes + ended

    def __str__(self) -> str:
        from privior.pictures import listing

        return "\n".join(listing.facts(self.facts()))

    def __repr__(self) -> str:
        return (
            f"<agent for {self.plan.population}: {self._state.counted} episodes, {self._state.block} blocks>"
        )

    def __getstate__(self) -> object:
        raise TypeError("an agent holds exact counts: load it from its file, or publish what it published")


def _opened(ledger: Ledger | str | Path) -> Ledger:
    return ledger if isinstance(ledger, Ledger) else Ledger.open(ledger)


def _no_block() -> PlanError:
    return PlanError(
        "no block of episodes is open",
        where="agent",
        advice="Reserve one: privior agent reserve (agent.reserve() in Python).",
    )
