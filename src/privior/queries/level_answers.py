"""Answers that are a value of an ordered column and no number: a day, or a bin."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from privior.pictures import listing
from privior.posterior.events import quoted
from privior.posterior.ordered_quantity import OrderedQuantity
from privior.queries.answers import Answer, AnswerCells, nobody_said, percent, visible


@dataclass(frozen=True, repr=False)
class LevelAnswer(Answer):
    """What a posterior says about one day, or one bin.

    Attributes:
        question: the question in canonical form
        estimate: the day or bin
        level: the probability with which it lies between low and high
        low: the first day or bin of the interval
        high: the last
        warnings: what must be known before the answer is trusted
        about: what it is of: the process behind the table, or the table itself
        provided: what the answer rests on that nothing released can tell
        notes: what it counts with, such as bad cells
    """

    question: str
    estimate: str
    level: float
    low: str
    high: str
    warnings: tuple[str, ...] = ()
    about: str = ""
    provided: str = ""
    notes: tuple[str, ...] = ()
    kind: ClassVar[str] = "level"

    @staticmethod
    def of(
        question: str, found: OrderedQuantity, level: float, warnings: tuple[str, ...], about: str = ""
    ) -> LevelAnswer:
        """Read the answer off what is known of the day or bin."""
        low, high = found.interval(level)
        said = (*warnings, *nobody_said(found.undefined))
        return LevelAnswer(question, found.estimate, level, low, high, said, about, found.provided)

    def facts(self) -> dict[str, object]:
        """Name the values."""
        names = ("estimate", "level", "low", "high", "about")
        provided = {"provided": self.provided} if self.provided else {}
        return {**{name: getattr(self, name) for name in names}, **provided}

    def noted(self, notes: tuple[str, ...]) -> LevelAnswer:
        """Return the answer with what it counts with."""
        return replace(self, notes=notes)

    def text(self, width: int) -> str:
        """Wrap the sentence; notes are said once of several answers."""
        return "\n".join(listing.wrapped(self._said(), width))

    def frame(self) -> dict[str, list[object]]:
        """Return one row of values."""
        return {"question": [self.question], **{name: [value] for name, value in self.facts().items()}}

    @property
    def brief(self) -> str:
        """The value, and the first and last of the interval: in quotes where they have spaces."""
        return " ".join(quoted(one) for one in (self.estimate, self.low, self.high))

    def table(self) -> AnswerCells:
        """Return a header and one row."""
        header = ["question", "estimate", f"{percent(self.level)} interval"]
        return header, [[visible(self.question), self.estimate, f"{self.low} to {self.high}"]]

    def __str__(self) -> str:
        return "\n".join([self._said(), *self.notes])

    def _said(self) -> str:
        question, probability = visible(self.question), f"with probability {percent(self.level)}"
        if question.startswith("interval("):
            said = f"{question} = {self.low} to {self.high} {probability}, estimate {self.estimate}"
        else:
            said = f"{question} = {self.estimate}, between {self.low} and {self.high} {probability}"
        rests = f", if {self.provided}" if self.provided else ""
        return "\n".join([said + rests, *([f"  {self.about}"] if self.about else []), *self.warnings])
