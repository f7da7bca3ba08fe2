"""counts(column, ...): the true table of counts."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import ClassVar

from privior.pictures import listing
from privior.posterior import Belief
from privior.queries.answers import Answer, Cells, percent, visible
from privior.queries.binding import Binding
from privior.queries.questions import Question, Word, question
from privior.queries.reading import Reader


@question("counts", "counts(column, ...)", refusal="there is no table of counts", aliases=("count",))
@dataclass(frozen=True)
class Counts(Question):
    """The true table of counts of some columns; none means all columns of the model."""

    columns: tuple[Word, ...] = ()

    @classmethod
    def inside(cls, reader: Reader) -> Counts:
        """Read columns, if there are any."""
        columns: list[Word] = []
        while columns or not reader.token.is_sign(")"):
            columns.append(reader.word("a column"))
            if not reader.token.is_sign(","):
                break
            reader.at += 1
        return Counts(tuple(columns))

    def bound(self, binding: Binding) -> Counts:
        """Check the columns."""
        binding.check_columns(self.columns)
        return self

    def asked(self, belief: Belief, *, level: float, seed: int | None) -> CountsAnswer:
        """Return the expected count of each cell, and its interval."""
        known = self.known(belief)
        columns = tuple(word.text for word in self.columns) or belief.model.columns
        counts = known(*columns)
        ends = counts.interval(level)
        return CountsAnswer(
            question=str(self),
            columns=columns,
            cells=tuple(product(*(belief.schema.column(name).labels for name in columns))),
            mean=tuple(counts.mean().tolist()),
            stddev=tuple(counts.stddev().tolist()),
            level=level,
            low=tuple(round(low) for low in ends[:, 0].tolist()),
            high=tuple(round(high) for high in ends[:, 1].tolist()),
            note=(CountsAnswer.NOISY if belief.noise_ignored else CountsAnswer.TRUE) + belief.whose,
            warnings=belief.caveats,
        )

    def __str__(self) -> str:
        return f"counts({', '.join(map(str, self.columns))})"


@dataclass(frozen=True, repr=False)
class CountsAnswer(Answer):
    """What a posterior says about the true counts: privacy noise is all that is uncertain.

    Attributes:
        question: the question in canonical form
        columns: those of the table
        cells: the levels of each cell, one per column
        mean: the expected true count of each cell
        stddev: how uncertain each is
        level: the probability with which a count lies between its low and high
        low: the lower end of each interval
        high: the upper end of each
        note: what the numbers are
        warnings: what must be known before they are trusted
    """

    question: str
    columns: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]
    mean: tuple[float, ...]
    stddev: tuple[float, ...]
    level: float
    low: tuple[int, ...]
    high: tuple[int, ...]
    note: str
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "counts"

    #: what the numbers are, and what they are if the noise is ignored
    TRUE: ClassVar[str] = (
        "the true table of counts given the release and the prior: privacy noise is the only uncertainty"
    )
    NOISY: ClassVar[str] = "the noisy table of counts, taken as the true one"

    def facts(self) -> dict[str, object]:
        """Name each cell with its numbers."""
        numbers = zip(self.cells, self.mean, self.stddev, self.low, self.high, strict=True)
        return {
            "note": self.note,
            "columns": list(self.columns),
            "level": self.level,
            "cells": [
                {"levels": list(levels), "mean": mean, "stddev": stddev, "low": low, "high": high}
                for levels, mean, stddev, low, high in numbers
            ],
        }

    def frame(self) -> dict[str, list[object]]:
        """Return the columns, and the numbers of each cell."""
        names = zip(self.columns, zip(*self.cells, strict=True), strict=True)
        numbers = ("mean", "stddev", "low", "high")
        return {
            **{name: list(levels) for name, levels in names},
            **{name: list(getattr(self, name)) for name in numbers},
        }

    def table(self) -> Cells:
        """Return a header and one row per cell."""
        header = [*map(visible, self.columns), "count", "stddev", f"{percent(self.level)} interval"]
        rows = [
            [
                *map(visible, levels),
                f"{mean:.0f}" if stddev >= 10 else f"{mean:.1f}",
                f"{stddev:.0f}" if stddev >= 10 else f"{stddev:.2g}",
                f"{low} to {high}",
            ]
            for levels, mean, stddev, low, high in zip(
                self.cells, self.mean, self.stddev, self.low, self.high, strict=True
            )
        ]
        return header, rows

    def text(self, width: int) -> str:
        """Fit the table, and wrap what stands below it."""
        below = "\n".join([self.note, *self.warnings])
        return "\n".join([*listing.table(*self.table(), width), "", *listing.wrapped(below, width)])

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), "", self.note, *self.warnings])
