"""Releases with a noise of their own, so that decisions about them are the same each time."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest

import privior as pv
from privior.models import Observed

SCHEMA = pv.Schema({"smoker": pv.Boolean(), "age": pv.Integer(18, 22)}, population="clinic", unit="patient")
RECORDS = 60


@pytest.fixture(scope="session")
def people() -> pv.Release:
    """Smoker and age, at an epsilon that leaves much open."""
    rows = {
        "smoker": ["true" if i % 3 == 0 else "false" for i in range(RECORDS)],
        "age": [str(18 + i % 5) for i in range(RECORDS)],
    }
    plan = pv.plan(pv.DirichletCategorical(("smoker", "age"), prior=1), SCHEMA, records=RECORDS, epsilon=1)
    release = pv.measure(plan, pa.table(rows), ledger=pv.Ledger.in_memory())
    return replace(release, statistics=Observed.of((9, 6, 8, 7, 10, 3, 5, 4, 2, 6)))


@pytest.fixture(scope="session")
def drawn() -> pv.Release:
    """Forty released draws of the same table."""
    rows = {
        "smoker": ["true" if i % 3 == 0 else "false" for i in range(RECORDS)],
        "age": [str(18 + i % 5) for i in range(RECORDS)],
    }
    plan = pv.plan(
        pv.DirichletCategorical(("smoker", "age"), prior=1),
        SCHEMA,
        records=RECORDS,
        epsilon=10,
        delta="1e-3",
        mechanism=pv.DirichletDraw,
        draws=40,
    )
    return pv.measure(plan, pa.table(rows), ledger=pv.Ledger.in_memory(epsilon=100, delta="0.5"))
