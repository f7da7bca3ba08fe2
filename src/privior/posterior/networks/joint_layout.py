"""How the counts of one data set lie in memory: all tables that follow from the cliques of a junction tree.

Every table that matters is a margin of one clique: the clique itself, its separator, the tables of nodes and
of their parents' levels, and sums of parities. All cells of all margins stand behind each other in one array;
for each clique and margin a map says which cell of the margin a cell of the clique belongs to. What the
target says of a margin is one of these:

    clique       -log Γ(c + 1)         separator    +log Γ(c + 1)
    node's table +log Γ(c + a) + noise parents' levels -log Γ(c + A)     parity  noise alone

The empty separator of the first clique counts the records.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from privior.arrays import Integers
from privior.models import JunctionTree, Network
from privior.schema import Schema

#: what noise speaks of: nothing, each cell, or the first cell less the second
SILENT, CELLS, DIFFERENCE = range(3)


@dataclass(frozen=True, eq=False)
class Margin:
    """A table that follows from a clique.

    Attributes:
        clique: which one
        columns: of the table, the last one varying fastest
        start: the place of its first cell
        sign: of the log Gammas of its counts
        kind: what noise speaks of
        cells: for each cell of the clique the place of its cell
    """

    clique: int
    columns: tuple[str, ...]
    start: int
    sign: int
    kind: int
    cells: Integers


@dataclass(frozen=True, eq=False)
class Walk:
    """An order of cliques that hang together, each reached from one before it.

    Attributes:
        block: the columns that a move changes; none for a walk over a whole record
        steps: for each clique its number, the columns known when it is reached, and those to be drawn
    """

    block: tuple[str, ...]
    steps: tuple[tuple[int, tuple[str, ...], tuple[str, ...]], ...]


@dataclass(frozen=True, eq=False)
class JointLayout:
    """The margins of a network's junction tree, and the walks that moves take.

    Attributes:
        model: the network
        schema: the public facts of its columns
        tree: its junction tree
        parities: sets of binary columns whose parities are seen, and whether what is seen is the number of
            records of even parity less that of odd ones; else it is the number of odd ones
    """

    model: Network
    schema: Schema
    tree: JunctionTree
    parities: tuple[tuple[tuple[str, ...], bool], ...]

    @cached_property
    def margins(self) -> tuple[Margin, ...]:
        """All margins, clique by clique: the clique first, then its separator."""
        tree, model = self.tree, self.model
        wanted: list[list[tuple[tuple[str, ...], int, int]]] = [
            [(clique, -1, SILENT), (tree.separator(number), 1, SILENT)]
            for number, clique in enumerate(tree.cliques)
        ]
        for node in model.columns:
            above = model.parents[node]
            wanted[tree.homes[node]] += [((*above, node), 1, CELLS), (above, -1, SILENT)]
        for columns, signed in self.parities:
            holding = [k for k, clique in enumerate(tree.cliques) if set(columns) <= set(clique)]
            home = min(holding, key=lambda k: tree.sizes[k])
            wanted[home].append((columns, 0, DIFFERENCE if signed else CELLS))
        found, start = [], 0
        for number, some in enumerate(wanted):
            for columns, sign, kind in some:
                cells = self._odd(number, columns) if sign == 0 else self.cells(number, columns)
                found.append(Margin(number, columns, start, sign, kind, start + cells))
                start += 2 if sign == 0 else math.prod(tree.size_of[name] for name in columns)
        return tuple(found)

    def _codes(self, clique: int) -> dict[str, Integers]:
        """Return the codes of each column in all cells of a clique."""
        columns = self.tree.cliques[clique]
        shape = [self.tree.size_of[name] for name in columns]
        return dict(zip(columns, np.unravel_index(np.arange(math.prod(shape)), shape), strict=True))

    def cells(self, clique: int, columns: Sequence[str]) -> Integers:
        """Return for each cell of a clique its cell in the table of some of its columns."""
        codes, found = self._codes(clique), np.zeros(self.tree.sizes[clique], dtype=np.int64)
        for name in columns:
            found = found * self.tree.size_of[name] + codes[name]
        return found

    def _odd(self, clique: int, columns: Sequence[str]) -> Integers:
        codes = self._codes(clique)
        found = sum((codes[name] for name in columns), start=np.zeros(self.tree.sizes[clique], np.int64))
        return np.asarray(found % 2)

    @property
    def size(self) -> int:
        """The number of cells of all margins."""
        last = self.margins[-1]
        return last.start + (math.prod(self.tree.size_of[name] for name in last.columns) if last.sign else 2)

    def table(self, node: str) -> tuple[Margin, Margin]:
        """Return the margin of a node's table, and that of its parents' levels."""
        return self._tables[node]

    @cached_property
    def _tables(self) -> dict[str, tuple[Margin, Margin]]:
        found = {}
        for first, second in zip(self.margins, self.margins[1:], strict=False):
            if first.kind == CELLS and first.sign:
                found[first.columns[-1]] = first, second
        return found

    @cached_property
    def places(self) -> Integers:
        """The places of the cells of all tables, node by node as in a release."""
        return np.concatenate([self._range(self.table(node)[0]) for node in self.model.columns])

    @cached_property
    def row_places(self) -> Integers:
        """For each cell of all tables the place of the count of its row."""
        found = []
        for node in self.model.columns:
            _, rows = self.table(node)
            many = math.prod(self.tree.size_of[name] for name in rows.columns)
            found.append(np.repeat(rows.start + np.arange(many), self.tree.size_of[node]))
        return np.concatenate(found)

    def _range(self, margin: Margin) -> Integers:
        return margin.start + np.arange(math.prod(self.tree.size_of[name] for name in margin.columns))

    @cached_property
    def parity_margins(self) -> tuple[Margin, ...]:
        """The margins of the parities, in their order."""
        found = {(one.columns, one.kind == DIFFERENCE): one for one in self.margins if one.sign == 0}
        return tuple(found[columns, signed] for columns, signed in self.parities)

    # Walks

    @cached_property
    def near(self) -> tuple[tuple[int, ...], ...]:
        """The neighbours of each clique in the tree."""
        found: list[list[int]] = [[] for _ in self.tree.cliques]
        for clique, above in enumerate(self.tree.above):
            if above >= 0:
                found[clique].append(above)
                found[above].append(clique)
        return tuple(map(tuple, found))

    def walk(self, block: tuple[str, ...]) -> Walk:
        """Return the walk over all cliques that hold a column of the block; over all if there is none."""
        cliques = self.tree.cliques
        allowed = {k for k, clique in enumerate(cliques) if not block or set(block) & set(clique)}
        steps, known = [], set(block)
        left = [(self.tree.homes[block[-1]] if block else 0, -1)]
        while left:
            clique, before = left.pop()
            have = tuple(name for name in cliques[clique] if name in known and name not in block)
            new = tuple(name for name in cliques[clique] if name not in known)
            steps.append((clique, have, new))
            known.update(new)
            left += [(one, clique) for one in self.near[clique] if one != before and one in allowed]
        return Walk(block, tuple(steps))

    @cached_property
    def below(self) -> dict[str, tuple[str, ...]]:
        """All nodes below each node, parents first."""
        order = self.model.order
        found: dict[str, set[str]] = {node: set() for node in order}
        for node in reversed(order):
            for parent in self.model.parents[node]:
                found[parent] |= found[node] | {node}
        return {node: tuple(one for one in order if one in some) for node, some in found.items()}

    @cached_property
    def walks(self) -> tuple[Walk, ...]:
        """A walk over a whole record, for each column and each arc."""
        nodes, size = self.model.columns, self.tree.size_of
        arcs = [(parent, node) for node in nodes for parent in self.model.parents[node]]
        blocks = [one for one in [*((node,) for node in nodes), *arcs] if min(map(size.__getitem__, one)) > 1]
        return (self.walk(()), *map(self.walk, blocks))


@lru_cache(maxsize=16)
def joint_layout(
    model: Network, schema: Schema, parities: tuple[tuple[tuple[str, ...], bool], ...] = ()
) -> JointLayout:
    """Return the layout of a network, which all its releases share."""
    return JointLayout(model, schema, JunctionTree.of(model, schema), parities)
