"""What a mechanism published, as plain values: arrays of whole numbers.

One array stands as it is, {"counts": [...]}; on a grid of its own with the binary places of that,
{"places": 53, "draws": [[...], ...]}, or of decimal places, {"decimals": 2, "counts": [1237, ...]}.
Several stand under "arrays", in their order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from privior.checks import is_whole
from privior.errors import ReleaseError, shown
from privior.models import MOST_DECIMALS, Layout, Observed

#: the name of the array that is always in units of 1
_COUNTS = "counts"
#: the format since which files may hold an array of that name; others since the last
_SINCE = {_COUNTS: 1, "draws": 3, "points": 5}
LAST = 6
#: dimensions of an array
_MOST_DIMENSIONS = 8


def payload_format(observed: Observed) -> int:
    """Return the oldest format that can hold this."""
    return LAST if len(observed.layouts) > 1 else _SINCE.get(observed.layouts[0].name, LAST)


def payload_document(observed: Observed) -> dict[str, object]:
    """Write what was published as plain values."""
    arrays = [_document(*one) for one in zip(observed.layouts, observed.numbers, strict=True)]
    return arrays[0] if len(arrays) == 1 else {"arrays": arrays}


def to_payload(document: object, number: int = LAST) -> Observed:
    """Read what a release of that format holds."""
    entries = document if isinstance(document, dict) and number >= LAST else {}
    arrays = entries.get("arrays")
    if arrays is not None and (len(entries) > 1 or not isinstance(arrays, list)):
        raise ReleaseError("arrays are not a list", where="statistics")
    read = [_read(one, number) for one in ([document] if arrays is None else arrays)]
    if not read or len({layout.name for layout, _ in read}) < len(read):
        raise ReleaseError("no arrays, or two of one name", where="statistics")
    return Observed(tuple(layout for layout, _ in read), tuple(numbers for _, numbers in read))


def _document(layout: Layout, numbers: Sequence[int]) -> dict[str, object]:
    places = {} if layout.name == _COUNTS else {"places": layout.places}
    decimals = {"decimals": layout.decimals} if layout.decimals else {}
    return {**places, **decimals, layout.name: _nested(numbers, layout.shape)}


def _nested(numbers: Sequence[int], shape: tuple[int, ...]) -> list[Any]:
    """Write numbers row by row, as lists of lists."""
    if len(shape) == 1:
        return list(numbers)
    each = len(numbers) // shape[0]
    return [_nested(numbers[place * each : (place + 1) * each], shape[1:]) for place in range(shape[0])]


def _read(document: object, number: int) -> tuple[Layout, tuple[int, ...]]:
    entries = dict(document) if isinstance(document, dict) else {}
    places = 0 if _COUNTS in entries else entries.pop("places", None)
    decimals = entries.pop("decimals", 0) if number >= LAST else 0  # of numbers that others made
    name = next(iter(entries), "")
    if len(entries) != 1 or _SINCE.get(name, LAST) > number:
        allowed = ", ".join(one for one, since in _SINCE.items() if since <= number)
        raise ReleaseError("unknown or missing entries", where="statistics", allowed=allowed)
    if not is_whole(places) or not is_whole(decimals, 0, MOST_DECIMALS):
        raise ReleaseError("no grid", where=f"statistics, {shown(name)}")
    shape, numbers = _flat(entries[name], name)
    return Layout(name, shape, places, decimals), numbers


def _flat(rows: object, name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the shape of lists of lists, and all that is in them row by row."""
    shape: list[int] = []
    level = rows if isinstance(rows, list) else []
    while level:
        shape.append(len(level) if not shape else len(level) // math.prod(shape))
        if not any(isinstance(one, list) for one in level):
            return tuple(shape), tuple(level)
        sizes = {len(one) if isinstance(one, list) else -1 for one in level}
        if len(sizes) > 1 or len(shape) == _MOST_DIMENSIONS:
            break
        level = [one for row in level for one in row]
    raise ReleaseError("not a list of numbers, or rows of different size", where=f"statistics, {name}")
