"""T49 in a storm: programs that learn side by side from one file, and from old copies, killed at any moment.

The noise is planted as nothing, so that what was published can be added up: every episode is counted once,
and is published once, lost with its part, or pending.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import time
from pathlib import Path

import numpy as np
import pytest
from clicks import BATCH, clicks, ledger_at, plan_of, private_total

from privior.errors import LedgerError
from privior.ledger import Ledger
from privior.sequential import Agent
from privior.sequential.sources import ExactSource


def _silent(self: ExactSource, shape: tuple[int, ...], stddev: object) -> np.ndarray:
    time.sleep(0.002)  # so that some are killed while they draw
    return np.zeros(shape, dtype=np.int64)


def _learns(path: Path, ledger: str, chance: float, seed: int) -> None:
    """Learn what comes next, twice over; now and then be killed, and try what an older copy can do."""
    draw = random.Random(seed)
    copy = path.with_name(f"copy-{seed}")
    while True:
        if draw.random() < chance:
            signal.setitimer(signal.ITIMER_REAL, draw.uniform(0.001, 0.05))
        with Agent.load(path, ledger=Ledger.open(ledger)) as agent:
            if agent.episode is None:
                agent.reserve()
            episode = agent.episode
            if episode is None or episode > 16:
                os._exit(0)
            shutil.copyfile(path, copy)
            agent.learn(clicks(), episode=episode)
            agent.learn(clicks(), episode=episode)
        if episode % 8:  # something was published, so that the copy is old
            try:
                with Agent.load(copy, ledger=Ledger.open(ledger)) as old:
                    old.learn(clicks(), episode=episode)
                os._exit(5)
            except LedgerError:
                pass
        signal.setitimer(signal.ITIMER_REAL, 0)


def storm(folder: Path, processes: int, rounds: int) -> None:
    """Let programs learn, and start those anew that were killed; then add up."""
    ledger, path = ledger_at(folder, 50), folder / "a.private"
    Agent.create(plan_of(schedule="every"), ledger=ledger, path=path).close()
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends a program at once
    seed, running, ended = 0, set[int](), 0
    while ended < processes and seed < rounds:
        while len(running) < processes and seed < rounds:
            seed += 1
            child = os.fork()
            if child == 0:
                try:
                    _learns(path, ledger.where, 0.5 if seed < rounds - processes else 0.0, seed)
                finally:
                    os._exit(1)
            running.add(child)
        child, status = os.wait()
        running.discard(child)
        code = os.waitstatus_to_exitcode(status)
        assert code in (0, -signal.SIGALRM), code
        ended += code == 0
    for child in running:
        os.waitpid(child, 0)
    _add_up(ledger, path)


def _add_up(ledger: Ledger, path: Path) -> None:
    ledger.verify()
    with Agent.load(path, ledger=ledger) as agent:
        counted = agent._state.counted
        release = agent.published()
        taken = [entry for entry in ledger.entries() if entry.kind.value == "part"]
        drawn = sum(len(block.times) for block in release.blocks)
        numbers = [np.array(arrays["counts"]).sum() for block in release.blocks for _, arrays in block.times]
        # a flat piece after every episode, the last one of a block too
        lost = len(taken) - drawn
        total = int(sum(numbers)) + private_total(agent)
        assert total + lost * BATCH == BATCH * counted
        assert set(numbers) <= {BATCH}
        assert len({entry.version for entry in taken}) == len(taken)
        assert len(taken) == counted
        assert ledger.spent.epsilon == release.plan.budget.epsilon * len(release.blocks)


@pytest.mark.slow
def test_nothing_is_counted_or_drawn_twice_in_a_storm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRIVIOR_STATE", str(tmp_path / "state"))
    monkeypatch.setattr(ExactSource, "gaussian", _silent)
    for number in range(4):
        folder = tmp_path / str(number)
        folder.mkdir()
        storm(folder, processes=4, rounds=60)
