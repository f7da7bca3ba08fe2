"""number - number and number / number: two numbers of one posterior compared, with what they share."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from privior.errors import QuestionError
from privior.posterior import Belief, Quantity
from privior.posterior.numbers import Floats, Named
from privior.queries.binding import Binding
from privior.queries.missing import LevelsAsked
from privior.queries.questions import Number, forms
from privior.queries.reading import Reader


@dataclass(frozen=True)
class Combined(Number):
    """Two numbers with a sign between them: each draw of the parameters has both, and what follows.

    Attributes:
        first: the number before the sign
        second: the one behind it
    """

    first: Number
    second: Number
    name: ClassVar[str] = "compared"
    sign: ClassVar[str]

    @staticmethod
    @abstractmethod
    def between(first: Floats, second: Floats) -> Floats:
        """Return what follows from both, for many parameters at once; nan where nothing does."""

    @classmethod
    def inside(cls, reader: Reader) -> Self:
        """Refuse: a comparison has no name to begin with."""
        raise reader.error("a comparison stands between two questions")

    @property
    def of_table(self) -> bool:  # type: ignore[override]
        """Whether both numbers are the table's."""
        return self.first.of_table

    def bound(self, binding: Binding) -> Self:
        """Bind both numbers to what they are asked of."""
        return replace(self, first=self.first.bound(binding), second=self.second.bound(binding))

    def levels_asked(self) -> list[LevelsAsked]:
        """Those of both numbers."""
        return [*self.first.levels_asked(), *self.second.levels_asked()]

    def arguments(self, belief: Belief) -> tuple[object, ...]:
        """Return the arguments of both numbers, one after the other."""
        return self.first.arguments(belief) + self.second.arguments(belief)

    def rests_on(self, belief: Belief) -> tuple[str, ...]:
        """Say what either number rests on."""
        return self.first.rests_on(belief) + self.second.rests_on(belief)

    def asks(self, belief: Belief) -> Belief:
        """Return the belief that both numbers ask: one of the table and one of the process do not mix."""
        if self.first.of_table != self.second.of_table:
            raise self.mixed(str(self), len(str(self.first)) + 3)
        return self.first.asks(belief)

    def named(self, belief: Belief) -> Named:
        """What follows from both, as a function of parameters."""
        one, another = self.first.named(belief)[1], self.second.named(belief)[1]
        return str(self), lambda theta: self.between(one(theta), another(theta))

    def quantity(self, belief: Belief) -> Quantity:
        """Return the law of what follows from both."""
        asked = self.asks(belief)
        provided = ", and ".join(dict.fromkeys(self.rests_on(asked)))
        return replace(asked.quantity(*self.named(asked)), provided=provided)

    def __str__(self) -> str:
        return f"{self.first} {self.sign} {self.second}"

    @staticmethod
    def mixed(text: str, place: int) -> QuestionError:
        """Return the refusal to compare the table with the process behind it."""
        return QuestionError(
            "one of these is of the table, the other of the process behind it",
            question=text,
            place=place,
            advice="Ask both of the table, as in share(event) - share(event); or none.",
        )


_SIGNS: dict[str, type[Combined]] = {}


def written_between(sign: str) -> Callable[[type[Combined]], type[Combined]]:
    """Let a kind of comparison be read by the sign between two numbers."""

    def register(kind: type[Combined]) -> type[Combined]:
        kind.sign = sign
        _SIGNS[sign] = kind
        return kind

    return register


@written_between("-")
class Difference(Combined):
    """How much larger the first number is."""

    @staticmethod
    def between(first: Floats, second: Floats) -> Floats:
        """Subtract the second number from the first."""
        return np.asarray(first - second)


@written_between("/")
class Ratio(Combined):
    """How many times as large the first number is."""

    @staticmethod
    def between(first: Floats, second: Floats) -> Floats:
        """Divide; there is no ratio to nothing."""
        found = np.full(np.shape(first), np.nan)
        return np.asarray(np.divide(first, second, out=found, where=second != 0))


def number_read(reader: Reader) -> Number | None:
    """Read a question about one number, or two with a sign between them; None if something else is next."""
    kind = forms().get(reader.token.text.lower()) if reader.token.kind == "word" else None
    if kind is None or not issubclass(kind, Number) or not reader.following.is_sign("("):
        return None
    reader.at += 1
    return combined_with_next(reader, kind.read(reader))


def combined_with_next(reader: Reader, first: Number) -> Number:
    """Read what the number is compared with, if a sign follows."""
    sign = reader.sign_between(_SIGNS)
    if sign is None:
        return first
    place = reader.token.place
    kind = forms().get(reader.token.text.lower()) if reader.token.kind == "word" else None
    if kind is None or not issubclass(kind, Number):
        raise reader.error(
            f"the question to compare with is missing behind {sign}",
            allowed="P(event), mean(column), median(column), share(event), ...",
        )
    if first.of_table != kind.of_table:  # seen before it is read, so that none is nested deeply
        raise Combined.mixed(reader.text, place)
    reader.at += 1
    return _SIGNS[sign](first, kind.read(reader))
