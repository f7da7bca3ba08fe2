"""What released draws of a network's tables say of the true counts of all tables together.

Records are followed through the network, parents before children, by many particles at once. A particle has
the counts of all tables so far. Of a row that m records reach, each stick of the draws tells how m is divided
(`dividing`); how likely the sticks are if m records reach the row weights the particle, so that draws of a
table also tell of its parents. How many records have some levels of a node's parents, the counts of an
earlier table say if it holds them all; else it is drawn from the tables' chances, which is approximate: what
two tables say of the same column may then differ a little. Free post-processing: no data.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import final

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.mechanisms import DrawnSticks
from privior.models import Network
from privior.posterior.contract import released_draws
from privior.posterior.counts.contract import LatentCounts, quantiles_of_tables
from privior.posterior.counts.evidence import Total
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.kept import kept
from privior.posterior.networks.dividing import BINS, divided
from privior.posterior.networks.elimination import Elimination
from privior.posterior.networks.tables_given import OneTable, TableByTable
from privior.posterior.quantity import SEED
from privior.posterior.tables.counts_given import total_of
from privior.posterior.tables.drawn import probabilities
from privior.release import Release
from privior.schema import Schema

#: particles: as many as this much work allows, at most and at least so many
_WORK, _MOST, _LEAST = 60_000_000, 4000, 500
#: particles are drawn anew where fewer than this part of them count; fewer than so many in all are too few
_ANEW, _FEW = 0.5, 100


@kept
@dataclass(frozen=True, eq=False)
class ParticleCounts(LatentCounts):
    """Tables from the posterior; the same place in every table of a network is one draw of all of them.

    Attributes:
        tables: (particles, cells), all alike
        diagnostics: how they were found
    """

    tables: Integers
    diagnostics: Diagnostics

    @cached_property
    def mean(self) -> Floats:  # type: ignore[override]
        """The average."""
        return np.asarray(self.tables.mean(axis=0))

    @cached_property
    def stddev(self) -> Floats:  # type: ignore[override]
        """The standard deviation among the particles."""
        return np.asarray(self.tables.std(axis=0))

    def interval(self, level: float) -> Floats:
        """Return quantiles of the particles."""
        return quantiles_of_tables(self.tables, level)

    def draws(self, size: int, rng: np.random.Generator) -> Integers:
        """Return the particles in turn, so that tables that are drawn together belong together."""
        return self.tables[np.arange(size) % len(self.tables)]

    @property
    def kept(self) -> Integers:
        """All particles."""
        return self.tables


@final
@kept
@dataclass(frozen=True, eq=False)
class FollowedTables(TableByTable):
    """Tables of the same particles, which followed the records through the network.

    Attributes:
        diagnostics: how they were found
        approximate: whether records of some rows were drawn anew, so that tables may contradict each other
    """

    diagnostics: Diagnostics
    approximate: bool

    @property
    def how(self) -> str:
        """How many particles there are, and what they approximate."""
        return self.diagnostics.method

    @property
    def together(self) -> bool:
        """Whether a particle has the tables of one data set."""
        return not self.approximate

    def cautions(self, entries: list[str], nodes: tuple[str, ...]) -> tuple[str, ...]:
        """Say that few particles count, if so."""
        return (self.diagnostics.warning,) if self.diagnostics.warning else ()


def holds_draws(releases: Sequence[Release]) -> bool:
    """Say whether releases of a network are draws; some that are and some that are not are refused."""
    drawn = [released_draws(one) for one in releases]
    if any(drawn) and not all(drawn):
        raise InferenceError(
            "draws and noisy tables of a network are not used together",
            asked=", ".join(one.plan.mechanism.name for one in releases),
            advice="Infer from each kind by itself.",
        )
    return all(drawn)


def tables_given_draws(
    releases: Sequence[Release], model: Network, *, ignore_noise: bool = False
) -> FollowedTables:
    """Infer all tables from draws of them."""
    if ignore_noise:
        raise InferenceError(
            "a release from the posterior has no noise that could be ignored",
            asked=releases[0].plan.mechanism.name,
            advice="The draws themselves are release.draws, and posterior.write_bif(path, released=0).",
        )
    schema = releases[0].plan.schema
    priors = model.parameters(schema)
    if any(one is None for one in priors):
        raise InferenceError(
            "a prior is learned from noisy counts only",
            asked=releases[0].plan.mechanism.name,
            advice="Give a number, such as prior=1.",
        )
    drawn = [one.plan.mechanism.drawn_sticks(one.statistics) for one in releases]
    sticks = [tuple(some) for some in zip(*drawn, strict=True)]
    given = [one for one in priors if one is not None]
    particles = _Particles(model, schema, given, sticks)
    found, diagnostics = particles.followed(total_of(releases))
    levels = [schema.column(node).size for node in model.columns]
    each = tuple(
        OneTable(ParticleCounts(tables, diagnostics), prior, size, None)
        for tables, prior, size in zip(found, given, levels, strict=True)
    )
    return FollowedTables(each, diagnostics, bool(particles.approximate))


@dataclass(eq=False)
class _Particles:
    """The particles: counts of the tables that were passed, and the chances of their entries."""

    model: Network
    schema: Schema
    priors: Sequence[Floats]
    sticks: Sequence[tuple[DrawnSticks, ...]]

    def followed(self, total: Total) -> tuple[list[Integers], Diagnostics]:
        """Follow records through the network; return each table's counts, all particles alike."""
        self.rng = np.random.default_rng(SEED)
        self.elimination = Elimination(self.model, self.schema)
        divisions = sum(one[0].first.size for one in self.sticks)
        size = int(np.clip(_WORK // (BINS * divisions), _LEAST, _MOST))
        self.records = np.full(size, total.most, np.int64)
        if not total.known:
            self.records = np.floor((np.arange(size) + 0.5) / size * (total.most + 1)).astype(np.int64)
        self.theta = np.zeros((size, self.elimination.width))
        self.counts: dict[str, Integers] = {}
        self.logs = np.zeros(size)
        self.least, self.approximate = float(size), set[str]()
        for node in self.model.order:
            self._pass(node)
            self._anew(_ANEW)
        self._anew(1.0)
        binned = total.most >= BINS
        about = [f"of {', '.join(sorted(self.approximate))} the rows' records are drawn"] * bool(
            self.approximate
        )
        about += [f"counts in {BINS} bins"] * binned
        words = f" (approximated: {'; '.join(about)})" if about else ""
        warnings = [f"few particles count ({self.least:.0f} of {size}): means and intervals are rough"]
        if self.least >= _FEW:
            warnings = []
        if self.approximate:
            warnings.append(
                f"the table of {', '.join(sorted(self.approximate))} has parents that stand in no table "
                "together: what it says of their counts may contradict their own tables, and its entries are "
                "off by some hundredths where records are few"
            )
        diagnostics = Diagnostics(
            f"{size} particles follow the records through all tables{words}",
            exact=False,
            cost=float(size * BINS * divisions),
            warning="; ".join(warnings) or None,
        )
        return [self.counts[node] for node in self.model.columns], diagnostics

    def _pass(self, node: str) -> None:
        """Draw the counts of a node's table, row by row and stick by stick, and weigh the particles."""
        place = self.model.columns.index(node)
        size = self.schema.column(node).size
        prior = self.priors[place].reshape(-1, size)
        reached = self._reached(node)
        tables = np.zeros((self.records.size, *prior.shape), np.int64)
        for row, alpha in enumerate(prior):
            left = reached[:, row]
            for stick in range(size - 1):

                def seen(c: Floats, d: Floats, row: int = row, stick: int = stick) -> Floats:
                    every = [one.log_likelihood(row, stick, c, d) for one in self.sticks[place]]
                    return np.asarray(sum(every))

                both = float(alpha[stick]), float(alpha[stick + 1 :].sum())
                tables[:, row, stick], logs = divided(left, both, seen, self.rng)
                self.logs += logs
                left = left - tables[:, row, stick]
            tables[:, row, -1] = left
        self.counts[node] = tables.reshape(len(tables), -1)
        shapes = prior + tables
        gammas = (
            np.log(self.rng.standard_gamma(shapes + 1)) - self.rng.standard_exponential(shapes.shape) / shapes
        )
        rows = probabilities(gammas.reshape(-1, size))
        self.theta[:, self.elimination.places[node]] = rows.reshape(len(tables), -1)

    def _reached(self, node: str) -> Integers:
        """Return how many records reach each row, as (particles, rows)."""
        above = self.model.parents[node]
        if not above:
            return self.records[:, np.newaxis]
        for other, counts in self.counts.items():
            names = (*self.model.parents[other], other)
            if set(above) <= set(names):
                whole = counts.reshape(len(counts), *self.elimination.shapes[other])
                axes = tuple(1 + place for place, name in enumerate(names) if name not in above)
                left = [name for name in names if name in above]
                order = [0, *(1 + left.index(name) for name in above)]
                margin: Integers = whole.sum(axis=axes).transpose(order)
                return margin.reshape(len(counts), -1)
        self.approximate.add(node)
        chances = self.elimination.joint(self.theta, above, {}).reshape(len(self.theta), -1)
        shares = chances / chances.sum(axis=1, keepdims=True)
        return np.asarray(self.rng.multinomial(self.records, shares), dtype=np.int64)

    def _anew(self, part: float) -> None:
        """Draw particles anew by their weights, if fewer than this part of them count."""
        weights = np.exp(self.logs - self.logs.max())
        counting = float(weights.sum() ** 2 / (weights**2).sum())
        self.least = min(self.least, counting)
        size = weights.size
        if counting >= part * size and part < 1:
            return
        ends = np.cumsum(weights) / weights.sum()
        chosen = np.searchsorted(ends, (np.arange(size) + self.rng.random()) / size).clip(0, size - 1)
        chosen = self.rng.permutation(chosen)
        self.records, self.theta = self.records[chosen], self.theta[chosen]
        self.counts = {node: counts[chosen] for node, counts in self.counts.items()}
        self.logs = np.zeros(size)
