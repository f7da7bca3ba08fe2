"""Answers as values: for people as text, for programs as a document, for a terminal as a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from privior.errors import QuestionError
from privior.pictures import listing, markup
from privior.queries.records import csv_text
from privior.schema.columns import text

Table = tuple[list[str], list[list[str]]]


@dataclass(frozen=True, repr=False)
class QuantityAnswer:
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
    """

    question: str
    mean: float
    stddev: float
    level: float
    low: float
    high: float
    simulation_error: float
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "quantity"

    def __repr__(self) -> str:
        return f"<answer to {_visible(self.question)}>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()), *_paragraphs(self.warnings))

    def to_document(self) -> dict[str, object]:
        """Write the answer as plain values, for JSON."""
        return {
            "kind": self.kind,
            "question": self.question,
            "mean": self.mean,
            "stddev": self.stddev,
            "level": self.level,
            "low": self.low,
            "high": self.high,
            "simulation_error": self.simulation_error,
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return a header and one row."""
        header = ["question", "mean", "stddev", f"{_percent(self.level)} interval"]
        interval = f"{self._written(self.low)} to {self._written(self.high)}"
        return header, [[_visible(self.question), self._written(self.mean), f"{self.stddev:.2g}", interval]]

    def __str__(self) -> str:
        mean, low, high = map(self._written, (self.mean, self.low, self.high))
        question, probability = _visible(self.question), f"with probability {_percent(self.level)}"
        if question.startswith("interval("):
            said = f"{question} = {low} to {high} {probability}, mean {mean}"
        else:
            said = f"{question} = {mean}, between {low} and {high} {probability}"
        return "\n".join([said, *self.warnings])

    def _written(self, number: float) -> str:
        """Write a number with two digits of the width of the interval, a probability with four at least."""
        width = self.high - self.low
        numbers = ("mean(", "parameter(", "interval(mean(", "interval(parameter(")
        least = 0 if self.question.startswith(numbers) else 4
        digits = math.ceil(-math.log10(width)) + 1 if width > 1e-12 else least
        return f"{number:.{min(max(digits, least), 12)}f}"


@dataclass(frozen=True, repr=False)
class CountsAnswer:
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

    def __repr__(self) -> str:
        return f"<answer to {_visible(self.question)}>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()), *_paragraphs(self.warnings))

    def to_document(self) -> dict[str, object]:
        """Write the answer as plain values, for JSON."""
        numbers = zip(self.cells, self.mean, self.stddev, self.low, self.high, strict=True)
        return {
            "kind": self.kind,
            "question": self.question,
            "note": self.note,
            "columns": list(self.columns),
            "level": self.level,
            "cells": [
                {"levels": list(levels), "mean": mean, "stddev": stddev, "low": low, "high": high}
                for levels, mean, stddev, low, high in numbers
            ],
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return a header and one row per cell."""
        header = [*map(_visible, self.columns), "count", "stddev", f"{_percent(self.level)} interval"]
        rows = [
            [
                *map(_visible, levels),
                f"{mean:.0f}" if stddev >= 10 else f"{mean:.1f}",
                f"{stddev:.0f}" if stddev >= 10 else f"{stddev:.2g}",
                f"{low} to {high}",
            ]
            for levels, mean, stddev, low, high in zip(
                self.cells, self.mean, self.stddev, self.low, self.high, strict=True
            )
        ]
        return header, rows

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), "", self.note, *self.warnings])


@dataclass(frozen=True, repr=False)
class SampleAnswer:
    """Synthetic records. As text they are CSV, without the warnings.

    Attributes:
        question: the question in canonical form
        columns: the values of each column, one per record
        warnings: what must be known before the records are trusted
    """

    question: str
    columns: Mapping[str, Sequence[object]]
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "sample"

    def __repr__(self) -> str:
        return f"<answer to {_visible(self.question)}>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()), *_paragraphs(self.warnings))

    def to_document(self) -> dict[str, object]:
        """Write the answer as plain values, for JSON."""
        return {
            "kind": self.kind,
            "question": self.question,
            "columns": {name: list(values) for name, values in self.columns.items()},
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return a header and one row per record."""
        rows = [[_visible(text(value)) for value in row] for row in zip(*self.columns.values(), strict=True)]
        return [_visible(name) for name in self.columns], rows

    def __str__(self) -> str:
        return csv_text(self.columns)


@dataclass(frozen=True, repr=False)
class ModelsAnswer:
    """What a posterior says about the models of a finite family, the most probable one first.

    Attributes:
        question: the question in canonical form
        names: of the models
        prior: the probability of each before the release
        probability: and after it
        warnings: what must be known before the numbers are trusted
    """

    question: str
    names: tuple[str, ...]
    prior: tuple[float, ...]
    probability: tuple[float, ...]
    warnings: tuple[str, ...] = ()
    kind: ClassVar[str] = "models"

    def __repr__(self) -> str:
        return f"<answer to {_visible(self.question)}>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()), *_paragraphs(self.warnings))

    def to_document(self) -> dict[str, object]:
        """Write the answer as plain values, for JSON."""
        numbers = zip(self.names, self.prior, self.probability, strict=True)
        return {
            "kind": self.kind,
            "question": self.question,
            "models": [
                {"name": name, "prior": prior, "probability": probability}
                for name, prior, probability in numbers
            ],
            "warnings": list(self.warnings),
        }

    def table(self) -> Table:
        """Return a header and one row per model."""
        numbers = zip(self.names, self.prior, self.probability, strict=True)
        rows = [
            [_visible(name), f"{prior:.4g}", f"{probability:.4g}"] for name, prior, probability in numbers
        ]
        return ["model", "prior", "probability"], rows

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), *self.warnings])


Answer = QuantityAnswer | CountsAnswer | ModelsAnswer | SampleAnswer


def _paragraphs(warnings: tuple[str, ...]) -> list[markup.Markup]:
    return [markup.element("p", warning, class_="warning") for warning in warnings]


def _percent(level: float) -> str:
    return f"{100 * level:.10g}%"


def _visible(word: str) -> str:
    return QuestionError.visible(word)
