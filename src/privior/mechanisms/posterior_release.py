"""What releases from a Dirichlet posterior have in common: no noise is added, the posterior is the noise.

    u = prior + rate * counts,   Y ~ Dirichlet(u)

`rate` is the weight of one record. A rate of 1 is the posterior itself; a smaller one is more diffuse, a
larger prior more concentrated, and both are more private. The prior is the model's, all parameters are exact.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from privior.errors import PlanError, shown
from privior.exact import decimal, positive
from privior.mechanisms.contract import Floats, PublicFacts, check_levels, true_counts, unfit
from privior.mechanisms.forecasts import NoiseSpectrum
from privior.models import ExactStatistics, NoisyStatistics
from privior.privacy import Neighbours, Sensitivity
from privior.privacy.calibration import LEAST

#: digits of a rate that was solved for
RATE_DIGITS = 4


@dataclass(frozen=True, eq=False)
class CellGammas:
    """A release's log likelihood as a function of the true counts c of n records, up to a constant:

    sum over cells of slopes c + sum over terms (shift, weight) of weight lnG(prior + rate c + shift), plus
    the sum over `totals` of weight lnG(sum of prior + rate n + shift).

    Attributes:
        prior: of the release, one for each cell
        rate: the weight of one record
        slopes: one for each cell
        terms: shifts and weights, one of each for each cell
        totals: shifts and weights for the number of records
        approximate: what is approximated, in words; empty if nothing is
    """

    prior: Floats
    rate: float
    slopes: Floats
    terms: tuple[tuple[Floats, Floats], ...]
    totals: tuple[tuple[float, float], ...]
    approximate: str = ""


class PosteriorRelease(ABC):
    """One record per unit; built for a prior, a rate and the number of records of the public facts."""

    name: ClassVar[str]
    levels: int
    prior: tuple[Fraction, ...]
    rate: Fraction
    neighbours: Neighbours
    records: int

    def _set(self, levels: int, prior: object, neighbours: Neighbours | str, records: int) -> None:
        check_levels(levels, self.name)
        given = prior if isinstance(prior, (list, tuple)) else (prior,) * levels
        if len(given) != levels:
            raise PlanError(
                "not one prior parameter per cell", where=self.name, asked=len(given), allowed=levels
            )
        if isinstance(records, bool) or not isinstance(records, int) or records < 1:
            raise PlanError("records is not a positive whole number", where=self.name, asked=shown(records))
        least, most = Fraction(1, 10**6), Fraction(10**9)
        object.__setattr__(self, "levels", levels)
        object.__setattr__(
            self, "prior", tuple(positive(one, "prior", least=least, most=most) for one in given)
        )
        object.__setattr__(self, "neighbours", Neighbours.of(neighbours))
        object.__setattr__(self, "records", records)

    def _set_rate(self, rate: object) -> None:
        object.__setattr__(self, "rate", positive(rate, "rate", least=LEAST, most=Fraction(1)))

    @classmethod
    def _prior(cls, facts: PublicFacts) -> tuple[Fraction, ...]:
        if facts.max_rows > 1:
            raise unfit(cls.name, "is for one row per unit")
        return facts.parameters

    @property
    def sensitivity(self) -> Sensitivity:
        """Of a table of counts, one record per unit."""
        return Sensitivity.of_counts(self.neighbours)

    def parameters(self, statistics: ExactStatistics) -> list[Fraction]:
        """Return u = prior + rate * counts, exactly: as private as the counts."""
        counts = true_counts(statistics, self.levels)
        return [a + self.rate * int(c) for a, c in zip(self.prior, counts, strict=True)]

    @property
    @abstractmethod
    def spread(self) -> float:
        """The variance of a released proportion p around its mean is p (1-p) times this."""

    @property
    def expected_squared_error(self) -> float:
        """What the spread is worth as noise on the counts, for a truth typical of the prior.

        A proportion is (prior + rate c) / (A + rate n), A the sum of the prior, on average, so a change of
        it is (A + rate n) / rate times that of the count.
        """
        prior = np.array([float(one) for one in self.prior])
        whole, rate = float(prior.sum()), float(self.rate)
        apart = (1 - float(((prior / whole) ** 2).sum())) * whole / (whole + 1)
        return apart * self.spread * ((whole + rate * self.records) / rate) ** 2

    @property
    def spectrum(self) -> NoiseSpectrum:
        """All directions alike, as forecasts see it."""
        return NoiseSpectrum.alike(self.expected_squared_error / (self.levels - 1), self.levels)

    @property
    def cell_noise(self) -> None:
        """There is no noise on counts; `cell_gammas` has the likelihood."""
        return

    @abstractmethod
    def cell_gammas(self, observed: NoisyStatistics) -> CellGammas:
        """Return the likelihood as inference sees it."""

    def _document(self) -> dict[str, object]:
        alike = len(set(self.prior)) == 1
        return {
            "name": self.name,
            "levels": self.levels,
            "prior": decimal(self.prior[0]) if alike else [decimal(one) for one in self.prior],
            "rate": decimal(self.rate),
            "neighbours": self.neighbours.value,
            "records": self.records,
        }
