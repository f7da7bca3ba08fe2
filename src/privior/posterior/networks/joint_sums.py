"""What is known of all tables of a network together, summed over all data sets, where there are few.

All tables of each clique are listed, for every number of records that there may be. What the target says of
them (`joint_layout`) is a product over cliques, which hang together by their separators alone: sums over all
tables below a separator are sent upwards, then chances of separators downwards, as in any junction tree. So
every clique's table has its posterior probability, exactly, and whole data sets are drawn from the first
clique on. Priors are fixed; whether the sums are affordable, the numbers of cells and records tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.models import Network
from privior.posterior.counts.evidence import Total
from privior.posterior.counts.law import IntegerLaw
from privior.posterior.diagnostics import Diagnostics
from privior.posterior.networks.all_summed import AllSummed
from privior.posterior.networks.joint_evidence import JointEvidence
from privior.posterior.networks.joint_layout import CELLS, DIFFERENCE, JointLayout, Margin
from privior.posterior.networks.joint_lists import CliqueLists
from privior.special import gammaln

#: tables of a clique that are listed, at most, and cells of these
_MOST_TABLES, _MOST_CELLS = 1_200_000, 32_000_000
#: tables whose logarithms are summed at once
_AT_ONCE = 50_000


def summable(layout: JointLayout, total: Total) -> bool:
    """Say whether all tables of all cliques can be listed."""
    tables = cells = 0
    for size, clique in zip(layout.tree.sizes, range(len(layout.tree.sizes)), strict=True):
        # Up to `most` records in so many cells, or exactly so many
        free = size - 1 if total.known else size
        if total.most >= 2**15 or min(free, total.most) > 40:
            return False
        many = math.comb(total.most + free, free)
        tables, cells = tables + many, cells + many * size
        shared = math.prod(layout.tree.size_of[name] for name in layout.tree.separator(clique))
        if shared * math.log2(total.most + 1) > 62:
            return False
    return tables <= _MOST_TABLES and cells <= _MOST_CELLS


@dataclass(frozen=True, eq=False)
class _Clique:
    """The tables of a clique.

    Attributes:
        tables: all of them
        up: the logarithm of what the clique and all that hang on it say of each
        own: a number for each table that tells what it has on the separator to the clique above
    """

    tables: Integers
    up: Floats
    own: Integers


@dataclass(frozen=True, eq=False)
class SummedTables(AllSummed):
    """The posterior of all tables, summed.

    Attributes:
        evidence: the releases
        priors: the Dirichlet parameters of each table
        lists: all tables of all cliques, if they were listed before
    """

    evidence: JointEvidence
    priors: tuple[Floats, ...]
    lists: CliqueLists | None = None

    @property
    def _model(self) -> Network:
        return self.evidence.layout.model

    @property
    def _base(self) -> int:
        return self.evidence.total.most + 1

    @cached_property
    def _lists(self) -> CliqueLists:
        return self.lists or CliqueLists(self.evidence.layout, self.evidence.total)

    # The sums

    @cached_property
    def _cliques(self) -> tuple[_Clique, ...]:
        tree, lists, heights = self.evidence.layout.tree, self._lists, self._heights()
        found: list[_Clique | None] = [None] * len(tree.cliques)
        waiting: dict[int, list[int]] = {number: [] for number in range(len(tree.cliques))}
        for number in reversed(range(len(tree.cliques))):
            tables = lists.tables[number]
            up = self._log_factors(number, tables, heights)
            for child in waiting[number]:
                below = found[child]
                assert below is not None  # noqa: S101 - children stand behind
                keys, sent = _log_sums(below.own, below.up)
                seen = lists.above[child]
                place = np.minimum(np.searchsorted(keys, seen), keys.size - 1)
                up += np.where(keys[place] == seen, sent[place], -np.inf)
            found[number] = _Clique(tables, up, lists.own[number])
            if tree.above[number] >= 0:
                waiting[tree.above[number]].append(number)
        return tuple(one for one in found if one is not None)

    @cached_property
    def _chances(self) -> tuple[Floats, ...]:
        """The posterior probability of each table of each clique."""
        tree, found = self.evidence.layout.tree, list[Floats]()
        for number, clique in enumerate(self._cliques):
            above = tree.above[number]
            if above < 0:
                found.append(np.exp(clique.up - _log_sum(clique.up)))
                continue
            keys, sent = _log_sums(clique.own, clique.up)
            seen = self._lists.above[number]
            place = np.searchsorted(keys, seen)
            inside = (place < keys.size) & (keys[np.minimum(place, keys.size - 1)] == seen)
            chance = np.bincount(place[inside], found[above][inside], keys.size)
            mine = np.searchsorted(keys, clique.own)
            found.append(np.asarray(chance[mine] * np.exp(clique.up - sent[mine]), dtype=np.float64))
        return tuple(found)

    def _heights(self) -> dict[int, Floats]:
        """Return what the target says of each count at each place; of differences, from -n to n."""
        layout, most = self.evidence.layout, self.evidence.total.most
        prior = np.ones(layout.size)
        for node, own in zip(self._model.columns, self.priors, strict=True):
            table, rows = layout.table(node)
            prior[table.start : table.start + own.size] = own
            each = own.reshape(-1, layout.tree.size_of[node]).sum(axis=1)
            prior[rows.start : rows.start + each.size] = each
        found, counts = {}, np.arange(most + 1)
        for margin in layout.margins:
            for place in np.unique(margin.cells).tolist():
                height = margin.sign * gammaln(counts + prior[place]) if margin.sign else np.zeros(most + 1)
                found[place] = height + (self._fit(place, counts) if margin.kind == CELLS else 0.0)
            if margin.kind == DIFFERENCE:
                found[margin.start] = self._fit(margin.start, np.arange(-most, most + 1))
        return found

    def _fit(self, place: int, numbers: Integers) -> Floats:
        seen = self.evidence
        away = seen.observed[:, place, np.newaxis] - numbers
        rates, curvatures = seen.rates[:, place, np.newaxis], seen.curvatures[:, place, np.newaxis]
        return np.asarray(-(rates * np.abs(away) + curvatures * away**2 / 2).sum(axis=0))

    def _log_factors(self, number: int, tables: Integers, heights: dict[int, Floats]) -> Floats:
        found = np.zeros(len(tables))
        margins = [margin for margin in self.evidence.layout.margins if margin.clique == number]
        for start in range(0, len(tables), _AT_ONCE):
            some = tables[start : start + _AT_ONCE]
            for margin in margins:
                found[start : start + _AT_ONCE] += self._log_factor(margin, some, heights)
                found[start : start + _AT_ONCE] += self._log_sticks(margin, some)
        return found

    def _log_factor(self, margin: Margin, tables: Integers, heights: dict[int, Floats]) -> Floats:
        def summed(place: int) -> Integers:
            return np.asarray(tables[:, margin.cells == place].sum(axis=1, dtype=np.int64))

        if margin.kind == DIFFERENCE:
            even, odd = summed(margin.start), summed(margin.start + 1)
            return np.asarray(heights[margin.start][even - odd + self.evidence.total.most])
        found = np.zeros(len(tables))
        for place in np.unique(margin.cells).tolist():
            found += heights[place][summed(place)]
        return found

    def _log_sticks(self, margin: Margin, tables: Integers) -> Floats:
        """Return what draws of a node's table say of each table."""
        found = np.zeros(len(tables))
        if margin.kind != CELLS or not margin.sign:
            return found
        place = self._model.columns.index(margin.columns[-1])
        every = [one[place] for one in self.evidence.drawn]
        for seen in every:
            if seen is None:
                continue
            rows, levels = seen.first.shape[0], seen.first.shape[1] + 1
            for row in range(rows):
                rest = np.zeros(len(tables), dtype=np.int64)
                for stick in range(levels - 1, -1, -1):
                    own = margin.cells == margin.start + row * levels + stick
                    count = tables[:, own].sum(axis=1, dtype=np.int64)
                    if stick < levels - 1:
                        pairs, which = np.unique(count * self._base + rest, return_inverse=True)
                        c, d = np.divmod(pairs, self._base)
                        found += seen.log_likelihood(row, stick, c.astype(float), d.astype(float))[which]
                    rest += count
        return found

    # What follows

    def _table(self, place: int) -> tuple[Integers, Floats]:
        """Return the table of a node for each table of its clique, and the chances of these."""
        node = self._model.columns[place]
        number = self.evidence.layout.tree.homes[node]
        margin, _ = self.evidence.layout.table(node)
        tables = self._cliques[number].tables
        size = self._model.sizes(self.evidence.layout.schema)[place]
        own = np.stack(
            [tables[:, margin.cells == margin.start + k].sum(axis=1, dtype=np.int64) for k in range(size)],
            axis=1,
        )
        return own, self._chances[number]

    def laws(self, place: int) -> tuple[IntegerLaw, ...]:
        """Return the law of each count of a table."""
        tables, chances = self._table(place)
        each = (np.bincount(cell, chances, self._base) for cell in tables.T)
        return tuple(IntegerLaw(0, np.asarray(one, dtype=np.float64)) for one in each)

    @property
    def total(self) -> IntegerLaw:
        """The law of the number of records: that of the first clique's table."""
        numbers = self._cliques[0].tables.sum(axis=1, dtype=np.int64)
        return IntegerLaw(0, np.asarray(np.bincount(numbers, self._chances[0]), dtype=np.float64))

    def levels(self, place: int) -> int:
        """Return the number of levels of a table's node."""
        return int(self.evidence.layout.tree.size_of[self._model.columns[place]])

    @cached_property
    def _means(self) -> tuple[Floats, ...]:
        found = []
        for place in range(len(self.priors)):
            tables, chances = self._table(place)
            shapes = self.shapes(place, tables)
            found.append(np.tensordot(chances, shapes / shapes.sum(axis=2, keepdims=True), axes=1).ravel())
        return tuple(found)

    def mean(self, place: int) -> Floats:
        """Return the expected entries of a table."""
        return self._means[place]

    def noise_share(self, place: int, number: int, rng: np.random.Generator) -> float:
        """Return how much of the variance of entries is that of their means given a data set."""
        tables, chances = self._table(place)
        shapes = self.shapes(place, tables)
        whole = shapes.sum(axis=2, keepdims=True)
        means = shapes / whole
        centre = np.tensordot(chances, means, axes=1)
        noise = float(np.tensordot(chances, (means - centre) ** 2, axes=1).sum())
        records = float(np.tensordot(chances, means * (1 - means) / (whole + 1), axes=1).sum())
        return noise / (noise + records) if noise + records > 0 else 0.0

    def tables(self, number: int, rng: np.random.Generator) -> Integers:
        """Draw the counts of all tables, each row those of one data set."""
        tree, layout = self.evidence.layout.tree, self.evidence.layout
        drawn: list[Integers] = []
        for place, clique in enumerate(self._cliques):
            above = tree.above[place]
            if above < 0:
                drawn.append(rng.choice(len(clique.tables), size=number, p=self._chances[place]))
                continue
            order = np.argsort(clique.own, kind="stable")
            keys = clique.own[order]
            wanted = self._lists.key(above, tree.separator(place), self._cliques[above].tables[drawn[above]])
            chosen = np.empty(number, dtype=np.int64)
            for key in np.unique(wanted):
                here = order[np.searchsorted(keys, key) : np.searchsorted(keys, key, side="right")]
                weights = np.exp(clique.up[here] - clique.up[here].max())
                who = np.flatnonzero(wanted == key)
                chosen[who] = rng.choice(here, size=who.size, p=weights / weights.sum())
            drawn.append(chosen)
        sizes = self._model.sizes(layout.schema)
        found = []
        for node, size in zip(self._model.columns, sizes, strict=True):
            home, (margin, _) = tree.homes[node], layout.table(node)
            tables = self._cliques[home].tables[drawn[home]]
            found += [
                tables[:, margin.cells == margin.start + k].sum(axis=1, dtype=np.int64) for k in range(size)
            ]
        return np.stack(found, axis=1)

    @cached_property
    def diagnostics(self) -> Diagnostics:  # type: ignore[override]
        """Say that all data sets were summed over, so that no chain has to be judged."""
        cost = float(sum(one.tables.size for one in self._cliques))
        return Diagnostics.of_exact("summed over all data sets", cost, error=1e-9)

    @property
    def how(self) -> str:
        """Say that nothing was sampled."""
        return "all tables together, summed over all data sets"


def _log_sum(logs: Floats) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).sum()))


def _log_sums(keys: Integers, logs: Floats) -> tuple[Integers, Floats]:
    """Return the different keys, and the log of the sum over each."""
    different, which = np.unique(keys, return_inverse=True)
    top = np.full(different.size, -np.inf)
    np.maximum.at(top, which, logs)
    sums = np.bincount(which, np.exp(logs - top[which]), different.size)
    return different, top + np.log(sums)
