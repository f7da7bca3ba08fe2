"""Calibration of finite families and Markov chains, at epsilon 0.1, 1 and 10.

Models or transition matrices are drawn from the prior, records from them, and the curator charges and draws
for their counts: `measure_statistics`, a release file's text, `infer`. A model's probabilities are right if,
among all data sets, models that were given the probability p are the true ones in the share p: then ranks of
a chance, ties broken at random, are uniform. Transition chances have uniform ranks too. Ignoring the noise
must fail.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from finite_cases import DIE, PAIR
from finite_cases import SCHEMA as CASINO
from loading import in_workers
from markov_cases import SCHEMA as DAYS
from markov_cases import SEQUENCES, STATES, walked
from record import Certificate, store
from scipy.stats import kstest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics

SETS, RECORDS = 300, 120
EPSILONS = ("0.1", "1", "10")
WAYS: dict[str, tuple[type[Any], str, pv.Neighbours]] = {
    "laplace": (pv.LaplaceCounts, "0", pv.REPLACE_ONE),
    "gaussian": (pv.GaussianCounts, "1e-5", pv.REPLACE_ONE),
    "private number": (pv.LaplaceCounts, "0", pv.ADD_OR_REMOVE_ONE),
}
KINDS = ("die", "pair", "transitions", "sequences")
#: the chance of an alarm in all of this if everything is right
ALARM = 1e-3


@dataclass(frozen=True)
class Measured:
    kind: str
    way: str
    epsilon: str
    uniform: float
    naive: float


def measured(cell: tuple[str, str, str]) -> Measured:
    kind, way, epsilon = cell
    rng = np.random.default_rng([KINDS.index(kind), len(way), int(10 * float(epsilon))])
    mechanism, delta, relation = WAYS["laplace" if way == "draws" else way]
    models = {"die": DIE, "pair": PAIR}
    schemas = {"transitions": DAYS, "sequences": SEQUENCES}
    plan: pv.Plan = pv.plan(
        models.get(kind, pv.MarkovChain("today", "tomorrow")),
        schemas.get(kind, CASINO),
        records=RECORDS,
        epsilon=epsilon,
        delta=delta,
        neighbours=relation,
        mechanism=pv.ModelDraws if way == "draws" else mechanism,
    )
    ranks, naive = zip(*(_ranks(plan, rng) for _ in range(SETS)), strict=True)
    return Measured(kind, way, epsilon, *(float(kstest(one, "uniform").pvalue) for one in (ranks, naive)))


def _ranks(plan: pv.Plan, rng: np.random.Generator) -> tuple[float, float]:
    """Return the rank of the truth in the posterior, and in the one that ignores the noise."""
    model = plan.model
    private = plan.neighbours is pv.ADD_OR_REMOVE_ONE
    records = int(rng.integers(0, RECORDS + 1)) if private else RECORDS
    ledger = pv.Ledger.in_memory(epsilon=10_000, delta="0.5")
    if isinstance(model, pv.FiniteFamily):
        laws = np.exp(model.log_chances())
        truth = int(rng.choice(len(laws), p=np.exp(model.log_prior())))
        counts = rng.multinomial(records, laws[truth])
    else:
        matrix = rng.dirichlet(np.full(3, 1.0), size=3)
        rows = walked(rng, matrix, records, plan.schema.unit.max_rows)
        steps = zip(rows["today"], rows["tomorrow"], strict=True)
        moves = [len(STATES) * STATES.index(one) + STATES.index(other) for one, other in steps]
        counts = np.bincount(np.array(moves, dtype=np.int64), minlength=len(STATES) ** 2)
    made = measure_statistics(plan, ExactStatistics(counts), ledger=ledger)
    release = pv.Release.from_json(made.to_json())
    drawn = isinstance(plan.mechanism, pv.ModelDraws)
    ways = [pv.infer(release)] if drawn else [pv.infer(release), pv.infer(release, noise="ignore")]
    if isinstance(model, pv.FiniteFamily):
        ranks = [_rank(one.chances.shares, laws[:, 0], truth, rng) for one in ways]
    else:
        ranks = [float((one.matrices(1000, seed=1)[:, 0, 1] < matrix[0, 1]).mean()) for one in ways]
    return ranks[0], ranks[-1]


def _rank(shares: Any, values: Any, truth: int, rng: np.random.Generator) -> float:
    """Return the chance of smaller values than the true one, ties broken at random."""
    below, same = values < values[truth], values == values[truth]
    return float(shares[below].sum() + rng.uniform() * shares[same].sum())


def test_finite_families_and_chains_are_calibrated() -> None:
    certificate = Certificate.of(__file__)
    cells = [(kind, way, epsilon) for kind in KINDS for way in WAYS for epsilon in EPSILONS]
    cells += [("die", "draws", epsilon) for epsilon in EPSILONS]
    found = in_workers(measured, cells)
    store(
        "finite-families",
        certificate,
        title="Calibration of finite families and Markov chains",
        claim=f"{SETS} data sets of {RECORDS} units from the prior: the ranks of the truth are uniform; "
        "ignoring the noise fails at epsilon 0.1",
        header=("model", "release", "epsilon", "uniform ranks: p", "noise ignored: p"),
        rows=[(one.kind, one.way, one.epsilon, f"{one.uniform:.3g}", f"{one.naive:.3g}") for one in found],
    )
    for one in found:
        assert one.uniform > ALARM / len(found), one
    ignored = [one.naive for one in found if one.epsilon == "0.1" and one.way != "draws"]
    assert float(np.median(ignored)) < 1e-6
