"""What an agent published: the one file about it that may be shown, with the plan and the ledger entries.

It is made of what the ledger stored, part by part, and of nothing else.
"""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, final

from privior import __version__
from privior.checks import is_whole
from privior.errors import PriviorError, ReleaseError, shown
from privior.exact import decimal
from privior.ledger import Ledger
from privior.pictures import listing
from privior.release import LedgerReceipt, release_text
from privior.sequential.plan import AgentPlan
from privior.sequential.sources import PLACES, PublishedArrays
from privior.whole_files import write_whole

if TYPE_CHECKING:
    from privior.sequential.estimates import ChoiceEstimate

_KIND, FORMAT = "privior-agent-release", 1
_LARGEST = 2**62

#: whole numbers by name, row by row
DrawnArrays = dict[str, list[Any]]


def drawn_text(found: PublishedArrays) -> str:
    """Write what one agent drew at one time, as the ledger stores it."""
    return json.dumps({name: numbers[0].tolist() for name, numbers in found.items()}, sort_keys=True)


def read_drawn(text: str) -> DrawnArrays:
    """Read what `drawn_text` wrote."""
    return dict(json.loads(text))


@dataclass(frozen=True)
class PublishedBlock:
    """What was published in one block, at which of its times, and the ledger entry that paid for it.

    Attributes:
        receipt: the ledger entry
        times: (episodes that had ended, arrays)
    """

    receipt: LedgerReceipt
    times: tuple[tuple[int, DrawnArrays], ...]

    def text(self, plan: AgentPlan) -> str:
        """Write what the ledger stores: the plan's digest and all numbers."""
        return json.dumps({"plan": plan.digest, "times": [list(one) for one in self.times]}, sort_keys=True)

    def to_document(self) -> dict[str, object]:
        """Write it as plain values."""
        return {"ledger": self.receipt.to_document(), "times": [list(one) for one in self.times]}


@final
@dataclass(frozen=True, repr=False)
class AgentRelease:
    """Everything that an agent has published, block by block."""

    plan: AgentPlan
    blocks: tuple[PublishedBlock, ...]
    identifier: str
    library: str = __version__

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[0-9a-f]{32}", self.identifier):
            raise ReleaseError("not an identifier", where="id")
        for block in self.blocks:
            block.receipt.check(self.plan, self.library)
            self._check_times(block)

    def _check_times(self, block: PublishedBlock) -> None:
        """Refuse numbers at another time than the public ones, or of another shape than the plan's."""
        plan = self.plan
        rows = frozenset(plan.mechanism.row_times(plan.schedule, plan.episodes))
        noisy = frozenset(plan.mechanism.noise_times(plan.schedule, plan.episodes))
        shapes = _shapes(plan)
        if len({time for time, _ in block.times}) < len(block.times):
            raise ReleaseError("published twice at one time", where="block")
        for time, arrays in block.times:
            for name, numbers in arrays.items():
                if name not in shapes or time not in (rows if name == "rows" else noisy):
                    raise ReleaseError("published at no public time", where=f"{name}", asked=shown(time))
                if not _fits(numbers, shapes[name]):
                    raise ReleaseError("numbers of another shape than the plan's", where=f"block, {name}")
                if name == "rows" and not _fits(numbers, shapes[name], 0, 1 << PLACES):
                    raise ReleaseError("sticks are shares", where="block")

    def to_json(self) -> str:
        """Write the release."""
        budget, plan = self.plan.budget, self.plan
        document = {
            "kind": _KIND,
            "format": FORMAT,
            "library": self.library,
            "id": self.identifier,
            "plan": plan.to_document(),
            "guarantee": {
                "epsilon": decimal(budget.epsilon),
                "delta": decimal(budget.delta),
                "of": "each block",
                "unit": plan.unit.noun,
                "reason": plan.guarantee.reason,
            },
            "blocks": [block.to_document() for block in self.blocks],
        }
        return json.dumps(document, indent=1) + "\n"

    @staticmethod
    def from_json(text: str, where: str = "agent release") -> AgentRelease:
        """Read a release; the guarantee is computed again from the plan."""
        try:
            document = json.loads(text)
            if not isinstance(document, dict) or document.get("kind") != _KIND:
                raise ReleaseError("not what an agent published", where=where)
            number = document.get("format")
            if not is_whole(number, 1, FORMAT):
                raise ReleaseError(
                    "the format is newer than this library", where=where, asked=number, allowed=FORMAT
                )
            names = {"kind", "format", "library", "id", "plan", "guarantee", "blocks"}
            if set(document) != names:
                raise ReleaseError("unknown or missing entries", where=where)
            plan = AgentPlan.from_document(document["plan"])
            stated, budget = document["guarantee"], plan.budget
            facts = (decimal(budget.epsilon), decimal(budget.delta), "each block", plan.unit.noun)
            if tuple(stated[name] for name in ("epsilon", "delta", "of", "unit")) != facts:
                raise ReleaseError("the stated guarantee is not that of the plan", where=where)
            blocks = tuple(
                PublishedBlock(
                    LedgerReceipt.from_document(one["ledger"], 6),
                    tuple((time, dict(arrays)) for time, arrays in one["times"]),
                )
                for one in document["blocks"]
            )
            return AgentRelease(plan, blocks, document["id"], document["library"])
        except PriviorError as error:
            raise ReleaseError(error.what, where=error.where or where, asked=error.asked) from None
        except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
            raise ReleaseError("an entry is missing or of the wrong kind", where=where) from None

    @staticmethod
    def read(path: str | Path) -> AgentRelease:
        """Read a release file."""
        return AgentRelease.from_json(release_text(path), str(path))

    def write(self, path: str | Path) -> None:
        """Write the release file, whole or not at all."""
        try:
            write_whole(path, self.to_json())
        except (OSError, ValueError):
            raise ReleaseError("the file cannot be written there", where=shown(str(path))) from None

    def review(self, ledger: Ledger | None = None) -> list[tuple[str, bool | None, str]]:
        """Return what was checked: its name, whether it holds (None if it could not be checked), and
        words.
        """
        plan = self.plan
        found: list[tuple[str, bool | None, str]] = [
            ("guarantee", True, f"computed again from the plan: {plan.budget} for each of the blocks"),
            ("times", True, f"all numbers are of public times: {plan.when}"),
        ]
        for block in self.blocks:
            name = f"entry {block.receipt.entry}"
            if not block.receipt.durable:
                found.append((name, None, "the ledger lived in memory: nobody's budget was charged"))
            elif ledger is None:
                found.append((name, None, "give the ledger to look it up"))
            else:
                found.append((name, *_looked_up(block, plan, ledger)))
        return found

    def estimates(self, level: float = 0.9) -> tuple[ChoiceEstimate, ...]:
        """Return what all that was published says of every choice, with intervals. Free.

        Args:
            level: of the intervals
        """
        from privior.sequential.estimates import estimates_of

        return estimates_of(self, level)

    @property
    def lost(self) -> int:
        """How many public times before the last one have nothing: what was due then was lost."""
        last = [max((time for time, _ in block.times), default=0) for block in self.blocks]
        due = [sum(time <= end for time in self.plan.times) for end in last]
        return sum(due) - sum(len(block.times) for block in self.blocks)

    def facts(self) -> list[tuple[str, str]]:
        """Say what was published and promised, as named facts."""
        entries = ", ".join(str(block.receipt.entry) for block in self.blocks) or "none"
        return [
            ("release", f"{self.identifier} (privior {self.library})"),
            *self.plan.facts(),
            ("blocks", f"{len(self.blocks)}, ledger entries {entries}"),
            ("published so far", f"at {sum(len(block.times) for block in self.blocks)} public times"),
            *(
                [("lost", f"what was due at {self.lost} public times: it is in no number")]
                if self.lost
                else []
            ),
        ]

    def page(self) -> str:
        """Return a report as one HTML page: no script, nothing to load."""
        from privior.sequential.agent_page import page_of

        return page_of(self)

    def __repr__(self) -> str:
        return f"<what an agent published about {self.plan.population}: {len(self.blocks)} blocks>"

    def __str__(self) -> str:
        return "\n".join(listing.facts(self.facts()))


def _looked_up(block: PublishedBlock, plan: AgentPlan, ledger: Ledger) -> tuple[bool, str]:
    entry = ledger.entry(block.receipt.entry)
    if entry is None or entry.hash != block.receipt.head or entry.plans != plan.digests:
        return False, "the ledger has no such spend"
    if len(block.times) > len(plan.times):
        return False, "more was published than was paid for"
    stated = dict(block.times)
    for number, time in enumerate(plan.times, start=1):
        part = ledger.part(entry, number)
        drawn = None if part is None or part.drawn is None else read_drawn(part.drawn)
        if time in stated and stated[time] != drawn:
            return False, f"the ledger stored other numbers after {time} episodes"
    closing = ledger.closing(entry.number)
    if closing is None:
        return True, "paid before acting, these numbers are what the ledger stored; the block goes on"
    whole = closing.contains(hashlib.sha256(block.text(plan).encode()).hexdigest())
    said = "all of the block" if whole else "not all that was published of the block"
    return True, f"paid before acting, these numbers are what the ledger stored, {said}"


def _shapes(plan: AgentPlan) -> dict[str, tuple[int, ...]]:
    rows, cells = plan.problem.rows, plan.problem.cells
    each = dict.fromkeys(("visits", "sums", "squares"), (rows,))
    return {**each, "counts": (rows, cells), "rows": (rows, cells - 1)}


def _fits(numbers: object, shape: tuple[int, ...], least: int = -_LARGEST, most: int = _LARGEST) -> bool:
    if not shape:
        return is_whole(numbers, least, most)
    return (
        isinstance(numbers, list)
        and len(numbers) == shape[0]
        and all(_fits(one, shape[1:], least, most) for one in numbers)
    )
