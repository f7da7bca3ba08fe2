"""Binding: what a question's words mean for one model, or which of them it does not know."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, PriviorError, QuestionError, shown
from privior.exact import decimal
from privior.posterior import posterior_of
from privior.posterior.averages import numbers_of, places_of
from privior.posterior.events import code_of
from privior.queries.comparisons import Ordered, codes_compared
from privior.queries.questions import AnyOf, AskedEvent, Condition, Word
from privior.queries.suggestions import meant as _meant
from privior.queries.suggestions import nearest_level, read_twice
from privior.queries.suggestions import visible_word as _shown
from privior.schema import Schema
from privior.schema.column import Column
from privior.schema.days import Date
from privior.schema.numbers import Bounded, Integer
from privior.schema.writing import usual_day

#: the levels of each column that an event names
Levels = dict[str, list[str]]
#: those of an event, or of several of which any may hold
Meant = Levels | list[Levels]

#: so many columns or levels are listed in a message
_LISTED = 12
_OR = "After or stands a whole condition, column = value; or write column in {value, value}."


@dataclass(frozen=True)
class Binding:
    """One model's columns, and the text of a question to point into.

    Attributes:
        text: the question as it was asked
        schema: what is known of the columns
        columns: those of the model
        parameters: what the parameters are called, where there are several
    """

    text: str
    schema: Schema
    columns: tuple[str, ...]
    parameters: tuple[str, ...] = ()
    _codes: dict[str, dict[str, int]] = field(default_factory=dict, repr=False, compare=False)

    @staticmethod
    def of(text: str, schema: Schema, model: Any) -> Binding:
        """Bind to a model."""
        numbers = posterior_of(model).numbers_of(model, schema)
        return Binding(text, schema, model.columns, numbers.parameters)

    def parameter(self, word: Word) -> Word:
        """Return the whole name of a parameter: what stands before "of" may be enough; else a column."""
        if not self.parameters:
            self._column(word)
            return word
        meant = [name for name in self.parameters if name == word.text or name.startswith(f"{word.text} of ")]
        if word.text in meant:
            return word
        if len(meant) == 1:
            return replace(word, text=meant[0])
        raise self.error(
            "no such parameter" if not meant else "several parameters are called so",
            word.place,
            asked=shown(word.text),
            allowed=_listed(self.parameters),
            advice=_meant(word.text, self.parameters),
        )

    def event(self, event: AskedEvent) -> Meant:
        """Return the levels of each column that satisfy a bound event, for `posterior.probability`."""
        if isinstance(event, AnyOf):
            return [self._levels_of(conditions) for conditions in event.alternatives]
        return self._levels_of(event)

    def _levels_of(self, conditions: Sequence[Condition]) -> Levels:
        masks: dict[str, NDArray[np.bool_]] = {}
        for condition in conditions:
            name, mask = condition.column.text, self._mask(condition)
            if not mask.any():
                raise self.error(
                    f"no value of {_shown(name)} satisfies this",
                    condition.column.place,
                    allowed=_levels(self._column(condition.column)),
                )
            if name in masks:
                mask &= masks[name]
            if not mask.any():
                raise self.error(
                    f"no value of {_shown(name)} satisfies this and what was said of it before",
                    condition.column.place,
                )
            masks[name] = mask
        found = {}
        for name, mask in masks.items():
            labels = list(self._known(name))
            found[name] = [labels[code] for code in np.flatnonzero(mask)]
        return found

    def error(
        self,
        what: str,
        place: int,
        *,
        allowed: object = None,
        asked: object = None,
        advice: str | None = None,
    ) -> QuestionError:
        """Return an error that points into the question."""
        return QuestionError(
            what, question=self.text, place=place, allowed=allowed, asked=asked, advice=advice
        )

    def conditions(self, event: AskedEvent) -> AskedEvent:
        """Return an event with each value written as the level it means."""
        if isinstance(event, AnyOf):
            return AnyOf(tuple(tuple(map(self._with_levels, one)) for one in event.alternatives))
        return tuple(map(self._with_levels, event))

    def _with_levels(self, condition: Condition) -> Condition:
        column = self._column(condition.column)
        if condition.operator not in ("=", "!=", "in"):
            return condition
        name = condition.column.text
        known = self._known(name)
        labels = list(known) if any(word.text not in known for word in condition.values) else []
        values = []
        for word in condition.values:
            if word.text in known:
                values.append(word)
                continue
            self._check_once(column, word)
            try:
                day = self._as_day(column, word.text)
                values.append(replace(word, text=labels[code_of(column, known, day)]))
            except PriviorError:
                raise self.error(
                    f"not a level of {_shown(name)}",
                    word.place,
                    asked=shown(word.text),
                    allowed=_levels(column),
                    advice=_OR if " or " in word.text.lower() else self._suggested(column, word.text, labels),
                ) from None
        return replace(condition, values=tuple(values))

    def _check_once(self, column: Column, word: Word) -> None:
        """Refuse a number that the schema's way to write numbers lets mean another one."""
        found = read_twice(column, self.schema.csv.numbers, word.text)
        if found is not None:
            raise self.error(
                "a number that can be read in two ways",
                word.place,
                asked=shown(word.text),
                allowed=f"{found[0]} or {found[1]}",
                advice="Numbers in questions have a decimal point and nothing between thousands, however the "
                "table's are written.",
            )

    def _as_day(self, column: Column, word: str) -> str:
        """Return a day that is written as in the table as YYYY-MM-DD; anything else as it is."""
        return usual_day(word, self.schema.csv.dates) if column.written_as == "day" else word

    @staticmethod
    def _suggested(column: Column, word: str, labels: Sequence[str]) -> str | None:
        return nearest_level(column, word) if column.written_as == "number" else _meant(word, labels)

    def _mask(self, condition: Condition) -> NDArray[np.bool_]:
        """Return which codes of its column satisfy a bound condition."""
        name, operator = condition.column.text, condition.operator
        column, known = self._column(condition.column), self._known(name)
        mask = np.zeros(column.size, dtype=bool)
        if operator in ("=", "!=", "in"):
            mask[[known[word.text] for word in condition.values]] = True
            return ~mask if operator == "!=" else mask
        if not isinstance(column, Ordered):
            raise self.error(
                f"the levels of {_shown(name)} have no order",
                condition.place,
                allowed="= != in {value, ...}",
                advice="List the levels that are meant: in {...}.",
            )
        cut = condition.values[0]
        self._check_once(column, cut)
        try:
            codes = codes_compared(_shown(name), column, operator, self._as_day(column, cut.text))
        except InferenceError as error:
            raise self.error(error.what, cut.place, asked=shown(cut.text), allowed=error.allowed) from None
        mask[codes.start : codes.stop] = True
        return mask

    def state(self, word: Word) -> Word:
        """Return a state of a chain, which is a level of its first column."""
        column = Word(self.columns[0], word.place)
        return self._with_levels(Condition(column, "=", (word,), word.place)).values[0]

    def _column(self, word: Word) -> Column:
        if word.text not in self.columns:
            raise self.error(
                "not a column of this model" if word.text in self.schema.columns else "no such column",
                word.place,
                asked=shown(word.text),
                allowed=_listed(self.columns),
                advice="There is no not: write column != value."
                if word.text.lower().startswith("not ")
                else _meant(word.text, self.columns),
            )
        return self.schema.column(word.text)

    def check_columns(self, words: Sequence[Word]) -> None:
        """Refuse what are no columns of the model, and one that is named twice."""
        for at, word in enumerate(words):
            self._column(word)
            if word in words[:at]:
                raise self.error("a column is named twice", word.place, asked=shown(word.text))

    def check_numbers(self, word: Word) -> None:
        """Refuse a column that has no mean."""
        self._check(word, "mean", numbers_of)

    def check_ordered(self, word: Word, wanted: str) -> None:
        """Refuse a column that has no quantile, or median."""
        self._check(word, wanted, places_of)

    def _check(self, word: Word, wanted: str, values: Callable[[str, Column, str], object]) -> None:
        column = self._column(word)
        try:
            values(word.text, column, wanted)
        except InferenceError as error:
            what, advice = (QuestionError.visible(said or "") for said in (error.what, error.advice))
            raise self.error(what, word.place, allowed=error.allowed, advice=advice) from None

    def _known(self, name: str) -> dict[str, int]:
        """Return the code of each label of a column, in order."""
        if name not in self._codes:
            self._codes[name] = {label: code for code, label in enumerate(self.schema.column(name).labels)}
        return self._codes[name]


def _levels(column: Column) -> str:
    """Return what values a column has, in few words."""
    match column:
        case Integer():
            return f"whole numbers from {column.lower} to {column.upper}"
        case Bounded():
            low, high, step = (decimal(number) for number in (column.lower, column.upper, column.grid))
            return f"numbers from {low} to {high} in steps of {step}"
        case Date():
            return f"days from {column.lower.isoformat()} to {column.upper.isoformat()}"
    return _listed(column.labels)


def _listed(words: Sequence[str]) -> str:
    some = ", ".join(_shown(word) for word in words[:_LISTED])
    return some if len(words) <= _LISTED else f"{some}, ... ({len(words)} in all)"
