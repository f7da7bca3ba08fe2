"""The posterior of a table whose shape is learned: halved again and again, at learned proportions.

`LearnedPrior` says the law. Given which law of concentrations each group of parts has, everything is a sum
along the tree of parts (`halving_sums`): the evidence of a release, and exact draws of tables. Laws are found
by climbing, from the finest group on, and then drawn, that of one group at a time given the others, tables
summed out: several chains with a handful of unknowns each. Of each state of a chain many tables are drawn. In
large tables the laws of groups of very many parts, of which little is left open, stay where the climb ended.

Where noise is wide, counts are summed in units of several records: the largest power of two that is at most a
sixth of the noise's standard deviation, for large parts that of their sum, and at most a 32nd of all records.
Draws are of whole records again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.models import LearnedPrior
from privior.posterior.counts.contract import LearnedShape, quantiles_of_tables
from privior.posterior.counts.evidence import CellEvidence, Total, misfit
from privior.posterior.counts.halving_tree import Centres, HalvingTree, centres, halving_tree
from privior.posterior.diagnostics import Diagnostics, split_r_hat
from privior.posterior.kept import kept

#: units are at most this share of the noise's standard deviation, and of all records; messages end at e^-this
#: of their peak
_FINE, _UNITS, _FAR = 6.0, 32.0, 16.0
#: chains, and the states of each
_CHAINS, _STATES = 4, 8
#: parts of more than so many standard deviations of their noise are well filled
_FILLED = 4.0
#: the law of a group is not drawn where more parts than this would be summed for it
_SWEPT = 64
#: tables that are kept: so many numbers in all, but at least and at most so many tables
_NUMBERS, _LEAST, _MOST = 20_000_000, 200, 4000
#: parts whose chains are compared, and tables by which concentrations are judged
_COMPARED, _JUDGED = 50, 16


kept(LearnedPrior)


@kept
@dataclass(frozen=True, eq=False)
class HalvedCounts(LearnedShape):
    """The posterior of the true counts, and of how unequal the halves of the table are.

    Attributes:
        prior: the laws that proportions may have
        tree: the parts of the table
        nodes: where their messages stand
        messages: those of the cells
        centres: the shares that halves are expected to have
        states: the laws that the chains found, as (state, group)
        shifts: where in their uncertainty the shares were that parts have in common, as (state, share)
        total: what is known of the number of records
        tables: draws that are kept
        diagnostics: how well the chains agree
    """

    prior: LearnedPrior
    tree: HalvingTree
    nodes: Integers
    messages: Floats
    centres: Centres
    states: Integers
    shifts: Floats
    total: Total
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
        """Return tables from the posterior, as (size, k): of all states in turn, in random order."""
        turns = np.bincount(np.arange(size) % len(self.states), minlength=len(self.states))
        parts = [
            _Machine.of(self, chosen, shift).draw(int(turn), rng)
            for chosen, shift, turn in zip(self.states, self.shifts, turns, strict=True)
            if turn
        ]
        return np.asarray(rng.permutation(np.concatenate(parts)))

    def log_rates(self, tables: Integers, rng: np.random.Generator) -> Floats:
        """Draw the log probability of each cell given a table: a Beta share for each half."""
        from privior.posterior.counts.halving_sums import log_shares

        sums = self._added_up(tables)
        logs = np.empty(sums.shape)
        log_shares(self.nodes, self.tree.cells, sums, self._chances, *self._parameters, rng, logs)
        return np.ascontiguousarray(logs[: self.tree.cells].T)

    def expected_rates(self, tables: Integers) -> Floats:
        """Return the expected probability of each cell given a table."""
        from privior.posterior.counts.halving_sums import expected_shares

        sums = self._added_up(tables)
        shares = np.empty(sums.shape)
        expected_shares(self.nodes, self.tree.cells, sums, self._chances, *self._parameters, shares)
        return np.ascontiguousarray(shares[: self.tree.cells].T)

    @cached_property
    def _chances(self) -> Floats:
        """How probable each concentration is in each part."""
        from privior.posterior.counts.halving_sums import responsible

        sums = self._added_up(self.tables[:: max(1, len(self.tables) // _JUDGED)])
        weights = self._weights
        return np.asarray(responsible(self.nodes, self.tree.cells, sums, weights, *self._parameters))

    @cached_property
    def _parameters(self) -> tuple[Floats, Floats]:
        return _parameters(self.prior, self.centres, np.zeros(self.shifts.shape[1]))

    @property
    def _weights(self) -> Floats:
        """The expected weight of each concentration in each group."""
        return np.asarray(self.prior.laws[self.states].mean(axis=0))

    def _added_up(self, tables: Integers) -> Integers:
        from privior.posterior.counts.halving_sums import add_up

        sums = np.empty((len(self.nodes), len(tables)), dtype=np.int64)
        sums[: self.tree.cells] = tables.T
        add_up(self.nodes, self.tree.cells, sums)
        return sums

    def __str__(self) -> str:
        logs = self._weights @ np.log(self.prior.concentrations)
        # How far halves are typically from equal, at the finest scale of each column.
        apart = 0.5 / np.sqrt(2 * np.exp(logs) + 1)
        return (
            f"prior learned: halves typically differ from equal ones by {100 * apart.min():.0f}% to "
            f"{100 * apart.max():.0f}% of their sum"
        )


def _parameters(prior: LearnedPrior, middle: Centres, shift: Floats) -> tuple[Floats, Floats]:
    """Return the parameters of both halves of each part, cells included, for each concentration.

    Small concentrations know of no centre, but for the one that many parts share.
    """
    a = prior.concentrations
    share = middle.shares(shift)[:, None]
    centred = middle.pooled[:, None] | (a > 2)
    first, second = np.where(centred, 2 * a * share, a), np.where(centred, 2 * a * (1 - share), a)
    cells = np.tile(a, (len(share) + 1, 1))
    return np.concatenate([cells, first]), np.concatenate([cells, second])


@dataclass(eq=False)
class _Machine:
    """The sums of one table: messages of all parts, for the laws that its groups have just now."""

    prior: LearnedPrior
    tree: HalvingTree
    nodes: Integers
    centres: Centres
    total: Total
    room: Floats
    chosen: Integers
    shift: Floats

    @staticmethod
    def of(counts: HalvedCounts, chosen: Integers, shift: Floats) -> _Machine:
        """Take what was inferred, with other laws."""
        room = np.concatenate([counts.messages, np.zeros(4 * counts.messages.size + 4096)])
        facts = (counts.prior, counts.tree, counts.nodes.copy(), counts.centres, counts.total)
        return _Machine(*facts, room, chosen, shift)

    def __post_init__(self) -> None:
        self._scales = np.zeros(len(self.nodes))
        self.begin(self.chosen, self.shift)

    def begin(self, chosen: Integers, shift: Floats) -> None:
        """Take laws and shares, and sum anew."""
        self.chosen, self.shift = chosen, shift
        self._first, self._second = _parameters(self.prior, self.centres, shift)
        self.sum_from(self.tree.cells)

    def sum_from(self, part: int) -> float:
        """Sum anew from a part upwards; return the log evidence of the laws that are chosen."""
        from privior.posterior.counts.halving_sums import LOW, STEP, upwards

        weights = self.prior.laws[self.chosen]
        facts = (weights, self._first, self._second, _FAR)
        while not upwards(self.nodes, part, self.room, self._scales, *facts):
            self.room = np.concatenate([self.room, np.zeros(self.room.size)])
        top = self._top
        if self.total.known:
            low, step = int(self.nodes[-1, LOW]), int(self.nodes[-1, STEP])
            unit = min(max((self.total.most + step // 2) // step - low, 0), top.size - 1)
            return float(self._scales.sum() + math.log(max(float(top[unit]), 1e-300)))
        return float(self._scales.sum() + math.log(max(float(top.sum()), 1e-300)))

    @property
    def _top(self) -> Floats:
        """What the release says of the total, as far as that is possible."""
        from privior.posterior.counts.halving_sums import LOW, SIZE, START, STEP

        low, size, start, step = (int(self.nodes[-1, entry]) for entry in (LOW, SIZE, START, STEP))
        possible = max(1, min(size, self.total.most // step - low + 1))
        return self.room[start : start + possible]

    def choose(self, group: int, law: int) -> float:
        """Give a group another law."""
        self.chosen[group] = law
        return self.sum_from(int(self.tree.starts[group]))

    def climb(self) -> None:
        """Find laws from the finest group on: go on as long as the evidence rises."""
        for group in range(self.tree.groups):
            here, best = int(self.chosen[group]), self.choose(group, int(self.chosen[group]))
            for way in (1, -1):
                while 0 <= here + way < len(self.prior.laws):
                    found = self.choose(group, here + way)
                    if found <= best:
                        break
                    here, best = here + way, found
            self.choose(group, here)

    def sweep(self, rng: np.random.Generator) -> None:
        """Draw the law of each group, given those of the others; not where that would take too long."""
        for group in range(self.tree.groups):
            if len(self.nodes) - self.tree.starts[group] > _SWEPT:
                continue
            logs = np.array([self.choose(group, law) for law in range(len(self.prior.laws))])
            chances = np.exp(logs - logs.max())
            self.choose(group, int(rng.choice(chances.size, p=chances / chances.sum())))

    def draw(self, size: int, rng: np.random.Generator) -> Integers:
        """Draw tables."""
        from privior.posterior.counts.halving_sums import LOW, STEP, downwards

        cells = self.tree.cells
        sums = np.empty((len(self.nodes), size), dtype=np.int64)
        top = self.nodes[-1]
        if self.total.known:
            sums[-1] = self.total.most
        else:
            message = self._top
            units = top[LOW] + rng.choice(message.size, size=size, p=message / message.sum())
            within = rng.integers(0, top[STEP], size) - top[STEP] // 2
            sums[-1] = np.clip(units * top[STEP] + within, 0, self.total.most)
        weights = self.prior.laws[self.chosen]
        downwards(self.nodes, cells, self.room, weights, self._first, self._second, sums, rng)
        return np.ascontiguousarray(sums[:cells].T)


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
        seed: of the chains
    """
    from privior.posterior.counts.halving_sums import leaf_messages

    tree = halving_tree(shape, ordered)
    if tree.cells > prior.most_cells:
        raise InferenceError(
            "the table has too many cells for a prior that is learned",
            asked=tree.cells,
            allowed=prior.most_cells,
            advice="Give a number, such as prior=1.",
        )
    observed = np.array([one.observed for one in evidence])
    rates, bends = (np.array([getattr(one, name) for one in evidence]) for name in ("rates", "curvatures"))
    precision = np.sum([one.precisions for one in evidence], axis=0)
    variance = 1 / np.maximum(precision, 1.0 / (total.most + 1.0) ** 2)
    weighted = sum(one.observed * one.precisions for one in evidence) / np.maximum(precision, 1e-300)
    # What well filled parts say of their halves need not hold where little is left.
    filled = tree.sums(weighted) > _FILLED * np.sqrt(tree.sums(variance))
    tree = tree.apart(filled[tree.cells :])
    nodes, length = _nodes(tree, observed, rates, bends, variance, total.most)
    messages = np.empty(length)
    leaf_messages(nodes, observed, rates, bends, messages)
    middle = centres(tree, ordered, weighted, variance)
    shared = int(middle.alike.max(initial=-1)) + 1
    room = np.concatenate([messages, np.zeros(4 * length + 4096)])
    middling = np.full(tree.groups, len(prior.laws) // 2)
    machine = _Machine(prior, tree, nodes, middle, total, room, middling, np.zeros(shared))
    machine.climb()
    climbed = machine.chosen.copy()
    size = max(_LEAST, min(_MOST, _NUMBERS // tree.cells))
    each = -(-size // (_CHAINS * _STATES))
    states, shifts, drawn = [], [], []
    for chain in range(_CHAINS):
        rng = np.random.default_rng([seed, chain])
        machine.begin(climbed.copy(), np.zeros(shared))
        for _ in range(_STATES):
            if middle.pooled.any():
                machine.begin(machine.chosen, rng.standard_normal(shared))
            machine.sweep(rng)
            shifts.append(machine.shift)
            states.append(machine.chosen.copy())
            drawn.append(machine.draw(each, rng))
    tables = np.concatenate(drawn)
    fit = misfit(evidence, tables.mean(axis=0), tables.var(axis=0))
    diagnostics = Diagnostics.of_chains(
        r_hat=_r_hat(tree, nodes, tables),
        acceptance=1.0,
        chains=_CHAINS,
        sweeps=_STATES,
        moves=float(_CHAINS * _STATES * len(nodes)),
        misfit=fit,
        method="shape learned, tables drawn exactly given it",
    )
    return HalvedCounts(
        prior, tree, nodes, messages, middle, np.array(states), np.array(shifts), total, tables, diagnostics
    )


def _nodes(
    tree: HalvingTree, observed: Integers, rates: Floats, bends: Floats, variance: Floats, most: int
) -> tuple[Integers, int]:
    """Lay out the parts: which units they are counted in, and where the messages of cells stand."""
    from privior.posterior.counts.halving_sums import FIRST, GROUP, LOW, SECOND, SIZE, START, STEP

    cells = tree.cells
    nodes = np.zeros((2 * cells - 1, 7), dtype=np.int64)
    variances = tree.sums(variance)
    coarse = np.minimum(0.5 * np.log2(variances) - math.log2(_FINE), math.log2(most / _UNITS + 1e-9))
    nodes[:, STEP] = 2 ** np.maximum(np.floor(coarse), 0).astype(np.int64)
    for part, (one, other) in enumerate(tree.halves.tolist(), start=cells):
        nodes[part, STEP] = max(nodes[part, STEP], nodes[one, STEP], nodes[other, STEP])
    nodes[cells:, FIRST], nodes[cells:, SECOND] = tree.halves.T
    nodes[cells:, GROUP] = tree.group
    with np.errstate(divide="ignore"):
        away = np.minimum(_FAR / rates, np.sqrt(2 * _FAR / bends))
    at = np.clip(observed, 0, most)
    low: Any = np.maximum(at - away, 0).max(axis=0)
    high: Any = np.minimum(at + away, most).min(axis=0)
    low, high = np.minimum(low, high), np.maximum(low, high)
    step = nodes[:cells, STEP]
    nodes[:cells, LOW] = np.floor(low / step)
    nodes[:cells, SIZE] = np.ceil(high / step).astype(np.int64) - nodes[:cells, LOW] + 1
    ends = np.cumsum(nodes[:cells, SIZE])
    nodes[:cells, START] = ends - nodes[:cells, SIZE]
    return nodes, int(ends[-1])


def _r_hat(tree: HalvingTree, nodes: Integers, tables: Integers) -> float:
    """Compare the chains by the largest parts of the table, and as many cells."""
    from privior.posterior.counts.halving_sums import add_up

    parts = min(_COMPARED, tree.cells - 1)
    sums = np.empty((len(nodes), len(tables)), dtype=np.int64)
    sums[: tree.cells] = tables.T
    add_up(nodes, tree.cells, sums)
    cells = sums[: tree.cells : max(1, tree.cells // _COMPARED)]
    watched = np.concatenate([sums[len(nodes) - parts :], cells]).astype(np.float64)
    return split_r_hat(watched.T.reshape(_CHAINS, -1, len(watched)))
