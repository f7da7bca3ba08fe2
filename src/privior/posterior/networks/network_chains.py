"""Chains over the data sets of a network: several, from different starts, run on until they agree.

Each chain forgets a first run and keeps the next. While more than one in a hundred entries of the tables
has a split R-hat above 1.05, longer runs follow, up to a public number of moves. Whatever happens then is
reported.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.posterior.counts.evidence import Total
from privior.posterior.diagnostics import WORST_R_HAT, split_r_hats
from privior.posterior.networks.joint_layout import JointLayout

#: shifts of all chains together, at most
MOST_MOVES = 12_000_000
#: how many chains, how far their starts are perturbed in standard deviations of the noise, and states kept
CHAINS, PERTURBED, _KEPT = 4, (0.0, 0.5, 1.0, 1.0), 500
#: sweeps of the first run, shifts for each cell in a sweep, and at least
_SWEEPS, _MOVES_PER_CELL, _LEAST_MOVES = 200, 4, 200
#: steps in which weak noise is reached
_STEPS = 7
#: the share of entries that may disagree
_DISAGREEING = 0.01


@dataclass(frozen=True, eq=False)
class JointStates:
    """What chains left.

    Attributes:
        states: of all chains behind each other, counts of the cells of all tables
        weights: with each the Dirichlet parameters of all cells
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


class NetworkChains(ABC):
    """Chains that can be run on.

    Attributes:
        layout: of the cells of all tables
        total: what is known of the number of records
        worth: how much each noisy number tells
        levels: of each node
        noise: what the releases say of cells
        states: of each chain
        worst_total: how far chains may be apart about the number of records, as a split R-hat
        born: records that are born or die in a sweep, beside shifts
        most_moves: shifts of all chains together, at most
    """

    layout: JointLayout
    total: Total
    worth: Floats
    levels: Integers
    noise: Any
    states: list[Any]
    worst_total: float
    born: int
    most_moves: int = MOST_MOVES

    @abstractmethod
    def run(self, sweeps: int, moves: int, kept: int, tell: Callable[[float], None]) -> list[Any]:
        """Run all chains on by some sweeps, storing some states; `tell` hears how far they are."""

    @abstractmethod
    def aim_at(self, r_hats: Floats) -> None:
        """Let moves go to the tables about which chains disagree most, from now on."""

    def settled(
        self,
        tell: Callable[[float], None] = lambda part: None,
        sweeps: int = _SWEEPS,
    ) -> JointStates:
        """Run the chains until they agree, or have made as many shifts as they may."""
        cells, chains = self.layout.places.size, len(self.states)
        per_sweep = max(_MOVES_PER_CELL * cells, _LEAST_MOVES)
        most = max(4, self.most_moves // ((per_sweep + self.born) * chains))
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
        chances, wholes = self.chances((states + weights).reshape(-1, states.shape[2]))
        more = (chances * (1 - chances) / (wholes + 1)).mean(axis=0)
        return split_r_hats(chances.reshape(states.shape), more)

    def chances(self, shapes: Floats) -> tuple[Floats, Floats]:
        """Return the expected entries by their Dirichlet parameters, and the sums of these in their rows."""
        start, found, weighed = 0, [], []
        for node, levels in zip(self.layout.model.columns, self.levels, strict=True):
            cells = int(np.prod(self.layout.model.shape(node, self.layout.schema)))
            table = shapes[:, start : start + cells].reshape(len(shapes), -1, levels)
            whole = table.sum(axis=2, keepdims=True)
            found.append((table / whole).reshape(len(table), -1))
            weighed.append(np.broadcast_to(whole, table.shape).reshape(len(table), -1))
            start += cells
        return np.concatenate(found, axis=1), np.concatenate(weighed, axis=1)


def _scaled(tell: Callable[[float], None], start: float, length: float) -> Callable[[float], None]:
    """Return who tells of a part of the work as a part of all of it."""
    return lambda part: tell(min(1.0, start + part * length))


def _thinned(runs: Sequence[list[Any]], steps: Sequence[int], what: int) -> Any:
    """Return what runs stored, of each chain behind each other, every so often."""
    each = [np.stack([one[what] for one in run])[:, ::step] for run, step in zip(runs, steps, strict=True)]
    return np.concatenate(each, axis=1)
