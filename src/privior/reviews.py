"""Reviews: what somebody who signs a release can check without the data, and what she must take on trust."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from privior.auditing import audit
from privior.errors import PriviorError
from privior.ledger import Ledger
from privior.mechanisms import PublicFacts
from privior.plans import Plan
from privior.privacy import Budget
from privior.release import Release

#: the small twin of a mechanism that is audited has at most as many records, cells and rows per unit
_RECORDS, _CELLS, _ROWS = 2, 3, 2


class Verdict(Enum):
    """How a check ended."""

    HOLDS = "holds"
    FAILS = "FAILS"
    OPEN = "open"


@dataclass(frozen=True)
class Check:
    """One thing that was checked, or that could not be."""

    name: str
    verdict: Verdict
    says: str


@dataclass(frozen=True)
class Review:
    """All checks of one release."""

    release: Release
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing failed; what is open was not checked."""
        return not any(check.verdict is Verdict.FAILS for check in self.checks)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows."""
        return ["check", "", ""], [[check.name, check.verdict.value, check.says] for check in self.checks]

    def to_document(self) -> dict[str, object]:
        """Write the review as plain values."""
        plan = self.release.plan
        return {
            "release": self.release.identifier,
            "population": plan.schema.population,
            "unit": str(plan.schema.unit),
            "mechanism": plan.mechanism.to_document(),
            "guarantee": plan.guarantee.to_document(),
            "claim": plan.guarantee.claim(plan.schema.unit.noun),
            "randomness": plan.mechanism.randomness,
            "ledger": self.release.receipt.to_document(),
            "passed": self.passed,
            "checks": [
                {"check": check.name, "verdict": check.verdict.value, "says": check.says}
                for check in self.checks
            ],
        }


def review(release: Release, ledger: Ledger | None = None) -> Review:
    """Check a release, against its population's ledger if that is at hand.

    Args:
        release: as read from its file, which has already recomputed the guarantee from the plan
        ledger: the ledger that the release says it was charged to
    """
    plan = release.plan
    return Review(
        release,
        (
            Check(
                "claim",
                Verdict.HOLDS,
                f"{plan.guarantee.cost} follows from the plan: recomputed when the file was read",
            ),
            Check("theorem", Verdict.OPEN, f"{plan.guarantee.reason}: a proof to read, not to run"),
            _audited(plan),
            Check(
                "randomness", Verdict.OPEN, f"{plan.mechanism.randomness}; a file cannot prove what was drawn"
            ),
            _durable(release),
            _charged(release, ledger),
        ),
    )


def _audited(plan: Plan) -> Check:
    """Enumerate a small twin of the mechanism: the same law on few cells and records."""
    facts = PublicFacts(
        min(_CELLS, plan.mechanism.levels),
        _RECORDS,
        min(_ROWS, plan.schema.unit.max_rows),
        plan.neighbours,
        Budget(plan.mechanism.epsilon, plan.cost.delta),
    )
    try:
        twin = plan.mechanism.for_facts(facts)
        found = audit(twin, records=_RECORDS)
    except PriviorError as error:
        return Check("enumeration", Verdict.OPEN, f"this law cannot be listed on few cells: {error.what}")
    verdict = Verdict.HOLDS if found.holds else Verdict.FAILS
    claimed = f"claimed {found.claimed:.6g}, largest loss {found.largest_loss:.6g} over {found.pairs} pairs"
    return Check("enumeration", verdict, f"the same law, {facts.levels} cells, {_RECORDS} records: {claimed}")


def _durable(release: Release) -> Check:
    if release.receipt.durable:
        return Check("charged", Verdict.HOLDS, "the file says that a durable ledger was charged")
    return Check("charged", Verdict.FAILS, "the ledger lived in memory: no budget of anybody was charged")


def _charged(release: Release, ledger: Ledger | None) -> Check:
    if ledger is None:
        return Check("ledger", Verdict.OPEN, "not compared: name the ledger with --ledger")
    receipt = release.receipt
    try:
        ledger.verify()
        entry = next((entry for entry in ledger.entries() if entry.number == receipt.entry), None)
    except PriviorError as error:
        return Check("ledger", Verdict.FAILS, error.what)
    if entry is None or entry.hash != receipt.head:
        return Check(
            "ledger", Verdict.FAILS, f"entry {receipt.entry} of this ledger is not that of the release"
        )
    if entry.plan != release.plan.digest or entry.cost != release.plan.cost:
        return Check("ledger", Verdict.FAILS, f"entry {receipt.entry} was charged for another plan")
    return Check(
        "ledger", Verdict.HOLDS, f"entry {receipt.entry} was charged for exactly this plan; the chain holds"
    )
