"""measure: check, spend, read, draw, store, write, in this order."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Literal, Protocol

from privior import __version__
from privior.curator.charging import Charge, opened_ledger
from privior.curator.incidents import Incident
from privior.curator.own_process import OwnProcess
from privior.curator.progress import CHECKING, RELEASING, TellStep, silent, tell
from privior.errors import PlanError, TableError, shown
from privior.ledger import Ledger
from privior.models import ExactRecords, ExactStatistics, Observed
from privior.pictures import BudgetBar
from privior.plans import Batch, Plan
from privior.release import LedgerReceipt, Release
from privior.whole_files import folder_missing, give_back, take_name


class RowReader(Protocol):
    """Who reads the rows of a table that fits its plans."""

    process: Literal["own", "shared"]

    def check(self) -> None:
        """Raise if the rows cannot be read any more; the last look before the spend."""

    def noisy(self, incident: Incident) -> tuple[Observed, ...]:
        """Read the cells and draw the noise of each plan."""

    def close(self) -> None:
        """End whatever reads the table and remove its traces; closing twice is fine."""


class Measurement:
    """Releases whose every public check has passed and whose cost is not spent yet; from `prepare`.

    Use it in a `with` block, or close it, if it may not be carried out: a process may be waiting.

    Attributes:
        charge: what will be spent, and on which ledger
        outputs: where the release files are written; none if they are not
        stored: what was released before for the same key: it is given again, and nothing is spent
    """

    def __init__(
        self,
        charge: Charge,
        reader: RowReader | None,
        outputs: tuple[Path, ...],
        stored: tuple[Release, ...] | None = None,
    ) -> None:
        self.charge = charge
        self.outputs = outputs
        self.stored = stored
        self._unread = reader
        self._done = False

    def picture(self) -> BudgetBar:
        """Draw what it will cost beside what was spent and what is left."""
        return self.charge.picture()

    def carry_out(self, progress: TellStep = silent) -> Release:
        """Spend the plan's cost, then read the table once and release its noisy statistics. Once only.

        Raises ReleaseInterruptedError, a KeyboardInterrupt, if it is interrupted after the spend.
        """
        return self.carry_out_all(progress)[0]

    def carry_out_all(self, progress: TellStep = silent) -> tuple[Release, ...]:
        """Do the same for each plan of a batch."""
        reader, self._unread = self._unread, None
        if self._done:
            raise PlanError("this measurement was carried out already", advice="Prepare another one.")
        self._done = True
        if self.stored is not None:
            return self._given_again(self.stored)
        if reader is None:
            raise PlanError("this measurement was closed", advice="Prepare another one.")
        try:
            return self._carried_out(reader, progress)
        finally:
            reader.close()

    def _carried_out(self, reader: RowReader, progress: TellStep) -> tuple[Release, ...]:
        work = self.charge.work

        def draw(receipt: LedgerReceipt, incident: Incident) -> tuple[Release, ...]:
            tell(progress, RELEASING)
            try:
                noisy = reader.noisy(incident)
            finally:
                reader.close()  # here, so that an interruption meanwhile is one after the spend
            pairs = zip(work.members, noisy, strict=True)
            return tuple(_release(plan, one, receipt, reader.process) for plan, one in pairs)

        def write(releases: tuple[Release, ...], incident: Incident) -> None:
            for place, release in zip(self.outputs, releases, strict=bool(self.outputs)):
                release.write(place)

        reader.check()
        with _taken(self.outputs):
            tell(progress, f"spending {work.cost}")
            return self.charge.carry_out(draw, write, self.outputs)

    def _given_again(self, stored: tuple[Release, ...]) -> tuple[Release, ...]:
        with _taken(self.outputs):
            for place, release in zip(self.outputs, stored, strict=bool(self.outputs)):
                release.write(place)
        return stored

    def close(self) -> None:
        """Let go of the table without a spend, unless it was read already."""
        reader, self._unread = self._unread, None
        if reader is not None:
            reader.close()

    def __enter__(self) -> Measurement:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def prepare(
    work: Plan | Batch,
    table: object,
    *,
    ledger: Ledger | str | Path,
    output: str | Path | Sequence[str | Path] | None = None,
    key: str | None = None,
    analyst: str | None = None,
    version: str | None = None,
    progress: TellStep = silent,
) -> Measurement:
    """Check all that can be checked before the spend; takes what `measure` and `measure_all` take."""
    if not isinstance(work, (Plan, Batch)):
        raise PlanError("not a plan", asked=shown(work), advice="Make one with pv.plan(...).")
    for plan in work.members:
        if plan.mechanism.imported:
            raise plan.mechanism.refusal("numbers of others are imported, not released")
    charge = Charge(work, opened_ledger(ledger), key, analyst, version)
    places = _checked_outputs(output, len(work.members))
    stored = charge.stored()
    if stored is not None:
        return Measurement(charge, None, places, stored)
    charge.check()
    return Measurement(charge, _reader(work.members, table, progress), places)


def measure(
    plan: Plan,
    table: object,
    *,
    ledger: Ledger | str | Path,
    output: str | Path | None = None,
    key: str | None = None,
    analyst: str | None = None,
    version: str | None = None,
) -> Release:
    """Spend the plan's cost, then read the table once and release its noisy statistics.

    Args:
        plan: what to release; from `pv.plan`
        table: a path, a glob or a URL of CSV or Parquet files, which a process of its own reads; or an Arrow
            table, a pandas or polars frame, or an Ibis table, which are read in this one
        ledger: the population's ledger, or where it is
        output: where to write the release file as well
        key: your own name for this release: asked again with the same plan, it is given again and not charged
        analyst: who spends; needed if the ledger has quotas
        version: which version of the table this is, for the ledger's history

    Raises ReleaseInterruptedError, a KeyboardInterrupt, if it is interrupted after the spend.
    """
    if isinstance(plan, Batch):
        raise PlanError(
            "a batch has many releases, and this returns one",
            asked=repr(plan),
            advice="Use pv.measure_all(batch, ...).",
        )
    return prepare(
        plan, table, ledger=ledger, output=output, key=key, analyst=analyst, version=version
    ).carry_out()


def measure_all(
    batch: Batch,
    table: object,
    *,
    ledger: Ledger | str | Path,
    outputs: Sequence[str | Path] | None = None,
    key: str | None = None,
    analyst: str | None = None,
    version: str | None = None,
) -> tuple[Release, ...]:
    """Spend what a batch costs, all of it or nothing, then read the table and release each of its plans.

    Args:
        batch: what to release; from `pv.Batch.of`
        table: as for `measure`
        ledger: likewise
        outputs: where to write each release file as well
        key: likewise
        analyst: likewise
        version: likewise
    """
    return prepare(
        batch, table, ledger=ledger, output=outputs, key=key, analyst=analyst, version=version
    ).carry_out_all()


def measure_statistics(plan: Plan, statistics: ExactStatistics | ExactRecords, *, ledger: Ledger) -> Release:
    """Spend the plan's cost and release statistics that are already counted: the door for other curators."""
    from privior.curator.rows import drawn

    def draw(receipt: LedgerReceipt, incident: Incident) -> tuple[Release, ...]:
        return (_release(plan, drawn(plan, statistics, incident), receipt, "shared"),)

    return Charge(plan, ledger).carry_out(draw, lambda releases, incident: None)[0]


def _reader(plans: Sequence[Plan], table: object, progress: TellStep) -> RowReader:
    """Let a process of its own read a file; what is not a file can only be read here."""
    tell(progress, CHECKING)
    if isinstance(table, (str, os.PathLike)):
        return OwnProcess(plans, os.fsdecode(table), progress)
    from privior.curator.shared_process import SharedProcess  # loads what reads rows

    return SharedProcess(plans, table, progress)


def _release(
    plan: Plan, noisy: Observed, receipt: LedgerReceipt, process: Literal["own", "shared"]
) -> Release:
    return Release(plan.released, noisy, receipt, os.urandom(16).hex(), __version__, process)


def _checked_outputs(output: str | Path | Sequence[str | Path] | None, many: int) -> tuple[Path, ...]:
    """Return where to write; every name must be free, and none is taken yet."""
    given = [] if output is None else [output] if isinstance(output, (str, Path)) else output
    if not isinstance(given, Sequence) or not all(isinstance(place, (str, Path)) for place in given):
        raise TableError("not the path of a release file", asked=shown(output))
    places = tuple(Path(place) for place in given)
    if places and (len(places) != many or len(set(places)) != many):
        raise TableError("not one file for each release", asked=len(set(places)), allowed=many)
    with _taken(places):
        return places


@contextmanager
def _taken(places: Sequence[Path]) -> Iterator[None]:
    """Take the names of the release files, so that nobody else writes there; what stays empty is removed."""
    with ExitStack() as names:
        for place in places:
            try:
                take_name(place)
            except FileExistsError:
                raise TableError(
                    "the release file exists already", where=str(place), advice="Choose another name."
                ) from None
            except (OSError, ValueError):
                raise TableError(
                    "the release file cannot be written there",
                    where=shown(str(place)),
                    advice=folder_missing(place),
                ) from None
            names.callback(give_back, place)
        yield
