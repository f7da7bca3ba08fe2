"""Answers as values: for people as text, for programs as a document, for a terminal as a table."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

from privior.errors import QuestionError
from privior.pandas_frames import frame
from privior.pictures import listing, markup
from privior.posterior import Quantity

#: a header, and rows
AnswerCells = tuple[list[str], list[list[str]]]


class Answer(ABC):
    """What a posterior says to a question.

    Attributes:
        question: the question in canonical form
        warnings: what must be known before the answer is trusted
    """

    question: str
    warnings: tuple[str, ...]
    #: what kind of answer it is, for documents
    kind: ClassVar[str]
    #: whether the warnings are part of the text
    warns: ClassVar[bool] = True
    #: what it counts with, such as bad cells: part of what is printed, said once of several answers
    notes: tuple[str, ...] = ()

    @abstractmethod
    def facts(self) -> dict[str, object]:
        """Return what is answered, as plain values by name."""

    @abstractmethod
    def table(self) -> AnswerCells:
        """Return a header and rows."""

    def noted(self, notes: tuple[str, ...]) -> Self:
        """Return the answer with what it counts with, where it is about an event or a column."""
        return self

    @property
    def brief(self) -> str:
        """The numbers alone, where they are few."""
        return str(self)

    def text(self, width: int) -> str:
        """Return the answer as lines of at most so many signs, where that is possible."""
        return str(self)

    def frame(self) -> dict[str, list[object]]:
        """Return the answer as columns of plain values."""
        header, rows = self.table()
        return {name: [row[place] for row in rows] for place, name in enumerate(header)}

    def to_pandas(self) -> Any:
        """Return the answer as a frame of pandas."""
        return frame(self.frame())

    def to_document(self) -> dict[str, object]:
        """Write the answer as plain values, for JSON."""
        known = {"kind": self.kind, "question": self.question}
        return {**known, **self.facts(), "warnings": list(self.warnings)}

    def __repr__(self) -> str:
        return f"<answer to {visible(self.question)}>"

    def _repr_html_(self) -> str:
        warnings = [markup.element("p", warning, class_="warning") for warning in self.warnings]
        return markup.fragment(markup.table(*self.table()), *warnings)


@dataclass(frozen=True, repr=False)
class QuantityAnswer(Answer):
    """What a posterior says about one number.

    Attributes:
        question: the question in canonical form
        mean: the posterior mean
        stddev: the posterior standard deviation
        level: the probability with which the number lies between low and high
        low: the lower end of the interval
        high: the upper end
        simulation_error: the standard error of what is read off draws; 0 if mean and interval are exact
        warnings: what must be known before the numbers are trusted
        about: what the number is of: the process behind the table, or the table itself
        provided: what the answer rests on that nothing released can tell, such as "x is Poisson"
        estimate: of a quantile the value that is given as the answer; of other numbers the mean is
        notes: what it counts with, such as bad cells
    """

    question: str
    mean: float
    stddev: float
    level: float
    low: float
    high: float
    simulation_error: float
    warnings: tuple[str, ...] = ()
    about: str = ""
    provided: str = ""
    estimate: float | None = None
    notes: tuple[str, ...] = ()
    kind: ClassVar[str] = "quantity"

    @staticmethod
    def of(
        question: str, quantity: Quantity, level: float, warnings: tuple[str, ...], about: str = ""
    ) -> QuantityAnswer:
        """Read the answer off a quantity."""
        low, high = quantity.interval(level)
        warnings = (*warnings, *nobody_said(quantity.undefined))
        numbers = quantity.mean, quantity.stddev, level, low, high, quantity.simulation_error
        estimate = quantity.estimate if quantity.occurring else None
        return QuantityAnswer(question, *numbers, warnings, about, quantity.provided, estimate)

    def facts(self) -> dict[str, object]:
        """Return the numbers by the names that they have in JSON and in frames."""
        names = ("mean", "stddev", "level", "low", "high", "simulation_error", "about")
        provided = {"provided": self.provided} if self.provided else {}
        estimate = {} if self.estimate is None else {"estimate": self.estimate}
        return {**estimate, **{name: getattr(self, name) for name in names}, **provided}

    def noted(self, notes: tuple[str, ...]) -> QuantityAnswer:
        """Return the answer with what it counts with."""
        return replace(self, notes=notes)

    def text(self, width: int) -> str:
        """Return the sentence in lines of this width; notes are said once of several answers."""
        return "\n".join(listing.wrapped(self._said(), width))

    def frame(self) -> dict[str, list[object]]:
        """Return one row of numbers."""
        return {"question": [self.question], **{name: [value] for name, value in self.facts().items()}}

    @property
    def brief(self) -> str:
        """Mean, lower and upper end; of a quantile the value."""
        return f"{self._given:.6g} {self.low:.6g} {self.high:.6g}"

    @property
    def _given(self) -> float:
        return self.mean if self.estimate is None else self.estimate

    def table(self) -> AnswerCells:
        """Return a header and one row."""
        given = "mean" if self.estimate is None else "estimate"
        header = ["question", given, "stddev", f"{percent(self.level)} interval"]
        interval = f"{self._written(self.low)} to {self._written(self.high)}"
        return header, [[visible(self.question), self._written(self._given), f"{self.stddev:.2g}", interval]]

    def __str__(self) -> str:
        return "\n".join([self._said(), *self.notes])

    def _said(self) -> str:
        mean, low, high = map(self._written, (self._given, self.low, self.high))
        question, probability = visible(self.question), f"with probability {percent(self.level)}"
        if question.startswith("interval("):
            given = "mean" if self.estimate is None else "estimate"
            said = f"{question} = {low} to {high} {probability}, {given} {mean}"
        else:
            said = f"{question} = {mean}, between {low} and {high} {probability}"
        rests = f", if {self.provided}" if self.provided else ""
        return "\n".join([said + rests, *([f"  {self.about}"] if self.about else []), *self.warnings])

    def _written(self, number: float) -> str:
        """Write a number with two digits of the width of the interval; what may be a share with four.

        A value of a column is written as it is.
        """
        if self.estimate is not None:
            return f"{number:.12g}"
        width = self.high - self.low
        least = 4 if all(abs(end) <= 1 + 1e-9 for end in (self.mean, self.low, self.high)) else 0
        digits = math.ceil(-math.log10(width)) + 1 if width > 1e-12 else least
        return f"{number:.{min(max(digits, least), 12)}f}"


@dataclass(frozen=True, repr=False)
class EstimateAnswer(Answer):
    """What was released about numbers of which nobody can tell how uncertain they are.

    Attributes:
        question: the question in canonical form
        names: of the numbers
        values: the estimates
        warnings: what must be known before the numbers are trusted
        about: what the numbers are of
        provided: what they rest on
    """

    question: str
    names: tuple[str, ...]
    values: tuple[float, ...]
    warnings: tuple[str, ...] = ()
    about: str = ""
    provided: str = ""
    kind: ClassVar[str] = "estimate"

    @staticmethod
    def of(
        question: str, found: Sequence[Quantity], warnings: tuple[str, ...], about: str = ""
    ) -> EstimateAnswer:
        """Read the answer off quantities."""
        names, values = tuple(one.name for one in found), tuple(one.mean for one in found)
        return EstimateAnswer(question, names, values, warnings, about, found[0].provided)

    def facts(self) -> dict[str, object]:
        """Return the numbers by the names that they have in JSON and in frames."""
        provided = {"provided": self.provided} if self.provided else {}
        named = [{"name": name, "value": value} for name, value in zip(self.names, self.values, strict=True)]
        return {"estimates": named, "about": self.about, **provided}

    @property
    def brief(self) -> str:
        """The estimates with six digits and nothing else, for scripts."""
        return " ".join(f"{value:.6g}" for value in self.values)

    def frame(self) -> dict[str, list[object]]:
        """Return one row for each number."""
        return {"name": [*self.names], "estimate": [*self.values]}

    def table(self) -> AnswerCells:
        """Return a header and one row for each number."""
        pairs = zip(self.names, self.values, strict=True)
        return ["", "estimate"], [[visible(name), f"{value:.5g}"] for name, value in pairs]

    def text(self, width: int) -> str:
        """Fit the table, and wrap what is said."""
        lines = [] if len(self.names) == 1 else listing.table(*self.table(), width)
        return "\n".join([*lines, *listing.wrapped("\n".join(self._said()), width)])

    def _said(self) -> list[str]:
        rests = f", if {self.provided}" if self.provided else ""
        alone = [f"{visible(self.question)} = {self.values[0]:.4f}{rests}"] if len(self.names) == 1 else []
        return [*alone, *([f"  {self.about}"] if self.about else []), *self.warnings]

    def __str__(self) -> str:
        lines = [] if len(self.names) == 1 else listing.table(*self.table())
        return "\n".join([*lines, *self._said()])


def nobody_said(undefined: float) -> tuple[str, ...]:
    """Return what is to be said where it may be that nobody is as a condition says, if it may."""
    if not undefined > 0:
        return ()
    nobody = f"{100 * undefined:.2g}%"
    return (f"NOTE: with probability {nobody} nobody is as the condition says; this is for the rest",)


def percent(level: float) -> str:
    """Write a level in percent."""
    return f"{100 * level:.10g}%"


def visible(word: str) -> str:
    """Write a word so that nothing in it is unseen."""
    return QuestionError.visible(word)
