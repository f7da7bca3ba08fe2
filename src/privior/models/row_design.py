"""Rows of a design: each record as a vector of bounded length, for models that look at every record.

    a = (1, v_1 / reach_1, ..., v_d / reach_d), without the 1 if the formula has no intercept

with the whole numbers v of `Design`. **No record is longer than R, R^2 = T + 1 (T without an intercept), T
the number of terms:** the features of a term add at most 1 to the squared length (`Design`), and so does the
intercept, which is counted like any other feature. It is attained, by a record whose features are at the
ends of their ranges.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Codes, Floats, Integers
from privior.errors import ModelError
from privior.models.design import MOST_OF_RECORDS, Design
from privior.models.formula import Formula
from privior.schema import Schema

#: rows that are multiplied at once: so many products add up to less than 2^62, all rows to any number
AT_ONCE = 1 << 15


@dataclass(frozen=True)
class RowDesign:
    """What a formula makes of records: a vector of bounded length, and a target of two levels.

    Attributes:
        formula: what depends on what
        schema: the public facts about the columns
    """

    formula: Formula
    schema: Schema

    @cached_property
    def design(self) -> Design:
        """The features of the formula, as whole numbers."""
        return Design(self.formula, self.schema, most=MOST_OF_RECORDS)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the weights, the intercept first."""
        return self.design.names

    @property
    def size(self) -> int:
        """How many weights there are."""
        return len(self.design.features) + int(self.formula.intercept)

    @cached_property
    def reach(self) -> tuple[int, ...]:
        """The largest |v| of each weight's feature; 1 of the intercept."""
        first = (1,) if self.formula.intercept else ()
        return (*first, *(feature.reach for feature in self.design.features))

    @property
    def squared_norm(self) -> int:
        """R^2, the largest squared length of a record, attained."""
        return self.design.terms + int(self.formula.intercept)

    @cached_property
    def levels(self) -> tuple[str, str]:
        """The labels of the target's two levels, in the schema's order; the second one counts as yes."""
        column = self.schema.column(self.formula.target)
        if column.size != 2:
            raise ModelError(
                "the target does not have two levels",
                where=self.formula.target,
                asked=f"{column.kind} of {column.size} levels",
                allowed="boolean, or categorical with two levels",
                advice="For a column of numbers take pv.LinearRegression, for more levels pv.NaiveBayes.",
            )
        no, yes = column.labels
        return no, yes

    # Records, as codes of `formula.columns`: the target first

    def whole(self, codes: Codes) -> Integers:
        """Return v of each record, one a row, the intercept's 1 first: whole numbers."""
        columns = {name: codes[:, place].astype(np.int64) for place, name in enumerate(self.formula.columns)}
        found = np.ones((len(codes), self.size), np.int64)
        for place, feature in enumerate(self.design.features, int(self.formula.intercept)):
            found[:, place] = feature.summand.of(columns)
        return found

    def rows(self, codes: Codes) -> Floats:
        """Return a of each record, one a row: quotients of whole numbers below 2^53, each rounded once."""
        return self.whole(codes) / np.array(self.reach, np.float64)

    def signs(self, codes: Codes) -> Floats:
        """Return 1 for records whose target is the second level, and -1 for the others."""
        return np.asarray(2.0 * codes[:, 0].astype(np.float64) - 1.0)


def summed_products(codes: Codes, whole: Callable[[Codes], Integers]) -> NDArray[Any]:
    """Return the sums of all products of two whole numbers of each record: whole numbers of any size.

    Args:
        codes: of all records
        whole: makes numbers of records, one record a row, `AT_ONCE` of whose products add up below 2^62
    """
    total: NDArray[Any] = np.zeros((), dtype=object)
    for start in range(0, max(len(codes), 1), AT_ONCE):
        some = whole(codes[start : start + AT_ONCE])
        total = total + (some.T @ some).astype(object)
    return total
