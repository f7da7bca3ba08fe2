"""T12: a seed that was left fixed gives everybody the noise.

Others: generators that take a seed, or the global one that any import may have seeded.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Protocol

import numpy as np
from orchard import planned, written
from twins import against

import privior as pv

_SEEDS = {"seed", "seeds", "rng", "random_state", "generator", "entropy"}


class System(Protocol):
    def release(self) -> tuple[int, ...]:
        """Return noisy counts of one fixed table, with noise far wider than chance repeats."""

    def functions(self) -> list[Callable[..., object]]:
        """Return every function between the rows and the release."""


def attack(system: System) -> None:
    """Seed what can be seeded, then release twice; and look for a parameter that would take a seed."""
    releases = []
    for _ in range(3):
        random.seed(7)
        np.random.seed(7)
        releases.append(system.release())
    assert len(set(releases)) == 3, "the noise repeats"
    for function in system.functions():
        taken = _SEEDS & set(inspect.signature(function).parameters)
        assert not taken, f"{function.__qualname__} takes {taken}"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.table = written(folder, ["apple"] * 60 + ["pear"] * 40)

    def release(self) -> tuple[int, ...]:
        plan = planned(epsilon="1e-9")  # two free counts with some 10^9 values each
        return pv.measure(plan, self.table, ledger=pv.Ledger.in_memory()).statistics.counts

    def functions(self) -> list[Callable[..., object]]:
        found = list(_functions("privior.curator", "privior.mechanisms", "privior.randomness"))
        assert len(found) > 100
        return found


def _functions(*names: str) -> Iterator[Callable[..., object]]:
    """Yield all functions and methods that these parts define, hidden ones too."""
    for name in names:
        part = importlib.import_module(name)
        below = [f"{name}.{file.name}" for file in pkgutil.iter_modules(getattr(part, "__path__", []))]
        yield from _functions(*below)
        for value in vars(part).values():
            if getattr(value, "__module__", None) != name:
                continue
            if inspect.isfunction(value):
                yield value
            elif inspect.isclass(value):
                yield from (method for method in vars(value).values() if inspect.isfunction(method))


class SeedByDefault:
    """A convenient default makes every release the same."""

    def __init__(self, folder: Path) -> None:
        pass

    def release(self, seed: int = 0) -> tuple[int, ...]:
        noise = np.random.default_rng(seed).laplace(scale=1e12, size=2)
        return (60 + round(noise[0]), 40 + round(noise[1]))

    def functions(self) -> list[Callable[..., object]]:
        return [self.release]


class GlobalGenerator(SeedByDefault):
    """No parameter at all, but somebody else has seeded the generator."""

    def release(self) -> tuple[int, ...]:  # type: ignore[override]
        noise = np.random.laplace(scale=1e12, size=2)
        return (60 + round(noise[0]), 40 + round(noise[1]))


class SeedOnRequest(SeedByDefault):
    """Sound until somebody passes a seed and forgets it."""

    def release(self, seed: int | None = None) -> tuple[int, ...]:
        noise = np.random.default_rng(seed).laplace(scale=1e12, size=2)
        return (60 + round(noise[0]), 40 + round(noise[1]))


test_t12_seeds = against(attack)(
    privior={"release": Privior},
    twins={"seed by default": SeedByDefault, "global": GlobalGenerator, "seed on request": SeedOnRequest},
)
