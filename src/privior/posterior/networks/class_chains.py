"""Chains over the data sets of a class and features that depend on it alone: naive Bayes, or any star.

They visit the same data sets with the same probabilities as those over any network (`joint_chains`), and are
run on and judged as these are. Since a star's tables hang together by the class counts alone, a move touches
one row of one table, or the class counts; most take a tenth of the time, and fewer are needed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.diagnostics import WORST_R_HAT
from privior.posterior.networks.joint_chains import prior_of
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_start import started
from privior.posterior.networks.network_chains import CHAINS, PERTURBED, NetworkChains
from privior.posterior.seeds import mixed

#: births and deaths in a sweep, for each class, and records that are born or die at once, at most
_STEPS, _MOST_AT_ONCE = 3, 256
#: shifts between two looks at whether somebody wants to stop
_AT_ONCE = 1_000_000


class ClassChains(NetworkChains):
    """Chains over a star that can be run on."""

    def __init__(
        self, evidence: JointEvidence, priors: Sequence[Floats | None], seed: int, chains: int = CHAINS
    ) -> None:
        from privior.posterior.networks.class_cells import Star, StarState, StarTables
        from privior.posterior.networks.joint_arrays import noise_of
        from privior.posterior.networks.joint_learning import CENTRE
        from privior.posterior.networks.joint_state import NetworkNoise

        layout = self.layout = evidence.layout
        model, places = layout.model, layout.places
        root = model.root
        if root is None or not evidence.of_cells:
            raise ValueError("not a star of noisy tables")
        self.total, self.worth = evidence.total, evidence.worth
        self.worst_total, self.born = WORST_R_HAT, 0
        self.levels = np.array([layout.tree.size_of[node] for node in model.columns])
        noise = noise_of(evidence)
        # In one layout, for which the loops are compiled, also where there are several releases.
        self.noise = NetworkNoise(
            np.ascontiguousarray(noise.observed[:, places]),
            np.ascontiguousarray(noise.rates[:, places]),
            np.ascontiguousarray(noise.curvatures[:, places]),
            noise.sticks,
        )
        first = np.cumsum([0, *model.sizes(layout.schema)])
        at, classes = model.columns.index(root), layout.tree.size_of[root]
        features = [place for place in range(len(model.columns)) if place != at]
        movable = [place for place in features if self.levels[place] > 1]
        precisions = np.split(evidence.table_precisions, first[1:-1])
        known = [float(part.mean()) for part in precisions]
        # Of a class's records each table tells by the sum of a row
        total = known[at] + sum(known[place] / self.levels[place] for place in features)
        self.steps = _STEPS * classes
        self.star = Star(
            int(first[at]),
            classes,
            first[features],
            self.levels[features],
            _joined([np.arange(*first[place : place + 2]) for place in movable]),
            _joined([np.full(first[place + 1] - first[place], features.index(place)) for place in movable]),
            np.array(
                [4 / np.sqrt(2 * known[place]) + 2 if known[place] > 0 else 2.0**60 for place in features]
            ),
            int(min(_MOST_AT_ONCE, 4 / np.sqrt(total) + 2)) if total > 0 else _MOST_AT_ONCE,
        )
        self.tables = StarTables(
            first[:-1],
            np.array([1 if place == at else classes for place in range(len(model.columns))]),
            self.levels,
            np.array([prior is None for prior in priors], dtype=np.int64),
            np.cumsum([0, *self.levels[:-1]]),
        )
        self.rngs = [np.random.default_rng(one) for one in np.random.SeedSequence(mixed(seed)).spawn(chains)]
        self.prior = prior_of(layout, priors, float(np.exp(CENTRE)))[places]
        shares = np.concatenate([np.full(one, 1 / one) for one in self.levels])
        far = [PERTURBED[one % len(PERTURBED)] for one in range(chains)]
        self.states = [
            StarState(
                started(evidence, one, rng)[places],
                self.prior.copy(),
                np.empty(self.prior.size),
                np.exp(CENTRE) * self.levels,
                shares.copy(),
                np.zeros(self.prior.size, dtype=np.int64),
            )
            for one, rng in zip(far, self.rngs, strict=True)
        ]

    def aim_at(self, r_hats: Floats) -> None:
        """All tables of a star are alike."""

    def run(self, sweeps: int, moves: int, kept: int, tell: Callable[[float], None]) -> list[Any]:
        """Run all chains on by some sweeps, storing some states; `tell` hears how far they are."""
        from privior.posterior.networks.class_walk import walk_on

        pieces = min(sweeps, max(1, -(-sweeps * moves // _AT_ONCE)))
        edges = np.linspace(0, sweeps, pieces + 1).astype(int)
        stored = np.linspace(0, min(kept, sweeps), pieces + 1).astype(int)
        cells = self.prior.size
        found: list[list[Any]] = [
            [
                np.empty((stored[-1], cells), dtype=np.int64),
                np.empty((stored[-1], cells)),
                np.zeros(cells),
                np.zeros(3),
            ]
            for _ in self.states
        ]

        def one(chain: int, piece: int) -> None:
            states, weights, means, numbers = found[chain]
            some = slice(stored[piece], stored[piece + 1])
            numbers += walk_on(
                self.rngs[chain],
                self.star,
                self.tables,
                self.noise,
                self.states[chain],
                self.total.most,
                self.total.known,
                int(edges[piece + 1] - edges[piece]),
                moves,
                self.steps,
                means,
                states[some],
                weights[some],
            )

        with ThreadPoolExecutor(2) as threads:
            for piece in range(pieces):
                list(threads.map(lambda chain, now=piece: one(chain, now), range(len(self.states))))
                tell((piece + 1) / pieces)
        return found


def _joined(parts: Sequence[Integers]) -> Integers:
    return np.concatenate([np.empty(0, dtype=np.int64), *parts])
