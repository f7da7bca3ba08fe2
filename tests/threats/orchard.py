"""The small population that the attacks of this folder are made on: a table of fruit, and its plans."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import privior as pv
from privior.mechanisms import Mechanism
from privior.schema import Column

LEVELS = ("apple", "pear", "plum")


@lru_cache(maxsize=None, typed=True)
def planned(
    *,
    records: int = 100,
    epsilon: object = 1,
    delta: object = 0,
    neighbours: pv.Neighbours = pv.REPLACE_ONE,
    mechanism: type[Mechanism] | None = None,
    unit: pv.Unit | str = "person",
    column: Column | None = None,
) -> pv.Plan:
    """Plan a release of the fruit of the orchard."""
    schema = pv.Schema(
        {"fruit": pv.Categorical(LEVELS) if column is None else column}, population="orchard", unit=unit
    )
    return pv.plan(
        pv.DirichletCategorical("fruit", prior=1),
        schema,
        records=records,
        epsilon=epsilon,
        delta=delta,
        neighbours=neighbours,
        mechanism=mechanism,
    )


def written(folder: Path, cells: Sequence[object], name: str = "fruit.csv") -> Path:
    """Write a column of cells as a CSV file."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in ["fruit", *cells]))
    return path


def counted(cells: Sequence[object]) -> list[int]:
    """Count the cells level by level, exactly; what is no level counts as the last one."""
    known = [cell if cell in LEVELS else LEVELS[-1] for cell in cells]
    return [known.count(level) for level in LEVELS]
