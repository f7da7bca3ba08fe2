"""What the curator keeps of interactions for an agent: logs of steps as they are, and its private file."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol


class KeptState(Protocol):
    """A private file that this program alone has open."""

    path: Path

    def create(self, text: str) -> None:
        """Write the first content; the name must be free."""

    def read(self) -> str:
        """Return the whole content as text, or say that the file cannot be read."""

    def write(self, text: str) -> None:
        """Put a new content in the place of the old one, whole or not at all."""

    def close(self) -> None:
        """Give up the lock, so that another program may open the file; nothing is written from now on."""


def steps_of(path: str | Path, needed: Collection[str], most: int) -> list[dict[str, str]]:
    """Read the first steps of a log, line by line: private."""
    from privior.tables import read_steps

    return read_steps(path, needed, most)


def kept_state(path: str | Path) -> KeptState:
    """Open a private file, or the place for one, for this program alone."""
    from privior.tables import PrivateFile

    return PrivateFile(path)
