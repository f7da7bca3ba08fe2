"""What the suite costs: CPU time by folder and of the twenty slowest tests, printed when the tests have run.

CPU-seconds, not time on the wall: machines that run tests are busy with other things. The programs that a
test starts count as its own, as soon as it has waited for them; so do fixtures, for the test that needs them
first. What belongs to no test stands apart: finding the tests, and the process that forks programs.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath
from typing import Any

import pytest

SLOWEST = 20
COLLECTING = "finding the tests"


class CpuReport:
    """Measures each phase of each test; the controller of several processes adds up what they say."""

    def __init__(self, spent: Callable[[], float] | None = None) -> None:
        """Take another clock than that of this process."""
        self._spent = spent or _spent
        self._last = self._spent()
        self._costs: defaultdict[str, float] = defaultdict(float)
        self._apart: defaultdict[str, float] = defaultdict(float)
        self._untold: dict[str, float] = {}

    def pytest_collection_finish(self) -> None:
        """Count what has been spent so far as nobody's."""
        now = self._spent()
        self._untold[COLLECTING] = now - self._last
        self._last = now

    @contextmanager
    def apart(self, what: str) -> Iterator[None]:
        """Count what is spent within as nobody's, under a name."""
        before = self._spent()
        yield
        took = self._spent() - before
        self._untold[what] = self._untold.get(what, 0.0) + took
        self._last += took

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Give a report the CPU-seconds since the one before, and what was nobody's."""
        report = yield
        now = self._spent()
        report.cpu, report.apart = now - self._last, self._untold
        self._last, self._untold = now, {}
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a report to the costs of its test, in whichever process it was made."""
        self._costs[report.nodeid] += getattr(report, "cpu", 0.0)
        for what, took in getattr(report, "apart", {}).items():
            self._apart[what] += took

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the report."""
        if self._costs:
            terminalreporter.section("CPU time")
            for line in lines(self._costs, self._apart):
                terminalreporter.write_line(line)


def lines(costs: dict[str, float], apart: dict[str, float]) -> list[str]:
    """Write CPU-seconds of tests as a report: by folder, largest first, then the slowest tests."""
    folders: defaultdict[str, list[float]] = defaultdict(list)
    for test, cost in costs.items():
        folders[_folder(test)].append(cost)
    by_folder = sorted(folders.items(), key=lambda found: -sum(found[1]))
    slowest = sorted(costs.items(), key=lambda found: -found[1])[:SLOWEST]
    total = sum(costs.values()) + sum(apart.values())
    return [
        f"{total / 60:.1f} CPU-minutes for {len(costs)} tests",
        *(f"{sum(found):8.1f} s {len(found):6} tests  {folder}" for folder, found in by_folder),
        *(f"{took:8.1f} s {'':12}  {what}" for what, took in apart.items()),
        f"the {len(slowest)} slowest tests",
        *(f"{cost:8.1f} s  {test}" for test, cost in slowest),
    ]


def _folder(test: str) -> str:
    """Return the folder of a test, below the one that holds all tests."""
    parents = PurePosixPath(test.partition("::")[0]).parent.parts
    return "/".join(parents[:2]) or "."


def _spent() -> float:
    """Return the CPU-seconds of this process and of those that it has waited for."""
    return sum(os.times()[:4])
