"""Learners: what an agent has counted, what it published, and what it does next. One class for people and
trials.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.sequential.latent_counts import LatentCells, shares, sums_within
from privior.sequential.mechanisms import AgentMechanism
from privior.sequential.noisy_prefix import NoisyPrefix
from privior.sequential.problems import Problem
from privior.sequential.schedule import Schedule
from privior.sequential.sources import PublishedArrays, Source


@dataclass(frozen=True, eq=False)
class LearnedDraw:
    """One draw of what follows from what was published, of every copy.

    Attributes:
        visits: how often each choice was taken; None if nothing was published about that
        chances: of what follows each choice, rows x cells
        rewards: mean rewards of each choice; None where outcomes are rewards
    """

    visits: Floats | None
    chances: Floats
    rewards: Floats | None


class Learner:
    """Counts interactions, publishes at public times, and finds the policy that follows from the published.

    What it counts is private; `policy` depends on it only through what was published.

    Args:
        problem: what is learned
        mechanism: what is published
        schedule: when
        episodes: how many there are in a block
        source: who draws what is published
        generator: for what follows from the published: free, and no secret
    """

    def __init__(
        self,
        problem: Problem,
        mechanism: AgentMechanism,
        schedule: Schedule,
        episodes: int,
        source: Source,
        generator: np.random.Generator,
    ) -> None:
        self.problem, self.mechanism, self.source = problem, mechanism, source
        self._generator = generator
        self._row_times = frozenset(mechanism.row_times(schedule, episodes))
        self._noise_times = frozenset(mechanism.noise_times(schedule, episodes))
        copies, rows = source.copies, problem.rows
        noise = mechanism.added
        tree = noise is not None and noise.tree
        # the table of rows and cells, or visits, then sums of rewards and of their squares
        self.vectors: dict[str, NoisyPrefix] = {}
        if problem.cells:
            self._table = np.zeros((copies, rows, problem.cells), dtype=np.int64)
        if mechanism.noisy_table and problem.cells:
            self.vectors["counts"] = NoisyPrefix((copies, rows, problem.cells), tree=tree)
        else:
            self.vectors["visits"] = NoisyPrefix((copies, rows), tree=tree)
        if problem.rewards is not None:
            for name in ("sums", "squares")[: problem.rewards.powers]:
                self.vectors[name] = NoisyPrefix((copies, rows), tree=tree)
        self._drawn: Floats | None = None
        self._latent: LatentCells | None = None
        self._policy: Integers | None = None
        self._copies = np.arange(copies)
        self._ended = 0

    # ---- what people do ---------------------------------------------------------------------------------

    def count(self, rows: Integers, cells: Integers | None, units: Integers | None) -> None:
        """Count one step of every copy: its row, what followed, if it is known, its reward in units."""
        place = (self._copies, rows)
        if self.problem.cells and cells is not None:
            self._table[(*place, cells)] += 1
        for name, vector in self.vectors.items():
            if name == "counts":
                if cells is not None:
                    vector.pending[(*place, cells)] += 1
            elif name == "visits":
                vector.pending[place] += 1
            elif units is not None:
                vector.pending[place] += units if name == "sums" else units**2

    # ---- what is published ------------------------------------------------------------------------------

    def begin_block(self) -> None:
        """Count episodes and times anew; what was counted and published stays."""
        self._ended = 0
        for vector in self.vectors.values():
            vector.begin()

    def end_episode(self) -> PublishedArrays:
        """Count an episode that has ended, and publish if it is time."""
        self.end_counting()
        found = self.draw()
        self.take(found)
        return found

    def end_counting(self) -> None:
        """Count an episode that has ended."""
        self._ended += 1

    def draw(self) -> PublishedArrays:
        """Draw what is published now, if it is time; changes nothing of what was counted."""
        found: PublishedArrays = {}
        noise = self.mechanism.added
        if self._draws_now:
            found["rows"] = self.mechanism.drawn(self._table, self.source)
        if noise is not None and self._adds_now:
            for name, vector in self.vectors.items():
                piece = vector.piece()
                found[name] = piece + self._drawn_noise(
                    noise.kind, noise.size * self.units_of(name), piece.shape
                )
        return found

    def take(self, found: PublishedArrays | None) -> None:
        """Take what was published now; None if that was lost, and what would have been published with it."""
        if self._draws_now and found is not None:
            self._drawn = self.source.chances(found["rows"])
        if self._adds_now:
            for name, vector in self.vectors.items():
                vector.take(None if found is None else np.asarray(found[name], dtype=np.int64))
            self._latent = None
        if self._draws_now or self._adds_now:
            self._policy = None

    def follow(self, ended: int, found: PublishedArrays | None) -> None:
        """Take what was published after so many episodes of a block, of which nothing was counted here."""
        self._ended = ended
        self.take(found)

    @property
    def _draws_now(self) -> bool:
        return self._ended in self._row_times

    @property
    def _adds_now(self) -> bool:
        return self._ended in self._noise_times

    def _drawn_noise(self, kind: str, size: Fraction, shape: tuple[int, ...]) -> Integers:
        draw = self.source.gaussian if kind == "gaussian" else self.source.laplace
        return draw(shape, size)

    def units_of(self, name: str) -> int:
        """By how much one step moves a vector at most."""
        rewards = self.problem.rewards
        power = {"sums": 1, "squares": 2}.get(name, 0)
        return 1 if rewards is None else rewards.units**power

    # ---- what follows -----------------------------------------------------------------------------------

    def policy(self) -> Integers:
        """Return the best action of each step and state, copies x steps x states, for a draw of what is
        believed.

        A draw of rows is published and stays until the next; from noisy counts one is drawn for every
        episode.
        """
        if self._policy is not None and self.mechanism.draws_rows:
            return self._policy
        drawn = self.believed()
        self._policy = self.problem.policy(drawn.chances, drawn.rewards)
        return self._policy

    def believed(self) -> LearnedDraw:
        """Draw chances and mean rewards from what is believed."""
        problem, mechanism, draw = self.problem, self.mechanism, self._generator
        prior = float(problem.prior)
        empty = np.zeros((self.source.copies, problem.rows, max(1, problem.cells)))
        visits: Floats | None = None
        if not problem.cells:
            chances = empty
        elif mechanism.draws_rows:
            chances = shares(empty + prior, draw) if self._drawn is None else self._drawn
        elif not mechanism.noisy_table:
            chances = shares(np.asarray(self._table + prior), draw)
        else:
            latent = self._latent_of("counts", prior)
            table = empty if latent is None else latent.draw(draw)
            chances, visits = shares(table + prior, draw), np.asarray(table.sum(axis=-1))
        if "visits" in self.vectors:
            latent = self._latent_of("visits", 1.0)
            visits = None if latent is None else latent.draw(draw)
        return LearnedDraw(visits, chances, self._mean_rewards(visits))

    def _latent_of(self, name: str, prior: float) -> LatentCells | None:
        vector, noise = self.vectors[name], self.mechanism.added
        if vector.pieces and self._latent is None and noise is not None:
            self._latent = LatentCells.of(
                vector.estimate.astype(np.float64), noise.variance * vector.pieces, prior
            )
        return self._latent

    def _mean_rewards(self, visits: Floats | None) -> Floats | None:
        law = self.problem.rewards
        if law is None:
            return None
        noise, draw = self.mechanism.added, self._generator
        if noise is None:
            exact = {name: vector.pending.astype(np.float64) for name, vector in self.vectors.items()}
            return law.means(exact["visits"], exact["sums"], exact.get("squares"), draw)
        if visits is None or not self.vectors["sums"].pieces:
            nothing = np.zeros((self.source.copies, self.problem.rows))
            return law.means(nothing, nothing, nothing, draw)
        found = []
        for name in ("sums", "squares")[: law.powers]:
            vector, units = self.vectors[name], self.units_of(name)
            deviation = float(np.sqrt(noise.variance * vector.pieces)) * units
            noisy = vector.estimate.astype(np.float64)
            found.append(sums_within(noisy, deviation, visits * units, draw))
        return law.means(visits, found[0], found[1] if law.powers > 1 else None, draw)

    # ---- between two runs -------------------------------------------------------------------------------

    def to_document(self) -> dict[str, object]:
        """Write everything, exact counts too, as plain values: private."""
        return {
            "table": self._table.tolist() if self.problem.cells else [],
            "vectors": {name: vector.to_document() for name, vector in self.vectors.items()},
            "drawn": None if self._drawn is None else self._drawn.tolist(),
            "ended": self._ended,
        }

    def restore(self, document: dict[str, Any]) -> None:
        """Take what `to_document` wrote."""
        if self.problem.cells:
            self._table = np.array(document["table"], dtype=np.int64).reshape(self._table.shape)
        for name, vector in self.vectors.items():
            vector.restore(document["vectors"][name])
        drawn = document["drawn"]
        self._drawn = None if drawn is None else np.array(drawn, dtype=np.float64)
        self._ended = int(document["ended"])
        self._latent = self._policy = None
