"""All tables of each clique of a junction tree, listed: sums over data sets go over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain, combinations, combinations_with_replacement

import numpy as np

from privior.arrays import Integers
from privior.posterior.counts.evidence import Total
from privior.posterior.networks.joint_layout import JointLayout


@dataclass(frozen=True, eq=False)
class CliqueLists:
    """The tables of all cliques.

    Attributes:
        layout: of the network
        total: what is known of the number of records
    """

    layout: JointLayout
    total: Total

    @cached_property
    def tables(self) -> tuple[Integers, ...]:
        """All tables of each clique; one list for cliques of one size."""
        made = cache(listed)
        return tuple(made(size, self.total) for size in self.layout.tree.sizes)

    @cached_property
    def own(self) -> tuple[Integers, ...]:
        """A number for each table of each clique that tells what it has on the separator to the one above."""
        separators = (self.layout.tree.separator(clique) for clique in range(len(self.tables)))
        return tuple(self.key(clique, columns) for clique, columns in enumerate(separators))

    @cached_property
    def above(self) -> tuple[Integers, ...]:
        """For each clique the same number of each table of the clique above; nothing for the first."""
        tree = self.layout.tree
        pairs = enumerate(tree.above)
        none = np.zeros(0, dtype=np.int64)
        return tuple(none if up < 0 else self.key(up, tree.separator(clique)) for clique, up in pairs)

    def key(self, clique: int, columns: Sequence[str], tables: Integers | None = None) -> Integers:
        """Return a number for each table of a clique that tells its margin.

        Args:
            clique: which
            columns: of the margin
            tables: some of the clique's; all of them, if none are said
        """
        some = self.tables[clique] if tables is None else tables
        cells, found = self.layout.cells(clique, columns), np.zeros(len(some), dtype=np.int64)
        for place in range(int(cells.max()) + 1):
            found = found * (self.total.most + 1) + some[:, cells == place].sum(axis=1, dtype=np.int64)
        return found


def listed(cells: int, total: Total) -> Integers:
    """List all tables of so many cells, with the public number of records or any up to it."""
    numbers = [total.most] if total.known else list(range(total.most + 1))
    found = []
    for number in numbers:
        many = math.comb(number + cells - 1, cells - 1)
        if number < cells - 1:
            # Which cell each record is in
            where = chain.from_iterable(combinations_with_replacement(range(cells), number))
            places = np.fromiter(where, dtype=np.int16, count=many * number).reshape(many, number)
            tables = np.zeros((many, cells), dtype=np.int16)
            for one in range(number):
                tables[np.arange(many), places[:, one]] += 1
        else:
            # Where the bars between cells stand among the records
            bars = chain.from_iterable(combinations(range(number + cells - 1), cells - 1))
            edges = np.fromiter(bars, dtype=np.int32, count=many * (cells - 1)).reshape(many, cells - 1)
            ends = np.full((many, 1), number + cells - 1, dtype=np.int32)
            begin = np.full((many, 1), -1, dtype=np.int32)
            tables = (np.diff(np.concatenate([begin, edges, ends], axis=1), axis=1) - 1).astype(np.int16)
        found.append(tables)
    return np.concatenate(found)
