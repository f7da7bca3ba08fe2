"""Documents: reading what a release file says, refusing what it should not."""

from __future__ import annotations

import re

from privior.errors import ReleaseError


def exactly(document: object, where: str, names: set[str]) -> dict[str, object]:
    """Return an object that has exactly these entries."""
    if not isinstance(document, dict) or set(document) != names:
        raise ReleaseError("unknown or missing entries", where=where, allowed=", ".join(sorted(names)))
    return document


def is_hex(value: object, length: int) -> bool:
    """Say whether a value is a text of so many hexadecimal digits."""
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{length}}}", value) is not None


def no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says the same thing twice: readers differ on which one counts."""
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("a name stands twice")
    return document


def no_constant(name: str) -> float:
    """Refuse NaN and infinities, which are no JSON."""
    raise ValueError(name)
