"""Events: which cells of a table a question means, and how it is written.

An event names a level, or several, for some columns; a cell belongs to it if each of those columns has one
of its levels there. Of a list of such events any one may hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.errors import InferenceError, PriviorError, shown
from privior.schema import Schema
from privior.schema.column import Column, text

Event = Mapping[str, object]

#: what cannot stand in a bare word of a question
_DELIMITERS = frozenset("(){},|=!<>'\"")
#: what joins conditions
_JOINING = frozenset({"and", "or"})


def quoted(word: str) -> str:
    """Write a column or a level as it stands in a question: bare where that is clear, else in quotes.

    >>> quoted("some college"), quoted("[0, 10)"), quoted("O'Brien"), quoted("research and development")
    ('some college', "'[0, 10)'", '"O\\'Brien"', "'research and development'")
    """
    pieces = word.split(" ")
    clear = all(pieces) and word.isprintable() and not _DELIMITERS.intersection(word)
    if clear and not _JOINING.intersection(piece.lower() for piece in pieces):
        return word
    mark = '"' if "'" in word else "'"
    return mark + word.replace(mark, 2 * mark) + mark


def code_of(column: Column, codes: Mapping[str, int], level: object) -> int:
    """Return the code of a level, given the code of each label; only other spellings are looked up."""
    label = text(level)
    return codes[label] if label in codes else column.code(level)


@dataclass(frozen=True)
class Events:
    """Events of one table.

    Attributes:
        schema: what is known of the columns
        columns: those of the table, in order; the last varies fastest
    """

    schema: Schema
    columns: tuple[str, ...]

    def cells(self, event: Event | object) -> NDArray[np.bool_]:
        """Return which cells make up an event."""
        found = [self._cells(one) for one in _alternatives(event)]
        return np.asarray(np.logical_or.reduce(found), dtype=bool)

    def _cells(self, event: Event | object) -> NDArray[np.bool_]:
        chosen = self._codes(event)
        table = np.ones((), dtype=bool)
        for name in self.columns:
            size = self.schema.column(name).size
            mask = np.ones(size, dtype=bool)
            if name in chosen:
                mask[:] = False
                mask[chosen[name]] = True
            table = np.logical_and.outer(table, mask)
        return table.ravel()

    def codes(self, event: Event | object) -> list[dict[str, list[int]]]:
        """Return the codes of each column that an event names: of each of several events, any may hold."""
        return [self._codes(one) for one in _alternatives(event)]

    def name(self, event: Event | object) -> str:
        """Return an event as it stands in a question: `sex=female, education in {master, doctorate}`."""
        every = _alternatives(event)
        return " or ".join(self._name(one, ", " if len(every) == 1 else " and ") for one in every)

    def columns_of(self, event: Event | object) -> list[str]:
        """Return the columns that an event names, in the order of the table."""
        named = {name for one in _alternatives(event) for name in self._codes(one)}
        return [name for name in self.columns if name in named]

    def _name(self, event: Event | object, joint: str) -> str:
        conditions = []
        for name, codes in self._codes(event).items():
            labels = self.schema.column(name).labels
            levels = [quoted(labels[code]) for code in codes]
            values = f"={levels[0]}" if len(levels) == 1 else f" in {{{', '.join(levels)}}}"
            conditions.append(quoted(name) + values)
        return joint.join(conditions)

    def place(self, column: str) -> int:
        """Return which column of the table this is."""
        if column not in self.columns:
            raise InferenceError(
                "not a column of this model", asked=shown(column), allowed=", ".join(self.columns)
            )
        return self.columns.index(column)

    def _codes(self, event: Event | object) -> dict[str, list[int]]:
        """Return the codes of each column that an event names, in their order."""
        found = {}
        for name, levels in self._levels(event).items():
            column = self.schema.column(name)
            known = {label: code for code, label in enumerate(column.labels)}
            try:
                found[name] = sorted({code_of(column, known, level) for level in levels})
            except PriviorError as error:
                raise InferenceError(
                    f"not a level of {name}", asked=error.asked, allowed=error.allowed
                ) from None
        return found

    def _levels(self, event: Event | object) -> dict[str, list[object]]:
        if not isinstance(event, Mapping):
            if len(self.columns) > 1:
                columns = ", ".join(self.columns)
                raise InferenceError(
                    "not an event", asked=shown(event), allowed=f"{{column: level}} of {columns}"
                )
            event = {self.columns[0]: event}
        unknown = [str(name) for name in event if name not in self.columns]
        if unknown or not event:
            raise InferenceError(
                "the event is not about this model's columns",
                asked=", ".join(unknown) or "nothing",
                allowed=", ".join(self.columns),
            )
        chosen = {str(name): _listed(levels) for name, levels in event.items()}
        for name, levels in chosen.items():
            if not levels:
                raise InferenceError(f"the event names no level of {name}")
        return chosen


def _listed(levels: object) -> list[object]:
    """Return several levels as a list, and one as a list of one."""
    if isinstance(levels, (list, tuple, set, frozenset, range, np.ndarray)):
        return list(levels)
    return [levels]


def _alternatives(event: Event | object) -> list[Event | object]:
    """Return the events of a list of which any may hold; another event is the only one."""
    several = isinstance(event, (list, tuple)) and all(isinstance(one, Mapping) for one in event)
    return list(event) if several and event else [event]  # type: ignore[call-overload]
