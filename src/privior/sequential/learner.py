"""Learners: what an agent has counted, what it published, and what it does next. One class for people and
trials.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.sequential.latent_counts import LatentCells, shares, sums_within
from privior.sequential.mechanisms import AgentMechanism
from privior.sequential.noisy_prefix import NoisyPrefix
from privior.sequential.problems import Problem
from privior.sequential.schedule import Doubling, Schedule
from privior.sequential.sources import PublishedArrays, Source


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
        self._times = frozenset(schedule.times(episodes))
        self._reward_times = frozenset(Doubling().times(episodes))
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
        if self.mechanism.added is not None and self._adds_now:
            for name, vector in self.vectors.items():
                vector.take(None if found is None else np.asarray(found[name], dtype=np.int64))
            self._latent = None
        if self._draws_now or self._adds_now:
            self._policy = None

    @property
    def _draws_now(self) -> bool:
        return self.mechanism.draws_rows and self._ended in self._times

    @property
    def _adds_now(self) -> bool:
        times = self._reward_times if self.mechanism.draws_rows else self._times
        return self.mechanism.added is not None and self._ended in times

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
        chances, rewards = self._believed()
        self._policy = self.problem.policy(chances, rewards)
        return self._policy

    def _believed(self) -> tuple[Floats, Floats | None]:
        """Draw chances and mean rewards from what is believed."""
        problem, mechanism, draw = self.problem, self.mechanism, self._generator
        prior = float(problem.prior)
        empty = np.zeros((self.source.copies, problem.rows, max(1, problem.cells)))
        if not problem.cells:
            return empty, self._mean_rewards(None)
        if mechanism.draws_rows:
            return (shares(empty + prior, draw) if self._drawn is None else self._drawn), self._mean_rewards(
                None
            )
        if not mechanism.noisy_table:
            return shares(np.asarray(self._table + prior), draw), self._mean_rewards(None)
        latent = self._latent_of("counts", prior)
        table = empty if latent is None else latent.draw(draw)
        return shares(table + prior, draw), self._mean_rewards(np.asarray(table.sum(axis=-1)))

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
        shape = (self.source.copies, self.problem.rows)
        if not self.vectors["sums"].pieces:
            nothing = np.zeros(shape)
            return law.means(nothing, nothing, nothing, draw)
        if visits is None:
            latent = self._latent_of("visits", 1.0)
            visits = np.zeros(shape) if latent is None else latent.draw(draw)
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
