"""The sampled posterior of a table of counts: several chains, and whether they agree.

Four chains start from the noisy counts, perturbed by up to twice their noise and projected onto tables;
each runs S sweeps to forget that and S more to be kept. While the largest split R-hat is too large, what
was kept is forgotten too and twice as many sweeps follow, up to a public number of moves. Whatever
happens then is reported, never hidden: `diagnostics` carries R-hat and, if need be, a warning.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.posterior.counts.contract import LatentCounts, quantiles_of_tables
from privior.posterior.counts.dirichlet_weights import DirichletWeights
from privior.posterior.counts.evidence import CellEvidence, Total, misfit
from privior.posterior.diagnostics import WORST_R_HAT, Diagnostics, split_r_hat
from privior.posterior.kept import kept
from privior.posterior.seeds import mixed

#: no chain makes more moves than this (about 10 seconds each), however badly it mixes
MOST_MOVES = 40_000_000

_CHAINS, _THREADS = 4, 2
_SWEEPS, _MOVES_PER_CELL, _LEAST_MOVES = 750, 4, 400
#: states that each chain keeps
_KEPT = 250
#: how far the starts are perturbed, in standard deviations of the noise
_PERTURBED = (0.0, 1.0, 2.0, 2.0)


@kept
@dataclass(frozen=True, eq=False)
class ChainCounts(LatentCounts):
    """The posterior of the true counts, from Markov chains.

    Attributes:
        states: stored tables of all chains
        mean: over all kept sweeps
        stddev: likewise
        diagnostics: whether the chains agree
    """

    states: Integers
    mean: Floats
    stddev: Floats
    diagnostics: Diagnostics

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each count among the stored tables, as (cells, 2)."""
        return quantiles_of_tables(self.states, level)

    def kept_of(self, cell: int) -> tuple[Integers, Integers]:
        """Return the counts of one cell in the stored tables, and their totals."""
        return self.states[:, cell], self.states.sum(axis=1)

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return stored tables, resampled, as (size, cells)."""
        return self.states[rng.integers(len(self.states), size=size)]


def chain_counts(
    evidence: Sequence[CellEvidence],
    prior: Floats,
    total: Total,
    *,
    seed: int = 0,
    most_moves: int = MOST_MOVES,
) -> ChainCounts:
    """Run chains until they agree, or have made `most_moves` moves each."""
    chains = _CountChains(evidence, prior, total, seed)
    per_sweep = max(_MOVES_PER_CELL * prior.size, _LEAST_MOVES)
    sweeps = max(1, min(_SWEEPS, most_moves // (2 * per_sweep)))
    chains.run(sweeps, per_sweep)
    done = sweeps
    while True:
        kept = chains.run(sweeps, per_sweep)
        done += sweeps
        r_hat = split_r_hat(_monitored(kept.states, total))
        if r_hat <= WORST_R_HAT or (done + 2 * sweeps) * per_sweep > most_moves:
            break
        sweeps *= 2
    variance = kept.squares / sweeps / _CHAINS - (kept.sums / sweeps / _CHAINS) ** 2
    mean = chains.origin + kept.sums / sweeps / _CHAINS
    diagnostics = Diagnostics.of_chains(
        r_hat=r_hat,
        acceptance=kept.accepted / (sweeps * per_sweep * _CHAINS),
        chains=_CHAINS,
        sweeps=done,
        moves=float(done * per_sweep * _CHAINS),
        misfit=misfit(evidence, mean, np.maximum(variance, 0)),
    )
    return ChainCounts(
        kept.states.reshape(-1, prior.size), mean, np.sqrt(np.maximum(variance, 0)), diagnostics
    )


@dataclass(frozen=True, eq=False)
class _Sweeps:
    """What some sweeps of all chains left: stored states, moments about the origin, accepted moves."""

    states: Integers
    sums: Floats
    squares: Floats
    accepted: int


class _CountChains:
    """Chains that can be run on."""

    def __init__(self, evidence: Sequence[CellEvidence], prior: Floats, total: Total, seed: int) -> None:
        self.total = total
        precision = np.sum([e.precisions for e in evidence], axis=0) if evidence else np.zeros(prior.size)
        weights = DirichletWeights.of(evidence, prior, total.most)
        kinks = np.stack([weights.kinks, weights.rates], axis=1).reshape(-1, prior.size)
        columns = [prior, weights.curvature, weights.centre, weights.slope, precision, kinks.T]
        # Row by row in memory, with kinks and without: loops are compiled for one layout.
        self.cells = np.ascontiguousarray(np.column_stack(columns), dtype=np.float64)
        seeds = np.random.SeedSequence(mixed(seed)).spawn(_CHAINS)
        self.rngs = [np.random.default_rng(each) for each in seeds]
        centre, deviation = _guess(evidence, prior, total, precision)
        self.counts = [
            _table(_perturbed(centre, deviation, precision > 0, far, rng), deviation, total)
            for far, rng in zip(_PERTURBED, self.rngs, strict=True)
        ]
        self.origin = self.counts[0].copy()

    def run(self, sweeps: int, moves: int) -> _Sweeps:
        """Run all chains on by some sweeps of some moves."""
        with ThreadPoolExecutor(_THREADS) as threads:
            runs = list(threads.map(lambda chain: self._one(chain, sweeps, moves), range(_CHAINS)))
        return _Sweeps(
            np.stack([run.states for run in runs]),
            np.sum([run.sums for run in runs], axis=0),
            np.sum([run.squares for run in runs], axis=0),
            sum(run.accepted for run in runs),
        )

    def _one(self, chain: int, sweeps: int, moves: int) -> _Sweeps:
        from privior.posterior.counts.chain import walk

        size = len(self.cells)
        states = np.empty((min(_KEPT, sweeps), size), dtype=np.int64)
        sums, squares = np.zeros(size), np.zeros(size)
        accepted = walk(
            self.rngs[chain],
            self.counts[chain],
            self.cells,
            self.total.most,
            self.total.known,
            sweeps,
            moves,
            self.origin,
            sums,
            squares,
            states,
        )
        return _Sweeps(states, sums, squares, int(accepted))


def _monitored(states: Integers, total: Total) -> Floats:
    """Return what must agree between chains: every cell, and the total if it is unknown."""
    columns = states if total.known else np.concatenate([states, states.sum(axis=2, keepdims=True)], axis=2)
    return columns.astype(np.float64)


def _guess(
    evidence: Sequence[CellEvidence], prior: Floats, total: Total, precision: Floats
) -> tuple[Floats, Floats]:
    """Return a rough count of each cell and its deviation: the noisy mean, or a share of the rest."""
    seen = precision > 0
    pull = np.sum([e.precisions * e.observed for e in evidence], axis=0) if evidence else np.zeros(prior.size)
    centre = np.clip(np.divide(pull, precision, out=np.zeros(prior.size), where=seen), 0, total.most)
    rest = max(total.most - float(centre[seen].sum()), 0.0) * (1.0 if total.known else 0.5)
    share = rest * prior / (float(prior[~seen].sum()) or 1.0)
    deviation = np.where(seen, 1 / np.sqrt(np.where(seen, precision, 1.0)), share + 1)
    return np.where(seen, centre, share), deviation


def _perturbed(
    centre: Floats,
    deviation: Floats,
    seen: NDArray[np.bool_],
    far: float,
    rng: np.random.Generator,
) -> Floats:
    """Return the rough counts with noise once more; what was not released may be anything positive."""
    if not far:
        return centre
    noisy = centre + far * deviation * rng.standard_normal(centre.size)
    return np.where(seen, noisy, centre * rng.standard_exponential(centre.size))


def _table(values: Floats, deviation: Floats, total: Total) -> Integers:
    """Return a table near some values: moved in proportion to the variances, cut at zero, and rounded."""
    inside = np.clip(values, 0, total.most)
    if total.known or inside.sum() > total.most:
        give = deviation**2 / float(np.max(deviation)) ** 2
        give = np.maximum(give, 1e-9)
        low = (values[give.argmax()] - total.most - 1) / float(give.max())
        high = float((values / give).max())
        for _ in range(200):
            middle = (low + high) / 2
            enough = np.maximum(values - middle * give, 0).sum() >= total.most
            low, high = (middle, high) if enough else (low, middle)
        inside = np.clip(values - low * give, 0, total.most)
    table = np.floor(inside).astype(np.int64)
    if total.known or table.sum() > total.most:
        missing = total.most - int(table.sum())
        if 0 <= missing <= table.size:
            table[np.argsort(table - inside, kind="stable")[:missing]] += 1
        else:
            table[int(table.argmax())] += missing
    return table
