"""Numbers of cells say their names, and are arrays like others in every other respect."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.errors import InferenceError
from privior.posterior.named_numbers import NamedNumbers, with_labels

SCHEMA = pv.Schema(
    {
        "education": pv.Categorical(["none", "school", "degree"]),
        "smoker": pv.Boolean(),
        "age": pv.Integer(0, 99),
    },
    population="clinic",
    unit="patient",
)


def posterior_of(*columns: str) -> pv.CategoricalPosterior:
    plan = pv.plan(pv.DirichletCategorical(columns, prior=1), SCHEMA, records=60, epsilon=1)
    people = {"education": ["none", "school", "degree"] * 20, "smoker": [True, False] * 30}
    table = pa.table({**people, "age": list(range(60))})
    found: pv.CategoricalPosterior = pv.infer(pv.measure(plan, table, ledger=pv.Ledger.in_memory()))
    return found


def test_means_and_intervals_of_a_table_are_asked_by_label() -> None:
    found = posterior_of("education")
    mean, ends, counts = found.mean(), found.interval(0.9), found.counts()
    assert mean.labels == ends.labels == counts.mean().labels == ["none", "school", "degree"]
    assert mean["degree"] == mean[2] == found.probability("degree").mean
    assert ends["degree"].tolist() == ends[2].tolist() == list(found.probability("degree").interval())
    assert ends["degree", 1] == ends[2, 1]
    assert counts.interval()["school"].tolist() == counts.interval()[1].tolist()
    assert found.stddev()["none"] == found.stddev()[0]
    assert repr(mean).split("\n")[2] == f"degree: {mean[2]:.4g}"
    assert str(ends).split("\n")[0] == f"none: {ends[0, 0]:.4g} to {ends[0, 1]:.4g}"
    with pytest.raises(InferenceError, match=r"no cell has this label(.|\n)*none; school; degree"):
        mean["doctorate"]


def test_joint_tables_are_asked_by_the_text_of_the_label_or_its_levels() -> None:
    found = posterior_of("education", "smoker")
    mean = found.mean()
    assert mean["degree, true"] == mean["degree", "true"] == mean[5]
    assert found.interval()["degree", "true", 0] == found.interval()[5, 0]


def test_long_tables_are_cut_where_they_are_shown() -> None:
    lines = repr(posterior_of("age").mean()).split("\n")
    assert (len(lines), lines[0][:3], lines[-1][:4]) == (26, "0: ", "99: ")
    assert lines[20] == "... (100 in all: .labels, summary(), to_pandas())"
    assert "\x1b" not in repr(with_labels(np.zeros(2), ["a\x1b[31m", "b"]))


def test_all_else_is_as_with_any_array() -> None:
    numbers, plain = with_labels(np.array([0.25, 0.75]), ["a", "b"]), np.array([0.25, 0.75])
    for one, other in (
        (2 * numbers, 2 * plain),
        (numbers - plain, plain - plain),
        (np.maximum(numbers, 0.5), np.maximum(plain, 0.5)),
        (np.concatenate([numbers, numbers]), np.concatenate([plain, plain])),
        (numbers[::-1], plain[::-1]),
        (numbers[[True, False]], plain[[True, False]]),
        (numbers[np.newaxis], plain[np.newaxis]),
        (np.sort(numbers), np.sort(plain)),
    ):
        assert type(one) is np.ndarray  # whose labels would be wrong, or nobody's
        np.testing.assert_array_equal(one, other)
    assert (numbers == plain).all()
    assert isinstance(numbers.sum(), np.float64)
    assert (float(numbers[1]), numbers.tolist(), [*numbers]) == (0.75, [0.25, 0.75], [0.25, 0.75])
    assert repr(numbers.T) == repr(plain)
    with pytest.raises(InferenceError, match="no labels of its own"):
        numbers.T["a"]


def test_copies_and_pickles_keep_the_labels() -> None:
    numbers = posterior_of("education").mean()
    for again in (pickle.loads(pickle.dumps(numbers)), copy.copy(numbers), copy.deepcopy(numbers)):
        assert isinstance(again, NamedNumbers)
        assert (again.labels, again.tolist()) == (numbers.labels, numbers.tolist())
