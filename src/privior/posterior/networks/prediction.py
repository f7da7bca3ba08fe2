"""Predictions: the chances of a column's levels for rows of which other columns are known.

    P(y | x)  =  average over draws theta from the posterior of  P(y | x, theta)

which is the chance of y for a record like x if theta is not known. (The average of P(y, x | theta),
normalised, is another thing and much worse: draws that fit x well would count more, row by row.) Given theta,
all tables that have neither y nor a column in between cancel. What is not known of a row is summed out, by
elimination; rows with the same known columns are worked on together, and equal rows once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privior.arrays import Floats, Integers
from privior.errors import InferenceError
from privior.posterior.networks.elimination import Elimination
from privior.posterior.own_rows import NOTHING

#: numbers that are worked on at once, few enough for a processor's own memory; cells of a table in between
_AT_ONCE, _MOST_BETWEEN = 60_000, 1_000_000
#: several tables are multiplied first for so many different rows
_MOST_COMBINED = 1000


@dataclass(frozen=True, eq=False)
class Predictor:
    """Chances of the levels of a target, for many rows and many networks at once.

    Attributes:
        elimination: the network and where its tables stand
        theta: draws of all tables, one network a row
        target: whose levels are predicted
    """

    elimination: Elimination
    theta: Floats
    target: str

    @property
    def known(self) -> tuple[str, ...]:
        """The columns by which it is predicted, in the model's order."""
        return tuple(name for name in self.elimination.model.columns if name != self.target)

    @cached_property
    def levels(self) -> int:
        """How many levels the target has."""
        return self.elimination.shapes[self.target][-1]

    @cached_property
    def _logs(self) -> dict[str, Floats]:
        """The logarithm of each table, with the draws along the last axis."""
        with np.errstate(divide="ignore"):
            logs = {
                node: np.log(self.elimination.table(self.theta, node)) for node in self.elimination.shapes
            }
        return {node: np.ascontiguousarray(np.moveaxis(one, 0, -1)) for node, one in logs.items()}

    def chances(self, codes: Integers) -> Iterator[tuple[Integers, Integers, Floats]]:
        """Yield places of rows, which of some different rows each of them is, and the chances of these.

        Chances are those of the target's levels, as (different rows, levels, draws); a draw in which such a
        row has no chance at all has nan. Every row is yielded once.

        Args:
            codes: of the known columns, one row each; -1 where nothing is known
        """
        if not len(codes):
            return
        there = codes != NOTHING
        patterns, which = _different(there.astype(np.int64))
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(patterns)))
        for pattern, rows in zip(patterns, np.split(order, ends[:-1]), strict=True):
            seen = [name for name, one in zip(self.known, pattern, strict=True) if one]
            yield from self._alike(codes, rows, seen)

    def _alike(
        self, codes: Integers, rows: Integers, seen: Sequence[str]
    ) -> Iterator[tuple[Integers, Integers, Floats]]:
        """Yield the chances of rows of which the same columns are known."""
        hidden, factors = self._around(seen)
        beside = [name for name in seen if any(name in self._names(node) for node in factors)]
        columns = [self.known.index(name) for name in beside]
        different, which = _different(codes[rows][:, columns])
        order = np.argsort(which, kind="stable")
        ends = np.cumsum(np.bincount(which, minlength=len(different)))
        few = max(1, _AT_ONCE // (len(self.theta) * self.levels))
        simple = [node for node in factors if set(self._names(node)) & hidden == {self.target}]
        groups = list(self._combined(simple, beside, different))
        others = [node for node in factors if node not in simple]
        for start in range(0, len(different), few):
            some = different[start : start + few]
            found = np.zeros((len(some), self.levels, len(self.theta)))
            for table, places in groups:
                found += table[places[start : start + few]]
            _normalise(found)
            if others:
                found = self._summed(found, others, hidden, dict(zip(beside, some.T, strict=True)))
            first = 0 if start == 0 else int(ends[start - 1])
            among = order[first : int(ends[start + len(some) - 1])]
            yield rows[among], which[among] - start, found

    def _names(self, node: str) -> tuple[str, ...]:
        return (*self.elimination.model.parents[node], node)

    def _around(self, seen: Sequence[str]) -> tuple[set[str], list[str]]:
        """Return the columns that are not known and tied to the target, and the tables that have one."""
        nodes = self.elimination.model.above([self.target, *seen])
        hidden, found = {self.target}, list[str]()
        while True:
            tied = [node for node in nodes if hidden & set(self._names(node))]
            if len(tied) == len(found):
                return hidden, found
            found = tied
            hidden |= {name for node in tied for name in self._names(node) if name not in seen}

    def _combined(
        self, nodes: Sequence[str], beside: Sequence[str], rows: Integers
    ) -> Iterator[tuple[Floats, Integers]]:
        """Yield sums of log tables of the target for different combinations of levels, and who has which.

        Rows of many columns share combinations of few: these are added up once.
        """
        left = list(nodes)
        while left:
            group: list[str] = []
            combinations, places = np.empty((0, 0), dtype=np.int64), np.zeros(len(rows), dtype=np.int64)
            columns: list[str] = []
            while left:
                more = [*columns, *(n for n in self._names(left[0]) if n in beside and n not in columns)]
                wanted = rows[:, [beside.index(name) for name in more]]
                found, where = _different(wanted)
                if group and len(found) > min(_MOST_COMBINED, max(1, len(rows) // 4)):
                    break
                combinations, places, columns = found, where, more
                group.append(left.pop(0))
            at = dict(zip(columns, combinations.T, strict=True))
            table = np.zeros((len(combinations), self.levels, len(self.theta)))
            for node in group:
                table += self._seen(self._logs[node], node, at, len(combinations))
            yield table, places

    def _seen(self, table: Floats, node: str, at: dict[str, Integers], rows: int) -> Floats:
        """Return a table of which some columns are known: rows first, then the axes that are left."""
        names = self._names(node)
        known = [axis for axis, name in enumerate(names) if name in at]
        free = [axis for axis in range(table.ndim) if axis not in known]
        if not known:
            return np.broadcast_to(table, (rows, *table.shape))
        return np.asarray(np.transpose(table, (*known, *free))[tuple(at[names[axis]] for axis in known)])

    def _summed(
        self, found: Floats, nodes: Sequence[str], hidden: set[str], at: dict[str, Integers]
    ) -> Floats:
        """Multiply by the tables in which other unknown columns stand, and sum over these."""
        from opt_einsum import contract, contract_path, get_symbol

        signs = {name: get_symbol(place) for place, name in enumerate(sorted(hidden), start=2)}
        row, draw = get_symbol(0), get_symbol(1)
        terms, shapes = [row + signs[self.target] + draw], [found.shape]
        parts = [self._seen(self._logs[node], node, at, len(found)) for node in nodes]
        for node, part in zip(nodes, parts, strict=True):
            free = [name for name in self._names(node) if name not in at]
            terms.append(row + "".join(signs[name] for name in free) + draw)
            shapes.append(part.shape)
        formula = f"{','.join(terms)}->{row}{signs[self.target]}{draw}"
        ones = [(1, *shape[1:-1], 1) for shape in shapes]
        _, path = contract_path(formula, *ones, shapes=True, optimize="auto")
        between = max(int(path.largest_intermediate), 1)
        if between > _MOST_BETWEEN:
            raise InferenceError(
                "too many columns are not known to be summed out",
                asked=f"a table of {between} cells in between",
                allowed=_MOST_BETWEEN,
                advice="Tell more of these rows' columns.",
            )
        made = np.empty_like(found)
        few = max(1, _AT_ONCE // (between * len(self.theta)))
        for start in range(0, len(found), few):
            some = slice(start, start + few)
            tables = [_scaled(part[some]) for part in parts]
            made[some] = contract(formula, found[some], *tables, optimize="auto")
        whole = made.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(made / whole)


def _different(rows: Integers) -> tuple[Integers, Integers]:
    """Return the different rows of small numbers, and which of them each row is."""
    keys, most = np.zeros(len(rows), dtype=np.int64), 1
    for column in rows.T:
        size = int(column.max(initial=0)) + 1
        if most * size > 2**62:
            _, keys = np.unique(keys, return_inverse=True)
            most = len(rows)
        keys, most = keys * size + column, most * size
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return rows[first], which


def _normalise(logs: Floats) -> None:
    """Make chances of their logarithms along the second axis, up to a constant; nan where there are none."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs -= logs.max(axis=1, keepdims=True)
        np.exp(logs, out=logs)
        logs /= logs.sum(axis=1, keepdims=True)


def _scaled(logs: Floats) -> Floats:
    """Return a table from its logarithm, divided by its largest entry for each row and draw."""
    top = logs.max(axis=tuple(range(1, logs.ndim - 1)), keepdims=True)
    return np.asarray(np.exp(logs - np.where(np.isfinite(top), top, 0.0)))
