"""Schedules: the public times at which something is published from what was learned.

A row of parameters is drawn anew, or a count published, at times that are fixed beforehand and known to
everybody. A time that depends on what was visited publishes just that: if rows are kept until their counts
change, two equal rows say "not visited", and a history in which it was visited could not have given them
(delta = 1). The same holds for epochs that end when visits have doubled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar, final

from privior.checks import whole_number
from privior.errors import PlanError, shown


@dataclass(frozen=True)
class Schedule(ABC):
    """Public times, as numbers of episodes that have ended before."""

    name: ClassVar[str]

    @abstractmethod
    def times(self, episodes: int) -> tuple[int, ...]:
        """Return after how many episodes something is published, of so many: 1 or more, less than all."""

    @property
    @abstractmethod
    def words(self) -> str:
        """The public times in words."""

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name}


@final
@dataclass(frozen=True)
class Every(Schedule):
    """After every episode, or after every so many."""

    episodes: int = 1
    name: ClassVar[str] = "every"

    def __post_init__(self) -> None:
        whole_number(self.episodes, "episodes", 1, 10**9, where="schedule", error=PlanError)

    def times(self, episodes: int) -> tuple[int, ...]:
        """The multiples, up to the last episode."""
        return tuple(range(self.episodes, episodes, self.episodes))

    @property
    def words(self) -> str:
        """The public times in words."""
        return "after every episode" if self.episodes == 1 else f"after every {self.episodes} episodes"

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, "episodes": self.episodes}


@final
@dataclass(frozen=True)
class Doubling(Schedule):
    """After 1, 2, 4, 8, ... episodes; or after `first`, twice that, and so on."""

    first: int = 1
    name: ClassVar[str] = "doubling"

    def __post_init__(self) -> None:
        whole_number(self.first, "first", 1, 10**9, where="schedule", error=PlanError)

    def times(self, episodes: int) -> tuple[int, ...]:
        """The first times powers of two."""
        return tuple(self.first * 2**k for k in range(episodes.bit_length()) if self.first * 2**k < episodes)

    @property
    def words(self) -> str:
        """The public times in words."""
        return f"after {self.first}, {2 * self.first}, {4 * self.first}, ... episodes"

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, "first": self.first}


def to_schedule(document: object) -> Schedule:
    """Read what `to_document` wrote, or a name; whatever is no public time is refused."""
    if isinstance(document, Schedule) and type(document) in (Every, Doubling):
        return document
    entries = {"name": document} if isinstance(document, str) else document
    if isinstance(entries, dict):
        if entries.get("name") == "doubling" and set(entries) <= {"name", "first"}:
            return Doubling(entries.get("first", 1))
        if entries.get("name") == "every" and set(entries) <= {"name", "episodes"}:
            return Every(entries.get("episodes", 1))
    raise PlanError(
        "not a public schedule",
        where="schedule",
        asked=shown(document),
        allowed='"doubling" (after 1, 2, 4, ... episodes), "every", {name = "every", episodes = 50}',
        advice="Times that depend on what was visited publish what was visited, at any budget (delta = 1).",
    )
