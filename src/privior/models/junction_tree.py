"""The junction tree of a network: few tables of columns from which all others follow, and how large they are.

Parents of one node are joined (the moral graph), columns are eliminated one after the other, the one whose
table is smallest first, and each is a clique with the neighbours that it then has. Cliques within others are
left out. The cliques form a tree in which those that hold a column hang together; what two neighbours share
is their separator. Counts of all cliques describe one data set if neighbours agree on their separators, and
every node stands with its parents in one clique.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from privior.models.network import Network
from privior.schema import Schema

#: cells of all cliques together, and of one, up to which the tables of a network are inferred together
MOST_TOGETHER, LARGEST_CLIQUE = 20_000, 5_000
#: bytes of a count or chance, states that inference keeps, and megabytes of the loops that visit them
_BYTES, _STATES, _LOOPS = 8, 2000, 120


@dataclass(frozen=True)
class JunctionTree:
    """Cliques of columns, each after the one that it hangs on.

    Attributes:
        size_of: how many levels each column has, in the order of the model
        cliques: the columns of each, in the order of the model
        above: the clique that each hangs on; -1 for the first
        homes: for each node the clique that holds it and its parents, the smallest such
    """

    size_of: Mapping[str, int]
    cliques: tuple[tuple[str, ...], ...]
    above: tuple[int, ...]
    homes: Mapping[str, int]

    @staticmethod
    def of(model: Network, schema: Schema) -> JunctionTree:
        """Return the tree of a network."""
        sizes = tuple((node, schema.column(node).size) for node in model.columns)
        return _tree(model.columns, model.arcs, sizes)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of cells of each clique."""
        return tuple(math.prod(self.size_of[name] for name in clique) for clique in self.cliques)

    @property
    def cells(self) -> int:
        """The number of cells of all cliques."""
        return sum(self.sizes)

    @property
    def width(self) -> int:
        """The tree-width that was found: columns of the largest clique, less one."""
        return max(map(len, self.cliques)) - 1

    @property
    def together(self) -> bool:
        """Whether the tables are inferred together; if not, each is inferred by itself."""
        return self.cells <= MOST_TOGETHER and max(self.sizes) <= LARGEST_CLIQUE

    def separator(self, clique: int) -> tuple[str, ...]:
        """Return the columns that a clique shares with the one that it hangs on."""
        above = self.above[clique]
        return () if above < 0 else tuple(one for one in self.cliques[clique] if one in self.cliques[above])

    @property
    def megabytes(self) -> float:
        """About how much memory inferring them together takes beside the program."""
        tables = sum(self.sizes[home] for home in self.homes.values())
        return _LOOPS + 3 * _BYTES * _STATES * tables / 1e6


@lru_cache(maxsize=64)
def _tree(
    nodes: tuple[str, ...], arcs: tuple[tuple[str, ...], ...], sizes: tuple[tuple[str, int], ...]
) -> JunctionTree:
    size, place = dict(sizes), {node: number for number, node in enumerate(nodes)}
    found = _eliminated(nodes, arcs, size)
    turn = {node: number for number, node in enumerate(found)}
    after = {node: min(near, key=turn.__getitem__) for node, near in found.items() if near}
    content = {node: {node, *near} for node, near in found.items()}
    merged: dict[str, str] = {}
    for node, under in after.items():
        # Where the clique that one hangs on is within it, it takes that one's place.
        if len(found[node]) == len(found[under]) + 1 == len(content[under]):
            content[under], merged[node] = content[node], under
    order = [node for node in reversed(found) if node not in merged]
    number = {node: one for one, node in enumerate(order)}
    above: list[int] = []
    for node in order:
        under = after.get(node, order[0])
        while under in merged:
            under = merged[under]
        above.append(number[under] if above else -1)
    cliques = tuple(tuple(sorted(content[node], key=place.__getitem__)) for node in order)
    return JunctionTree(size, cliques, tuple(above), _homes(nodes, arcs, cliques, size))


def _homes(
    nodes: tuple[str, ...],
    arcs: tuple[tuple[str, ...], ...],
    cliques: tuple[tuple[str, ...], ...],
    size: Mapping[str, int],
) -> dict[str, int]:
    """Return for each node the smallest clique that holds it and its parents."""
    cells = [math.prod(size[name] for name in clique) for clique in cliques]
    holding: dict[str, set[int]] = {node: set() for node in nodes}
    for number, clique in enumerate(cliques):
        for name in clique:
            holding[name].add(number)
    return {
        node: min(holding[node].intersection(*(holding[one] for one in above)), key=lambda k: (cells[k], k))
        for node, above in zip(nodes, arcs, strict=True)
    }


def _eliminated(
    nodes: tuple[str, ...], arcs: tuple[tuple[str, ...], ...], size: Mapping[str, int]
) -> dict[str, set[str]]:
    """Return the columns in the order of their elimination, each with the neighbours that it then has."""
    beside: dict[str, set[str]] = {node: set() for node in nodes}
    for node, above in zip(nodes, arcs, strict=True):
        family = {node, *above}
        for one in family:
            beside[one] |= family - {one}
    cells = {node: size[node] * math.prod(size[one] for one in near) for node, near in beside.items()}
    turn = {node: number for number, node in enumerate(nodes)}
    queue = [(cells[node], turn[node], node) for node in nodes]
    heapq.heapify(queue)
    found: dict[str, set[str]] = {}
    while queue:
        many, _, node = heapq.heappop(queue)
        if node in found or many != cells[node]:
            continue  # was eliminated, or has other neighbours by now
        near = found[node] = beside.pop(node)
        for one in near:
            new = near - beside[one] - {one}
            beside[one] |= new
            beside[one].discard(node)
            cells[one] = cells[one] // size[node] * math.prod(size[other] for other in new)
            heapq.heappush(queue, (cells[one], turn[one], one))
    return found
