"""Summands: what one record adds to a statistic, as whole numbers of public size.

Every column maps any cell to a code, 0 to size - 1. A statistic is a sum over the records of a product of
simple functions of codes. It is therefore a whole number, the same in every engine and in any order of the
rows, and bounded record by record by public facts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from privior.arrays import Integers
from privior.checks import is_whole
from privior.errors import ModelError, shown
from privior.schema import Schema


@dataclass(frozen=True)
class Factor:
    """One column's part of a summand: slope * code + shift, or the absolute value of that.

    Attributes:
        column: the column
        slope: of the code
        shift: added to it
        absolute: whether the sign is dropped
        level: if there is one, the code is replaced by 1 where it is this one, and by 0 elsewhere
    """

    column: str
    slope: int = 1
    shift: int = 0
    absolute: bool = False
    level: int | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not is_whole(self.slope) or not is_whole(self.shift):
            raise ModelError(
                "a factor has a column, and whole numbers for slope and shift", asked=shown(self.slope)
            )
        if self.level is not None and not is_whole(self.level):
            raise ModelError("a factor's level is a whole number", asked=shown(self.level))

    def of(self, codes: Integers) -> Integers:
        """Return the factor for codes of the column."""
        told = codes if self.level is None else (codes == self.level).astype(codes.dtype)
        values = self.slope * told + self.shift
        return np.abs(values) if self.absolute else values


@dataclass(frozen=True)
class Summand:
    """What one record adds: the product of the factors. Without any it is 1: records are counted."""

    factors: tuple[Factor, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that it reads, each once."""
        return tuple(dict.fromkeys(factor.column for factor in self.factors))

    def of(self, codes: dict[str, Integers]) -> Integers:
        """Return the summand of each record, given the codes of its columns."""
        records = len(next(iter(codes.values())))
        return np.asarray(
            prod(
                (factor.of(codes[factor.column]) for factor in self.factors), start=np.ones(records, np.int64)
            )
        )

    def bounds(self, schema: Schema) -> tuple[int, int]:
        """Return the smallest and the largest that one record can add, both attained.

        The factors of one column multiply to a function of its code, whose values are listed; columns vary
        independently, so an end of the product is a product of ends.
        """
        ends = [(1, 1)]
        for column in self.columns:
            size = schema.column(column).size
            factors = [factor for factor in self.factors if factor.column == column]
            largest = prod(abs(factor.slope) * size + abs(factor.shift) + 1 for factor in factors)
            codes = np.arange(size).astype(np.int64 if largest < 2**63 else object)  # objects do not wrap
            here = [factor.of(codes) for factor in factors]
            values = prod(here[1:], start=here[0])
            ends.append((int(values.min()), int(values.max())))
        corners = [prod(corner) for corner in product(*ends)]
        return min(corners), max(corners)


#: every record counts once
ONE = Summand()
