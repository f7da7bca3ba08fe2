"""Runs `privior` as people do: without a terminal, or on a pseudo-terminal where keys are typed."""

from __future__ import annotations

import io
import os
import pty
import re
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import forking
from privior.cli import main

PROGRAM = [sys.executable, "-c", forking.COMMAND_LINE]
ESCAPE = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
_PATIENCE = 120


@dataclass(frozen=True)
class Ended:
    """How a run ended; on a terminal everything is in `output`, as shown."""

    code: int
    output: str
    errors: str = ""

    @property
    def plain(self) -> str:
        """The output without colours, one kind of line end."""
        return ESCAPE.sub("", self.output).replace("\r\n", "\n").replace("\r", "\n")


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "PRIVIOR_LEDGER")}
    return {**kept, "TERM": "xterm-256color", "COLUMNS": "100", "LINES": "40", **(extra or {})}


def run(
    arguments: Sequence[object],
    folder: Path,
    extra: Mapping[str, str] | None = None,
    program: Sequence[str] = (),
    *,
    anew: bool = False,
) -> Ended:
    """Run without a terminal: pipes, and no input; in a Python that is started anew if that matters."""
    start = subprocess.run if anew else forking.run
    ended = start(
        [*(program or PROGRAM), *map(str, arguments)],
        cwd=folder,
        env=environment(extra),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=_PATIENCE,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def inside(arguments: Sequence[str], monkeypatch: pytest.MonkeyPatch) -> int:
    """Run the program in this process and return its exit code."""
    monkeypatch.setattr(sys, "argv", ["privior", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def run_here(arguments: Sequence[object], folder: Path, extra: Mapping[str, str] | None = None) -> Ended:
    """Run as without a terminal, but in this process: for tests of what commands do, not of how they end."""
    output, errors = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        open(os.devnull) as nothing,
        redirect_stdout(output),
        redirect_stderr(errors),
    ):
        patch.chdir(folder)
        for name in set(os.environ) - set(found := environment(extra)):
            patch.delenv(name)
        for name, value in found.items():
            patch.setenv(name, value)
        patch.setattr(sys, "stdin", nothing)
        code = inside([*map(str, arguments)], patch)
    return Ended(code, output.getvalue(), errors.getvalue())


def run_on_terminal(
    arguments: Sequence[object],
    folder: Path,
    answers: Mapping[str, str] | None = None,
    extra: Mapping[str, str] | None = None,
    *,
    anew: bool = False,
) -> Ended:
    """Run on a pseudo-terminal; when a text of `answers` appears, its keys are typed."""
    ours, theirs = pty.openpty()
    command = [*PROGRAM, *map(str, arguments)]
    given: dict[str, Any] = {"cwd": folder, "env": environment(extra), "start_new_session": True}
    given |= dict.fromkeys(("stdin", "stdout", "stderr"), theirs)
    if anew or sys.platform != "linux":
        process: subprocess.Popen[Any] = subprocess.Popen(command, preexec_fn=_own_terminal, **given)
    else:
        process = forking.Popen(command, controls_terminal=True, **given)
    os.close(theirs)
    waiting = dict(answers or {})
    seen = b""
    end = time.monotonic() + _PATIENCE
    while time.monotonic() < end:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                piece = os.read(ours, 65536)
            except OSError:
                break
            if not piece:
                break
            seen += piece
        elif process.poll() is not None:
            break
        for prompt in [prompt for prompt in waiting if prompt in seen.decode(errors="replace")]:
            os.write(ours, waiting.pop(prompt).encode())
    code = process.wait(timeout=10)
    os.close(ours)
    return Ended(code, seen.decode(errors="replace"))


def _own_terminal() -> None:
    """Make the pseudo-terminal the one whose Ctrl-C interrupts the program."""
    import fcntl
    import termios

    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
