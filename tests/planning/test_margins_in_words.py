"""A difference that cannot be seen is not told as "1 times"."""

from __future__ import annotations

import re

import pytest

import privior as pv
from privior.planning.comparison import _margin


@pytest.mark.parametrize(
    ("ratio", "says"),
    [(1.0, "hardly smaller"), (1.004, "hardly smaller"), (1.01, "1.01 times"), (2.5, "2.5 times")],
)
def test_a_margin_is_told_in_words_that_mean_something(ratio: float, says: str) -> None:
    assert says in _margin(ratio)


@pytest.mark.parametrize("records", [4, 1000])
@pytest.mark.parametrize("epsilon", ["0.0005", "0.1", "1"])
def test_no_plan_says_one_times(records: int, epsilon: str) -> None:
    schema = pv.Schema({"a": pv.Categorical(["x", "y", "z", "w"])}, population="p", unit="u")
    made = pv.plan(pv.DirichletCategorical("a", prior=1), schema, records=records, epsilon=epsilon)
    assert not re.search(r"\b1 times\b", made.choice), made.choice
