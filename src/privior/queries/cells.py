"""What answers about every cell of a table share."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from privior.pictures import listing
from privior.queries.answers import Answer, AnswerCells, percent, visible


@dataclass(frozen=True, repr=False)
class CellsAnswer(Answer):
    """What a posterior says about a number of each cell of a table.

    Attributes:
        question: the question in canonical form
        columns: those of the table
        cells: the levels of each cell, one per column
        mean: the expected number of each cell
        stddev: how uncertain each is
        level: the probability with which a number lies between its low and high
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
    low: tuple[float, ...]
    high: tuple[float, ...]
    note: str
    warnings: tuple[str, ...] = ()
    #: what a number is called in the header of a table
    noun: ClassVar[str]

    @staticmethod
    @abstractmethod
    def written(mean: float, stddev: float, low: float, high: float) -> list[str]:
        """Write the number, its standard deviation and its interval for a table."""

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

    def table(self) -> AnswerCells:
        """Return a header and one row per cell."""
        header = [*map(visible, self.columns), self.noun, "stddev", f"{percent(self.level)} interval"]
        numbers = zip(self.cells, self.mean, self.stddev, self.low, self.high, strict=True)
        return header, [[*map(visible, levels), *self.written(*some)] for levels, *some in numbers]

    def text(self, width: int) -> str:
        """Fit the table, and wrap what stands below it."""
        below = "\n".join([self.note, *self.warnings])
        return "\n".join([*listing.table(*self.table(), width), "", *listing.wrapped(below, width)])

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), "", self.note, *self.warnings])
