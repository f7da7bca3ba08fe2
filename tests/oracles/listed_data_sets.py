"""All data sets of few records, one by one: what a release says of the tables of a small network.

Every multiset of records over all combinations of levels is listed. Its prior probability is that of its
sequences, each record's node given its parents, by the urn that has the prior's weights and one more
ball for each record before (no Gamma function is used); times the number of its sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Record = tuple[int, ...]


@dataclass(frozen=True)
class DataSets:
    """What follows from a release by listing data sets.

    Attributes:
        tables: the expected entries of each node's table, row by row
        counts: the expected counts of each node's table
        squares: of the counts
        records: the chances of 0, 1, ... records
    """

    tables: dict[str, Floats]
    counts: dict[str, Floats]
    squares: dict[str, Floats]
    records: Floats


def listed(levels: Sequence[int], numbers: Sequence[int]) -> Iterator[tuple[Record, ...]]:
    """List all multisets of these numbers of records."""
    every = list(product(*(range(size) for size in levels)))
    for number in numbers:
        yield from combinations_with_replacement(every, number)


def by_listing(
    parents: Mapping[str, Sequence[str]],
    levels: Mapping[str, int],
    prior: Mapping[str, Floats],
    numbers: Sequence[int],
    log_likelihood: Callable[[Integers], float],
) -> DataSets:
    """Sum over all data sets.

    Args:
        parents: of each node, in the order of the tables
        levels: how many each node has
        prior: of each node's table, row by row, as (rows, levels)
        numbers: of records that there may be, all alike beforehand
        log_likelihood: of the release for the counts of all tables, behind each other
    """
    nodes = list(parents)
    families = {node: (*(nodes.index(one) for one in parents[node]), nodes.index(node)) for node in nodes}
    shapes = {node: (math.prod(levels[one] for one in parents[node]), levels[node]) for node in nodes}
    logs, rows = [], []
    for records in listed([levels[node] for node in nodes], numbers):
        tables = {node: np.zeros(shapes[node], dtype=np.int64) for node in nodes}
        chance = float(math.factorial(len(records)))
        for record in set(records):
            chance /= math.factorial(records.count(record))
        for record in records:
            for node in nodes:
                *above, own = families[node]
                row = 0
                for place in above:
                    row = row * levels[nodes[place]] + record[place]
                table, weights = tables[node][row], prior[node][row]
                chance *= (table[record[own]] + weights[record[own]]) / (table.sum() + weights.sum())
                table[record[own]] += 1
        counts = np.concatenate([tables[node].ravel() for node in nodes])
        logs.append(math.log(chance) + log_likelihood(counts))
        rows.append((len(records), counts))
    weights = np.exp(np.array(logs) - max(logs))
    weights /= weights.sum()
    many = np.array([one for one, _ in rows])
    every = np.array([counts for _, counts in rows], dtype=np.float64)
    ends = np.cumsum([0, *(math.prod(shapes[node]) for node in nodes)])
    found: dict[str, list[Floats]] = {"tables": [], "counts": [], "squares": []}
    for place, node in enumerate(nodes):
        part = every[:, ends[place] : ends[place + 1]]
        urn = part.reshape(-1, *shapes[node]) + prior[node]
        found["tables"].append(np.tensordot(weights, urn / urn.sum(axis=2, keepdims=True), axes=1))
        found["counts"].append(weights @ part)
        found["squares"].append(weights @ part**2)
    named = {name: dict(zip(nodes, some, strict=True)) for name, some in found.items()}
    return DataSets(**named, records=np.asarray(np.bincount(many, weights), dtype=np.float64))
