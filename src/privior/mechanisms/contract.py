"""The contract of a mechanism, and the public facts from which one is built."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from privior.errors import PlanError, shown
from privior.mechanisms.forecasts import ErrorLaw
from privior.models import MOST_CELLS, ExactStatistics, Observed
from privior.privacy import Budget, Guarantee, Neighbours, Sensitivity

Floats = NDArray[np.float64]
#: one Dirichlet parameter for all cells, or one for each
Prior = Fraction | tuple[Fraction, ...]


@dataclass(frozen=True)
class PublicFacts:
    """What a mechanism may depend on: nothing here is read from data.

    Attributes:
        levels: number of cells k of the table
        records: number of units n: exact under replace-one, the largest possible one otherwise
        max_rows: records that one unit contributes at most
        neighbours: the neighbour relation
        budget: what may be spent
        prior: the model's Dirichlet parameters, one for all cells or one for each
        draws: how many draws to release, for mechanisms that release draws
        least: records that every cell has at least, as a public fact, for mechanisms that use it
    """

    levels: int
    records: int
    max_rows: int
    neighbours: Neighbours
    budget: Budget
    prior: Prior = Fraction(1)
    draws: int = 1
    least: int = 0

    @property
    def parameters(self) -> tuple[Fraction, ...]:
        """The prior parameter of each cell."""
        return self.prior if isinstance(self.prior, tuple) else (self.prior,) * self.levels


@dataclass(frozen=True)
class CellNoise:
    """A release's log likelihood as a function of the true counts c, cell by cell and up to a constant:

    -rates |observed - c| - curvatures (observed - c)^2 / 2.
    """

    rates: Floats
    curvatures: Floats


class InEachGroup:
    """What a mechanism promises if it is carried out in each of several disjoint groups of records."""

    declared: ClassVar[bool] = False

    @property
    def guarantee(self) -> Guarantee:
        """What is promised about one group, whatever the data."""
        raise NotImplementedError

    @property
    def replacing(self) -> Guarantee:
        """What all groups promise together if a record is replaced: one is removed, one added.

        The two may be of one group or of two, whatever the mechanism: a path of two steps.
        """
        return self.guarantee.replacing()


class Mechanism(Protocol):
    """A release law for tables of counts: a frozen value, built from public facts.

    `release` and `log_likelihood` describe the same law; tests compare them by chi-square, and the
    enumeration audit compares `log_likelihood` with `guarantee`. If the guarantee is `declared` by code
    outside privior, only ledgers take it that were created so.
    """

    declared: ClassVar[bool]
    name: ClassVar[str]
    about: ClassVar[str]
    randomness: ClassVar[str]

    @property
    def levels(self) -> int:
        """Number of cells."""

    @property
    def epsilon(self) -> Fraction:
        """The epsilon it was built for; a published mechanism may cost less."""

    @property
    def records(self) -> int | None:
        """The number of records that the law depends on; None if it depends on none."""

    @property
    def prior(self) -> Prior | None:
        """The prior that the law depends on; None if it depends on none."""

    @property
    def sensitivity(self) -> Sensitivity:
        """How far one unit may move the counts for the guarantee to hold."""

    @property
    def guarantee(self) -> Guarantee:
        """What is promised whatever the data."""

    @property
    def replacing(self) -> Guarantee:
        """What is promised if a record is replaced, also if it leaves one group and enters another."""

    @property
    def expected_squared_error(self) -> float:
        """The expected squared Euclidean length of the noise, before any use of public facts."""

    @property
    def spectrum(self) -> ErrorLaw:
        """The noise, or another law, as forecasts see it."""

    @property
    def cell_noise(self) -> CellNoise | None:
        """The noise as inference sees it; None if the law is no noise on the cells."""

    @classmethod
    def for_facts(cls, facts: PublicFacts) -> Self:
        """Build the mechanism that spends the budget, or raise PlanError if it does not fit."""

    def release(self, statistics: ExactStatistics) -> Observed:
        """Draw from the law, exactly, with randomness of the operating system."""

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        """Return the log probability of releasing `observed` if these are the true counts."""

    def admits(self, observed: Observed, records: int) -> bool:
        """Say whether some table of that many records could have given this release."""

    def to_document(self) -> dict[str, object]:
        """Write the mechanism as plain values."""


def check_levels(levels: int, name: str) -> None:
    """Refuse a table of fewer than two cells, or of more than fit into memory."""
    if isinstance(levels, bool) or not isinstance(levels, int) or not 2 <= levels <= MOST_CELLS:
        raise PlanError(
            "levels is out of range", where=name, asked=shown(levels), allowed=f"2 to {MOST_CELLS}"
        )


def true_counts(statistics: ExactStatistics, levels: int) -> NDArray[np.int64]:
    """Return the counts, which must be one per cell."""
    if statistics.counts.size != levels:
        raise ValueError(f"the mechanism has {levels} cells, the statistics {statistics.counts.size}")
    return statistics.counts


def with_noise(statistics: ExactStatistics, noise: Sequence[int]) -> Observed:
    """Add one noise to each count, in whole numbers of any length."""
    counts = true_counts(statistics, len(noise))
    return Observed(tuple(int(count) + z for count, z in zip(counts, noise, strict=True)))


def unfit(name: str, why: str) -> PlanError:
    """Say why a mechanism does not fit the public facts."""
    return PlanError(why, where=name)
