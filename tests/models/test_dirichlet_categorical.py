"""The Dirichlet-categorical model: its statistic, and its sensitivity by brute force."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import privior as pv

SCHEMA = pv.Schema(
    {"a": pv.Categorical(["x", "y"]), "b": pv.Categorical(["p", "q", "r"])}, population="p", unit="person"
)


def test_the_statistic_counts_cells_in_order() -> None:
    model = pv.DirichletCategorical(("a", "b"), prior=1)
    codes = [[0, 0], [1, 2], [1, 2], [0, 1]]
    assert model.statistic(SCHEMA, codes).counts.tolist() == [1, 1, 0, 0, 0, 2]
    assert pv.DirichletCategorical("b", prior=1).statistic(SCHEMA, [[2], [2], [0]]).counts.tolist() == [
        1,
        0,
        2,
    ]


@pytest.mark.parametrize("rows", [1, 2, 3])
@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_t05_the_sensitivity_is_attained_and_never_exceeded(rows: int, relation: pv.Neighbours) -> None:
    """All contributions of one person with up to `rows` rows, before and after."""
    unit = pv.Unit("person", column="id", max_rows=rows)
    schema = pv.Schema({"b": SCHEMA.column("b")}, population="p", unit=unit)
    model = pv.DirichletCategorical("b", prior=1)
    lengths = range(1, rows + 1)
    people = [np.bincount(codes, minlength=3) for n in lengths for codes in product(range(3), repeat=n)]
    others = people if relation is pv.REPLACE_ONE else [np.zeros(3, dtype=np.int64)]
    changes = [one - other for one in people for other in others]
    stated = model.sensitivity(schema, relation)
    assert max(int(np.abs(change).sum()) for change in changes) == stated.l1
    assert max(int((change**2).sum()) for change in changes) == stated.l2_squared
    assert stated.total_fixed == all(change.sum() == 0 for change in changes)
    assert stated.neighbours is relation


def test_the_update_is_the_textbook_one() -> None:
    model = pv.DirichletCategorical("b", prior=["1/2", 1, 2])
    assert model.update(SCHEMA, [3, 0, 1]).tolist() == [3.5, 1, 3]
