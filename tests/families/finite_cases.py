"""Finite families, with what the tests of them need to know."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

import privior as pv

SCHEMA = pv.Schema(
    {
        "die": pv.Categorical(["low", "middle", "high"]),
        "coin": pv.Boolean(),
        "hits": pv.Integer(0, 2),
    },
    population="casino",
    unit="throw",
)

DIE = pv.FiniteFamily(
    "die",
    {
        "fair": ["1/3", "1/3", "1/3"],
        "tilted": ["1/2", "1/4", "1/4"],
        "loaded": ["0.1", "0.2", "0.7"],
        "middling": ["0.3", "0.5", "0.2"],
    },
    prior=[4, 1, 2, 1],
)
#: Example 1: a grid of chances
GRID = pv.FiniteFamily("coin", {f"0.{i}": [f"0.{10 - i}", f"0.{i}"] for i in (2, 4, 6, 8)})
PAIR = pv.FiniteFamily(
    ["coin", "hits"],
    {
        "apart": ["1/4", "1/8", "1/8", "1/4", "1/8", "1/8"],
        "together": ["3/8", "1/16", "1/16", "1/16", "1/16", "3/8"],
        "mostly": ["0.6", "0.1", "0.1", "0.1", "0.05", "0.05"],
    },
)
#: models that exclude levels
STRICT = pv.FiniteFamily("die", {"all": ["1/3", "1/3", "1/3"], "two": ["1/2", "1/2", "0"], "last": [0, 0, 1]})
CASES = {"die": DIE, "grid": GRID, "pair": PAIR, "strict": STRICT}


def all_tables(records: int, cells: int) -> NDArray[np.int64]:
    """List every table of so many records."""
    places = records + cells - 1
    return np.array(
        [
            [after - before - 1 for before, after in pairwise((-1, *bars, places))]
            for bars in combinations(range(places), cells - 1)
        ],
        dtype=np.int64,
    )


def chances_of(model: pv.FiniteFamily) -> NDArray[np.float64]:
    return np.array([[float(chance) for chance in law] for law in model.chances])


def rows_of(model: pv.FiniteFamily, counts: NDArray[np.int64]) -> dict[str, list[str]]:
    """Write a table's cells, as columns of text."""
    shape = [SCHEMA.column(name).size for name in model.columns]
    codes = np.unravel_index(np.repeat(np.arange(len(counts)), counts), shape)
    return {
        name: [SCHEMA.column(name).labels[code] for code in some]
        for name, some in zip(model.columns, codes, strict=True)
    }


def csv_of(model: pv.FiniteFamily, counts: NDArray[np.int64]) -> str:
    """Write a CSV file's text."""
    columns = rows_of(model, counts)
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    return "\n".join(lines) + "\n"
