"""Named utilities by name: which there are, from plain documents and from settings typed as text."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields

from privior.decisions.actions import ChoiceOfActions, CostMatrix, Threshold
from privior.decisions.interval_score import IntervalScore
from privior.decisions.point_losses import AbsoluteError, QuantileLoss, SquaredError
from privior.decisions.responses import ResponseGrid, ResponseInterval, Responses, responses_of
from privior.decisions.utility import Utility
from privior.decisions.zero_one import ZeroOne
from privior.errors import DecisionError, shown

_OF_NUMBERS = SquaredError, AbsoluteError, QuantileLoss, IntervalScore, ZeroOne
_OF_ACTIONS = Threshold, CostMatrix, ChoiceOfActions
UTILITIES: dict[str, type[Utility]] = {kind.name: kind for kind in (*_OF_NUMBERS, *_OF_ACTIONS)}
#: settings that are lists, and those that are lists of lists
_LISTS, _ROWS = ("names", "cuts", "fixed", "per_unit"), ("costs",)


def utility_named(name: object) -> type[Utility]:
    """Return the utility of that name, or say which ones there are."""
    if not isinstance(name, str) or name not in UTILITIES:
        raise DecisionError(
            "unknown utility", where="utility", asked=shown(name), allowed=", ".join(UTILITIES)
        )
    return UTILITIES[name]


def settings_of(kind: type[Utility]) -> list[str]:
    """Return what can be said of a utility."""
    return [each.name for each in fields(kind)]  # type: ignore[arg-type]


def to_utility(document: object) -> Utility:
    """Read what `to_document` wrote; the utility's own checks refuse what does not hold together."""
    entries = dict(document) if isinstance(document, Mapping) else {}
    kind = utility_named(entries.pop("name", None))
    unknown = [str(name) for name in entries if name not in settings_of(kind)]
    if unknown:
        raise DecisionError(
            "unknown settings",
            where=kind.name,
            asked=", ".join(unknown)[:200],
            allowed=", ".join(settings_of(kind)),
        )
    try:
        return kind(**entries)
    except TypeError:
        raise DecisionError(
            "settings are missing", where=kind.name, asked=", ".join(entries) or "none", advice=_needed(kind)
        ) from None


def utility_from_text(name: str, settings: Mapping[str, str]) -> Utility:
    """Read a utility from settings as people type them: lists by commas, rows by semicolons.

    >>> str(utility_from_text("threshold", {"at": "0.2", "miss": "5"}))
    'threshold (at 0.2, false_alarm 1, miss 5, names act; wait)'
    """
    entries: dict[str, object] = {"name": name}
    for key, value in settings.items():
        if key in _ROWS:
            entries[key] = [_parts(row) for row in value.split(";")]
        else:
            entries[key] = _parts(value) if key in _LISTS else value.strip()
    return to_utility(entries)


def to_responses(document: object) -> Responses:
    """Read candidates from plain values: a list, or the ends of an interval, with steps those of a grid."""
    if not isinstance(document, Mapping):
        return responses_of(document)
    if set(document) == {"lower", "upper"}:
        return ResponseInterval(document["lower"], document["upper"])
    if set(document) == {"lower", "upper", "steps"}:
        return ResponseGrid(document["lower"], document["upper"], document["steps"])
    raise DecisionError("not candidate responses", where="responses", asked=shown(document))


def responses_document(responses: Responses) -> object:
    """Write candidates as plain values."""
    if isinstance(responses, ResponseInterval | ResponseGrid):
        return responses.to_document()
    if responses is None:
        return None
    return [list(each) if isinstance(each, tuple) else each for each in responses]


def _parts(text: str) -> list[str]:
    return [part.strip() for part in text.split(",")]


def _needed(kind: type[Utility]) -> str:
    return f"It takes {', '.join(settings_of(kind))}."
