"""mean(column | event): the mean of a column of numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

from privior.models import Model
from privior.posterior import Belief
from privior.posterior.averages import numbers_of
from privior.posterior.numbers import Named
from privior.queries.binding import Binding, Meant
from privior.queries.missing import LevelsAsked, levels_in
from privior.queries.questions import AskedEvent, Number, Word, after_bar, question
from privior.queries.reading import Reader
from privior.schema import Schema


@question("mean", "mean(column | event)", aliases=("average", "avg"))
@dataclass(frozen=True)
class Mean(Number):
    """The mean of a column of numbers, given an event.

    Attributes:
        column: the column
        given: the conditions of the event; none: all records
        meant: their levels, once they are known
    """

    column: Word
    given: AskedEvent = ()
    meant: Meant | None = field(default=None, compare=False, repr=False)
    decidable: ClassVar[bool] = True
    conditional: ClassVar[bool] = True

    @classmethod
    def inside(cls, reader: Reader) -> Mean:
        """Read a column, and what is conditioned on."""
        column = reader.word("a column")
        return Mean(column, reader.given(level_follows=False))

    def bound(self, binding: Binding) -> Mean:
        """Check that the column has a mean, and find the levels that are meant."""
        binding.check_numbers(self.column)
        given = binding.conditions(self.given)
        return Mean(self.column, given, binding.event(given))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The column, and the levels that are conditioned on."""
        if self.meant is None:
            return self.bound(Binding.of(str(self), belief.schema, belief.model)).arguments(belief)
        return self.column.text, self.meant or None

    def levels_asked(self) -> list[LevelsAsked]:
        """All of the column, unless the condition says which; and those of the condition."""
        given = levels_in(self.meant)
        own: list[LevelsAsked] = [(self.column.text, None)]
        return given if self.column.text in dict(given) else [*own, *given]

    def named(self, belief: Belief) -> Named:
        """The mean as a function of parameters."""
        column, given = self.arguments(belief)
        return belief.numbers.average(str(column), given)

    def ends(self, schema: Schema, model: Model) -> tuple[float, float]:
        """Return the least and the largest number of the column."""
        numbers = numbers_of(self.column.text, schema.column(self.column.text))
        return float(numbers.min()), float(numbers.max())

    def __str__(self) -> str:
        return f"mean({self.column}{after_bar(self.given)})"
