"""Problems: what an agent learns by acting, as public facts. Bandits of three kinds, and finite chains of
decisions.

A problem has rows, one for each choice (an arm; a state with an action), and cells, one for each thing
that may follow (an outcome; the next state). What is counted is a table of rows by cells and, where
rewards are not the outcomes themselves, rewards by rows.
"""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np

from privior.arrays import Floats, Integers
from privior.checks import above_zero, fill, plain_fields, whole_number
from privior.errors import PlanError, shown
from privior.exact import rational
from privior.privacy.interactions import Moves
from privior.sequential.planning import best_actions
from privior.sequential.rewards import Rewards, to_rewards
from privior.sequential.units import InteractionUnit

#: more rows or cells than this are a mistake
MOST_ROWS, MOST_CELLS, LONGEST = 10**5, 10**4, 10**5


@dataclass(frozen=True)
class Problem(ABC):
    """What is learned: rows, cells, their prior, and what is best if all were known."""

    #: how files name it
    name: ClassVar[str]
    #: the Dirichlet parameter of every cell
    prior: Fraction

    @property
    @abstractmethod
    def rows(self) -> int:
        """The number of choices."""

    @property
    @abstractmethod
    def cells(self) -> int:
        """The number of things that may follow; 0 if only rewards are learned."""

    @property
    @abstractmethod
    def horizon(self) -> int:
        """The number of steps of an episode."""

    @property
    def rewards(self) -> Rewards | None:
        """What is learned of rewards; None if they are the outcomes."""
        return None

    #: what a log says of a step
    columns: ClassVar[tuple[str, ...]]

    @property
    def places(self) -> int:
        """The places of an episode in a log: one for each step, and one for the state after the last."""
        return self.horizon + (self.states > 1)

    @abstractmethod
    def table_moves(self, unit: InteractionUnit) -> Moves:
        """How a unit moves the table of rows and cells."""

    @abstractmethod
    def policy(self, chances: Floats, rewards: Floats | None) -> Integers:
        """Return the best action of each step and state, if these are the chances and mean rewards.

        Args:
            chances: copies x rows x cells
            rewards: copies x rows
        Returns: copies x steps x states.
        """

    def paid(self, chances: Floats, rewards: Floats | None) -> Floats:
        """Return what each choice pays on average, by these chances and mean rewards: copies x rows."""
        if rewards is None:
            raise ValueError("rewards are what is learned")
        return rewards

    def worth(self, means: Floats) -> Floats:
        """Return what choices are worth on average whose rewards, as a world draws them, have these means."""
        return means

    @property
    @abstractmethod
    def states(self) -> int:
        """The number of states; 1 of a bandit."""

    @property
    def actions(self) -> int:
        """The number of actions in each state."""
        return self.rows // self.states

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, **plain_fields(self)}


@final
@dataclass(frozen=True)
class CategoricalBandit(Problem):
    """Arms with a few possible outcomes, each worth something; `batch` people are shown the same arm.

    Attributes:
        arms: how many
        payoffs: what each outcome is worth; (0, 1) is a click or none
        batch: the people of an episode; whoever is in one sees the arm that was best by the last publication
    """

    arms: int
    payoffs: tuple[Fraction, ...]
    batch: int
    name: ClassVar[str] = "bandit"
    columns: ClassVar[tuple[str, ...]] = ("action", "outcome")

    def __init__(
        self, arms: int, payoffs: Sequence[object] = (0, 1), *, batch: int = 1, prior: object = 1
    ) -> None:
        whole_number(arms, "arms", 2, MOST_ROWS, where=self.name, error=PlanError)
        whole_number(batch, "batch", 1, LONGEST, where=self.name, error=PlanError)
        if isinstance(payoffs, str) or not 2 <= len(payoffs) <= MOST_CELLS:
            raise PlanError("not one payoff for each outcome", where=self.name, asked=shown(payoffs))
        worth = tuple(rational(payoff, "payoff") for payoff in payoffs)
        fill(self, arms=arms, payoffs=worth, batch=batch, prior=above_zero(prior, "prior"))

    @property
    def rows(self) -> int:
        """The number of arms."""
        return self.arms

    @property
    def cells(self) -> int:
        """The number of outcomes of an arm."""
        return len(self.payoffs)

    @property
    def horizon(self) -> int:
        """How many people are in a batch."""
        return self.batch

    @property
    def states(self) -> int:
        """One: a bandit does not move."""
        return 1

    def table_moves(self, unit: InteractionUnit) -> Moves:
        """An arm with its outcome is one cell: nothing is chained."""
        return unit.rows(self.batch)

    def worth(self, means: Floats) -> Floats:
        """The payoffs of two outcomes; the means are the chances of the second."""
        if len(self.payoffs) != 2:
            raise PlanError(
                "public worlds have arms of two outcomes",
                where=self.name,
                asked=f"{len(self.payoffs)} payoffs",
                allowed="2",
            )
        first, second = map(float, self.payoffs)
        return first + (second - first) * means

    def policy(self, chances: Floats, rewards: Floats | None) -> Integers:
        """The arm that is worth most."""
        worth = self.paid(chances, rewards)
        return np.asarray(worth.argmax(axis=-1), dtype=np.int64)[:, None, None]

    def paid(self, chances: Floats, rewards: Floats | None) -> Floats:
        """The payoffs of the outcomes, by their chances."""
        return np.asarray(chances @ np.array([float(payoff) for payoff in self.payoffs]))


@final
@dataclass(frozen=True)
class RewardBandit(Problem):
    """Arms with rewards that are numbers: bounded ones, or Normal ones in declared bounds."""

    arms: int
    reward: Rewards
    batch: int
    name: ClassVar[str] = "reward-bandit"
    columns: ClassVar[tuple[str, ...]] = ("action", "reward")

    def __init__(self, arms: int, reward: object, *, batch: int = 1, prior: object = 1) -> None:
        whole_number(arms, "arms", 2, MOST_ROWS, where=self.name, error=PlanError)
        whole_number(batch, "batch", 1, LONGEST, where=self.name, error=PlanError)
        fill(self, arms=arms, reward=to_rewards(reward), batch=batch, prior=above_zero(prior, "prior"))

    @property
    def rows(self) -> int:
        """The number of arms."""
        return self.arms

    @property
    def cells(self) -> int:
        """0: nothing but a reward follows."""
        return 0

    @property
    def horizon(self) -> int:
        """How many people are in a batch."""
        return self.batch

    @property
    def states(self) -> int:
        """One: a bandit does not move."""
        return 1

    @property
    def rewards(self) -> Rewards:
        """What rewards may be, and what is learned of them."""
        return self.reward

    def table_moves(self, unit: InteractionUnit) -> Moves:
        """There is no table beside the visits."""
        return unit.rows(self.batch)

    def policy(self, chances: Floats, rewards: Floats | None) -> Integers:
        """The arm with the largest mean."""
        return np.asarray(self.paid(chances, rewards).argmax(axis=-1), dtype=np.int64)[:, None, None]

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, **plain_fields(self, "reward"), "reward": self.reward.to_document()}


@final
@dataclass(frozen=True)
class FiniteChain(Problem):
    """A finite Markov decision process in episodes of `steps` steps: transitions Dirichlet, rewards as said.

    A row is a state with an action, state by state.
    """

    number_of_states: int
    number_of_actions: int
    steps: int
    reward: Rewards
    name: ClassVar[str] = "chain"
    columns: ClassVar[tuple[str, ...]] = ("state", "action", "reward")

    def __init__(self, states: int, actions: int, steps: int, reward: object, *, prior: object = 1) -> None:
        whole_number(states, "states", 2, MOST_CELLS, where=self.name, error=PlanError)
        whole_number(actions, "actions", 1, MOST_CELLS, where=self.name, error=PlanError)
        whole_number(steps, "steps", 1, LONGEST, where=self.name, error=PlanError)
        whole_number(states * actions, "states times actions", 2, MOST_ROWS, where=self.name, error=PlanError)
        fill(
            self,
            number_of_states=states,
            number_of_actions=actions,
            steps=steps,
            reward=to_rewards(reward),
            prior=above_zero(prior, "prior"),
        )

    @property
    def rows(self) -> int:
        """States times actions: each has a row of counts."""
        return self.number_of_states * self.number_of_actions

    @property
    def cells(self) -> int:
        """The number of states that may come next."""
        return self.number_of_states

    @property
    def horizon(self) -> int:
        """How many steps an episode has."""
        return self.steps

    @property
    def states(self) -> int:
        """The number of states."""
        return self.number_of_states

    @property
    def rewards(self) -> Rewards:
        """What rewards may be, and what is learned of them."""
        return self.reward

    def table_moves(self, unit: InteractionUnit) -> Moves:
        """Transitions are chained: a state is the end of one and the start of the next."""
        return unit.transitions(self.steps)

    def policy(self, chances: Floats, rewards: Floats | None) -> Integers:
        """By value iteration backwards from the last step."""
        shape = (len(chances), self.states, self.actions)
        means = self.paid(chances, rewards).reshape(shape)
        return best_actions(chances.reshape(*shape, self.states), means, self.steps)

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {
            "name": self.name,
            "states": self.number_of_states,
            "actions": self.number_of_actions,
            "steps": self.steps,
            **plain_fields(self, "number_of_states", "number_of_actions", "steps", "reward"),
            "reward": self.reward.to_document(),
        }


_KINDS: dict[str, type[CategoricalBandit] | type[RewardBandit] | type[FiniteChain]] = {
    kind.name: kind for kind in (CategoricalBandit, RewardBandit, FiniteChain)
}


def to_problem(document: object) -> Problem:
    """Read what `to_document` wrote."""
    entries = {str(name): value for name, value in document.items()} if isinstance(document, dict) else {}
    kind = _KINDS.get(str(entries.pop("name", None)))
    if kind is None:
        raise PlanError(
            "not a problem that an agent can learn",
            where="problem",
            asked=shown(document),
            allowed=", ".join(_KINDS),
        )
    try:
        return kind(**entries)
    except TypeError:
        raise PlanError(
            "missing or unknown entries",
            where=kind.name,
            asked=", ".join(sorted(entries)),
            allowed=", ".join(inspect.signature(kind).parameters),
        ) from None
