"""Row locality: an hour of tables that differ in one record, drawn by the fuzzer of the tests. T45.

PRIVIOR_FUZZ_SECONDS says how long instead, of which nothing is stored if it is less; PRIVIOR_FUZZ_SEED where
to begin.
"""

from __future__ import annotations

import os
import random
import time
from collections import Counter
from pathlib import Path

from one_record import drawn, fault
from record import Certificate, store

HOUR = 3600
SECONDS = float(os.environ.get("PRIVIOR_FUZZ_SECONDS", HOUR))
SEED = int(os.environ.get("PRIVIOR_FUZZ_SEED", "1"))


def test_one_record_moves_exact_statistics_by_no_more_than_itself(tmp_path: Path) -> None:
    certificate = Certificate.of(__file__)
    choose, end = random.Random(SEED), time.monotonic() + SECONDS
    tried: Counter[str] = Counter()
    found = []
    while time.monotonic() < end:
        trial = drawn(choose)
        wrong = fault(trial, tmp_path)
        if wrong == "refused":
            continue
        tried[trial.form] += 1
        if wrong is not None:
            found.append((wrong, trial))
            print(wrong, trial)
    assert found == []
    if SECONDS < HOUR:
        return
    store(
        "row-locality",
        certificate,
        title="Tables that differ in one record",
        claim=f"in {SECONDS / 60:.0f} minutes of drawn tables, of all types and kinds of columns, no record "
        "moves the counts by more than one record or a sum by more than one can add, and no cell stops "
        "a reader",
        header=("kept as", "pairs of tables", "faults"),
        rows=[(form, str(times), "0") for form, times in sorted(tried.items())],
    )
