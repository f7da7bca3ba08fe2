"""Which files of evidence have passed, and with which sources: what is current is not measured again.

A file counts as passed once all of its tests have, in one run and at full length. `make evidence` can so be
stopped and taken up again, and after a change measures what that change has reached.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import pytest
from record import ROOT, Certificate, sources_under

RUNS = Path(__file__).resolve().parent / "runs"
#: what makes a run shorter than it should be
_SHORTER = ("PRIVIOR_FUZZ_SECONDS",)
#: the marks that pyproject.toml always asks for, which leave out nothing of evidence
_USUAL = "not slow"


@dataclass(frozen=True)
class Run:
    """One file whose tests have all passed.

    Attributes:
        date: the day
        cpu_seconds: what it took, all processes together
        sources: the files that it ran with, and the hash of each
    """

    date: str
    cpu_seconds: float
    sources: dict[str, str]

    @property
    def stale(self) -> bool:
        """Whether the sources have changed since."""
        return sources_under(ROOT).hashes(self.sources) != self.sources

    @staticmethod
    def of(name: str) -> Run | None:
        """Read the last run of a file that passed; None if there is none."""
        path = RUNS / f"{name}.json"
        return Run(**json.loads(path.read_text("utf-8"))) if path.exists() else None

    def store(self, name: str) -> None:
        """Write it down."""
        RUNS.mkdir(exist_ok=True)
        (RUNS / f"{name}.json").write_text(json.dumps(asdict(self), indent=1) + "\n", "utf-8")


def listed() -> dict[str, Run | None]:
    """Return the last run of every file of evidence."""
    files = sorted(Path(__file__).resolve().parent.glob("test_*.py"))
    return {file.stem: Run.of(file.stem) for file in files}


@dataclass
class _File:
    """The tests of one file in this session, so far."""

    certificate: Certificate
    began: float
    left: set[str]
    passed: bool = True


@dataclass
class Current:
    """Skips what is current, and notes what has passed. A plugin of pytest.

    Attributes:
        anew: whether everything is measured again
        whole: whether all tests of a file run if one does, at full length
    """

    anew: bool
    whole: bool
    _files: dict[str, _File] = field(default_factory=dict)
    _tests: dict[str, set[str]] = field(default_factory=dict)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Skip the tests of files that have passed with the sources as they are."""
        for item in items:
            self._tests.setdefault(item.path.stem, set()).add(item.nodeid)
        current = {} if self.anew else {name: run for name in self._tests if (run := _current(name))}
        for item in items:
            if run := current.get(item.path.stem):
                item.add_marker(pytest.mark.skip(f"passed on {run.date} with these sources"))

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Hash the sources before the first test of a file begins."""
        name = item.path.stem
        if name not in self._files:
            reached = getattr(item.getparent(pytest.Module).obj, "CERTIFIES", ())  # type: ignore[union-attr]
            self._files[name] = _File(Certificate.of(item.path, *reached), _spent(), set(self._tests[name]))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note what has passed; what is skipped has not."""
        name = Path(report.nodeid.partition("::")[0]).stem
        found = self._files.get(name)
        if found is None:
            return
        found.passed &= report.passed
        if report.when != "teardown":
            return
        found.left.discard(report.nodeid)
        if not found.left and found.passed and self.whole:
            took = round(_spent() - found.began, 1)
            Run(datetime.now(UTC).date().isoformat(), took, found.certificate.narrowed()).store(name)


def _current(name: str) -> Run | None:
    run = Run.of(name)
    return None if run is None or run.stale else run


def _spent() -> float:
    """Return the CPU seconds of this process and of those it has waited for."""
    return sum(os.times()[:4])


def of_session(config: pytest.Config) -> Current:
    """Return the plugin for what was asked of pytest."""
    marks = config.option.markexpr not in ("", _USUAL)
    part = config.option.keyword or marks or any("::" in each for each in config.args)
    shorter = any(name in os.environ for name in _SHORTER)
    return Current(anew=config.option.anew, whole=not part and not shorter)
