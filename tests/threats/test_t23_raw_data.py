"""T23: raw rows or exact statistics travel inside what is published.

Others: a saved synthesiser that holds its training table, exports with the observed data beside the
posterior, exact counts kept "for later".
"""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from orchard import counted, planned
from twins import against, noise

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.report import page_of

#: true counts that no noise of this budget hits but once in a million
COUNTS = (483_920_177, 310_572_943, 205_506_880)
#: what stands in cells, in a column that nobody asked for, in names of persons and of the file
CANARIES = ("xyzzy-cell", "xyzzy-spare", "xyzzy-person", "xyzzy-file")


class System(Protocol):
    def publish(self, rows: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
        """Return all that may be published about rows of (person, fruit, spare column), by name."""

    def publish_counts(self, counts: Sequence[int]) -> dict[str, bytes]:
        """Return all that may be published about a table with these exact counts."""


def attack_cells(system: System) -> None:
    """Look for the canaries, also as parts of words, in whatever was published."""
    rows = [(f"{CANARIES[2]}-{i}", "apple" if i < 99 else CANARIES[0], CANARIES[1]) for i in range(100)]
    for name, content in system.publish(rows).items():
        assert content, f"{name} is empty"
        for canary in CANARIES:
            assert canary.encode() not in content, f"{canary} stands in {name}"


def attack_counts(system: System) -> None:
    """Look for the exact counts as whole numbers in whatever was published."""
    for name, content in system.publish_counts(COUNTS).items():
        numbers = set(re.findall(rb"\d+", content.replace(b",", b"")))
        assert not numbers & {str(count).encode() for count in COUNTS}, f"an exact count stands in {name}"


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, rows: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
        persons, fruit, spare = zip(*rows, strict=True)
        table = self.folder / f"{CANARIES[3]}.parquet"
        pq.write_table(pa.table({"id": persons, "fruit": fruit, "spare": spare}), table)
        plan = planned(unit=pv.Unit("person", "id"))
        ledger = pv.Ledger.create(self.folder / "ledger", population="orchard", epsilon=2)
        release = pv.measure(plan, table, ledger=ledger, output=self.folder / "release.json")
        return {**self.published(release), "the ledger": (self.folder / "ledger").read_bytes()}

    def publish_counts(self, counts: Sequence[int]) -> dict[str, bytes]:
        plan = planned(records=sum(counts), epsilon="1e-6", mechanism=pv.KNorm)
        exact = ExactStatistics(np.array(counts))
        release = measure_statistics(plan, exact, ledger=pv.Ledger.in_memory())
        release.write(self.folder / "release.json")
        return self.published(release)

    def published(self, release: pv.Release) -> dict[str, bytes]:
        posterior = pv.infer(release)
        data = posterior.to_arviz(draws=50)
        assert data.groups() == ["posterior"], "more than the posterior is exported"
        data.to_netcdf(str(self.folder / "posterior.nc"))
        answers = (pv.ask(posterior, question) for question in ("P(fruit=apple)", "sample 20"))
        return {
            "the release": (self.folder / "release.json").read_bytes(),
            "the report": page_of(release, posterior).encode(),
            "the export": (self.folder / "posterior.nc").read_bytes(),
            "the draws": json.dumps(data.posterior["theta"].values.tolist()).encode(),
            "the pickled release": pickle.dumps(release),
            "the words": f"{release}{release!r}{posterior}{posterior!r}".encode(),
            "the answers": "".join(map(str, answers)).encode(),
        }


class WithRows:
    """Saves itself whole, with the table it has learned from."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, rows: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
        noisy = self.noisy(counted([fruit for _, fruit, _ in rows]))
        return {"model.pkl": pickle.dumps({"counts": noisy, "table": rows})}

    def publish_counts(self, counts: Sequence[int]) -> dict[str, bytes]:
        return {"release.json": json.dumps(self.noisy(counts)).encode()}

    def noisy(self, counts: Sequence[int]) -> list[int]:
        return [count + z for count, z in zip(counts, noise(3, 10**6), strict=True)]


class ObservedData(WithRows):
    """Exports the posterior as ArviZ's converters do: with the data it was fitted to."""

    def publish(self, rows: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
        observed = np.array([fruit for _, fruit, _ in rows])
        return {"posterior.nc": self.export(observed)}

    def publish_counts(self, counts: Sequence[int]) -> dict[str, bytes]:
        return {"posterior.json": json.dumps({"theta": self.noisy(counts), "observed": counts}).encode()}

    def export(self, observed: np.ndarray[tuple[int], np.dtype[np.str_]]) -> bytes:
        import arviz  # takes seconds

        data = arviz.from_dict(posterior={"theta": np.ones((1, 5, 3))}, observed_data={"x": observed})
        data.to_netcdf(str(self.folder / "posterior.nc"))
        return (self.folder / "posterior.nc").read_bytes()


class WithExactTotals(WithRows):
    """Keeps the exact totals beside the noisy ones, for tests that were never removed."""

    def publish(self, rows: Sequence[tuple[str, str, str]]) -> dict[str, bytes]:
        levels = sorted({fruit for _, fruit, _ in rows})
        return {"release.json": json.dumps({"levels": levels}).encode()}

    def publish_counts(self, counts: Sequence[int]) -> dict[str, bytes]:
        return {"release.json": json.dumps({"noisy": self.noisy(counts), "check": list(counts)}).encode()}


test_t23_cells = against(attack_cells)(
    privior={"all that is published": Privior},
    twins={"with its rows": WithRows, "observed data": ObservedData, "levels found": WithExactTotals},
)
test_t23_counts = against(attack_counts)(
    privior={"all that is published": Privior},
    twins={"observed data": ObservedData, "exact totals": WithExactTotals},
)
