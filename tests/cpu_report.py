"""What the suite costs: CPU time by folder and of the twenty slowest tests, printed when the tests have run.

CPU-seconds, not time on the wall: machines that run tests are busy with other things. The programs that a
test starts count as its own, as soon as it has waited for them; so do fixtures, for the test that needs them
first.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Generator
from pathlib import PurePosixPath
from typing import Any

import pytest

SLOWEST = 20


class CpuReport:
    """Measures each phase of each test; the controller of several processes adds up what they say."""

    def __init__(self) -> None:
        self._last = _spent()
        self._costs: defaultdict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self) -> Generator[None, Any, Any]:
        """Give a report the CPU-seconds since the one before."""
        report = yield
        now = _spent()
        report.cpu = now - self._last
        self._last = now
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add a report to the costs of its test, in whichever process it was made."""
        self._costs[report.nodeid] += getattr(report, "cpu", 0.0)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the report."""
        if self._costs:
            terminalreporter.section("CPU time")
            for line in lines(self._costs):
                terminalreporter.write_line(line)


def lines(costs: dict[str, float]) -> list[str]:
    """Write CPU-seconds of tests as a report: by folder, largest first, then the slowest tests."""
    folders: defaultdict[str, list[float]] = defaultdict(list)
    for test, cost in costs.items():
        folders[_folder(test)].append(cost)
    by_folder = sorted(folders.items(), key=lambda found: -sum(found[1]))
    slowest = sorted(costs.items(), key=lambda found: -found[1])[:SLOWEST]
    total = sum(costs.values())
    return [
        f"{total / 60:.1f} CPU-minutes for {len(costs)} tests",
        *(f"{sum(found):8.1f} s {len(found):6} tests  {folder}" for folder, found in by_folder),
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
