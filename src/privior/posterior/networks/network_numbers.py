"""What the tables of a network say about records: chances of events, means, quantiles, records."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.posterior.averages import numbers_of, places_of
from privior.posterior.events import Event, Events, quoted
from privior.posterior.networks.elimination import Elimination
from privior.posterior.numbers import Named, Numbers, quantile_name, quantile_of

#: combinations of levels of the columns that a question names one by one
MOST_LISTED = 100_000

#: the codes that each of some columns may have
LevelCodes = dict[str, list[int]]


@dataclass(frozen=True)
class NetworkNumbers(Numbers):
    """Numbers that follow from the tables of a network, all of them one after the other in a row."""

    @cached_property
    def elimination(self) -> Elimination:
        """The sums over columns that a question does not name."""
        return Elimination(self.model, self.schema)

    @property
    def width(self) -> int:
        """The number of entries of all tables."""
        return self.elimination.width

    @property
    def parameter_ends(self) -> tuple[float, float]:
        """Entries are chances."""
        return 0.0, 1.0

    def probability(self, event: Event | object, given: Event | object | None = None) -> Named:
        """Return the probability of an event, nan where what is given has no chance."""
        name = f"P({self.events.name(event)}{self._bar(given)})"
        wanted = self.events.codes(event)
        among = [LevelCodes()] if given is None else self.events.codes(given)
        if len(wanted) > 1 or len(among) > 1:
            return name, self._by_listing(event, given)
        both = _both(wanted[0], among[0])

        def found(theta: Floats) -> Floats:
            joint = np.zeros(len(theta)) if both is None else self.elimination.joint(theta, (), both)
            return joint if given is None else _ratio(joint, self.elimination.joint(theta, (), among[0]))

        return name, found

    def _by_listing(self, event: Event | object, given: Event | object | None) -> Callable[[Floats], Floats]:
        """Return the probability where events are joined by "or": by all combinations of what they name."""
        columns = tuple(self.events.columns_of(event))
        wanted, chances = Events(self.schema, columns).cells(event), self.chances(columns, given)
        return lambda theta: np.asarray(chances(theta).reshape(len(theta), -1)[:, wanted].sum(axis=1))

    def chances(self, columns: Sequence[str], given: Event | object | None) -> Callable[[Floats], Floats]:
        """Return the chances of all combinations of levels of some columns, given an event."""
        among = [LevelCodes()] if given is None else self.events.codes(given)
        beside = () if len(among) == 1 else tuple(set(self.events.columns_of(given)) - set(columns))
        every = (*columns, *beside)
        self.check_listed(every)
        shape = tuple(self.schema.column(name).size for name in every)
        inside = np.zeros(shape, dtype=bool)
        for codes in among:
            inside[
                np.ix_(*(codes.get(name, range(size)) for name, size in zip(every, shape, strict=True)))
            ] = True
        left_out = tuple(range(1 + len(columns), 1 + len(every)))
        rest = {name: codes for name, codes in among[0].items() if name not in every} if not beside else {}

        def found(theta: Floats) -> Floats:
            joint = np.where(inside, self.elimination.joint(theta, every, rest), 0.0).sum(axis=left_out)
            whole = joint.reshape(len(theta), -1).sum(axis=1)
            return _ratio(joint, whole.reshape(-1, *(1,) * len(columns)))

        return found

    def check_listed(self, columns: Sequence[str]) -> None:
        """Refuse to list more combinations of levels than fit into memory."""
        cells = self.schema.cells(tuple(columns))
        if cells > MOST_LISTED:
            raise InferenceError(
                "these columns have too many combinations of levels to be listed",
                asked=cells,
                allowed=MOST_LISTED,
                advice="Ask about fewer columns.",
            )

    def average(self, column: str, given: Event | object | None = None) -> Named:
        """Return the mean of a column of numbers, nan where what is given has no chance."""
        self.events.place(column)
        values, chances = numbers_of(column, self.schema.column(column)), self.chances((column,), given)
        name = f"mean({quoted(column)}{self._bar(given)})"
        return name, lambda theta: np.asarray(chances(theta) @ values)

    def quantile(self, column: str, share: float, given: Event | object | None = None) -> Named:
        """Return a quantile of an ordered column, nan where what is given has no chance."""
        self.events.place(column)
        values, chances = (
            places_of(column, self.schema.column(column)),
            self.chances((column,), given),
        )
        name = quantile_name(column, share, self._bar(given))
        return name, lambda theta: quantile_of(chances(theta), values, share)

    def at_most(self, column: str, code: int) -> Callable[[Floats], Floats]:
        """Return the probability that a record's value in a column has this code, or a lower one."""
        chances = self.chances((column,), None)
        return lambda theta: np.asarray(chances(theta)[:, : code + 1].sum(axis=1))

    def records(self, theta: Floats, number: int, rng: np.random.Generator) -> dict[str, list[object]]:
        """Draw records node by node, parents first."""
        codes: dict[str, Integers] = {}
        for node in self.model.order:
            table = self.elimination.table(theta[np.newaxis], node)[0]
            above = tuple(codes[name] for name in self.model.parents[node])
            rows = np.cumsum(table, axis=-1)[above] if above else np.cumsum(table)[np.newaxis]
            below = rng.random((number, 1)) * rows[:, -1:] >= rows
            codes[node] = np.minimum(below.sum(axis=1), table.shape[-1] - 1)
        values = {node: self.schema.column(node).values for node in self.model.columns}
        return {node: [values[node][code] for code in codes[node]] for node in self.model.columns}

    def variables(self, theta: Floats) -> dict[str, Any]:
        """Return the tables, one variable for each node, with the levels of their columns."""
        columns = self.model.columns
        return {
            "posterior": {
                f"table_{node}": self.elimination.table(theta, node)[np.newaxis] for node in columns
            },
            "coords": {name: list(self.schema.column(name).labels) for name in columns},
            "dims": {f"table_{node}": [*self.model.parents[node], node] for node in columns},
        }

    def entries(self, node: str) -> list[tuple[str, ...]]:
        """Return the levels of each entry of a node's table: those of its parents, then its own."""
        names = (*self.model.parents[node], node)
        return list(product(*(self.schema.column(name).labels for name in names)))

    def entry_name(self, node: str, levels: Sequence[str]) -> str:
        """Write an entry of a node's table as a question."""
        names = (*self.model.parents[node], node)
        *above, own = (f"{quoted(name)}={quoted(one)}" for name, one in zip(names, levels, strict=True))
        return f"P({own} | {', '.join(above)})" if above else f"P({own})"

    def _bar(self, given: Event | object | None) -> str:
        return "" if given is None else f" | {self.events.name(given)}"


def _both(one: Mapping[str, list[int]], other: Mapping[str, list[int]]) -> LevelCodes | None:
    """Return the codes that two events leave together; None if they exclude each other."""
    found = {**one, **other}
    for name in set(one) & set(other):
        found[name] = [code for code in one[name] if code in other[name]]
    return found if all(found.values()) else None


def _ratio(part: Floats, whole: Floats) -> Floats:
    """Return the share of a part, nan where there is nothing."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(whole > 0, part / whole, np.nan))
