"""Forecasts of families beside simulated releases."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from family_cases import CASES, SCHEMA, Case

import privior as pv
from privior.curator import measure_statistics
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics

#: the families whose columns differ; the others are the same up to names
NAMES = ("beta-bernoulli", "gamma-poisson", "gamma-exponential", "normal-mean")


@dataclass(frozen=True)
class Facts:
    """What a forecast is made from.

    Attributes:
        case: the family
        records: how many
        epsilon: of the release
        way: "laplace", "gaussian" or "draws"
        relation: of the guarantee
    """

    case: Case
    records: int
    epsilon: str
    way: str
    relation: pv.Neighbours

    @staticmethod
    def drawn(
        rng: np.random.Generator, way: str, relation: pv.Neighbours, most: int = 5000, name: str = ""
    ) -> Facts:
        """Draw facts at random, of any family or of one."""
        cases = [case for case in CASES if case.name in NAMES and name in ("", case.name)]
        cases = [case for case in cases if case.model.column != "answer"]
        return Facts(
            cases[int(rng.integers(len(cases)))],
            round(10 ** rng.uniform(2, math.log10(most))),
            str(round(float(10 ** rng.uniform(-0.5, 0.7)), 2)),
            way,
            relation,
        )

    @property
    def plan(self) -> pv.Plan:
        kind = pv.PosteriorDraws if self.way == "draws" else pv.NoisyStatistics
        found = pv.plan(
            self.case.model,
            SCHEMA,
            records=self.records,
            epsilon=self.epsilon,
            delta="0" if self.way == "laplace" else "1e-5",
            neighbours=self.relation,
            mechanism=kind,
        )
        if self.way == "gaussian":  # the planner takes Laplace noise where that is better
            ranges = [one.bounds(SCHEMA) for one in found.summands]
            noise: Mechanism = pv.NoisyStatistics(ranges, self.epsilon, "1e-5", neighbours=self.relation)
            return pv.Plan(SCHEMA, found.model, noise, self.relation, self.records)
        return found

    def __str__(self) -> str:
        return (
            f"{self.case.name}, {self.records} records, epsilon {self.epsilon}, {self.way}, {self.relation}"
        )


def simulated(facts: Facts, plan: pv.Plan, times: int, rng: np.random.Generator) -> tuple[float, float]:
    """Return the root of the mean posterior variance of so many releases, and its relative standard error.

    Parameters are at quantiles of the prior. For them the mean posterior variance is the mean squared error
    of the posterior mean, whose own average would vary far more.
    """
    variances = []
    ledger = pv.Ledger.in_memory(population="clinic", epsilon=10_000, delta="0.5")
    for place in range(times):
        theta = facts.case.model.law.quantile((place + 0.5) / times)
        codes = {facts.case.model.column: facts.case.codes(rng, theta, facts.records)}
        sums = ExactStatistics(np.array([int(one.of(codes).sum()) for one in plan.summands]))
        variances.append(pv.infer(measure_statistics(plan, sums, ledger=ledger)).stddev() ** 2)
    mean = float(np.mean(variances))
    return math.sqrt(mean), float(np.std(np.diff(variances))) / math.sqrt(2 * times) / mean / 2
