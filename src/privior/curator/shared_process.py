"""Live tables (frames, Arrow and Ibis tables) are read in the process that they live in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from privior.curator.incidents import Incident
from privior.curator.progress import TellStep
from privior.curator.rows import Rows
from privior.models import Observed
from privior.plans import Plan


class SharedProcess:
    """Reads a live table right here; whoever holds it has its rows anyway."""

    process: Literal["own", "shared"] = "shared"

    def __init__(self, plans: Sequence[Plan], table: object, progress: TellStep) -> None:
        self._rows = Rows.opened(plans, table, progress)

    def check(self) -> None:
        """Pass: a table that lives in this process cannot be gone before the spend."""

    def noisy(self, incident: Incident) -> tuple[Observed, ...]:
        """Read the cells and draw the noise."""
        return self._rows.noisy(incident)

    def close(self) -> None:
        """Leave the table to whom it belongs."""
