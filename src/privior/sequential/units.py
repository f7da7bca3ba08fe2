"""Units of interaction: what is replaced between two neighbouring histories, in words and as moves of counts.

All other inputs are the same given what was released: what the environment answers to the same action, who
comes next. A guarantee hides one unit from whoever sees all that an agent published, and knows all other
units.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

from privior.checks import whole_number
from privior.errors import PlanError, shown
from privior.privacy.interactions import Moves

#: more steps of one user than this are a mistake
MOST_STEPS = 10**6


@dataclass(frozen=True)
class InteractionUnit(ABC):
    """What neighbours differ by."""

    #: how files name it
    name: ClassVar[str]

    @property
    def quota(self) -> int | None:
        """How many steps are counted of one user, the first of them; None if nobody asks whose they are."""
        return None

    @property
    @abstractmethod
    def noun(self) -> str:
        """What is protected, in the singular."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What is replaced between neighbours."""

    @abstractmethod
    def transitions(self, horizon: int) -> Moves:
        """How it moves counts of transitions of a chain; episodes have so many steps."""

    @abstractmethod
    def rows(self, horizon: int) -> Moves:
        """How it moves counts to which every step adds one: arms with outcomes, visits, rewards of 0 or 1."""

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name}


@final
@dataclass(frozen=True)
class Step(InteractionUnit):
    """One step of one episode: its state, its action and its reward are replaced."""

    name: ClassVar[str] = "step"

    @property
    def noun(self) -> str:
        """How one is called: a step."""
        return "step"

    @property
    def words(self) -> str:
        """What is replaced between neighbours: one step, wherever it is."""
        return "the state, the action and the reward of one step, everything else being the same"

    def transitions(self, horizon: int) -> Moves:
        """Two transitions become two others; a self-loop moves one count by two."""
        return Moves.of_transitions() if horizon > 1 else Moves.of_rows()

    def rows(self, horizon: int) -> Moves:
        """One leaves a row, one enters another."""
        return Moves.of_rows()


@final
@dataclass(frozen=True)
class Episode(InteractionUnit):
    """All steps of one episode are replaced."""

    name: ClassVar[str] = "episode"

    @property
    def noun(self) -> str:
        """How one is called: an episode."""
        return "episode"

    @property
    def words(self) -> str:
        """What is replaced between neighbours: one episode, all of its steps."""
        return "all states, actions and rewards of one episode"

    def transitions(self, horizon: int) -> Moves:
        """As many transitions as an episode has leave, and as many enter."""
        return Moves.of_many(horizon) if horizon > 1 else Moves.of_rows()

    def rows(self, horizon: int) -> Moves:
        """Return how an episode moves rows: as it moves transitions."""
        return self.transitions(horizon)


@final
@dataclass(frozen=True)
class User(InteractionUnit):
    """The whole history of a user is replaced: up to `steps` steps, whenever they were.

    Steps beyond the number are dropped before anything is counted; a transition is counted where both its
    states are of the same user's steps.
    """

    steps: int
    name: ClassVar[str] = "user"

    def __post_init__(self) -> None:
        whole_number(self.steps, "steps", 1, MOST_STEPS, where="unit", error=PlanError)

    @property
    def quota(self) -> int:
        """How many of a user's steps are counted: her first ones."""
        return self.steps

    @property
    def noun(self) -> str:
        """A user, with as many steps as are counted of her."""
        return f"user of up to {self.steps} steps"

    @property
    def words(self) -> str:
        """What is replaced between neighbours: all that one user did."""
        return f"the whole history of one user, up to {self.steps} steps"

    def transitions(self, horizon: int) -> Moves:
        """Return how a whole history moves transitions: as it moves rows."""
        return self.rows(horizon)

    def rows(self, horizon: int) -> Moves:
        """All of them leave their cells, and as many enter others."""
        return Moves.of_many(self.steps) if self.steps > 1 else Moves.of_rows()

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, "steps": self.steps}


def to_unit(document: object) -> InteractionUnit:
    """Read what `to_document` wrote, or a name."""
    entries = {"name": document} if isinstance(document, str) else document
    if entries == {"name": "step"}:
        return Step()
    if entries == {"name": "episode"}:
        return Episode()
    if isinstance(entries, dict) and entries.get("name") == "user" and set(entries) == {"name", "steps"}:
        return User(entries["steps"])
    raise PlanError(
        "not a unit of interaction",
        where="unit",
        asked=shown(document),
        allowed='"step", "episode", {name = "user", steps = 5}',
    )
