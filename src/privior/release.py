"""The release: the one thing that may be published, as a versioned JSON file.

It holds only what is listed here: the plan (public facts), the noisy counts as integers, the guarantee
with its theorem, the ledger entry, the library version and a random identifier. Loading rebuilds every
part, recomputes the guarantee from the plan and refuses whatever does not hold together.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from privior.errors import PriviorError, ReleaseError, shown
from privior.exact import decimal
from privior.ledger import LedgerEntry
from privior.models import NoisyStatistics
from privior.pictures import listing
from privior.plans import Plan

#: the number of the file format written here; older ones are read, newer ones refused
FORMAT = 1
#: larger files are refused unread; a million cells need less
LARGEST_FILE = 64 * 2**20
_KIND = "privior-release"
_ENTRIES = {"kind", "format", "library", "id", "plan", "statistics", "guarantee", "ledger"}


@dataclass(frozen=True)
class LedgerReceipt:
    """Where the spend of a release stands.

    Attributes:
        population: whose budget was charged
        entry: the number of the entry
        head: the hash of that entry, which anchors the whole chain before it
        durable: False if the ledger lived in memory: no budget of anybody was really charged
    """

    population: str
    entry: int
    head: str
    durable: bool

    @staticmethod
    def of(entry: LedgerEntry, *, durable: bool) -> LedgerReceipt:
        """Return the public part of a ledger entry."""
        return LedgerReceipt(entry.population, entry.number, entry.hash, durable)


@dataclass(frozen=True, repr=False)
class Release:
    """Noisy statistics with everything needed to use and check them."""

    plan: Plan
    statistics: NoisyStatistics
    receipt: LedgerReceipt
    identifier: str
    library: str

    def __post_init__(self) -> None:
        plan, counts = self.plan, self.statistics.counts
        if len(counts) != plan.mechanism.levels:
            raise ReleaseError(
                "not one count per cell", where="statistics", asked=len(counts), allowed=plan.mechanism.levels
            )
        if any(
            isinstance(count, bool) or not isinstance(count, int) or abs(count) >= 2**62 for count in counts
        ):
            raise ReleaseError("a count is not a whole number, or too large", where="statistics")
        if not plan.mechanism.admits(self.statistics, plan.records):
            raise ReleaseError("the mechanism cannot have given these counts", where="statistics")
        if self.receipt.population != plan.schema.population:
            raise ReleaseError("the ledger entry is of another population", where="ledger")

    def to_json(self) -> str:
        """Write the release."""
        guarantee = self.plan.guarantee
        document = {
            "kind": _KIND,
            "format": FORMAT,
            "library": self.library,
            "id": self.identifier,
            "plan": self.plan.to_document(),
            "statistics": {"counts": list(self.statistics.counts)},
            "guarantee": {
                "epsilon": decimal(guarantee.cost.epsilon),
                "delta": decimal(guarantee.cost.delta),
                "neighbours": guarantee.neighbours.value,
                "unit": self.plan.schema.unit.noun,
                "reason": guarantee.reason,
            },
            "ledger": {
                "population": self.receipt.population,
                "entry": self.receipt.entry,
                "head": self.receipt.head,
                "durable": self.receipt.durable,
            },
        }
        return json.dumps(document, indent=1) + "\n"

    @staticmethod
    def from_json(text: str, where: str = "release") -> Release:
        """Read a release, rebuilding and checking every part of it."""
        try:
            document = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_twins)
        except (TypeError, ValueError, RecursionError):
            raise ReleaseError("not a valid JSON document: cut off, damaged or forged", where=where) from None
        if not isinstance(document, dict) or document.get("kind") != _KIND:
            raise ReleaseError("not a privior release", where=where)
        number = document.get("format")
        if not isinstance(number, int) or isinstance(number, bool) or number < 1:
            raise ReleaseError("no format number", where=where)
        if number > FORMAT:
            raise ReleaseError(
                "the format is newer than this library",
                where=where,
                asked=number,
                allowed=FORMAT,
                advice="Update privior.",
            )
        try:
            return _read(document)
        except PriviorError as error:
            place = f"{where}, {error.where}" if error.where else where
            raise ReleaseError(error.what, where=place, asked=error.asked, allowed=error.allowed) from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
            raise ReleaseError("an entry is missing or of the wrong kind", where=where) from None

    @staticmethod
    def read(path: str | Path) -> Release:
        """Read a release file."""
        if not isinstance(path, (str, Path)):
            raise ReleaseError("not the path of a release file", asked=shown(path))
        place = Path(path)
        try:
            if place.stat().st_size > LARGEST_FILE:
                raise ReleaseError("the file is too large", where=str(place), allowed=f"{LARGEST_FILE} bytes")
            text = place.read_text("utf-8")
        except OSError as error:
            raise ReleaseError(f"cannot read the file: {error.strerror}", where=str(place)) from None
        except ValueError:
            raise ReleaseError("not a text file", where=shown(path)) from None
        return Release.from_json(text, str(place))

    def write(self, path: str | Path) -> None:
        """Write the release file, whole or not at all."""
        place = Path(path)
        try:
            handle, draft = tempfile.mkstemp(dir=place.parent, prefix=f".{place.name}.", suffix=".part")
        except (OSError, ValueError):
            raise ReleaseError("the file cannot be written there", where=shown(str(path))) from None
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(self.to_json())
                file.flush()
                os.fsync(file.fileno())
            Path(draft).chmod(0o644)
            Path(draft).replace(place)
        except BaseException:
            Path(draft).unlink(missing_ok=True)
            raise

    def __repr__(self) -> str:
        population = self.plan.schema.population
        return f"<release {self.identifier} of {population}: {self.plan.model}, {self.plan.cost}>"

    def __str__(self) -> str:
        guarantee, plan = self.plan.guarantee, self.plan
        where = f"entry {self.receipt.entry}, head {self.receipt.head[:16]}"
        return "\n".join(
            listing.facts(
                [
                    ("release", f"{self.identifier} (privior {self.library})"),
                    ("population", f"{plan.schema.population}, protecting {plan.schema.unit}"),
                    ("model", f"{plan.model}: {plan.mechanism.levels} cells"),
                    ("records", plan.records_in_words),
                    ("bad cells", plan.bad_cells_in_words),
                    ("mechanism", f"{plan.mechanism.name}: {plan.mechanism.about}"),
                    ("guarantee", str(guarantee)),
                    ("that is", guarantee.claim(plan.schema.unit.noun)),
                    ("ledger", where if self.receipt.durable else f"{where}, in memory only: for trials"),
                ]
            )
        )


def _read(document: dict[str, object]) -> Release:
    if set(document) != _ENTRIES:
        raise ReleaseError("unknown or missing entries", asked=", ".join(sorted(set(document) ^ _ENTRIES)))
    plan = Plan.from_document(document["plan"])
    statistics = _exactly(document["statistics"], "statistics", {"counts"})["counts"]
    if not isinstance(statistics, list):
        raise ReleaseError("counts are not a list", where="statistics")
    stated = _exactly(
        document["guarantee"], "guarantee", {"epsilon", "delta", "neighbours", "unit", "reason"}
    )
    cost = plan.guarantee.cost
    facts = (decimal(cost.epsilon), decimal(cost.delta), plan.neighbours.value, plan.schema.unit.noun)
    if (stated["epsilon"], stated["delta"], stated["neighbours"], stated["unit"]) != facts:
        raise ReleaseError(
            "the stated guarantee is not that of the plan",
            where="guarantee",
            asked=f"epsilon {stated['epsilon']}, delta {stated['delta']}, {stated['neighbours']}",
            allowed=f"{cost}, {plan.neighbours}",
        )
    entry = _exactly(document["ledger"], "ledger", {"population", "entry", "head", "durable"})
    number, head, durable = entry["entry"], entry["head"], entry["durable"]
    if not isinstance(number, int) or isinstance(number, bool) or number < 1 or not isinstance(durable, bool):
        raise ReleaseError("not a ledger entry", where="ledger")
    identifier, library = document["id"], document["library"]
    if not _is_hex(head, 64) or not _is_hex(identifier, 32):
        raise ReleaseError("not a hash or identifier", where="ledger")
    if not isinstance(library, str) or not re.fullmatch(r"[0-9A-Za-z.+-]{1,40}", library):
        raise ReleaseError("not a version", where="library")
    receipt = LedgerReceipt(str(entry["population"]), number, str(head), durable)
    return Release(plan, NoisyStatistics(tuple(statistics)), receipt, str(identifier), library)


def _exactly(document: object, where: str, names: set[str]) -> dict[str, object]:
    if not isinstance(document, dict) or set(document) != names:
        raise ReleaseError("unknown or missing entries", where=where, allowed=", ".join(sorted(names)))
    return document


def _is_hex(value: object, length: int) -> bool:
    return isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{length}}}", value) is not None


def _no_twins(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Refuse an object that says the same thing twice: readers differ on which one counts."""
    document = dict(pairs)
    if len(document) < len(pairs):
        raise ValueError("a name stands twice")
    return document


def _no_constant(name: str) -> float:
    raise ValueError(name)
