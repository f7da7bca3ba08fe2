"""Intervals cover as often as they say; a small version of the evidence, on every commit.

400 data sets are drawn from the prior. The bounds are those that a right 90% interval leaves with
probability 1e-9, by the binomial law. The whole measurement is evidence/test_coverage.py.
"""

from __future__ import annotations

import numpy as np
import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics

SETS, RECORDS = 400, 50


@pytest.fixture(scope="module")
def cases() -> list[tuple[np.ndarray, pv.Release]]:
    rng = np.random.default_rng(5)
    schema = pv.Schema({"x": pv.Categorical(["a", "b"])}, population="p", unit="person")
    plan = pv.plan(pv.DirichletCategorical("x", prior=1), schema, records=RECORDS, epsilon="0.1")
    ledger = pv.Ledger.in_memory()
    found = []
    for _ in range(SETS):
        theta = rng.dirichlet([1, 1])
        exact = ExactStatistics(rng.multinomial(RECORDS, theta))
        found.append((theta, measure_statistics(plan, exact, ledger=ledger)))
    return found


def covered(cases: list[tuple[np.ndarray, pv.Release]], **how: object) -> float:
    hits = []
    for theta, release in cases:
        low, high = pv.infer(release, **how).interval(0.9)[0]  # type: ignore[arg-type]
        hits.append(low <= theta[0] <= high)
    return float(np.mean(hits))


def test_t43_intervals_cover_and_ignoring_noise_fails_the_same_test(
    cases: list[tuple[np.ndarray, pv.Release]],
) -> None:
    from scipy.stats import binom

    least, most = binom.ppf([5e-10, 1 - 5e-10], SETS, 0.9) / SETS
    assert least <= covered(cases) <= most
    assert covered(cases, noise="ignore") < least
