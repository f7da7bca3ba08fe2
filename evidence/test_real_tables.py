"""Real tables: 90% intervals of a table's own counts, shares, mean and tails hold them, at no more width.

Columns and pairs of the tables beside the repository, fresh releases with default settings: the planner's
noise and the prior that is learned. The plain interval is that of the same noise's own quantiles.
"""

from __future__ import annotations

from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import numpy as np
import pytest
from real_tables import FOLDER, KINDS, Held, measured, subjects
from record import Certificate, store

import privior as pv

EPSILONS = ("0.05", "0.1", "0.5", "1", "2")
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
RELEASES = 6


def of_subject(place: int) -> tuple[str, dict[str, list[Held]]]:
    """Measure one column or pair at every epsilon, under both relations."""
    subject = list(subjects())[place]
    found = {
        epsilon: [held for relation in RELATIONS for held in measured(subject, epsilon, relation, RELEASES)]
        for epsilon in EPSILONS
    }
    return subject.name, found


@pytest.mark.skipif(not FOLDER.exists(), reason="the real tables are not beside the repository")
def test_intervals_hold_real_tables() -> None:
    certificate = Certificate.of(__file__)
    number = len(list(subjects()))
    assert number >= 30
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        results = list(pool.map(of_subject, range(number)))
    pooled: dict[tuple[str, str], list[Held]] = defaultdict(list)
    worst: dict[tuple[str, str], tuple[float, str]] = {}
    for name, by_epsilon in results:
        for epsilon, several in by_epsilon.items():
            for kind in KINDS:
                some = [held for held in several if held.kind == kind]
                if not some:
                    continue
                pooled[epsilon, kind] += some
                covered = float(np.mean([held.covered for held in some]))
                worst[epsilon, kind] = min(worst.get((epsilon, kind), (2.0, "")), (covered, name))
    rows, bad = [], []
    for (epsilon, kind), several in pooled.items():
        covered = float(np.mean([held.covered for held in several]))
        width = float(np.mean([held.width / held.plain for held in several if held.plain > 0]))
        least, where = worst[epsilon, kind]
        rows.append((epsilon, kind, f"{covered:.3f}", f"{width:.2f}", f"{least:.2f} ({where})"))
        if covered < 0.88 or width > 1.02:
            bad.append(rows[-1])
    store(
        "real_tables",
        certificate,
        title="Real tables: 90% intervals of the table itself",
        claim=f"{number} columns and pairs, {RELEASES} releases under each relation: at least 88% held on "
        "average for each epsilon and kind of question, mean width at most 1.02 of the noise's own interval",
        header=("epsilon", "question", "held", "width / plain", "least held (12 releases)"),
        rows=rows,
    )
    assert not bad, bad
