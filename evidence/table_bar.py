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
#: what was measured at each epsilon under each relation
Measured = dict[tuple[str, str], list[Held]]
#: a subject, and one of the groups of its releases that are judged, in words
Group = tuple[str, str]


def of_subject(
    subjects: Subjects, epsilons: Sequence[str], releases: int, place: int
) -> tuple[str, Measured]:
    """Measure one column or pair at every epsilon, under both relations."""
    subject = list(subjects())[place]
    found = {
        (epsilon, relation.value): list(measured(subject, epsilon, relation, releases))
        for epsilon in epsilons
        for relation in RELATIONS
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
            every = [
                held for _, by in results for (at, _), some in by.items() if at == epsilon for held in some
            ]
            some = [held for held in every if held.kind == kind]
            covered = float(np.mean([one for held in some for one in held.covered]))
            width = float(np.mean([held.width / held.plain for held in some if held.plain > 0]))
            rows.append((epsilon, kind, f"{covered:.3f}", f"{width:.2f}", ""))
            # Intervals of few records are wider than asked for: ends are whole numbers.
            if not 0.88 <= covered <= (0.97 if float(epsilon) < 1 else 1.0) or width > 1.02:
                bad.append(rows[-1])
    chance = 0.01 / (number * len(KINDS))
    for kind in KINDS:
        columns = [(subject, _covered(by.values(), kind)) for subject, by in results]
        rows.append(("all", kind, "", "", _least(columns)))
        for subject, each in columns:
            if each.size and _below(each, kind in KINDS[2:]) < chance:
                bad.append(("all", kind, f"{each.mean():.3f}", "", subject))
    # What is pooled may hide a column that is missed under one relation, or at one epsilon.
    groups = [
        (said, kind, [(subject, _covered(within(by), kind)) for subject, by in results])
        for said, within in _groups(epsilons)
        for kind in KINDS
    ]
    chance = 0.01 / (number * len(groups))
    for said, kind, columns in groups:
        rows.append((said, kind, "", "", _least(columns)))
        for subject, each in columns:
            if each.size and _at_most(each) < chance:
                bad.append((said, kind, f"{each.mean():.3f}", "", subject))
    store(
        name,
        certificate,
        title=title,
        claim=f"{number} columns and pairs, {releases} releases under each relation: at least 88% held on "
        "average for each epsilon and kind of question, at most 97% where whole numbers do not force more, "
        "mean width at most 1.02 of the noise's own interval, no column below 80% beyond chance (1% in "
        "all), nor under one relation, nor at one epsilon under one relation (1% in all of these)",
        header=("epsilon", "question", "held", "width / plain", "least held of a column"),
        rows=rows,
    )
    assert not bad, bad


def _groups(epsilons: Sequence[str]) -> list[tuple[str, Callable[[Measured], Iterable[list[Held]]]]]:
    """Return which releases of a column are judged together, in words and as a choice of them."""

    def under(relation: str, epsilon: str | None = None) -> Callable[[Measured], Iterable[list[Held]]]:
        return lambda by: [
            some for (at, how), some in by.items() if how == relation and epsilon in (None, at)
        ]

    names = [relation.value for relation in RELATIONS]
    alone = [(name, under(name)) for name in names]
    return [*alone, *((f"{at}, {name}", under(name, at)) for at in epsilons for name in names)]


def _least(columns: Sequence[tuple[str, np.ndarray]]) -> str:
    """Name the columns that were held least often."""
    ordered = sorted((float(each.mean()), subject) for subject, each in columns if each.size)[:3]
    return ", ".join(f"{least:.2f} ({where})" for least, where in ordered)


def _covered(groups: Iterable[list[Held]], kind: str) -> np.ndarray:
    """Return the share of intervals of a kind that held the truth, for each release of some groups."""
    return np.array([one for some in groups for held in some if held.kind == kind for one in held.covered])


def _at_most(covered: np.ndarray) -> float:
    """Return a bound of how probable it is that so few are held by chance where 80% are due.

    Of few releases shares are not Normal. Sums of independent numbers between 0 and 1 are at most e times as
    likely to be so small as a binomial one of the same mean (Bentkus 2004).
    """
    held = float(np.ceil(covered.sum() - 1e-9))
    single = bool(np.isin(covered, (0.0, 1.0)).all())
    return float(binom.cdf(held, covered.size, LEAST)) * (1.0 if single else np.e)


def _below(covered: np.ndarray, single: bool) -> float:
    """Return how probable it is that so few are held by chance where 80% are due."""
    if single:
        return float(binom.cdf(covered.sum(), covered.size, LEAST))
    error = max(float(covered.std()), 1e-3) / np.sqrt(covered.size)
    return float(norm.cdf((covered.mean() - LEAST) / error))
