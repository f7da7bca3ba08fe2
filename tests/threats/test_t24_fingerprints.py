"""T24: a plain hash of the data in the public release tells whether a guessed table is the true one.

Others: checksums "for provenance"; a salt beside the hash does not help, nor does an identifier made of it.
"""

from __future__ import annotations

import base64
import hashlib
import json
import uuid
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Protocol

from orchard import counted, planned, written
from twins import against, noise, noise_tape

import privior as pv

TRUE = ["apple"] * 9 + ["pear"] * 6 + ["plum"] * 5
GUESS = ["apple"] * 8 + ["pear"] * 6 + ["plum"] * 6


class System(Protocol):
    def release(self, rows: Sequence[str]) -> str:
        """Release a table as a JSON document with noisy `statistics`."""


def attack(system: System) -> None:
    """Try the hashes of the table; then see if anything but the statistics tells two tables apart."""
    release = system.release(TRUE)
    for digest in _digests(TRUE):
        assert digest not in release, "a hash of the table stands in the release"
    with noise_tape():
        found = json.loads(system.release(TRUE))
    with noise_tape():
        guessed = json.loads(system.release(GUESS))
    del found["statistics"], guessed["statistics"]
    assert found == guessed, "more than the noisy statistics depends on the table"
    other = json.loads(system.release(TRUE))
    assert found.get("id") != other.get("id") or "id" not in found, "the identifier is not random"


def _digests(rows: Sequence[str]) -> Iterator[str]:
    """Yield what an attacker would look for: usual hashes of usual forms of the table, in usual writing."""
    lines = "".join(f"{row}\n" for row in rows)
    forms = (f"fruit\n{lines}", lines, lines.strip(), json.dumps(list(rows)), json.dumps(counted(rows)))
    for form in map(str.encode, forms):
        yield f"{zlib.crc32(form):08x}"
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b", "blake2s", "sha3_256"):
            digest = hashlib.new(name, form).digest()
            yield digest.hex()
            yield digest.hex()[:16]
            yield base64.b64encode(digest).decode()


class Privior:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plan = planned(records=20)

    def release(self, rows: Sequence[str]) -> str:
        table = written(self.folder, rows)
        ledger = pv.Ledger.in_memory()
        release = pv.measure(self.plan, table, ledger=ledger)
        return json.dumps({**json.loads(release.to_json()), "entry": ledger.last().hash})


class PlainHash:
    """The hash of the file, for provenance."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def release(self, rows: Sequence[str]) -> str:
        file = written(self.folder, rows).read_bytes()
        return json.dumps({"statistics": self.noisy(rows), "source": hashlib.sha256(file).hexdigest()})

    def noisy(self, rows: Sequence[str]) -> list[int]:
        return [count + z for count, z in zip(counted(rows), noise(3), strict=True)]


class SaltBeside(PlainHash):
    """A salt that everybody can read: every guess is salted as well."""

    def release(self, rows: Sequence[str]) -> str:
        salt = noise(1, 10**6)[0]
        hashed = hashlib.sha256(f"{salt}{rows}".encode()).hexdigest()
        return json.dumps({"statistics": self.noisy(rows), "salt": salt, "source": hashed})


class NamedByContent(PlainHash):
    """An identifier made of the data: the same table, the same name."""

    def release(self, rows: Sequence[str]) -> str:
        name = uuid.uuid5(uuid.NAMESPACE_URL, "".join(rows))
        return json.dumps({"statistics": self.noisy(rows), "id": str(name)})


test_t24_fingerprints = against(attack)(
    privior={"release": Privior},
    twins={"plain hash": PlainHash, "salt beside it": SaltBeside, "named by content": NamedByContent},
)
