"""Made tables of shapes that real ones have now and then: held to the bar of real ones.

Heaps, zeros, far heaps, constants, two levels, dates, few and a million records; nothing was tuned to one.
"""

from __future__ import annotations

from made_tables import subjects
from table_bar import judge

EPSILONS = ("0.1", "1")
RELEASES = 6


def test_intervals_hold_made_tables() -> None:
    title = "Made tables: 90% intervals of the table itself"
    judge("made_tables", title, __file__, subjects, EPSILONS, RELEASES)
