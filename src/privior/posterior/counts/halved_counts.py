"""The posterior of a table whose shape is learned: halved again and again, at learned proportions.

`LearnedPrior` says the law, `HalvingMachine` learns it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.models import LearnedPrior
from privior.posterior.counts.compiled import Compiled
from privior.posterior.counts.contract import LearnedShape, quantiles_of_tables, tables_drawn
from privior.posterior.counts.evidence import CellEvidence, Total, misfit
from privior.posterior.counts.halving_centres import centres
from privior.posterior.counts.halving_machine import (
    FILLED,
    PLAIN,
    HalvingMachine,
    parameters,
    seen_in,
    well_filled,
)
from privior.posterior.counts.halving_tree import HalvingTree, halving_tree
from privior.posterior.counts.plain_tables import plain_tables
from privior.posterior.counts.stirling import log_gamma
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.kept import kept
from privior.posterior.seeds import drawing

#: the share of tables by the noisy counts alone, and the law of proportions that they are taken to have
_PLAIN, _ANY = 0.3, 2
#: how many times as likely as little it is beforehand that cells with little in them have nothing
_NOTHING = 3.0
#: what is less probable than this is out of the question
_POSSIBLE = 0.03
#: counts of parts that are worked on at once, so that what follows from them stays near the processor
_AT_ONCE = 100_000
#: counts below this, of which log Gammas are listed
_LISTED = 20_000


kept(LearnedPrior)


@kept
@dataclass(frozen=True, eq=False)
class HalvedCounts(LearnedShape):
    """The posterior of the true counts, and of how unequal the halves of the table are.

    Attributes:
        tree: the parts of the table
        first, second: the parameters of both halves of each part of several cells, for each concentration
        weights: of the concentrations in each state of tables, as (state, group, concentration)
        state: of each table
        prior: the laws that proportions may have
        tables: draws
        diagnostics: how they were made
    """

    tree: HalvingTree
    first: Floats
    second: Floats
    weights: Floats
    state: Integers
    prior: LearnedPrior
    tables: Integers
    diagnostics: Diagnostics

    @property
    def kept(self) -> Integers:
        """The draws that are kept."""
        return self.tables

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        """The expected count of each cell."""
        return np.asarray(self.tables.mean(axis=0))

    @cached_property
    def stddev(self) -> Floats:  # type: ignore[override]
        """The standard deviation of each count."""
        return np.asarray(self.tables.std(axis=0))

    def interval(self, level: float) -> Floats:
        """Return the equal-tailed interval of each count, as (k, 2)."""
        return quantiles_of_tables(self.tables, level)

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return tables from the posterior, as (size, k): those that are kept, shuffled, again and again."""
        return np.asarray(self.tables[self._places(size, rng)])

    def _places(self, size: int, rng: np.random.Generator) -> Integers:
        rounds = -(-size // len(self.tables))
        return np.concatenate([rng.permutation(len(self.tables)) for _ in range(rounds)])[:size]

    def log_draws(self, size: int, of_tables: np.random.Generator, rng: np.random.Generator) -> Floats:
        """Draw the log probability of each cell: a Beta share for each half, given table and state."""
        places = self._places(min(size, len(self.tables)), of_tables)
        places = np.resize(places, size)
        state = self.state[places]

        def shares(part: slice, one: Integers, other: Integers) -> tuple[Floats, Floats]:
            kind, goal = np.zeros(one.shape, dtype=np.int64), rng.random(one.shape)
            laws = np.moveaxis(self.weights[:, self.tree.group[part]], 0, 1)[:, state]
            chances = self._chances(part, laws, one, other)
            for sums in np.cumsum(chances, axis=0)[:-1]:
                kind += goal >= sums
            a = np.take_along_axis(self.first[part], kind, axis=1) + one
            b = np.take_along_axis(self.second[part], kind, axis=1) + other
            first, second = _log_gammas(a, rng), _log_gammas(b, rng)
            both = np.logaddexp(first, second)
            return first - both, second - both

        return self._from_the_top(self.tables[places], shares)

    def expected_rates(self, tables: Integers) -> Floats:
        """Return about the expected probability of each cell given a table, averaged over the states."""
        laws = self.weights[self.state].mean(axis=0)

        def shares(part: slice, one: Integers, other: Integers) -> tuple[Floats, Floats]:
            share = np.zeros(one.shape)
            chances = self._chances(part, laws[self.tree.group[part], None], one, other)
            for chance, a, b in zip(chances, self.first[part].T, self.second[part].T, strict=True):
                share += chance * (a[:, None] + one) / ((a + b)[:, None] + one + other)
            return np.log(share), np.log1p(-share)

        return np.exp(self._from_the_top(tables, shares))

    def _chances(self, part: slice, weights: Floats, one: Integers, other: Integers) -> Floats:
        """Return how probable each concentration is in some parts of some tables, as (kind, part, table).

        Args:
            part: which parts
            weights: of the concentrations beforehand, as (part, table, kind)
            one, other: the counts of both halves
        """
        logs, both = np.empty((weights.shape[2], *one.shape)), one + other
        for kind, into in enumerate(logs):
            a, b = self.first[part, kind, None], self.second[part, kind, None]
            into[:] = _of_counts(one, a) + _of_counts(other, b) - _of_counts(both, a + b)
            into += log_gamma(a + b) - log_gamma(a) - log_gamma(b) + np.log(weights[:, :, kind])
        logs -= logs.max(axis=0)
        np.exp(logs, out=logs)
        return np.asarray(logs / logs.sum(axis=0))

    def _from_the_top(
        self, tables: Integers, shares: Callable[[slice, Integers, Integers], tuple[Floats, Floats]]
    ) -> Floats:
        """Add up the logarithms of the shares that halves have of their parts, as (table, cell)."""
        cells, sums = self.tree.cells, self.tree.sums(tables.T)
        logs = np.zeros(sums.shape)
        few = max(1, _AT_ONCE // len(tables))
        parts = (
            slice(start, min(start + few, depth.stop))
            for depth in reversed(list(self.tree.each_depth))
            for start in range(depth.start, depth.stop, few)
        )
        for part in parts:
            one, other = self.tree.halves[part].T
            first, second = shares(part, sums[one], sums[other])
            logs[one], logs[other] = logs[cells:][part] + first, logs[cells:][part] + second
        return np.ascontiguousarray(logs[:cells].T)

    def __str__(self) -> str:
        logs = self.weights[self.state].mean(axis=0) @ np.log(self.prior.concentrations)
        # How far halves are typically from equal, at the finest scale of each column.
        apart = 0.5 / np.sqrt(2 * np.exp(logs) + 1)
        return (
            f"prior learned: halves typically differ from equal ones by {100 * apart.min():.0f}% to "
            f"{100 * apart.max():.0f}% of their sum"
        )


def _of_counts(counts: Integers, more: Floats) -> Floats:
    """Return log Γ(c + a) of counts (part, table): from a list where all parts have the same a, and few."""
    most = int(counts.max(initial=0))
    if most >= _LISTED or most > counts.size or np.ptp(more) > 1e-12 * more[0, 0]:
        return log_gamma(counts + more)
    return np.asarray(log_gamma(np.arange(most + 1) + more[0, 0])[counts])


def _log_gammas(shapes: Floats, rng: np.random.Generator) -> Floats:
    """Draw logarithms of Gammas: one of tiny shape a underflows, but G(a) = G(a+1) U^(1/a)."""
    tiny = shapes < 1
    logs = np.log(rng.standard_gamma(shapes + tiny))
    logs[tiny] -= rng.standard_exponential(int(tiny.sum())) / shapes[tiny]
    return np.asarray(logs)


def nothing_chance(seen: float, variance: float) -> float:
    """Return how probable it is that cells with little in them have no records, by their noisy sum.

    It is noise about 0, or about anything up to what is little of a sum; the former is taken for
    three times as likely beforehand.
    """
    if variance <= 0:
        return 0.0
    at = seen / math.sqrt(variance)
    none = _NOTHING * math.exp(-at * at / 2) / math.sqrt(2 * math.pi)
    # By what is beyond both ends on the nearer side, which does not vanish beside 1.
    near, far = (at - FILLED, at) if at > FILLED else (-at, FILLED - at)
    some = (math.erfc(near / math.sqrt(2)) - math.erfc(far / math.sqrt(2))) / (2 * FILLED)
    return none / (none + some) if none + some > 0 else float(at < 0)


def halved_counts(
    evidence: Sequence[CellEvidence],
    shape: Sequence[int],
    ordered: Sequence[bool],
    prior: LearnedPrior,
    total: Total,
    *,
    seed: int = 0,
) -> HalvedCounts:
    """Learn how unequal halves are, and draw tables.

    Args:
        evidence: noisy counts of the table
        shape: the number of levels of each column
        ordered: whether neighbouring levels of a column may be expected to resemble each other
        prior: the laws that proportions may have
        total: what is known of the number of records
        seed: of the draws
    """
    tree = halving_tree(shape, ordered)
    if tree.cells > prior.most_cells:
        raise InferenceError(
            "the table has too many cells for a prior that is learned",
            asked=tree.cells,
            allowed=prior.most_cells,
            advice="Give a number, such as prior=1.",
        )
    precision = np.sum([one.precisions for one in evidence], axis=0)
    variance = 1 / np.maximum(precision, 1.0 / (total.most + 1.0) ** 2)
    weighted = seen_in(evidence)
    filled = well_filled(tree.sums(weighted), tree.sums(variance))
    bare = ~filled[: tree.cells]
    sparse = nothing_chance(float(weighted[bare].sum()), float(variance[bare].sum()))
    # What well filled parts say of their halves need not hold where little is seen; nor where that begins, if
    # it may be nothing.
    little = ~filled[tree.cells :]
    begins = ~filled[tree.halves].all(axis=1) & (sparse >= _POSSIBLE)
    tree = tree.apart(little.astype(np.int64) + (little | begins))
    middle = centres(tree, ordered, weighted, variance)
    # Once a compiler is loaded, it sums small tables too: the draws are the same.
    plain = 0 if Compiled.loaded else PLAIN
    machine = HalvingMachine.of(tree, prior, middle, total, evidence, variance, plain)
    rng = drawing(seed)
    learned = machine.learn()
    size = tables_drawn(tree.cells)
    # Some by the noisy counts alone: so intervals of sums of many cells reach to what these say, where a
    # shape was learned that does not hold there.
    alone = math.ceil(_PLAIN * size)
    weights, state, tables = machine.draw(learned.gains, size - alone, rng, sparse)
    plainly = plain_tables(tree, weighted, variance, filled[: tree.cells], total, alone, rng)
    order = rng.permutation(size)
    state = np.append(state, np.full(alone, len(weights)))[order]
    weights = np.concatenate([weights, np.tile(prior.laws[0, _ANY], (1, tree.groups, 1))])
    tables = np.concatenate([tables, plainly])[order]
    effective = size**2 / (np.bincount(state) ** 2).sum()
    diagnostics = Diagnostics.of_draws(
        f"{size} tables, drawn exactly given shapes that were learned ({effective:.0f} that differ)",
        misfit(evidence, tables.mean(axis=0), tables.var(axis=0)),
    )
    first, second = parameters(prior, middle)
    return HalvedCounts(tree, first, second, weights, state, prior, tables, diagnostics)
