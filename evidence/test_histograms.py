"""Histograms against what others publish: the same grid, the same noise, error against the true table.

Every noisy table goes the whole way (`measure`, `infer`), under add-or-remove-one. Peers use the very same
Laplace noise, clipped or projected, or Gaussian noise at delta 1e-5 likewise, or publish equal shares.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from record import Certificate, store

import privior as pv

Floats = NDArray[np.float64]

EPSILONS = ("0.1", "0.5", "1", "2", "5", "10")
#: repetitions, by the number of levels
SETS = {10: 20, 100: 8, 1000: 3}
CELLS = [
    (truth, levels, records)
    for levels in reversed(SETS)
    for truth in ("Dirichlet(1)", "Zipf 1.1")
    for records in (100, 1000, 10_000)
]
PEERS = ("Laplace clipped", "Laplace projected", "Gaussian clipped", "Gaussian projected", "uniform")


@dataclass(frozen=True)
class Measured:
    truth: str
    levels: int
    records: int
    epsilon: str
    ours: float
    best: float
    peer: str
    excess: float  # of ours over the best peer, paired, in standard errors


def projected(shares: Floats) -> Floats:
    """Return the nearest probability vector."""
    falling = np.sort(shares)[::-1]
    over = (np.cumsum(falling) - 1) / np.arange(1, shares.size + 1)
    return np.maximum(shares - over[np.flatnonzero(falling > over)[-1]], 0)


def clipped(counts: Floats) -> Floats:
    """Return what is not negative, as shares."""
    kept = np.maximum(counts, 0)
    return kept / kept.sum() if kept.sum() > 0 else np.full(counts.size, 1 / counts.size)


def measured(cell: tuple[str, int, int]) -> list[Measured]:
    truth, levels, records = cell
    names = np.array([f"level {i}" for i in range(levels)])
    schema = pv.Schema({"x": pv.Categorical(names.tolist())}, population="p", unit="person")
    ledger = pv.Ledger.in_memory(epsilon=10_000, delta="0.5")
    found = []
    for epsilon in EPSILONS:
        facts = {"records": 10 * records, "epsilon": epsilon, "neighbours": pv.ADD_OR_REMOVE_ONE}
        plan = pv.plan(pv.DirichletCategorical("x"), schema, mechanism=pv.LaplaceCounts, **facts)
        gaussian = pv.plan(
            pv.DirichletCategorical("x"), schema, mechanism=pv.GaussianCounts, delta="1e-5", **facts
        )
        errors = []
        for repetition in range(SETS[levels]):
            rng = np.random.default_rng(7000 + repetition)
            weights = (
                rng.dirichlet(np.ones(levels)) if truth[0] == "D" else 1 / np.arange(1, levels + 1) ** 1.1
            )
            table = rng.multinomial(records, weights / weights.sum())
            rows = pa.table({"x": np.repeat(names, table)})
            release = pv.measure(plan, rows, ledger=ledger)
            laplace = release.statistics.array().astype(np.float64)
            normal = pv.measure(gaussian, rows, ledger=ledger).statistics.array().astype(np.float64)
            counts = pv.infer(release, prior=pv.LearnedPrior()).counts().mean()
            guesses = [
                counts / counts.sum(),
                clipped(laplace),
                projected(laplace / max(laplace.sum(), 1)),
                clipped(normal),
                projected(normal / max(normal.sum(), 1)),
                np.full(levels, 1 / levels),
            ]
            errors.append([float(np.linalg.norm(guess - table / records)) for guess in guesses])
        ours, *peers = np.array(errors).T
        best = int(np.argmin([peer.mean() for peer in peers]))
        paired = ours - peers[best]
        error = paired.std(ddof=1) / np.sqrt(paired.size)
        excess = paired.mean() / max(error, 1e-12) if abs(paired.mean()) > 1e-4 / levels else 0.0
        found.append(
            Measured(
                truth,
                levels,
                records,
                epsilon,
                float(ours.mean()),
                float(peers[best].mean()),
                PEERS[best],
                float(excess),
            )
        )
    return found


def test_no_peer_is_better() -> None:
    certificate = Certificate.of("posterior", "mechanisms", "randomness", "models")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        cells = [one for some in pool.map(measured, CELLS) for one in some]
    cells.sort(key=lambda one: (one.truth, one.levels, one.records, float(one.epsilon)))
    ratio = float(np.exp(np.mean([np.log(one.ours / one.best) for one in cells if one.best > 1e-4])))
    store(
        "histograms",
        certificate,
        title="Histograms against peers",
        claim="l2 error of the expected counts, prior learned, against the true table: never worse than the best "
        f"peer by more than two standard errors of the paired difference, and better on average (ratio {ratio:.3f})",
        header=(
            "truth",
            "levels",
            "records",
            "epsilon",
            "privior",
            "best peer",
            "which",
            "standard errors above",
        ),
        rows=[
            (
                one.truth,
                str(one.levels),
                str(one.records),
                one.epsilon,
                f"{one.ours:.4f}",
                f"{one.best:.4f}",
                one.peer,
                f"{one.excess:+.1f}",
            )
            for one in cells
        ],
    )
    assert ratio < 1
    assert [one for one in cells if one.excess > 2] == []
