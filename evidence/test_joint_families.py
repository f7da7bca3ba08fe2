"""Calibration of families of several parameters: the posterior's rank of each true parameter is uniform.

As for families of one parameter: parameters are drawn from the prior, records from the family, and the
curator charges and draws for their sums. Ranks are among the posterior's draws. Ignoring the noise must fail
at epsilon 0.1.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from joint_cases import CASES, SCHEMA
from loading import in_workers
from record import Certificate, store
from scipy.stats import kstest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics

SETS, RECORDS = 100, 300
EPSILONS = ("0.1", "1", "10")
WAYS = {
    "laplace": (pv.NoisyStatistics, "0", pv.REPLACE_ONE),
    "gaussian": (pv.NoisyStatistics, "1e-5", pv.REPLACE_ONE),
    "private number": (pv.NoisyStatistics, "0", pv.ADD_OR_REMOVE_ONE),
    "draws": (pv.PosteriorDraws, "1e-5", pv.REPLACE_ONE),
    "pure draws": (pv.PosteriorDraws, "0", pv.REPLACE_ONE),
}
#: the chance of an alarm in all of this if everything is right
ALARM = 1e-3


@dataclass(frozen=True)
class Measured:
    name: str
    way: str
    epsilon: str
    covered: float
    naive: float | None
    uniform: float
    r_hat: float


def measured(cell: tuple[int, str, str]) -> list[Measured]:
    """Return one line for each parameter."""
    number, way, epsilon = cell
    case, (mechanism, delta, relation) = CASES[number], WAYS[way]
    model = case.for_way(way)
    assert model is not None
    rng = np.random.default_rng([number, list(WAYS).index(way), int(10 * float(epsilon))])
    plan = pv.plan(
        model,
        SCHEMA,
        records=RECORDS if relation is pv.REPLACE_ONE else 2 * RECORDS,
        epsilon=epsilon,
        delta=delta,
        neighbours=relation,
        mechanism=mechanism,  # type: ignore[arg-type]
    )
    ledger = pv.Ledger.in_memory(epsilon=10_000, delta="0.5")
    ranks, naive, worst = [], [], 0.0
    for _ in range(SETS):
        theta = case.draw(rng)
        codes = case.codes(rng, theta, RECORDS)
        sums = [int(one.of(codes).sum()) for one in plan.summands]
        made = measure_statistics(plan, ExactStatistics(np.array(sums)), ledger=ledger)
        release = pv.Release.from_json(made.to_json())
        posterior = pv.infer(release)
        worst = max(worst, posterior.diagnostics.r_hat or math.inf)
        ranks.append((posterior.theta < theta).mean(axis=0))
        if mechanism is pv.NoisyStatistics:
            low, high = np.quantile(pv.infer(release, noise="ignore").theta, [0.05, 0.95], axis=0)
            naive.append((low <= theta) & (theta <= high))
    inside = np.mean([(rank >= 0.05) & (rank <= 0.95) for rank in ranks], axis=0)
    return [
        Measured(
            model.names[place],
            way,
            epsilon,
            float(inside[place]),
            float(np.mean([one[place] for one in naive])) if naive else None,
            float(kstest([rank[place] for rank in ranks], "uniform").pvalue),
            worst,
        )
        for place in range(inside.size)
    ]


def test_joint_families_are_calibrated() -> None:
    certificate = Certificate.of(__file__)
    cells = [
        (number, way, epsilon)
        for number, case in enumerate(CASES)
        for way in WAYS
        for epsilon in EPSILONS
        if case.for_way(way) is not None
    ]
    found = [line for lines in in_workers(measured, cells) for line in lines]
    store(
        "joint-families",
        certificate,
        title="Calibration of families of several parameters",
        claim=f"{SETS} data sets of {RECORDS} records from the prior: 90% intervals cover 90%, "
        "give or take what chance does, on average 88% to 92%; the ranks of the truth are uniform; the "
        "chains agree; ignoring the noise fails at epsilon 0.1",
        header=("parameter", "release", "epsilon", "covered", "noise ignored", "uniform ranks: p", "R-hat"),
        rows=[
            (
                one.name,
                one.way,
                one.epsilon,
                f"{100 * one.covered:.0f}%",
                "" if one.naive is None else f"{100 * one.naive:.0f}%",
                f"{one.uniform:.3g}",
                f"{one.r_hat:.3f}",
            )
            for one in found
        ],
    )
    room = 3.5 * math.sqrt(0.9 * 0.1 / SETS)
    for one in found:
        assert 0.9 - room <= one.covered <= 0.9 + room, one
        assert one.uniform > ALARM / len(found), one
        assert one.r_hat < 1.05, one
    assert 0.88 <= float(np.mean([one.covered for one in found])) <= 0.92
    noisy = [one.naive for one in found if one.naive is not None and one.epsilon == "0.1"]
    assert float(np.mean(noisy)) < 0.8
