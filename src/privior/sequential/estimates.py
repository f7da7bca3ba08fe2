"""Estimates: what all that an agent published says of every choice, with the uncertainty of its noise. Free.

The numbers of all public times are put together as the agent itself puts them together, and many draws are
made of what it believes: so the noise is in every interval. What was counted since the last public time is in
none of them. Rows that were drawn have no intervals: a draw is a draw.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from privior.arrays import Floats
from privior.errors import NumberError, shown
from privior.sequential.latent_counts import shares
from privior.sequential.learner import Learner
from privior.sequential.sources import ExactSource

if TYPE_CHECKING:
    from privior.sequential.published import AgentRelease

#: how many draws are made of what is believed
DRAWS = 2000
#: counts below so many of their standard deviations may be noise alone
_SEEN = 3.0
#: larger tables of counts have no estimates: their numbers are in the file
MOST_NUMBERS = 2000


@dataclass(frozen=True)
class Estimated:
    """A number with an interval.

    Attributes:
        mean: of the posterior
        low: the lower end
        high: the upper end
    """

    mean: float
    low: float
    high: float


@dataclass(frozen=True)
class ChoiceEstimate:
    """What was published about one choice.

    Attributes:
        choice: the arm; of a chain the state and the action, as in "2, 1"
        taken: how often it was taken, by the noisy counts: choices are drawn anew for each episode, and
            these draws are not published; None if nothing was published about that
        paid: what it pays on average, a step; None if only drawn rows say it
        alone: the same with the mean counts taken for the true ones: what the steps alone leave open; None
            where rewards are numbers
        seen: whether so much was counted of it that it cannot be noise alone
        chances: of each outcome, or of each next state; of drawn rows without width
        best: the chance that no other arm pays more; None of a chain
    """

    choice: str
    taken: Estimated | None
    paid: Estimated | None
    alone: Estimated | None
    seen: bool
    chances: tuple[Estimated, ...]
    best: float | None


def estimates_of(release: AgentRelease, level: float = 0.9, seed: int = 0) -> tuple[ChoiceEstimate, ...]:
    """Return an estimate for every choice; none before something was published, or of too large a table.

    Args:
        release: what an agent published
        level: of the intervals
        seed: of the draws from what is believed
    """
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise NumberError("a level is between 0 and 1", asked=shown(level))
    problem, mechanism = release.plan.problem, release.plan.mechanism
    numbers = problem.rows * max(1, problem.cells)
    if not any(block.times for block in release.blocks) or numbers > MOST_NUMBERS:
        return ()
    learner = _follower(release, seed)
    drawn = [learner.believed() for _ in range(DRAWS)]
    chances = np.array([one.chances[0] for one in drawn])
    counted = [one.visits[0] for one in drawn if one.visits is not None]
    visits = np.clip(np.reshape(counted, (-1, problem.rows)), 0, _most_steps(release))
    known = mechanism.added is not None and bool(counted)
    paid = np.array([problem.paid(one.chances, one.rewards)[0] for one in drawn])
    winners = paid.argmax(axis=1)
    alone = _without_noise(learner, visits.mean(axis=0), chances.mean(axis=0)) if known else None
    seen = visits.mean(axis=0) > _SEEN * visits.std(axis=0) if known else np.zeros(problem.rows, bool)
    found = []
    for row in range(problem.rows):
        state, action = divmod(row, problem.actions)
        found.append(
            ChoiceEstimate(
                str(row) if problem.states == 1 else f"{state}, {action}",
                _estimated(visits[:, row], level) if counted else None,
                _estimated(paid[:, row], level) if known else None,
                None if alone is None else _estimated(alone[:, row], level),
                bool(seen[row]),
                tuple(_estimated(chances[:, row, cell], level) for cell in range(problem.cells)),
                float((winners == row).mean()) if known and problem.states == 1 else None,
            )
        )
    return tuple(found)


def _most_steps(release: AgentRelease) -> int:
    """Return how many steps there can have been when something was last published."""
    times = [max((time for time, _ in block.times), default=0) for block in release.blocks]
    ended = (len(times) - 1) * release.plan.episodes + times[-1]
    return ended * release.plan.problem.horizon


def _follower(release: AgentRelease, seed: int) -> Learner:
    """Return a learner that has counted nothing, and has taken all that was published."""
    plan = release.plan
    learner = Learner(
        plan.problem, plan.mechanism, plan.schedule, plan.episodes, ExactSource(), np.random.default_rng(seed)
    )
    for block in release.blocks:
        learner.begin_block()
        stored = {time: {name: np.array([one]) for name, one in found.items()} for time, found in block.times}
        for time in plan.times:
            if time <= max(stored, default=0):
                learner.follow(time, stored.get(time))  # what is missing was lost
    return learner


def _without_noise(learner: Learner, visits: Floats, chances: Floats) -> Floats | None:
    """Draw what choices pay as if the mean counts were the true ones."""
    problem, draw = learner.problem, np.random.default_rng(1)
    if problem.rewards is not None:
        return None
    parameters = visits[:, None] * chances + float(problem.prior)
    return np.array([problem.paid(shares(parameters, draw)[None], None)[0] for _ in range(DRAWS)])


def _estimated(draws: Floats, level: float) -> Estimated:
    low, high = np.quantile(draws, ((1 - level) / 2, (1 + level) / 2))
    return Estimated(float(draws.mean()), float(low), float(high))
