"""The cache: what was inferred from a release, kept for the next question in a folder of the user's own.

`PRIVIOR_CACHE` names the folder, else it is `XDG_CACHE_HOME/privior` or `~/.cache/privior`; with
`PRIVIOR_CACHE=off` nothing is kept. It may be deleted at any time. Nothing is ever kept beside a release,
where whoever sent it could plant an answer: a folder is used only if it is this user's and nobody else may
look into it. A file is named by the bytes of the releases, the prior, the seed and the privior that inferred;
one that is damaged or of another origin is ignored and written anew. Only what follows from releases is in
it, nothing that is private.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privior import __version__
from privior.plans import Plan
from privior.posterior import Posterior, infer
from privior.posterior.contract import posterior_of
from privior.posterior.inference import in_order
from privior.posterior.kept import TYPES, NotKeptError, read, written
from privior.posterior.progress import Progress
from privior.posterior.seeds import seeded
from privior.registry import outside
from privior.release import Release
from privior.whole_files import LARGEST_FILE, read_whole, write_whole

_FORMAT = 2
#: bytes of all files; the ones used longest ago are removed first
MOST_BYTES = 4 * LARGEST_FILE
#: what took fewer seconds than this is inferred again
LASTING = 0.15
_SUFFIX = ".inferred"


def inferred(
    releases: Sequence[Release], prior: object = None, progress: Progress | None = None, seed: int = 0
) -> Posterior:
    """Infer, or take what was inferred before from the same releases with the same prior and seed."""
    place = _place(releases, prior, seed)
    with seeded(seed):
        found = None if place is None else _kept(place, releases, prior)
    if found is not None:
        return found
    begun = time.process_time()
    made: Posterior = infer(list(releases), prior=prior, progress=progress, seed=seed)
    if place is not None and time.process_time() - begun >= LASTING:
        _keep(place, made)
    return made


def folder() -> Path | None:
    """Return the folder, made if it is not there; None if nothing is to be kept, or it is not safe."""
    own = os.environ.get("PRIVIOR_CACHE")
    if own == "off":
        return None
    with suppress(OSError, RuntimeError):
        base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
        place = Path(own) if own else Path(base) / "privior"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return place
    return None


def _place(releases: Sequence[Release], prior: object, seed: int) -> Path | None:
    """Return the file for these releases; None where code of somebody else infers, which may change."""
    where = folder()
    plans = [release.plan for release in releases]
    if where is None or any(outside(kind) for plan in plans for kind in _inferring(plan)):
        return None
    facts = [_FORMAT, __version__, _newest(), repr(prior), seed, *(release.sha256 for release in releases)]
    return where / (hashlib.sha256(json.dumps(facts).encode()).hexdigest() + _SUFFIX)


def _newest() -> int:
    """Return when a source file changed last, of a privior that is worked on."""
    folders = os.walk(Path(__file__).parent)  # three times as quick as paths, and asked before every answer
    sources = (os.path.join(where, name) for where, _, names in folders for name in names)
    return max(os.stat(name).st_mtime_ns for name in sources if name.endswith(".py"))


def _inferring(plan: Plan) -> tuple[type, ...]:
    """Return the classes whose code decides what is inferred."""
    return type(plan.model), type(plan.mechanism), posterior_of(plan.model)


def _kept(place: Path, releases: Sequence[Release], prior: object) -> Posterior | None:
    """Return the posterior that is kept; None if there is none that holds together."""
    try:
        content = read_whole(place)
        origin, rest = content.split(b"\n", 1)
        if json.loads(origin) != [place.stem, hashlib.sha256(rest).hexdigest()]:
            raise ValueError("another file, or a damaged one")
        head, body = rest.split(b"\n", 1)
        document = json.loads(head)
        arrays: dict[str, NDArray[Any]] = {}
        start = 0
        for name, kind in TYPES.items():
            size = document["sizes"][name]
            arrays[name] = np.frombuffer(body, kind, size, start).copy()
            start += arrays[name].nbytes
        state, kind = read(document["state"], arrays), posterior_of(releases[0].plan.model)
        made: Posterior = kind.with_state(tuple(in_order(releases)), prior, state)
        os.utime(place)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
        with suppress(OSError):
            place.unlink()
        return None
    return made


def _keep(place: Path, posterior: Posterior) -> None:
    """Write what was inferred, if its kind can be written, and make room for it."""
    with suppress(NotKeptError, OSError, ValueError):
        state = posterior.state
        if state is None:
            return
        plain, arrays = written(state)
        body = b"".join(arrays[name].tobytes() for name in TYPES)
        document = {"sizes": {name: array.size for name, array in arrays.items()}, "state": plain}
        rest = json.dumps(document).encode() + b"\n" + body
        origin = [place.stem, hashlib.sha256(rest).hexdigest()]
        content = json.dumps(origin).encode() + b"\n" + rest
        if len(content) <= LARGEST_FILE:
            write_whole(place, content)
            place.chmod(0o600)
            _make_room(place.parent)


def _make_room(where: Path) -> None:
    """Remove the files used longest ago, until the rest fits."""
    files = sorted(where.glob(f"*{_SUFFIX}"), key=lambda file: file.stat().st_mtime, reverse=True)
    total = 0
    for file in files:
        total += file.stat().st_size
        if total > MOST_BYTES:
            file.unlink()
