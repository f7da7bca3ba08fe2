"""Learning how unequal the halves of a table are, and drawing tables.

Given which law of concentrations each group of parts has, everything is a sum along the tree of parts
(`halving_sums`): the evidence of a release, how probable each concentration is in each part, exact draws of
tables. So laws are learned in a few rounds: in each every group takes the law that its parts, as they are
seen under the laws of the last round, make most probable. Then states are drawn, a law for each group in
proportion to what its parts say of it, weighed by the evidence that each truly has, and tables are drawn of
each state in proportion to its weight; as many as is probable of states in which stretches with little in
them are empty.

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
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.models import LearnedPrior
from privior.posterior.counts import halving_sums
from privior.posterior.counts.compiled import Compiled
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.halving_centres import Centres
from privior.posterior.counts.halving_sums import FIRST, GROUP, LOW, SECOND, SIZE, START, STEP
from privior.posterior.counts.halving_tree import HalvingTree

#: tables of more cells are summed by compiled code, which takes a second to load
PLAIN = 40
#: units are at most this share of the noise's standard deviation, up to how many cells; this in large tables;
#: this share of all records
_FINE, _SMALL, _ROUGH, _UNITS = 6.0, 1000, 2.0, 32.0
#: messages end at e^-this of their peak, and in large tables
_FAR, _NEAR = 12.0, 9.0
#: rounds of learning, and in tables of so many cells, whose parts leave little doubt
_ROUNDS, _FEW_ROUNDS, _MANY = 4, 2, 30_000
#: how often cells are leant towards a total that is known
_LEANS = 8
#: states, at least and at most, and for how many cells in all
_FEWEST, _STATES, _WORK = 2, 16, 64_000
#: sums of so many cells are what is seen of them but for their noise, in large tables and in others
_SEVERAL, _MANY_CELLS = 16, 128
#: parts of more than so many standard deviations of their noise are well filled
FILLED = 4.0


class LearnedHalves(NamedTuple):
    """The best state, what is gained by others, and how probable concentrations are.

    A state is a law for each group, then how common empty halves are, and last whether stretches in which
    little is seen are taken for empty ones (1 or 0).

    Attributes:
        state: the one that was found
        evidence: the log probability of the release in it
        gains: of log evidence, if one group alone had another law, as (empty halves, group, law)
        chances: of each concentration in each part of several cells
    """

    state: Integers
    evidence: float
    gains: Floats
    chances: Floats


class Drawn(NamedTuple):
    """Tables of several states.

    Attributes:
        weights: of the concentrations, as (state, group, concentration)
        state: of each table
        tables: in random order
    """

    weights: Floats
    state: Integers
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
        noise: of each part the variance of the noise between its halves, its usual size (what it is seen to
            have, at least its noise), both in its units, whether it may as well be empty, in the state just
            summed, whether both halves are well filled, what is seen of its sum, and the standard deviation
            of its noise if the sum is taken as seen
        compiled: whether compiled code sums
    """

    tree: HalvingTree
    prior: LearnedPrior
    centres: Centres
    total: Total
    nodes: Integers
    room: Floats
    noise: Floats
    compiled: bool

    @staticmethod
    def of(
        tree: HalvingTree,
        prior: LearnedPrior,
        centres: Centres,
        total: Total,
        evidence: Sequence[CellEvidence],
        variance: Floats,
        plain: int = PLAIN,
    ) -> HalvingMachine:
        """Lay out the parts, and write down what the release says of the cells."""
        nodes = _nodes(tree, evidence, variance, total.most)
        messages = _of_cells(nodes[: tree.cells], evidence)
        room = np.concatenate([messages, np.zeros(2 * messages.size + 4096)])
        noise = _noise(tree, nodes[:, STEP], evidence, variance)
        return HalvingMachine(tree, prior, centres, total, nodes, room, noise, compiled=tree.cells > plain)

    def __post_init__(self) -> None:
        self._scales, self._factors = np.zeros(len(self.nodes)), np.zeros(self.room.size)
        self._lean = self._leant = 0.0
        self._move()

    def _move(self, rng: np.random.Generator | None = None) -> None:
        """Take the shares that many parts have in common as expected, or draw them."""
        first, second = parameters(self.prior, self.centres, rng)
        cells = np.ones((self.tree.cells, first.shape[1]))
        self._first, self._second = np.concatenate([cells, first]), np.concatenate([cells, second])

    def _run(self, function: Compiled[Any, Any]) -> Callable[..., Any]:
        return function.fast if self.compiled else function

    def sum_up(self, state: Integers) -> float:
        """Sum in a state; return the log evidence of the release."""
        self._sum(state)
        self._lean_to_total(state)
        possible = float((self._top * self._possible).sum())
        # Leant cells are judged at the largest total, or at the last one that there is.
        low, size, step = (int(self.nodes[-1, entry]) for entry in (LOW, SIZE, STEP))
        short = 0 if self.total.known else max(self._most_units - low - (size - 1), 0)
        leant = self._leant + self._lean * step * short
        return float(self._scales.sum() + math.log(max(possible, 1e-300)) + leant)

    def _sum(self, state: Integers) -> None:
        self.noise[self.tree.cells :, 2] = (self._little & (state[-1] > 0))[self.tree.group]
        facts = (np.log(self._weights(state)), self._first, self._second, self.noise, _far(self.tree.cells))
        upwards = self._run(halving_sums.upwards)
        while not upwards(self.nodes, self.tree.cells, self.room, self._factors, self._scales, *facts):
            self.room = np.concatenate([self.room, np.zeros(self.room.size)])
            self._factors = np.zeros(self.room.size)

    @property
    def _top(self) -> Floats:
        """What the release says of the total."""
        start = int(self.nodes[-1, START])
        return self.room[start : start + int(self.nodes[-1, SIZE])]

    @property
    def _possible(self) -> Floats:
        """What is known of the total beforehand, in the same units, over what cells were leant by."""
        low, size, step = (int(self.nodes[-1, entry]) for entry in (LOW, SIZE, STEP))
        units, most = np.arange(size), self._most_units - low
        if most < -size or (self.total.known and most >= 2 * size):
            raise InferenceError(
                "the noisy counts contradict the stated number of records",
                asked=f"about {step * low}",
                allowed=self.total.most,
                advice="Give a prior in numbers, such as prior=1, or plan with more records.",
            )
        most = min(max(most, 0), size - 1)
        if self.total.known:
            return np.where(units == most, 1.0, 0.0)
        return np.where(units <= most, np.exp(-self._lean * step * np.minimum(units - most, 0)), 0.0)

    @property
    def _most_units(self) -> int:
        """The largest total that is possible, in units."""
        step = int(self.nodes[-1, STEP])
        return (self.total.most + (step // 2 if self.total.known else 0)) // step

    def _lean_to_total(self, state: Integers) -> None:
        """Lean what is said of the cells until their sum can be the total that is known.

        A prior may expect more of many cells, or less, than the total leaves them, by far more than the noise
        of a sum. Given the total, e^(θ count) in each cell moves the peaks of messages and changes no law.
        """
        # No cell is leant by as much as would contradict its own noisy count.
        widest = (self.nodes[: self.tree.cells, SIZE] * self.nodes[: self.tree.cells, STEP]).max()
        limit = _far(self.tree.cells) / float(widest)
        for _ in range(_LEANS):
            top, low, step = self._top, int(self.nodes[-1, LOW]), int(self.nodes[-1, STEP])
            most, units = self._most_units - low, np.arange(self._top.size)
            if (most >= 0 and not self.total.known) or 0 <= most < top.size:
                break
            mean = float(top @ units / top.sum())
            by = (most - mean) / (step * max(float(top @ (units - mean) ** 2 / top.sum()), 1.0))
            self.lean(float(np.clip(self._lean + by, -limit, limit)) - self._lean)
            self._sum(state)

    def lean(self, by: float) -> None:
        """Multiply what is said of each cell by e^(by · count), and remember it."""
        leaves = self.nodes[: self.tree.cells]
        sizes, steps, middles = leaves[:, SIZE], leaves[:, STEP], leaves[:, LOW] + leaves[:, SIZE] // 2
        away = np.arange(int(sizes.sum())) - np.repeat(leaves[:, START] - leaves[:, LOW] + middles, sizes)
        self.room[: away.size] *= np.exp(by * np.repeat(steps, sizes) * away)
        self._lean += by
        self._leant -= by * (self.total.most - float(middles @ steps))

    def seen(self, state: Integers) -> Floats:
        """Return how probable each concentration is in each part of several cells, in a state just summed."""
        outside = np.zeros(self.room.size)
        start = int(self.nodes[-1, START])
        outside[start : start + int(self.nodes[-1, SIZE])] = self._possible
        facts = (self._factors, outside, np.log(self._weights(state)), self._first, self._second)
        found = self._run(halving_sums.outwards)(self.nodes, self.tree.cells, self.room, *facts)
        return np.asarray(found[self.tree.cells :])

    def learn(self) -> LearnedHalves:
        """Go on in rounds as long as the evidence rises."""
        wanted = self._same(self.prior.laws.shape[1] // 2)
        best = self._round(wanted)
        rounds = _ROUNDS if self.tree.cells < _MANY else _FEW_ROUNDS
        for _ in range(rounds - 1):
            empty = int(np.logaddexp.reduce(best.gains, axis=2).sum(axis=1).argmax())
            wanted = np.append(best.gains[empty].argmax(axis=1), [empty, 0])
            if (wanted == best.state).all():
                break
            found = self._round(wanted)
            if found.evidence <= best.evidence:
                break
            best = found
        return best

    def _same(self, law: int) -> Integers:
        """Return the state in which all groups have one law, and empty halves are rare."""
        return np.append(np.full(self.tree.groups, law), [0, 0])

    @property
    def _little(self) -> NDArray[np.bool_]:
        """Which groups are of parts in which, or in a half of which, little is seen."""
        return np.asarray(self.tree.kinds > 0)

    def _round(self, state: Integers) -> LearnedHalves:
        """Return what is seen in a state."""
        empties, laws, kinds = self.prior.laws.shape
        evidence, chances = self.sum_up(state), self.seen(state)
        ratios = chances / self._weights(state)[self.tree.group]
        each = np.log(np.maximum(ratios @ self.prior.laws.reshape(-1, kinds).T, 1e-300))
        gains = np.zeros((self.tree.groups, empties * laws))
        np.add.at(gains, self.tree.group, each)
        return LearnedHalves(state, evidence, gains.reshape(-1, empties, laws).transpose(1, 0, 2), chances)

    def draw(self, gains: Floats, size: int, rng: np.random.Generator, sparse: float = 0.0) -> Drawn:
        """Draw states about the best one, and tables of each; weigh them by their evidence.

        Args:
            gains: what was learned
            size: the number of tables
            rng: of the draws
            sparse: how probable it is that stretches in which little is seen are empty
        """
        number = max(_FEWEST, min(_STATES, _WORK // self.tree.cells))
        totals = np.logaddexp.reduce(gains, axis=2)
        logs = gains - totals[:, :, None]
        of_empty = totals.sum(axis=1)
        of_empty = of_empty - np.logaddexp.reduce(of_empty)
        # Each group goes evenly through what is probable, whatever the others do.
        places = rng.permuted(np.tile(np.arange(number), (self.tree.groups + 1, 1)), axis=1).T
        states, drawn = [], []
        weights: list[float] = []
        empties = round(sparse * number)
        for turn, goal in enumerate((places + 0.5) / number):
            bare = turn < empties
            empty = int((goal[-1] >= np.cumsum(np.exp(of_empty))[:-1]).sum())
            # Laws matter little where nearly all halves are empty: those are proposed that suit most of them.
            chances = np.where(self._little[:, None] & bare, logs[-1], logs[empty])
            laws = (goal[:-1, None] >= np.cumsum(np.exp(chances), axis=1)[:, :-1]).sum(axis=1)
            states.append(np.append(laws, [empty, bare]))
            proposed = of_empty[empty] + chances[np.arange(laws.size), laws].sum()
            again = len(states) > 1 and not len(self.centres.means) and (states[-1] == states[-2]).all()
            weights.append(weights[-1] if again else self.sum_up(states[-1]) - proposed)
            drawn.append(self._draw(states[-1], -(-size // number), rng))
        shares = np.zeros(number)
        # The evidence tells states of one sort apart: in the other an empty part weighs more.
        for sort in (slice(empties), slice(empties, number)):
            some = np.array(weights[sort])
            shares[sort] = np.exp(some - some.max(initial=-np.inf))
            shares[sort] *= some.size / number / max(shares[sort].sum(), 1e-300)
        wanted = np.searchsorted(np.cumsum(shares)[:-1], (np.arange(size) + 0.5) / size)
        turns = np.bincount(wanted, minlength=len(states)).tolist()
        tables = [np.resize(some, (turn, some.shape[1])) for some, turn in zip(drawn, turns, strict=True)]
        laws = np.array([self._weights(state) for state in states])
        order = rng.permutation(size)
        return Drawn(laws, wanted[order], np.concatenate(tables)[order])

    def _weights(self, state: Integers) -> Floats:
        """Return the weight of each concentration in each group."""
        laws, (empty, bare) = state[:-2], state[-2:].tolist()
        if not bare:
            return np.asarray(self.prior.laws[empty, laws])
        return np.where(self._little[:, None], self.prior.sparse[laws], self.prior.laws[empty, laws])

    def _draw(self, state: Integers, size: int, rng: np.random.Generator) -> Integers:
        """Draw tables in a state just summed."""
        if len(self.centres.means):
            # Shares in common are drawn as the release has them already: they are no evidence once more.
            self._move(rng)
            self.sum_up(state)
        sums = np.empty((len(self.nodes), size), dtype=np.int64)
        if self.total.known:
            sums[-1] = self.total.most
        else:
            chances, step = self._top * self._possible, int(self.nodes[-1, STEP])
            units = self.nodes[-1, LOW] + rng.choice(chances.size, size=size, p=chances / chances.sum())
            inside = np.floor(rng.random(size) * step - (step - 1) / 2).astype(np.int64)
            sums[-1] = np.clip(units * step + inside, 0, self.total.most)
        facts = (np.log(self._weights(state)), self._first, self._second)
        self._run(halving_sums.downwards)(self.nodes, self.tree.cells, self.room, *facts, sums, rng)
        self._move()
        return np.ascontiguousarray(sums[: self.tree.cells].T)


def parameters(
    prior: LearnedPrior, middle: Centres, rng: np.random.Generator | None = None
) -> tuple[Floats, Floats]:
    """Return the parameters of both halves of each part of several cells, for each concentration.

    Small concentrations know of no centre, but for the one that many parts share.
    """
    a = prior.concentrations
    share = middle.shares(rng)[:, None]
    centred = (middle.pool >= 0)[:, None] | (a > 2)
    return np.where(centred, 2 * a * share, a), np.where(centred, 2 * a * (1 - share), a)


def _far(cells: int) -> float:
    """Return at which power of e messages end."""
    return _FAR if cells <= _SMALL else _NEAR


def _nodes(tree: HalvingTree, evidence: Sequence[CellEvidence], variance: Floats, most: int) -> Integers:
    """Lay out the parts: which units they are counted in, and where the messages of cells stand."""
    cells = tree.cells
    nodes = np.zeros((2 * cells - 1, 7), dtype=np.int64)
    finest = max(_ROUGH, _FINE / math.sqrt(max(1.0, cells / _SMALL)))
    coarse = np.minimum(
        0.5 * np.log2(tree.sums(variance)) - math.log2(finest), math.log2(most / _UNITS + 1e-9)
    )
    nodes[:, STEP] = 2 ** np.maximum(np.floor(coarse), 0).astype(np.int64)
    for some in tree.each_depth:
        steps = nodes[cells:, STEP]
        steps[some] = np.maximum(steps[some], nodes[tree.halves[some], STEP].max(axis=1))
    nodes[cells:, FIRST], nodes[cells:, SECOND] = tree.halves.T
    nodes[cells:, GROUP] = tree.group
    low, high, far = np.zeros(cells), np.full(cells, float(most)), _far(cells)
    for one in evidence:
        with np.errstate(divide="ignore"):
            away = np.minimum(far / one.rates, np.sqrt(2 * far / one.curvatures))
        at = np.clip(one.observed, 0, most)
        low, high = np.maximum(low, at - away), np.minimum(high, at + away)
    low, high = np.minimum(low, high), np.maximum(low, high)
    step = nodes[:cells, STEP]
    nodes[:cells, LOW] = np.floor(low / step)
    nodes[:cells, SIZE] = np.ceil(high / step).astype(np.int64) - nodes[:cells, LOW] + 1
    ends = np.cumsum(nodes[:cells, SIZE])
    nodes[:cells, START] = ends - nodes[:cells, SIZE]
    return nodes


def _noise(tree: HalvingTree, steps: Integers, evidence: Sequence[CellEvidence], variance: Floats) -> Floats:
    """Return what `HalvingMachine.noise` is before anything is taken for empty."""
    every, found = tree.sums(variance), np.zeros((steps.size, 6))
    found[:, 0] = 1.0
    one, other = every[tree.halves].T
    found[tree.cells :, 0] = one * other / (one + other)
    seen = tree.sums(seen_in(evidence))
    found[:, 1] = np.maximum(seen, np.sqrt(every))
    found[tree.cells :, 3] = well_filled(seen, every)[tree.halves].all(axis=1)
    many = tree.sums(np.ones(tree.cells)) >= (_SEVERAL if tree.cells > _SMALL else _MANY_CELLS)
    found[:, 4], found[:, 5] = seen / steps, np.where(many, np.sqrt(every), 0.0) / steps
    found[:, 0] /= steps.astype(np.float64) ** 2
    found[:, 1] /= steps
    return found


def well_filled(seen: Floats, variance: Floats) -> NDArray[np.bool_]:
    """Return in which parts much is seen, beside the noise of their sums."""
    return np.asarray(seen > FILLED * np.sqrt(variance))


def seen_in(evidence: Sequence[CellEvidence]) -> Floats:
    """Return the noisy count of each cell, of several the mean."""
    precision = np.sum([one.precisions for one in evidence], axis=0)
    return np.asarray(
        np.sum([one.observed * one.precisions for one in evidence], axis=0) / np.maximum(precision, 1e-300)
    )


def _of_cells(leaves: Integers, evidence: Sequence[CellEvidence]) -> Floats:
    """Return the likelihood of each cell's units, its largest value 1, one cell behind the other."""
    sizes, starts = leaves[:, SIZE], leaves[:, START]
    units = np.arange(int(sizes.sum())) - np.repeat(starts - leaves[:, LOW], sizes)
    counts = (units * np.repeat(leaves[:, STEP], sizes)).astype(np.float64)
    logs = np.zeros(counts.size)
    for one in evidence:
        away = np.abs(np.repeat(one.observed, sizes) - counts)
        logs -= (np.repeat(one.rates, sizes) + np.repeat(one.curvatures, sizes) * away / 2) * away
    return np.asarray(np.exp(logs - np.repeat(np.maximum.reduceat(logs, starts), sizes)))
