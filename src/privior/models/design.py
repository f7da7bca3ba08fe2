"""Designs: the features of a formula as whole numbers of public size, by the schema alone.

    a number        v = slope * code + shift, with v = 0 in the middle of the range, or at 0 where the formula
                    is not the same for shifted columns (`Formula.centred`)
    two levels      v = -1 and 1, or 0 and 1 where the formula is not the same for shifted columns
    more levels     v = 1 for one level and 0 for the others, for each level but those that other terms
                    stand for: the first, if all parts of products are in the model (`models/coding.py`)
    a product       the products of the columns' v

A feature is x = v / reach, in [-1, 1]. **No record has a larger squared norm than the number of terms:** of
the features of a term at most one is not 0, since a record has one level in each column, and that one is a
product of numbers in [-1, 1]. It is attained: by numbers at the end where |v| = reach and levels other than
the first. So nothing is clipped by its norm. Bad cells have a code by the schema's rule, and so have
features.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np

from privior.arrays import Floats
from privior.errors import ModelError
from privior.models.coding import FIRST, Cell, cells, every_cell
from privior.models.formula import Formula, Term
from privior.models.summands import ONE, Factor, Summand
from privior.schema import Schema
from privior.schema.columns import Bounded, Column, Date, Integer

#: of moments: 60 features have 1,953 sums of products, all of them noisy, and inference takes minutes; more
#: are drowned. Models that look at records publish a number for each weight alone
MOST_FEATURES, MOST_OF_RECORDS = 60, 100
#: so many values of a column say how it is spread
_SOME = 1001
#: what is called so in every regression with an intercept
INTERCEPT = "intercept"


@dataclass(frozen=True)
class Coded:
    """One column's part of a feature.

    Attributes:
        factor: v, a whole number
        reach: the largest |v|
        centre: the value of the column where v is 0, for numbers; the second of two levels counts as 1
        half: what v = reach is worth; 0 for levels of 0 and 1
        label: of the level, if it is one
    """

    factor: Factor
    reach: int
    centre: Fraction = Fraction(0)
    half: Fraction = Fraction(0)
    label: str = ""

    def at_ends(self, schema: Schema) -> bool:
        """Say whether v is -reach or reach for every record."""
        size, factor = schema.column(self.factor.column).size, self.factor
        return size == 2 and factor.level is None and factor.slope == -2 * factor.shift

    def values(self, schema: Schema) -> Floats:
        """Return v / reach of some of the column's codes: each once, or evenly spaced ones of very many."""
        size = schema.column(self.factor.column).size
        codes = np.linspace(0, size - 1, min(size, _SOME)).round().astype(np.int64)
        return np.asarray(self.factor.of(codes) / self.reach, np.float64)

    @property
    def name(self) -> str:
        """The column, and the level."""
        return f"{self.factor.column}[{self.label}]" if self.label else self.factor.column


@dataclass(frozen=True)
class Feature:
    """A product of coded columns.

    Attributes:
        parts: of each column
    """

    parts: tuple[Coded, ...]

    @property
    def name(self) -> str:
        """As in formulas, with levels: `age:sex[female]`."""
        return ":".join(part.name for part in self.parts)

    @property
    def summand(self) -> Summand:
        """The whole number v of each record, with its public bounds."""
        return Summand(tuple(part.factor for part in self.parts))

    @property
    def reach(self) -> int:
        """The largest |v|, attained."""
        return prod(part.reach for part in self.parts)

    def at_ends(self, schema: Schema) -> bool:
        """Say whether v is -reach or reach for every record."""
        return all(part.at_ends(schema) for part in self.parts)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns whose codes are multiplied."""
        return tuple(part.factor.column for part in self.parts)


@dataclass(frozen=True)
class Design:
    """The features of a formula for a schema.

    Attributes:
        formula: what depends on what
        schema: the public facts about the columns
        two_levels: whether the target is a column of two levels, which count as -1 and 1
        most: how many features there may be
    """

    formula: Formula
    schema: Schema
    two_levels: bool = False
    most: int = MOST_FEATURES

    @cached_property
    def target(self) -> Coded:
        """The target as a whole number."""
        column = self.schema.column(self.formula.target)
        if self.two_levels and column.size == 2:
            half = Fraction(1, 2)
            return Coded(Factor(self.formula.target, 2, -1), 1, half, half, column.labels[1])
        if not isinstance(column, Integer | Bounded):
            raise ModelError(
                "the target is not a column of numbers",
                where=self.formula.target,
                asked=column.kind,
                allowed="integer, bounded",
                advice="For two levels take pv.LogisticRegression, for more pv.NaiveBayes.",
            )
        return self._number(self.formula.target, column)

    @cached_property
    def features(self) -> tuple[Feature, ...]:
        """All features, term by term."""
        found = [feature for term in self.formula.terms for feature in self._of_term(term)]
        if len(found) > self.most:
            raise ModelError(
                "too many features",
                where=str(self.formula),
                asked=len(found),
                allowed=self.most,
                advice="Take fewer terms, or columns of fewer levels."
                + (
                    f" Models that look at records (logistic, Gibbs) take {MOST_OF_RECORDS}."
                    if self.most < MOST_OF_RECORDS
                    else ""
                ),
            )
        return tuple(found)

    @property
    def alone(self) -> tuple[Feature, ...]:
        """The features that are the only ones of their terms."""
        found = (tuple(self._of_term(term)) for term in self.formula.terms)
        return tuple(one[0] for one in found if len(one) == 1)

    @property
    def names(self) -> tuple[str, ...]:
        """Of the coefficients, the intercept first."""
        first = (INTERCEPT,) if self.formula.intercept else ()
        return (*first, *(feature.name for feature in self.features))

    @property
    def terms(self) -> int:
        """The largest squared norm of a record: how many terms there are."""
        return len(self.formula.terms)

    @property
    def numbers(self) -> tuple[Summand, ...]:
        """1, the features and the target of each record: what is multiplied with each other and summed."""
        return (ONE, *(feature.summand for feature in self.features), Summand((self.target.factor,)))

    @cached_property
    def _cells(self) -> dict[Term, list[Cell]]:
        """The products of levels that have features, term by term."""
        columns = {name: self.schema.column(name) for name in self.formula.columns[1:]}
        for name, column in columns.items():
            if isinstance(column, Date):
                raise ModelError(
                    "days are no features",
                    where=name,
                    asked=column.kind,
                    allowed="integer, bounded, categorical, boolean, binned",
                    advice="Make a column of whole numbers of it, such as days since a public date.",
                )
        return cells(self.formula, self._sizes)

    @cached_property
    def _sizes(self) -> dict[str, int]:
        """How many levels each column of levels has."""
        columns = {name: self.schema.column(name) for name in self.formula.columns[1:]}
        return {
            name: column.size for name, column in columns.items() if not isinstance(column, Integer | Bounded)
        }

    @cached_property
    def _with_first(self) -> set[str]:
        """The columns whose first level has a feature somewhere."""
        every = (cell for found in self._cells.values() for cell in found)
        return {name for cell in every for name, code in cell.items() if not code}

    @cached_property
    def effects(self) -> Floats:
        """What believed effects are of: each feature, then each product of levels that has none. One a row.

        Each product of levels in a term has an effect, whichever of them has features: so that no level is
        believed to be the typical one, and the order in which levels are listed says nothing. Rows are by
        features; what they say of the intercept, of which little is believed, is left out.
        """
        found = [np.eye(1 + len(self.features))[1:]]
        for term in self.formula.terms:
            for cell in every_cell(self._levels_in(term), self._sizes):
                row = None if self._place(term, cell) is not None else self._indicator(term, cell)
                if row is not None:
                    found.append(row[None])
        return np.vstack(found)[:, 1:]

    def _levels_in(self, term: Term) -> list[str]:
        """Return the columns of a term that are coded by their levels: not numbers, and not -1 and 1."""
        return [name for name in term if name in self._sizes and not self._has_signs(name)]

    def _has_signs(self, name: str) -> bool:
        """Say whether two levels are coded as -1 and 1."""
        return self._sizes[name] == 2 and name not in self._with_first and self._centred(name)

    def _place(self, term: Term, cell: Cell) -> int | None:
        """Return where the feature of a product of levels stands, if it has one."""
        signs = {name: 1 for name in term if name in self._sizes and self._has_signs(name)}
        whole = frozenset({**signs, **cell}.items())
        if whole not in self._known.get(frozenset(term), ()):
            return None
        return self._places[self._key(self._feature(term, dict(whole)))]

    def _indicator(self, term: Term, cell: Cell) -> Floats | None:
        """Write the product of a term's numbers and of whether a record has these levels, by 1 and features.

        One without a feature has levels other than the first in columns of an earlier term alone, of the same
        numbers (`models/coding.py`): it is that term's product, but for records with other levels of the
        rest. None if there is no such term, as in codings that leave functions out.
        """
        unit, place = np.eye(1 + len(self.features)), self._place(term, cell)
        if place is not None:
            return np.asarray(unit[place])
        for earlier in self._earlier(term):
            columns = self._levels_in(earlier)
            if not {name for name in cell if cell[name]} <= {*columns}:
                continue
            both = {name: cell[name] for name in columns if name in cell}
            open_there = every_cell([name for name in columns if name not in cell], self._sizes)
            rest = every_cell([name for name in cell if name not in columns], self._sizes)
            added = [self._indicator(earlier, {**both, **one}) for one in open_there]
            taken = [self._indicator(term, {**cell, **one}) for one in rest if any(one.values())]
            rows = [row for row in added if row is not None] + [-row for row in taken if row is not None]
            if len(rows) == len(added) + len(taken):
                return np.asarray(sum(rows))
        return None

    def _earlier(self, term: Term) -> Iterable[Term]:
        """Give the terms before one that have the same numbers: the intercept is the term of no columns."""
        numbers = {*term} - {*self._levels_in(term)}
        if self.formula.intercept and not numbers:
            yield ()
        for one in self.formula.terms[: self.formula.terms.index(term)]:
            if {*one} - {*self._levels_in(one)} == numbers:
                yield one

    @cached_property
    def _places(self) -> dict[frozenset[str], int]:
        """Where each feature stands, 1 being first if there is an intercept."""
        alone = {frozenset[str](): 0} if self.formula.intercept else {}
        return {**alone, **{self._key(one): place for place, one in enumerate(self.features, 1)}}

    def _feature(self, term: Term, cell: Cell) -> Feature:
        return Feature(tuple(self._coded(name, cell.get(name)) for name in term))

    def _of_term(self, term: Term) -> Iterable[Feature]:
        for cell in self._cells[term]:
            yield self._feature(term, cell)

    def _coded(self, name: str, code: int | None) -> Coded:
        column = self.schema.column(name)
        if code is None:
            return self._number(name, column)
        if column.size == 2 and name not in self._with_first:
            half, label = Fraction(1, 2), column.labels[1]
            if self._centred(name):
                return Coded(Factor(name, 2, -1), 1, half, half, label)
            return Coded(Factor(name), 1, label=label)
        return Coded(Factor(name, level=code), 1, label=column.labels[code])

    @cached_property
    def _known(self) -> dict[frozenset[str], set[frozenset[tuple[str, int]]]]:
        """The cells of each term, the intercept being that of no column."""
        alone = {frozenset[str](): {frozenset[tuple[str, int]]()}} if self.formula.intercept else {}
        found = {frozenset(term): {frozenset(one.items()) for one in of} for term, of in self._cells.items()}
        return {**alone, **found}

    def _centred(self, name: str) -> bool:
        """Say whether v may be 0 in the middle: what that adds to terms without the column has features."""
        if name == self.formula.target or self.formula.coding == FIRST:
            return self.formula.centred(name)
        return all(
            frozenset((one, code) for one, code in cell.items() if one != name)
            in self._known.get(frozenset(term) - {name}, ())
            for term, found in self._cells.items()
            if name in term
            for cell in found
        )

    def _number(self, name: str, column: Column) -> Coded:
        lower, step, size = _grid(column)
        centre = lower + step * (size - 1) / 2 if self._centred(name) else Fraction(0)
        offset = (lower - centre) / step
        slope, shift = offset.denominator, offset.numerator
        reach = max(abs(shift), abs(slope * (size - 1) + shift))
        return Coded(Factor(name, slope, shift), reach, centre, step / slope * reach)

    # From features in [-1, 1] to the columns as they are

    @cached_property
    def coefficients(self) -> tuple[tuple[Fraction, ...], ...]:
        """Each coefficient of the columns as they are, by the weights of 1 and of the features in [-1, 1].

        A product of (value - centre) / half is multiplied out; the terms without some of the numbers that
        arise are in the model, since these are centred only then. Without an intercept the first column of
        the matrix is 0.
        """
        places = {frozenset[str]() if name == INTERCEPT else name: row for row, name in enumerate(self.names)}
        rows = {self._key(one): place for place, one in zip(self._slopes, self.features, strict=True)}
        if self.formula.intercept:
            rows[frozenset[str]()] = 0
        matrix = [[Fraction(0)] * (1 + len(self.features)) for _ in places]
        if self.formula.intercept:
            matrix[0][0] = Fraction(1)
        for place, feature in enumerate(self.features, 1):
            numbers = [part for part in feature.parts if part.half]
            levels = [part for part in feature.parts if not part.half]
            for many in range(len(numbers) + 1):
                for left in combinations(numbers, many):
                    gone = [part for part in numbers if part not in left]
                    weight = prod((-part.centre for part in gone), start=Fraction(1))
                    if weight:
                        row = rows[frozenset(part.name for part in (*left, *levels))]
                        matrix[row][place] += weight / prod(part.half for part in numbers)
        return tuple(map(tuple, matrix))

    @property
    def _slopes(self) -> range:
        first = int(self.formula.intercept)
        return range(first, first + len(self.features))

    @staticmethod
    def _key(feature: Feature) -> frozenset[str]:
        return frozenset(part.name for part in feature.parts)


def _grid(column: Column) -> tuple[Fraction, Fraction, int]:
    """Return the least value of a column of numbers, the step and the number of values."""
    if isinstance(column, Bounded):
        return column.lower, column.grid, column.size
    if isinstance(column, Integer):
        return Fraction(column.lower), Fraction(1), column.size
    raise TypeError("not a column of numbers")
