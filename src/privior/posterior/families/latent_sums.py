"""The unknown sum of a family's statistic, and the unknown number of values where that is private.

Given n and T the likelihood of the parameter is exp(h(theta) T - n A(theta)). Here are the pairs (n, T) that
may have been, each with the log of m_n(T) times the probability of what was released. Sums are looked at one
by one where they are few, else on a regular grid, which is fine against the noise that hides them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.models import Observed
from privior.models.families import Family
from privior.models.laws.masses import log_normaliser
from privior.posterior.families.zooming import near, zoomed
from privior.schema import Schema

#: a release as inference sees it: a mechanism that knows `log_likelihoods` of sums, and what it released
Evidence = tuple[Any, Observed]

#: how many sums are looked at, for a public number of records and for each of a few possible ones
_SUMS, _FEWER_SUMS, _NUMBERS = 2048, 512, 49
#: pairs that lie so far below the largest, in logs, are left out: all of them together weigh below 1e-8
_LEFT_OUT = 30.0
#: how many pairs of sums and parameters are weighed at a time, so that all of it stays in caches
_TOGETHER = 50_000


@dataclass(frozen=True, eq=False)
class LatentSums:
    """Pairs (n, T) that may have been, with the log of m_n(T) times the probability of the releases.

    Attributes:
        records: n
        totals: T
        weights: the logs
    """

    records: Floats
    totals: Floats
    weights: Floats

    @staticmethod
    def given(
        model: Family, schema: Schema, records: int, public: bool, evidence: Sequence[Evidence]
    ) -> LatentSums:
        """Look for the pairs.

        Args:
            model: the family
            schema: the public facts of its column
            records: the number of values if it is public, else the largest possible one
            public: whether it is
            evidence: the releases of this table
        """
        search = _Search(model, schema, evidence, public)
        if public:
            return search.sums(records, _SUMS)
        parts = [search.sums(int(n), _FEWER_SUMS) for n in search.numbers(records)]
        merged = LatentSums(
            *(
                np.concatenate([getattr(part, name) for part in parts])
                for name in ("records", "totals", "weights")
            )
        )
        return merged.kept(search.marginals(merged))

    @staticmethod
    def of_one(records: float, total: float) -> LatentSums:
        """Take one pair as certain."""
        return LatentSums(np.array([float(records)]), np.array([total]), np.zeros(1))

    def kept(self, marginals: Floats) -> LatentSums:
        """Leave out the pairs that have no share in the posterior."""
        some = near(marginals, _LEFT_OUT)
        return LatentSums(self.records[some], self.totals[some], self.weights[some])

    def log_likelihood(self, natural: Floats, partition: Floats) -> Floats:
        """Return the log likelihood of parameters with these h(theta) and A(theta)."""
        found = np.empty(natural.shape)
        block = max(8, _TOGETHER // self.totals.size)
        for start in range(0, natural.size, block):
            part = slice(start, start + block)
            logs = natural[part] * self.totals[:, None]
            logs += self.weights[:, None]
            logs -= partition[part] * self.records[:, None]
            most = logs.max(axis=0)
            logs -= most
            found[part] = most + np.log(np.exp(logs, out=logs).sum(axis=0))
        return found


@dataclass(frozen=True, eq=False)
class _Search:
    model: Family
    schema: Schema
    evidence: Sequence[Evidence]
    public: bool

    def numbers(self, most: int) -> Integers:
        """Return the possible numbers of records: those near the noisy count, all or on a grid."""

        def fit(numbers: Floats) -> Floats:
            whole = np.rint(numbers).astype(np.int64)
            logs = np.zeros(whole.shape)
            for mechanism, observed in self.evidence:
                logs += mechanism.count_log_likelihoods(observed, whole)
            return logs

        if most <= _NUMBERS:
            return np.arange(1, most + 1)
        grid = zoomed(fit, 1, most, 16 * _NUMBERS)
        return np.unique(np.rint(np.linspace(grid[0], grid[-1], _NUMBERS)).astype(np.int64))

    def sums(self, records: int, points: int) -> LatentSums:
        """Return the sums of so many records that may have been."""
        low, high = (records * end for end in self.model.summand(self.schema).bounds(self.schema))
        if high - low < points:
            whole = np.arange(low, high + 1)
        else:
            grid = zoomed(lambda sums: self.marginals(self._at(records, sums)), low, high, points)
            whole = np.unique(np.rint(grid).astype(np.int64))
        found = self._at(records, whole.astype(np.float64))
        step = np.log((whole[-1] - whole[0] + 1) / whole.size)  # each stands for so many
        found = LatentSums(found.records, found.totals, found.weights + step)
        return found.kept(self.marginals(found))

    def marginals(self, pairs: LatentSums) -> Floats:
        """Return the log probability of each pair and of the releases, the parameter integrated out."""
        found = np.empty(pairs.totals.shape)
        for n in np.unique(pairs.records):
            some = pairs.records == n
            first, second, extra = self.model.updated(n, pairs.totals[some])
            found[some] = extra + log_normaliser(
                self.model.conjugate, first, second, self.model.prior.support
            )
        return found + pairs.weights

    def _at(self, records: int, sums: Floats) -> LatentSums:
        whole = np.rint(sums).astype(np.int64)
        base, unit = (float(one) for one in self.model.grid(self.schema))
        totals = base * records + unit * whole.astype(np.float64)
        numbers = np.full(whole.shape, float(records))
        rows = whole[None] if self.public else np.stack([np.full_like(whole, records), whole])
        logs = self.model.log_measure(numbers, totals, unit)
        for mechanism, observed in self.evidence:
            logs = logs + mechanism.log_likelihoods(observed, rows)
        return LatentSums(numbers, totals, logs)
