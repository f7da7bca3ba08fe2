"""T21: one person has many rows, and the guarantee for a row is sold as one for a person.

Others: a limit that is only documented, one learned from the data, one that keeps whatever came first.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import Protocol

import pyarrow as pa
from orchard import LEVELS, counted, planned, written
from twins import against, noise, noise_tape

import privior as pv

Row = tuple[object, str]
MOST = 3


class System(Protocol):
    def release(self, rows: Sequence[Row]) -> Sequence[int]:
        """Release noisy counts in which each person has at most MOST rows; rows are (person, fruit)."""


def attack(system: System) -> None:
    """Add one person with many rows, anywhere: with the same noise, the counts move by MOST in all."""
    others: list[Row] = [(f"p{i}", LEVELS[i % 3]) for i in range(20) for _ in range(1 + i % 4)]
    for hers in (
        [("greedy", "apple")] * 50,
        [("greedy", LEVELS[i % 3]) for i in range(50)],
        [("greedy", "plum")],
        [("p1", "apple")] * 50,
        [(None, "pear")] * 50,
    ):
        name = hers[0][0]
        without = [row for row in others if row[0] != name]
        before = _released(system, without)
        for rows in ([*hers, *without], [*without, *hers], _shuffled([*without, *hers])):
            after = _released(system, rows)
            moved = sum(abs(one - other) for one, other in zip(before, after, strict=True))
            assert moved <= MOST, f"{name} moves {moved} counts"
        once, again = (_released(system, _shuffled([*without, *hers], seed)) for seed in (1, 2))
        assert once == again, "the order of the rows decides which of them count"


def _released(system: System, rows: Sequence[Row]) -> list[int]:
    with noise_tape():
        return list(system.release(rows))


def _shuffled(rows: list[Row], seed: int = 0) -> list[Row]:
    return random.Random(seed).sample(rows, len(rows))


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(
            records=1000, neighbours=pv.ADD_OR_REMOVE_ONE, unit=pv.Unit("person", "id", max_rows=MOST)
        )

    def release(self, rows: Sequence[Row]) -> Sequence[int]:
        return pv.measure(self.plan, self.table(rows), ledger=pv.Ledger.in_memory()).statistics.counts

    def table(self, rows: Sequence[Row]) -> object:
        persons, fruit = zip(*rows, strict=True)
        return pa.table({"id": persons, "fruit": fruit})


class PriviorText(Privior):
    def table(self, rows: Sequence[Row]) -> object:
        path = written(self.folder, [])
        path.write_text("id,fruit\n" + "".join(f"{person or ''},{fruit}\n" for person, fruit in rows))
        return path


class RowLevel:
    """Knows no persons: the limit stands in its manual."""

    def __init__(self, folder: Path) -> None:
        pass

    def release(self, rows: Sequence[Row]) -> Sequence[int]:
        return [count + z for count, z in zip(counted(self.kept(rows)), noise(3), strict=True)]

    def kept(self, rows: Sequence[Row]) -> list[str]:
        return [fruit for _, fruit in rows]


class FirstCome(RowLevel):
    """Keeps the first rows of each person, as groupby(...).head does: the order of the file counts."""

    def kept(self, rows: Sequence[Row]) -> list[str]:
        turn: Counter[object] = Counter()
        kept = []
        for person, fruit in rows:
            turn[person] += 1
            kept += [fruit] if turn[person] <= MOST else []
        return kept


class LearnedLimit(RowLevel):
    """Takes the limit from the data: one person with many rows raises it for all."""

    def kept(self, rows: Sequence[Row]) -> list[str]:
        persons = Counter(person for person, _ in rows)
        limit = max(1, round(sum(persons.values()) / len(persons)))
        grouped = groupby(sorted(rows, key=str), key=lambda row: row[0])
        return [fruit for _, hers in grouped for _, fruit in list(hers)[:limit]]


test_t21_many_rows = against(attack)(
    privior={"arrow": Privior, "csv": PriviorText},
    twins={"row level": RowLevel, "first come": FirstCome, "learned limit": LearnedLimit},
)
