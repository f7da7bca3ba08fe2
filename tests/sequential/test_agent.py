"""Agents that learn from people: paid before acting, published at public times, saved, resumed, reviewed."""

from __future__ import annotations

import copy
import json
import pickle
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clicks import chain_plan, clicks, ledger_at, memory, one_episode, plan_of, private_total

from privior.errors import BudgetExceededError, PlanError, ReleaseError, ReleaseFailedError, TableError
from privior.privacy import Budget
from privior.release import Release
from privior.sequential import (
    RIVER_SWIM,
    Agent,
    AgentPlan,
    AgentRelease,
    BoundedRewards,
    Episodes,
    Every,
    Learner,
    Noise,
    NoisyCounts,
    RewardBandit,
    SeededSource,
    Step,
    arms,
    register_environments,
)


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))


def test_a_block_is_paid_before_the_first_action_and_acting_stops_at_the_cap(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    agent = Agent.create(plan_of(), ledger=ledger, path=tmp_path / "a.private")
    with pytest.raises(PlanError, match="no block"):
        agent.act()
    with pytest.raises(PlanError, match="no block"):
        agent.learn(clicks(), episode=1)
    assert ledger.spent.epsilon == 0
    agent.reserve()
    agent.reserve()  # one is open: nothing more is spent
    assert ledger.spent.epsilon == 1
    found = [sorted(one_episode(agent)) for _ in range(8)]
    assert found == [
        ["counts"],
        ["counts"],
        [],
        ["counts"],
        [],
        [],
        [],
        ["counts"],
    ]  # the end of a block is free
    assert agent.episode is None
    with pytest.raises(PlanError, match="no block"):
        agent.act()
    agent.reserve()
    assert agent.episode == 9
    for _ in range(8):
        one_episode(agent)
    with pytest.raises(BudgetExceededError):
        agent.reserve()
    assert ledger.spent.epsilon == 2
    assert ledger.verify().spends == 2


@pytest.mark.parametrize("mechanism", ["noisy-counts", "noisy-tree", "laplace-counts", "diffuse"])
def test_an_agent_that_is_loaded_before_every_step_is_the_same(mechanism: str, tmp_path: Path) -> None:
    """What is kept is all there is: one that is saved and loaded counts like one that is not."""
    plan = plan_of(mechanism=mechanism, schedule="every")
    ledger, place = ledger_at(tmp_path), tmp_path / "a.private"
    kept, whole = Agent.create(plan, ledger=ledger, path=place), Agent.create(plan, ledger=memory())
    kept.reserve()
    whole.reserve()
    for episode in range(1, 9):
        kept.close()
        kept = Agent.load(place, ledger=ledger)
        for agent in (kept, whole):
            agent.learn(clicks(), episode=episode)
        one, two = (json.loads(agent._state.to_text())["learner"] for agent in (kept, whole))
        assert one["table"] == two["table"]
        assert one["ended"] == two["ended"] == episode
        for name in one["vectors"]:
            for exact in ("pending", "pieces", "times", "exact"):
                assert one["vectors"][name][exact] == two["vectors"][name][exact]
    flat = mechanism.endswith("counts")  # which publishes at the end of a block too
    assert [len(block.times) for block in kept.published().blocks] == [7 + flat]
    kept.reserve()
    assert kept.learn(clicks(), episode=9)
    kept.close()


def test_what_was_published_is_read_reviewed_and_reported(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    agent = Agent.create(plan_of(), ledger=ledger)
    agent.reserve()
    drawn = [one_episode(agent) for _ in range(8)]
    release = agent.published()
    assert [arrays for _, arrays in release.blocks[0].times] == [found for found in drawn if found]
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
    time = forged["blocks"][0]["times"][0]
    for change in (
        {"guarantee": {**forged["guarantee"], "epsilon": "0.5"}},
        {"format": 2},
        {"blocks": [{**forged["blocks"][0], "times": [[3, {"counts": [[0, 0]] * 3}]]}]},
        {"blocks": [{**forged["blocks"][0], "times": [time, time]}]},
        {"plan": {**forged["plan"], "budget": {"epsilon": "0.1", "delta": "1e-6"}}},
    ):
        with pytest.raises(ReleaseError):
            AgentRelease.from_json(json.dumps({**json.loads(release.to_json()), **change}))


@pytest.mark.parametrize("mechanism", ["noisy-counts", "diffuse"])
def test_what_an_agent_publishes_has_the_law_of_what_is_simulated(mechanism: str) -> None:
    """The agent as people meet it, ledger and all, beside the learner that simulations run."""
    plan, ledger = plan_of(mechanism=mechanism, schedule="every"), memory()

    def exact() -> float:
        agent = Agent.create(plan, ledger=ledger)
        agent.reserve()
        found = agent.learn([{"action": 0, "outcome": 1}] * 4, episode=1)
        return float(found["counts"][0][1] if "counts" in found else found["rows"][0][0] / 2**53)

    copies = 4000
    source = SeededSource(np.random.default_rng(5), copies)
    learner = Learner(plan.problem, plan.mechanism, plan.schedule, 8, source, np.random.default_rng(0))
    for _ in range(4):
        learner.count(np.zeros(copies, dtype=np.int64), np.ones(copies, dtype=np.int64), None)
    published = learner.end_episode()
    seeded = published["counts"][:, 0, 1] if "counts" in published else published["rows"][:, 0, 0]
    real = np.array([exact() for _ in range(60)])
    error = np.hypot(real.std() / np.sqrt(60), seeded.std() / np.sqrt(copies))
    assert abs(real.mean() - seeded.mean()) < 5 * error
    assert real.std() == pytest.approx(seeded.std(), rel=0.5)
    assert abs(real.mean() - (seeded.mean() + 8 * error)) > 2 * error  # a wrong law is seen


def test_only_what_was_published_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two agents that published the same do the same, whatever they have counted since."""
    made = []
    for outcome in (0, 1):
        agent = Agent.create(plan_of(), ledger=memory())
        agent.reserve()
        for episode in (1, 2):
            agent.learn(clicks(), episode=episode)
        published = {"counts": np.array([[[9, 1], [2, 8], [5, 5]]])}
        agent._state.learner.vectors["counts"].estimate = published["counts"]
        agent._state.learner._latent = None
        agent.learn([{"action": 0, "outcome": outcome}] * 4, episode=3)  # no public time
        agent._state.learner._generator = np.random.default_rng(4)
        made.append([agent._state.learner.policy().tolist() for _ in range(20)])
    assert made[0] == made[1]


def test_failures_have_one_answer_and_lose_their_part() -> None:
    texts = []
    for cause in (ValueError("count 17"), MemoryError(), RecursionError("x")):
        agent = Agent.create(plan_of(), ledger=memory())
        agent.reserve()
        learner = agent._state.learner
        real = learner.draw

        def fails(*_: object, cause: Exception = cause) -> None:
            raise cause

        learner.draw = fails  # type: ignore[assignment, method-assign]
        with pytest.raises(ReleaseFailedError) as caught:
            agent.learn(clicks(), episode=1)
        assert caught.value.__cause__ is None
        learner.draw = real  # type: ignore[method-assign]
        assert agent.learn(clicks(), episode=1) == {}  # counted, lost, and not drawn again
        assert agent.learn(clicks(), episode=2)
        assert [time for time, _ in agent.published().blocks[0].times] == [2]
        texts.append((caught.value.what, caught.value.advice))
    assert texts[0] == texts[1] == texts[2]


def test_an_agent_is_neither_copied_nor_taken_for_a_release(tmp_path: Path) -> None:
    place = tmp_path / "p.private"
    agent = Agent.create(plan_of(), ledger=memory(), path=place)
    for copying in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="exact counts"):
            copying(agent)
    with pytest.raises(ReleaseError, match="not what an agent published"):
        AgentRelease.read(place)
    agent.close()
    with pytest.raises(TableError, match="exists already"):
        Agent.create(plan_of(), ledger=memory(), path=place)
    (tmp_path / "other").write_text("{}")
    with pytest.raises(TableError, match="not the private file"):
        Agent.load(tmp_path / "other", ledger=memory())


def test_an_interruption_while_counting_makes_the_object_useless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C in the middle of an episode: whoever tries again would count its first steps twice."""
    agent = Agent.create(plan_of(), ledger=memory())
    agent.reserve()
    real, calls = agent._state.learner.count, []

    def cut(*given: Any) -> None:
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        real(*given)

    monkeypatch.setattr(agent._state.learner, "count", cut)
    with pytest.raises(KeyboardInterrupt):
        agent.learn(clicks(), episode=1)
    with pytest.raises(PlanError, match="interrupted while it counted"):
        agent.learn(clicks(), episode=1)


def test_threads_take_turns() -> None:
    agent = Agent.create(plan_of(schedule="doubling"), ledger=memory())
    agent.reserve()
    for episode in (1, 2):
        agent.learn(clicks(), episode=episode)
    ran = [threading.Thread(target=agent.learn, args=(clicks(),), kwargs={"episode": 3}) for _ in range(8)]
    for thread in ran:
        thread.start()
    for thread in ran:
        thread.join()
    assert private_total(agent) == 4  # the third episode, once


@pytest.mark.parametrize("reward", ["bounded", "normal"])
def test_a_chain_learns_from_an_environment(reward: str) -> None:
    plan = chain_plan(reward, steps=6, episodes=4)
    agent = Agent.create(plan, ledger=memory())
    agent.reserve()
    agent.run(Episodes(steps=6), 4)
    (block,) = agent.published().blocks
    assert [time for time, _ in block.times] == [1, 2, 3, 4]
    assert np.array(block.times[-1][1]["counts"]).shape == (12, 6)


def test_agents_act_in_gymnasium() -> None:
    import gymnasium

    register_environments()
    agent = Agent.create(chain_plan("bounded", steps=30, episodes=2), ledger=memory())
    agent.reserve()
    agent.run(gymnasium.make(RIVER_SWIM, disable_env_checker=True), 2)
    assert agent.episode is None
    bandit = RewardBandit(3, BoundedRewards(), batch=5)
    plan = AgentPlan(bandit, NoisyCounts(Noise(9)), Every(), Step(), 2, Budget.of(5, "1e-6"), "visitors")
    agent = Agent.create(plan, ledger=memory())
    agent.reserve()
    agent.run(Episodes(arms([0.1, 0.5, 0.9]), steps=5), 2)
    assert len(agent.published().blocks[0].times) == 2


def test_whoever_takes_it_for_another_release_is_told(tmp_path: Path) -> None:
    agent = Agent.create(plan_of(), ledger=memory(), path=tmp_path / "a.private")
    agent.reserve()
    one_episode(agent)
    agent.published().write(tmp_path / "a.json")
    for name, said in (("a.json", "privior agent review"), ("a.private", "never publish it")):
        with pytest.raises(ReleaseError, match=said):
            Release.read(tmp_path / name)
