"""The bar for intervals of tables themselves: how often they must hold the truth, how wide they may be."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import partial

import numpy as np
from loading import in_workers
from real_tables import KINDS, Held, Subject, measured
from record import Certificate, store
from scipy.stats import binom, norm

import privior as pv

RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)
#: processes that measure
WORKERS = int(os.environ.get("PRIVIOR_WORKERS", "2"))
#: no column may be held less often
LEAST = 0.8

Subjects = Callable[[], Iterable[Subject]]
ByEpsilon = dict[str, list[Held]]


def of_subject(
    subjects: Subjects, epsilons: Sequence[str], releases: int, place: int
) -> tuple[str, ByEpsilon]:
    """Measure one column or pair at every epsilon, under both relations."""
    subject = list(subjects())[place]
    found = {
        epsilon: [held for relation in RELATIONS for held in measured(subject, epsilon, relation, releases)]
        for epsilon in epsilons
    }
    return subject.name, found


def judge(
    name: str, title: str, file: str, subjects: Subjects, epsilons: Sequence[str], releases: int
) -> None:
    """Measure all subjects, store what was found, and hold it to the bar."""
    certificate = Certificate.of(file)
    number = len(list(subjects()))
    work = partial(of_subject, subjects, epsilons, releases)
    results = in_workers(work, range(number), WORKERS)
    rows, bad = [], []
    for epsilon in epsilons:
        for kind in KINDS:
            some = [held for _, by in results for held in by[epsilon] if held.kind == kind]
            covered = float(np.mean([one for held in some for one in held.covered]))
            width = float(np.mean([held.width / held.plain for held in some if held.plain > 0]))
            rows.append((epsilon, kind, f"{covered:.3f}", f"{width:.2f}", ""))
            # Intervals of few records are wider than asked for: ends are whole numbers.
            if not 0.88 <= covered <= (0.97 if float(epsilon) < 1 else 1.0) or width > 1.02:
                bad.append(rows[-1])
    chance = 0.01 / (number * len(KINDS))
    for kind in KINDS:
        columns = [(subject, _covered(by, kind)) for subject, by in results]
        ordered = sorted((float(each.mean()), subject) for subject, each in columns if each.size)[:3]
        rows.append(("all", kind, "", "", ", ".join(f"{least:.2f} ({where})" for least, where in ordered)))
        for subject, each in columns:
            if each.size and _below(each, kind in KINDS[2:]) < chance:
                bad.append(("all", kind, f"{each.mean():.3f}", "", subject))
    store(
        name,
        certificate,
        title=title,
        claim=f"{number} columns and pairs, {releases} releases under each relation: at least 88% held on "
        "average for each epsilon and kind of question, at most 97% where whole numbers do not force more, "
        "mean width at most 1.02 of the noise's own interval, no column below 80% beyond chance (1% in all)",
        header=("epsilon", "question", "held", "width / plain", "least held of a column (all epsilons)"),
        rows=rows,
    )
    assert not bad, bad


def _covered(by_epsilon: ByEpsilon, kind: str) -> np.ndarray:
    """Return the share of intervals of a kind that held the truth, for each release at any epsilon."""
    return np.array(
        [one for some in by_epsilon.values() for held in some if held.kind == kind for one in held.covered]
    )


def _below(covered: np.ndarray, single: bool) -> float:
    """Return how probable it is that so few are held by chance where 80% are due."""
    if single:
        return float(binom.cdf(covered.sum(), covered.size, LEAST))
    error = max(float(covered.std()), 1e-3) / np.sqrt(covered.size)
    return float(norm.cdf((covered.mean() - LEAST) / error))
