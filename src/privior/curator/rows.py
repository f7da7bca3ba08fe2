"""Rows and noise: the two things done with a table, whichever process does them."""

from __future__ import annotations

from contextlib import suppress

from privior.curator.incidents import Incident
from privior.curator.progress import COUNTING, Progress, tell
from privior.errors import TableError
from privior.models import ExactStatistics, NoisyStatistics
from privior.plans import Plan
from privior.privacy import REPLACE_ONE
from privior.tables import OpenTable, open_table


def opened(plan: Plan, table: object, progress: Progress) -> OpenTable:
    """Open a table and check what is public about it; under replace-one that includes how many records."""
    source = open_table(table, plan.schema, plan.model.columns)
    if plan.neighbours is REPLACE_ONE:
        tell(progress, COUNTING)
        records = _records(source)
        if records != plan.records:
            found = f"the table has {records} {plan.schema.unit.noun}s"
            raise TableError(
                f"the number of records is not the one planned: {found}",
                asked=plan.records,
                allowed=records,
                advice="Under replace-one it is public and must be exact: plan again with it.",
            )
    return source


def noisy(plan: Plan, source: OpenTable, incident: Incident) -> NoisyStatistics:
    """Read the cells, once, and draw the noise, once."""
    incident.begin("reading")
    return drawn(plan, ExactStatistics(source.counts()), incident)


def drawn(plan: Plan, statistics: ExactStatistics, incident: Incident) -> NoisyStatistics:
    """Draw the noise of a plan on statistics that are already counted."""
    if plan.total_public and int(statistics.counts.sum()) != plan.records:
        raise ValueError("the table changed while it was read")
    incident.begin("drawing")
    return plan.mechanism.release(statistics)


def _records(source: OpenTable) -> int:
    """Count the records; a failure is told without its cause, which may quote a cell."""
    with suppress(Exception):
        return source.records()
    raise TableError("the records of the table cannot be counted", advice="Check that the table can be read.")
