"""Logistic regression as a model: what becomes of records, and how long they can be."""

from __future__ import annotations

import numpy as np
import pytest

import privior as pv
from privior.models import ExactRecords, LogisticRegression
from privior.testing.small_tables import codes, exact, moved, neighbouring

SCHEMA = pv.Schema(
    {
        "y": pv.Categorical(["no", "yes"]),
        "a": pv.Integer(-1, 3),
        "b": pv.Boolean(),
        "c": pv.Categorical(["u", "v", "w"]),
        "d": pv.Bounded(0, 1, grid="0.25"),
    },
    population="few",
    unit="person",
)
FORMULAS = [
    "y ~ a",
    "y ~ b",
    "y ~ c",
    "y ~ a + b + c",
    "y ~ a*b",
    "y ~ a*c + d",
    "y ~ a - 1",
    "y ~ c + d - 1",
]


@pytest.mark.parametrize("formula", FORMULAS)
def test_no_record_is_longer_than_stated_and_one_is_as_long(formula: str) -> None:
    model = LogisticRegression(formula)
    design, every = model.design(SCHEMA), codes(LogisticRegression(formula), SCHEMA)
    squares = (design.whole(every).astype(object) ** 2) @ np.array([1.0 / one**2 for one in design.reach])
    assert max(squares) <= design.squared_norm * (1 + 1e-12)
    assert max(squares) == pytest.approx(design.squared_norm)
    assert np.allclose((design.rows(every) ** 2).sum(axis=1), squares.astype(float))
    assert design.size == len(design.names) == design.rows(every).shape[1]


def test_the_intercept_is_counted_in_the_norm() -> None:
    """T48: a record of features at the ends of their ranges is longer with an intercept, by 1."""
    with_one, without = (LogisticRegression(one).design(SCHEMA) for one in ("y ~ a + b", "y ~ a + b - 1"))
    assert (with_one.squared_norm, without.squared_norm) == (3, 2)
    assert with_one.names[0] == "intercept"
    assert (with_one.rows(np.array([[0, 4, 1]])) == [[1, 1, 1]]).all()


def test_records_are_read_whole_and_the_second_level_is_yes() -> None:
    model = LogisticRegression(target="y", features=["a", "b"])
    some = np.array([[0, 4, 1], [1, 0, 0]])
    known = exact(model, SCHEMA, pv.REPLACE_ONE, some)
    assert isinstance(known, ExactRecords)
    assert known.total == 2
    assert model.design(SCHEMA).levels == ("no", "yes")
    assert model.design(SCHEMA).signs(known.codes).tolist() == [-1.0, 1.0]
    for before, after in neighbouring(model, SCHEMA, 4, pv.REPLACE_ONE):
        assert moved(before, after).sum() == 2
    for before, after in neighbouring(model, SCHEMA, 4, pv.ADD_OR_REMOVE_ONE):
        assert moved(before, after).sum() == 1 == after.total - before.total


def test_what_it_refuses() -> None:
    for formula, words in (
        ("a ~ b", "two levels"),
        ("c ~ b", "two levels"),
    ):
        with pytest.raises(pv.ModelError, match=words):
            LogisticRegression(formula).sensitivity(SCHEMA, pv.REPLACE_ONE)
    for prior in ("wide", 0, {"shrinkage": "heavy-tails"}):
        with pytest.raises(pv.PriviorError):
            LogisticRegression("y ~ a", prior=prior)
    with pytest.raises(pv.ModelError, match="not both"):
        LogisticRegression("y ~ a", target="y")
    with pytest.raises(pv.ModelError, match="by groups"):
        LogisticRegression("y ~ a").readings(SCHEMA, pv.REPLACE_ONE, ("c",))
    several = pv.Schema(
        dict(SCHEMA.columns), population="few", unit=pv.Unit("person", column="who", max_rows=2)
    )
    with pytest.raises(pv.ModelError, match="one row of each unit"):
        LogisticRegression("y ~ a").sensitivity(several, pv.REPLACE_ONE)
