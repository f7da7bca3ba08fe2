"""What is asked of a table: sums of summands within the cells of some columns. Counts are sums of 1."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod

from privior.errors import TableError
from privior.models.summands import Factor, Summand
from privior.schema import Column, Schema
from privior.tables import codes
from privior.tables.relations import column

#: the exact sums are held in memory as 64-bit integers
MOST_CELLS = 2**31

#: products within a record stay below this
LIMIT = 2**62


@dataclass(frozen=True)
class SumsQuestion:
    """Sums of summands within the cells of some columns.

    Attributes:
        schema: what is publicly known
        opened: the columns of the relation, in its order
        by: the columns that make the cells, row-major; without any all records are in one cell
        summands: what each record adds
        beside: more columns of the reading that this is a part of, whose bad cells leave a record out too
    """

    schema: Schema
    opened: tuple[str, ...]
    by: tuple[str, ...]
    summands: tuple[Summand, ...]
    beside: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are asked about: of the whole reading, or those that make the cells first."""
        own = (*self.by, *(name for summand in self.summands for name in summand.columns))
        return tuple(dict.fromkeys((*self.beside, *own)))

    @property
    def cells(self) -> int:
        """How many cells there are."""
        return self.schema.cells(self.by) if self.by else 1

    @cached_property
    def columns(self) -> dict[str, Column]:
        """The columns that are asked about, by their names in the relation."""
        return {self.place(name): self.schema.column(name) for name in self.names}

    @cached_property
    def outer(self) -> dict[str, Column]:
        """Those that make cells or are looked up: the codes of few different contents."""
        made = {self.place(name) for name in self.by}
        return {name: kind for name, kind in self.columns.items() if name in made or codes.is_looked_up(kind)}

    @cached_property
    def inner(self) -> dict[str, Column]:
        """The others, whose codes are expressions."""
        return {name: kind for name, kind in self.columns.items() if name not in self.outer}

    def place(self, name: str) -> str:
        """Return the name that a column has in the relation."""
        return column(self.opened.index(name))

    def check(self) -> None:
        """Refuse, by public facts only, what was not opened or does not fit into memory or into 64 bits."""
        unknown = [name for name in self.names if name not in self.opened]
        if unknown:
            raise TableError("the column is not open", asked=unknown[0], allowed=", ".join(self.opened))
        check_cells(self.cells * max(1, len(self.summands)))
        for summand in self.summands:
            if self.bound(summand) >= LIMIT:
                raise TableError(
                    "what one record adds may not fit into 64 bits",
                    where=", ".join(summand.columns),
                    advice="Take a coarser grid or bins.",
                )

    def bound(self, summand: Summand) -> int:
        """Return what no step of working out a summand exceeds, whatever its sign."""
        return prod(max(1, self.largest(factor)) for factor in summand.factors)

    def largest(self, factor: Factor) -> int:
        """Return what no step of working out a factor exceeds, by codes or by values and their offset."""
        return abs(factor.slope) * codes.reach(self.schema.column(factor.column)) + abs(factor.shift)


def check_cells(cells: int) -> None:
    """Refuse a table of exact numbers that would not fit into memory."""
    if cells > MOST_CELLS:
        raise TableError("the table has too many cells", asked=cells, allowed=MOST_CELLS)
