"""Pictures into files: one where it was asked for, the others beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from privior.errors import TableError

if TYPE_CHECKING:
    from privior.pictures import Picture


def draw(pictures: Sequence[Picture], place: Path, *beside: str) -> list[Path]:
    """Write the first picture there and the others beside it, by these names; return the files."""
    places = [place, *(place.with_stem(f"{place.stem}-{name}") for name in beside)][: len(pictures)]
    try:
        for picture, file in zip(pictures, places, strict=True):
            picture.figure().savefig(file, dpi=150)
    except (OSError, ValueError) as error:
        raise TableError(f"the picture cannot be written there: {error}", where=str(place)) from None
    return places
