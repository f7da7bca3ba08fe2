"""Mechanisms of agents: what is published at public times, and what that costs. Frozen values, public
facts.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from privior.arrays import Integers
from privior.checks import above_zero, fill, plain_fields
from privior.errors import PlanError, shown
from privior.exact import decimal, round_up
from privior.privacy.interactions import Part, gaussian_noise, laplace_noise, posterior_draws
from privior.sequential.noisy_prefix import pieces_with_one
from privior.sequential.problems import Problem
from privior.sequential.schedule import Doubling, Schedule
from privior.sequential.sources import DrawnNumbers, Source
from privior.sequential.units import InteractionUnit


@dataclass(frozen=True)
class Noise:
    """Noise on counts: discrete Gaussian of a standard deviation, or discrete Laplace of a scale.

    Attributes:
        size: of the noise on what moves by one; on sums of units as many times more
        kind: "gaussian" or "laplace"
        tree: whether pieces are those of a binary tree
    """

    size: Fraction
    kind: str = "gaussian"
    tree: bool = False

    def __init__(self, size: object, kind: str = "gaussian", tree: bool = False) -> None:
        if kind not in ("gaussian", "laplace"):
            raise PlanError("unknown noise", where="noise", asked=shown(kind), allowed="gaussian, laplace")
        if not isinstance(tree, bool):
            raise PlanError("a tree or none", where="noise", asked=shown(tree), allowed="true, false")
        fill(self, size=Fraction(round_up(above_zero(size, "size"))), kind=kind, tree=tree)

    def parts(
        self, problem: Problem, unit: InteractionUnit, times: int, *, table: bool
    ) -> list[list[list[Part]]]:
        """What noise at so many times costs, vector by vector.

        Args:
            problem: what is learned
            unit: what is protected
            times: the number of public times
            table: whether the table is published; else visits, for rewards
        """
        often = pieces_with_one(times, tree=self.tree)
        vectors = [(problem.table_moves(unit) if table and problem.cells else unit.rows(problem.horizon), 1)]
        rewards = problem.rewards
        if rewards is not None:
            units = [rewards.units**power for power in range(1, rewards.powers + 1)]
            vectors += [(unit.rows(problem.horizon).scaled(one), one) for one in units]
        law = gaussian_noise if self.kind == "gaussian" else laplace_noise
        power = 2 if self.kind == "gaussian" else 1
        return [law(moves, (self.size * scale) ** power, often) for moves, scale in vectors]

    def times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """After how many episodes a piece is published: at the schedule's times and, without a tree, at the
        end of the block. That costs nothing more: whatever is counted is in one piece, as `parts` reckons.
        """
        found = schedule.times(episodes)
        return found if self.tree else (*found, episodes)

    @property
    def variance(self) -> float:
        """About the variance of the noise on one count."""
        return float(self.size) ** 2 * (1 if self.kind == "gaussian" else 2)

    @property
    def words(self) -> str:
        """The noise in words: its law and its size."""
        what = "standard deviation" if self.kind == "gaussian" else "scale"
        pieces = "pieces of a binary tree" if self.tree else "each piece"
        return f"discrete {self.kind.capitalize()} noise of {what} {float(self.size):.6g} on {pieces}"

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return plain_fields(self)


@dataclass(frozen=True)
class AgentMechanism(ABC):
    """What an agent publishes at public times."""

    name: ClassVar[str]
    #: whether it protects nobody, and may be simulated only
    unprotected: ClassVar[bool] = False
    #: whether rows are drawn, and whether the table is published with noise
    draws_rows: ClassVar[bool] = False
    noisy_table: ClassVar[bool] = False

    @property
    def added(self) -> Noise | None:
        """The noise that is added to something; None if nothing is."""
        return None

    @abstractmethod
    def parts(
        self, problem: Problem, unit: InteractionUnit, schedule: Schedule, episodes: int
    ) -> list[list[list[Part]]]:
        """What a block of so many episodes costs: for each release the parts of each pattern."""

    def row_times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """After how many episodes of a block rows are drawn."""
        return ()

    def noise_times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """After how many episodes of a block something is published with noise."""
        return ()

    def times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """After how many episodes of a block something is published, whatever it is."""
        both = (self.row_times(schedule, episodes), self.noise_times(schedule, episodes))
        return tuple(sorted({*both[0], *both[1]}))

    def drawn(self, table: Integers, source: Source) -> DrawnNumbers:
        """Draw every row, where rows are drawn, as the source publishes them."""
        raise PlanError("this mechanism draws no rows", where=self.name)

    @property
    @abstractmethod
    def words(self) -> str:
        """What is published at public times, in words."""

    @abstractmethod
    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""


@final
@dataclass(frozen=True)
class NoisyCounts(AgentMechanism):
    """All counts, with noise, piece by piece; what follows from them is free and drawn as often as one
    likes.
    """

    noise: Noise
    name: ClassVar[str] = "noisy-counts"
    noisy_table: ClassVar[bool] = True

    @property
    def added(self) -> Noise:
        """The noise on all counts."""
        return self.noise

    def parts(
        self, problem: Problem, unit: InteractionUnit, schedule: Schedule, episodes: int
    ) -> list[list[list[Part]]]:
        """Noise on the table and the rewards."""
        return self.noise.parts(problem, unit, len(self.noise_times(schedule, episodes)), table=True)

    def noise_times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """Those of the schedule, and the end of a block where that is free."""
        return self.noise.times(schedule, episodes)

    @property
    def words(self) -> str:
        """What is published at public times, in words."""
        return f"counts: {self.noise.words}"

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name, "noise": self.noise.to_document()}


@final
@dataclass(frozen=True)
class RowDraws(AgentMechanism):
    """Every row drawn from Dirichlet(prior + rate * counts) at every time; rewards by noise after 1, 2, 4,
    ...

    The diffuse draw of the paper has a rate below 1, the concentrated one a raised prior.
    """

    prior: Fraction
    rate: Fraction
    noise: Noise | None
    name: ClassVar[str] = "row-draws"
    draws_rows: ClassVar[bool] = True

    @property
    def added(self) -> Noise | None:
        """The noise on visits and rewards, if there is any."""
        return self.noise

    def __init__(self, prior: object, rate: object = 1, noise: Noise | None = None) -> None:
        fill(self, prior=above_zero(prior, "prior"), rate=above_zero(rate, "rate"), noise=noise)

    def parts(
        self, problem: Problem, unit: InteractionUnit, schedule: Schedule, episodes: int
    ) -> list[list[list[Part]]]:
        """So many draws of the same table, and the noise on rewards."""
        if not problem.cells:
            raise PlanError(
                "rewards that are numbers are published by noise", where=self.name, allowed="noisy-counts"
            )
        if (problem.rewards is None) is not (self.noise is None):
            raise PlanError("rewards need noise of their own, and outcomes none", where=self.name)
        times = max(1, len(schedule.times(episodes)))
        drawn = [posterior_draws(problem.table_moves(unit), self.prior, self.rate, times)]
        if self.noise is None:
            return drawn
        often = len(self.noise_times(schedule, episodes))
        return drawn + self.noise.parts(problem, unit, often, table=False)

    def row_times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """Those of the schedule: every draw costs."""
        return schedule.times(episodes)

    def noise_times(self, schedule: Schedule, episodes: int) -> tuple[int, ...]:
        """Rewards, where they are noisy: after 1, 2, 4, ... episodes, and the end of a block."""
        return () if self.noise is None else self.noise.times(Doubling(), episodes)

    def drawn(self, table: Integers, source: Source) -> DrawnNumbers:
        """Draw every row of the table, each from its own Dirichlet posterior."""
        return source.rows(table, self.prior, self.rate)

    @property
    def words(self) -> str:
        """What is published at public times, in words."""
        rewards = "" if self.noise is None else f"; visits and rewards: {self.noise.words}"
        return f"draws of every row at rate {decimal(self.rate)}, prior {decimal(self.prior)}{rewards}"

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        noise = {} if self.noise is None else {"noise": self.noise.to_document()}
        return {"name": self.name, "prior": decimal(self.prior), "rate": decimal(self.rate), **noise}


@final
@dataclass(frozen=True)
class Unprotected(AgentMechanism):
    """The posterior itself, at every time: what an agent could do without privacy. For simulations only."""

    name: ClassVar[str] = "unprotected"
    unprotected: ClassVar[bool] = True

    def parts(
        self, problem: Problem, unit: InteractionUnit, schedule: Schedule, episodes: int
    ) -> list[list[list[Part]]]:
        """Refuse: it promises nothing."""
        raise PlanError("this publishes the posterior itself and promises nothing", where=self.name)

    @property
    def words(self) -> str:
        """What is published at public times, in words."""
        return "the posterior itself, protecting nobody: for simulations only"

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"name": self.name}


def noise_of(mechanism: AgentMechanism) -> Noise:
    """Return the noise of a mechanism that has some."""
    noise = mechanism.added
    if noise is None:
        raise PlanError("this mechanism adds no noise", where=mechanism.name)
    return noise


def to_agent_mechanism(document: object) -> AgentMechanism:
    """Read what `to_document` wrote; what protects nobody is in no file."""
    entries = {str(name): value for name, value in document.items()} if isinstance(document, dict) else {}
    name = entries.pop("name", None)
    try:
        noise = Noise(**entries.pop("noise")) if "noise" in entries else None
        if name == NoisyCounts.name and noise is not None and not entries:
            return NoisyCounts(noise)
        if name == RowDraws.name:
            return RowDraws(**entries, noise=noise)
    except TypeError:
        raise PlanError("missing or unknown entries", where=str(name), asked=", ".join(entries)) from None
    raise PlanError(
        "not a mechanism of agents",
        where="mechanism",
        asked=shown(name),
        allowed=f"{NoisyCounts.name}, {RowDraws.name}",
    )
