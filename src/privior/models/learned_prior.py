"""A prior that is itself learned: how the counts of a table spread over its cells, the release says."""

from __future__ import annotations

import math
from dataclasses import dataclass

#: the smallest mean of the grid, in records; means are a factor of two apart
_LEAST = 0.05
#: from an exponential law to one that hardly spreads
_SHAPES = (1.0, 5.0, 50.0)


@dataclass(frozen=True)
class LearnedPrior:
    """Cells are exchangeable, and nothing is said beforehand of how large they are, or how alike.

    Their rates come from an unknown mixture of Gamma laws with means and shapes on a public grid.
    A fixed Dirichlet parameter that does not suit a table costs accuracy where the noise is large against the
    counts. It is for inference alone: what is learned, is learned from the release and is free.
    """

    def classes(self, records: int) -> list[tuple[float, float]]:
        """Return the (shape, mean) of each Gamma law, for tables of up to so many records."""
        steps = max(1, math.ceil(math.log2(max(records, 1) / _LEAST)))
        return [(shape, _LEAST * 2.0**step) for shape in _SHAPES for step in range(steps + 1)]

    def __str__(self) -> str:
        return "learned"
