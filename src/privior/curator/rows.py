"""Rows and noise: the two things done with a table, whichever process does them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from privior.curator.channel import Message
from privior.curator.incidents import Incident
from privior.curator.one_thread import one_thread
from privior.curator.progress import COUNTING, TellStep, tell
from privior.errors import TableError
from privior.models import ExactRecords, ExactStatistics, Observed
from privior.plans import Plan
from privior.privacy import REPLACE_ONE
from privior.release import payload_document
from privior.schema import Schema
from privior.tables import OpenTable, fetched, is_url, open_table, without_secrets


@dataclass(frozen=True, repr=False)
class Rows:
    """A table that fits its plans, with its rows still unread.

    Attributes:
        plans: what to release
        source: the table, opened for the columns of all of them
    """

    plans: tuple[Plan, ...]
    source: OpenTable

    @staticmethod
    def opened(plans: Sequence[Plan], table: object, progress: TellStep) -> Rows:
        """Open a table and check what is public about it; under replace-one also how many records."""
        if isinstance(table, str) and is_url(table):
            return Rows._fetched(plans, table, progress)
        asked = tuple(dict.fromkeys(one for plan in plans for one in plan.readings))
        columns = tuple(dict.fromkeys(name for reading in asked for name in reading.columns))
        source = open_table(table, plans[0].schema, columns, ())
        source.check(*asked)
        public = {plan.records for plan in plans if plan.neighbours is REPLACE_ONE}
        if public:
            tell(progress, COUNTING)
            records = _records(source)
            if public != {records}:
                noun = plans[0].schema.unit.noun
                planned = " and ".join(map(str, sorted(public)))
                raise TableError(
                    f"the table has {records} {noun}s, and the plan is for exactly {planned}",
                    asked=f"a release of {planned} {noun}s",
                    allowed=f"a release of all {records} {noun}s of the table",
                    advice="Under replace-one it is public and must be exact: plan again with it.",
                )
        return Rows(tuple(plans), source)

    @staticmethod
    def _fetched(plans: Sequence[Plan], url: str, progress: TellStep) -> Rows:
        """Open what a URL names; messages name the URL instead of the copy."""
        copy = fetched(url)
        try:
            return Rows.opened(plans, copy, progress)
        except TableError as error:
            place = (error.where or str(copy)).replace(str(copy), without_secrets(url))
            told = TableError(
                error.what, where=place, asked=error.asked, allowed=error.allowed, advice=error.advice
            )
        raise told

    def noisy(self, incident: Incident) -> tuple[Observed, ...]:
        """Read the cells, once, and draw the noise of each plan, once."""
        incident.begin("reading")
        asked = tuple(dict.fromkeys(one for plan in self.plans for one in plan.readings))
        with one_thread():
            answers = dict(zip(asked, self.source.read(*asked), strict=True))
            statistics = [plan.statistics(*(answers[one] for one in plan.readings)) for plan in self.plans]
        return tuple(drawn(plan, one, incident) for plan, one in zip(self.plans, statistics, strict=True))

    def answer(self, incident: Incident) -> Message:
        """Read the rows, draw the noise, and write the noisy statistics of every plan as a message."""
        return {"statistics": [payload_document(one) for one in self.noisy(incident)]}


@dataclass(frozen=True, repr=False)
class ShapedRows:
    """A table whose cells the curator wants to look at, with its rows still unread.

    Attributes:
        source: the table, opened for columns that say of what kind their cells are
    """

    source: OpenTable

    @staticmethod
    def opened(schema: Schema, columns: object, table: object) -> ShapedRows:
        """Open a table and check that it has these columns; nothing is counted."""
        names = tuple(map(str, columns)) if isinstance(columns, (list, tuple)) else ()
        place = fetched(table) if isinstance(table, str) and is_url(table) else table
        return ShapedRows(open_table(place, schema.of_cells(), names, ()))

    def answer(self, incident: Incident) -> Message:
        """Say of what kinds the cells are, and the shapes of the bad ones."""
        incident.begin("reading")
        return {"looked": [[one.column, one.rows, one.bad] for one in self.source.shapes()]}


def drawn(plan: Plan, statistics: ExactStatistics | ExactRecords, incident: Incident) -> Observed:
    """Draw the noise of a plan on statistics that are already counted."""
    total = plan.records * plan.model.times_counted
    if plan.total_public and statistics.total != total:
        raise ValueError("the table changed while it was read")
    incident.begin("drawing")
    with one_thread():
        released: Observed = plan.mechanism.release(statistics)
    return released


def _records(source: OpenTable) -> int:
    """Count the records; a failure is told without its cause, which may quote a cell."""
    with suppress(Exception):
        return source.records()
    raise TableError("the records of the table cannot be counted", advice="Check that the table can be read.")
