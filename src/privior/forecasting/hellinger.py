"""The error of a table drawn by its Hellinger distance: all tables are listed, as `infer` lists them.

Given an output r the posterior of the true counts x is known for every x, and so is the law of the truth that
is expected: the error of the posterior mean is a sum over x. Few outputs are all taken; of many those that
fixed scenarios of truth and draw give. Of two cells with many records, tables are thinned out: apart by a
small share of what the mechanism can tell apart, each standing for those that are nearest to it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from privior.forecasting.one_cell import log_rising, widths
from privior.forecasting.expect import Expect
from privior.forecasting.scenarios import strata, tables
from privior.privacy.hellinger import all_tables

Floats = NDArray[np.float64]
Tables = NDArray[np.int64]

#: outputs of so many tables are all looked at, of more those of so many scenarios
_ALL, _SCENARIOS = 800, 192
#: normalisers of more tables are summed for so many, and for so many at an end
_SUMMED, _ENDS = 240, 32
#: two cells: tables are apart by this share of the distance at which weights fall by 1/e
_FINE = 0.35
#: more tables of two cells are thinned out
_FEW = 1500


@dataclass(frozen=True)
class ListedLaw:
    """Releases r given x with a chance proportional to e^(-t(x) H(x, r)).

    Attributes:
        temperatures: t of each table
    """

    temperatures: Callable[[Tables], Floats]

    def errors(self, prior: Floats, records: int, expect: Expect) -> tuple[Floats, float]:
        """Return the expected errors and the expected variance of the counts, all cells together."""
        from scipy.special import gammaln, xlogy

        listed = _Listed.of(self.temperatures, prior, records)
        x, roots = listed.tables, np.sqrt(listed.tables)
        believed = log_rising(x.astype(np.float64), prior).sum(axis=1) + listed.log_volumes
        true = believed
        if expect is not Expect.TYPICAL:
            true = (xlogy(x, expect.shares(prior)) - gammaln(x + 1)).sum(axis=1) + listed.log_volumes
        seen, chances = listed.outputs(true, tuple(prior.tolist()), records, expect)
        likely = listed.log_likelihoods(seen)
        posterior, truth = _normalised(likely + believed[:, None]), _normalised(likely + true[:, None])
        means, hidden = posterior.T @ x, posterior.T @ (x * x)
        smooth = (means + prior) / (records + prior.sum())
        expected = truth.T @ x
        gaps = [(np.abs(x[:, cell, None] - means[:, cell]) * truth).sum(axis=0) for cell in range(prior.size)]
        shares = x / records
        errors = (
            (truth.T @ (x * x) + means * (means - 2 * expected)) / records**2,
            np.stack(gaps, axis=1) / records,
            (means + expected - 2 * np.sqrt(means) * (truth.T @ roots)) / records,
            truth.T @ xlogy(shares, shares) - expected / records * np.log(smooth),
        )
        left = float(chances @ (hidden - means**2).sum(axis=1))
        return np.array([max(0.0, float(chances @ error.sum(axis=1))) for error in errors]), max(0.0, left)


@dataclass(frozen=True, eq=False)
class _Listed:
    """Tables that stand for all, and the law on them.

    Attributes:
        tables: as (number, cells)
        log_volumes: the log of how many each stands for
        temperatures: t of any
        rates: t of each listed one
        prior: the parameters of the posteriors whose distance is taken
        halves: lnG(a + s/2) for each cell, s = 0, 1, ..., 2 n
    """

    tables: Tables
    log_volumes: Floats
    temperatures: Callable[[Tables], Floats]
    rates: Floats
    prior: Floats
    halves: Floats

    @staticmethod
    def of(temperatures: Callable[[Tables], Floats], prior: Floats, records: int) -> _Listed:
        """List all tables, or of many of two cells some."""
        from scipy.special import gammaln

        listed, volumes = all_tables(records, prior.size), np.ones(1)
        rates = temperatures(listed)
        if prior.size == 2 and len(listed) > _FEW:
            # one step of a root is 2 sqrt(x) records, and H is sqrt(1/8) of the records over sqrt(x)
            step = _FINE * math.sqrt(2) / float(np.max(rates))
            turns = np.arange(0, math.pi / 2, step / math.sqrt(records))
            first = np.unique(np.append(np.round(records * np.sin(turns) ** 2), records))
            first = np.union1d(first, records - first)
            kept = first.astype(np.intp)
            listed, rates, volumes = listed[kept], rates[kept], widths(first)
        halves = gammaln(prior[:, None] + np.arange(2 * records + 1) / 2)
        log_volumes = np.broadcast_to(np.log(volumes), len(listed))
        return _Listed(listed, log_volumes, temperatures, rates, prior, halves)

    def distances(self, others: Tables) -> Floats:
        """Return H from each listed table to others, as (listed, others)."""
        overlap = -(self._own(self.tables)[:, None] + self._own(others))
        for cell, known in enumerate(self.halves):
            overlap += known[self.tables[:, cell, None] + others[:, cell]]
        return np.asarray(np.sqrt(-np.expm1(np.minimum(overlap, 0.0))))

    def _own(self, some: Tables) -> Floats:
        return np.asarray(sum(known[2 * some[:, cell]] for cell, known in enumerate(self.halves)) / 2)

    @cached_property
    def few(self) -> bool:
        """Whether all pairs are looked at."""
        return len(self.tables) <= _ALL

    @cached_property
    def log_sums(self) -> Floats:
        """Return the log of what the weights of all outputs add up to, for each table.

        Of many some are summed, more of them near the ends; those of two cells are interpolated. Others are
        fitted: near x the sum grows with the log parameters of x and falls with t, far from x it is e^-t.
        """
        number = len(self.tables)
        if self.few:
            return self._log_sum(np.arange(number))
        spaced = np.linspace(0, number - 1, _SUMMED).astype(np.intp)
        if self.prior.size == 2:
            some = np.unique(np.concatenate([spaced, np.arange(_ENDS), number - 1 - np.arange(_ENDS)]))
            return np.interp(np.arange(number), some, self._log_sum(some))
        some = np.union1d(spaced, np.argsort(-self.tables.max(axis=1), kind="stable")[: 3 * _ENDS])
        logs = np.log(self.tables + self.prior)
        rates = self.rates[:, None]
        pairs = [logs[:, i] * logs[:, j] for i in range(self.prior.size) for j in range(i + 1)]
        parts = (np.ones_like(rates), logs, np.stack(pairs, axis=1), rates, np.log(rates), np.log(rates) ** 2)
        features = np.concatenate(parts, axis=1)
        fitted = np.linalg.lstsq(features[some], self._log_sum(some), rcond=None)[0]
        return np.asarray(features @ fitted)

    def _log_sum(self, some: NDArray[np.intp]) -> Floats:
        weights = self.log_volumes[:, None] - self.rates[some] * self.distances(self.tables[some])
        return np.asarray(np.log(np.exp(weights).sum(axis=0)))

    def log_likelihoods(self, seen: Tables) -> Floats:
        """Return the log probability of each output given each table, as (tables, outputs)."""
        return -self.rates[:, None] * self.distances(seen) - self.log_sums[:, None]

    def outputs(
        self, true: Floats, prior: tuple[float, ...], records: int, expect: Expect
    ) -> tuple[Tables, Floats]:
        """Return outputs and their chances if the truth has these log chances."""
        if self.few:
            joint = np.exp(self.log_likelihoods(self.tables) + (true - true.max())[:, None])
            chances = joint.sum(axis=0) * np.exp(self.log_volumes)
            return self.tables, chances / chances.sum()
        truths = tables(prior, records, expect, _SCENARIOS).astype(np.int64)
        weights = np.exp(self.log_volumes[:, None] - self.temperatures(truths) * self.distances(truths))
        places = strata(_SCENARIOS, 1, first=2 * len(prior))[:, 0]
        heaps = np.cumsum(weights, axis=0)
        found = (heaps < places * heaps[-1]).sum(axis=0)
        return self.tables[np.minimum(found, len(self.tables) - 1)], np.full(_SCENARIOS, 1 / _SCENARIOS)


def _normalised(logs: Floats) -> Floats:
    """Return weights that add up to 1 in each column."""
    weights = np.exp(logs - logs.max(axis=0))
    return np.asarray(weights / weights.sum(axis=0))
