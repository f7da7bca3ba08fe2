"""Parities of binary columns: which of them tables of counts are made of, and how many one record can turn.

A set g of columns has a parity: that of the number of ones which a record has in them. With s_g the number of
records of even parity minus that of odd ones, a table t of k columns and its 2^k sums s_g, g among its
columns, are the same numbers (the Walsh-Hadamard transform):

    s_g = sum over cells x of (-1)^|g & x| t(x),        t(x) = 2^-k sum over g of (-1)^|g & x| s_g.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from privior.arrays import Floats, Integers

#: columns of a clique of the graph, at most: larger ones need too much memory
WIDEST_CLIQUE = 20

#: the numbers of some columns, rising
Subset = tuple[int, ...]
Array = TypeVar("Array", Integers, Floats)


def subsets(families: Sequence[Sequence[int]]) -> tuple[Subset, ...]:
    """Return every subset of every family once, smaller ones first; the first one is empty."""
    found: set[Subset] = {()}
    for family in families:
        for size in range(1, len(family) + 1):
            found.update(combinations(sorted(family), size))
    return tuple(sorted(found, key=lambda one: (len(one), one)))


def listed(family: Sequence[int]) -> list[Subset]:
    """Return the subsets of a family in the order of `transformed`."""
    found: list[Subset] = [()]
    for column in reversed(family):
        found += [tuple(sorted((column, *one))) for one in found]
    return found


def transformed(table: Array) -> Array:
    """Return the sums s_g of a table of binary columns, listed row by row; of sums 2^k times the table.

    Cells and subsets are listed alike, along the last axis: the last column varies fastest, and 1 stands for
    a column in the set.
    """
    found, half = table, table.shape[-1] // 2
    while half:
        pairs = found.reshape(*table.shape[:-1], -1, 2, half)
        even, odd = pairs[..., 0, :] + pairs[..., 1, :], pairs[..., 0, :] - pairs[..., 1, :]
        found = np.stack([even, odd], axis=-2).reshape(table.shape)
        half //= 2
    return found


def once_each(families: Sequence[Sequence[int]]) -> Iterator[tuple[Subset, list[Subset], Integers]]:
    """Yield the columns of each family, its subsets, and 1 for those that no family before it has, else 0."""
    counted: set[Subset] = set()
    for family in families:
        columns = tuple(sorted(family))
        own = listed(columns)
        yield columns, own, np.array([one not in counted for one in own], dtype=np.int64)
        counted.update(own)


def most_turned(families: Sequence[Sequence[int]]) -> int | None:
    """Return M, the largest number of parities that differ between two records; None for a too dense graph.

    M = max over z of the number of subsets g with |g & z| odd, z the columns in which the records differ. It
    is a sum over families of a function of z there, each g counted in one of them.
    """
    scores = [(columns, (new.sum() - transformed(new)) // 2) for columns, _, new in once_each(families)]
    found = largest_sum(scores)
    return None if found is None else int(found)


def largest_sum(terms: Sequence[tuple[Subset, Array]]) -> Array | None:
    """Return the largest sum of functions of few binary columns each; None for a too dense graph.

    One column after the other is maximised out, one with few neighbours first (max-sum over a junction tree).

    Args:
        terms: rising columns, and the function's values along the last axis, which the other axes repeat
    """
    factors = dict(enumerate(terms))
    inside: dict[int, set[int]] = {column: set() for columns, _ in terms for column in columns}
    beside: dict[int, set[int]] = {column: set() for column in inside}
    for number, (columns, _) in factors.items():
        for column in columns:
            inside[column].add(number)
            beside[column].update(set(columns) - {column})
    queue = [(len(near), column) for column, near in beside.items()]
    heapq.heapify(queue)
    total = np.zeros_like(terms[0][1][..., 0])
    while queue:
        many, column = heapq.heappop(queue)
        if column not in beside or many != len(beside[column]):
            continue  # has been maximised out, or has other neighbours by now
        if many >= WIDEST_CLIQUE:
            return None
        near, used = beside.pop(column), inside.pop(column)
        left = tuple(sorted(near))
        best = _best(column, left, [factors.pop(one) for one in sorted(used)])
        number += 1
        for other in left:
            inside[other] -= used
            inside[other].add(number)
            beside[other] |= near
            beside[other] -= {other, column}
            heapq.heappush(queue, (len(beside[other]), other))
        if left:
            factors[number] = left, best
        else:
            total = total + best[..., 0]
    return total


def _best(column: int, left: Subset, parts: list[tuple[Subset, Array]]) -> Array:
    """Add up functions, and take the larger one of the values that differ in a column."""
    lead: tuple[int, ...] = parts[0][1].shape[:-1]
    found = np.zeros((*lead, 2, *(2,) * len(left)), dtype=parts[0][1].dtype)
    for columns, values in parts:
        apart = values.reshape(*lead, *(2,) * len(columns))
        first = np.moveaxis(apart, len(lead) + columns.index(column), len(lead))
        found += first.reshape(*lead, 2, *(2 if one in columns else 1 for one in left))
    best: Array = found.max(axis=len(lead)).reshape(*lead, -1)
    return best
