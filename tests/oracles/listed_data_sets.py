"""All data sets of few records, one by one: what a release says of the tables of a small network.

Every multiset of records over all combinations of levels is listed. Its prior probability is that of its
sequences, each record's node given its parents, by the urn that has the prior's weights and one more
ball for each record before (no Gamma function is used); times the number of its sequences.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, combinations_with_replacement, product
from typing import Any

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


def learned_entries(
    parents: Mapping[str, Sequence[str]],
    numbers: Sequence[int],
    log_likelihood: Callable[[Integers], float],
    alone: float,
) -> Floats:
    """Return the expected entries of nodes of two levels by learned priors, behind each other.

    All data sets are listed, and priors summed by quadrature: the chance of a row given κ and b is a
    polynomial in b, for which Gauss's points are exact. With the chance `alone` a row is by itself, with 1/2
    for each level.
    """
    b, of_b = np.polynomial.legendre.leggauss(24)
    z, of_z = np.polynomial.hermite_e.hermegauss(60)
    b, of_b, of_z = (b + 1) / 2, of_b / 2, of_z / of_z.sum()
    kappa = 2 * np.exp(0.7 + z)[:, np.newaxis]
    weights = of_z[:, np.newaxis] * of_b
    shared, own = (kappa * b, kappa * (1 - b)), (0.5, 0.5)

    def urn(row: Record, alpha: tuple[Any, Any]) -> list[Any]:
        """Return the chance of a row's sequence, and that times the chances of what is drawn next."""
        chance, whole = 1.0, alpha[0] + alpha[1]
        for place, k in [(place, k) for place, count in enumerate(row) for k in range(count)]:
            chance = chance * (alpha[place] + k) / (whole + k + (row[0] if place else 0))
        return [chance, *(chance * (alpha[place] + row[place]) / (whole + sum(row)) for place in (0, 1))]

    @cache
    def table(rows: tuple[Record, ...]) -> tuple[float, Floats]:
        """Return the chance of a table, and the chances of what each row draws next."""
        each = [
            [
                (1 - alone) * one + alone * other
                for one, other in zip(urn(row, shared), urn(row, own), strict=True)
            ]
            for row in rows
        ]
        whole = math.prod((one[0] for one in each), start=weights)
        after = [(whole * one / first).sum() for first, *others in each for one in others]
        return float(whole.sum()), np.array(after) / whole.sum()

    nodes = list(parents)
    total, sums = 0.0, np.zeros(sum(2 ** (len(above) + 1) for above in parents.values()))
    for records in listed([2] * len(nodes), numbers):
        chance = float(math.factorial(len(records)))
        for record in set(records):
            chance /= math.factorial(records.count(record))
        counts, entries = list[int](), list[Floats]()
        for node in nodes:
            family = [nodes.index(one) for one in (*parents[node], node)]
            cells = [tuple(record[place] for place in family) for record in records]
            flat = [cells.count(cell) for cell in product((0, 1), repeat=len(family))]
            of_table, after = table(tuple(zip(flat[::2], flat[1::2], strict=True)))
            chance *= of_table
            counts += flat
            entries.append(after)
        chance *= math.exp(log_likelihood(np.array(counts)))
        total += chance
        sums += chance * np.concatenate(entries)
    return sums / total


def by_arrays(
    parents: Mapping[str, Sequence[str]],
    levels: Mapping[str, int],
    prior: Mapping[str, Floats],
    numbers: Sequence[int],
    log_likelihoods: Callable[[Integers], Floats],
) -> DataSets:
    """Sum over the same data sets, a million of them at once; the likelihood is asked of all tables together.

    Urns are the same: balls drawn one after the other, as sums of logarithms.
    """
    nodes = list(parents)
    every = np.array(list(product(*(range(levels[node]) for node in nodes))))
    sets = np.concatenate([_multisets(len(every), number) for number in numbers])
    many = sets.sum(axis=1, dtype=np.int64)
    factorials = np.cumsum(np.log(np.maximum(np.arange(max(numbers) + 1), 1)))
    logs = factorials[many] - factorials[sets].sum(axis=1)
    tables, means = [], {}
    for node in nodes:
        row, shape = np.zeros(len(every), dtype=np.int64), [levels[one] for one in parents[node]]
        for one in parents[node]:
            row = row * levels[one] + every[:, nodes.index(one)]
        own = np.zeros((len(sets), math.prod(shape), levels[node]), dtype=np.int64)
        for place, (where, level) in enumerate(zip(row, every[:, nodes.index(node)], strict=True)):
            own[:, where, level] += sets[:, place]
        logs += _drawn(own, prior[node]).sum(axis=(1, 2))
        logs -= _drawn(own.sum(axis=2), prior[node].sum(axis=1)).sum(axis=1)
        urn = own + prior[node]
        means[node] = urn / urn.sum(axis=2, keepdims=True)
        tables.append(own.reshape(len(sets), -1))
    logs += log_likelihoods(np.concatenate(tables, axis=1))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    return DataSets(
        {node: np.tensordot(weights, means[node], axes=1) for node in nodes},
        {node: weights @ own for node, own in zip(nodes, tables, strict=True)},
        {node: weights @ own**2 for node, own in zip(nodes, tables, strict=True)},
        np.asarray(np.bincount(many, weights), dtype=np.float64),
    )


def _multisets(cells: int, number: int) -> NDArray[np.int8]:
    """List how often each cell occurs in each multiset."""
    many = math.comb(cells + number - 1, number)
    flat = chain.from_iterable(combinations_with_replacement(range(cells), number))
    places = np.fromiter(flat, dtype=np.int64, count=many * number).reshape(many, number)
    found = np.zeros((many, cells), dtype=np.int8)
    for one in places.T:
        found[np.arange(many), one] += 1
    return found


def _drawn(counts: Integers, weights: Floats) -> Floats:
    """Return log a (a+1) ... (a+c-1), each weight a and count c."""
    balls = np.arange(int(counts.max(initial=0)))[:, np.newaxis] + weights.ravel()
    sums = np.concatenate([np.zeros((1, weights.size)), np.cumsum(np.log(balls), axis=0)])
    return sums[counts.reshape(len(counts), -1), np.arange(weights.size)].reshape(counts.shape)
