"""Questions as values. `str` writes the canonical form, which reads back as an equal question.

Places are offsets in the text that was read. They serve error messages and play no part in equality.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from privior.exact import decimal
from privior.posterior.events import quoted


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
class Probability:
    """The probability that all conditions of an event hold, given others."""

    event: tuple[Condition, ...]
    given: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return f"P({_joined(self.event)}{_after_bar(self.given)})"


@dataclass(frozen=True)
class Mean:
    """The mean of a column of numbers, given an event."""

    column: Word
    given: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        return f"mean({self.column}{_after_bar(self.given)})"


@dataclass(frozen=True)
class Parameter:
    """The parameter of the family that models a column: a rate, a chance, a precision."""

    column: Word

    def __str__(self) -> str:
        return f"parameter({self.column})"


@dataclass(frozen=True)
class ModelChance:
    """The probability that a model of a finite family is the right one."""

    name: Word

    def __str__(self) -> str:
        return f"model({self.name})"


@dataclass(frozen=True)
class Stationary:
    """The share of time that a Markov chain spends in a state in the long run."""

    state: Word

    def __str__(self) -> str:
        return f"stationary({self.state})"


@dataclass(frozen=True)
class After:
    """The chance that a Markov chain is in a state so many steps after another one."""

    steps: int
    state: Word
    start: Word

    def __str__(self) -> str:
        return f"after({self.steps}, {self.state} | {self.start})"


@dataclass(frozen=True)
class Models:
    """The probability of each model of a finite family."""

    def __str__(self) -> str:
        return "models()"


@dataclass(frozen=True)
class Interval:
    """The interval that holds a number with the probability `level`; None leaves it to whoever asks."""

    of: Number
    level: Fraction | None = None

    def __str__(self) -> str:
        level = "" if self.level is None else f", {decimal(self.level)}"
        return f"interval({self.of}{level})"


@dataclass(frozen=True)
class Counts:
    """The true table of counts of some columns; none means all columns of the model."""

    columns: tuple[Word, ...] = ()

    def __str__(self) -> str:
        return f"counts({', '.join(map(str, self.columns))})"


@dataclass(frozen=True)
class Sample:
    """So many synthetic records."""

    number: int
    place: int = field(default=0, compare=False)

    def __str__(self) -> str:
        return f"sample {self.number}"


#: questions about one number
Number = Probability | Mean | Parameter | ModelChance | Stationary | After
Question = Number | Interval | Counts | Models | Sample


def _joined(conditions: Sequence[Condition]) -> str:
    return ", ".join(map(str, conditions))


def _after_bar(conditions: Sequence[Condition]) -> str:
    return f" | {_joined(conditions)}" if conditions else ""
