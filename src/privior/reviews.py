"""Reviews: what somebody who signs a release can check without the data, and what she must take on trust."""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

from privior.auditing import audit
from privior.errors import PriviorError, shown
from privior.forecasting import squared_error
from privior.ledger import Ledger
from privior.pictures import listing, markup
from privior.plans import Plan
from privior.posterior import infer
from privior.posterior.conflict import FALSE_ALARM
from privior.release import Release

#: the small twin of a mechanism that is audited has at most as many records, cells and rows per unit
_RECORDS, _CELLS, _ROWS = 2, 3, 2
#: Gaussian noise is listed this many standard deviations far, and only if that is not wider than this
_DEVIATIONS, _WIDEST = 7, 60


#: what a release says about the process in which its rows were read
_PROCESSES = {
    "own": "the file says that rows were read in a process of their own, which ended with the release",
    "shared": "the file says that rows were read in the process that asked for the release (a live table): "
    "what that process keeps of them is not known",
    None: "unknown: files of formats 1 to 3 do not say in which process rows were read",
}


class Outcome(Enum):
    """How a check ended."""

    HOLDS = "holds"
    FAILS = "FAILS"
    OPEN = "open"


@dataclass(frozen=True)
class Check:
    """One thing that was checked, or that could not be."""

    name: str
    verdict: Outcome
    says: str


@dataclass(frozen=True, repr=False)
class Review:
    """All checks of one release, and whether it passes."""

    release: Release
    checks: tuple[Check, ...]

    def __repr__(self) -> str:
        return f"<review of {self.release.identifier}: {'passed' if self.passed else 'FAILED'}>"

    def _repr_html_(self) -> str:
        return markup.fragment(markup.table(*self.table()), markup.element("p", self.fingerprint))

    @property
    def passed(self) -> bool:
        """Whether nothing failed; what is open was not checked."""
        return not any(check.verdict is Outcome.FAILS for check in self.checks)

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Return the checks as a header and rows: what was checked, how that ended, and why."""
        return ["check", "verdict", "says"], [
            [check.name, check.verdict.value, check.says] for check in self.checks
        ]

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the file, whole, to compare with whoever made it."""
        return f"SHA-256 of the file:\n{self.release.sha256}"

    def __str__(self) -> str:
        return "\n".join([*listing.table(*self.table()), "", self.fingerprint])

    def to_document(self) -> dict[str, object]:
        """Write the review as plain values."""
        plan = self.release.plan
        return {
            "release": self.release.identifier,
            "population": plan.schema.population,
            "unit": str(plan.schema.unit),
            "mechanism": plan.mechanism.to_document(),
            "guarantee": plan.guarantee.to_document(),
            "claim": plan.guarantee.claim(),
            "randomness": plan.mechanism.randomness,
            "ledger": None if self.release.paid is None else self.release.paid.to_document(),
            "sha256": self.release.sha256,
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
            _claim(release),
            Check("theorem", Outcome.OPEN, f"{plan.guarantee.reason}: a proof to read, not to run"),
            _audited(plan),
            *_declared(plan),
            Check(
                "randomness", Outcome.OPEN, f"{plan.mechanism.randomness}; a file cannot prove what was drawn"
            ),
            *_paid(release, ledger),
            *([] if release.imported else [Check("process", Outcome.OPEN, _PROCESSES[release.process])]),
            *_beside_the_prior(release),
        ),
    )


def verify(release: Release, ledger: Ledger | None = None) -> Review:
    """Check what a program can decide of a release: the claim, the spend, the head, the bytes.

    Args:
        release: as read from its file: what is simulated, malformed or of another kind was refused there
        ledger: the ledger that the release says it was charged to
    """
    kind = "numbers made by others" if release.imported else "a release, not a simulation"
    form = f"format {release.format}, written by privior {release.library}; {kind}"
    return Review(release, (Check("format", Outcome.HOLDS, form), _claim(release), *_paid(release, ledger)))


def _claim(release: Release) -> Check:
    if not release.words_hold:
        return Check(
            "claim",
            Outcome.FAILS,
            f"the file says {shown(release.stated_reason)}, which its plan does not: what follows from the "
            f"plan is {release.plan.guarantee}",
        )
    if release.imported:
        says = f"{release.plan.guarantee.cost} is what they claim: it does not follow from anything here"
        return Check("claim", Outcome.OPEN, says)
    return Check(
        "claim",
        Outcome.HOLDS,
        f"{release.plan.guarantee.cost} follows from the plan: recomputed when the file was read; the file "
        "names the theorem of the plan",
    )


def _paid(release: Release, ledger: Ledger | None) -> tuple[Check, ...]:
    if release.imported:
        says = "the guarantee is theirs: no receipt, and nothing here can verify it"
        return (Check("imported", Outcome.FAILS, says),)
    return _durable(release), _receipt(release), _charged(release, ledger), _stored(release, ledger)


def _audited(plan: Plan) -> Check:
    """Enumerate a small twin of the mechanism: the same law on few cells and records."""
    pure = plan.guarantee.pure is not None
    try:
        rows = min(_ROWS, plan.schema.unit.max_rows)
        twin = plan.mechanism.small(_CELLS if pure else 2, _RECORDS, rows)
        if pure:
            found = audit(twin, records=_RECORDS)
        else:
            margin = math.ceil(_DEVIATIONS * math.sqrt(squared_error(twin) / twin.cells))
            if margin > _WIDEST:
                return Check("enumeration", Outcome.OPEN, "its noise is too wide to be listed here")
            epsilon = float(plan.cost.epsilon)
            found = audit(twin, records=_RECORDS, margin=margin, epsilons=(epsilon,))
    except PriviorError as error:
        return Check("enumeration", Outcome.OPEN, f"this law cannot be listed on few cells: {error.what}")
    verdict = Outcome.HOLDS if found.holds else Outcome.FAILS
    if found.claimed is not None:
        claimed = (
            f"claimed {found.claimed:.6g}, largest loss {found.largest_loss:.6g} over {found.pairs} pairs"
        )
    else:
        largest = max(found.deltas.values())
        claimed = (
            f"claimed delta {float(plan.cost.delta):.6g}, largest {largest:.6g} over {found.pairs} pairs"
        )
    where = f"the same law, {twin.cells} cells, {_RECORDS} records, {found.pairs} pairs"
    return Check("enumeration", verdict, f"{where}: {claimed}")


def _declared(plan: Plan) -> list[Check]:
    """Say what of the release rests on what somebody declares."""
    found = []
    if plan.mechanism.minimum:
        says = f"{plan.mechanism.minimum_in_words}; what is inferred takes the declaration on trust"
        found.append(Check("minimum", Outcome.OPEN, says))
    if plan.declared:
        found.append(Check("declared", Outcome.OPEN, plan.mechanism.declaration))
    return found


def _beside_the_prior(release: Release) -> list[Check]:
    """Say whether what was released contradicts the prior; not where inference would last."""
    effort = release.plan.effort
    if effort is not None and effort.about:
        return []
    try:
        posterior = infer(release)
        found, words = posterior.conflict, posterior.contradictions
    except PriviorError:
        return []
    if found is None:
        return []
    if words:
        return [Check("prior", Outcome.OPEN, words[0].removeprefix("WARNING: "))]
    looks = f"{found.looks} looks, of a right prior at most 1 in {1 / FALSE_ALARM:,.0f} fails"
    return [Check("prior", Outcome.HOLDS, f"what was released does not contradict it ({looks})")]


def _durable(release: Release) -> Check:
    if release.receipt.durable:
        short = release.receipt.paid_too_little(release.plan)
        but = ", though too little: privior 0.2 forgot how far a record moves the sum" if short else ""
        return Check("charged", Outcome.OPEN, f"the file says that a durable ledger was charged{but}")
    return Check("charged", Outcome.FAILS, "the ledger lived in memory: no budget of anybody was charged")


def _receipt(release: Release) -> Check:
    """Compare what the receipt says with itself and with the plan: all that can be known without a ledger."""
    doubt = release.receipt.doubt
    if doubt is not None:
        return Check("receipt", Outcome.FAILS, doubt)
    return Check("receipt", Outcome.HOLDS, "what the file says of its spend can be: population, price, limit")


def _charged(release: Release, ledger: Ledger | None) -> Check:
    if ledger is None:
        return Check(
            "ledger",
            Outcome.OPEN,
            "not compared: the ledger alone knows the entry, its head and the one before, the cap and the "
            "total that the file states; name it with --ledger",
        )
    receipt = release.receipt
    try:
        ledger.verify()
        entry = ledger.entry(receipt.entry)
    except PriviorError as error:
        return Check("ledger", Outcome.FAILS, error.what)
    if ledger.population != receipt.population:
        return Check("ledger", Outcome.FAILS, f"this ledger is of another population, {ledger.population}")
    if entry is None or entry.hash != receipt.head:
        return Check(
            "ledger", Outcome.FAILS, f"entry {receipt.entry} of this ledger is not that of the release"
        )
    if release.plan.digest not in entry.plans:
        return Check("ledger", Outcome.FAILS, f"entry {receipt.entry} was charged for another plan")
    declared = None if receipt.price is None else receipt.declared  # older files do not say it
    stated = (receipt.total, receipt.accounting, receipt.price, receipt.previous, declared)
    kept = (entry.total, entry.accounting, entry.price, entry.previous, entry.declared_spends)
    if any(said not in (None, there) for said, there in zip(stated, kept, strict=True)):
        return Check("ledger", Outcome.FAILS, "the file states other totals than the ledger")
    if receipt.paid_too_little(release.plan):
        correction = ledger.correction(entry)
        if correction is None:
            return Check(
                "ledger",
                Outcome.FAILS,
                "privior 0.2 charged too little for it: `privior ledger correct` charges the rest",
            )
        says = f"entry {receipt.entry} and its correction, entry {correction.number}, paid for this plan"
        return Check("ledger", Outcome.HOLDS, f"{says}; the chain holds")
    return Check(
        "ledger", Outcome.HOLDS, f"entry {receipt.entry} was charged for exactly this plan; the chain holds"
    )


def _stored(release: Release, ledger: Ledger | None) -> Check:
    """Compare the file with what the ledger stored when it was drawn."""
    try:
        closing = None if ledger is None else ledger.closing(release.receipt.entry)
        entry = None if ledger is None else ledger.entry(release.receipt.entry)
    except PriviorError as error:
        return Check("bytes", Outcome.FAILS, error.what)
    if closing is None and entry is not None and entry.day:  # format 1 stored no releases
        return Check("bytes", Outcome.FAILS, "the ledger stored no release for this entry: it was cut off")
    if closing is None:
        return Check(
            "bytes",
            Outcome.OPEN,
            "nothing here ties these counts, or the id of the release, to the spend but whoever made it: "
            "compare with her the SHA-256 of the file, which stands below",
        )
    if not closing.contains(release.sha256):
        return Check("bytes", Outcome.FAILS, "the ledger stored another release for this entry")
    return Check("bytes", Outcome.HOLDS, "the ledger stored this very release, by its SHA-256")
