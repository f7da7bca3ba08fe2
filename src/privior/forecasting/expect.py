"""What the truth is expected to look like: declared by whoever plans, never read from data."""

from __future__ import annotations

from enum import Enum

import numpy as np

from privior.arrays import Floats
from privior.errors import PlanError, shown

#: a skewed truth has shares proportional to rank^-this
STEEPNESS = 1.1


class Expect(Enum):
    """The law of the true table for which errors are forecast. It changes no guarantee and no release.

    UNIFORM: n independent records, all cells alike
    TYPICAL: a table typical of the prior, from the Dirichlet-multinomial
    SKEWED: n independent records, the cell of rank r (as listed) with a chance proportional to r^-1.1
    """

    UNIFORM = "uniform"
    TYPICAL = "typical"
    SKEWED = "skewed"

    @classmethod
    def of(cls, value: Expect | str) -> Expect:
        """Return the expectation itself or the one of that name."""
        try:
            return cls(value)
        except ValueError:
            allowed = ", ".join(one.value for one in cls)
            raise PlanError(
                "unknown expectation of the truth", where="expect", asked=shown(value), allowed=allowed
            ) from None

    @property
    def words(self) -> str:
        """The data that are expected."""
        return {
            Expect.UNIFORM: "data with all cells alike",
            Expect.TYPICAL: "data typical of the prior",
            Expect.SKEWED: "data with a few large cells, the first ones",
        }[self]

    def shares(self, prior: Floats) -> Floats:
        """Return the proportion of each cell in the data that are expected, given the prior's parameters."""
        weights = {
            Expect.UNIFORM: np.ones(prior.size),
            Expect.TYPICAL: prior,
            Expect.SKEWED: np.arange(1.0, prior.size + 1) ** -STEEPNESS,
        }[self]
        return np.asarray(weights / weights.sum())

    def __str__(self) -> str:
        return self.value
