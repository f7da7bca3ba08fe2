"""What is known of all tables of a network where all data sets were summed over: only draws are random."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts.contract import LatentCounts, SummedCounts
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.networks.joint_tables import dirichlet
from privior.posterior.networks.known_tables import KnownTables


class AllSummed(KnownTables):
    """Tables whose posterior was summed, given fixed priors.

    Attributes:
        priors: the Dirichlet parameters of each table
        diagnostics: of the sums
    """

    priors: tuple[Floats, ...]
    diagnostics: Diagnostics

    @abstractmethod
    def laws(self, place: int) -> tuple[IntegerLaw, ...]:
        """Return the law of each count of a table."""

    @abstractmethod
    def tables(self, number: int, rng: np.random.Generator) -> Integers:
        """Draw the counts of all tables, each row those of one data set."""

    @abstractmethod
    def levels(self, place: int) -> int:
        """Return the number of levels of a table's node."""

    def one_table(self, place: int, number: int, rng: np.random.Generator) -> Integers:
        """Draw data sets, of which one table is looked at."""
        ends = np.cumsum([0, *(one.size for one in self.priors)])
        return self.tables(number, rng)[:, ends[place] : ends[place + 1]]

    def counts(self, place: int) -> LatentCounts:
        """Return the law of each count, and draws of whole data sets."""
        return SummedTable(self, place)

    def shapes(self, place: int, tables: Integers) -> Floats:
        """Return the Dirichlet parameters of a table's rows given its counts, as (table, row, level)."""
        return np.asarray((tables + self.priors[place]).reshape(len(tables), -1, self.levels(place)))

    def draws(self, number: int, rng: np.random.Generator) -> Floats:
        """Draw data sets, then the entries of all tables given each."""
        tables = self.tables(number, rng)
        parts = np.split(tables, np.cumsum([one.size for one in self.priors])[:-1], axis=1)
        each = (dirichlet(self.shapes(place, part), rng) for place, part in enumerate(parts))
        return np.concatenate([one.reshape(number, -1) for one in each], axis=1)

    def learned(self, place: int) -> bool:
        """Learned priors are not summed out."""
        return False

    @property
    def together(self) -> bool:
        """Say that tables are inferred together, as margins of one data set."""
        return True

    def cautions(self, entries: list[str], nodes: tuple[str, ...]) -> tuple[str, ...]:
        """Say nothing: where all is summed, nothing can go wrong."""
        return ()


@dataclass(frozen=True, eq=False)
class SummedTable(SummedCounts):
    """The counts of one table.

    Attributes:
        known: all tables
        place: which one
    """

    known: AllSummed
    place: int

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Those of all tables together, which are summed at once."""
        return self.known.diagnostics

    @cached_property
    def marginals(self) -> tuple[IntegerLaw, ...]:  # type: ignore[override]
        """The posterior of each count."""
        return self.known.laws(self.place)

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Draw data sets, of which this table is looked at."""
        return self.known.one_table(self.place, size, rng)
