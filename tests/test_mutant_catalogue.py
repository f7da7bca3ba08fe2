"""The catalogue of planted faults does not rot: what it changes is still there, and so are its tests."""

from __future__ import annotations

import ast

import pytest
from faults import FAULTS, Fault
from mutants import FELL, planted
from record import PACKAGE, ROOT

PARTS = {
    *("privacy", "randomness", "mechanisms", "models", "tables", "ledger", "curator", "release", "posterior"),
    *("queries", "decisions", "planning", "smoothness", "theory", "papers", "pictures", "cli", "schema"),
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_can_still_be_planted_and_its_tests_are_there(fault: Fault) -> None:
    ast.parse(planted(fault, (PACKAGE / fault.source).read_text("utf-8")))  # else any test would notice
    assert fault.old != fault.new
    assert fault.tests
    for test in fault.tests:
        path, _, name = test.partition("::")
        assert (ROOT / path).exists(), test
        assert not name or f"def {name}(" in (ROOT / path).read_text("utf-8"), test


def test_faults_have_names_of_their_own_and_lie_in_all_parts() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) >= 30
    assert {fault.source.partition("/")[0] for fault in FAULTS} >= PARTS


def test_a_text_that_does_not_occur_once_is_refused() -> None:
    fault = Fault("twice", "nothing", "here.py", "a", "b", ("tests",))
    assert planted(fault, "a c") == "b c"
    for text in ("a a", "c"):
        with pytest.raises(ValueError, match="twice: its text occurs"):
            planted(fault, text)


@pytest.mark.parametrize(
    "name",
    ["tests/a.py", "tests/a.py::test_b", "tests/a.py::test_b[one-y ~ a - 1]", "tests/a.py::test_b[x[0]]"],
)
def test_the_name_of_a_test_that_fell_is_read_whole(name: str) -> None:
    for line in (f"FAILED {name}", f"FAILED {name} - assert [1] - 2", f"ERROR {name} - x"):
        found = FELL.search(f"....\n{line}\nmore")
        assert found is not None
        assert found[1] == name
