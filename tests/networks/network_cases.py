"""Networks for tests: bundled ones, and such as a test invents, with their law by brute force."""

from __future__ import annotations

import gzip
import math
import random
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import privior as pv

HERE = Path(__file__).parent
BUNDLED = sorted(path.name.removesuffix(".bif.gz") for path in (HERE / "bif").glob("*.bif.gz"))
Floats = NDArray[np.float64]


def bundled(name: str) -> pv.NetworkFile:
    """Read one of the networks of the repository."""
    return pv.NetworkFile.from_text(gzip.decompress((HERE / "bif" / f"{name}.bif.gz").read_bytes()).decode())


@dataclass(frozen=True)
class Invented:
    """A network that a test made up: parents, levels, and records drawn from it."""

    parents: dict[str, list[str]]
    levels: dict[str, list[str]]
    records: dict[str, list[str]]

    @staticmethod
    def of(seed: int, records: int) -> Invented:
        """Invent 5 to 12 nodes of 2 to 5 levels with up to 3 parents each, in no helpful order."""
        draw = random.Random(seed)
        names = [f"v{place}" for place in range(draw.randint(5, 12))]
        parents = {
            name: draw.sample(names[:place], min(place, draw.randint(0, 3)))
            for place, name in enumerate(names)
        }
        levels = {name: [f"{name}-{level}" for level in range(draw.randint(2, 5))] for name in names}
        rows: dict[tuple[str, ...], list[float]] = {}
        found: dict[str, list[str]] = {name: [] for name in names}
        for _ in range(records):
            one: dict[str, str] = {}
            for name in names:
                key = (name, *(one[parent] for parent in parents[name]))
                if key not in rows:
                    rows[key] = [draw.gammavariate(0.7, 1) + 1e-3 for _ in levels[name]]
                one[name] = draw.choices(levels[name], rows[key])[0]
            for name, value in one.items():
                found[name].append(value)
        mixed = draw.sample(names, len(names))
        return Invented({name: parents[name] for name in mixed}, levels, found)

    @property
    def schema(self) -> pv.Schema:
        columns = {name: pv.Categorical(self.levels[name]) for name in sorted(self.levels)}
        return pv.Schema(columns, population="invented", unit="person")

    def csv(self, path: Path) -> Path:
        rows = zip(*self.records.values(), strict=True)
        path.write_text("\n".join([",".join(self.records), *map(",".join, rows)]) + "\n")
        return path

    def counts(self, node: str) -> Floats:
        """Count a node's table record by record."""
        names = [*self.parents[node], node]
        found = np.zeros([len(self.levels[name]) for name in names])
        for row in zip(*(self.records[name] for name in names), strict=True):
            found[tuple(self.levels[name].index(value) for name, value in zip(names, row, strict=True))] += 1
        return found


def by_brute_force(
    parents: dict[str, list[str]], tables: dict[str, Floats], event: dict[str, int], given: dict[str, int]
) -> float:
    """Return P(event | given) by the product of all tables over all combinations of levels."""
    names = list(parents)
    total = part = 0.0
    for codes in product(*(range(tables[name].shape[-1]) for name in names)):
        one = dict(zip(names, codes, strict=True))
        if any(one[name] != code for name, code in given.items()):
            continue
        chance = math.prod(float(tables[n][tuple(one[p] for p in (*parents[n], n))]) for n in names)
        total += chance
        part += chance * all(one[name] == code for name, code in event.items())
    return part / total
