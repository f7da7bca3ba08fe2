"""T29: a release is spoiled after its noise was drawn, and drawn again from the kept data for one price.

Others: a reservation that stays open for another try; exact counts that are kept for it; a key that is free
until something was delivered.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

import numpy as np
import pandas as pd
import pytest
from orchard import planned
from till import RefusedError, Till, granted
from twins import against, noise

import privior as pv
from privior.curator import Measurement, prepare
from privior.models import ExactStatistics, Observed
from privior.release import release as release_module

TRIES = 4


class System(Protocol):
    draws: int

    def attempt(self, *, spoiled: bool) -> None:
        """Try to get the release that was asked for; what is spoiled fails after the draw."""

    def spends(self) -> int:
        """Return how many releases are paid for."""


def attack(system: System) -> None:
    """Spoil the first tries: noise is drawn at most once for each spend."""
    for number in range(TRIES):
        granted(lambda: system.attempt(spoiled=number < TRIES - 1))  # noqa: B023 - called at once
        assert system.draws <= system.spends(), "noise is drawn again for nothing"
    assert system.draws >= 1


class Privior:
    """One measurement, carried out again and again; its release cannot be stored, or later not written."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.draws = folder, 0
        self.ledger = pv.Ledger.create(folder / "ledger", population="orchard", epsilon=10)
        self.table = pd.DataFrame({"fruit": ["apple", "pear", "pear"]})
        self.ready = self.prepared()

    def prepared(self) -> Measurement:
        return prepare(planned(records=3), self.table, ledger=self.ledger, output=self.folder / "release")

    def attempt(self, *, spoiled: bool) -> None:
        real = pv.KNorm.release

        def counted(mechanism: pv.KNorm, statistics: ExactStatistics) -> Observed:
            self.draws += 1
            return real(mechanism, statistics)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pv.KNorm, "release", counted)
            if spoiled:
                patch.setattr(*self.spoil())
            self.carry_out()

    def spoil(self) -> tuple[Any, str, Any]:
        return pv.Ledger, "finish", _fails

    def carry_out(self) -> None:
        self.ready.carry_out()

    def spends(self) -> int:
        return self.ledger.verify().spends


class PriviorKeyed(Privior):
    """A key, asked for again and again; its release file cannot be written."""

    def prepared(self) -> Measurement:
        plan = planned(records=3)
        return prepare(plan, self.table, ledger=self.ledger, output=self.folder / "release", key="march")

    def spoil(self) -> tuple[Any, str, Any]:
        return release_module, "write_whole", _fails

    def carry_out(self) -> None:
        self.prepared().carry_out()


def _fails(*_: object) -> None:
    raise OSError("no space left on device")


class OpenReservation:
    """What was reserved may be tried until it is delivered: who asked has paid, after all."""

    def __init__(self, folder: Path) -> None:
        self.till, self.draws, self.reserved = Till(folder / "till", cap=10), 0, False

    def attempt(self, *, spoiled: bool) -> None:
        if not self.reserved:
            self.till.spend(1)
            self.reserved = True
        self.draw()
        self.reserved = spoiled

    def draw(self) -> list[int]:
        self.draws += 1
        return [count + z for count, z in zip((1, 2, 0), noise(3), strict=True)]

    def spends(self) -> int:
        return int(self.till.spent)


class KeptCounts(OpenReservation):
    """Reads the table once for one spend, and keeps the exact counts for whoever asks again."""

    counts: np.ndarray[Any, Any] | None = None

    def attempt(self, *, spoiled: bool) -> None:
        if self.counts is None:
            self.till.spend(1)
            self.counts = np.array([1, 2, 0])
        self.draw()


class FreeUntilDelivered(OpenReservation):
    """Charges after the draw, unless writing has failed."""

    def attempt(self, *, spoiled: bool) -> None:
        self.draw()
        if spoiled:
            raise RefusedError("not written, not charged")
        self.till.spend(1)


test_t29_redraws = against(attack)(
    privior={"one measurement": Privior, "one key": PriviorKeyed},
    twins={
        "open reservation": OpenReservation,
        "kept counts": KeptCounts,
        "free until delivered": FreeUntilDelivered,
    },
)
