"""Readings: what may be asked of the rows of a table, as values that a model states and a plan holds.

Every column maps any cell to a code, 0 to size - 1 (`schema`), so that a reading is a function of codes with
public bounds. The answer is exact whole numbers, the same in every engine and in any order of the rows, and
private: only the curator ever holds it. A record is left out of a reading if a column of it has no code for
a bad cell (`DROP`); where a unit has several records, at most so many of each are taken, by their codes in
the columns of the reading.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass

from privior.models.summands import Summand


class Reading(ABC):
    """What is asked of rows. All that it says is public."""

    @property
    @abstractmethod
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once."""


@dataclass(frozen=True)
class Sums(Reading):
    """Sums within cells: a row for each cell and a number for each summand. Counts are sums of 1.

    Attributes:
        by: the columns that make the cells, row-major; without any all records are in one cell
        summands: what each record adds
    """

    by: tuple[str, ...]
    summands: tuple[Summand, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that make the cells first."""
        return _each_once((self.by, *(summand.columns for summand in self.summands)))


@dataclass(frozen=True)
class Margins(Reading):
    """Many tables of counts at once, of the same records.

    Attributes:
        tables: the columns of each table, whose cells are numbered row-major
    """

    tables: tuple[tuple[str, ...], ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all tables, each once."""
        return _each_once(self.tables)


@dataclass(frozen=True)
class Moments(Reading):
    """The sums of all products of two features: X'X, and X'1 if a feature is 1.

    Attributes:
        features: whole numbers of each record
    """

    features: tuple[Summand, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of all features, each once."""
        return _each_once(feature.columns for feature in self.features)

    def products(self) -> dict[tuple[int, int], Summand]:
        """Return what each record adds to a place of the matrix, for those on and above its diagonal."""
        return {
            (row, column): Summand(one.factors + other.factors)
            for row, one in enumerate(self.features)
            for column, other in enumerate(self.features[row:], row)
        }


@dataclass(frozen=True)
class Records(Reading):
    """The codes of every record, in the order of their codes, for mechanisms that look at each one.

    Attributes:
        of: the columns
    """

    of: tuple[str, ...]

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns of which it reads cells."""
        return self.of


def _each_once(names: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for some in names for name in some))
