"""Errors with a prior that is learned beside those with prior 1, on the same releases.

Forecasts for a learned prior are those of prior 1, which other tests hold beside simulated releases, and more
where noise drowns the table. What is left to show is that learning costs no more than forecasts say: both
posteriors see the same noisy counts, so that a few releases tell.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import privior as pv
from privior.curator import measure_statistics
from privior.forecasting import Expect, forecaster
from privior.models import ExactStatistics

Floats = NDArray[np.float64]
#: what is compared; the two squared ones by their roots
MEASURES = ("l2", "total variation", "Hellinger", "90% width")
_SQUARED = [0, 2]


@dataclass(frozen=True)
class Facts:
    """Public facts of a release: so many levels, ordered or not, so many records."""

    levels: int
    records: int
    epsilon: str
    neighbours: str
    expect: str
    ordered: bool

    @staticmethod
    def drawn(rng: np.random.Generator, most_levels: int, most_records: int) -> Facts:
        levels = int(np.round(np.exp(rng.uniform(np.log(2), np.log(most_levels)))))
        return Facts(
            levels,
            int(np.exp(rng.uniform(np.log(30), np.log(most_records)))),
            f"{10 ** rng.uniform(-1.5, 0.7):.3g}",
            str(rng.choice(["replace-one", "add-or-remove-one"])),
            str(rng.choice([one.value for one in Expect])),
            bool(levels > 2 and rng.random() < 0.5),
        )

    @property
    def plan(self) -> pv.Plan:
        names = [f"level {place}" for place in range(self.levels)]
        column = pv.Integer(0, self.levels - 1, missing=0) if self.ordered else pv.Categorical(names)
        return pv.plan(
            pv.DirichletCategorical("x"),
            pv.Schema({"x": column}, population="p", unit="person"),
            records=self.records,
            epsilon=self.epsilon,
            neighbours=self.neighbours,
            expect=self.expect,
        )

    def table(self, rng: np.random.Generator) -> NDArray[np.int64]:
        ones, expect = np.ones(self.levels), Expect.of(self.expect)
        shares = rng.dirichlet(ones) if expect is Expect.TYPICAL else expect.shares(ones)
        return rng.multinomial(self.records, shares)


def compared(facts: Facts, releases: int, rng: np.random.Generator) -> Floats:
    """Return each measure with the learned prior, on average over releases, over what is forecast of it.

    What is forecast is the measure with prior 1 on the same releases times how much more the plan says.
    """
    plan, found = facts.plan, []
    for _ in range(releases):
        table = facts.table(rng)
        release = measure_statistics(plan, ExactStatistics(table), ledger=pv.Ledger.in_memory(epsilon=100))
        found.append([_errors(pv.infer(release, prior=prior), table) for prior in ("learned", 1)])
    means = np.mean(found, axis=0)
    means[:, _SQUARED] **= 0.5
    # Without noise in any release an error may be nothing at all: a hundredth of a record is none.
    means = np.maximum(means, 0.01 / facts.records)
    one = forecaster(pv.DirichletCategorical("x", prior=1), plan.schema, Expect.of(facts.expect))
    more = _forecast(plan.forecast) / _forecast(one.ahead(facts.records, plan.mechanism))
    return np.asarray(means[0] / means[1] / more)


def _forecast(ahead: Any) -> Floats:
    return np.array([ahead.l2, ahead.total_variation, ahead.hellinger, ahead.width])


def _errors(posterior: Any, table: NDArray[np.int64]) -> Floats:
    mean = posterior.counts().mean()
    guess, truth = mean / mean.sum(), table / table.sum()
    low, high = np.asarray(posterior.interval(0.9)).T
    return np.array(
        [
            ((guess - truth) ** 2).sum(),
            np.abs(guess - truth).sum() / 2,
            ((np.sqrt(guess) - np.sqrt(truth)) ** 2).sum() / 2,
            (high - low).mean(),
        ]
    )
