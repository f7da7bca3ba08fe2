"""T22: the order of rows, groups or columns shows in the output.

Others: groups listed in the order in which they appear, which says who came first and who is there at all.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from orchard import planned
from twins import against, noise, noise_tape

import privior as pv
from privior.mechanisms import Mechanism

ROWS = ["apple"] * 9 + ["pear"] * 6 + ["plum"] * 5


class System(Protocol):
    def release(self, rows: Sequence[str]) -> str:
        """Release a table of twenty rows, in this order."""


def attack(system: System) -> None:
    """Shuffle the rows: with the same noise tape every byte of the release is the same."""
    releases = set()
    for seed in range(6):
        with noise_tape():
            releases.add(system.release(random.Random(seed).sample(ROWS, len(ROWS))))
    assert len(releases) == 1


class Privior:
    """A release by each mechanism; the columns of the table change places with the rows."""

    def __init__(self, folder: Path, kind: type[Mechanism]) -> None:
        self.plan = planned(records=20, delta="1e-6", mechanism=kind)

    def release(self, rows: Sequence[str]) -> str:
        columns = {"fruit": list(rows), "spare": list(range(20))}
        ordered = sorted(columns, reverse=rows[0] == "apple")
        table = pa.table({name: columns[name] for name in ordered})
        return pv.measure(self.plan, table, ledger=pv.Ledger.in_memory()).to_json()


class PriviorPersons:
    """Each person has two rows, of which one counts."""

    def __init__(self, folder: Path) -> None:
        self.plan = planned(records=10, unit=pv.Unit("person", "id"))

    def release(self, rows: Sequence[str]) -> str:
        pairs = [(place % 10, fruit) for place, fruit in enumerate(ROWS)]
        mixed = random.Random("".join(rows)).sample(pairs, 20)
        table = pa.table({"id": [person for person, _ in mixed], "fruit": [fruit for _, fruit in mixed]})
        return pv.measure(self.plan, table, ledger=pv.Ledger.in_memory()).to_json()


class PriviorFiles(Privior):
    """The rows are spread over files, and the names of the files change places."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, pv.KNorm)
        self.folder = folder

    def release(self, rows: Sequence[str]) -> str:
        for part in range(4):
            lines = rows[5 * part : 5 * part + 5]
            (self.folder / f"{part}.csv").write_text("\n".join(["fruit", *lines, ""]))
        return pv.measure(self.plan, self.folder / "*.csv", ledger=pv.Ledger.in_memory()).to_json()


class OrderOfAppearance:
    """Lists the groups as they were found, and draws the noise in that order."""

    def __init__(self, folder: Path) -> None:
        pass

    def release(self, rows: Sequence[str]) -> str:
        found = Counter(rows)
        return json.dumps({level: count + noise(1)[0] for level, count in found.items()})


class SortedNames(OrderOfAppearance):
    """Sorts the names, but the noise still went to the groups in the order of the rows."""

    def release(self, rows: Sequence[str]) -> str:
        return json.dumps(json.loads(super().release(rows)), sort_keys=True)


class RunningSum(OrderOfAppearance):
    """Adds floats row by row: their last bits depend on the order."""

    def release(self, rows: Sequence[str]) -> str:
        weights = {"apple": 0.1, "pear": 1e16, "plum": -1.2e16}
        return json.dumps(sum(weights[row] for row in rows) + noise(1)[0])


_KINDS = (
    *(pv.KNorm, pv.LaplaceCounts, pv.GaussianCounts, pv.LSHist, pv.LSDim, pv.EHD, pv.EHDS, pv.EHDL),
    *(pv.DirichletDraw, pv.VirtualRecords),
)

test_t22_order = against(attack)(
    privior={
        **{kind.name: partial(Privior, kind=kind) for kind in _KINDS},
        "persons": PriviorPersons,
        "files": PriviorFiles,
    },
    twins={"order of appearance": OrderOfAppearance, "sorted names": SortedNames, "floats": RunningSum},
)
