"""Learning how unequal the halves of a table are, and drawing tables.

Given which law of concentrations each group of parts has, everything is a sum along the tree of parts
(`halving_sums`): the evidence of a release, how probable each concentration is in each part, exact draws of
tables. So laws are learned in a few rounds: in each every group takes the law that its parts, as they are
seen under the laws of the last round, make most probable. Then states are drawn, a law for each group in
proportion to what its parts say of it, weighed by the evidence that each truly has, and tables are drawn of
each state in proportion to its weight.

Where noise is wide, counts are summed in units of several records: the largest power of two that is at most a
sixth of the noise's standard deviation, in large tables a half, for large parts that of their sum, and at
most a 32nd of all records. Draws are of whole records again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from privior.arrays import Floats, Integers
from privior.models import LearnedPrior
from privior.posterior.counts import halving_sums
from privior.posterior.counts.compiled import Compiled
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.halving_sums import FIRST, GROUP, LOW, SECOND, SIZE, START, STEP
from privior.posterior.counts.halving_tree import Centres, HalvingTree

#: tables of more cells are summed by compiled code, which takes a second to load
_PLAIN = 64
#: units are at most this share of the noise's standard deviation, up to how many cells; this in large tables;
#: this share of all records
_FINE, _SMALL, _ROUGH, _UNITS = 6.0, 1000, 2.0, 32.0
#: messages end at e^-this of their peak
_FAR = 12.0
#: rounds of learning; states, at least and at most, and for how many cells in all
_ROUNDS, _FEWEST, _STATES, _WORK = 4, 4, 16, 64_000


class Drawn(NamedTuple):
    """States, as (state, group), their shares of the posterior, and tables of all of them."""

    states: Integers
    shares: Floats
    tables: Integers


@dataclass(eq=False)
class HalvingMachine:
    """The sums of one table, for the laws that its groups have just now.

    Attributes:
        tree: the parts of the table
        prior: the laws that proportions may have
        centres: the shares that halves are expected to have
        total: what is known of the number of records
        nodes: the parts, as `halving_sums` has them
        room: messages of all parts
    """

    tree: HalvingTree
    prior: LearnedPrior
    centres: Centres
    total: Total
    nodes: Integers
    room: Floats

    @staticmethod
    def of(
        tree: HalvingTree,
        prior: LearnedPrior,
        centres: Centres,
        total: Total,
        evidence: Sequence[CellEvidence],
        variance: Floats,
    ) -> HalvingMachine:
        """Lay out the parts, and write down what the release says of the cells."""
        nodes = _nodes(tree, evidence, variance, total.most)
        messages = _of_cells(nodes[: tree.cells], evidence)
        room = np.concatenate([messages, np.zeros(2 * messages.size + 4096)])
        return HalvingMachine(tree, prior, centres, total, nodes, room)

    def __post_init__(self) -> None:
        self._scales = np.zeros(len(self.nodes))
        self._logs = np.log(self.prior.laws)
        self._shared = int(self.centres.alike.max(initial=-1)) + 1
        self._move(np.zeros(self._shared))

    def _move(self, shift: Floats) -> None:
        """Let the shares that many parts have in common be so many standard deviations from the likeliest."""
        first, second = parameters(self.prior, self.centres, shift)
        cells = np.ones((self.tree.cells, first.shape[1]))
        self._first, self._second = np.concatenate([cells, first]), np.concatenate([cells, second])

    def _run(self, function: Compiled[Any, Any]) -> Callable[..., Any]:
        return function if self.tree.cells <= _PLAIN else function.fast

    def sum_up(self, laws: Integers) -> float:
        """Sum under these laws; return the log evidence of the release."""
        facts = (self._logs[laws], self._first, self._second, _FAR)
        upwards = self._run(halving_sums.upwards)
        while not upwards(self.nodes, self.tree.cells, self.room, self._scales, *facts):
            self.room = np.concatenate([self.room, np.zeros(self.room.size)])
        possible = float((self._top * self._possible).sum())
        return float(self._scales.sum() + math.log(max(possible, 1e-300)))

    @property
    def _top(self) -> Floats:
        """What the release says of the total."""
        start = int(self.nodes[-1, START])
        return self.room[start : start + int(self.nodes[-1, SIZE])]

    @property
    def _possible(self) -> Floats:
        """What is known of the total beforehand, in the same units."""
        low, size, step = (int(self.nodes[-1, entry]) for entry in (LOW, SIZE, STEP))
        units = np.arange(size)
        most = (self.total.most + step // 2) // step - low if self.total.known else self.total.most // step - low
        most = min(max(most, 0), size - 1)
        return np.where(units == most if self.total.known else units <= most, 1.0, 0.0)

    def seen(self, laws: Integers) -> Floats:
        """Return how probable each concentration is in each part of several cells, under laws just summed."""
        outside = np.zeros(self.room.size)
        start = int(self.nodes[-1, START])
        outside[start : start + int(self.nodes[-1, SIZE])] = self._possible
        facts = (self._logs[laws], self._first, self._second)
        found = self._run(halving_sums.outwards)(self.nodes, self.tree.cells, self.room, outside, *facts)
        return np.asarray(found[self.tree.cells :])

    def learn(self) -> tuple[Integers, Floats, Floats]:
        """Return the best laws that were found, the gain of each other law in each group, and what is seen."""
        laws = np.full(self.tree.groups, len(self.prior.laws) // 2)
        best, found = -math.inf, None
        for _ in range(_ROUNDS):
            evidence = self.sum_up(laws)
            if found is not None and evidence <= best:
                break
            chances = self.seen(laws)
            each = np.log(np.maximum((chances / self.prior.laws[laws][self.tree.group]) @ self.prior.laws.T, 1e-300))
            gains = np.zeros((self.tree.groups, len(self.prior.laws)))
            np.add.at(gains, self.tree.group, each)
            best, found = evidence, (laws, gains, chances)
            wanted = gains.argmax(axis=1)
            if (wanted == laws).all():
                break
            laws = wanted
        assert found is not None
        return found

    def draw(self, laws: Integers, gains: Floats, size: int, rng: np.random.Generator) -> Drawn:
        """Draw laws of all groups about the best ones, and tables of each; weigh them by their evidence."""
        number = max(_FEWEST, min(_STATES, _WORK // self.tree.cells))
        logs = gains - gains.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        # Each group goes evenly through what is probable, whatever the others do.
        places = rng.permuted(np.tile(np.arange(number), (self.tree.groups, 1)), axis=1).T
        goals = ((places + 0.5) / number)[:, :, None]
        states = (goals >= np.cumsum(np.exp(logs), axis=1)[:, :-1]).sum(axis=2)
        weights, drawn = np.empty(number), []
        for place, state in enumerate(states):
            weights[place] = self.sum_up(state) - logs[np.arange(state.size), state].sum()
            if self.centres.pooled.any():
                # Shares in common are drawn as the release has them already: they are no evidence once more.
                self._move(rng.standard_normal(self._shared))
                self.sum_up(state)
            drawn.append(self._draw(state, -(-size // number), rng))
            self._move(np.zeros(self._shared))
        shares = np.exp(weights - weights.max())
        shares /= shares.sum()
        wanted = np.searchsorted(np.cumsum(shares)[:-1], (np.arange(size) + 0.5) / size)
        turns = np.bincount(wanted, minlength=number)
        tables = [np.resize(some, (turn, some.shape[1])) for some, turn in zip(drawn, turns.tolist(), strict=True)]
        return Drawn(states, shares, np.asarray(rng.permutation(np.concatenate(tables))))

    def _draw(self, laws: Integers, size: int, rng: np.random.Generator) -> Integers:
        sums = np.empty((len(self.nodes), size), dtype=np.int64)
        if self.total.known:
            sums[-1] = self.total.most
        else:
            chances, step = self._top * self._possible, int(self.nodes[-1, STEP])
            units = self.nodes[-1, LOW] + rng.choice(chances.size, size=size, p=chances / chances.sum())
            inside = rng.integers(0, step, size) - step // 2
            sums[-1] = np.clip(units * step + inside, 0, self.total.most)
        facts = (self._logs[laws], self._first, self._second)
        self._run(halving_sums.downwards)(self.nodes, self.tree.cells, self.room, *facts, sums, rng)
        return np.ascontiguousarray(sums[: self.tree.cells].T)


def parameters(prior: LearnedPrior, middle: Centres, shift: Floats) -> tuple[Floats, Floats]:
    """Return the parameters of both halves of each part of several cells, for each concentration.

    Small concentrations know of no centre, but for the one that many parts share.
    """
    a = prior.concentrations
    share = middle.shares(shift)[:, None]
    centred = middle.pooled[:, None] | (a > 2)
    return np.where(centred, 2 * a * share, a), np.where(centred, 2 * a * (1 - share), a)


def _nodes(tree: HalvingTree, evidence: Sequence[CellEvidence], variance: Floats, most: int) -> Integers:
    """Lay out the parts: which units they are counted in, and where the messages of cells stand."""
    cells = tree.cells
    nodes = np.zeros((2 * cells - 1, 7), dtype=np.int64)
    finest = max(_ROUGH, _FINE / math.sqrt(max(1.0, cells / _SMALL)))
    coarse = np.minimum(0.5 * np.log2(tree.sums(variance)) - math.log2(finest), math.log2(most / _UNITS + 1e-9))
    nodes[:, STEP] = 2 ** np.maximum(np.floor(coarse), 0).astype(np.int64)
    for some in tree.levels:
        steps = nodes[cells:, STEP]
        steps[some] = np.maximum(steps[some], nodes[tree.halves[some], STEP].max(axis=1))
    nodes[cells:, FIRST], nodes[cells:, SECOND] = tree.halves.T
    nodes[cells:, GROUP] = tree.group
    low, high = np.zeros(cells), np.full(cells, float(most))
    for one in evidence:
        with np.errstate(divide="ignore"):
            away = np.minimum(_FAR / one.rates, np.sqrt(2 * _FAR / one.curvatures))
        at = np.clip(one.observed, 0, most)
        low, high = np.maximum(low, at - away), np.minimum(high, at + away)
    low, high = np.minimum(low, high), np.maximum(low, high)
    step = nodes[:cells, STEP]
    nodes[:cells, LOW] = np.floor(low / step)
    nodes[:cells, SIZE] = np.ceil(high / step).astype(np.int64) - nodes[:cells, LOW] + 1
    ends = np.cumsum(nodes[:cells, SIZE])
    nodes[:cells, START] = ends - nodes[:cells, SIZE]
    return nodes


def _of_cells(leaves: Integers, evidence: Sequence[CellEvidence]) -> Floats:
    """Return the likelihood of each cell's units, its largest value 1, one cell behind the other."""
    sizes, starts = leaves[:, SIZE], leaves[:, START]
    units = np.arange(int(sizes.sum())) - np.repeat(starts - leaves[:, LOW], sizes)
    counts = (units * np.repeat(leaves[:, STEP], sizes)).astype(np.float64)
    logs = np.zeros(counts.size)
    for one in evidence:
        away = np.abs(np.repeat(one.observed, sizes) - counts)
        logs -= (np.repeat(one.rates, sizes) + np.repeat(one.curvatures, sizes) * away / 2) * away
    return np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), sizes))
