"""Real tables: 90% intervals of a table's own counts, shares, mean and tails hold them, at no more width.

Columns and pairs of the tables beside the repository, fresh releases with default settings: the planner's
noise and the prior that is learned. The plain interval is that of the same noise's own quantiles.
"""

from __future__ import annotations

import pytest
from real_tables import FOLDER, subjects
from table_bar import judge

EPSILONS = ("0.05", "0.1", "0.5", "1", "2")
RELEASES = 30


@pytest.mark.skipif(not FOLDER.exists(), reason="the real tables are not beside the repository")
def test_intervals_hold_real_tables() -> None:
    assert len(list(subjects())) >= 30
    title = "Real tables: 90% intervals of the table itself"
    judge("real_tables", title, __file__, subjects, EPSILONS, RELEASES)
