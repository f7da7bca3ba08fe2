"""What an answer counts with: bad cells of a column that its schema counts as a value that is asked about.

`share(age=40)` includes every blank if a missing age counts as 40. Plan and page say so; whoever asks may
have seen neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from privior.posterior.events import quoted
from privior.queries.binding import Meant
from privior.schema import Schema

#: a column, and the levels that are asked about; None: all of them, as in a mean
LevelsAsked = tuple[str, Sequence[str] | None]


def levels_in(meant: Meant | None) -> list[LevelsAsked]:
    """Return the columns and levels of an event, or of several."""
    events = meant if isinstance(meant, list) else [meant or {}]
    return [(name, levels) for event in events for name, levels in event.items()]


def missing_notes(asked: Iterable[LevelsAsked], schema: Schema) -> tuple[str, ...]:
    """Return a line for each column of which bad cells are among what is asked about."""
    found: dict[str, str] = {}
    for name, levels in asked:
        column = schema.column(name)
        code = column.missing_code
        if code is None or (levels is not None and len(levels) == column.size):
            continue
        label = column.labels[code]
        if levels is None or label in levels:
            counts = f"a missing or unreadable {quoted(name)} counts as {label}"
            found[name] = f"NOTE: {counts}, which is among what is asked for"
    return tuple(found.values())
