"""Releases that the tests of questions ask: made by the public functions, then given a noise of their own.

Real noise is new each time, and a comparison with draws would fail now and then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.models.statistics import Observed

SCHEMA = pv.Schema(
    {
        "education": pv.Categorical(["none", "some college", "phd", "research and development"]),
        "smoker": pv.Boolean(),
        "age": pv.Integer(18, 22),
        "income": pv.Binned([0, 10, "12.5", 100]),
        "day": pv.Date("2026-01-01", "2026-01-04"),
        "weight": pv.Bounded(-1, 1, grid="0.5"),
        "rooms": pv.Categorical([3, 1, -2]),
        "=formula": pv.Categorical(["=1+1", "+x", "-y", "@z", "\u00a0=t", "\uff1dr", 'a "b", c', "plain"]),
        "unused": pv.Boolean(),
    },
    population="clinic",
    unit="patient",
)
RECORDS = 300


def release_of(*columns: str, epsilon: object = 2, **facts: object) -> pv.Release:
    rng = np.random.default_rng(1)
    codes = [np.sort(rng.integers(SCHEMA.column(name).size, size=RECORDS)) for name in columns]
    values = {
        name: [str(SCHEMA.column(name).values[code]) for code in some]
        for name, some in zip(columns, codes, strict=True)
    }
    model = pv.DirichletCategorical(columns, prior=1)
    plan = pv.plan(model, SCHEMA, records=RECORDS, epsilon=epsilon, **facts)  # type: ignore[arg-type]
    release = pv.measure(plan, pa.table(values), ledger=pv.Ledger.in_memory())
    steps = rng.integers(-1, 2, size=model.size(SCHEMA))
    noisy = model.statistic(SCHEMA, np.column_stack(codes)).counts + steps - np.roll(steps, 1)
    return replace(release, statistics=Observed.of(tuple(noisy.tolist())))


@pytest.fixture(scope="session")
def people() -> pv.CategoricalPosterior:
    """Education, smoker and age."""
    found: pv.CategoricalPosterior = pv.infer(release_of("education", "smoker", "age"))
    return found


@pytest.fixture(scope="session")
def things() -> pv.CategoricalPosterior:
    """Income in bins, days, weights on a grid and rooms as numbered levels."""
    found: pv.CategoricalPosterior = pv.infer(release_of("income", "day", "weight", "rooms"))
    return found


@pytest.fixture(scope="session")
def formulas() -> pv.Release:
    """Levels that a spreadsheet would take for formulas, and numbers that are negative."""
    return release_of("=formula", "weight", "smoker")


@pytest.fixture(scope="session")
def unknown_total() -> pv.CategoricalPosterior:
    """Where the number of records is private, nothing about probabilities has a closed form."""
    found: pv.CategoricalPosterior = pv.infer(
        release_of("education", "smoker", neighbours=pv.ADD_OR_REMOVE_ONE)
    )
    return found
