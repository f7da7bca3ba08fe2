"""Whole files: written completely and durably, or not at all; read only if they are files, and not too large.

The one door through which files that somebody names are read whole: schemas, analyses, releases.
"""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from contextlib import suppress
from io import BufferedReader
from pathlib import Path

_DRAFT = ".privior-draft-"


#: larger files are refused; a release of a million cells needs less
LARGEST_FILE = 64 * 2**20
_PIECE = 2**20
#: so that neither a pipe nor a terminal can keep whoever opens it waiting
_READING = (
    os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
)


#: what a file is by its first bytes, or else by the end of its name, and which command reads it
_BEGINNINGS = {
    b"SQLite format 3\0": "a ledger, or another SQLite file: privior ledger show FILE",
    b"PAR1": "a Parquet table: privior init FILE drafts an analysis of it",
    b"{": "a JSON file, as releases are: privior ask FILE QUESTION",
}
_ENDINGS = {
    (".toml",): "a TOML file, as analyses are: privior plan FILE",
    (".csv", ".tsv", ".csv.gz", ".tsv.gz"): "a table: privior init FILE drafts an analysis of it",
}


def what_it_is(path: str | Path, taken_for: str) -> str | None:
    """Say what a file seems to be, by its first bytes or its name, and which command reads it.

    Args:
        path: where it is
        taken_for: what it was read as, in a word; nothing is said of a file that seems to be that
    """
    try:
        handle = os.open(path, _READING | getattr(os, "O_BINARY", 0))
        try:
            regular = stat.S_ISREG(os.fstat(handle).st_mode)
            begins = os.read(handle, 16).lstrip() if regular else b""
        finally:
            os.close(handle)
    except (OSError, TypeError, ValueError):
        return None
    ends = str(path).lower()
    found = [said for start, said in _BEGINNINGS.items() if begins.startswith(start)]
    found += [said for endings, said in _ENDINGS.items() if ends.endswith(endings)]
    return f"It is {found[0]}." if found and taken_for not in found[0] else None


def read_whole(path: str | Path, largest: int = LARGEST_FILE) -> bytes:
    """Read a regular file; what it is is asked of the opened file, so no other can be put in its place.

    Raises OSError if it is none (a pipe, a device, a folder), if it is larger, or if it cannot be read;
    ValueError or TypeError for what is no path.
    """
    with _regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        content = bytearray()
        if size <= largest:  # which is not all: files of /proc say 0
            while len(content) <= largest and (more := file.read(_PIECE)):
                content += more
    if max(len(content), size) > largest:
        raise OSError(errno.EFBIG, f"it is too large, more than {largest} bytes")
    return bytes(content)


def read_lines(path: str | Path, most: int, longest: int) -> list[bytes | None]:
    """Read the first lines of a regular file, without their ends; None for one that is longer.

    However large the file or a line is, no more than this is kept. Raises as `read_whole` does.

    Args:
        path: where it is
        most: how many lines are read
        longest: how many bytes of a line are kept
    """
    found = list[bytes | None]()
    with _regular(path) as file:
        while len(found) < most and (line := file.readline(longest + 1)):
            whole = line.endswith(b"\n") or len(line) <= longest
            found.append(line.removesuffix(b"\n") if whole else None)
            while not whole:
                more = file.readline(_PIECE)
                whole = not more or more.endswith(b"\n")
    return found


def _regular(path: str | Path) -> BufferedReader:
    """Open a regular file for reading, or raise OSError if it is none."""
    handle = os.open(path, _READING | getattr(os, "O_BINARY", 0))
    try:
        mode = os.fstat(handle).st_mode
        if not stat.S_ISREG(mode):
            what = "a directory, " if stat.S_ISDIR(mode) else ""
            raise OSError(errno.EINVAL, f"it is {what}not a regular file")
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def write_whole(path: str | Path, content: str | bytes, *, private: bool = False) -> None:
    """Write a file, text as UTF-8, through a draft beside it, which takes its name once it is complete.

    A private file can be read and written by its owner alone, at every moment: so the draft is made.

    Raises OSError or ValueError if it cannot be written there; the file is then as it was before.
    """
    place = str(path)  # by names alone, which is quicker than by paths: every spend writes one
    handle, draft = tempfile.mkstemp(dir=os.path.dirname(place) or os.curdir, prefix=_DRAFT)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content.encode("utf-8") if isinstance(content, str) else content)
            file.flush()
            os.fsync(handle)
        if not private:
            os.chmod(draft, 0o644 & ~_umask())
        os.replace(draft, place)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(draft)
        raise


def take_name(path: str | Path) -> None:
    """Create an empty file of that name, which must be free: what is written there later is one's own.

    Raises FileExistsError, or the OSError or ValueError that writing there would raise.
    """
    place = Path(path)
    with tempfile.NamedTemporaryFile(dir=place.parent, prefix=_DRAFT):
        place.touch(exist_ok=False)


def give_back(path: str | Path) -> None:
    """Remove a name that was taken if nothing was written there."""
    place = Path(path)
    if place.is_file() and place.stat().st_size == 0:
        place.unlink()


def folder_missing(path: str | Path) -> str | None:
    """Say that the folder of a file must be made first; None if it is there."""
    folder = Path(path).parent
    return None if folder.is_dir() else f"There is no folder {str(folder)!r}: make it first."


def _umask() -> int:
    """Return which rights new files do not get; there is no way to ask without setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
