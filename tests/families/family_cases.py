"""Every family of one parameter, with what the tests of all of them need to know."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import privior as pv
from privior.models import Family

Values = NDArray[Any]

SCHEMA = pv.Schema(
    {
        "sick": pv.Boolean(),
        "answer": pv.Categorical(["yes", "no"]),
        "hits": pv.Integer(0, 3),
        "events": pv.Integer(0, 12),
        "wait": pv.Bounded(0, 20, grid="0.1"),
        "error": pv.Bounded(-8, 8, grid="0.1"),
        "pressure": pv.Bounded(60, 200, grid=1),
    },
    population="clinic",
    unit="patient",
)


@dataclass(frozen=True)
class Case:
    """A family.

    Attributes:
        model: with a prior under which hardly any record lies outside the bounds of its column
        draw: draws a parameter from the prior
        records: draws values of so many records given a parameter
        cut: the same family with its prior cut at both ends
        small: the family on a column of few values, for going through all tables, and its schema
        tight: whether its pair of draws is attained by tables of a few records
    """

    model: Family
    draw: Callable[[np.random.Generator], float]
    records: Callable[[np.random.Generator, float, int], Values]
    cut: Family
    small: tuple[Family, pv.Schema]
    tight: bool = True

    @property
    def name(self) -> str:
        return self.model.family

    def cells(self, rng: np.random.Generator, theta: float, number: int) -> list[object]:
        """Draw the cells of a table."""
        values = self.records(rng, theta, number)
        return [str(value) for value in values]

    def codes(self, rng: np.random.Generator, theta: float, number: int) -> NDArray[np.int64]:
        """Draw the codes of the column: the nearest points of its grid."""
        return nearest_codes(SCHEMA.column(self.model.column), self.records(rng, theta, number))


def nearest_codes(column: pv.schema.Column, values: Values) -> NDArray[np.int64]:
    """Return the codes of the nearest points of a column's grid; of levels, their own."""
    if isinstance(column, (pv.Integer, pv.Bounded)):
        step = float(column.grid) if isinstance(column, pv.Bounded) else 1.0
        nearest = np.rint((values - float(column.lower)) / step)
        return np.clip(nearest, 0, column.size - 1).astype(np.int64)
    return np.array([column.code(str(value)) for value in values])


def one_column(name: str, column: pv.schema.Column) -> pv.Schema:
    return pv.Schema({name: column}, population="few", unit="patient")


def _coins(rng: np.random.Generator, theta: float, number: int) -> Values:
    return (rng.uniform(size=number) < theta).astype(float)


CASES = [
    Case(
        pv.BetaBernoulli("sick", pv.Beta(2, 3)),
        lambda rng: rng.beta(2, 3),
        lambda rng, theta, number: _coins(rng, theta, number).astype(int),
        pv.BetaBernoulli("sick", pv.Truncated(pv.Beta(2, 3), "0.1", "0.9")),
        (pv.BetaBernoulli("x", pv.Beta("1/2", 2)), one_column("x", pv.Boolean())),
    ),
    Case(
        pv.BetaBernoulli("answer", pv.Beta(2, 3), event="yes"),
        lambda rng: rng.beta(2, 3),
        lambda rng, theta, number: np.where(_coins(rng, theta, number) > 0, "yes", "no"),
        pv.BetaBernoulli("answer", pv.Truncated(pv.Beta(2, 3), "0.1", "0.9"), event="yes"),
        (
            pv.BetaBernoulli("x", pv.Beta("1/2", 2), event="yes"),
            one_column("x", pv.Categorical(["yes", "no"])),
        ),
    ),
    Case(
        pv.BetaBinomial("hits", 3, pv.Beta(2, 3)),
        lambda rng: rng.beta(2, 3),
        lambda rng, theta, number: rng.binomial(3, theta, number),
        pv.BetaBinomial("hits", 3, pv.Truncated(pv.Beta(2, 3), "0.1", "0.9")),
        (pv.BetaBinomial("x", 2, pv.Beta("1/2", 2)), one_column("x", pv.Integer(0, 2))),
        tight=False,
    ),
    Case(
        pv.GammaPoisson("events", pv.Gamma(8, 4)),
        lambda rng: rng.gamma(8, 1 / 4),
        lambda rng, theta, number: rng.poisson(theta, number),
        pv.GammaPoisson("events", pv.Truncated(pv.Gamma(8, 4), "0.5", 4)),
        (pv.GammaPoisson("x", pv.Gamma("1/2", 2)), one_column("x", pv.Integer(0, 2))),
    ),
    Case(
        pv.GammaExponential("wait", pv.Gamma(20, 20)),
        lambda rng: rng.gamma(20, 1 / 20),
        lambda rng, theta, number: rng.exponential(1 / theta, number),
        pv.GammaExponential("wait", pv.Truncated(pv.Gamma(20, 20), "0.4", 3)),
        (pv.GammaExponential("x", pv.Gamma("1/2", 2)), one_column("x", pv.Bounded("0.5", "1.5", grid="0.5"))),
    ),
    Case(
        pv.LaplaceScale("error", "0.25", pv.Gamma(20, 20)),
        lambda rng: rng.gamma(20, 1 / 20),
        lambda rng, theta, number: rng.laplace(0.25, 1 / theta, number),
        pv.LaplaceScale("error", "0.25", pv.Truncated(pv.Gamma(20, 20), "0.4", 3)),
        (pv.LaplaceScale("x", "0.25", pv.Gamma("1/2", 2)), one_column("x", pv.Bounded(-1, 1, grid=1))),
    ),
    Case(
        pv.NormalMean("pressure", pv.Normal(125, stddev=8), stddev=12),
        lambda rng: rng.normal(125, 8),
        lambda rng, theta, number: rng.normal(theta, 12, number),
        pv.NormalMean("pressure", pv.Truncated(pv.Normal(125, stddev=8), 90, 160), stddev=12),
        (
            pv.NormalMean("x", pv.Normal(0, stddev=1), variance=2),
            one_column("x", pv.Bounded(-1, 1, grid=1)),
        ),
    ),
    Case(
        pv.NormalPrecision("error", 0, pv.Gamma(20, 40)),
        lambda rng: rng.gamma(20, 1 / 40),
        lambda rng, theta, number: rng.normal(0, theta**-0.5, number),
        pv.NormalPrecision("error", 0, pv.Truncated(pv.Gamma(20, 40), "0.1", 2)),
        (
            pv.NormalPrecision("x", "0.5", pv.Gamma("1/2", 2)),
            one_column("x", pv.Bounded(-1, 1, grid=1)),
        ),
    ),
]


def table_of(case: Case, cells: list[object]) -> str:
    """Write a CSV file's text."""
    return "\n".join([case.model.column, *map(str, cells)]) + "\n"
