"""T37: times and durations in what is published tell how long the data took.

Mitigated: nothing that is published holds a time. Who can watch the curator's machine still sees how long
it works; that is not tested here, since it is not claimed.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pandas as pd
import pytest
from orchard import planned
from twins import against, noise, noise_tape

import privior as pv
from privior.report import page_of


class Slow:
    """A cell that takes its time."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def __str__(self) -> str:
        time.sleep(self.seconds)
        return "apple"


class System(Protocol):
    def publish(self, cells: list[object]) -> dict[str, str]:
        """Return all that is published about three cells, by name."""


def attack(system: System) -> None:
    """Publish twice with the same noise, later and from slower data: every byte is the same."""
    first = _published(system, 0)
    time.sleep(1.05)
    assert _published(system, 0.1) == first
    clock = rf"\d\d:\d\d:\d\d|\b{str(int(time.time()))[:6]}\d{{4}}"
    for name, text in first.items():
        assert not re.search(clock, text), f"a time stands in {name}"


def _published(system: System, seconds: float) -> dict[str, str]:
    with noise_tape():
        return system.publish([Slow(seconds), "pear", "pear"])


class Privior:
    """With a ledger on disk, so that its head, which stands in the release, is seen as well."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, cells: list[object]) -> dict[str, str]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PRIVIOR_STATE", str(self.folder / "state"))
            return self._published(cells)

    def _published(self, cells: list[object]) -> dict[str, str]:
        table = pd.DataFrame({"fruit": pd.Series(cells, dtype=object)})
        shutil.rmtree(self.folder)  # with the anchor of the ledger, which has the same random name twice
        self.folder.mkdir()
        ledger = pv.Ledger.create(self.folder / "ledger", population="orchard", epsilon=2)
        release = pv.measure(planned(records=3), table, ledger=ledger, output=self.folder / "release.json")
        return {
            "the release": (self.folder / "release.json").read_text(),
            "the report": page_of(release),
            "the ledger": f"{ledger}{ledger.history()}",
            "the review": str(pv.review(release, ledger)),
        }


class Timed:
    """Adds how long it took, as programs like to."""

    def __init__(self, folder: Path) -> None:
        pass

    def publish(self, cells: list[object]) -> dict[str, str]:
        start = time.perf_counter()
        apples = sum(str(cell) == "apple" for cell in cells)
        document = {"statistics": [apples + noise(1)[0]], **self.about(time.perf_counter() - start)}
        return {"the release": json.dumps(document)}

    def about(self, seconds: float) -> dict[str, object]:
        return {"seconds": round(seconds, 2)}


class Stamped(Timed):
    """Says when it was made, to the microsecond."""

    def about(self, seconds: float) -> dict[str, object]:
        return {"created": datetime.now(UTC).isoformat()}


class Sealed(Timed):
    """Publishes a hash that covers the time: who guesses the time can check it."""

    def about(self, seconds: float) -> dict[str, object]:
        return {"head": hashlib.sha256(f"{time.time_ns() // 10**6}".encode()).hexdigest()}


test_t37_times = against(attack)(
    privior={"all that is published": Privior},
    twins={"timed": Timed, "stamped": Stamped, "sealed": Sealed},
)
