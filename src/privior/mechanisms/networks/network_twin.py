"""A small twin of noise on the tables of a network: what an audit can list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from privior.mechanisms.contract import Mechanism
from privior.models import BayesianNetwork, ExactStatistics, Observed
from privior.privacy import Guarantee, Sensitivity
from privior.schema import Boolean, Schema, Unit

#: the graph and the columns of twins
TWO = BayesianNetwork({"first": (), "second": ()}, prior=1)


def two_columns(max_rows: int) -> Schema:
    """Return the schema of two columns of two levels."""
    unit = Unit("unit", "unit", max_rows) if max_rows > 1 else Unit("unit")
    return Schema(dict.fromkeys(TWO.columns, Boolean()), population="twin", unit=unit)


@dataclass(frozen=True)
class TwoColumns:
    """Noise on the tables of two columns without arcs, as a law for the table of both.

    A record is in one of four cells; what is published is how many are in each level of the one column and
    of the other, with noise: four numbers too. So all records of a few, all neighbours and all outputs near
    them are listed, and what is claimed is claimed of both tables together.

    Attributes:
        law: the mechanism for the two tables
        moved: how far one unit moves the table of both columns
    """

    law: Mechanism
    moved: Sensitivity
    cells: ClassVar[int] = 4
    records: ClassVar[None] = None

    @property
    def name(self) -> str:
        """The name of the law that this stands for."""
        return self.law.name

    @property
    def guarantee(self) -> Guarantee:
        """What the law promises of both tables."""
        return self.law.guarantee

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit moves the table of both columns."""
        return self.moved

    @property
    def expected_squared_error(self) -> float:
        """E|z|^2 over the four numbers of both tables."""
        noise = self.law.cell_noise
        if noise is None:
            raise self.law.refusal("has no noise that can be listed")
        return float((1 / (2 * np.sinh(noise.rates / 2) ** 2 + noise.curvatures)).sum())

    def outcomes(self, records: int, margin: int) -> range:
        """Few outputs will do for losses that are largest at no noise; others need the margin."""
        near = 1 if self.guarantee.pure is not None else margin
        return range(-near, records + near + 1)

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Add the cells up to the two tables."""
        cells = statistics.counts.reshape(2, 2)
        return self.law.log_likelihood(
            observed, ExactStatistics(np.concatenate([cells.sum(axis=1), cells.sum(axis=0)]))
        )
