"""T49, attacked: copies, forks, restored files, crashes between every two steps, retries, overflows, modes.

What must hold whatever happens: no part of a block is drawn twice, what is shown is what the ledger has, all
parts were drawn from one line of states, and nothing is counted beyond the horizon and the quota.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clicks import (
    BATCH,
    chain_plan,
    clicks,
    ledger_at,
    memory,
    one_episode,
    parts_in,
    plan_of,
    private_total,
)

from child_program import KILLED, at
from privior.curator import reserve
from privior.errors import LedgerError, PlanError, PriviorError, ReleaseFailedError, TableError
from privior.ledger import Ledger
from privior.privacy import Budget
from privior.sequential import (
    Agent,
    AgentPlan,
    CategoricalBandit,
    Every,
    ExactSource,
    Learner,
    Noise,
    NoisyCounts,
    Step,
    User,
)
from privior.sequential.noisy_prefix import pieces_with_one
from privior.tables.private_files import PrivateFile


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))


def begun(tmp_path: Path, **facts: Any) -> tuple[Agent, Ledger, Path]:
    """An agent with a block, in a file."""
    ledger, place = ledger_at(tmp_path, 50), tmp_path / "a.private"
    agent = Agent.create(plan_of(**facts), ledger=ledger, path=place)
    agent.reserve()
    return agent, ledger, place


# ---- copies ---------------------------------------------------------------------------------------------


def test_a_restored_copy_is_refused_once_something_was_drawn(tmp_path: Path) -> None:
    agent, ledger, place = begun(tmp_path)
    copy = tmp_path / "copy.private"
    shutil.copy(place, copy)
    one_episode(agent)  # draws part 1
    with pytest.raises(LedgerError, match="not the newest"):
        Agent.load(copy, ledger=ledger)
    agent.close()
    shutil.copy(copy, place)  # the file itself, restored
    with pytest.raises(LedgerError, match="not the newest"):
        Agent.load(place, ledger=ledger)
    assert len(parts_in(ledger)) == 1


def test_two_copies_side_by_side_draw_a_part_once(tmp_path: Path) -> None:
    """Both were loaded before anything was drawn, and both have counted other people."""
    agent, ledger, place = begun(tmp_path)
    copy = tmp_path / "copy.private"
    shutil.copy(place, copy)
    other = Agent.load(copy, ledger=ledger)
    first = agent.learn(clicks(), episode=1)
    with pytest.raises(LedgerError, match="not the newest"):
        other.learn(clicks(), episode=1)
    with pytest.raises(LedgerError, match="not the newest"):
        other.learn(clicks(), episode=2)  # nor can it go on afterwards
    with pytest.raises(LedgerError, match="not the newest"):
        other.act()
    other.close()
    with pytest.raises(LedgerError, match="not the newest"):
        Agent.load(copy, ledger=ledger)
    assert len(set(parts_in(ledger))) == 1
    assert agent.learn(clicks(), episode=2)
    assert agent.published().blocks[0].times[0][1] == first


def test_a_copy_between_two_parts_may_win_and_then_the_other_has_lost(tmp_path: Path) -> None:
    agent, ledger, place = begun(tmp_path)
    for _ in range(3):
        one_episode(agent)
    copy = tmp_path / "copy.private"
    shutil.copy(place, copy)
    other = Agent.load(copy, ledger=ledger)
    assert other.learn(clicks(), episode=4)
    with pytest.raises(LedgerError, match="not the newest"):
        agent.learn(clicks(), episode=4)
    assert len(parts_in(ledger)) == 3


def test_copies_draw_the_end_of_a_block_once(tmp_path: Path) -> None:
    """Both have counted other people since the last public time; one publishes, the other has lost."""
    agent, ledger, place = begun(tmp_path)
    for _ in range(7):
        one_episode(agent)
    copy = tmp_path / "copy.private"
    shutil.copy(place, copy)
    other = Agent.load(copy, ledger=ledger)
    drawn = other.learn(clicks(), episode=8)
    assert drawn
    for _ in range(2):
        with pytest.raises(LedgerError, match="not the newest"):
            agent.learn(clicks(), episode=8)
    with pytest.raises(LedgerError, match="not the newest"):
        agent.reserve()
    assert len(parts_in(ledger)) == 4
    assert ledger.spent.epsilon == 1
    other.reserve()
    assert other.published().blocks[0].times[-1] == (8, drawn)


def test_a_copy_made_when_a_part_was_due_draws_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its state is the one the part was drawn from: it takes that over, and is refused if others went on."""
    agent, ledger, place = begun(tmp_path)
    copies = [tmp_path / "one.private", tmp_path / "two.private"]
    real = Ledger.take_part

    def copied(self: Ledger, *given: Any, **named: Any) -> Any:
        for copy in copies:
            shutil.copy(place, copy)
        return real(self, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "take_part", copied)
        drawn = agent.learn(clicks(), episode=1)
    other = Agent.load(copies[0], ledger=ledger)
    assert other.learn(clicks(), episode=1) == drawn
    assert other._state.to_text() == agent._state.to_text()
    assert agent.learn(clicks(), episode=2)
    with pytest.raises(LedgerError, match="not the newest"):
        other.learn(clicks(), episode=2)
    late = Agent.load(copies[1], ledger=ledger)
    with pytest.raises(LedgerError, match="not the newest"):
        late.act()
    assert len(parts_in(ledger)) == 2


def test_copies_at_the_end_of_a_block_share_one_spend_and_one_line(tmp_path: Path) -> None:
    agent, ledger, place = begun(tmp_path)
    for _ in range(8):
        one_episode(agent)
    copy = tmp_path / "copy.private"
    shutil.copy(place, copy)
    other = Agent.load(copy, ledger=ledger)
    agent.reserve()
    other.reserve()  # the same block: it is paid for once
    assert ledger.spent.epsilon == 2
    agent.learn(clicks(), episode=9)
    with pytest.raises(LedgerError, match="not the newest"):
        other.learn(clicks(), episode=9)
    other.close()
    with pytest.raises(LedgerError, match="not the newest"):
        Agent.load(copy, ledger=ledger)


def test_a_ledger_that_was_restored_with_its_agent_grants_nothing_twice(tmp_path: Path) -> None:
    agent, ledger, place = begun(tmp_path)
    agent.close()
    saved = {path: path.read_bytes() for path in (tmp_path / "shop.ledger", place)}
    agent = Agent.load(place, ledger=ledger)
    agent.learn(clicks(), episode=1)
    agent.close()
    (tmp_path / "shop.ledger").write_bytes(saved[tmp_path / "shop.ledger"])
    with pytest.raises(LedgerError, match="older than this agent"):
        Agent.load(place, ledger=Ledger.open(tmp_path / "shop.ledger"))
    for path, content in saved.items():
        path.write_bytes(content)
    again = Agent.load(place, ledger=Ledger.open(tmp_path / "shop.ledger"))
    with pytest.raises(LedgerError, match="an old copy was restored"):
        again.learn(clicks(), episode=1)
    restored = Ledger.open(tmp_path / "shop.ledger")
    restored.reconcile()  # what was drawn may be drawn again: all that was spent is charged once more
    assert restored.spent.epsilon == 2
    assert restored.verify().spends == 2
    assert again.learn(clicks(), episode=1)


# ---- processes ------------------------------------------------------------------------------------------


def in_a_process(act: Any) -> int:
    """Do something in a process of its own; return how it ended."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except PriviorError:
            os._exit(3)
        except BaseException:
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_processes_that_forked_draw_a_part_once(tmp_path: Path) -> None:
    """An agent in memory, in five processes at once: one draws, the others are refused."""
    agent, ledger, _ = begun(tmp_path)
    go, ready = os.pipe()
    children = []
    for _ in range(5):
        child = os.fork()
        if child == 0:
            try:
                os.read(go, 1)
                agent.learn(clicks(), episode=1)
            except PriviorError:
                os._exit(3)
            except BaseException:
                os._exit(1)
            os._exit(0)
        children.append(child)
    os.write(ready, b"x" * 5)
    ended = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
    assert ended.count(0) == 1, ended
    assert ended.count(3) == 4, ended
    assert len(parts_in(ledger)) == 1
    assert ledger.verify().spends == 1


def test_one_program_at_a_time_has_the_file(tmp_path: Path) -> None:
    agent, ledger, place = begun(tmp_path)
    assert in_a_process(lambda: PrivateFile(place, wait=0.1)) == 3
    with pytest.raises(TableError, match="another program"):
        PrivateFile(place, wait=0.05)
    agent.close()
    with pytest.raises(TableError, match="closed"):
        agent.learn(clicks(), episode=1)
    assert in_a_process(lambda: Agent.load(place, ledger=ledger)) == 0


# ---- crashes --------------------------------------------------------------------------------------------

#: where the program is killed while it learns an episode after which something is published
PLACES = (
    ("privior.tables.private_files:write_whole", "before", 1),
    ("privior.tables.private_files:write_whole", "after", 1),
    ("privior.tables.private_files:write_whole", "after", 2),
    ("privior.ledger.ledger:Ledger.take_part", "before", 1),
    ("privior.ledger.pages:Page.append", "after", 1),
    ("privior.ledger.ledger:Ledger.take_part", "after", 1),
    ("privior.sequential.sources:ExactSource.gaussian", "after", 1),
    ("privior.ledger.ledger:Ledger.finish", "before", 1),
    ("privior.ledger.pages:Page.close", "after", 1),
    ("privior.ledger.ledger:Ledger.finish", "after", 1),
    ("privior.tables.private_files:write_whole", "before", 3),
    ("privior.tables.private_files:write_whole", "after", 3),
)
#: after these the draw is in the ledger
_STORED = PLACES.index(("privior.ledger.ledger:Ledger.finish", "after", 1))
_TAKEN = PLACES.index(("privior.ledger.ledger:Ledger.take_part", "after", 1))


@pytest.mark.parametrize("place", range(len(PLACES)))
def test_killed_between_any_two_steps_nothing_is_drawn_twice(place: int, tmp_path: Path) -> None:
    agent, ledger, path = begun(tmp_path)
    agent.close()
    name, when, count = PLACES[place]

    def learns() -> None:
        exec(at(name, KILLED, when, count), {})
        Agent.load(path, ledger=Ledger.open(ledger.where)).learn(clicks(), episode=1)

    assert in_a_process(learns) == -9
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = parts_in(ledger)
    with Agent.load(path, ledger=ledger) as again:
        found = again.learn(clicks(), episode=1)  # tried again, with the same number
        assert private_total(again) == 0  # counted once, and published or lost
        state = again._state.to_text()
        assert again.learn(clicks(), episode=1) == found
        assert again._state.to_text() == state
        assert again.learn(clicks(), episode=2)
        times = [time for time, _ in again.published().blocks[0].times]
    assert len(parts_in(ledger)) == 2  # one for each public time, however often it was tried
    if before:
        assert parts_in(ledger)[0] == before[0]
    assert bool(found) is (place < _TAKEN or place >= _STORED)  # what is not committed did not happen
    assert times == ([1, 2] if found else [2])
    assert ledger.verify().spends == 1


@pytest.mark.parametrize(
    ("place", "when"),
    [
        ("privior.ledger.ledger:Ledger.spend", "before"),
        ("privior.ledger.ledger:Ledger.spend", "after"),
        ("privior.tables.private_files:write_whole", "before"),
        ("privior.tables.private_files:write_whole", "after"),
    ],
)
def test_killed_while_reserving_a_block_is_paid_for_once(place: str, when: str, tmp_path: Path) -> None:
    ledger, path = ledger_at(tmp_path), tmp_path / "a.private"
    Agent.create(plan_of(), ledger=ledger, path=path).close()

    def reserves() -> None:
        exec(at(place, KILLED, when), {})
        Agent.load(path, ledger=Ledger.open(ledger.where)).reserve()

    assert in_a_process(reserves) == -9
    with Agent.load(path, ledger=ledger) as agent:
        agent.reserve()
        assert agent.episode == 1
    assert ledger.spent.epsilon == 1


def test_killed_at_the_end_of_a_block(tmp_path: Path) -> None:
    agent, ledger, path = begun(tmp_path)
    for _ in range(7):
        one_episode(agent)
    agent.close()

    def ends() -> None:
        exec(at("privior.ledger.ledger:Ledger.finish", KILLED, "before"), {})
        Agent.load(path, ledger=Ledger.open(ledger.where)).learn(clicks(), episode=8)

    assert in_a_process(ends) == -9
    with Agent.load(path, ledger=ledger) as again:
        assert again.learn(clicks(), episode=8) == {}
        assert again.episode is None
        assert all(holds for _, holds, _ in again.published().review(ledger))


# ---- retries --------------------------------------------------------------------------------------------


def test_an_episode_is_counted_once_by_its_number(tmp_path: Path) -> None:
    agent, _, _ = begun(tmp_path)
    first = agent.learn(clicks(), episode=1)
    for _ in range(3):
        assert agent.learn(clicks(), episode=1) == first
    agent.learn(clicks(), episode=2)
    agent.learn(clicks(), episode=3)
    assert private_total(agent) == BATCH
    agent.learn(clicks(), episode=3)
    assert private_total(agent) == BATCH
    for wrong in (0, -1, 5, 10**9, None, "4", 4.0, True):
        with pytest.raises(PlanError):
            agent.learn(clicks(), episode=wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        agent.learn(clicks())  # type: ignore[call-arg]
    for episode in range(4, 9):
        agent.learn(clicks(), episode=episode)
    last = agent.learn(clicks(), episode=8)  # the block has ended, and it was counted
    assert agent.learn(clicks(), episode=8) == last
    assert private_total(agent) == 0
    assert agent.learn(clicks(), episode=7) == {}
    assert agent.learn(clicks(), episode=1) == first


def test_a_disk_that_is_full_loses_nothing_and_counts_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    agent, ledger, path = begun(tmp_path)

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "no space left")

    with monkeypatch.context() as patch:
        patch.setattr("privior.tables.private_files.write_whole", full)
        for _ in range(2):
            with pytest.raises(TableError, match="cannot be written"):
                agent.learn(clicks(), episode=1)
    assert parts_in(ledger) == []  # nothing is drawn from a state that is not saved
    assert agent.learn(clicks(), episode=1)
    agent.close()
    with Agent.load(path, ledger=ledger) as again:
        assert again.learn(clicks(), episode=2)


def test_a_ledger_out_of_reach_is_asked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    agent, ledger, _ = begun(tmp_path)

    def away(*_: object, **__: object) -> None:
        raise LedgerError("cannot reach the server")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "take_part", away)
        with pytest.raises(LedgerError, match="reach"):
            agent.learn(clicks(), episode=1)
    with monkeypatch.context() as patch:  # drawn, and then it cannot be stored nor given up
        patch.setattr(Ledger, "_close", away)
        with pytest.raises(ReleaseFailedError):
            agent.learn(clicks(), episode=1)
    assert agent.learn(clicks(), episode=1) == {}
    assert agent.learn(clicks(), episode=2)
    assert len(parts_in(ledger)) == 2


# ---- the ledger's parts by themselves -------------------------------------------------------------------


def test_parts_are_given_once_in_order_and_only_while_the_spend_is_open(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    spend = ledger.spend(plan_of())
    with pytest.raises(LedgerError, match="before this one"):
        ledger.take_part(spend, 2, state="s")
    for wrong in (0, -1):
        with pytest.raises(LedgerError):
            ledger.take_part(spend, wrong, state="s")
    first = ledger.take_part(spend, 1, state="s")
    with pytest.raises(LedgerError, match="drawn twice"):
        ledger.take_part(spend, 1, state="s")
    with pytest.raises(LedgerError, match="not a spend"):
        ledger.take_part(first, 1, state="s")  # a part has no parts
    ledger.finish(first, "drawn")
    with pytest.raises(LedgerError, match="ended already"):
        ledger.finish(first, "again")
    part = ledger.part(spend, 1)
    assert part is not None
    assert part.drawn == "drawn"
    with pytest.raises(LedgerError, match="the ledger's own"):
        ledger.spend(plan_of(), key=str(first.key))
    ledger.finish(spend, "all")
    with pytest.raises(LedgerError, match="ended already"):
        ledger.take_part(spend, 2, state="s")
    assert ledger.verify().spends == 1
    assert ledger.spent.epsilon == 1
    assert [row[3] for row in ledger.history().table()[1]] == ["released", "released"]


def test_a_key_of_another_plan_is_no_block(tmp_path: Path) -> None:
    ledger = ledger_at(tmp_path)
    reserve(plan_of(), ledger=ledger, key="one")
    reserve(plan_of(), ledger=ledger, key="one")
    assert ledger.spent.epsilon == 1
    with pytest.raises(LedgerError, match="another plan"):
        reserve(plan_of(epsilon="1/2"), ledger=ledger, key="one")


# ---- what is counted ------------------------------------------------------------------------------------


def test_the_horizon_holds() -> None:
    agent = Agent.create(plan_of(schedule={"name": "every", "episodes": 7}), ledger=memory())
    agent.reserve()
    agent.learn(clicks(1000), episode=1)
    assert private_total(agent) == BATCH
    agent.learn(iter(clicks(1000)), episode=2)
    assert private_total(agent) == 2 * BATCH


def test_the_quota_holds_over_episodes_blocks_and_runs(tmp_path: Path) -> None:
    ledger, place = ledger_at(tmp_path, 50), tmp_path / "a.private"
    plan = plan_of(unit=User(5), schedule={"name": "every", "episodes": 7})
    agent = Agent.create(plan, ledger=ledger, path=place)
    counted = 0
    for episode in range(1, 25):
        if agent.episode is None:
            agent.reserve()
        before = private_total(agent)
        agent.learn(clicks(user="eve"), episode=episode)
        counted += max(0, private_total(agent) - before)
        agent.close()
        agent = Agent.load(place, ledger=ledger)
    assert counted == 5
    agent.reserve()
    agent.learn([{"action": 0, "outcome": 1}] * 4, episode=25)  # nobody's: counts nowhere
    agent.learn(
        [{"action": 0, "outcome": 1, "user": name} for name in ("", None, True, "x" * 999)], episode=26
    )
    assert private_total(agent) == 0
    agent.learn(clicks(user="adam"), episode=27)
    assert private_total(agent) == 4
    agent.close()


def test_what_cannot_be_read_counts_nowhere_and_raises_nothing(tmp_path: Path) -> None:
    agent = Agent.create(plan_of(schedule={"name": "every", "episodes": 7}), ledger=memory())
    agent.reserve()
    empty = Agent.create(chain_plan("bounded", steps=3, episodes=4), ledger=memory())
    empty.reserve()
    assert empty.learn([], episode=1)  # nobody came
    with pytest.raises(PlanError, match="is a mapping"):
        empty.learn([(0, 0, 1)], episode=2)  # type: ignore[list-item]
    odd: list[Any] = [{"action": 0, "outcome": 7}, {"action": 99, "outcome": 0}, {"outcome": 1}, None]
    agent.learn(odd, episode=1)
    agent.learn([{"action": a, "outcome": 1} for a in (-1, 0.5, "1e0", object())], episode=2)
    assert private_total(agent) == 0
    log = tmp_path / "log.csv"
    log.write_bytes(b'\xef\xbb\xbfaction,time,outcome\r\n0,x,1\r\n"0,x",1\n\n\xff,\xff,\xff\n0,x,1\n0,x,1\n')
    agent.learn(log, episode=3)
    assert private_total(agent) == 1  # four places: the first line alone can be read
    chain = Agent.create(chain_plan("bounded", steps=3, episodes=4), ledger=memory())
    chain.reserve()
    rewards: tuple[Any, ...] = ("x", None, float("nan"), "1/0", "1e99999", object(), [], b"1")
    for episode, reward in enumerate(rewards[:3], start=1):
        chain.learn([{"state": 0, "action": 0, "reward": reward}] * 4, episode=episode)
    assert int(chain._state.learner.vectors["sums"].estimate.shape[-1]) == 12
    from privior.sequential.tallies import tallied

    for reward in rewards:
        found = tallied(
            chain.plan.problem, chain.plan.unit, [{"state": 0, "action": 0, "reward": reward}], {}, int
        )
        assert found.steps == ()


def test_logs_that_name_no_columns_are_refused_before_anything_is_counted(tmp_path: Path) -> None:
    agent = Agent.create(plan_of(unit=User(2)), ledger=memory())
    agent.reserve()
    log = tmp_path / "log.csv"
    for header in ("action,outcome", "0,1", "", "action,outcome,user,user"):
        log.write_text(f"{header}\n0,1,eve\n")
        with pytest.raises(TableError, match="names its columns"):
            agent.learn(log, episode=1)
    log.write_text("M01705,North,2017-07-13\n")
    with pytest.raises(TableError, match="3 cells") as refused:
        agent.learn(log, episode=1)
    assert "M01705" not in str(refused.value)  # it may be somebody's record, and was shown once
    with pytest.raises(TableError, match="cannot be read"):
        agent.learn(tmp_path / "none.csv", episode=1)
    assert agent.episode == 1


# ---- modes ----------------------------------------------------------------------------------------------


def test_the_private_file_is_its_owners_at_every_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever the umask: from the first byte of every draft to the last, and its lock too."""
    seen: list[int] = []
    real = os.replace

    def replace(source: str, target: str) -> None:
        if str(target).endswith("a.private"):
            seen.append(stat.S_IMODE(os.stat(source).st_mode))
        real(source, target)

    def chmod(target: Any, mode: int) -> None:
        assert not str(target).startswith(str(tmp_path / ".privior-draft-"))  # it is made as it stays

    monkeypatch.setattr(os, "replace", replace)
    monkeypatch.setattr(os, "chmod", chmod)
    before = os.umask(0)
    try:
        agent, _, place = begun(tmp_path)
        one_episode(agent)
    finally:
        os.umask(before)
    assert len(seen) >= 3
    assert set(seen) == {0o600}
    assert {stat.S_IMODE(p.stat().st_mode) for p in (place, Path(f"{place}.lock"))} == {0o600}
    assert not list(tmp_path.glob(".privior-draft-*"))
    assert json.loads(place.read_text())["private"].endswith("never publish this file")


def test_a_public_draft_would_be_noticed(tmp_path: Path) -> None:
    """The planted fault: what was written before was readable for a moment."""
    from privior.whole_files import write_whole

    before = os.umask(0o022)
    try:
        write_whole(tmp_path / "open", "x")
        write_whole(tmp_path / "own", "x", private=True)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "open").stat().st_mode) == 0o644
    assert stat.S_IMODE((tmp_path / "own").stat().st_mode) == 0o600


# ---- how often one step is published ---------------------------------------------------------------------


@pytest.mark.parametrize("tree", [False, True])
def test_a_step_is_in_as_many_parts_as_a_block_pays_for(
    tree: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without noise, over two blocks, always loaded anew, one part lost; every episode has its own cells."""
    monkeypatch.setattr(ExactSource, "gaussian", lambda self, shape, stddev: np.zeros(shape, dtype=np.int64))
    problem = CategoricalBandit(20, batch=BATCH)
    mechanism = NoisyCounts(Noise(40, tree=tree))
    plan = AgentPlan(problem, mechanism, Every(), Step(), 8, Budget.of(1, "1e-6"), "visitors")
    ledger, place = ledger_at(tmp_path, 50), tmp_path / "a.private"
    Agent.create(plan, ledger=ledger, path=place).close()
    for episode in range(1, 17):
        with Agent.load(place, ledger=ledger) as agent:
            agent.reserve()
            steps = [{"action": episode, "outcome": 1}] * BATCH
            if episode == 3:
                with monkeypatch.context() as patch:
                    patch.setattr(Learner, "draw", lambda self: 1 / 0)
                    with pytest.raises(ReleaseFailedError):
                        agent.learn(steps, episode=episode)
            else:
                agent.learn(steps, episode=episode)
    with Agent.load(place, ledger=ledger) as agent:
        blocks = agent.published().blocks
    assert [len(block.times) for block in blocks] == ([6, 7] if tree else [7, 8])
    allowed = pieces_with_one(7, tree=tree)
    for episode in range(1, 17):
        held = [[arrays["counts"][episode][1] for _, arrays in block.times] for block in blocks]
        assert set(held[0] + held[1]) <= {0, BATCH}
        often = [sum(map(bool, numbers)) for numbers in held]
        # by a tree, the eighth is published in the second block, and the sixteenth not yet
        first = episode < 8 + (not tree)
        most = allowed - (episode == 3)
        assert often[not first] <= most
        assert often[first] == 0
        if not tree:
            assert often[not first] == (episode != 3)
