"""The report of what the suite costs: each second once, with its test, its folder or by itself."""

from __future__ import annotations

from collections.abc import Generator
from types import SimpleNamespace
from typing import Any

from cpu_report import COLLECTING, CpuReport, lines


def test_folders_come_first_and_then_the_slowest_tests() -> None:
    costs = {f"tests/a/test_x.py::test[{one}]": float(one) for one in range(30)} | {
        "tests/test_y.py::t": 36.0
    }
    report = lines(costs, {"forking": 9.0})
    assert report[0] == "8.0 CPU-minutes for 31 tests"
    assert [line.split() for line in report[1:4]] == [
        ["435.0", "s", "30", "tests", "tests/a"],
        ["36.0", "s", "1", "tests", "tests"],
        ["9.0", "s", "forking"],
    ]
    assert report[4] == "the 20 slowest tests"
    assert [line.split()[-1] for line in report[5:7]] == ["tests/test_y.py::t", "tests/a/test_x.py::test[29]"]
    assert len(report) == 25


def test_what_belongs_to_no_test_is_counted_apart() -> None:
    clock = iter([0.0, 10.0, 13.0, 20.0, 24.0, 25.0])
    found = CpuReport(lambda: next(clock))
    found.pytest_collection_finish()
    reports: list[Any] = [_made(found)]
    with found.apart("forking"):
        pass
    reports.append(_made(found))
    for report in reports:
        report.nodeid = "tests/a/test_x.py::test"
        found.pytest_runtest_logreport(report)
    assert dict(found._costs) == {"tests/a/test_x.py::test": 3.0 + 8.0}
    assert dict(found._apart) == {COLLECTING: 10.0, "forking": 4.0}


def _made(found: CpuReport) -> Any:
    """Let a report be made."""
    making: Generator[None, Any, Any] = found.pytest_runtest_makereport()
    next(making)
    try:
        making.send(SimpleNamespace())
    except StopIteration as ended:
        return ended.value
    raise AssertionError
