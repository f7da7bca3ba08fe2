"""T20: the number of records leaks although it is private: in the file, its layout, a message or a refusal.

Others: "N=" in reports, one sum per shard or batch, arrays with one entry per record.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Protocol

import pyarrow as pa
from orchard import planned
from twins import against, noise, noise_tape, seen

import privior as pv
from privior.curator import prepare
from privior.mechanisms import Mechanism


class System(Protocol):
    def release(self, rows: int) -> str:
        """Release a table of so many rows, a private number, as a JSON document with noisy `statistics`."""


def attack(system: System) -> None:
    """Release tables of many sizes with one noise: they differ in the values of the statistics alone."""
    found = {}
    for rows in (0, 1, 99, 100, 101, 1000, 1001, 7919):
        with noise_tape():
            found[rows] = seen(lambda rows=rows: system.release(rows))  # type: ignore[misc]
    assert {answer.failure for answer in found.values()} == {None}
    assert {answer.said for answer in found.values()} == {""}
    layouts = {_layout(answer.value) for answer in found.values()}
    assert len(layouts) == 1
    assert "7919" not in layouts.pop()


def _layout(release: str) -> str:
    """Return the document with every noisy number as 0: its length and shape are its layout."""
    document = json.loads(release)
    document["statistics"] = _blank(document["statistics"])
    return json.dumps(document)


def _blank(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _blank(entry) for name, entry in value.items()}
    return [_blank(entry) for entry in value] if isinstance(value, list) else 0


class Privior:
    """The number of persons is private under add-or-remove-one."""

    kind: type[Mechanism] = pv.LaplaceCounts

    def __init__(self, folder: Path) -> None:
        add = pv.ADD_OR_REMOVE_ONE
        self.plan = planned(records=1000, delta="1e-6", neighbours=add, mechanism=self.kind)

    def table(self, rows: int) -> pa.Table:
        return pa.table({"fruit": pa.array(["apple"] * rows, pa.string())})

    def release(self, rows: int) -> str:
        steps: list[str] = []
        ledger = pv.Ledger.in_memory()
        ready = prepare(self.plan, self.table(rows), ledger=ledger, progress=steps.append)
        document = json.loads(ready.carry_out(steps.append).to_json())
        return json.dumps({**document, "steps": steps, "afterwards": str(ledger)})


class PriviorGaussian(Privior):
    kind = pv.GaussianCounts


class PriviorRows(Privior):
    """The number of persons is public, that of their rows is not."""

    def __init__(self, folder: Path) -> None:
        unit = pv.Unit("person", "id", max_rows=5)
        self.plan = planned(records=7, unit=unit, mechanism=pv.LaplaceCounts)

    def table(self, rows: int) -> pa.Table:
        persons = [*range(7), *([3] * rows)]
        return pa.table({"id": persons, "fruit": ["apple"] * len(persons)})


class Stated:
    """States the number it was told to hide."""

    def __init__(self, folder: Path) -> None:
        pass

    def release(self, rows: int) -> str:
        return json.dumps({"statistics": [rows + noise(1)[0]], "records": rows})


class Sharded(Stated):
    """Publishes one noisy sum per shard, and with them the number of shards."""

    def release(self, rows: int) -> str:
        shards = [min(1000, rows - start) for start in range(0, rows, 1000)]
        return json.dumps({"statistics": [shard + noise(1)[0] for shard in shards]})


class Checking(Stated):
    """Checks the declared maximum with the data open."""

    def release(self, rows: int) -> str:
        if rows > 1000:
            raise ValueError("the table is larger than declared")
        return json.dumps({"statistics": [rows + noise(1)[0]]})


class Talking(Stated):
    """Tells the screen how far it is."""

    def release(self, rows: int) -> str:
        for done in range(0, rows, 1000):
            print(f"{done} rows read")
        return json.dumps({"statistics": [rows + noise(1)[0]]})


test_t20_number_of_records = against(attack)(
    privior={"laplace": Privior, "gaussian": PriviorGaussian, "rows of persons": PriviorRows},
    twins={"stated": Stated, "sharded": Sharded, "checking": Checking, "talking": Talking},
)
