"""Questions as values. `str` writes the canonical form, which reads back as an equal question.

A kind of question is one file: a class with its name and form, which knows how it is read (`inside`), what
its words mean for a model (`bound`) and what it asks of a posterior (`asked`). `@question` registers it, so
one may be written outside this package.

Places are offsets in the text that was read. They serve error messages and play no part in equality.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar

from privior.errors import QuestionError
from privior.models import Model
from privior.posterior import Belief, Quantity
from privior.posterior.events import quoted
from privior.posterior.numbers import Named
from privior.posterior.ordered_quantity import OrderedQuantity
from privior.queries.answers import Answer, EstimateAnswer, QuantityAnswer
from privior.queries.level_answers import LevelAnswer
from privior.schema import Schema

if TYPE_CHECKING:
    from privior.queries.binding import Binding
    from privior.queries.missing import LevelsAsked
    from privior.queries.reading import Reader

#: what is answered to a question about one number, or one day or bin
NumberAnswer = QuantityAnswer | EstimateAnswer | LevelAnswer
#: what every posterior can be asked
ALWAYS = "P(event), mean(column)"
QuestionKind = TypeVar("QuestionKind", bound="type[Question]")


@dataclass(frozen=True)
class Word:
    """The name of a column, or a value, as it was meant: without quotes."""

    text: str
    place: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return quoted(self.text)


@dataclass(frozen=True)
class Condition:
    """What a column must be.

    Attributes:
        column: the column
        operator: "=", "!=", "<", "<=", ">", ">=" or "in"
        values: one value; one or more after "in"
        place: where the operator stands
    """

    column: Word
    operator: str
    values: tuple[Word, ...]
    place: int = field(default=0, compare=False)

    def __str__(self) -> str:
        if self.operator == "in":
            return f"{self.column} in {{{', '.join(map(str, self.values))}}}"
        return f"{self.column}{self.operator}{self.values[0]}"


@dataclass(frozen=True)
class AnyOf:
    """An event that holds if any of several does: conditions that are joined by "or".

    Attributes:
        alternatives: the conditions of each, which hold together
    """

    alternatives: tuple[tuple[Condition, ...], ...]

    def __str__(self) -> str:
        return " or ".join(" and ".join(map(str, conditions)) for conditions in self.alternatives)


#: conditions that hold together, or any of several such events; none: all records
AskedEvent = tuple[Condition, ...] | AnyOf


class Question(ABC):
    """Something that can be asked of a posterior. `@question` gives it its name, form and words."""

    name: ClassVar[str]
    form: ClassVar[str]
    refusal: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]]

    @classmethod
    def kind_meant(cls, reader: Reader) -> type[Question]:
        """Return the kind that is meant by what follows the name: itself, unless two kinds share a name."""
        return cls

    @classmethod
    def read(cls, reader: Reader) -> Self:
        """Read what follows the name."""
        reader.expect("(", "an opening parenthesis", allowed=cls.form)
        found = cls.inside(reader)
        reader.expect(")", "a closing parenthesis")
        return found

    @classmethod
    @abstractmethod
    def inside(cls, reader: Reader) -> Self:
        """Read what stands between the parentheses."""

    def bound(self, binding: Binding) -> Self:
        """Return the question with each value written as the level it means, or refuse unknown words."""
        return self

    @abstractmethod
    def asked(self, belief: Belief, *, level: float, seed: int | None) -> Answer:
        """Return the answer of a posterior.

        Args:
            belief: the posterior
            level: of intervals, unless the question says another one
            seed: of what is drawn
        """

    def levels_asked(self) -> list[LevelsAsked]:
        """Return the columns whose levels are asked about, once it is bound, and which levels."""
        return []

    def known(self, belief: Belief) -> Callable[..., Any]:
        """Return the method of a posterior that knows the answer, or refuse the question."""
        method = belief.knowing(self.name)
        if method is not None:
            return method
        said = belief.refusal(self.name)
        if said is not None:
            raise QuestionError(said[0], question=str(self), place=0, advice=said[1])
        raise QuestionError(self.refusal, question=str(self), place=0, allowed=ALWAYS)


class Number(Question):
    """A question about one number."""

    #: whether decisions can be about it
    decidable: ClassVar[bool] = False
    #: whether it is about the table itself, instead of the process behind it
    of_table: ClassVar[bool] = False
    #: whether it is about the values of single records, and so rests on the shape that a family gives them
    of_shape: ClassVar[bool] = False

    #: whether it is asked of records that an event describes: the last of its arguments
    conditional: ClassVar[bool] = False

    @abstractmethod
    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """Return what the method of a posterior is called with that knows the number."""

    def quantity(self, belief: Belief) -> Quantity | OrderedQuantity:
        """Return what a posterior, or draws, say about the number; or about the day or bin."""
        found: Quantity | OrderedQuantity = self.known(belief)(*self.arguments(belief))
        return found

    def named(self, belief: Belief) -> Named:
        """Return the number as a function of parameters, so that it can be compared with another one."""
        raise QuestionError(
            "differences and ratios are not taken of this",
            question=str(self),
            place=0,
            allowed="P(event), mean(column), median(column), quantile(column, share), parameter(column)",
        )

    def rests_on(self, belief: Belief) -> tuple[str, ...]:
        """Say what it rests on that nothing released can tell, where it is compared with another number."""
        given = self.arguments(belief)[-1] if self.conditional else None
        said = belief.rests_on(given, of_shape=self.of_shape) if self.conditional or self.of_shape else ""
        return (said,) if said else ()

    def asks(self, belief: Belief) -> Belief:
        """Return whom it asks, given a posterior: the posterior, or what that knows of the table."""
        return belief

    def ends(self, schema: Schema, model: Model) -> tuple[float, float]:
        """Return between what the number lies, whatever the data: public facts, infinite without ends."""
        return 0.0, 1.0

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> NumberAnswer:
        """Return mean, spread and interval, or the estimate where nothing else is known."""
        return self.answered(str(self), belief, level)

    def answered(self, written: str, belief: Belief, level: float) -> NumberAnswer:
        """Return the answer to a question that is written so."""
        about, found = self.asks(belief).about, self.quantity(belief)
        if isinstance(found, OrderedQuantity):
            return LevelAnswer.of(written, found, level, belief.caveats, about)
        if found.alone:
            return EstimateAnswer.of(written, [found], belief.caveats, about)
        return QuantityAnswer.of(written, found, level, belief.caveats, about)


_FORMS: dict[str, type[Question]] = {}


def question(
    name: str, form: str, *, refusal: str = "", aliases: tuple[str, ...] = ()
) -> Callable[[QuestionKind], QuestionKind]:
    """Let a kind of question be read.

    Args:
        name: the word that it begins with, in lower case; posteriors say by this name what they understand
        form: how it is written, for messages
        refusal: what to say if a posterior does not understand it
        aliases: what else people type instead of the name
    """

    def register(kind: QuestionKind) -> QuestionKind:
        if name in _FORMS:
            raise TypeError(f"{name} is read as {_FORMS[name].__name__} already")
        kind.name, kind.form, kind.refusal, kind.aliases = name, form, refusal, aliases
        _FORMS[name] = kind
        return kind

    return register


def forms() -> Mapping[str, type[Question]]:
    """Return every kind of question by its name."""
    return _FORMS


def joined(event: AskedEvent) -> str:
    """Write an event as it would be asked: conditions after commas, alternatives after "or"."""
    return str(event) if isinstance(event, AnyOf) else ", ".join(map(str, event))


def after_bar(event: AskedEvent) -> str:
    """Write what is conditioned on, if anything."""
    return f" | {joined(event)}" if event else ""
