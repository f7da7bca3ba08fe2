"""Priors of a network: what is believed of the entries of its tables before any data.

The rows of a node's table, one for each combination of its parents' levels, are independent and Dirichlet.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import final

import numpy as np

from privior.checks import fill
from privior.errors import ModelError, NumberError, shown
from privior.exact import decimal, positive
from privior.models.dirichlet_table import LEARNED, PRIOR_RANGE
from privior.models.exchangeable_prior import ExchangeablePrior

_ALLOWED = (
    f'a number; "{LEARNED}"; pv.BDeu(weight), in files {{ bdeu = 10 }}; or for each node a number or a list '
    "with one for each entry of its table, in files { tables = { ... } }"
)


class NetworkPrior(ABC):
    """The Dirichlet parameters of all tables, or how they are learned."""

    @abstractmethod
    def of(self, node: str, cells: int) -> tuple[Fraction, ...] | None:
        """Return the parameters of a node's table, row by row; None if they are learned from its release."""

    @abstractmethod
    def to_document(self) -> object:
        """Write it as plain values."""

    @property
    def nodes(self) -> tuple[str, ...] | None:
        """The nodes that it names; None if it is for any."""
        return None


@final
@dataclass(frozen=True)
class EachEntry(NetworkPrior):
    """The same parameter for every entry of every table."""

    parameter: Fraction

    def of(self, node: str, cells: int) -> tuple[Fraction, ...]:
        """Return the same parameter for each entry of a node's table."""
        return (self.parameter,) * cells

    def to_document(self) -> str:
        """Write the parameter as a number."""
        return decimal(self.parameter)

    def __str__(self) -> str:
        return decimal(self.parameter)


@final
@dataclass(frozen=True)
class BDeu(NetworkPrior):
    """Every table has the same weight, in records, spread evenly over its entries: weight / cells each.

    So all networks that say the same of the columns have the same prior (Heckerman, Geiger, Chickering 1995).

    Attributes:
        weight: the equivalent sample size, in records
    """

    weight: Fraction

    def __init__(self, weight: object) -> None:
        fill(self, weight=_parameter(weight))

    def of(self, node: str, cells: int) -> tuple[Fraction, ...]:
        """The weight, divided among the entries."""
        return (self.weight / cells,) * cells

    def to_document(self) -> dict[str, object]:
        """Write the weight that a table has in all."""
        return {"bdeu": decimal(self.weight)}

    def __str__(self) -> str:
        return f"BDeu {decimal(self.weight)}"


@final
@dataclass(frozen=True)
class LearnedTables(NetworkPrior):
    """How far the rows of a table resemble each other, and what they are about, its release says.

    A row resembles others or is by itself, with even chances. Those that do have the Dirichlet parameters
    κ b: log(κ / levels) is normal with mean 0.7 and standard deviation 1, b is uniform on its simplex. One
    by itself has 1/2 for each level. All of this is inferred with the records, table by table.
    """

    def of(self, node: str, cells: int) -> None:
        """Return nothing: a learned table has no parameters of its own."""

    def to_document(self) -> str:
        """Write the word for a learned prior."""
        return LEARNED

    def __str__(self) -> str:
        return LEARNED


@final
@dataclass(frozen=True)
class TablePriors(NetworkPrior):
    """The parameters of each node's table.

    Attributes:
        tables: for each node one number for all entries, or one for each, row by row
    """

    tables: tuple[tuple[str, Fraction | tuple[Fraction, ...]], ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes of whose tables something is said."""
        return tuple(node for node, _ in self.tables)

    @cached_property
    def _said(self) -> dict[str, Fraction | tuple[Fraction, ...]]:
        return dict(self.tables)

    def of(self, node: str, cells: int) -> tuple[Fraction, ...]:
        """Return the parameters that are said of a node's table, one for each entry."""
        said = self._said[node]
        found = said if isinstance(said, tuple) else (said,) * cells
        if len(found) != cells:
            raise ModelError(
                "the prior does not have one parameter per entry of the table",
                where=node,
                asked=len(found),
                allowed=f"1 or {cells}",
            )
        return found

    def to_document(self) -> dict[str, object]:
        """Name each node, in the order of the alphabet."""
        return {
            "tables": {
                node: [decimal(one) for one in said] if isinstance(said, tuple) else decimal(said)
                for node, said in sorted(self.tables)
            }
        }

    def __str__(self) -> str:
        return "one per table"


def to_network_prior(prior: object) -> NetworkPrior:
    """Read a prior: a value, a number, a word, or what `to_document` wrote."""
    if isinstance(prior, NetworkPrior):
        return prior
    if isinstance(prior, ExchangeablePrior) or (isinstance(prior, str) and prior.strip() == LEARNED):
        return LearnedTables()
    if isinstance(prior, Mapping):
        if set(prior) == {"bdeu"}:
            return BDeu(prior["bdeu"])
        tables = (
            prior["tables"] if set(prior) == {"tables"} and isinstance(prior["tables"], Mapping) else prior
        )
        if not all(isinstance(node, str) for node in tables) or not tables:
            raise ModelError("not a prior of a network", asked=shown(prior), allowed=_ALLOWED)
        return TablePriors(tuple(sorted((node, _table(said)) for node, said in tables.items())))
    return EachEntry(_parameter(prior))


def _table(said: object) -> Fraction | tuple[Fraction, ...]:
    if isinstance(said, np.ndarray):
        said = said.tolist()
    return tuple(map(_parameter, _flat(said))) if isinstance(said, (list, tuple)) else _parameter(said)


def _flat(rows: Sequence[object]) -> Iterator[object]:
    left = [iter(rows)]  # not by calling itself: a file may nest as deeply as it likes
    while left:
        for one in left[-1]:
            if isinstance(one, (list, tuple)):
                left.append(iter(one))
                break
            yield one
        else:
            left.pop()


def _parameter(number: object) -> Fraction:
    least, most = PRIOR_RANGE
    try:
        return positive(number, "prior", least=least, most=most)
    except NumberError as error:
        raise ModelError(error.what, asked=error.asked, allowed=_ALLOWED) from None
