"""T30: a copy of whatever holds the budget has a budget of its own.

Others: an accountant in memory that is copied with its estimator (clone, grid searches, joblib); totals that
are pickled; a total of the module, of which every process has its own.
"""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from orchard import planned
from till import RefusedError, granted
from twins import against

import privior as pv

PRICE = Fraction(1, 5)


class System(Protocol):
    def spend(self) -> None:
        """Spend a fifth of the budget, or raise."""

    def spent(self) -> Fraction:
        """Return what was spent of 1."""


def attack(system: System) -> None:
    """Spend by copies of every kind: they take from one budget, and the original knows of all of it."""
    copies = [copy.copy(system), copy.deepcopy(system), pickle.loads(pickle.dumps(system))]
    grants = sum(granted(one.spend) for one in copies)
    assert system.spent() == grants * PRICE, "a copy spends what the original does not know of"
    grants += _in_a_process(system, "fork")
    assert system.spent() == grants * PRICE, "a forked process has a budget of its own"
    grants += _in_a_process(system, "spawn")
    assert system.spent() == grants * PRICE == 1, "a new process has a budget of its own"
    with ThreadPoolExecutor(2) as pool:
        grants += sum(pool.map(lambda one: granted(one.spend), [*copies, system]))
    assert grants == 5, "the cap is not that of all copies"


def _in_a_process(system: System, method: str) -> int:
    context: Any = multiprocessing.get_context(method)
    answers = context.SimpleQueue()
    child = context.Process(target=_spend, args=(system, answers))
    child.start()
    child.join(60)
    if child.exitcode != 0:
        raise RuntimeError("the process did not end")
    return int(answers.get())


def _spend(system: System, answers: Any) -> None:
    answers.put(granted(system.spend))


class Privior:
    """Whatever holds a handle is copied with it."""

    def __init__(self, folder: Path) -> None:
        self.plan = planned(epsilon=PRICE)
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=1)

    def spend(self) -> None:
        self.ledger.spend(self.plan)

    def spent(self) -> Fraction:
        return self.ledger.verify().spent.epsilon


class Accountant:
    """Keeps its list of spends as an attribute."""

    def __init__(self, folder: Path) -> None:
        self.spends: list[Fraction] = []

    def spend(self) -> None:
        if self.spent() + PRICE > 1:
            raise RefusedError("the budget does not allow this")
        self.spends.append(PRICE)

    def spent(self) -> Fraction:
        return sum(self.spends, Fraction(0))


class SharedByCopies(Accountant):
    """Does not let itself be copied, but pickles."""

    def __copy__(self) -> SharedByCopies:
        return self

    def __deepcopy__(self, memo: object) -> SharedByCopies:
        return self


_SPENDS: list[Fraction] = []


class OfTheModule(Accountant):
    """One list for the whole program, which is not the whole world."""

    def __init__(self, folder: Path) -> None:
        _SPENDS.clear()

    @property
    def spends(self) -> list[Fraction]:  # type: ignore[override]
        return _SPENDS


class ReadOnce(Accountant):
    """Has a file, which it reads when it is made, and writes whenever it spends."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "spends"
        self.spends = []

    def spend(self) -> None:
        super().spend()
        self.path.write_text("\n".join(map(str, self.spends)))


test_t30_copies = against(attack)(
    privior={"ledger": Privior},
    twins={
        "accountant": Accountant,
        "shared by copies": SharedByCopies,
        "of the module": OfTheModule,
        "read once": ReadOnce,
    },
)
