"""What `tests/frozen` leaves out because it takes long: plans made anew, and posteriors by chains."""

from __future__ import annotations

from pathlib import Path

import frozen_answers as fa
import pytest
from frozen_answers import Document
from test_frozen import FROZEN, RELEASES, check, name_of

DOORS = {"questions": fa.answers_on_the_command_line, "calls": fa.said, "decisions": fa.decided}
SLOW = [
    pytest.param(several, one, id=f"{several}-{name_of(one)}")
    for several in DOORS
    for one in FROZEN[several]
    if "slow" in one
]


@pytest.mark.parametrize(("several", "one"), SLOW)
def test_slow_answers_stay(several: str, one: Document) -> None:
    assert check(one, DOORS[several](RELEASES, one)) == []


@pytest.mark.parametrize("one", [one for one in FROZEN["planned"] if "slow" in one], ids=name_of)
def test_planning_anew_gives_the_same_plan(one: Document, tmp_path: Path) -> None:
    assert fa.planned(RELEASES / one["like"], one["ask"], tmp_path) == one["plan"]
