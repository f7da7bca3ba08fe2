"""What a release says of every choice: totals of all blocks, intervals that hold, nothing that was not
published.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from clicks import clicks, ledger_at, memory, plan_of

from privior.errors import NumberError, PlanError
from privior.ledger import Ledger
from privior.privacy import Budget
from privior.sequential import (
    Agent,
    AgentPlan,
    AgentRelease,
    BoundedRewards,
    CategoricalBandit,
    Doubling,
    Every,
    FiniteChain,
    Learner,
    Noise,
    NoisyCounts,
    RewardBandit,
    RowDraws,
    Step,
    agent_page,
)
from privior.sequential.estimates import ChoiceEstimate, estimates_of
from privior.sequential.sources import ExactSource


def learned(plan: AgentPlan, episodes: int, steps: Sequence[Mapping[str, object]]) -> AgentRelease:
    agent = Agent.create(plan, ledger=Ledger.in_memory(epsilon=1000, delta="1e-1"))
    for episode in range(1, episodes + 1):
        agent.reserve()
        agent.learn(steps, episode=episode)
    return agent.published()


def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExactSource, "gaussian", lambda self, shape, stddev: np.zeros(shape, dtype=np.int64))


@pytest.mark.parametrize("tree", [False, True])
def test_totals_are_of_all_blocks(tree: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise: two blocks of eight episodes, and half of a third; what is pending is in no total."""
    silent(monkeypatch)
    mechanism = NoisyCounts(Noise("0.7", tree=tree))
    problem = CategoricalBandit(2, batch=100)
    plan = AgentPlan(problem, mechanism, Every(4), Step(), 8, Budget.of(30, "1e-3"), "visitors")
    steps = [{"action": int(n % 4 == 0), "outcome": n % 2} for n in range(100)]
    found = estimates_of(learned(plan, 22, steps))
    # after 4 and 8 episodes of a block, and by a tree after 4 alone: the rest comes with the next block
    assert [one.taken and round(one.taken.mean, -1) for one in found] == [1500, 500]
    assert found[0].chances[1].mean == pytest.approx(2 / 3, abs=0.01)
    assert found[0].paid is not None
    assert found[0].paid.low < 2 / 3 < found[0].paid.high
    assert found[0].best == 1


def test_a_choice_that_was_never_taken_has_no_bar_of_records_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its counts are noise; and no choice is said to be taken more often than there were steps."""
    draw = np.random.default_rng(3)
    monkeypatch.setattr(
        ExactSource,
        "gaussian",
        lambda self, shape, stddev: np.rint(draw.normal(0, float(stddev), shape)).astype(np.int64),
    )
    plan = AgentPlan(
        CategoricalBandit(2, batch=100),
        NoisyCounts(Noise(8)),
        Every(4),
        Step(),
        4,
        Budget.of(3, "1e-2"),
        "visitors",
    )
    release = learned(plan, 4, [{"action": 0, "outcome": n % 2} for n in range(100)])
    often, never = estimates_of(release)
    assert (often.seen, never.seen) == (True, False)
    assert often.taken is not None
    assert often.taken.high <= 400
    (chart,) = agent_page._chart([often, never])
    assert "pays on average" in str(chart)
    assert "an estimate too" in agent_page.explained(release)


def test_what_was_lost_is_in_no_total_and_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    silent(monkeypatch)
    agent = Agent.create(plan_of(epsilon=8), ledger=memory())
    agent.reserve()
    for episode in range(1, 9):
        with monkeypatch.context() as patch:
            if episode == 2:
                patch.setattr(Learner, "draw", lambda self: 1 / 0)
            try:
                agent.learn(clicks(), episode=episode)
            except Exception:
                assert episode == 2
    release = agent.published()
    assert release.lost == 1
    assert dict(release.facts())["lost"].startswith("what was due at 1 public")
    taken = estimates_of(release)[0].taken
    assert taken is not None
    assert taken.low <= 28 <= taken.high  # 4 of the 32 are lost
    assert learned(plan_of(), 3, clicks()).lost == 0


def test_intervals_hold_as_often_as_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    """Chances drawn from the prior, noise of a seed: 90% intervals hold about 90% of them, and those that
    take noisy counts for true ones do not.
    """
    draw = np.random.default_rng(11)
    monkeypatch.setattr(
        ExactSource,
        "gaussian",
        lambda self, shape, stddev: np.rint(draw.normal(0, float(stddev), shape)).astype(np.int64),
    )
    monkeypatch.setattr("privior.sequential.estimates.DRAWS", 300)
    problem = CategoricalBandit(4, batch=60, prior=1)
    plan = AgentPlan(problem, NoisyCounts(Noise(8)), Doubling(), Step(), 4, Budget.of(3, "1e-2"), "visitors")
    held, naive = [], []
    for _ in range(60):
        chances = draw.random(4)
        steps = [{"action": n % 4, "outcome": int(draw.random() < chances[n % 4])} for n in range(60)]
        for chance, one in zip(chances, estimates_of(learned(plan, 2, steps)), strict=True):
            assert one.paid is not None
            assert one.alone is not None
            held.append(one.paid.low <= chance <= one.paid.high)
            naive.append(one.alone.low <= chance <= one.alone.high)
    assert np.mean(held) == pytest.approx(0.9, abs=0.07)
    assert np.mean(naive) < 0.75


def test_rewards_and_chains_have_means(monkeypatch: pytest.MonkeyPatch) -> None:
    silent(monkeypatch)
    budget = Budget.of(50, "1e-3")
    arms = RewardBandit(2, BoundedRewards(0, 10), batch=100)
    plan = AgentPlan(arms, NoisyCounts(Noise("0.7")), Every(), Step(), 2, budget, "visitors")
    first, second = estimates_of(
        learned(plan, 2, [{"action": n % 2, "reward": 10 * (n % 2)} for n in range(100)])
    )
    assert first.paid is not None
    assert second.paid is not None
    assert (first.chances, first.alone, second.best) == ((), None, 1)
    assert first.paid.mean < 1 < 9 < second.paid.mean
    chain = FiniteChain(2, 1, 20, BoundedRewards())
    steps: list[dict[str, object]] = [{"state": n % 2, "action": 0, "reward": n % 2} for n in range(21)]
    for mechanism in (NoisyCounts(Noise("0.7")), RowDraws(1, 1, Noise("0.7"))):
        plan = AgentPlan(chain, mechanism, Every(), Step(), 2, Budget.of(200, "1e-2"), "visitors")
        found = estimates_of(learned(plan, 2, steps))
        assert [one.choice for one in found] == ["0, 0", "1, 0"]
        assert [one.paid and round(one.paid.mean) for one in found] == [0, 1]
        assert [one.best for one in found] == [None, None]
        chance = found[0].chances[1]
        assert mechanism.draws_rows is (chance.low == chance.high)
        assert mechanism.draws_rows or chance.mean > 0.8


def test_drawn_rows_are_draws_and_have_no_width() -> None:
    release = learned(plan_of(mechanism="diffuse", schedule="every", epsilon=8), 3, clicks())
    (one, *_) = release.estimates()
    assert (one.taken, one.paid, one.best) == (None, None, None)
    assert one.chances[0].low == one.chances[0].high
    assert "have no intervals" in release.page()


def test_nothing_before_something_was_published(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    agent = Agent.create(plan_of(), ledger=ledger)
    assert agent.published().estimates() == ()
    assert "Nothing was published yet" in agent.published().page()
    for level in (0, 1, 2.0, True, "0.9"):
        with pytest.raises(NumberError):
            agent.published().estimates(level)  # type: ignore[arg-type]


def test_estimates_follow_from_the_release_alone() -> None:
    """What is pending changes nothing, and the same release says the same twice."""
    one = learned(plan_of(), 4, clicks())
    same: tuple[ChoiceEstimate, ...] = AgentRelease.from_json(one.to_json()).estimates()
    assert one.estimates() == same


def test_a_block_in_which_nothing_is_published_is_refused() -> None:
    with pytest.raises(PlanError, match="nothing would be published"):
        plan_of(mechanism="diffuse", schedule={"name": "every", "episodes": 8})
    whole = plan_of(schedule={"name": "every", "episodes": 8})  # noise: the end of the block is free
    assert whole.times == (8,)
    assert whole.when == "noisy numbers after 8 of the 8 episodes of a block"
    drawn = plan_of(mechanism="diffuse", schedule="doubling")
    assert drawn.when.endswith("what the last 4 count is in the rows of the next block, if one is reserved")
