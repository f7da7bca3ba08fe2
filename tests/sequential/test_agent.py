"""Agents that learn from people: paid before acting, published at public times, never twice (T49)."""

from __future__ import annotations

import json
import pickle
import shutil
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.errors import BudgetExceededError, LedgerError, PlanError, ReleaseError, ReleaseFailedError
from privior.ledger import Ledger
from privior.sequential import (
    Agent,
    AgentPlan,
    AgentRelease,
    BoundedRewards,
    CategoricalBandit,
    Doubling,
    Episodes,
    Every,
    FiniteChain,
    Noise,
    NoisyCounts,
    RowDraws,
    Schedule,
    Step,
    Unprotected,
    User,
    arms,
    simulate,
)
from privior.sequential.schedule import to_schedule


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))


def plan_of(**facts: Any) -> AgentPlan:
    problem = CategoricalBandit(3, batch=4, prior="1/2")
    return AgentPlan.of(
        problem, **{"population": "visitors", "episodes": 8, "epsilon": 1, "schedule": "doubling", **facts}
    )


def ledger_at(tmp_path: Path, epsilon: object = 2) -> Ledger:
    return Ledger.create(tmp_path / "l.ledger", population="visitors", epsilon=epsilon, delta="1e-5")


def one_episode(agent: Agent) -> dict[str, Any]:
    for person in range(4):
        arm = agent.act()
        agent.observe(action=arm, outcome=person % 2)
    return agent.end_episode()


def test_a_block_is_paid_before_the_first_action_and_acting_stops_at_the_cap(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    agent = Agent(plan_of(), ledger=ledger, path=tmp_path / "a.json")
    assert ledger.spent.epsilon == 0
    agent.act()
    assert ledger.spent.epsilon == 1
    published = [sorted(one_episode(agent)) for _ in range(8)]
    assert published == [["counts"], ["counts"], [], ["counts"], [], [], [], []]
    assert agent.episodes_left == 0
    one_episode(agent)
    assert ledger.spent == pv.Ledger.open(tmp_path / "l.ledger").spent
    assert ledger.spent.epsilon == 2
    for _ in range(7):
        one_episode(agent)
    with pytest.raises(BudgetExceededError, match="Nothing was spent"):
        agent.act()


def test_an_agent_is_saved_resumed_and_not_replayed(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path, 10)
    place, copy = tmp_path / "a.json", tmp_path / "copy.json"
    agent = Agent(plan_of(), ledger=ledger, path=place)
    one_episode(agent)
    assert place.stat().st_mode & 0o077 == 0
    shutil.copy(place, copy)
    again = Agent.load(place, ledger=ledger)
    one_episode(again)
    assert ledger.spent.epsilon == 1
    assert [time for block in again.published().blocks for time, _ in block.times] == [1, 2]
    with pytest.raises(LedgerError, match="not the newest"):
        Agent.load(copy, ledger=ledger)
    with pytest.raises(LedgerError, match="not the newest"):
        one_episode(agent)  # the first object is older than what was saved since
    for _ in range(6):
        one_episode(again)
    stale = json.loads(copy.read_text())
    with pytest.raises(LedgerError):
        Agent.load(copy, ledger=ledger)
    newer = Agent.load(copy, ledger=ledger, new_block=True)
    assert stale["entry"] is not None
    one_episode(newer)
    assert ledger.spent.epsilon == 2  # what goes on is paid for anew


def test_what_was_published_is_read_reviewed_and_reported(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    agent = Agent(plan_of(), ledger=ledger)
    for _ in range(8):
        one_episode(agent)
    release = agent.published()
    release.write(tmp_path / "agent.json")
    again = AgentRelease.read(tmp_path / "agent.json")
    assert again == release
    assert all(holds for _, holds, _ in again.review(ledger))
    assert "<script" not in again.page()
    assert "visitors" in again.page()
    forged = json.loads(release.to_json())
    forged["blocks"][0]["times"][0][1]["counts"][0][0] += 1
    wrong = AgentRelease.from_json(json.dumps(forged)).review(ledger)
    assert [holds for name, holds, _ in wrong if name.startswith("entry")] == [False]
    for change in (
        {"guarantee": {**forged["guarantee"], "epsilon": "0.5"}},
        {"format": 2},
        {"blocks": [{**forged["blocks"][0], "times": [[3, {"counts": [[0, 0]] * 3}]]}]},
        {"plan": {**forged["plan"], "budget": {"epsilon": "0.1", "delta": "1e-6"}}},
    ):
        with pytest.raises(ReleaseError):
            AgentRelease.from_json(json.dumps({**json.loads(release.to_json()), **change}))


@pytest.mark.parametrize("mechanism", ["noisy-counts", "noisy-tree", "diffuse"])
def test_exact_and_simulated_draws_have_one_law(mechanism: str) -> None:
    """The same agent with another source of draws: what it publishes after one episode, by its moments."""
    from privior.sequential import ExactSource, Learner, SeededSource

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
    from privior.sequential import SeededSource

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
    assert not (redrawn == first).any()  # the agent redraws every row at every time


def test_a_guarantee_that_does_not_hold_is_refused() -> None:
    plan = plan_of()
    weaker = NoisyCounts(Noise(plan.mechanism.added.size * Fraction(9, 10)))  # type: ignore[union-attr]
    with pytest.raises(PlanError, match="does not give the stated guarantee"):
        AgentPlan(plan.problem, weaker, plan.schedule, plan.unit, plan.episodes, plan.budget, plan.population)
    with pytest.raises(PlanError):
        RowDraws(10, 1).parts(FiniteChain(3, 2, 5, "bounded"), Step(), Every(), 10)


def test_users_are_counted_up_to_their_steps(tmp_path: Path) -> None:
    plan = plan_of(unit=User(2))
    agent = Agent(plan, ledger=Ledger.in_memory(epsilon=5, delta="1e-5"))
    arm = agent.act()
    with pytest.raises(PlanError, match="whose step"):
        agent.observe(action=arm, outcome=1)
    for _ in range(5):
        agent.observe(action=arm, outcome=1, user="eve")
    assert int(agent._learner.vectors["counts"].pending.sum()) == 2


def test_what_cannot_be_counted_counts_nowhere_and_failures_have_one_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ledger = Ledger.in_memory(epsilon=5, delta="1e-5")
    agent = Agent(plan_of(), ledger=ledger)
    agent.act()
    for action, outcome in ((0, 7), (0, -1), (99, 0), (0, None)):
        agent.observe(action=action, outcome=outcome)
    assert int(agent._learner.vectors["counts"].pending.sum()) == 0
    texts = []
    for cause in (ValueError("count 17"), MemoryError()):
        broken = Agent(plan_of(), ledger=Ledger.in_memory(epsilon=5, delta="1e-5"))
        broken.act()

        def fails(*_: object, cause: Exception = cause) -> None:
            raise cause

        monkeypatch.setattr(broken._learner, "end_episode", fails)
        with pytest.raises(ReleaseFailedError) as caught:
            broken.end_episode()
        assert caught.value.__cause__ is None
        with pytest.raises(PlanError, match="no block is open"):
            broken.end_episode()  # the spend stands, and nothing more is drawn for it
        texts.append((caught.value.what, caught.value.advice))
    assert texts[0] == texts[1]


def test_simulations_are_marked_and_never_released(tmp_path: Path) -> None:
    problem = CategoricalBandit(3, batch=5)
    found = simulate(problem, Unprotected(), Doubling(), arms([0.1, 0.2, 0.6]), episodes=20, copies=3)
    assert found.simulated
    assert not hasattr(found, "write")
    plan = plan_of()
    with pytest.raises(PlanError, match="promises nothing"):
        AgentPlan(problem, Unprotected(), Doubling(), Step(), 8, plan.budget, "visitors")
    agent = Agent(plan, ledger=Ledger.in_memory(epsilon=5, delta="1e-5"))
    assert not agent._learner.source.simulated
    with pytest.raises(TypeError, match="exact counts"):
        pickle.dumps(agent)
    private = tmp_path / "p.json"
    Agent(plan, ledger=Ledger.in_memory(epsilon=5, delta="1e-5"), path=private)
    with pytest.raises(ReleaseError, match="not what an agent published"):
        AgentRelease.read(private)


@pytest.mark.parametrize("reward", ["bounded", "normal"])
def test_a_chain_learns_from_an_environment(reward: str) -> None:
    problem = FiniteChain(6, 2, 6, reward, prior="1/6")
    plan = AgentPlan.of(problem, population="swimmers", episodes=4, epsilon=50, schedule="every")
    assert AgentPlan.from_document(json.loads(json.dumps(plan.to_document()))) == plan
    agent = Agent(plan, ledger=Ledger.in_memory(epsilon=100, delta="1e-5"))
    agent.run(Episodes(steps=6), 4)
    (block,) = agent.published().blocks
    assert [time for time, _ in block.times] == [1, 2, 3]
    counts = np.array(block.times[-1][1]["counts"])
    assert counts.shape == (12, 6)


def test_rewards_are_rounded_without_bias() -> None:
    from privior.randomness import Bits

    law, bits = BoundedRewards(0, 2), Bits()
    found = [law.coded("0.5", bits.below) for _ in range(4000)]
    assert set(found) == {0, 1}
    assert np.mean(found) == pytest.approx(0.25, abs=5 * np.sqrt(0.25 * 0.75 / 4000))
    assert [law.coded(x, bits.below) for x in (-1, 0, 2, 9)] == [0, 0, 1, 1]
