"""Whole files: written completely and durably, or not at all, whatever interrupts the writing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

_DRAFT = ".privior-draft-"


def write_whole(path: str | Path, content: str | bytes) -> None:
    """Write a file, text as UTF-8, through a draft beside it, which takes its name once it is complete.

    Raises OSError or ValueError if it cannot be written there; the file is then as it was before.
    """
    place = Path(path)
    handle, draft = tempfile.mkstemp(dir=place.parent, prefix=_DRAFT)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644 & ~_umask())
        Path(draft).replace(place)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def take_name(path: str | Path) -> None:
    """Create an empty file of that name, which must be free: what is written there later is one's own.

    Raises FileExistsError, or the OSError or ValueError that writing there would raise.
    """
    place = Path(path)
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix=_DRAFT):
        place.touch(exist_ok=False)


def give_back(path: str | Path) -> None:
    """Remove a name that was taken if nothing was written there."""
    place = Path(path)
    if place.is_file() and place.stat().st_size == 0:
        place.unlink()


def _umask() -> int:
    """Return which rights new files do not get; there is no way to ask without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
