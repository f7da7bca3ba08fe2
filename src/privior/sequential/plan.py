"""The agent's plan: problem, mechanism, schedule and unit of one block of episodes, with its guarantee. No
data.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

from privior.checks import whole_number
from privior.errors import PlanError, shown
from privior.exact import decimal, round_down
from privior.privacy import REPLACE_ONE, Budget, DominatingPair, Guarantee, Neighbours
from privior.privacy.interactions import together
from privior.sequential.calibration import calibrated, first_time
from privior.sequential.mechanisms import AgentMechanism, to_agent_mechanism
from privior.sequential.problems import Problem, to_problem
from privior.sequential.schedule import Doubling, Every, Schedule, to_schedule
from privior.sequential.units import InteractionUnit, Step, to_unit

#: the number of the file format
FORMAT = 1
#: more episodes in a block than this are a mistake
MOST_EPISODES = 10**7
#: more public times than this are not listed one by one
_MOST_LISTED = 12


@dataclass(frozen=True)
class Protected:
    """Whose budget is charged, as a ledger asks for it."""

    population: str
    unit: InteractionUnit


@final
@dataclass(frozen=True, repr=False)
class AgentPlan:
    """What one block of episodes publishes and costs, fixed before anybody acts.

    The guarantee is about whoever counts as the plan says: no more steps of an episode than the problem
    has, no more steps of a user than the unit has, everything published once. An `Agent` counts so. A ledger
    is charged for a block before its first episode; the next one is charged anew, by the ledger's filter.

    Attributes:
        problem: what is learned
        mechanism: what is published
        schedule: when
        unit: what is protected
        episodes: of one block
        budget: the (epsilon, delta) of a block
        population: whose interactions they are
    """

    problem: Problem
    mechanism: AgentMechanism
    schedule: Schedule
    unit: InteractionUnit
    episodes: int
    budget: Budget
    population: str

    def __post_init__(self) -> None:
        whole_number(self.episodes, "episodes", 2, MOST_EPISODES, where="agent", error=PlanError)
        to_schedule(self.schedule)
        name = self.population
        if not isinstance(name, str) or not name.strip() or not name.isprintable() or len(name) > 200:
            raise PlanError("the population has no name of one line", where="agent", asked=shown(name))
        if self.budget.delta <= 0:
            raise PlanError("an agent's guarantee is never pure: give delta > 0", where="agent")
        if Fraction(self.pair.delta(round_down(self.budget.epsilon))) > self.budget.delta:
            raise PlanError(
                "this mechanism does not give the stated guarantee", where="agent", asked=str(self.budget)
            )
        if not self.times:
            raise PlanError(
                "nothing would be published in a block",
                where="agent",
                asked=f"{self.schedule.words}, blocks of {self.episodes} episodes",
                advice="Publish more often, or reserve more episodes at once.",
            )

    @staticmethod
    def of(
        problem: Problem,
        *,
        population: str,
        episodes: int,
        epsilon: object,
        delta: object = "1e-6",
        unit: InteractionUnit | str = Step(),  # noqa: B008 - frozen
        schedule: Schedule | str | None = None,
        mechanism: str = "noisy-counts",
    ) -> AgentPlan:
        """Calibrate a mechanism to a budget.

        Args:
            problem: what is learned
            population: whose interactions they are
            episodes: how many are reserved at once
            epsilon: of a block
            delta: likewise
            unit: what is protected
            schedule: when something is published; noisy counts: doubling from a time at which the counts
                exceed the noise; draws: every episode, as in the paper
            mechanism: "noisy-counts", "noisy-tree" (a binary tree), "laplace-counts", "diffuse" or
                "concentrated"
        """
        budget = Budget.of(epsilon, delta)
        whole_number(episodes, "episodes", 2, MOST_EPISODES, where="agent", error=PlanError)
        whose = unit if isinstance(unit, InteractionUnit) else to_unit(unit)
        counts = mechanism in ("noisy-counts", "laplace-counts")
        default: Schedule = Doubling() if counts else Every()
        when = default if schedule is None else to_schedule(schedule)
        made = calibrated(mechanism, problem, whose, when, episodes, budget)
        if schedule is None and counts:
            when = Doubling(first_time(made, problem, episodes))
        return AgentPlan(problem, made, when, whose, episodes, budget, population)

    @cached_property
    def pair(self) -> DominatingPair:
        """What dominates all releases of a block."""
        return together(*self.mechanism.parts(self.problem, self.unit, self.schedule, self.episodes))

    @cached_property
    def guarantee(self) -> Guarantee:
        """What one block promises."""
        reason = (
            f"{self.mechanism.words}, {self.schedule.words}, {self.episodes} episodes; patterns "
            f"of a replaced {self.unit.noun}, composed, the worst taken (proof: privior.privacy.interactions)"
        )
        return Guarantee(self.pair, REPLACE_ONE, self.budget, reason, self.unit.noun)

    # ---- what a ledger asks for -------------------------------------------------------------------------

    @property
    def schema(self) -> Protected:
        """Whose budget it is."""
        return Protected(self.population, self.unit)

    @property
    def neighbours(self) -> Neighbours:
        """One unit is replaced."""
        return REPLACE_ONE

    @property
    def guarantees(self) -> tuple[Guarantee, ...]:
        """The one of the block."""
        return (self.guarantee,)

    @property
    def cost(self) -> Budget:
        """What a block costs."""
        return self.budget

    @property
    def declared(self) -> bool:
        """Nothing is declared by others."""
        return False

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the canonical document."""
        text = json.dumps(self.to_document(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def digests(self) -> tuple[str, ...]:
        """The one digest."""
        return (self.digest,)

    @cached_property
    def times(self) -> tuple[int, ...]:
        """After how many episodes of a block something is published: its parts, in order."""
        return self.mechanism.times(self.schedule, self.episodes)

    @property
    def when(self) -> str:
        """The public times in words, and what becomes of the episodes after the last of them."""
        mechanism, found = self.mechanism, []
        for what, times in (
            ("rows", mechanism.row_times(self.schedule, self.episodes)),
            ("noisy numbers", mechanism.noise_times(self.schedule, self.episodes)),
        ):
            if times:
                found.append(f"{what} after {_listed(times)} of the {self.episodes} episodes of a block")
                left = self.episodes - times[-1]
                if left:
                    found.append(f"{_last(left)} in the {what} of the next block, if one is reserved")
        return "; ".join(found)

    @property
    def columns(self) -> tuple[str, ...]:
        """What a log of an episode must say of every step."""
        return (*self.problem.columns, *(() if self.unit.quota is None else ("user",)))

    @property
    def about(self) -> str:
        """What is planned, in words."""
        return f"{self.episodes} episodes of an agent ({self.problem.name}, {self.mechanism.name})"

    # ---- words and files --------------------------------------------------------------------------------

    def facts(self) -> list[tuple[str, str]]:
        """Say what will be done, as named facts."""
        return [
            ("population", f"{self.population}, protecting {self.unit.words}"),
            (
                "problem",
                f"{self.problem.name}: {self.problem.rows} choices, episodes of {self.problem.horizon}",
            ),
            ("published", self.mechanism.words),
            ("public times", self.when),
            ("a block", f"{self.episodes} episodes, reserved before the first"),
            ("guarantee", str(self.guarantee)),
            ("claim", self.guarantee.claim()),
        ]

    def to_document(self) -> dict[str, object]:
        """Write the plan as plain values."""
        return {
            "format": FORMAT,
            "population": self.population,
            "problem": self.problem.to_document(),
            "mechanism": self.mechanism.to_document(),
            "schedule": self.schedule.to_document(),
            "unit": self.unit.to_document(),
            "episodes": self.episodes,
            "budget": {"epsilon": decimal(self.budget.epsilon), "delta": decimal(self.budget.delta)},
        }

    @staticmethod
    def from_document(document: object) -> AgentPlan:
        """Read what `to_document` wrote; the guarantee is computed again."""
        names = {"format", "population", "problem", "mechanism", "schedule", "unit", "episodes", "budget"}
        if not isinstance(document, dict) or set(document) != names:
            raise PlanError("unknown or missing entries", where="agent")
        if document["format"] != FORMAT:
            raise PlanError(
                "the format is newer than this library",
                where="agent",
                asked=document["format"],
                allowed=FORMAT,
            )
        budget = document["budget"]
        if not isinstance(budget, dict) or set(budget) != {"epsilon", "delta"}:
            raise PlanError("not a budget", where="agent", asked=shown(budget))
        return AgentPlan(
            to_problem(document["problem"]),
            to_agent_mechanism(document["mechanism"]),
            to_schedule(document["schedule"]),
            to_unit(document["unit"]),
            document["episodes"],
            Budget.of(budget["epsilon"], budget["delta"]),
            document["population"],
        )

    def __repr__(self) -> str:
        return f"<agent plan for {self.population}: {self.about}, {self.cost}>"

    def __str__(self) -> str:
        from privior.pictures import listing

        return "\n".join(listing.facts(self.facts()))


def _listed(times: tuple[int, ...]) -> str:
    """Numbers in words, those between left out if they are many."""
    shown = [str(time) for time in times]
    if len(shown) > _MOST_LISTED:
        shown = [*shown[:3], "...", shown[-1]]
    return (
        shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}".replace("... and", "...,")
    )


def _last(left: int) -> str:
    return "what the last one counts is" if left == 1 else f"what the last {left} count is"
