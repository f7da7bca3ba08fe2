"""T32: an old copy of the ledger is put back, and what was spent since can be spent again.

Others: a file that nobody remembers; a chain of hashes, whose old state is as valid as the new one; a
remembered head that lies beside the ledger, or follows whatever the ledger says.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from orchard import planned
from till import RefusedError, granted
from twins import against

import privior as pv
from privior.curator import measure_statistics
from privior.ledger import KnownSpend
from privior.models import ExactStatistics


class System(Protocol):
    #: all that a backup of the ledger covers
    folder: Path

    def spend(self) -> None:
        """Spend a fifth of the budget, or raise."""

    def reconcile(self) -> None:
        """Do what is needed to go on after an old copy was found."""


def attack(system: System) -> None:
    """Copy after two spends, put the copy back after four: no more than five are ever granted."""
    backup = system.folder.with_name("backup")
    for _ in range(2):
        system.spend()
    shutil.copytree(system.folder, backup)
    for _ in range(2):
        system.spend()
    shutil.rmtree(system.folder)
    shutil.copytree(backup, system.folder)
    silently = granted(system.spend)
    assert not silently, "an old copy spends as if nothing had happened"
    system.reconcile()
    grants = 4 + sum(granted(system.spend) for _ in range(4))
    assert grants <= 5, "what the old copy forgot is spent again"


class Privior:
    """The user's state lies elsewhere, and remembers the newest entry."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.state = folder / "ledger", folder / "state"
        self.folder.mkdir()
        self.plan = planned(epsilon="0.2")
        pv.Ledger.create(self.folder / "orchard", population="orchard", epsilon=1)

    @contextmanager
    def opened(self) -> Iterator[pv.Ledger]:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PRIVIOR_STATE", str(self.state))
            yield pv.Ledger.open(self.folder / "orchard")

    def spend(self) -> None:
        with self.opened() as ledger:
            ledger.spend(self.plan)

    def reconcile(self) -> None:
        with self.opened() as ledger:
            ledger.reconcile()


class PriviorReleases(Privior):
    """The state is put back with the ledger, as if with the whole machine; the releases are at hand."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.state = self.folder / "state"
        self.known: list[KnownSpend] = []

    def spend(self) -> None:
        with self.opened() as ledger:
            ledger.verify(self.known)
            release = measure_statistics(self.plan, ExactStatistics(np.array([50, 30, 20])), ledger=ledger)
        known = release.receipt.known(self.plan, release.library)
        if known is None:
            raise RuntimeError("the release does not prove its spend")
        self.known.append(known)

    def reconcile(self) -> None:
        with self.opened() as ledger:
            ledger.reconcile(self.known)


class Chained:
    """Every line has the hash of the one before; a line that was changed or taken out is noticed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "ledger"
        self.folder.mkdir()
        self.path = self.folder / "chain"
        self.path.touch()
        self.remember(self.head())

    def head(self) -> str:
        found = ""
        for line in self.path.read_text().split():
            if line != hashlib.sha256(found.encode()).hexdigest():
                raise RefusedError("the chain is broken")
            found = line
        return found

    def remembered(self) -> str:
        return self.head()

    def remember(self, head: str) -> None:
        pass

    def spend(self) -> None:
        head = self.head()
        if head != self.remembered():
            raise RefusedError("not the ledger that I know")
        if len(self.path.read_text().split()) >= 5:
            raise RefusedError("the budget does not allow this")
        with self.path.open("a") as file:
            file.write(hashlib.sha256(head.encode()).hexdigest() + "\n")
        self.remember(self.head())

    def reconcile(self) -> None:
        self.remember(self.head())


class RememberedBeside(Chained):
    """Remembers its head in a file of the same folder."""

    def remembered(self) -> str:
        return (self.folder / "head").read_text()

    def remember(self, head: str) -> None:
        (self.folder / "head").write_text(head)


class TrustedAgain(Chained):
    """Remembers its head elsewhere, and when that differs takes the ledger's word for it."""

    def remembered(self) -> str:
        return self.folder.with_name("head").read_text()

    def remember(self, head: str) -> None:
        self.folder.with_name("head").write_text(head)


test_t32_rollbacks = against(attack)(
    privior={"the user's state": Privior, "releases": PriviorReleases},
    twins={
        "chained": Chained,
        "remembered beside": RememberedBeside,
        "trusted again": TrustedAgain,
    },
)
