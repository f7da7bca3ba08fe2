"""Where uncertainty comes from: a finite number of records, and the noise that protects them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privior.arrays import Floats


@dataclass(frozen=True, eq=False)
class VarianceParts:
    """The variance of each cell's probability theta, split by the law of total variance over the counts c.

    Attributes:
        sampling: E[Var(theta | c)], what a finite number of records leaves open
        privacy: Var(E[theta | c]), what the privacy noise hides
    """

    sampling: Floats
    privacy: Floats

    @property
    def total(self) -> Floats:
        """The variance of each cell's probability."""
        return np.asarray(self.sampling + self.privacy)
