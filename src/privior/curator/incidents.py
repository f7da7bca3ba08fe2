"""Incidents: what failed after a spend, told to nobody but the curator's log.

Its lines hold the incident's number, the step, the classes of the errors and the lines of code where they
arose. They never hold the message of an error, an argument or a local value, so no cell can get there (T38).
The number comes from the ledger entry, not from the cause, so answers to different causes are the same bytes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from privior.ledger import made_state_folder, state_folder

#: longer chains and deeper traces are cut
_MOST = 64


class RecordedError(Exception):
    """Something failed in another process, which has recorded it."""


class EndedError(Exception):
    """Another process ended without an answer.

    Attributes:
        code: its exit code, or minus the signal that ended it
    """

    def __init__(self, code: int | None) -> None:
        self.code = code
        super().__init__("ended without an answer")


class Incident:
    """A failure that may yet happen to the release of one ledger entry.

    Attributes:
        number: of the incident, from its ledger entry
        step: what is being done now: reading, drawing or writing
    """

    def __init__(self, number: str, step: str = "reading", tell: Callable[[str], None] | None = None) -> None:
        self.number = number
        self.step = step
        self._tell = tell

    def begin(self, step: str) -> None:
        """Note which step begins, and tell it where that is wanted."""
        self.step = step
        if self._tell is not None:
            self._tell(step)

    def record(self, error: BaseException) -> None:
        """Write one line about a failure; if it cannot be written, nobody learns of that either."""
        if isinstance(error, RecordedError):
            return
        with suppress(Exception):
            _append(json.dumps(self._line(error)) + "\n")

    def _line(self, error: BaseException) -> dict[str, object]:
        chain: list[BaseException] = []
        found: BaseException | None = error
        while found is not None and found not in chain and len(chain) < _MOST:
            chain.append(found)
            found = found.__cause__ or found.__context__
        line: dict[str, object] = {
            "incident": self.number,
            "step": self.step,
            "errors": [f"{type(link).__module__}.{type(link).__qualname__}" for link in chain],
            "frames": [frame for link in chain for frame in _frames(link.__traceback__)][:_MOST],
        }
        return {**line, "ended": error.code} if isinstance(error, EndedError) else line


def _frames(trace: TracebackType | None) -> list[str]:
    found = []
    while trace is not None:
        code = trace.tb_frame.f_code
        found.append(f"{code.co_filename}:{trace.tb_lineno} {code.co_name}")
        trace = trace.tb_next
    return found


def log_file() -> Path:
    """Return where the curator's log lies."""
    return state_folder() / "curator.log"


def _append(line: str) -> None:
    """Append a line to the log, which only its owner can read; one write, so that lines never mix."""
    made_state_folder()
    place = log_file()
    handle = os.open(place, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    try:
        os.fchmod(handle, 0o600)
        os.write(handle, line.encode("ascii"))
    finally:
        os.close(handle)
