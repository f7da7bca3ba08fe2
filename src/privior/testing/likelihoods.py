"""Whether a family's likelihood is what its words, its sums and its posterior say: point by point.

A family says four times what one record tells: by the chances of values, by what a record adds, by the law
after it, and in floating point for inference. Here they are compared with each other.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import singledispatch
from itertools import product

import numpy as np

from privior.arrays import Floats
from privior.errors import PriviorError
from privior.models import Family, JointFamily, Model
from privior.models.families.family import numeric
from privior.schema import Bounded, Integer, Schema
from privior.testing.points import fail, hold
from privior.testing.small_tables import codes

_SMALL = 1e-9
#: what grids of values may make of a continuous law, and a share that hardly counts
_FEW, _SMALL_SHARE = 0.05, 1e-3
#: log densities that should be equal are computed from chances: of values that are not rarer than this
_RARE, _NEAR = 1e-9, 1e-3
#: a value is looked at within this share of a step: chances and densities are told alike
_NARROW = 2.0**-12
#: of so many values of a column, at about even distances
_VALUES = 200
_SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)


@singledispatch
def likelihood(model: Model, schema: Schema) -> None:
    """Check what a model says of the law of its records; tables say it by their cells alone."""


@likelihood.register
def _(model: Family, schema: Schema) -> None:
    """A family of one parameter is conjugate as it says, and a law of records."""
    whole = model.with_prior(model.law)
    _posteriors(whole, schema)
    _one_record(whole, schema)
    for share in (0.2, 0.5, 0.8):
        at = np.array([whole.law.quantile(share)])
        size = schema.column(whole.column).size
        chances = np.diff([float(whole.below(at, code, schema)[0]) for code in range(-1, size)])
        hold(chances.min() > -_SMALL, "likelihood", "a record has a negative chance")
        hold(abs(chances.sum() - 1) < 1e-6, "likelihood", "chances of records do not add up to 1")
        _measure(whole, schema, at, chances)


def _posteriors(model: Family, schema: Schema) -> None:
    """Compare the law after several records, exact, with its density in floating point."""
    low, high = (float(end) for end in model.bounds(schema))
    for number, share in product((3, 40), (0.2, 0.6)):
        total = Fraction(round(number * (low + share * (high - low)) * 2**10), 2**10)
        law = model.update(model.law, Fraction(number), total)
        ends = [law.quantile(tail) for tail in (1e-9, 1 - 1e-9)]
        theta = np.linspace(ends[0], ends[1], 20_001)[1:-1]
        totals = np.array([float(total)])
        logs = np.array([model.log_posterior(float(one), number, totals, 1.0)[0] for one in theta[::100]])
        own = law.log_density(theta)
        own = own - own.max()
        own -= math.log(float(np.exp(own).sum()) * float(theta[1] - theta[0]))
        near = own[::100] > -20
        apart = float(np.abs(logs - own[::100])[near].max())
        hold(apart < 1e-2, "likelihood", f"the posterior is off by {apart:.3g} in log density")


def _one_record(model: Family, schema: Schema) -> None:
    """The prior times the chance of a value is the law after a record that has it, for every value."""
    theta = np.array([model.law.quantile(share) for share in _SHARES])
    size = schema.column(model.column).size
    every = np.unique(np.linspace(0, size - 1, min(size, _VALUES)).round().astype(np.int64))
    base, unit = model.grid(schema)
    for code, added in zip(every, model.summand(schema).of({model.column: every}), strict=True):
        chances = _chances(model, schema, theta, int(code))
        if float(chances.min()) < _RARE:
            continue
        try:
            after = model.update(model.law, Fraction(1), base + unit * int(added))
        except PriviorError as error:
            fail("likelihood", f"a record adds what update refuses: {error.what}")
        apart = float(np.ptp(model.law.log_density(theta) + np.log(chances) - after.log_density(theta)))
        what = "the law after one record, by summand, grid and update, is not the prior times value_below's"
        hold(apart < _NEAR, "likelihood", f"{what} chance of code {code}: off by {apart:.3g} in logs")


def _chances(model: Family, schema: Schema, theta: Floats, code: int) -> Floats:
    """Return the chance of a value for each parameter, or about its density, up to a constant."""
    if not isinstance(schema.column(model.column), Integer | Bounded):
        return model.below(theta, code, schema) - model.below(theta, code - 1, schema)
    lower, step, _ = numeric(schema, model.column, model.family)
    value, reach = float(lower + step * code), float(step) * _NARROW
    ends = [model.value_below(theta, one) for one in (value - reach, value + reach)]
    below, above = (np.nan_to_num(one) for one in ends)  # where no record can be
    return np.asarray(above - below)


def _measure(model: Family, schema: Schema, theta: Floats, chances: Floats) -> None:
    """Compare what a record adds, by the law of one, with the chances of values inside the bounds.

    Where codes are summed as they are: of other functions of them the law has another measure.
    """
    column = schema.column(model.column)
    summand, (base, unit) = model.summand(schema), model.grid(schema)
    plain = len(summand.factors) == 1 and not summand.factors[0].absolute
    inside = np.arange(1, column.size - 1)
    if not plain or inside.size < 2 or chances[1:-1].sum() < _FEW:
        return
    totals = float(base) + float(unit) * summand.of({model.column: inside}).astype(np.float64)
    logs = model.natural(theta) * totals + model.log_measure(np.ones(totals.size), totals, float(unit))
    own = np.exp(logs - logs.max())
    apart = np.abs(own / own.sum() - chances[1:-1] / chances[1:-1].sum()).sum() / 2
    what = "summand, grid, natural and log_measure give other chances of values than value_below"
    hold(float(apart) < _FEW, "likelihood", f"{what}, by {apart:.3g}")
    lower, step, _ = numeric(schema, model.column, model.family)
    if chances[-1] < _SMALL_SHARE and (chances[0] < _SMALL_SHARE or lower == 0):
        values = float(lower) + float(step) * np.arange(column.size)
        mean, stated = float(values @ chances), float(model.mean_of(theta)[0])
        near = abs(mean - stated) <= _FEW * abs(stated) + float(step)
        hold(near, "likelihood", f"mean_of says {stated:.4g}, the chances of values {mean:.4g}")


@likelihood.register
def _(model: JointFamily, schema: Schema) -> None:
    """What a few records say of the parameters is the same by their sums and by their Normal law."""
    said = model.at(schema)
    theta, _ = said.typical()
    every = codes(model, schema)
    rng = np.random.default_rng(1)
    some = every[rng.integers(len(every), size=4 * len(model.columns) + model.least_records)]
    columns = {name: some[:, place] for place, name in enumerate(model.columns)}
    grids = [numeric(schema, name, model.family) for name in model.columns]
    values = np.column_stack(
        [
            float(lower) + float(step) * columns[name]
            for name, (lower, step, _) in zip(model.columns, grids, strict=True)
        ]
    )
    totals = np.array([float(one) for one in model.totals(schema, _sums(model, schema, columns))])
    means, covariances = said.normal(theta)
    away = values - means[:, np.newaxis]
    whitened = np.einsum("tri,tij,trj->t", away, np.linalg.inv(covariances), away, optimize=True)
    own = -(whitened + len(values) * np.linalg.slogdet(covariances)[1]) / 2
    number = np.full(len(theta), float(len(values)))
    stated = said.log_density(number, np.tile(totals, (len(theta), 1)), theta)
    apart, size = float(np.ptp(own - stated)), float(np.abs(own).max())
    hold(apart <= _NEAR + _SMALL * size, "likelihood", f"sums and records differ by {apart:.3g} in logs")


def _sums(model: JointFamily, schema: Schema, columns: dict[str, np.ndarray]) -> list[int]:
    return [int(one.of(columns).sum()) for one in model.sums(schema)]
