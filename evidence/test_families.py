"""Calibration of families: the posterior's rank of the true parameter is uniform, at epsilon 0.1, 1 and 10.

Parameters are drawn from the prior, records from the family, and the curator charges and draws for their sum:
`measure_statistics`, a release file's text, `infer`. That tables are summed rightly, the tests show. 90%
intervals must cover 87% to 93%, but for what chance may do to so many sets (two standard errors), and the
ranks must be uniform. Ignoring the noise must fail.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from family_cases import CASES, SCHEMA
from loading import in_workers
from record import Certificate, store
from scipy.stats import kstest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics

SETS, RECORDS = 300, 300
EPSILONS = ("0.1", "1", "10")
WAYS = {
    "laplace": (pv.NoisyStatistics, "0", pv.REPLACE_ONE),
    "gaussian": (pv.NoisyStatistics, "1e-5", pv.REPLACE_ONE),
    "private number": (pv.NoisyStatistics, "0", pv.ADD_OR_REMOVE_ONE),
    "draws": (pv.PosteriorDraws, "1e-5", pv.REPLACE_ONE),
}
#: the chance of an alarm in all of this if everything is right
ALARM = 1e-3


@dataclass(frozen=True)
class Measured:
    family: str
    way: str
    epsilon: str
    covered: float
    naive: float | None
    uniform: float


def measured(cell: tuple[int, str, str]) -> Measured:
    number, way, epsilon = cell
    case, (mechanism, delta, relation) = CASES[number], WAYS[way]
    rng = np.random.default_rng([number, list(WAYS).index(way), int(10 * float(epsilon))])
    plan = pv.plan(
        case.model,
        SCHEMA,
        records=RECORDS if relation is pv.REPLACE_ONE else 2 * RECORDS,
        epsilon=epsilon,
        delta=delta,
        neighbours=relation,
        mechanism=mechanism,  # type: ignore[arg-type]
    )
    ledger = pv.Ledger.in_memory(epsilon=10_000, delta="0.5")
    ranks, naive = [], []
    for _ in range(SETS):
        theta = case.draw(rng)
        codes = {case.model.column: case.codes(rng, theta, RECORDS)}
        sums = [int(one.of(codes).sum()) for one in plan.summands]
        made = measure_statistics(plan, ExactStatistics(np.array(sums)), ledger=ledger)
        release = pv.Release.from_json(made.to_json())
        law = pv.infer(release).law
        ranks.append(float(np.interp(theta, law.points, np.cumsum(law.masses) - law.masses / 2)))
        if mechanism is pv.NoisyStatistics:
            low, high = pv.infer(release, noise="ignore").interval(0.9)
            naive.append(low <= theta <= high)
    inside = float(np.mean([0.05 <= rank <= 0.95 for rank in ranks]))
    return Measured(
        f"{case.name}, {case.model.column}",
        way,
        epsilon,
        inside,
        float(np.mean(naive)) if naive else None,
        float(kstest(ranks, "uniform").pvalue),
    )


def test_families_are_calibrated() -> None:
    certificate = Certificate.of(__file__)
    cells = [(number, way, epsilon) for number in range(len(CASES)) for way in WAYS for epsilon in EPSILONS]
    found = in_workers(measured, cells)
    room = 2 * math.sqrt(0.9 * 0.1 / SETS)
    store(
        "families",
        certificate,
        title="Calibration of families of one parameter",
        claim=f"{SETS} data sets of {RECORDS} records from the prior: 90% intervals cover 87% to 93%, give "
        "or take what chance does, on average 89% to 91%; the ranks of the truth are uniform; ignoring the "
        "noise fails at epsilon 0.1",
        header=("family", "release", "epsilon", "covered", "noise ignored", "uniform ranks: p"),
        rows=[
            (
                one.family,
                one.way,
                one.epsilon,
                f"{100 * one.covered:.1f}%",
                "" if one.naive is None else f"{100 * one.naive:.1f}%",
                f"{one.uniform:.3g}",
            )
            for one in found
        ],
    )
    for one in found:
        assert 0.87 - room <= one.covered <= 0.93 + room, one
        assert one.uniform > ALARM / len(found), one
    assert 0.89 <= float(np.mean([one.covered for one in found])) <= 0.91
    noisy = [one.naive for one in found if one.naive is not None and one.epsilon == "0.1"]
    assert float(np.mean(noisy)) < 0.8
