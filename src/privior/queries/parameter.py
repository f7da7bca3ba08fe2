"""parameter(column): the parameter of a family."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from privior.models import Model
from privior.posterior import Belief, posterior_of
from privior.posterior.numbers import Named
from privior.queries.binding import Binding
from privior.queries.questions import Number, Word, question
from privior.queries.reading import Reader
from privior.schema import Schema

_REFUSAL = "a table has a probability for each cell, and no single parameter"


@question("parameter", "parameter(column)", refusal=_REFUSAL)
@dataclass(frozen=True)
class Parameter(Number):
    """The parameter of the family that models a column: a rate, a chance, a precision; or one by its name."""

    column: Word
    decidable: ClassVar[bool] = True

    @classmethod
    def inside(cls, reader: Reader) -> Parameter:
        """Read a column, or the name of a parameter."""
        return Parameter(reader.word("a column"))

    def bound(self, binding: Binding) -> Parameter:
        """Find the column, or the whole name of the parameter."""
        return replace(self, column=binding.parameter(self.column))

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """The column or the name."""
        return (self.column.text,)

    def named(self, belief: Belief) -> Named:
        """The parameter as a function of parameters."""
        self.known(belief)
        return belief.numbers.parameter(self.column.text)

    def ends(self, schema: Schema, model: Model) -> tuple[float, float]:
        """Return the ends of the prior."""
        return posterior_of(model).numbers_of(model, schema).parameter_ends

    def __str__(self) -> str:
        return f"parameter({self.column})"
