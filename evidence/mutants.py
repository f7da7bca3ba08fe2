"""Runs the tests against planted faults, one at a time: a guard that never falls is no guard.

python evidence/mutants.py [name ...]

The package is copied to a temporary folder, one fault of the catalogue (`faults`) is planted in the copy, and
the tests named with the fault run with that copy first on the path, in one process; what they start inherits
the path. A fault is caught if a test fails, and survives if none does, or if the tests do not end in time. It
is invalid if pytest itself cannot run them: then nothing is known.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from faults import FAULTS, Fault
from hypothesis import Phase, settings
from record import PACKAGE, ROOT

#: seconds that the tests of one fault may take
_PATIENCE = 1800
#: what pytest says of a test that fell, or whose fixtures did
FELL = re.compile(r"^(?:FAILED|ERROR) (tests/[^\s\[]+(?:\[.*?\](?= - |$))?)", re.MULTILINE)
#: how pytest ends: all passed, some failed
_PASSED, _FAILED = 0, 1


@dataclass(frozen=True)
class Verdict:
    """What became of one fault.

    Attributes:
        fault: what was planted
        state: "caught", "survived", "late" (the tests did not end) or "invalid" (they could not run)
        test: the first test that fell; empty if none did
        cpu: CPU-seconds that it took
        said: the end of what pytest printed
    """

    fault: Fault
    state: str
    test: str
    cpu: float
    said: str

    @property
    def caught(self) -> bool:
        """Whether a test fell."""
        return self.state == "caught"


def judged(fault: Fault) -> Verdict:
    """Plant a fault in a copy of the package and run its tests on that copy."""
    with _copy() as sources:
        place = sources / PACKAGE.name / fault.source
        text = place.read_text("utf-8")
        place.write_text(planted(fault, text), "utf-8")
        if "numba" in text:  # a compiled loop does not notice changes of loops that it calls
            for kept in sources.rglob("*.nbi"):
                kept.unlink()
        before = _spent()
        code, said = _run(sources, ["-x", *fault.tests])
    fell = FELL.search(said)
    state = {_PASSED: "survived", _FAILED: "caught", None: "late"}.get(code, "invalid")
    if state == "caught" and fell is None:
        state = "invalid"
    return Verdict(fault, state, fell[1] if fell else "", _spent() - before, said[-3000:])


def sound(tests: Sequence[str]) -> str:
    """Run tests without a fault; return what pytest says if one falls, else nothing."""
    with _copy() as sources:
        code, said = _run(sources, tests)
    return "" if code == _PASSED else said[-3000:]


def planted(fault: Fault, text: str) -> str:
    """Return a source with the fault in it; the text that it replaces must be there once."""
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.name}: its text occurs {text.count(fault.old)} times in {fault.source}")
    return text.replace(fault.old, fault.new)


@contextmanager
def _copy() -> Iterator[Path]:
    """Give a folder with a copy of the package, compiled files included: they are valid for what is equal."""
    with tempfile.TemporaryDirectory(prefix="privior-mutant-") as folder:
        shutil.copytree(PACKAGE, Path(folder) / PACKAGE.name)
        yield Path(folder)


def _run(sources: Path, arguments: Sequence[str]) -> tuple[int | None, str]:
    """Run pytest with these sources first on the path; no code if it did not end in time."""
    beside = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    paths = os.pathsep.join([str(sources), *beside])
    environment = {
        **os.environ,
        "PYTHONPATH": paths,
        "HYPOTHESIS_STORAGE_DIRECTORY": str(sources / "examples"),
    }
    plugins = ["-p", "no:cacheprovider", "-p", Path(__file__).stem, "--hypothesis-seed=0"]
    command = [sys.executable, "-m", "pytest", "-q", "-rfE", "--tb=short", *plugins, *arguments]
    try:
        ended = subprocess.run(
            [*command, f"--basetemp={sources / 'tests'}"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=_PATIENCE,
        )
    except subprocess.TimeoutExpired as late:
        return None, str(late.stdout or "")
    return ended.returncode, ended.stdout


def pytest_configure() -> None:
    """Let hypothesis be content with the first example that fails; pytest calls this, before it collects."""
    settings.register_profile("mutants", deadline=None, phases=[Phase.explicit, Phase.generate])
    settings.load_profile("mutants")


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> None:
    """Judge the faults that are named, or all, and print a table."""
    known = {fault.name: fault for fault in FAULTS}
    names = sys.argv[1:] or list(known)
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no such fault: {', '.join(unknown)}; there are {', '.join(known)}")
    found = []
    for name in names:
        verdict = judged(known[name])
        found.append(verdict)
        print(f"{verdict.state:9} {verdict.cpu:6.1f} s  {name:32} {verdict.test}", flush=True)
        if not verdict.caught:
            print(verdict.said)
    caught = sum(verdict.caught for verdict in found)
    print(f"{caught} of {len(found)} caught in {sum(verdict.cpu for verdict in found) / 60:.1f} CPU-minutes")
    sys.exit(caught < len(found))


if __name__ == "__main__":
    main()
