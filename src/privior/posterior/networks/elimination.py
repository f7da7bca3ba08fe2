"""Elimination: sums over all columns that a question does not name, for many networks at once.

A network's law is the product of its tables. Nodes that are neither named nor above a named one sum to 1 and
are left out. What is left is contracted table by table, in an order that opt_einsum finds; no product over
all columns is ever made. Conditions cut the levels of a column before anything is multiplied.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError
from privior.models import Network
from privior.schema import Schema

#: numbers of the largest table in between, for one network, and for all that are worked on at once
_MOST_BETWEEN, _MOST_AT_ONCE = 5_000_000, 20_000_000


@dataclass(frozen=True)
class Elimination:
    """A network whose tables are given, one after the other, as rows of parameters.

    Attributes:
        model: the network
        schema: the public facts of its columns
    """

    model: Network
    schema: Schema

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The numbers of levels of each node's parents, and its own."""
        return {node: self.model.shape(node, self.schema) for node in self.model.columns}

    @cached_property
    def places(self) -> dict[str, slice]:
        """Where the table of each node stands among the parameters."""
        ends = np.cumsum([0, *(math.prod(shape) for shape in self.shapes.values())]).tolist()
        return {node: slice(*ends[place : place + 2]) for place, node in enumerate(self.shapes)}

    @property
    def width(self) -> int:
        """How many parameters there are."""
        return sum(math.prod(shape) for shape in self.shapes.values())

    def table(self, theta: Floats, node: str) -> Floats:
        """Return the tables of a node: an axis for the draws, one for each parent, and the node's last."""
        return theta[:, self.places[node]].reshape(len(theta), *self.shapes[node])

    def joint(self, theta: Floats, kept: Sequence[str], where: Mapping[str, Sequence[int]]) -> Floats:
        """Return the chances of all combinations of levels of some columns, together with some conditions.

        Args:
            theta: parameters, one network a row
            kept: the columns, one axis each after that of the networks
            where: the codes that a column may have; a kept column has these alone
        """
        from opt_einsum import contract_expression, contract_path, get_symbol

        nodes = self.model.above([*kept, *where])
        if not nodes:
            return np.ones(len(theta))
        sign = {node: get_symbol(place) for place, node in enumerate(nodes, start=1)}
        batch = get_symbol(0)
        names = [(*self.model.parents[node], node) for node in nodes]
        terms = ",".join(batch + "".join(sign[name] for name in some) for some in names)
        formula = f"{terms}->{batch}{''.join(sign[name] for name in kept)}"

        def cut(part: Floats) -> list[Floats]:
            tables = []
            for node, some in zip(nodes, names, strict=True):
                table = self.table(part, node)
                for axis, name in enumerate(some, start=1):
                    if name in where:
                        table = table.take(np.asarray(where[name]), axis=axis)
                tables.append(table)
            return tables

        shapes = [table.shape for table in cut(theta[:1])]
        _, found = contract_path(formula, *shapes, shapes=True, optimize="auto")
        between = max(int(found.largest_intermediate), 1)
        if between > _MOST_BETWEEN:
            raise InferenceError(
                "this question ties too many columns together to be answered exactly",
                asked=f"a table of {between} cells in between",
                allowed=_MOST_BETWEEN,
                advice="Ask about fewer columns, or draw records: posterior.sample(n).",
            )
        at_once = max(1, min(len(theta), _MOST_AT_ONCE // between))
        expression = contract_expression(
            formula, *((at_once, *shape[1:]) for shape in shapes), optimize="auto"
        )
        parts = [expression(*cut(theta[start : start + at_once])) for start in range(0, len(theta), at_once)]
        return np.concatenate(parts)
