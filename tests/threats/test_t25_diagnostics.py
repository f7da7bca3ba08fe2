"""T25: diagnostics on private data are releases that nobody has paid for.

Others: accuracy on the training set, "3.2% of the cells were clipped", true against noisy in one plot. The
attack gives two tables noise that makes their noisy counts equal: whatever still differs was looked up in
the data.
"""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import pytest
from orchard import LEVELS, counted, planned, written
from twins import against, noise_tape, seen

import privior as pv
from child_program import PROGRAM, planted
from privior.curator import measure_statistics, prepare
from privior.models import ExactStatistics
from privior.report import page_of

NOISY = (40, 30, 33)


class System(Protocol):
    def handed_out(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        """Release a table with this noise, and return all that the curator then knows, as one text."""


def attack(system: System) -> None:
    """Release three tables as the same noisy counts: nothing else may tell them apart."""
    tables = [
        ["apple"] * 50 + ["pear"] * 30 + ["plum"] * 20,
        ["plum"] * 90,
        ["apple", "xyzzy", "", "PEAR", "-inf"] * 30,
    ]
    texts = set()
    for cells in tables:
        noise = [y - count for y, count in zip(NOISY, counted(cells), strict=True)]
        with noise_tape():
            texts.add(seen(lambda cells=cells, noise=noise: system.handed_out(cells, noise)).text)  # type: ignore[misc]
    assert len(texts) == 1
    assert str(NOISY[0]) in texts.pop()


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(records=200, neighbours=pv.ADD_OR_REMOVE_ONE, mechanism=pv.LaplaceCounts)

    def handed_out(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        steps: list[str] = []
        ledger = pv.Ledger.in_memory()
        with _forced(noise):
            ready = prepare(self.plan, self.table(cells), ledger=ledger, progress=steps.append)
            release = ready.carry_out(steps.append)
        return self.known(release, ledger, steps) + repr(ready.picture()) + ready.picture().text(80)

    def table(self, cells: Sequence[str]) -> object:
        return written(self.folder, cells)

    def known(self, release: pv.Release, ledger: pv.Ledger, steps: Sequence[str]) -> str:
        posterior = pv.infer(release)
        texts = [release, release.to_json(), release._repr_html_(), posterior, page_of(release, posterior)]
        kept = json.dumps(_public(vars(release)), default=str)
        return "\n".join([*map(str, texts), str(ledger), *steps, kept, pickle.dumps(release).hex()])


class PriviorStatistics(Privior):
    """The door for statistics that are counted already."""

    def handed_out(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        ledger = pv.Ledger.in_memory()
        with _forced(noise):
            release = measure_statistics(self.plan, ExactStatistics(counted(cells)), ledger=ledger)
        return self.known(release, ledger, [])


@contextmanager
def _forced(noise: Sequence[int]) -> Iterator[None]:
    """Let Laplace noise be this, in the process that reads files as well."""
    here = "privior.mechanisms.tables.laplace_counts"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(f"{here}.discrete_laplace", lambda *_: list(noise))
        code = f"import {here} as law; law.discrete_laplace = lambda *_: {list(map(int, noise))}"
        patch.setattr(PROGRAM, lambda: planted(code))
        yield


def _public(fields: dict[str, object]) -> dict[str, object]:
    return {name: vars(value) if hasattr(value, "__dict__") else value for name, value in fields.items()}


class Compared:
    """Shows the noisy counts beside the true ones, to reassure."""

    def __init__(self, folder: Path) -> None:
        pass

    def handed_out(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        noisy = [count + z for count, z in zip(counted(cells), noise, strict=True)]
        return f"{noisy} {self.diagnosed(cells, noise)}"

    def diagnosed(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        return f"root mean square error {np.sqrt(np.mean(np.square(noise))):.3f}"


class ShareOfBadCells(Compared):
    """Says how many cells it had to mend."""

    def diagnosed(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        bad = sum(cell not in LEVELS for cell in cells)
        return f"{bad / len(cells):.1%} of the cells were replaced"


class PredictiveCheck(Compared):
    """Checks the model against the records, and shows the p-value."""

    def diagnosed(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        drawn = np.random.default_rng(1).multinomial(len(cells), [1 / 3] * 3, 500)
        return f"p = {(drawn[:, 0] >= counted(cells)[0]).mean():.3f}"


class SilentWhenGood(Compared):
    """Warns only if the noise was unlucky: one bit about the true counts."""

    def diagnosed(self, cells: Sequence[str], noise: Sequence[int]) -> str:
        return "the result may be unreliable" if max(map(abs, noise)) > 50 else ""


class Statistics(Protocol):
    def hold(self, counts: Sequence[int]) -> object:
        """Return the object that carries exact counts to a mechanism."""


def attack_the_carrier(system: Statistics) -> None:
    """Try all that writes, copies or shows an object: the counts come out of none of them."""
    secret = 48_392_017
    held = system.hold([secret, 2, 3])
    ways = (repr, str, format, "{!r:>9}".format, "%s".__mod__, hash, copy.copy, copy.deepcopy, pickle.dumps)
    for way in (*ways, vars, json.dumps, asdict, list, np.asarray, lambda it: json.dumps(it, default=str)):
        shown = seen(lambda way=way: way(held)).text  # type: ignore[misc]
        assert str(secret) not in shown
        assert shown.startswith("None") or way not in (hash, copy.copy, copy.deepcopy, pickle.dumps)


class PriviorCarrier:
    def __init__(self, folder: Path) -> None:
        pass

    def hold(self, counts: Sequence[int]) -> object:
        return ExactStatistics(np.array(counts))


@dataclass(frozen=True)
class _Record:
    counts: tuple[int, ...]


class PlainCarrier:
    """A dataclass: every log line that mentions it prints it."""

    def __init__(self, folder: Path) -> None:
        pass

    def hold(self, counts: Sequence[int]) -> object:
        return _Record(tuple(counts))


class _Quiet:
    def __init__(self, counts: Sequence[int]) -> None:
        self.counts = counts


class PicklingCarrier(PlainCarrier):
    """Shows nothing, but any cache or worker may write it to disk."""

    def hold(self, counts: Sequence[int]) -> object:
        return _Quiet(counts)


test_t25_diagnostics = against(attack)(
    privior={"table": Privior, "statistics": PriviorStatistics},
    twins={
        "compared": Compared,
        "bad cells": ShareOfBadCells,
        "predictive check": PredictiveCheck,
        "silent when good": SilentWhenGood,
    },
)
test_t25_carrier = against(attack_the_carrier)(
    privior={"exact statistics": PriviorCarrier},
    twins={"dataclass": PlainCarrier, "pickled": PicklingCarrier},
)
