"""File locks: one process at a time writes a file, by whatever path it came to it.

SQLite's own locks are dropped as soon as their process closes any descriptor of the same file, such as one by
which another thread makes a backup. Whoever writes therefore holds a `flock` too, which belongs to one
descriptor. This descriptor is shared by the threads of a process, which take turns, and is itself closed
only when no connection of the process to the file is left.
SQLite also remembers in its process which locks it has. A child that was forked while a thread of its parent
had a connection remembers locks that it has not: it would read without any, and wait in vain for the
connection to be closed. So it is refused.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from privior.errors import LedgerError

if sys.platform != "win32":
    import fcntl

_LONGEST_PAUSE = 0.05  # seconds between two looks at a lock that somebody else has


class OpenFile:
    """A file to which this process has connections."""

    def __init__(self, inode: tuple[int, int]) -> None:
        self.inode = inode
        self.users = 0
        self.connections = 0
        self.descriptor: int | None = None
        self._turn = threading.Lock()
        self._count = threading.Lock()

    @contextmanager
    def locked(self, path: Path, wait: float) -> Iterator[None]:
        """Keep everybody else from writing, after waiting for them some seconds at most."""
        until = time.monotonic() + wait
        if not self._turn.acquire(timeout=wait):
            raise _busy(path)
        try:
            if sys.platform == "win32":  # where SQLite's locks belong to its own handle
                yield
                return
            descriptor = self._opened(path)
            pause = 0.001
            while not _locked_now(descriptor):
                if time.monotonic() > until:
                    raise _busy(path)
                time.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
            try:
                if {_inode(os.fstat(descriptor)), _inode(path.stat())} != {self.inode}:
                    raise LedgerError("the ledger was replaced at this moment", where=str(path))
                yield
            finally:
                if self.descriptor is not None:  # else this is a child that forked off meanwhile
                    fcntl.flock(self.descriptor, fcntl.LOCK_UN)
        finally:
            self._turn.release()

    @contextmanager
    def connected(self) -> Iterator[None]:
        """Say that SQLite has the file open, as long as the context lasts."""
        with self._count:
            self.connections += 1
        try:
            yield
        finally:
            with self._count:
                self.connections -= 1

    def content(self, path: Path, size: int | None = None) -> bytes:
        """Read the file, or its first bytes, by the descriptor that stays while there are connections."""
        if sys.platform == "win32":
            return path.read_bytes()[:size]
        descriptor = self._opened(path)
        return os.pread(descriptor, os.fstat(descriptor).st_size if size is None else size, 0)

    def _opened(self, path: Path) -> int:
        with self._count:
            if self.descriptor is None:
                self.descriptor = os.open(path, os.O_RDONLY)
            return self.descriptor


class _OpenFiles:
    """All files to which this process has connections, by device and inode."""

    def __init__(self) -> None:
        self._files: dict[tuple[int, int], OpenFile] = {}
        self._guard = threading.Lock()
        self._left_open: set[tuple[int, int]] = set()

    @contextmanager
    def opened(self, path: Path) -> Iterator[OpenFile]:
        inode = _inode(path.stat())
        if inode in self._left_open:
            raise LedgerError(
                "this process was forked while its parent had the ledger open, and cannot lock it",
                where=str(path),
                advice="Start processes anew (spawn), or fork while no thread uses the ledger.",
            )
        with self._guard:
            file = self._files.setdefault(inode, OpenFile(inode))
            file.users += 1
        try:
            yield file
        finally:
            with self._guard:
                file.users -= 1
                if file.users == 0 and self._files.get(inode) is file:
                    del self._files[inode]
                    if file.descriptor is not None:
                        os.close(file.descriptor)

    def forget(self) -> None:
        """Begin anew in a child: a descriptor that it has from its parent would share the parent's lock."""
        for file in self._files.values():
            if file.connections:
                self._left_open.add(file.inode)
            if file.descriptor is not None:
                os.close(file.descriptor)
                file.descriptor = None
        self._files, self._guard = {}, threading.Lock()


_open_files = _OpenFiles()
if sys.platform != "win32":
    os.register_at_fork(after_in_child=_open_files.forget)


def opened(path: Path) -> AbstractContextManager[OpenFile]:
    """Say that there is a connection to a file, as long as the context lasts."""
    return _open_files.opened(path)


def _inode(facts: os.stat_result) -> tuple[int, int]:
    return facts.st_dev, facts.st_ino


def _locked_now(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _busy(path: Path) -> LedgerError:
    return LedgerError(
        "cannot write the ledger: another process holds it",
        where=str(path),
        advice="Try again; if it stays so, look for a stuck process.",
    )
