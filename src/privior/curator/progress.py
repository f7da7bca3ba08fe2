"""Progress: who listens is told each step before it begins.

After the spend there is one step only: who sees at which step a release failed has learned something about
the cause, and a cause may depend on the data (T36).
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

#: is told each step before it begins
TellStep = Callable[[str], None]

CHECKING = "checking the table"
COUNTING = "counting the records"
#: all that follows the spend
RELEASING = "reading the cells, drawing the noise, writing the release"


def silent(step: str) -> None:
    """Tell nobody of a step."""


def tell(progress: TellStep, step: str) -> None:
    """Tell a step; nobody who listens can make a release fail."""
    with suppress(Exception):
        progress(step)
