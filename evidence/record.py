"""Evidence on disk: what was measured, when, and the hash of the sources it certifies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

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
        parts: the parts of the package that it certifies
        header: the columns of its table
        rows: the numbers, as text
        date: the day it was measured
        sources: the hash of those parts on that day
    """

    name: str
    title: str
    claim: str
    parts: tuple[str, ...]
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    date: str
    sources: str

    @property
    def stale(self) -> bool:
        """Whether the sources have changed since."""
        return self.sources != hash_of(self.parts)


def hash_of(parts: tuple[str, ...]) -> str:
    """Hash the source files of these parts."""
    digest = hashlib.sha256()
    for part in sorted(parts):
        place = PACKAGE / part
        files = sorted(place.rglob("*.py")) if place.is_dir() else [PACKAGE / f"{part}.py"]
        for file in filter(Path.exists, files):  # of a part that is gone nothing is left: stale, not broken
            digest.update(f"{file.relative_to(PACKAGE)}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Certificate:
    """What a measurement certifies: made before it starts, so that later edits are not certified with it."""

    parts: tuple[str, ...]
    sources: str

    @staticmethod
    def of(*parts: str) -> Certificate:
        """Hash the sources of these parts as they are now."""
        return Certificate(parts, hash_of(parts))


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
        "parts": certificate.parts,
        "header": header,
        "rows": rows,
        "date": datetime.now(UTC).date().isoformat(),
        "sources": certificate.sources,
    }
    (RESULTS / f"{name}.json").write_text(json.dumps(document, indent=1) + "\n")


def load() -> list[Evidence]:
    """Read all stored measurements, by name."""
    found = []
    for path in sorted(RESULTS.glob("*.json")):
        document = json.loads(path.read_text())
        found.append(
            Evidence(
                name=path.stem,
                title=document["title"],
                claim=document["claim"],
                parts=tuple(document["parts"]),
                header=tuple(document["header"]),
                rows=tuple(tuple(row) for row in document["rows"]),
                date=document["date"],
                sources=document["sources"],
            )
        )
    return found
