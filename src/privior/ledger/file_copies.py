"""Copies of a ledger's file, for reading it where nothing can be changed.

A write that was cut off left a journal beside the file, and SQLite undoes it before it reads. In a folder
that is read-only, or on a file system whose locks are not trusted, it cannot; nor can it read there what
older versions wrote with a log. So file and neighbours are copied, while nobody writes, and the copy is read.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from privior.errors import LedgerError
from privior.ledger.file_locks import opened
from privior.ledger.file_systems import refuse_unsafe

#: what SQLite lays beside a file: to undo a write, and of older versions what is new
_NEIGHBOURS = ("-journal", "-wal")
#: where the header of the file says that there may be a log, and how
_LOGGED_AT, _LOGGED = 18, b"\x02"


def must_be_copied(path: Path) -> bool:
    """Say whether SQLite cannot read a file where it lies."""
    real = path.resolve()
    neighbours = any(os.path.lexists(f"{real}{ending}") for ending in _NEIGHBOURS)
    if may_be_changed(real):
        return neighbours and not _is_safe(path)
    return neighbours or _has_log(path)


def may_be_changed(real: Path) -> bool:
    """Say whether this user may write a file, and beside it."""
    writable = real.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    return bool(writable) and all(os.access(place, os.W_OK) for place in (real, real.parent))


@contextmanager
def copied(path: Path, wait: float) -> Iterator[Path]:
    """Give a copy of a file, with what lies beside it, that may be changed; waits for who writes now."""
    with tempfile.TemporaryDirectory(prefix="privior-") as folder:
        copy = Path(folder) / "copy.ledger"
        try:
            with opened(path) as file, file.locked(path, wait):
                _copy(file.content(path), path.resolve(), copy)
        except OSError as error:
            reason = error.strerror or "no access"
            raise LedgerError(
                f"a write to the ledger was cut off, and it cannot be copied: {reason}",
                where=str(path),
                advice="Copy it, with what lies beside it, into a folder of your own, and read it there.",
            ) from None
        yield copy


def _copy(content: bytes, real: Path, copy: Path) -> None:
    copy.write_bytes(content)
    for ending in _NEIGHBOURS:
        if os.path.lexists(f"{real}{ending}"):
            shutil.copyfile(f"{real}{ending}", f"{copy}{ending}")


def _is_safe(path: Path) -> bool:
    try:
        refuse_unsafe(path)
    except LedgerError:
        return False
    return True


def _has_log(path: Path) -> bool:
    try:
        with opened(path) as file:
            return file.content(path, 100)[_LOGGED_AT : _LOGGED_AT + 1] == _LOGGED
    except OSError:
        return False  # nor can SQLite read it, and says so
