"""Chains over the data sets of a network: several, from different starts, run on until they agree.

Each chain forgets a first run and keeps the next. While more than one in a hundred entries of the tables
has a split R-hat above 1.05, longer runs follow, up to a public number of moves. Whatever happens then is
reported.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.diagnostics import WORST_R_HAT, split_r_hats
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import JointLayout
from privior.posterior.networks.joint_start import started

#: shifts of all chains together, at most
MOST_MOVES = 12_000_000
#: how many chains, how far their starts are perturbed in standard deviations of the noise, and states kept
CHAINS, PERTURBED, _KEPT = 4, (0.0, 0.5, 1.0, 1.0), 500
#: sweeps of the first run, shifts for each cell in a sweep, and at least
_SWEEPS, _MOVES_PER_CELL, _LEAST_MOVES = 200, 4, 200
#: steps in which weak noise is reached
_STEPS = 7
#: records that are born or die at once where draws hardly tell how many there are, at most; and how far
#: chains may be apart about their number then
_MOST_BORN, _WORST_TOTAL = 8192, 1.2
#: shifts between two looks at whether somebody wants to stop
_AT_ONCE = 400_000
#: the share of entries that may disagree
_DISAGREEING = 0.01


@dataclass(frozen=True, eq=False)
class JointStates:
    """What chains left.

    Attributes:
        states: of all chains behind each other, counts of the cells of all tables
        weights: with each the Dirichlet parameters of the levels of each node, where these were learned
        means: the expected entries of all tables, averaged over all kept sweeps
        r_hats: the split R-hat of each entry
        accepted: the share of shifts that were accepted
        renewed: likewise of moves of whole records
        lost: whether the chains disagree about the number of records
        sweeps: that each chain ran
        moves: shifts that all chains ran
    """

    states: Integers
    weights: Floats
    means: Floats
    r_hats: Floats
    accepted: float
    renewed: float
    lost: bool
    sweeps: int
    moves: int


@lru_cache(maxsize=16)
def _tables(layout: JointLayout) -> Any:
    from privior.posterior.networks.joint_arrays import tables_of

    return tables_of(layout)


class JointChains:
    """Chains that can be run on."""

    def __init__(
        self, evidence: JointEvidence, priors: Sequence[Floats | None], seed: int, chains: int = CHAINS
    ) -> None:
        from privior.posterior.networks import joint_arrays as arrays
        from privior.posterior.networks.joint_aim import Aim
        from privior.posterior.networks.joint_learning import CENTRE
        from privior.posterior.networks.joint_records import MOST_AT_ONCE
        from privior.posterior.networks.joint_state import State
        from privior.posterior.networks.joint_swap_arrays import swaps_of
        from privior.posterior.networks.joint_walk import BIRTHS

        layout = self.layout = evidence.layout
        self.total, self.worth = evidence.total, evidence.worth
        self.learned = np.array([prior is None for prior in priors])
        self.levels = np.array([layout.tree.levels[node] for node in layout.model.columns])
        precisions = evidence.table_precisions
        self.tables, self.noise = _tables(layout), arrays.noise_of(evidence)
        self.walks = arrays.walks_of(layout, precisions)
        # Swaps do not know what draws of tables say.
        self.swaps = swaps_of(layout, precisions, none=bool(evidence.drawn))
        self.every = arrays.shifts_per_cascade(layout)
        self.nodes = arrays.nodes_of(layout, self.learned.tolist())
        self.aim = Aim(layout, self.walks, self.nodes, self.swaps)
        tables = np.split(precisions, np.cumsum(layout.model.sizes(layout.schema))[:-1])
        known = sum(float(part.mean()) for part in tables)
        self.worst_total, self.born = WORST_R_HAT, 0
        self.at_once = int(min(MOST_AT_ONCE, 4 / np.sqrt(known) + 2)) if known > 0 else MOST_AT_ONCE
        if not self.total.known and not evidence.noise_precisions.any():
            # Draws hardly tell how many records there are: the number must go far.
            self.worst_total = _WORST_TOTAL
            self.at_once = min(max(MOST_AT_ONCE, self.total.most // 2), _MOST_BORN)
            self.born = int(BIRTHS * self.at_once / np.log(self.at_once + 1))
        self.rngs = [np.random.default_rng(one) for one in np.random.SeedSequence(seed).spawn(chains)]
        shares = np.concatenate([np.full(one, 1 / one) for one in self.levels])
        prior = prior_of(layout, priors, float(np.exp(CENTRE)))
        far = [PERTURBED[one % len(PERTURBED)] for one in range(chains)]
        in_order = self.levels[self.nodes.column]
        self.states: list[Any] = [
            State(started(evidence, one, rng), prior.copy(), np.exp(CENTRE) * in_order, shares.copy())
            for one, rng in zip(far, self.rngs, strict=True)
        ]
        self.scratch = [arrays.scratch_of(layout, self.at_once) for _ in range(chains)]

    def run(self, sweeps: int, moves: int, kept: int, tell: Callable[[float], None]) -> list[Any]:
        """Run all chains on by some sweeps, storing some states; `tell` hears how far they are."""
        from privior.posterior.networks.joint_walk import walk_on

        layout, chains = self.layout, len(self.states)
        pieces = min(sweeps, max(1, -(-sweeps * moves // _AT_ONCE)))
        edges = np.linspace(0, sweeps, pieces + 1).astype(int)
        stored = np.linspace(0, min(kept, sweeps), pieces + 1).astype(int)
        cells = layout.places.size
        found: list[list[Any]] = [
            [
                np.empty((stored[-1], cells), dtype=np.int64),
                np.ones((stored[-1], int(self.levels.sum()))),
                np.zeros(cells),
                np.zeros(5),
            ]
            for _ in range(chains)
        ]

        def one(chain: int, piece: int) -> None:
            states, weights, means, numbers = found[chain]
            some = slice(stored[piece], stored[piece + 1])
            numbers += walk_on(
                self.rngs[chain],
                self.tables,
                self.walks,
                self.swaps,
                self.nodes,
                self.noise,
                self.states[chain],
                self.scratch[chain],
                self.total.most,
                self.total.known,
                self.at_once,
                self.every,
                int(edges[piece + 1] - edges[piece]),
                moves,
                layout.places,
                layout.row_places,
                means,
                states[some],
                weights[some],
            )

        with ThreadPoolExecutor(2) as threads:
            for piece in range(pieces):
                list(threads.map(lambda chain, now=piece: one(chain, now), range(chains)))
                tell((piece + 1) / pieces)
        return found

    def settled(
        self,
        tell: Callable[[float], None] = lambda part: None,
        most_moves: int = MOST_MOVES,
        sweeps: int = _SWEEPS,
    ) -> JointStates:
        """Run the chains until they agree, or have made `most_moves` shifts."""
        cells, chains = self.layout.places.size, len(self.states)
        per_sweep = max(_MOVES_PER_CELL * cells, _LEAST_MOVES)
        most = max(4, most_moves // ((per_sweep + self.born) * chains))
        sweeps = max(2, min(sweeps, most // 3))
        self.cool(max(1, sweeps // 10), per_sweep)
        self.run(sweeps // 2, per_sweep, 1, _scaled(tell, 0.0, sweeps / most / 2))
        done, runs, lengths = sweeps // 2, list[list[Any]](), list[int]()
        while True:
            runs.append(self.run(sweeps, per_sweep, _KEPT, _scaled(tell, done / most, sweeps / most)))
            lengths.append(sweeps)
            done += sweeps
            # Earlier runs were shorter: of their states as many are kept as of as long a part of the last.
            steps = [max(1, sweeps // one) for one in lengths]
            states, weights = (_thinned(runs, steps, what) for what in (0, 1))
            r_hats = self.r_hats(states, weights)
            agree = (r_hats > WORST_R_HAT).mean() <= _DISAGREEING
            agree = agree and self.r_hat_of_total(states) <= self.worst_total
            if agree or done >= most:
                break
            self.aim_at(r_hats)
            sweeps = min(2 * sweeps if len(lengths) > 1 else sweeps, most - done)
        tell(1.0)
        kept = sum(lengths)
        accepted, renewed, tried, *_ = np.sum([one[3] for run in runs for one in run], axis=0)
        return JointStates(
            states.reshape(-1, cells),
            weights.reshape(-1, weights.shape[2]),
            np.sum([one[2] for run in runs for one in run], axis=0) / (chains * kept),
            r_hats,
            float(accepted / (kept * per_sweep * chains)),
            float(renewed / max(tried, 1)),
            self.r_hat_of_total(states) > self.worst_total,
            done,
            done * per_sweep * chains,
        )

    def aim_at(self, r_hats: Floats) -> None:
        """Let moves go to the tables about which chains disagree most, from now on."""
        self.walks, self.nodes, self.swaps = self.aim.at(r_hats)

    def cool(self, sweeps: int, moves: int) -> None:
        """Let weak noise grow weaker in steps: at once, chains stay where no single move is better."""
        noise = self.noise
        strongest = max(float(one.max(initial=0.0)) for one in (noise.rates, noise.curvatures, self.worth))
        for part in np.geomspace(1 / strongest, 1.0, _STEPS)[:-1] if strongest > 1 else ():
            sticks = noise.sticks._replace(
                **{
                    name: part * getattr(noise.sticks, name)
                    for name in ("taken", "left", "zeros", "ones", "draws")
                }
            )
            self.noise = noise._replace(
                rates=part * noise.rates, curvatures=part * noise.curvatures, sticks=sticks
            )
            self.run(sweeps, moves, 1, lambda part: None)
        self.noise = noise

    def r_hat_of_total(self, states: Integers) -> float:
        """Return the split R-hat of the number of records, of (chain, state, cell); 1 if it is known."""
        if self.total.known:
            return 1.0
        first = states[:, :, : self.layout.model.sizes(self.layout.schema)[0]].sum(axis=2, keepdims=True)
        return float(split_r_hats(first.astype(np.float64), np.zeros(1))[0])

    def r_hats(self, states: Integers, weights: Floats) -> Floats:
        """Return the split R-hat of each entry of all tables, of (chain, state, cell)."""
        flat, levels = states.reshape(-1, states.shape[2]), weights.reshape(-1, weights.shape[2])
        chances, wholes = self.chances(flat, levels)
        more = (chances * (1 - chances) / (wholes + 1)).mean(axis=0)
        return split_r_hats(chances.reshape(states.shape), more)

    @property
    def fixed(self) -> Floats:
        """What is added to each count of a table whose prior is fixed."""
        found: Floats = self.states[0].prior[self.layout.places]
        return found

    def chances(self, states: Integers, weights: Floats) -> tuple[Floats, Floats]:
        """Return the expected entries given each state, and the weight of each entry's row in records."""
        start, level, found, weighed = 0, 0, [], []
        prior = self.fixed
        for node, learned, levels in zip(self.layout.model.columns, self.learned, self.levels, strict=True):
            cells = int(np.prod(self.layout.model.shape(node, self.layout.schema)))
            table = states[:, start : start + cells].reshape(len(states), -1, levels)
            if learned:
                shapes = table + weights[:, np.newaxis, level : level + levels]
            else:
                shapes = table + prior[start : start + cells].reshape(-1, levels)
            whole = shapes.sum(axis=2, keepdims=True)
            found.append((shapes / whole).reshape(len(states), -1))
            weighed.append(np.broadcast_to(whole, shapes.shape).reshape(len(states), -1))
            start, level = start + cells, level + levels
        return np.concatenate(found, axis=1), np.concatenate(weighed, axis=1)


def _scaled(tell: Callable[[float], None], start: float, length: float) -> Callable[[float], None]:
    """Return who tells of a part of the work as a part of all of it."""
    return lambda part: tell(min(1.0, start + part * length))


def _thinned(runs: Sequence[list[Any]], steps: Sequence[int], what: int) -> Any:
    """Return what runs stored, of each chain behind each other, every so often."""
    each = [np.stack([one[what] for one in run])[:, ::step] for run, step in zip(runs, steps, strict=True)]
    return np.concatenate(each, axis=1)


def prior_of(layout: JointLayout, priors: Sequence[Floats | None], learned: float) -> Floats:
    """Return what is added to each count: 1 where factorials are meant, else Dirichlet parameters."""
    found = np.ones(layout.size)
    for node, prior in zip(layout.model.columns, priors, strict=True):
        table, rows = layout.table(node)
        levels = layout.tree.levels[node]
        cells = int(np.prod(layout.model.shape(node, layout.schema)))
        own = np.full(cells, learned) if prior is None else prior
        found[table.start : table.start + cells] = own
        found[rows.start : rows.start + cells // levels] = own.reshape(-1, levels).sum(axis=1)
    return found
