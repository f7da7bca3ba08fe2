"""File systems: a network's locks cannot be relied on; two hosts would both take the last budget."""

from __future__ import annotations

from pathlib import Path

from privior.errors import LedgerError

#: kinds that several hosts share
REMOTE = frozenset(
    [
        "nfs",
        "nfs4",
        "cifs",
        "smb3",
        "smbfs",
        "afs",
        "ncpfs",
        "ceph",
        "glusterfs",
        "fuse.sshfs",
        "fuse.glusterfs",
        "fuse.s3fs",
        "fuse.rclone",
        "lustre",
        "beegfs",
        "gpfs",
        "ocfs2",
        "gfs2",
        "davfs",
    ]
)
_MOUNTS = Path("/proc/self/mounts")


def kind_of(place: Path) -> str | None:
    """Return the kind of the file system that a place is on, where the system tells."""
    if not _MOUNTS.exists():
        return None
    where = place.resolve()
    best, kind = "", None
    for line in _MOUNTS.read_text("utf-8", errors="replace").splitlines():
        _, point, this_kind, *_ = line.split(" ")
        name = point.replace("\\040", " ")
        if len(name) >= len(best) and where.is_relative_to(name):
            best, kind = name, this_kind
    return kind


def refuse_remote(place: Path) -> None:
    """Refuse a place on a network file system."""
    kind = kind_of(place)
    if kind in REMOTE:
        raise LedgerError(
            "a network file system cannot keep a ledger: two hosts could spend the same budget",
            where=str(place),
            asked=kind,
            allowed="a disk of this machine, or a PostgreSQL server",
            advice="For several hosts say postgresql://... as the ledger.",
        )
