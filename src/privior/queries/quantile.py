"""median(column | event) and quantile(column, share | event): what so many records do not exceed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Self

from privior.errors import QuestionError
from privior.exact import decimal
from privior.models import Model
from privior.posterior import Belief
from privior.posterior.averages import has_places, places_of
from privior.posterior.numbers import Named
from privior.queries.binding import Binding, Meant
from privior.queries.missing import LevelsAsked, levels_in
from privior.queries.questions import AskedEvent, Number, Word, after_bar, question
from privior.queries.reading import Reader
from privior.schema import Schema


@dataclass(frozen=True)
class _Quantile(Number):
    """The least value of a column that at least a share of the records does not exceed.

    Attributes:
        column: the column
        share: the share
        given: an event that the records are as; none: all records
        meant: its levels, once they are known
    """

    column: Word
    share: Fraction = Fraction(1, 2)
    given: AskedEvent = ()
    meant: Meant | None = field(default=None, compare=False, repr=False)
    of_shape: ClassVar[bool] = True
    conditional: ClassVar[bool] = True

    def bound(self, binding: Binding) -> Self:
        """Check that the column has an order, and find the levels that are meant."""
        binding.check_ordered(self.column, self.name)
        given = binding.conditions(self.given)
        return replace(self, given=given, meant=binding.event(given))

    def levels_asked(self) -> list[LevelsAsked]:
        """All of the column, unless the condition says which; and those of the condition."""
        given = levels_in(self.meant)
        own: list[LevelsAsked] = [(self.column.text, None)]
        return given if self.column.text in dict(given) else [*own, *given]

    def named(self, belief: Belief) -> Named:
        """The quantile as a function of parameters, where it is a number."""
        if has_places(belief.schema.column(self.column.text)):
            raise QuestionError(
                "differences and ratios are not taken of days and bins",
                question=str(self),
                place=0,
                allowed="quantiles of numbers, P(event), mean(column)",
                advice="Ask for each of the two.",
            )
        return belief.numbers.quantile(self.column.text, float(self.share), self._condition(belief))

    def _condition(self, belief: Belief) -> object:
        if self.meant is None:
            return self.bound(Binding.of(str(self), belief.schema, belief.model))._condition(belief)
        return self.meant or None

    def ends(self, schema: Schema, model: Model) -> tuple[float, float]:
        """Return the least and the largest number of the column; of days and bins the codes."""
        numbers = places_of(self.column.text, schema.column(self.column.text))
        return float(numbers.min()), float(numbers.max())


@question("median", "median(column | event)")
@dataclass(frozen=True)
class Median(_Quantile):
    """The quantile of a half."""

    @classmethod
    def inside(cls, reader: Reader) -> Median:
        """Read a column, and what is conditioned on."""
        column = reader.word("a column")
        return Median(column, given=reader.given(level_follows=False))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The column, and the levels that are conditioned on."""
        return self.column.text, self._condition(belief)

    def __str__(self) -> str:
        return f"median({self.column}{after_bar(self.given)})"


@question("quantile", "quantile(column, share | event)", aliases=("percentile",))
@dataclass(frozen=True)
class Quantile(_Quantile):
    """The quantile of any share."""

    @classmethod
    def inside(cls, reader: Reader) -> Quantile:
        """Read a column, a share, and what is conditioned on."""
        column = reader.word("a column")
        reader.expect(",", "a comma, then a share such as 90%,", allowed=cls.form)
        share = reader.level("share of a quantile")
        return Quantile(column, share, reader.given(level_follows=False))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The column, the share, and the levels that are conditioned on."""
        return self.column.text, float(self.share), self._condition(belief)

    def __str__(self) -> str:
        return f"quantile({self.column}, {decimal(self.share)}{after_bar(self.given)})"
