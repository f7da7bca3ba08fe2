"""File systems: from which places a ledger's file may be spent.

The locks of all who open the file must be the same, and so must be what lies beside it. So file systems are
named that are known to keep that, and all others refused: those of a network, and those by which a container
or a virtual machine sees a folder of its host, whose locks end at its border. A file that is mounted by
itself, or has two names, has other neighbours under each name: a write that was cut off under one of them is
not seen, and so not undone, under the other.
Reading is refused nowhere.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from privior.errors import LedgerError

#: kinds on disks and in the memory of this machine, with locks that all its processes see
LOCAL = frozenset(
    [
        "bcachefs",
        "btrfs",
        "ext2",
        "ext3",
        "ext4",
        "f2fs",
        "jfs",
        "nilfs2",
        "overlay",
        "ramfs",
        "reiserfs",
        "tmpfs",
        "xfs",
        "zfs",
    ]
)
_RIGHT_WAY = (
    "Keep it in a folder of a local disk; in a container mount that folder, or a named volume, and not the "
    "file; for several hosts say postgresql://... as the ledger."
)


def kind_of(place: Path) -> str | None:
    """Return the kind of the file system that a place is on, where the system tells."""
    if sys.platform != "linux":
        return None
    try:
        number = _mount_of(place)
        lines = _told("/proc/self/mountinfo").splitlines()
    except OSError:
        return None
    for line in lines:  # number, parent, device, root, point, options - kind, source, options
        if line.startswith(f"{number} "):
            return line.partition(" - ")[2].split(" ")[0]
    return None


def refuse_unsafe(place: Path) -> None:
    """Refuse to spend from a file, or from any file of a folder, whose locks others may not see."""
    kind = kind_of(place)
    if sys.platform == "linux" and kind not in LOCAL:
        raise LedgerError(
            "nothing can be spent from a ledger on this file system: its locks may not be those of others",
            where=str(place),
            asked=kind or "a kind that the system does not tell",
            allowed=", ".join(sorted(LOCAL)),
            advice=_RIGHT_WAY,
        )
    if not place.is_file():
        return
    if place.stat().st_nlink > 1:
        raise LedgerError(
            "nothing can be spent from a ledger with two names (a hard link)",
            where=str(place),
            advice="Remove one of the names.",
        )
    if _is_mounted_itself(place):
        raise LedgerError(
            "nothing can be spent from a ledger whose file is mounted by itself: it has two names",
            where=str(place),
            asked="a mounted file",
            allowed="a file in a mounted folder",
            advice=_RIGHT_WAY,
        )


def _is_mounted_itself(file: Path) -> bool:
    """Say whether a file is on another mount than its folder."""
    if sys.platform != "linux":
        return False
    try:
        return _mount_of(file) != _mount_of(os.path.dirname(os.path.realpath(file)))
    except OSError:
        return True  # nobody can tell


def _mount_of(place: str | Path) -> str:
    """Return the number of the mount that a place is on, as the kernel tells it.

    The descriptor is one without rights: closing any other would drop the locks that SQLite has on the file.
    """
    descriptor = os.open(place, os.O_PATH)
    try:
        text = _told(f"/proc/self/fdinfo/{descriptor}")
    finally:
        os.close(descriptor)
    for line in text.splitlines():
        name, _, fact = line.partition(":")
        if name == "mnt_id":
            return fact.strip()
    raise OSError("the system does not tell mounts")


def _told(name: str) -> str:
    """Return what the system tells in a file of its own."""
    descriptor = os.open(name, os.O_RDONLY)
    try:
        found = bytearray()
        while more := os.read(descriptor, 2**16):
            found += more
        return found.decode("utf-8", errors="replace")
    finally:
        os.close(descriptor)
