"""Which moments of a design are published, each once, and how far one record moves them together.

**L2.** The weights are `MomentWeights`, which has the theorem on how far one record moves all sums together.

**L1.** In units of features in [-1, 1] and of the target in [-1, 1], all weights 1, a record alone has the
length T(T+1)/2 + 2T + 2 (without an intercept T(T+1)/2 + T + 1), and 1 more where records are counted. How
far replacing one moves is in `models/moment_distance.py`.

Equal functions of a record (the square of a level's 0 or 1 and that itself; 1 and the square of -1 or 1; a
product and the interaction) are one sum, whose weight is that of all of them: the distance stays the same.
What is 0 for every record (two levels of one column) or known (1, where n is public) is not published.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from privior.models.design import Design
from privior.models.moment_distance import RecordNumbers
from privior.models.moment_weights import FIRST, MomentWeights
from privior.models.single_feature import moved
from privior.models.summands import Factor, Summand
from privior.privacy import REPLACE_ONE, Neighbours

#: the factors of a moment, in one order; None: it is 0 for every record
Key = tuple[Factor, ...] | None


@dataclass(frozen=True)
class Moment:
    """One of the moments that a regression is made of.

    Attributes:
        row: of the matrix of `Design.numbers`
        column: of it, not before the row
        key: what it is as a function of a record
        squared: the square of its weight in L2, in units of the whole number that is summed
        unit: what 1 of that is worth, of features divided by the root of T and the target in [-1/2, 1/2]
        plain: its weight for the L1 length, likewise of the whole number
    """

    row: int
    column: int
    key: Key
    squared: Fraction
    unit: float
    plain: Fraction


@dataclass(frozen=True)
class MomentLayout:
    """The moments of a design, and which of them are published.

    Attributes:
        design: the features
        neighbours: the neighbour relation
        weights: of the moments in L2
    """

    design: Design
    neighbours: Neighbours
    weights: MomentWeights = FIRST

    @property
    def counted(self) -> bool:
        """Whether the number of records is private, and so is published."""
        return self.neighbours is not REPLACE_ONE

    @cached_property
    def moments(self) -> tuple[Moment, ...]:
        """X'X on and above the diagonal, X'1, X'u, 1'u, u'u and n, in this order."""
        design, intercept = self.design, self.design.formula.intercept
        d, terms = len(design.features), design.terms
        reach = [
            Fraction(1),
            *(Fraction(one.reach) for one in design.features),
            Fraction(design.target.reach),
        ]
        last = d + 1
        listed: list[tuple[int, int, Fraction, Fraction]] = []
        said, of_one = self.weights, Fraction(int(intercept))
        for i in range(1, last):
            listed += [
                (i, j, said.products * (1 if i == j else 2) / terms**2, Fraction(1)) for j in range(i, last)
            ]
        listed += [(0, i, of_one * said.features / terms, of_one) for i in range(1, last)]
        listed += [(i, last, said.with_target / (4 * terms), Fraction(1)) for i in range(1, last)]
        listed.append((0, last, of_one * said.target / 4, of_one))
        listed += [(last, last, said.own / 16, Fraction(1)), (0, 0, said.count, Fraction(1))]
        found = []
        for row, column, squared, plain in listed:
            whole = reach[row] * reach[column]
            halves = (row == last) + (column == last)
            roots = (0 < row < last) + (0 < column < last)
            unit = 1 / (float(whole) * 2**halves * terms ** (roots / 2))
            found.append(Moment(row, column, self._key(row, column), squared / whole**2, unit, plain / whole))
        return tuple(found)

    def _key(self, row: int, column: int) -> Key:
        numbers = self.design.numbers
        return _key(numbers[row].factors + numbers[column].factors, self.design)

    @cached_property
    def published(self) -> tuple[Key, ...]:
        """The functions of a record whose sums are published, in the order of the moments."""
        wanted = [one.key for one in self.moments if one.squared]
        known = {None} if self.counted else {None, ()}
        return tuple(dict.fromkeys(key for key in wanted if key not in known))

    @cached_property
    def squared(self) -> tuple[Fraction, ...]:
        """The square of the weight of each published sum."""
        return self._weights("squared")

    @cached_property
    def plain(self) -> tuple[Fraction, ...]:
        """The weight of each published sum for the L1 length."""
        return self._weights("plain")

    def _weights(self, name: str) -> tuple[Fraction, ...]:
        found = dict.fromkeys(self.published, Fraction(0))
        for one in self.moments:
            if one.squared and one.key in found:
                found[one.key] += getattr(one, name)
        return tuple(found.values())

    @cached_property
    def places(self) -> tuple[tuple[int, int], ...]:
        """Where each published sum stands in the matrix of all products."""
        first = {one.key: (one.row, one.column) for one in reversed(self.moments)}
        return tuple(first[key] for key in self.published)

    @cached_property
    def l2_squared(self) -> Fraction:
        """The square of how far one record moves all sums together, see `MomentWeights`."""
        intercept, features = self.design.formula.intercept, self.design.features
        if self.counted:
            return self.weights.adding(intercept)
        most = self.weights.replacing(intercept, len(features))
        if len(features) > 1:
            return most
        (one,), target = features, self.design.target
        feature = self._width(one.summand) / one.reach
        return min(
            most, moved(self.weights, intercept, feature, self._width(self._target) / (2 * target.reach))
        )

    @property
    def _target(self) -> Summand:
        return self.design.numbers[-1]

    def _width(self, summand: Summand) -> Fraction:
        low, high = summand.bounds(self.design.schema)
        return Fraction(high - low)

    @cached_property
    def l1(self) -> Fraction:
        """How far one record moves the weighted sums in L1, see above."""
        terms, intercept = self.design.terms, int(self.design.formula.intercept)
        if self.counted:
            return Fraction(terms * (terms + 1), 2) + terms + 1 + intercept * (terms + 1) + 1
        return self._numbers.replaced()

    @property
    def _numbers(self) -> RecordNumbers:
        """What the features of the terms, and the target, can be."""
        schema, alone = self.design.schema, self.design.alone
        bounds = [one.bounds(schema) for one in (*(one.summand for one in alone), self._target)]
        at_ends = [*(one.at_ends(schema) for one in alone), self.design.target.at_ends(schema)]
        kinds = [
            "ends" if sure else "one_sided" if low >= 0 or high <= 0 else "free"
            for sure, (low, high) in zip(at_ends, bounds, strict=True)
        ]
        count = {kind: kinds.count(kind) for kind in ("free", "one_sided", "ends")}
        split = self.design.terms - len(alone)
        return RecordNumbers(split=split, intercept=self.design.formula.intercept, **count)


def _key(factors: tuple[Factor, ...], design: Design) -> Key:
    """Return a product of factors in one form: those of 0 or 1 count once, those of -1 or 1 twice are 1."""
    left: list[Factor] = []
    for factor in factors:
        here = [one for one in left if one.column == factor.column]
        two = design.schema.column(factor.column).size == 2
        if factor in here and (factor.level is not None or (two and factor == Factor(factor.column))):
            continue
        if factor in here and two and factor == Factor(factor.column, 2, -1):
            left.remove(factor)
            continue
        if factor.level is not None and any(one.level is not None for one in here):
            return None
        left.append(factor)
    return tuple(sorted(left, key=lambda one: (one.column, one.slope, one.shift, one.level or 0)))
