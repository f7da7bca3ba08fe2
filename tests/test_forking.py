"""Programs that are forked behave like programs that are started: compared with those of `subprocess`."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import forking
from child_program import at

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is forked")
SEES = """
import json, os, signal, sys, tempfile
print(json.dumps([sys.argv, sys.path[:1], os.getcwd(), os.getppid(), os.environ.get("FRUIT"),
    "HOME" in os.environ, os.getsid(0) == os.getpid(), tempfile.gettempdir(), sys.stdin.read(),
    sys.stdout.line_buffering, signal.getsignal(signal.SIGINT) is signal.default_int_handler,
    os.umask(0o022), __name__,
    sorted(os.listdir("/proc/self/fd"), key=int)[:3], "privior" in sys.modules]))
"""
CODES = {
    "ends": "print('apple')",
    "exits": "import sys; print('apple'); sys.exit(3)",
    "exits with words": "import sys; sys.exit('apple')",
    "exits at the end": "import atexit; atexit.register(lambda: print('apple'))",
    "raises": "raise KeyError('apple')",
    "is interrupted": "import os, signal; os.kill(os.getpid(), signal.SIGINT)",
    "is killed": "import os, signal; print('apple', flush=True); os.kill(os.getpid(), signal.SIGKILL)",
    "leaves": "import os; os._exit(9)",
    "has a thread": "import threading; threading.Timer(0.1, print, ['apple']).start()",
}


@pytest.mark.parametrize("isolated", [False, True])
@pytest.mark.parametrize("session", [False, True])
def test_a_program_finds_what_it_was_given(isolated: bool, session: bool, tmp_path: Path) -> None:
    command = [sys.executable, *(["-I"] if isolated else []), "-c", SEES, "a", "früchte \udcff"]
    environment = {**os.environ, "FRUIT": "pear", "TMPDIR": str(tmp_path)}
    del environment["HOME"]
    (tmp_path / "fruit").write_text("plum")
    seen = []
    for run in (forking.run, subprocess.run):
        with open(tmp_path / "fruit") as file:
            ended = run(
                command, cwd=tmp_path, env=environment, stdin=file, stdout=subprocess.PIPE, text=True,
                start_new_session=session,
            )  # fmt: skip
        seen.append(json.loads(ended.stdout))
    for found in seen if isolated else ():
        found[1] = "the path of an isolated program is another one"
    assert seen[0] == seen[1]
    assert seen[0][3] == os.getpid()


@pytest.mark.parametrize("name", CODES)
def test_a_program_ends_as_it_would(name: str) -> None:
    command = [sys.executable, "-c", CODES[name]]
    forked = forking.run(command, capture_output=True, text=True)
    started = subprocess.run(command, capture_output=True, text=True)
    assert (forked.returncode, forked.stdout) == (started.returncode, started.stdout)
    assert forked.stderr.splitlines()[-1:] == started.stderr.splitlines()[-1:]


def test_a_program_is_a_child_that_can_be_killed_and_waited_for() -> None:
    with forking.Popen([sys.executable, "-c", "input()"], stdin=forking.PIPE) as process:
        assert process.poll() is None
        assert Path(f"/proc/{process.pid}").exists()
        process.kill()
        assert process.wait(10) == -signal.SIGKILL


@pytest.mark.parametrize("variable", ["PYTHONUTF8", "LC_ALL", "PYTHONPATH"])
def test_what_cannot_be_imitated_is_started_anew(variable: str) -> None:
    code = "import sys; print('forking' in sys.modules)"
    given = {**os.environ, variable: "0" if variable == "PYTHONUTF8" else "C"}
    command = [sys.executable, "-c", code]
    assert forking.run(command, capture_output=True, text=True).stdout == "True\n"
    assert forking.run(command, capture_output=True, text=True, env=given).stdout == "False\n"


def test_what_is_planted_is_planted_everywhere() -> None:
    """Who took a function from where it is defined has the changed one, imported or not; no one else has."""
    then = "import privior.release.release as r\ntry: r.write_whole()\nexcept TypeError: print('pear')"
    for place, says in {"whole_files": "apple\npear\n", "report": "pear\n"}.items():
        code = at(f"privior.{place}:write_whole", "print('apple')") + then
        for run in (forking.run, subprocess.run):
            assert run([sys.executable, "-c", code], capture_output=True, text=True).stdout == says
