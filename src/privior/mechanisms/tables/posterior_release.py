"""What releases from a Dirichlet posterior have in common: no noise is added, the posterior is the noise.

    u = prior + rate * counts,   Y ~ Dirichlet(u)

`rate` is the weight of one record. A rate of 1 is the posterior itself; a smaller one is more diffuse, a
larger prior more concentrated, and both are more private. The prior is the model's, all parameters are exact.

If it is public that every cell has at least `least` = t records, say by the design of a sample, no parameter
is below prior + rate t: as if the prior were that much larger. A lower count is raised to t before it is
used, so the guarantee does not rest on the fact: raising moves no count farther, nor the other way, and
whatever the table, the raised counts are t plus something that is not negative.
"""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.checks import fill, whole_number
from privior.errors import PlanError
from privior.exact import decimal, positive
from privior.mechanisms.contract import Asked, Floats
from privior.mechanisms.tables.table_mechanism import (
    CellGammas,
    TableMechanism,
    check_cells,
    check_records,
    true_counts,
)
from privior.models import ExactStatistics, Model, Observed
from privior.privacy import Neighbours
from privior.privacy.calibration import LEAST
from privior.schema import Schema

#: digits of a rate that was solved for
RATE_DIGITS = 4
#: a larger public minimum of the counts is a mistake
MOST_LEAST = 10**9


class PosteriorRelease(TableMechanism):
    """Built for a prior, a rate, the number of records and a public minimum of the counts (0: none).

    Raising low counts to the minimum does not add to the sensitivity of the counts.
    """

    #: there is no noise on counts; `cell_gammas` has the likelihood
    cell_noise: ClassVar[None] = None
    cells: int
    prior: tuple[Fraction, ...]
    rate: Fraction
    neighbours: Neighbours
    records: int
    least: int

    def _set(self, cells: int, prior: object, neighbours: Neighbours | str, records: int, least: int) -> None:
        check_cells(cells, self.name)
        given = prior if isinstance(prior, (list, tuple)) else (prior,) * cells
        if len(given) != cells:
            raise self.refusal("not one prior parameter per cell", asked=len(given), allowed=cells)
        fill(self, cells=cells, records=check_records(records, self.name))
        fill(self, least=check_least(least, self.name))
        lowest, most = Fraction(1, 10**6), Fraction(10**9)
        fill(self, prior=tuple(positive(one, "prior", least=lowest, most=most) for one in given))
        fill(self, neighbours=Neighbours.of(neighbours))

    def _set_rate(self, rate: object) -> None:
        fill(self, rate=positive(rate, "rate", least=LEAST, most=Fraction(1)))

    def floors(self, rate: Fraction) -> tuple[Fraction, ...]:
        """The smallest parameters that any table has at this rate: prior + rate * least."""
        return tuple(parameter + rate * self.least for parameter in self.prior)

    def parameters(self, statistics: ExactStatistics) -> list[Fraction]:
        """Return u = prior + rate * counts, low counts raised, exactly: as private as the counts."""
        counts = true_counts(statistics, self.cells)
        return [a + self.rate * max(int(c), self.least) for a, c in zip(self.prior, counts, strict=True)]

    @property
    def floor_in_words(self) -> str:
        """The smallest parameter, as reasons give it."""
        words = f"smallest prior parameter {decimal(min(self.prior))}"
        return words if self.least == 0 else f"{words}, counts raised to {self.least} at least"

    @property
    def expected_squared_error(self) -> float:
        """What the spread is worth as noise on the counts, for a truth typical of the prior.

        A proportion is (prior + rate c) / (A + rate n), A the sum of the prior, on average, so a change of
        it is (A + rate n) / rate times that of the count.
        """
        prior = np.array([float(one) for one in self.prior])
        whole, rate = float(prior.sum()), float(self.rate)
        apart = (1 - float(((prior / whole) ** 2).sum())) * whole / (whole + 1)
        parameters = whole + rate * self.records
        return apart * float(self.spread(parameters)) * (parameters / rate) ** 2

    @abstractmethod
    def spread(self, whole: float | Floats) -> Floats:
        """Return the variance of a released proportion p over p (1-p), if the parameters add up to this."""

    @property
    def draw_weight(self) -> Fraction:
        """The rate: the weight of a record in the posterior drawn from."""
        return self.rate

    @property
    def minimum(self) -> int:
        """The public minimum of the counts."""
        return self.least

    def check(self, asked: Asked) -> None:
        """Refuse also more records in every cell than there can be."""
        super().check(asked)
        rows = asked.records * asked.schema.unit.max_rows
        if self.least * self.cells > rows:
            raise PlanError(
                "so many records in every cell are more than there can be",
                where="least",
                asked=f"{self.least} in each of {self.cells} cells",
                allowed=f"{rows // self.cells} or fewer",
            )

    def facts(self, model: Model, schema: Schema) -> list[tuple[str, str]]:
        """Say what is declared about the smallest count."""
        return [("minimum", self.minimum_in_words)] if self.least else []

    @property
    def minimum_in_words(self) -> str:
        """What is declared about the smallest count."""
        return (
            f"every cell has at least {self.least} records, which is public; a lower count is raised "
            "to that, so the guarantee holds for every table"
        )

    @abstractmethod
    def cell_gammas(self, observed: Observed) -> CellGammas:
        """Return the likelihood as inference sees it."""

    def _document(self) -> dict[str, object]:
        alike = len(set(self.prior)) == 1
        return {
            "name": self.name,
            "levels": self.cells,
            "prior": decimal(self.prior[0]) if alike else [decimal(one) for one in self.prior],
            "rate": decimal(self.rate),
            "neighbours": self.neighbours.value,
            "records": self.records,
            **({"least": self.least} if self.least else {}),
        }


def check_least(least: int, name: str) -> int:
    """Return a public minimum, refusing what is none."""
    return whole_number(least, "least", 0, MOST_LEAST, where=name, error=PlanError)
