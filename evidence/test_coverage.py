"""Coverage: 90% intervals of released posteriors cover 87-93% of 2,000 data sets drawn from the prior.

Every data set goes the whole way: a table, `measure`, a release file's text, `infer`, `interval`. With
`noise="ignore"` the same test must fail.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from loading import in_workers
from record import Certificate, store

import privior as pv

SETS = 2000
CELLS = [
    (levels, records, epsilon) for levels in (2, 5) for records in (50, 1000) for epsilon in ("0.1", "1")
]


@dataclass(frozen=True)
class Measured:
    levels: int
    records: int
    epsilon: str
    covered: float
    naive: float
    milliseconds: float


def measured(cell: tuple[int, int, str]) -> Measured:
    levels, records, epsilon = cell
    rng = np.random.default_rng([levels, records, int(10 * float(epsilon))])
    names = np.array([f"level {i}" for i in range(levels)])
    schema = pv.Schema({"x": pv.Categorical(names.tolist())}, population="p", unit="person")
    plan = pv.plan(pv.DirichletCategorical("x", prior=1), schema, records=records, epsilon=epsilon)
    ledger = pv.Ledger.in_memory(epsilon=10_000)
    hits, naive_hits, seconds = [], [], 0.0
    for _ in range(SETS):
        theta = rng.dirichlet(np.ones(levels))
        rows = pa.table({"x": names[rng.choice(levels, size=records, p=theta)]})
        release = pv.Release.from_json(pv.measure(plan, rows, ledger=ledger).to_json())
        start = time.process_time()
        ends = pv.infer(release).interval(0.9)
        seconds += time.process_time() - start
        naive = pv.infer(release, noise="ignore").interval(0.9)
        hits.append((ends[:, 0] <= theta) & (theta <= ends[:, 1]))
        naive_hits.append((naive[:, 0] <= theta) & (theta <= naive[:, 1]))
    return Measured(
        levels, records, epsilon, float(np.mean(hits)), float(np.mean(naive_hits)), 1000 * seconds / SETS
    )


def passes(coverage: float) -> bool:
    return 0.87 <= coverage <= 0.93


def test_intervals_cover() -> None:
    certificate = Certificate.of(__file__)
    cells = in_workers(measured, CELLS)
    store(
        "coverage",
        certificate,
        title="Coverage of 90% intervals",
        claim=f"87% to 93% of {SETS} data sets from the prior, 20 ms a release; ignoring the noise must fail",
        header=(
            "levels",
            "records",
            "epsilon",
            "covered",
            "covered if noise is ignored",
            "inference, CPU ms",
        ),
        rows=[
            (
                str(cell.levels),
                str(cell.records),
                cell.epsilon,
                f"{cell.covered:.1%}",
                f"{cell.naive:.1%}",
                f"{cell.milliseconds:.1f}",
            )
            for cell in cells
        ],
    )
    assert all(passes(cell.covered) for cell in cells)
    assert not all(passes(cell.naive) for cell in cells)
    assert not any(passes(cell.naive) for cell in cells if cell.records == 50 and cell.epsilon == "0.1")
    assert max(cell.milliseconds for cell in cells) <= 20
