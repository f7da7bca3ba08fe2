"""Evidence on disk: what was measured, when, and the hashes of the sources it certifies."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

from loading import loaded
from sources import Sources

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "src" / "privior"
RESULTS = Path(__file__).resolve().parent / "results"


@dataclass(frozen=True)
class Evidence:
    """One stored measurement.

    Attributes:
        name: its file
        title: what it shows
        claim: the bar it had to pass
        header: the columns of its table
        rows: the numbers, as text
        date: the day it was measured
        sources: the files that it was made with, and the hash of each on that day
    """

    name: str
    title: str
    claim: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    date: str
    sources: dict[str, str]

    @property
    def changed(self) -> list[str]:
        """The sources that are not what they were, or new, or gone."""
        now = sources_under(ROOT).hashes(self.sources)
        return sorted({place for place, _ in self.sources.items() ^ now.items()})

    @property
    def stale(self) -> bool:
        """Whether the sources have changed since."""
        return bool(self.changed)


@cache
def sources_under(root: Path) -> Sources:
    """Return the sources under a folder, read once in a process."""
    return Sources(root)


@dataclass(frozen=True)
class Certificate:
    """What a measurement may certify, hashed before it starts: later edits are not certified with it."""

    sources: dict[str, str]

    @staticmethod
    def of(*files: str | Path) -> Certificate:
        """Hash these files and all that they reach, each as it was when this process first asked for it."""
        return Certificate(sources_under(ROOT).reached(files))

    def narrowed(self) -> dict[str, str]:
        """Leave out what could have been loaded from the package and was not."""
        used = loaded()
        return {
            place: found
            for place, found in self.sources.items()
            if used is None
            or not place.startswith("src/")
            or not place.endswith(".py")
            or ROOT / place in used
        }


def store(
    name: str,
    certificate: Certificate,
    *,
    title: str,
    claim: str,
    header: tuple[str, ...],
    rows: Sequence[tuple[str, ...]],
) -> None:
    """Write a measurement with today's date and what it certifies."""
    RESULTS.mkdir(exist_ok=True)
    document = {
        "title": title,
        "claim": claim,
        "header": header,
        "rows": rows,
        "date": datetime.now(UTC).date().isoformat(),
        "sources": certificate.narrowed(),
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")


def load() -> list[Evidence]:
    """Read all stored measurements, by name."""
    found = []
    for path in sorted(RESULTS.glob("*.json")):
        document = json.loads(path.read_text())
        sources = document["sources"]  # once there was one hash of whole parts: those results stay stale
        found.append(
            Evidence(
                name=path.stem,
                title=document["title"],
                claim=document["claim"],
                header=tuple(document["header"]),
                rows=tuple(tuple(row) for row in document["rows"]),
                date=document["date"],
                sources=sources if isinstance(sources, dict) else dict.fromkeys(document["parts"], sources),
            )
        )
    return found
