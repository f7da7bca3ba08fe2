"""Plans of agents: public times, guarantees that hold, forecasts of the plan, one law of draws (T49)."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from clicks import chain_plan, plan_of

from privior.errors import PlanError
from privior.sequential import (
    AgentPlan,
    BoundedRewards,
    CategoricalBandit,
    Doubling,
    Every,
    FiniteChain,
    Learner,
    Noise,
    NoisyCounts,
    RowDraws,
    Schedule,
    SeededSource,
    Step,
    Unprotected,
    arms,
    forecast_regret,
    simulate,
)
from privior.sequential.rewards import rounded
from privior.sequential.schedule import to_schedule
from privior.sequential.sources import ExactSource


@pytest.mark.parametrize("mechanism", ["noisy-counts", "noisy-tree", "diffuse"])
def test_exact_and_simulated_draws_have_one_law(mechanism: str) -> None:
    """The same learner with another source of draws: what it publishes after one episode, by its moments."""
    plan = plan_of(mechanism=mechanism, schedule="every")
    sticks = mechanism == "diffuse"

    def published(source: Any, copies: int) -> list[float]:
        learner = Learner(plan.problem, plan.mechanism, plan.schedule, 8, source, np.random.default_rng(0))
        for step in range(4):
            learner.count(np.full(copies, step % 2), np.full(copies, 1), None)
        found = learner.end_episode()
        if sticks:
            assert learner._drawn is not None
            return list(learner._drawn[:, 0, 0])
        return list(found["counts"][:, 0, 1])

    exact = np.array([value for _ in range(400) for value in published(ExactSource(), 1)])
    seeded = np.array(published(SeededSource(np.random.default_rng(5), 4000), 4000))
    error = np.hypot(exact.std() / 20, seeded.std() / np.sqrt(4000))
    assert abs(exact.mean() - seeded.mean()) < 5 * error
    assert exact.std() == pytest.approx(seeded.std(), rel=0.2)
    wrong = seeded + 1.3 * exact.std()
    assert abs(exact.mean() - wrong.mean()) > 5 * error  # and a wrong law is seen


def test_schedules_that_depend_on_visits_are_refused() -> None:
    class WhenVisited(Schedule):
        name = "every"

        def times(self, episodes: int) -> tuple[int, ...]:
            return (1,)

        @property
        def words(self) -> str:
            return "when visits have doubled"

    for asked in (WhenVisited(), "visits-doubled", lambda counts: counts.sum() > 8, None, {"name": "visits"}):
        with pytest.raises(PlanError, match="public schedule"):
            to_schedule(asked)
    plan = plan_of()
    with pytest.raises(PlanError, match="public schedule"):
        AgentPlan(
            plan.problem,
            plan.mechanism,
            WhenVisited(),
            plan.unit,
            plan.episodes,
            plan.budget,
            plan.population,
        )


def test_a_kept_row_would_tell_what_was_visited() -> None:
    """The usual loop as a planted fault: a row is redrawn only if its counts changed (delta = 1)."""
    source = SeededSource(np.random.default_rng(1), 1)
    counts = np.zeros((1, 2, 2), dtype=np.int64)
    first = source.rows(counts, Fraction(1), Fraction(1))
    visited = counts.copy()
    visited[0, 0, 0] = 1

    def kept(after: np.ndarray) -> np.ndarray:
        anew = source.rows(after, Fraction(1), Fraction(1))
        return np.where((after != counts).any(axis=2)[:, :, None], anew, first)

    assert (kept(counts) == first).all()  # "not visited" is published for sure
    assert not (kept(visited)[0, 0] == first[0, 0]).any()  # and never if it was
    redrawn = source.rows(counts, Fraction(1), Fraction(1))
    assert not (redrawn == first).any()  # a learner redraws every row at every time


def test_a_guarantee_that_does_not_hold_is_refused() -> None:
    plan = plan_of()
    weaker = NoisyCounts(Noise(plan.mechanism.added.size * Fraction(9, 10)))  # type: ignore[union-attr]
    with pytest.raises(PlanError, match="does not give the stated guarantee"):
        AgentPlan(plan.problem, weaker, plan.schedule, plan.unit, plan.episodes, plan.budget, plan.population)
    with pytest.raises(PlanError):
        RowDraws(10, 1).parts(FiniteChain(3, 2, 5, "bounded"), Step(), Every(), 10)


def test_simulations_are_marked_and_never_released() -> None:
    problem = CategoricalBandit(3, batch=5)
    found = simulate(problem, Unprotected(), Doubling(), arms([0.1, 0.2, 0.6]), episodes=20, copies=3)
    assert found.simulated
    assert not hasattr(found, "write")
    with pytest.raises(PlanError, match="promises nothing"):
        AgentPlan(problem, Unprotected(), Doubling(), Step(), 8, plan_of().budget, "visitors")


@pytest.mark.parametrize("reward", ["bounded", "normal"])
def test_a_plan_is_written_and_read(reward: str) -> None:
    plan = chain_plan(reward, steps=6, episodes=4, population="swimmers")
    assert AgentPlan.from_document(json.loads(json.dumps(plan.to_document()))) == plan
    assert "swimmers" in str(plan)


def test_rewards_are_rounded_without_bias() -> None:
    law, draw = BoundedRewards(0, 2), np.random.default_rng(6)
    found = rounded(np.full(4000, 0.5), law, draw)
    assert set(found.tolist()) == {0, 1}
    assert found.mean() == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / 4000))
    assert rounded(np.array([-1.0, 0.0, 2.0, 9.0]), law, draw).tolist() == [0, 0, 1, 1]


def forecast_plan(**facts: Any) -> AgentPlan:
    problem = facts.pop("problem", CategoricalBandit(3, batch=20, prior="1/2"))
    return AgentPlan.of(
        problem, **{"population": "visitors", "episodes": 64, "epsilon": 1, "delta": "1e-6", **facts}
    )


def test_a_forecast_is_of_the_plan_itself() -> None:
    """Mechanism and times of the plan: each of two that differ is what simulating it by hand gives."""
    world = arms([0.1, 0.2, 0.7])
    plans = [
        forecast_plan(),
        forecast_plan(mechanism="diffuse"),
        forecast_plan(schedule="every"),
        forecast_plan(epsilon=10),
    ]
    regrets = []
    for plan in plans:
        private, free = forecast_regret(plan, world, copies=6, seed=4)
        by_hand = simulate(plan.problem, plan.mechanism, plan.schedule, world, episodes=64, copies=6, seed=4)
        assert private.regret == pytest.approx(by_hand.regrets.mean())
        assert (private.epsilon, free.epsilon) == (str(plan.budget.epsilon), None)
        regrets.append(private.regret)
        assert 0 <= free.regret < private.regret
    assert len(set(regrets)) == len(plans)


def test_a_forecast_pays_what_the_problem_pays() -> None:
    world = arms([0.1, 0.9])
    made = [
        forecast_plan(problem=CategoricalBandit(2, payoffs, batch=20)) for payoffs in ((0, 1), (0, 5), (1, 0))
    ]
    once, five, turned = (forecast_regret(plan, world, copies=4, seed=1)[0] for plan in made)
    assert five.regret == pytest.approx(5 * once.regret)
    assert five.reward == pytest.approx(5 * once.reward)
    # if the first outcome pays, the arm that seldom gives the second is best
    assert turned.reward + turned.regret == pytest.approx(64 * 20 * 0.9)
    assert turned.regret < 64 * 20 * 0.4
    with pytest.raises(PlanError, match="two outcomes"):
        forecast_regret(forecast_plan(problem=CategoricalBandit(2, (0, 1, 2), batch=20)), world)


@pytest.mark.parametrize("chance", [-0.1, 1.1, float("nan"), float("inf")])
def test_chances_that_are_none_are_refused(chance: float) -> None:
    with pytest.raises(PlanError, match=r"(chances of a reward|finite numbers)"):
        arms([0.5, chance])
