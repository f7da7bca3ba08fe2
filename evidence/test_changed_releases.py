"""Ten minutes of changed releases: each is used or refused in words, and soon. T40.

PRIVIOR_FUZZ_SECONDS says how long instead; PRIVIOR_FUZZ_SEED where to begin.
"""

from __future__ import annotations

import os
import time
from collections import Counter

import mutated_releases as mutated
from record import Certificate, store

SECONDS = float(os.environ.get("PRIVIOR_FUZZ_SECONDS", "600"))
SEED = int(os.environ.get("PRIVIOR_FUZZ_SEED", "1"))
#: seconds of the processor after which a release has taken too long
LONGEST = 60


def test_changed_releases_are_used_or_refused() -> None:
    certificate = Certificate.of(__file__)
    end, number = time.monotonic() + SECONDS, SEED * 10**9
    tried: Counter[str] = Counter()
    found = []
    while time.monotonic() < end:
        path = mutated.FILES[number % len(mutated.FILES)]
        number += 1
        tried[path.parent.name] += 1
        wrong = mutated.wrong(path.name, number, LONGEST)
        if wrong is not None:
            found.append(wrong)
            print(wrong, flush=True)
    assert found == []
    store(
        "changed-releases",
        certificate,
        title="Changed releases",
        claim=f"in {SECONDS / 60:.0f} minutes of releases with one to three changes (numbers, types, names, "
        "nesting, odd text) each is read, reviewed, inferred from, asked and shown, or refused in words, "
        f"within {LONGEST} seconds of the processor; nothing else comes out",
        header=("files of", "changed releases", "faults"),
        rows=[(folder, str(times), "0") for folder, times in sorted(tried.items())],
    )
