"""The table of incomes on which regressions are compared, its splits, and rivals with the same release."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache

import numpy as np
import pyarrow.parquet as pq
from real_tables import FOLDER

import privior as pv
from privior.arrays import Floats, Integers
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.models.moment_weights import FIRST
from privior.testing.small_tables import statistics

TABLE = "acs_income_reg14"
DELTA = "1e-5"
#: grids that a curator would declare: two values, or 128 steps
_STEPS = 128


@cache
def columns() -> dict[str, Floats]:
    """Return the columns, the target last."""
    table = pq.read_table(FOLDER / f"{TABLE}.parquet")
    return {name: table[name].to_numpy().astype(np.float64) for name in table.column_names}


@cache
def schema() -> pv.Schema:
    """Return what is public: features from -1 to 1, the target from 0 to 1."""
    kinds: dict[str, pv.Bounded] = {}
    for name, values in columns().items():
        low = 0 if name == "y" else -1
        two = len(np.unique(values)) == 2
        grid = Fraction(2) if two else Fraction(1 - low, _STEPS)
        kinds[name] = pv.Bounded(low, 1, grid=grid)
    return pv.Schema(kinds, population="incomes", unit="person")


@cache
def model() -> pv.LinearRegression:
    """Return the regression on all features."""
    return pv.LinearRegression(target="y", features=[name for name in columns() if name != "y"])


def split(repeat: int, train: int | None) -> tuple[Integers, Integers]:
    """Return places of training and of test rows."""
    rows = len(columns()["y"])
    order = np.random.default_rng(1000 + repeat).permutation(rows)
    held = int(0.3 * rows)
    rest = order[held:]
    return rest if train is None else rest[:train], order[:held]


def exact(rows: Integers, neighbours: pv.Neighbours) -> ExactStatistics:
    """Return the moments of some rows."""
    codes = []
    for name in model().columns:
        kind = schema().column(name)
        assert isinstance(kind, pv.Bounded)
        place = (columns()[name][rows] - float(kind.lower)) / float(kind.grid)
        codes.append(np.clip(np.floor(place + 0.5), 0, kind.size - 1).astype(np.int64))
    return ExactStatistics(statistics(model(), schema(), neighbours, np.column_stack(codes)))


def release_plan(records: int, epsilon: str, neighbours: pv.Neighbours, *, even: bool = False) -> pv.Plan:
    """Plan a release by the default mechanism for delta > 0.

    Args:
        records: how many there are
        epsilon: with `DELTA`
        neighbours: the relation; without a public number of records 20,000 are declared
        even: with the weights of a plain release of moments, for the rival
    """
    mechanism = pv.GaussianMoments(
        model(), schema(), epsilon, DELTA, neighbours=neighbours, weights=FIRST if even else None
    )
    most = records if neighbours is pv.REPLACE_ONE else 20_000
    return pv.Plan(schema(), model(), mechanism, neighbours, most)


def release(rows: Integers, epsilon: str, neighbours: pv.Neighbours, *, even: bool = False) -> pv.Release:
    """Release the moments of some rows, given by their places, as `release_plan` says."""
    plan = release_plan(len(rows), epsilon, neighbours, even=even)
    ledger = pv.Ledger.in_memory(population="incomes", epsilon=100, delta="0.1")
    return measure_statistics(plan, exact(rows, neighbours), ledger=ledger)


def features(rows: Integers) -> Floats:
    """Return the features as they are."""
    return np.column_stack([values[rows] for name, values in columns().items() if name != "y"])


def clipped_error(predicted: Floats, rows: Integers) -> float:
    """Return the mean squared error of predictions that are kept in [0, 1]."""
    return float(np.mean((np.clip(predicted, 0, 1) - columns()["y"][rows]) ** 2))


def least_squares(train: Integers, test: Integers) -> float:
    """Return the error without privacy."""
    design = np.column_stack([np.ones(len(train)), features(train)])
    found = np.linalg.lstsq(design, columns()["y"][train], rcond=None)[0]
    return clipped_error(np.column_stack([np.ones(len(test)), features(test)]) @ found, test)


@cache
def all_rows() -> Floats:
    """Return intercept and coefficients of least squares on all rows, as they stand on their grids."""
    rows = np.arange(len(columns()["y"]))
    design = np.column_stack([np.ones(len(rows)), features(rows)])
    return np.asarray(np.linalg.lstsq(design, columns()["y"], rcond=None)[0])


def plain_ridge(made: pv.Release, test: Integers) -> float:
    """Return the error of a ridge regression that takes noisy moments for true ones.

    The ridge is the size of the noise's largest eigenvalue: its standard deviation times the root of 2 d.
    """
    from privior.posterior.regression.observations import Observations

    said, layout = Observations.of([made]), made.plan.mechanism.layout
    d, terms = len(layout.design.features), layout.design.terms
    weight = np.sqrt(1 / said.variances)
    raw = np.linalg.lstsq(said.rows * weight[:, None], said.seen * weight, rcond=None)[0]
    above = np.triu_indices(d)
    size = len(above[0])
    n = made.plan.records if made.plan.neighbours is pv.REPLACE_ONE else max(raw[-1], 10.0)
    square = np.zeros((d, d))
    square[above] = raw[:size]
    square = square + square.T - np.diag(np.diag(square))
    mean, both, own = raw[size : size + d] / n, raw[size + d : size + 2 * d], raw[-3] / n
    ridge = math.sqrt(float(made.plan.mechanism.variance)) * math.sqrt(2 * d)
    centred = square - n * np.outer(mean, mean)
    found = np.linalg.solve(centred + ridge * np.eye(d), both - n * own * mean)
    predicted = 0.5 + own + (features(test) / math.sqrt(terms) - mean) @ found
    return clipped_error(predicted, test)


def private_mean(train: Integers, test: Integers, mu: float, rng: np.random.Generator) -> float:
    """Return the error of the mean alone, for which all of the budget is spent."""
    mean = columns()["y"][train].mean() + rng.normal() / (mu * len(train))
    return clipped_error(np.full(len(test), mean), test)
