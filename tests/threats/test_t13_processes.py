"""T13: processes that share what their noise is made of publish the same noise.

Others: a buffer or a generator copied by fork (servers that fork workers, joblib), or seeded on import.
"""

from __future__ import annotations

import multiprocessing
import os
import random
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from orchard import planned
from twins import against

import privior as pv
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics
from privior.randomness import Bits


class System(Protocol):
    def draw(self) -> object:
        """Return noise that no two draws share by chance."""


def attack_by_fork(system: System) -> None:
    drawn = _drawn(system, "fork")
    assert len(set(drawn)) == len(drawn), "a forked process repeats noise"


def attack_by_spawn(system: System) -> None:
    drawn = _drawn(system, "spawn")
    assert len(set(drawn)) == len(drawn), "a new process repeats noise"


def _drawn(system: System, method: str) -> list[str]:
    """Draw here first, so that whatever is kept is kept now; then in two children, then here again."""
    drawn = [repr(system.draw())]
    context: Any = multiprocessing.get_context(method)
    answers = context.SimpleQueue()
    for _ in range(2):
        child = context.Process(target=_answer, args=(system, answers))
        child.start()
        child.join(60)
        if child.exitcode != 0:
            raise RuntimeError("the process did not end")
        drawn.append(answers.get())
    return [*drawn, repr(system.draw())]


def _answer(system: System, answers: Any) -> None:
    answers.put(repr(system.draw()))


class Privior:
    """Every mechanism, made before the fork; a fourth draw in the same object must differ too."""

    def __init__(self, folder: Path, kind: type[Mechanism] = pv.KNorm) -> None:
        self.mechanism = planned(epsilon="1e-9", delta="1e-6", mechanism=kind).mechanism

    def draw(self) -> object:
        return self.mechanism.release(ExactStatistics(np.array([50, 30, 20]))).counts


class PriviorDraws(Privior):
    def __init__(self, folder: Path) -> None:
        plan = planned(epsilon=1, delta="1e-6", mechanism=pv.DirichletDraw)
        self.mechanism = plan.mechanism


class PriviorLaplace(Privior):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, pv.LaplaceCounts)


class PriviorGaussian(Privior):
    def __init__(self, folder: Path) -> None:
        super().__init__(folder, pv.GaussianCounts)


class PriviorBits:
    """The buffer itself, held across the fork."""

    def __init__(self, folder: Path) -> None:
        self.bits = Bits()

    def draw(self) -> object:
        return self.bits.bits(64)


class Buffered:
    """Reads ahead, to save system calls, and does not ask which process it is in."""

    words: list[int] = []  # noqa: RUF012 - shared on purpose: that is the fault

    def __init__(self, folder: Path) -> None:
        self.words.clear()

    def draw(self) -> object:
        if not self.words:
            self.words.extend(os.urandom(1024))
        return [self.words.pop() for _ in range(16)]


_GENERATOR = random.Random(20190301)


class SeededOnImport:
    """Every new process begins the same sequence."""

    def __init__(self, folder: Path) -> None:
        _GENERATOR.seed(20190301)

    def draw(self) -> object:
        return _GENERATOR.getrandbits(64)


test_t13_fork = against(attack_by_fork)(
    privior={
        "k-norm": Privior,
        "laplace": PriviorLaplace,
        "gaussian": PriviorGaussian,
        "draws": PriviorDraws,
        "bits": PriviorBits,
    },
    twins={"buffered": Buffered, "seeded on import": SeededOnImport},
)
test_t13_spawn = against(attack_by_spawn)(
    privior={"k-norm": Privior}, twins={"seeded on import": SeededOnImport}
)
