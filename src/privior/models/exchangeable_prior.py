"""A prior of cells in no order: how the counts of a table spread over its cells, the release says.

The rates of the cells are independent draws from one of many laws on a public list, in four families:

- Gamma laws of any mean, from a standard deviation of twice the mean to a sixteenth of it: what a Dirichlet
  prior says of its cells, with any parameter, and cells that are nearly alike;
- log-normal laws of any median, the logarithm's standard deviation being 0.35 to 2.8;
- power laws, P(rate > x) = (x/least)^-index, of any least rate and an index from 0.5 to 4: a few cells hold
  most records, as in Zipf's law, whose exponent is one over the index;
- a wide Gamma law for some cells, the others, a half to 97% of all, being nearly empty.

Gamma laws have four fifths of the prior probability, the other families a fifteenth each: they need some
evidence, without which a few cells that the noise has raised would look large. Parameters are equally likely
on their grids, which are even in their logarithms and go from one record in the whole table to all records in
one cell. Every law is written as a mixture of Gamma laws, the classes, so that whatever follows from a class
is a sum.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats

#: the prior probability of the family of Gamma laws
_GAMMA = 0.8
#: shapes of Gamma laws, and the factor between two means: narrower laws lie closer together
_SHAPES = {0.25: 2.0, 1.0: 2.0, 4.0: 2.0, 16.0: 2**0.5, 64.0: 2**0.25, 256.0: 2**0.125}
#: the classes that the other families are mixtures of
_SMOOTH = 16.0
_SPREADS = tuple(0.35 * 2 ** (step / 2) for step in range(7))
#: shares of cells that are nearly empty
_EMPTY = (0.5, 0.75, 0.875, 0.9375, 0.96875)
_INDICES = tuple(0.5 * 2 ** (step / 2) for step in range(7))


@dataclass(frozen=True, eq=False)
class RateLaws:
    """Laws of the cells' rates, with their prior probabilities.

    Attributes:
        shapes: of each class, a Gamma law
        means: of each class
        weights: of the classes in each law, as (law, class)
        chances: the prior probability of each law
    """

    shapes: Floats
    means: Floats
    weights: Floats
    chances: Floats


@dataclass(frozen=True)
class ExchangeablePrior:
    """Cells are exchangeable, and nothing is said beforehand of how large they are, or how alike.

    Their rates come from an unknown law on a public list. A fixed Dirichlet parameter that does not suit a
    table costs accuracy where the noise is large against the counts. It is for inference alone: what is
    learned, is learned from the release and is free. It cannot tell the near tail of an ordered
    column from the far one; `LearnedPrior`, the default, can, and is this one for a column in no order.
    """

    def laws(self, records: int, cells: int) -> RateLaws:
        """Return the laws, for tables of up to so many records and with so many cells."""
        reach = math.log(max(records, 1) * cells)
        grids = {
            shape: factor ** np.arange(max(1, math.ceil(reach / math.log(factor))) + 1) / cells
            for shape, factor in _SHAPES.items()
        }
        shapes = np.concatenate([np.full(grid.size, shape) for shape, grid in grids.items()])
        alone = np.concatenate([np.full(grid.size, 1 / grid.size) for grid in grids.values()]) / len(grids)
        logs = np.log(grids[_SMOOTH])
        away = logs - logs[:, None]
        normal = [np.exp(-((away / spread) ** 2) / 2) for spread in _SPREADS]
        power = [np.where(away >= 0, np.exp(-index * np.maximum(away, 0)), 0) for index in _INDICES]
        rows = np.concatenate(normal + power)
        mixed = np.zeros((len(rows), shapes.size))
        mixed[:, shapes == _SMOOTH] = rows / rows.sum(axis=1, keepdims=True)
        single = np.eye(shapes.size)
        empty = single[shapes == _SMOOTH][0]
        full = single[shapes <= _SMOOTH]
        partly = np.concatenate([share * empty + (1 - share) * full for share in _EMPTY])
        families = (mixed[: len(mixed) // 2], mixed[len(mixed) // 2 :], partly)
        rest = (1 - _GAMMA) / len(families)
        return RateLaws(
            shapes,
            np.concatenate(list(grids.values())),
            np.concatenate([single, *families]),
            np.concatenate([_GAMMA * alone, *(np.full(len(some), rest / len(some)) for some in families)]),
        )

    def __str__(self) -> str:
        return "learned, cells alike"
