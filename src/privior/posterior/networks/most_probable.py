"""The most probable combination of levels of some columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.posterior.quantity import Quantity
from privior.schema import Schema

#: chances of combinations of levels that are held at once
_AT_ONCE = 20_000_000


@dataclass(frozen=True)
class MostProbable:
    """Which levels some columns most probably have, by the posterior mean, and how sure that is.

    Attributes:
        levels: of each column
        probability: of these levels together
        sure: how probable it is that no other combination is more probable
    """

    levels: dict[str, str]
    probability: Quantity
    sure: float


def best_levels(
    columns: Sequence[str], schema: Schema, chances: Callable[[Floats], Floats], theta: Floats
) -> tuple[dict[str, str], float]:
    """Return the levels with the largest mean chance over draws, and the share of draws in which they lead.

    Args:
        columns: which ones
        schema: the public facts of the columns
        chances: of all combinations of their levels, for some draws
        theta: the draws, one a row; those in which there is no such chance are left out
    """
    cells = schema.cells(tuple(columns))
    few, total, leading = max(1, _AT_ONCE // cells), np.zeros(cells), np.zeros(cells, dtype=np.int64)
    for start in range(0, len(theta), few):
        found = chances(theta[start : start + few]).reshape(-1, cells)
        found = found[np.isfinite(found).all(axis=1)]
        total += found.sum(axis=0)
        leading += np.bincount(found.argmax(axis=1), minlength=cells)
    if not leading.any():
        raise InferenceError("what is given has no chance", asked=", ".join(columns))
    top = int(np.argmax(total))
    codes = np.unravel_index(top, [schema.column(name).size for name in columns])
    levels = {name: schema.column(name).labels[code] for name, code in zip(columns, codes, strict=True)}
    return levels, float(leading[top] / leading.sum())
