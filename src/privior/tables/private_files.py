"""Private files: what holds exact counts between two runs. Its owner alone can read it, from its first byte.

One program at a time has it open: whoever opens it holds a lock on a file beside it (`NAME.lock`), which the
operating system gives back when that program ends, however it ends. What is written takes the file's place
once it is whole and on the disk.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from privior.errors import TableError, shown
from privior.whole_files import folder_missing, read_whole, write_whole

if sys.platform != "win32":
    import fcntl

_PAUSE = 0.01
#: seconds that one program waits for another
WAIT = 20.0
_LARGEST = 2**30


class PrivateFile:
    """One private file, open for this program alone until it is closed."""

    def __init__(self, path: str | Path, wait: float = WAIT) -> None:
        self._lock: int | None = None
        try:
            self.path = Path(path).absolute()
            flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
            self._lock = os.open(f"{self.path}.lock", flags, 0o600)
        except (OSError, ValueError, TypeError):
            raise TableError(
                "the private file cannot be opened there",
                where=shown(str(path)),
                advice=folder_missing(str(path)),
            ) from None
        until = time.monotonic() + wait
        while not self._taken():
            if time.monotonic() > until:
                self.close()
                raise TableError("another program has this private file open", where=str(self.path))
            time.sleep(_PAUSE)

    def _taken(self) -> bool:
        if sys.platform == "win32" or self._lock is None:
            return True
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def create(self, text: str) -> None:
        """Write the first content; the name must be free."""
        if self.path.exists() or self.path.is_symlink():
            raise TableError("the file exists already", where=str(self.path), advice="Choose another name.")
        self.write(text)

    def read(self) -> str:
        """Return the whole content as text, or say that the file cannot be read."""
        try:
            return read_whole(self.path, _LARGEST).decode("utf-8")
        except (OSError, ValueError):
            raise TableError("the private file cannot be read", where=str(self.path)) from None

    def write(self, text: str) -> None:
        """Put a new content in the place of the old one, whole or not at all."""
        if self._lock is None:
            raise TableError("this private file was closed", where=str(self.path))
        try:
            write_whole(self.path, text, private=True)
            self._sync_folder()
        except (OSError, ValueError):
            raise TableError("the private file cannot be written", where=str(self.path)) from None

    def _sync_folder(self) -> None:
        """See that the new content has its name on the disk too, before anything rests on it."""
        if sys.platform == "win32":
            return
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def close(self) -> None:
        """Give up the lock, so that another program may open the file; nothing is written from now on."""
        handle, self._lock = self._lock, None
        if handle is not None:
            os.close(handle)

    def __del__(self) -> None:
        self.close()
