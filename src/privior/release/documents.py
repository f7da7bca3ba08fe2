"""Documents: reading what a release file says, refusing what it should not."""

from __future__ import annotations

import re
from pathlib import Path

from privior.errors import ReleaseError, shown
from privior.whole_files import read_whole, what_it_is

#: what a file is that begins in a wrong way and seems to be nothing else
DAMAGED = "not a valid JSON document: cut off, damaged or forged"


def release_text(path: str | Path) -> str:
    """Read the text of a release file."""
    if not isinstance(path, (str, Path)):
        raise ReleaseError("not the path of a release file", asked=shown(path))
    place = Path(path)
    try:
        text = read_whole(place).decode("utf-8")
    except OSError as error:
        raise ReleaseError(f"cannot read the file: {error.strerror}", where=str(place)) from None
    except ValueError:
        advice = what_it_is(place, "JSON")
        raise ReleaseError("not a text file", where=shown(str(path)), advice=advice) from None
    if not text.lstrip().startswith("{"):
        advice = what_it_is(place, "JSON")
        what = DAMAGED if advice is None else "not a release"
        raise ReleaseError(what, where=str(place), advice=advice)
    return text


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
