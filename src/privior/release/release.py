"""The release: the one thing that may be published, as a versioned JSON file.

It holds only what is listed here: the plan (public facts), the noisy counts or the sticks of posterior draws
as integers, the guarantee with its theorem, the ledger entry, the library version and a random identifier.
Numbers that others made are in files of another kind, without a ledger entry: nothing here says who paid.
Loading rebuilds every part, recomputes the guarantee from the plan and refuses what does not hold together.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, final

from privior.arrays import Floats
from privior.checks import is_whole
from privior.errors import PriviorError, ReleaseError, shown
from privior.exact import decimal
from privior.ledger import declared_in_words
from privior.mechanisms import MECHANISMS
from privior.models import Observed
from privior.pictures import BudgetBar, listing, markup
from privior.plans import Plan
from privior.release.documents import DAMAGED, exactly, is_hex, no_constant, no_twins, release_text
from privior.release.payload import LAST as FORMAT
from privior.release.payload import payload_document, payload_format, to_payload
from privior.release.receipt import LedgerReceipt
from privior.release.wordings import known_words
from privior.whole_files import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: where rows can have been read: in a process of their own, or in one shared with whoever asked
PROCESSES = ("own", "shared")
_KIND = "privior-release"
#: numbers that others made, in a format that is counted by itself
_IMPORTED, _IMPORTED_FORMAT = "imported-release", 1
_LONGEST_REASON = 20_000
#: what else is written as JSON, and which command reads it
_OTHERS = {
    "privior-agent-release": "It is what an agent published: privior agent review FILE.",
    "privior-agent-private": "It is the private file of an agent: never publish it.",
}
_ENTRIES = {"kind", "format", "library", "id", "plan", "statistics", "guarantee", "ledger"}


@final
@dataclass(frozen=True, repr=False)
class Release:
    """Noisy statistics with everything needed to use and check them.

    Attributes:
        plan: what was released, and how
        statistics: the noisy statistics
        paid: the ledger entry; None of numbers that others made
        identifier: random; of numbers that others made it follows from them, so that they count once
        library: the version of privior that made it
        process: where the rows were read: in a process of their "own", or in one "shared" with whoever asked;
            None in files of formats 1 to 3
        read_digest: the SHA-256 of the file it was read from
        stated_reason: the words for the theorem in the file it was read from; shown is that of the plan
    """

    plan: Plan
    statistics: Observed
    paid: LedgerReceipt | None
    identifier: str
    library: str
    process: str | None = None
    read_digest: str | None = field(default=None, compare=False)
    stated_reason: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        plan, law = self.plan, self.plan.mechanism
        if [one.name for one in self.statistics.layouts] != [one.name for one in law.layouts]:
            raise ReleaseError("the plan releases something else", where="statistics")
        for found, expected, numbers in zip(
            self.statistics.layouts, law.layouts, self.statistics.numbers, strict=True
        ):
            if found.shape != expected.shape or len(numbers) != expected.size:
                raise ReleaseError(
                    "not one number for each statistic",
                    where=f"statistics, {found.name}",
                    asked=len(numbers),
                    allowed=expected.size,
                )
            if (found.places, found.decimals) != (expected.places, expected.decimals):
                raise ReleaseError("another grid than the plan's", where=f"statistics, {found.name}")
        if not all(is_whole(one, 1 - law.largest, law.largest - 1) for one in self.statistics.counts):
            raise ReleaseError("a count is not a whole number, or too large", where="statistics")
        if not law.admits(self.statistics, plan.records):
            raise ReleaseError("the mechanism cannot have given these counts", where="statistics")
        if (self.paid is None) is not law.imported:
            raise ReleaseError(
                "numbers of others have no ledger entry, and a release has one", where=law.name
            )
        if self.paid is not None:
            self.paid.check(plan, self.library)

    @property
    def imported(self) -> bool:
        """Whether the numbers were made by others, whose guarantee it is."""
        return self.paid is None

    @property
    def receipt(self) -> LedgerReceipt:
        """The ledger entry, or refuse numbers that others made."""
        if self.paid is None:
            raise ReleaseError(
                "these numbers were made by others: no ledger of privior was charged before",
                where=self.identifier,
                asked=self.plan.mechanism.declaration,
            )
        return self.paid

    def to_json(self) -> str:
        """Write the release as it stands in its file."""
        guarantee = self.plan.guarantee
        document = {
            "kind": _IMPORTED if self.imported else _KIND,
            "format": self.format,
            "library": self.library,
            "id": self.identifier,
            "plan": self.plan.to_document(),
            "statistics": payload_document(self.statistics),
            "guarantee": {
                "epsilon": decimal(guarantee.cost.epsilon),
                "delta": decimal(guarantee.cost.delta),
                "neighbours": guarantee.neighbours.value,
                "unit": self.plan.schema.unit.noun,
                "reason": guarantee.reason,
                **({"declared": True} if self.plan.declared else {}),
            },
            **({} if self.paid is None else {"ledger": self.paid.to_document()}),
            **({} if self.process is None else {"process": self.process}),
        }
        return json.dumps(document, indent=1) + "\n"

    @property
    def format(self) -> int:
        """The oldest format that can hold it.

        5 knows no several arrays and no guarantees of others, 4 no families but Dirichlet tables, 3 no
        accounting, 2 no draws, 1 not what was spent.
        """
        if self.imported:
            return _IMPORTED_FORMAT
        outside = self.plan.declared or self.receipt.declared > 0
        least = FORMAT if outside else 4 if self.process is not None else 1
        model: int = self.plan.model.first_format
        return max(self.receipt.format, least, model, payload_format(self.statistics))

    @staticmethod
    def from_json(text: str, where: str = "release") -> Release:
        """Read a release, rebuilding and checking every part of it."""
        try:
            document = json.loads(text, parse_constant=no_constant, object_pairs_hook=no_twins)
        except (TypeError, ValueError, RecursionError):
            raise ReleaseError(DAMAGED, where=where) from None
        if not isinstance(document, dict) or document.get("kind") not in (_KIND, _IMPORTED):
            advice = _OTHERS.get(str(document.get("kind"))) if isinstance(document, dict) else None
            raise ReleaseError("not a privior release", where=where, advice=advice)
        newest = _IMPORTED_FORMAT if document["kind"] == _IMPORTED else FORMAT
        number = document.get("format")
        if not is_whole(number, 1):
            raise ReleaseError("no format number", where=where)
        if number > newest:
            raise ReleaseError(
                "the format is newer than this library",
                where=where,
                asked=number,
                allowed=newest,
                advice="Update privior.",
            )
        try:
            return replace(_read(document, number), read_digest=hashlib.sha256(text.encode()).hexdigest())
        except PriviorError as error:
            place = f"{where}, {error.where}" if error.where else where
            raise ReleaseError(error.what, where=place, asked=error.asked, allowed=error.allowed) from None
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError, RecursionError):
            raise ReleaseError("an entry is missing or of the wrong kind", where=where) from None

    @staticmethod
    def read(path: str | Path) -> Release:
        """Read a release file."""
        return Release.from_json(release_text(path), str(path))

    def write(self, path: str | Path) -> None:
        """Write the release file, whole or not at all."""
        try:
            write_whole(path, self.to_json())
        except (OSError, ValueError):
            raise ReleaseError("the file cannot be written there", where=shown(str(path))) from None

    def __repr__(self) -> str:
        population = self.plan.schema.population
        return f"<release {self.identifier} of {population}: {self.plan.model}, {self.plan.cost}>"

    @property
    def draws(self) -> Floats:
        """The released draws: of the cell probabilities, as (draws, cells), or of the parameters.

        Draws of models have the cell chances of the model that was drawn, in the order of the models.
        """
        drawn: Floats | None = self.plan.mechanism.parameters_drawn(self.statistics)
        if drawn is None:
            raise ReleaseError(
                "this release holds no posterior draws",
                where=self.identifier,
                asked=self.plan.mechanism.name,
                allowed=", ".join(kind.name for kind in MECHANISMS if kind.draws_posterior),
                advice="Draw from what follows from it: pv.infer(release).draws(n).",
            )
        return drawn

    @property
    def words_hold(self) -> bool:
        """Whether the file names the theorem in the words of its plan, or in those of an earlier version."""
        return self.stated_reason is None or known_words(self.stated_reason, self.plan)

    @property
    def sha256(self) -> str:
        """The SHA-256 of the file that was read, or that `write` would write."""
        return self.read_digest or hashlib.sha256(self.to_json().encode()).hexdigest()

    def facts(self) -> list[tuple[str, str]]:
        """Say what was released and promised, as named facts."""
        if self.paid is None:
            return [("imported", f"{self.identifier}: numbers made by others"), *self.plan.facts()]
        receipt = self.paid
        where = f"entry {receipt.entry}, head {receipt.head}"
        then = f"{receipt.spent} of {receipt.cap}{declared_in_words(receipt.declared)}"
        spent = [] if receipt.spent is None else [("spent by then", then)]
        return [
            ("release", f"{self.identifier} (privior {self.library})"),
            *self.plan.facts(),
            ("ledger", where if receipt.durable else f"{where}, in memory only: for trials"),
            *spent,
        ]

    def picture(self) -> BudgetBar | None:
        """Draw this release's share of the population's budget; None if the file does not say it."""
        return None if self.paid is None else self.paid.bar(self.plan)

    def plot(self) -> Figure:
        """Return the budget bar as a figure."""
        picture = self.picture()
        if picture is None:
            raise ReleaseError("the file does not say what was spent before", where=self.identifier)
        return picture.figure()

    def _repr_html_(self) -> str:
        picture = self.picture()
        bar = markup.join([] if picture is None else [picture.html()])
        return markup.fragment(markup.facts(self.facts()), bar)

    def __str__(self) -> str:
        return "\n".join(listing.facts(self.facts()))


def _read(document: dict[str, object], number: int) -> Release:
    imported = document["kind"] == _IMPORTED
    names = _ENTRIES - {"ledger"} if imported else _ENTRIES | ({"process"} if number > 3 else set())
    if set(document) != names:
        raise ReleaseError("unknown or missing entries", asked=", ".join(sorted(set(document) ^ names)))
    statistics = to_payload(document["statistics"], FORMAT if imported else number)
    _check_size(document["plan"], statistics)
    plan = Plan.from_document(document["plan"])
    names = {"epsilon", "delta", "neighbours", "unit", "reason"} | ({"declared"} if plan.declared else set())
    stated = exactly(document["guarantee"], "guarantee", names)
    if stated.get("declared", True) is not True:
        raise ReleaseError("who declares the guarantee is not said", where="guarantee")
    cost = plan.guarantee.cost
    facts = (decimal(cost.epsilon), decimal(cost.delta), plan.neighbours.value, plan.schema.unit.noun)
    if (stated["epsilon"], stated["delta"], stated["neighbours"], stated["unit"]) != facts:
        raise ReleaseError(
            "the stated guarantee is not that of the plan",
            where="guarantee",
            asked=f"epsilon {stated['epsilon']}, delta {stated['delta']}, {stated['neighbours']}",
            allowed=f"{cost}, {plan.neighbours}",
        )
    reason = stated["reason"]
    if not isinstance(reason, str) or not 0 < len(reason) <= _LONGEST_REASON:
        raise ReleaseError("no words for the theorem", where="guarantee")
    receipt = None if imported else LedgerReceipt.from_document(document["ledger"], number)
    identifier, library = document["id"], document["library"]
    if not is_hex(identifier, 32):
        raise ReleaseError("not an identifier", where="id")
    if not isinstance(library, str) or not re.fullmatch(r"[0-9A-Za-z.+-]{1,40}", library):
        raise ReleaseError("not a version", where="library")
    process = document.get("process")
    if "process" in document and process not in PROCESSES:
        raise ReleaseError("not a kind of process", where="process", allowed=", ".join(PROCESSES))
    if imported and identifier != imported_identifier(plan, statistics):
        raise ReleaseError("the identifier is of other numbers", where="id")
    return Release(
        plan,
        statistics,
        receipt,
        str(identifier),
        library,
        None if process is None else str(process),
        stated_reason=reason,
    )


def imported_identifier(plan: Plan, statistics: Observed) -> str:
    """Return the identifier of numbers that others made: the same numbers always have the same."""
    numbers = json.dumps(payload_document(statistics), separators=(",", ":"))
    return hashlib.sha256(f"{plan.digest}\n{numbers}".encode()).hexdigest()[:32]


def _check_size(plan: object, statistics: Observed) -> None:
    """Refuse a file that names more cells than it has counts for, before anything of that size is built.

    A mechanism may work as long as it has cells (T40); what it costs to read is then bounded by the file.
    """
    mechanism = plan.get("mechanism") if isinstance(plan, dict) else None
    levels = mechanism.get("levels") if isinstance(mechanism, dict) else None
    held = max(layout.shape[-1] + bool(layout.places) for layout in statistics.layouts)
    if isinstance(levels, int) and levels > held:
        raise ReleaseError("not one count per cell", where="statistics", asked=held, allowed=levels)
