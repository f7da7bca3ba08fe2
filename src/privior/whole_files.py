"""Whole files: written completely and durably, or not at all, whatever interrupts the writing."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def write_whole(path: str | Path, text: str) -> None:
    """Write a text file through a draft beside it, which takes its name once it is complete.

    Raises OSError or ValueError if it cannot be written there; the file is then as it was before.
    """
    place = Path(path)
    handle, draft = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(draft).chmod(0o644)
        Path(draft).replace(place)
    except BaseException:
        Path(draft).unlink(missing_ok=True)
        raise


def check_place(path: str | Path) -> None:
    """Raise the OSError or ValueError that writing a file there would raise, leaving nothing behind."""
    place = Path(path)
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix=f".{place.name}."):
        pass
