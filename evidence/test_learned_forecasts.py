"""Forecasts where the prior is learned: those of prior 1, and more where noise drowns the records.

Public facts are drawn at run time: 2 to 300 levels, ordered or not, 30 to 50,000 records, epsilon .03 to 5,
both relations, tables typical of prior 1, even or skewed. Both posteriors see the same releases, and the
errors of learning are held beside those of prior 1, times as many as the forecast is larger. That the
forecasts of prior 1 are right, `test_forecast.py` shows.
"""

from __future__ import annotations

import numpy as np
from record import Certificate, store

from learned_grid import MEASURES, Facts, compared

CASES, RELEASES = 60, 8
#: how much larger than forecast an error may be, and in which share of cases of each measure
MOST, BAR = 1.25, 0.9


def test_learning_costs_little() -> None:
    certificate = Certificate.of(__file__)
    rng = np.random.default_rng(np.random.SeedSequence().entropy)
    cases = [Facts.drawn(rng, 300, 50_000) for _ in range(CASES)]
    ratios = np.array([compared(facts, RELEASES, rng) for facts in cases])
    within = (ratios <= MOST).mean(axis=0)
    averages = np.exp(np.log(ratios).mean(axis=0))
    rows = [
        (
            *(str(facts.levels), "yes" if facts.ordered else "no", str(facts.records), facts.epsilon),
            *(facts.neighbours, facts.expect, *(f"{one:.2f}" for one in found)),
        )
        for facts, found in sorted(zip(cases, ratios.tolist(), strict=True), key=lambda one: one[0].levels)
    ]
    store(
        "forecast_learned",
        certificate,
        title="Errors with a learned prior over those forecast, by those of prior 1 on the same releases",
        claim=f"at most {MOST} in {BAR:.0%} of {CASES} cases drawn at run time, for each measure, and on "
        f"average (geometric mean) at most 1; {RELEASES} releases each. "
        + ", ".join(
            f"{name}: {share:.0%}, on average {mean:.3f}"
            for name, share, mean in zip(MEASURES, within, averages, strict=True)
        ),
        header=("levels", "ordered", "records", "epsilon", "neighbours", "tables", *MEASURES),
        rows=rows,
    )
    assert within.min() >= BAR
    assert averages.max() <= 1
