"""What was published, as plain values: every form is read back, and what is none is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest

import privior as pv
from privior.models import Layout, Observed
from privior.release import payload_document, to_payload
from privior.release.payload import payload_format

ONE = Observed.of([3, -1, 2])
DRAWS = Observed.of([1, 2, 3, 4, 5, 6], "draws", (2, 3), 53)
POINTS = Observed.of([2**80, 7], "points", places=-3)
SEVERAL = Observed((Layout("counts", (2,)), Layout("tables", (2, 1, 3), 4)), ((1, 2), (1, 2, 3, 4, 5, 6)))


@pytest.mark.parametrize(
    ("observed", "written", "since"),
    [
        (ONE, {"counts": [3, -1, 2]}, 1),
        (DRAWS, {"places": 53, "draws": [[1, 2, 3], [4, 5, 6]]}, 3),
        (POINTS, {"places": -3, "points": [2**80, 7]}, 5),
        (Observed.of([1], "own"), {"places": 0, "own": [1]}, 6),
        (
            SEVERAL,
            {"arrays": [{"counts": [1, 2]}, {"places": 4, "tables": [[[1, 2, 3]], [[4, 5, 6]]]}]},
            6,
        ),
    ],
    ids=["counts", "draws", "points", "own", "several"],
)
def test_every_form_is_written_as_before_and_read_back(
    observed: Observed, written: dict[str, Any], since: int
) -> None:
    assert payload_document(observed) == written
    assert payload_format(observed) == since
    assert to_payload(json.loads(json.dumps(written)), since) == observed
    if since > 1:
        with pytest.raises(pv.ReleaseError):
            to_payload(written, since - 1)


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        [],
        {},
        {"counts": 3},
        {"counts": []},
        {"counts": [[1], [2, 3]]},
        {"counts": [[1], 2]},
        {"counts": [1], "places": 0},
        {"draws": [[1]]},
        {"places": True, "draws": [[1]]},
        {"places": "3", "draws": [[1]]},
        {"places": 1, "draws": [[]]},
        {"arrays": []},
        {"arrays": {}},
        {"arrays": [{"counts": [1]}, {"counts": [2]}]},
        {"arrays": [{"counts": [1]}], "counts": [1]},
        {"places": 1, "deep": [[[[[[[[[1]]]]]]]]]},
    ],
    ids=str,
)
def test_what_is_no_payload_is_refused(wrong: object) -> None:
    with pytest.raises(pv.ReleaseError):
        to_payload(wrong)
