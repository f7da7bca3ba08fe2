"""T28: a request that is sent twice is charged twice, or draws again for nothing.

Others: no key; a key that answers whatever is asked with it; a key that is free and draws anew.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Protocol

import pandas as pd
from orchard import planned
from till import RefusedError, Till, granted
from twins import against, noise

import privior as pv

#: so little that no two draws are the same by chance
LITTLE, LESS = "1e-9", "2e-9"


class System(Protocol):
    def ask(self, key: str, epsilon: str) -> str:
        """Release the orchard under a key of the caller's, or raise."""

    def spent(self) -> Fraction:
        """Return what was spent."""


def attack(system: System) -> None:
    """Ask twice, ask for something else with the same key, ask with a new key."""
    first = system.ask("march", LITTLE)
    once = system.spent()
    assert once == Fraction(LITTLE)
    again = system.ask("march", LITTLE)
    assert system.spent() == once, "a retry is charged"
    assert again == first, "a retry draws again"
    refused = not granted(lambda: system.ask("march", LESS))
    assert refused, "a key answers for another plan"
    assert system.spent() == once, "a refused key is charged"
    drawn_again = system.ask("april", LITTLE) != first
    assert system.spent() == (1 + drawn_again) * once, "another key draws for nothing"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=1)
        self.table = pd.DataFrame({"fruit": ["apple", "pear", "pear"]})

    def ask(self, key: str, epsilon: str) -> str:
        plan = planned(records=3, epsilon=epsilon)
        return pv.measure(plan, self.table, ledger=self.ledger, key=key).to_json()

    def spent(self) -> Fraction:
        return self.ledger.verify().spent.epsilon


class NoKey:
    """Takes the key, for the log."""

    def __init__(self, folder: Path) -> None:
        self.till = Till(folder / "till")
        self.kept: dict[object, str] = {}

    def ask(self, key: str, epsilon: str) -> str:
        self.till.spend(epsilon)
        return self.draw()

    def draw(self) -> str:
        return str([count + z for count, z in zip((1, 2, 0), noise(3, scale=10**9), strict=True)])

    def spent(self) -> Fraction:
        return self.till.spent


class KeyAlone(NoKey):
    """Looks the key up, and not what was asked with it."""

    def ask(self, key: str, epsilon: str) -> str:
        if key not in self.kept:
            self.kept[key] = super().ask(key, epsilon)
        return self.kept[key]


class Redraws(NoKey):
    """Knows that this was paid for, and computes it again."""

    def ask(self, key: str, epsilon: str) -> str:
        if self.kept.setdefault(key, epsilon) != epsilon:
            raise RefusedError("this key was used for another plan")
        if self.till.spent < len(self.kept) * Fraction(epsilon):
            self.till.spend(epsilon)
        return self.draw()


test_t28_retries = against(attack)(
    privior={"measure": Privior},
    twins={"no key": NoKey, "key alone": KeyAlone, "redraws": Redraws},
)
