"""Files are read in a process of their own, which lives as long as one release (T38).

It has a private temporary folder, which is removed when it ends, however it ends. It says whether the table
fits the plan, then waits; told once to go, it answers once, with noisy statistics, and ends. If this side
dies it notices, removes the folder and ends as well.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

from privior.curator.channel import FOLDER, Channel, ChannelError, Message, refused
from privior.curator.incidents import EndedError, Incident, RecordedError
from privior.curator.one_thread import ONE_THREAD
from privior.curator.progress import COUNTING, TellStep, tell
from privior.errors import PlanError, TableError
from privior.models import Observed
from privior.plans import Plan
from privior.registry import extensions
from privior.release import to_payload

_START = (
    "import gc, sys; gc.set_threshold(100_000); sys.path[:] = sys.argv[1:]; "  # loading leaves no cycles
    "from privior.curator.worker import main; main()"
)
#: seconds that a killed process may take to be gone, and one that is done or says nothing more to end
_PATIENCE, _MOMENT = 10, 1


class RowProcess:
    """Another process, started here, that reads a file once it is told to, for one answer."""

    def __init__(self, order: Message, progress: TellStep) -> None:
        folder = _private_folder()
        try:
            self._child = _started(folder)
        except BaseException:
            _wipe(folder)
            raise
        self._owner = os.getpid()
        self._end = weakref.finalize(self, _end, self._child, folder, self._owner)
        self._folder = folder
        assert self._child.stdin is not None  # noqa: S101 - both are pipes
        assert self._child.stdout is not None  # noqa: S101
        self._channel = Channel(self._child.stdout, self._child.stdin)
        try:
            self._prepare(order, progress)
        except BaseException:
            self.close()
            raise

    def _prepare(self, order: Message, progress: TellStep) -> None:
        try:
            self._channel.send(order)
            answer = self._channel.receive()
            while answer == {"step": COUNTING}:
                tell(progress, COUNTING)
                answer = self._channel.receive()
            if "refused" in answer:
                refusal = refused(answer["refused"])
            elif answer == {"prepared": True}:
                return
            else:
                refusal = _gone()
        except ChannelError:
            refusal = _gone()
        raise refusal

    def check(self) -> None:
        """Raise if the process is gone, or belongs to another one: nothing has been spent yet."""
        if os.getpid() != self._owner:
            raise PlanError("this measurement was prepared in another process", advice="Prepare it here.")
        if self._child.poll() is not None:
            raise _gone()

    def answer(self, incident: Incident) -> Message:
        """Let the process read the cells; its steps are kept for the log alone."""
        try:
            self._channel.send({"go": incident.number})
            answer = self._channel.receive()
            while answer in ({"step": "reading"}, {"step": "drawing"}):
                incident.begin(str(answer["step"]))
                answer = self._channel.receive()
        except ChannelError:
            with suppress(subprocess.TimeoutExpired):
                self._child.wait(_MOMENT)
            raise EndedError(self._child.returncode) from None
        if "failed" in answer:
            raise RecordedError
        return answer

    def close(self) -> None:
        """End the process if it still runs, and remove its folder."""
        if self._end.alive:
            _end(self._child, self._folder, self._owner)
            self._end.detach()


class OwnProcess:
    """Reads a file for a release."""

    process: Literal["own", "shared"] = "own"

    def __init__(self, plans: Sequence[Plan], table: str, progress: TellStep) -> None:
        order: Message = {
            "plans": [plan.to_document() for plan in plans],
            "digests": [plan.digest for plan in plans],
            "table": table,
            "extensions": extensions(
                type(part) for one in plans for part in (one.model, one.mechanism, *one.model.parts)
            ),
        }
        self._rows = RowProcess(order, progress)

    def noisy(self, incident: Incident) -> tuple[Observed, ...]:
        """Let the process read the cells and draw the noise."""
        statistics = self._rows.answer(incident)["statistics"]
        if not isinstance(statistics, list):
            raise EndedError(None)
        return tuple(map(to_payload, statistics))

    def check(self) -> None:
        """Raise if the process is gone, or belongs to another one: nothing has been spent yet."""
        self._rows.check()

    def close(self) -> None:
        """End the process if it still runs, and remove its folder."""
        self._rows.close()


def _private_folder() -> str:
    try:
        return tempfile.mkdtemp(prefix=FOLDER)  # 0700
    except OSError:
        raise TableError(
            "no temporary folder can be made for the process that reads the table",
            advice="Set TMPDIR to a folder with free space.",
        ) from None


def _started(folder: str) -> subprocess.Popen[bytes]:
    """Start the process: what it can import is what this one can, and no PYTHON... variable has a say."""
    try:
        return subprocess.Popen(  # noqa: S603 - this interpreter and this library
            _program(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **ONE_THREAD, "TMPDIR": folder, "TMP": folder, "TEMP": folder},
            start_new_session=True,  # Ctrl-C reaches this process alone, which then ends the other
        )
    except (OSError, ValueError):
        raise _gone() from None


def _program() -> list[str]:
    path = [entry for entry in sys.path if entry]
    root = str(Path(__file__).parents[2])
    return [sys.executable, "-I", "-c", _START, *([] if root in path else [root]), *path]


def _end(child: subprocess.Popen[bytes], folder: str, owner: int) -> None:
    """End the process and remove its folder; not in a fork, which has a copy of what is not its own."""
    if os.getpid() != owner:
        return
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    try:
        child.wait(_MOMENT)  # without its pipes it removes the folder itself, also if this side is killed now
    except subprocess.TimeoutExpired:
        child.kill()
        with suppress(subprocess.TimeoutExpired):
            child.wait(_PATIENCE)
    _wipe(folder)


def _wipe(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _gone() -> TableError:
    return TableError(
        "the process that reads the table could not be started, or is gone",
        advice="Prepare the release again; privior doctor looks at this machine.",
    )
