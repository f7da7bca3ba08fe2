"""The error of a table with a public total and noise on all counts but the last, which is what they leave.

Such a release says nothing of the last cell by itself; what it says is how the noise of all others adds up,
less what the prior knows of them. So up to 128 cells are looked at together (`joint_error`). In larger
tables, where the last cell is one of many, cells are looked at one by one, the last through what is hidden of
all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from privior.forecasting.expect import Expect
from privior.forecasting.one_cell import NoiseLaw
from privior.forecasting.table_errors import NO_NOISE, NoiseSpectrum, together
from privior.forecasting.whole_tables import MOST_CELLS, remainder_errors

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class RemainderLaw:
    """Laplace noise of one variance on all counts but the last."""

    variance: float

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors and the expected variance of the counts, all cells together."""
        others = prior.size - 1
        errors, hidden = self._cells(others * self.variance, prior, records, expect)
        if others > 1:  # the prior knows the others better than their noise says, and so the last one
            errors, hidden = self._cells(min(others * self.variance, hidden), prior, records, expect)
        if 1 < others < MOST_CELLS:
            law = NoiseLaw(max(self.variance, NO_NOISE), laplace=True)
            joint = _joint(law, tuple(prior.tolist()), records, expect)
            errors = together(errors, joint, law, prior.size, records)
        return errors, hidden

    def _cells(self, last: float, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Look at one cell at a time, the last through noise of this variance."""
        variances = (self.variance,) * (prior.size - 1) + (last,)
        return NoiseSpectrum(variances, laplace=True).errors(prior, records, expect)


@lru_cache(maxsize=256)
def _joint(law: NoiseLaw, prior: tuple[float, ...], records: int, expect: Expect) -> Floats:
    """Look at all cells together; the same facts are planned for again and again."""
    return remainder_errors(law, np.array(prior), records, expect)
