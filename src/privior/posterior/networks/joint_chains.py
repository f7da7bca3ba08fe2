"""Chains over the data sets of any network, over its junction tree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.posterior.diagnostics import WORST_R_HAT
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import JointLayout
from privior.posterior.networks.joint_start import started
from privior.posterior.networks.network_chains import CHAINS, PERTURBED, NetworkChains
from privior.posterior.seeds import mixed
from privior.posterior.shared import once

#: records that are born or die at once where draws hardly tell how many there are, at most; and how far
#: chains may be apart about their number then
_MOST_BORN, _WORST_TOTAL = 8192, 1.2
#: shifts of all chains together, at most: with swaps and cascades they take longer than those of a star
_MOST_MOVES = 9_000_000
#: shifts between two looks at whether somebody wants to stop
_AT_ONCE = 400_000


@lru_cache(maxsize=16)
def _tables(layout: JointLayout) -> Any:
    from privior.posterior.networks.joint_arrays import tables_of

    return tables_of(layout)


class JointChains(NetworkChains):
    """Chains over a junction tree."""

    most_moves = _MOST_MOVES

    def __init__(
        self, evidence: JointEvidence, priors: Sequence[Floats | None], seed: int, chains: int = CHAINS
    ) -> None:
        from privior.posterior.networks import joint_arrays as arrays
        from privior.posterior.networks.joint_aim import Aim
        from privior.posterior.networks.joint_learning import CENTRE
        from privior.posterior.networks.joint_paths import paths_of
        from privior.posterior.networks.joint_records import MOST_AT_ONCE
        from privior.posterior.networks.joint_state import JointState
        from privior.posterior.networks.joint_swap_arrays import swaps_of
        from privior.posterior.networks.joint_walk import BIRTHS

        layout = self.layout = evidence.layout
        self.total, self.worth = evidence.total, evidence.worth
        self.levels = np.array([layout.tree.size_of[node] for node in layout.model.columns])
        precisions = evidence.table_precisions
        self.tables, self.noise = _tables(layout), arrays.noise_of(evidence)
        drawn, learned = bool(evidence.drawn), tuple(prior is None for prior in priors)

        def moves() -> tuple[Any, ...]:
            return (
                arrays.walks_of(layout, precisions),
                # Swaps do not know what draws of tables say.
                swaps_of(layout, precisions, none=drawn),
                paths_of(layout, precisions),
                arrays.nodes_of(layout, learned),
            )

        # They depend on how noisy numbers are, not on the numbers.
        facts = layout, precisions.tobytes(), learned, drawn
        self.walks, self.swaps, self.paths, self.nodes = once((JointChains, *facts), moves)
        self.every = arrays.shifts_per_cascade(layout)
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
        self.rngs = [np.random.default_rng(one) for one in np.random.SeedSequence(mixed(seed)).spawn(chains)]
        shares = np.concatenate([np.full(one, 1 / one) for one in self.levels])
        prior = prior_of(layout, priors, float(np.exp(CENTRE)))
        far = [PERTURBED[one % len(PERTURBED)] for one in range(chains)]
        in_order = self.levels[self.nodes.column]
        self.states = [
            JointState(
                started(evidence, one, rng),
                prior.copy(),
                np.exp(CENTRE) * in_order,
                shares.copy(),
                np.zeros(prior.size, dtype=np.int64),
            )
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
                np.empty((stored[-1], cells)),
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
                self.paths,
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

    def aim_at(self, r_hats: Floats) -> None:
        """Let moves go to the tables about which chains disagree most, from now on."""
        self.walks, self.nodes, self.swaps = self.aim.at(r_hats)


def prior_of(layout: JointLayout, priors: Sequence[Floats | None], learned: float) -> Floats:
    """Return what is added to each count: 1 where factorials are meant, else Dirichlet parameters."""
    found = np.ones(layout.size)
    for node, prior in zip(layout.model.columns, priors, strict=True):
        table, rows = layout.table(node)
        levels = layout.tree.size_of[node]
        cells = int(np.prod(layout.model.shape(node, layout.schema)))
        own = np.full(cells, learned) if prior is None else prior
        found[table.start : table.start + cells] = own
        found[rows.start : rows.start + cells // levels] = own.reshape(-1, levels).sum(axis=1)
    return found
