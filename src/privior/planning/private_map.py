"""Private MAP: one door to a point estimate, as a draw of a model from a public grid.

    theta ~ mu(theta) exp(epsilon / eta * log p(D | theta))                 by the likelihood: no factor 2
    theta ~ mu(theta) exp(epsilon * P(theta | D) / (2 tanh(eta / 4)))       as published (Algorithm 3)

on the points of a grid that is chosen before any data, eta the range of the log likelihood ratio of two
records over the grid. The base measure mu is the prior's density at the points, or whatever weights are given
(footnote 4 of Zhang, Rubinstein, Dimitrakakis 2016): it keeps the sum finite and is public. On a density
instead of a grid the published form is not private at its epsilon ([errata](docs/errata.md), E10).

What comes out is a plan of draws of models (`pv.ModelDraws`) and, once measured, such a release.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import combinations, pairwise, product
from typing import Any

import numpy as np

from privior.checks import is_whole
from privior.errors import PlanError, shown
from privior.exact import decimal, rational
from privior.mechanisms import ModelDraws
from privior.models import DirichletTable, Family, FiniteFamily, Model, Network
from privior.planning.comparison import plan
from privior.plans import Plan
from privior.privacy import REPLACE_ONE, Neighbours
from privior.schema import Schema

#: models on a grid, and chances of all of them together
MOST_MODELS, _MOST_CHANCES = 20_000, 100_000
#: base measures are rounded to so many digits, and none is smaller than this part of the largest
_DIGITS, _LEAST_BASE = 12, 1e-25
#: chances of cells that follow from a parameter are rounded to so many binary places, and are at least one
_PLACES = 60

#: for each point its name, the chances of all cells, and the logarithm of the base measure
Points = list[tuple[str, tuple[Fraction, ...], float]]


@dataclass(frozen=True)
class PrivateMAP:
    """The most probable point of a public grid, privately.

    Attributes:
        model: a family of one parameter, a network, a table, or a finite family, which is its own grid
        grid: for a family the values of its parameter, or how many quantiles of its prior to take; for
            networks and tables the number of steps: chances are positive multiples of 1 / steps in every row
        published: whether the score is the posterior probability, as printed; else the log likelihood
        base: positive weights of the points; None for the prior's density there
    """

    model: Model
    grid: object = None
    published: bool = False
    base: tuple[object, ...] | None = None

    def family(self, schema: Schema) -> FiniteFamily:
        """Return the grid as a finite family, from public facts."""
        return _family(self.model, self.grid, schema, self.base)

    def plan(
        self,
        schema: Schema,
        *,
        records: int,
        epsilon: object,
        neighbours: Neighbours | str = REPLACE_ONE,
        draws: int = 1,
    ) -> Plan:
        """Plan the draw: free, and without data. `release.draws` then has the cells' chances at the point."""
        return plan(
            self.family(schema),
            schema,
            records=records,
            epsilon=epsilon,
            neighbours=neighbours,
            mechanism=ModelDraws,
            draws=draws,
            point=not self.published,
            published=self.published,
        )


def _refusal(what: str, **said: Any) -> PlanError:
    return PlanError(what, where="private map", **said)


def _family(model: Model, grid: object, schema: Schema, base: Sequence[object] | None) -> FiniteFamily:
    points = _points(model, grid, schema)
    if base is not None and len(base) != len(points):
        raise _refusal("not one weight for each point of the grid", asked=len(base), allowed=len(points))
    weights = _weights([log for *_, log in points]) if base is None else list(base)
    models = {name: chances for name, chances, _ in points}
    if len(models) < len(points):
        raise _refusal("two points of the grid are the same", asked=shown(grid))
    return FiniteFamily(model.columns, models, weights)


def _weights(logs: Sequence[float]) -> list[Fraction]:
    """Round the base measure to exact numbers: they are public, whatever they are."""
    most = max(logs)
    found = [max(_LEAST_BASE, math.exp(one - most)) for one in logs]
    return [Fraction(f"{one:.{_DIGITS}e}") for one in found]


@singledispatch
def _points(model: object, grid: object, schema: Schema) -> Points:
    """Return the points of the grid."""
    raise _refusal(
        "no grid is known for this model",
        asked=shown(model),
        allowed="families of one parameter, networks, tables, finite families",
    )


@_points.register
def _(model: FiniteFamily, grid: object, schema: Schema) -> Points:
    if grid is not None:
        raise _refusal("a finite family is its own grid", asked=shown(grid))
    logs = model.log_prior()
    return [(n, c, float(p)) for n, c, p in zip(model.names, model.chances, logs, strict=True)]


@_points.register
def _(model: Family, grid: object, schema: Schema) -> Points:
    size = schema.column(model.column).size
    values = _values(model, grid)
    if size * len(values) > _MOST_CHANCES:
        raise _refusal(
            "the grid has too many chances", asked=f"{len(values)} x {size}", allowed=_MOST_CHANCES
        )
    theta = np.array([float(one) for one in values])
    below = np.stack([model.below(theta, code, schema) for code in range(size)], axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = model.prior.log_density(theta)
    found = []
    for value, row, log in zip(values, below, logs, strict=True):
        if not math.isfinite(log):
            raise _refusal("the prior has no density at a point of the grid", asked=decimal(value))
        found.append((f"{model.parameter} {decimal(value)}", _exact(np.diff(row, prepend=0.0)), float(log)))
    return found


def _values(model: Family, grid: object) -> list[Fraction]:
    """Read parameter values, or take quantiles of the prior of three digits."""
    if is_whole(grid, 2, MOST_MODELS):
        shares = [(place + 0.5) / grid for place in range(grid)]
        return [Fraction(f"{model.law.quantile(share):.2e}") for share in shares]
    if isinstance(grid, (list, tuple)) and len(grid) >= 2:
        return [rational(one, "grid") for one in grid]
    raise _refusal(
        "not a grid of the parameter", asked=shown(grid), allowed="two values or more, or how many quantiles"
    )


def _exact(chances: Any) -> tuple[Fraction, ...]:
    """Make exact chances of floating ones: multiples of 2^-60, all positive, that add up to 1."""
    unit = 1 << _PLACES
    found = [max(1, round(float(one) * unit)) for one in chances]
    largest = max(range(len(found)), key=found.__getitem__)
    found[largest] += unit - sum(found)
    return tuple(Fraction(one, unit) for one in found)


@_points.register
def _(model: Network, grid: object, schema: Schema) -> Points:
    shapes = {node: model.shape(node, schema) for node in model.columns}
    rows = [shape[-1] for shape in shapes.values() for _ in range(math.prod(shape[:-1]))]
    choices = _rows(rows, grid, schema.cells(model.columns))
    alphas = [one for table in model.parameters(schema) for one in _alphas(table, None)]
    places = {node: place for place, node in enumerate(model.columns)}
    starts, start = {}, 0
    for node, shape in shapes.items():
        starts[node], start = start, start + math.prod(shape[:-1])
    cells = list(product(*(range(schema.column(name).size) for name in model.columns)))
    named, found = _row_names(model, schema), []
    for chosen in product(*choices):
        chances = []
        for cell in cells:
            chance = Fraction(1)
            for node, shape in shapes.items():
                row = 0
                for name, size in zip(model.parents[node], shape[:-1], strict=True):
                    row = row * size + cell[places[name]]
                chance *= chosen[starts[node] + row][cell[places[node]]]
            chances.append(chance)
        name = "; ".join(f"{row} {_name([one])}" for row, one in zip(named, chosen, strict=True))
        found.append((name, tuple(chances), _log_density(chosen, alphas)))
    return found


def _row_names(model: Network, schema: Schema) -> list[str]:
    """Return for each row of all tables its node, and the levels of its parents."""
    found = []
    for node in model.columns:
        above = [(name, schema.column(name).labels) for name in model.parents[node]]
        for levels in product(*(labels for _, labels in above)):
            given = ", ".join(f"{name}={level}" for (name, _), level in zip(above, levels, strict=True))
            found.append(f"{node} given {given}:" if given else f"{node}:")
    return found


@_points.register
def _(model: DirichletTable, grid: object, schema: Schema) -> Points:
    size = model.size(schema)
    prior = model.cell_prior
    each = (
        None
        if prior is None
        else np.array([float(one) for one in (prior if isinstance(prior, tuple) else (prior,) * size)])
    )
    alphas = list(_alphas(each, size))
    return [
        (_name(chosen), chosen[0], _log_density(chosen, alphas))
        for chosen in product(*_rows([size], grid, size))
    ]


def _rows(sizes: Sequence[int], grid: object, cells: int) -> list[list[tuple[Fraction, ...]]]:
    """Return the points of each row: all ways to divide the steps among its levels, none of them empty."""
    if not is_whole(grid, max(3, *sizes)):
        raise _refusal(
            "not a number of steps", asked=shown(grid), allowed=f"a whole number from {max(3, *sizes)}"
        )
    number = math.prod(math.comb(grid - 1, size - 1) for size in sizes)
    if number < 2:
        raise _refusal("the grid has a single point", asked=grid, allowed=f"more than {max(sizes)} steps")
    if number > MOST_MODELS or number * cells > _MOST_CHANCES * 2:
        raise _refusal(
            f"the grid has too many points for {len(sizes)} rows",
            asked=number,
            allowed=MOST_MODELS,
            advice="Take fewer steps; or draw all tables by themselves: pv.TruncatedNetworkDraws is pure.",
        )
    return [
        [tuple(Fraction(one, grid) for one in parts) for parts in _compositions(grid, size)] for size in sizes
    ]


def _compositions(steps: int, size: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to divide steps among levels, at least one each, by the places of the cuts."""
    for cuts in combinations(range(1, steps), size - 1):
        ends = (0, *cuts, steps)
        yield tuple(after - before for before, after in pairwise(ends))


def _alphas(table: Any, size: int | None) -> list[float]:
    return [1.0] * (size or 1) if table is None else [float(one) for one in table]


def _log_density(rows: Sequence[Sequence[Fraction]], alphas: Sequence[float]) -> float:
    """Return the log density of Dirichlet rows at a point, up to a constant; 0 if the prior is learned."""
    flat = [float(one) for row in rows for one in row]
    if len(alphas) != len(flat):
        return 0.0
    return math.fsum((a - 1) * math.log(x) for a, x in zip(alphas, flat, strict=True))


def _name(rows: Sequence[Sequence[Fraction]]) -> str:
    return "; ".join(" ".join(str(one) for one in row) for row in rows)
