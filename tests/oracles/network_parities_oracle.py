"""Noise on the parities of a binary network: parities counted record by record, all neighbours compared.

Two neighbours differ by how many published numbers move, each by one; outcomes with the same loss are put
together as in `network_tables_oracle`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

from network_tables_oracle import GRAPHS, two_laws
from two_laws import Case, Worst

import privior as pv

Record = tuple[int, ...]


def sets_of(graph: dict[str, list[str]]) -> list[frozenset[str]]:
    """Return every set of nodes that stand in one table together, once each."""
    found = {frozenset[str]()}
    for node, above in graph.items():
        for size in range(1, len(above) + 2):
            found |= {frozenset(some) for some in itertools.combinations([*above, node], size)}
    return list(found)


def numbers(graph: dict[str, list[str]], records: Sequence[Record], replaced: bool) -> dict[Any, int]:
    """Count records of odd parity; if their number is private, even ones minus odd ones."""
    found = {}
    for some in sets_of(graph):
        ones = [sum(dict(zip(graph, record, strict=True))[name] for name in some) for record in records]
        odd = sum(one % 2 for one in ones)
        found[some] = odd if replaced else len(records) - 2 * odd
    if replaced:
        del found[frozenset()]  # nobody has an odd number of ones among no columns
    return found


def data_sets(graph: dict[str, list[str]], most: int) -> list[tuple[Record, ...]]:
    """Return all data sets of up to so many records, in no order."""
    every = list(itertools.product((0, 1), repeat=len(graph)))
    return [
        some
        for records in range(most + 1)
        for some in itertools.combinations_with_replacement(every, records)
    ]


def neighbours(
    graph: dict[str, list[str]], most: int, replaced: bool
) -> Iterator[tuple[tuple[Record, ...], tuple[Record, ...]]]:
    """Yield all pairs that differ in one record, in both orders."""
    every = list(itertools.product((0, 1), repeat=len(graph)))
    for shared in data_sets(graph, most - 1):
        whole = [tuple(sorted((*shared, one))) for one in every]
        if replaced:
            yield from itertools.permutations(whole, 2)
        else:
            yield from (pair for one in whole for pair in ((shared, one), (one, shared)))


def tables(graph: dict[str, list[str]], records: Sequence[Record]) -> list[int]:
    """Count the cells of all tables: the parents, then the node, which varies fastest."""
    found = []
    for node, above in graph.items():
        names = [*above, node]
        kept = [tuple(dict(zip(graph, one, strict=True))[name] for name in names) for one in records]
        found += [kept.count(cell) for cell in itertools.product((0, 1), repeat=len(names))]
    return found


def binary(graph: dict[str, list[str]]) -> tuple[Any, Any]:
    """Return the model and the schema."""
    schema = pv.Schema({name: pv.Boolean() for name in graph}, population="few", unit="person")
    return pv.BayesianNetwork(graph, prior=1), schema


def mechanisms(graph: dict[str, list[str]]) -> Iterator[tuple[str, Any]]:
    """Yield each noise under each relation, so small that outcomes can be summed."""
    for relation in (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE):
        yield f"laplace, {relation}", pv.FourierTables(*binary(graph), "1.5", neighbours=relation)
        yield f"gaussian, {relation}", pv.FourierTables(*binary(graph), 4, "0.01", neighbours=relation)


def moved(graph: dict[str, list[str]], most: int, replaced: bool) -> set[int]:
    """Return how many numbers move between neighbours; each moves by one."""
    found = set()
    for before, after in neighbours(graph, most, replaced):
        first, second = numbers(graph, before, replaced), numbers(graph, after, replaced)
        assert all(abs(first[some] - second[some]) <= 1 for some in first)
        found.add(sum(first[some] != second[some] for some in first))
    return found


def cases() -> list[Case]:
    """Two nodes; what is composed on a grid is a little above the truth."""
    graph = GRAPHS["pair"]

    def worst(mechanism: Any) -> Worst:
        every = moved(graph, 2, mechanism.neighbours is pv.REPLACE_ONE)
        gaussian = bool(mechanism.delta)
        return Worst([two_laws(((many, 0),), (mechanism.scale,), gaussian) for many in every if many])

    return [
        Case(
            f"parities of a network, {name}",
            lambda mechanism=mechanism: mechanism.guarantee.worst,  # type: ignore[misc]
            lambda mechanism=mechanism: worst(mechanism),  # type: ignore[misc]
            above=0.02,
        )
        for name, mechanism in mechanisms(graph)
    ]
