"""Logistic regression from noisy moments: the law of an index, when it is planned, what it says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.models import ExactRecords
from privior.posterior.regression.index_target import IndexTarget
from privior.testing import check_mechanism
from privior.testing.small_tables import codes

SCHEMA = pv.Schema(
    {
        "y": pv.Categorical(["no", "yes"]),
        "a": pv.Integer(-1, 3),
        "b": pv.Boolean(),
        "c": pv.Categorical(["u", "v", "w"]),
    },
    population="few",
    unit="person",
)
RELATIONS = (pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE)


@pytest.mark.parametrize("formula", ["y ~ a", "y ~ b", "y ~ a + b", "y ~ a*b", "y ~ a + b + c"])
@pytest.mark.parametrize("relation", RELATIONS, ids=str)
def test_no_record_moves_the_moments_farther_than_is_proved(formula: str, relation: pv.Neighbours) -> None:
    """All pairs of all records, by what the mechanism itself counts; a bound 5% smaller is exceeded."""
    model = pv.LogisticRegression(formula)
    law = pv.GaussianMoments(model, SCHEMA, 1, "1e-5", neighbours=relation)
    each = np.array([law._true(ExactRecords(one[np.newaxis])) for one in codes(model, SCHEMA)], float)
    squared, plain = (np.array([float(x) for x in some]) for some in (law.layout.squared, law.layout.plain))
    away = each[:, None] - each[None] if relation is pv.REPLACE_ONE else each
    farthest = float(((away**2) @ squared).max())
    assert farthest <= float(law.layout.l2_squared) * (1 + 1e-12)
    assert float((np.abs(away) @ plain).max()) <= float(law.layout.l1) * (1 + 1e-12)
    if relation is pv.ADD_OR_REMOVE_ONE:
        assert farthest > 0.95 * float(law.layout.l2_squared)


@pytest.mark.parametrize("relation", RELATIONS, ids=str)
@pytest.mark.parametrize("kind", [pv.GaussianMoments, pv.LaplaceMoments])
def test_they_keep_the_contract(kind: Any, relation: pv.Neighbours) -> None:
    model = pv.LogisticRegression("y ~ a + b")
    law = pv.plan(
        model, SCHEMA, records=12, epsilon=2, delta="1e-2", neighbours=relation, mechanism=kind
    ).mechanism
    check_mechanism(law, model, SCHEMA, records=12, neighbours=relation, releases=300)


def some_target(stddev: float | None, public: bool) -> tuple[IndexTarget, Any]:
    rng, d = np.random.default_rng(3), 3
    size = d * (d + 1) // 2 + 2 * d + 3
    target = IndexTarget(
        d, 2, 100.0, public, np.eye(size), 50 * rng.random(size), 0.1 * rng.random(size), stddev, 7.0, 0.3
    )
    points = target.middle + 0.5 * rng.standard_normal((3, target.size))
    if not public:
        points[:, -1] = target.place(60.0)
    return target, points


@pytest.mark.parametrize("public", [True, False])
@pytest.mark.parametrize("stddev", [None, 1.5])
def test_slopes_are_those_of_the_density(stddev: float | None, public: bool) -> None:
    target, points = some_target(stddev, public)
    slopes, step = target.density(points)[1], 1e-5
    for place in range(target.size):
        ahead, behind = points.copy(), points.copy()
        ahead[:, place] += step
        behind[:, place] -= step
        moved = (target.density(ahead)[0] - target.density(behind)[0]) / (2 * step)
        assert np.allclose(moved, slopes[:, place], rtol=1e-5, atol=1e-3)


def test_moments_are_those_of_normal_features_and_a_logistic_target() -> None:
    """Expectations and covariance of X'u given the features, by a million simulated records."""
    target, points = some_target(1.5, public=True)
    cut = target.places
    one = target.parts(points[:1])
    lower, mu, w, first = (one[name][0] for name in ("L", "mu", "w", "first"))
    rng = np.random.default_rng(4)
    z = rng.standard_normal((1_000_000, 3))
    x = mu + z @ lower.T
    p = 1 / (1 + np.exp(-(first + x @ w)))
    points[:, cut[4] : cut[5]] = 0
    plain = target.parts(points[:1])
    assert plain["a"][0] == pytest.approx((p - 0.5).mean(), abs=2e-3)
    assert np.allclose(plain["t"][0], ((p - 0.5)[:, None] * z).mean(axis=0), atol=2e-3)
    rows = np.column_stack([np.ones(len(z)), z])
    known = (rows * (p * (1 - p))[:, None]).T @ rows / len(z)
    found = np.zeros((4, 4))
    for side in range(4):
        points[:, cut[4] : cut[5]] = np.eye(4)[side]
        moved = target.parts(points[:1])
        found[0, side] = moved["a"][0] - plain["a"][0]
        found[1:, side] = moved["t"][0] - plain["t"][0]
    assert np.allclose(target.records * found @ found.T, known, atol=2e-3)
    # a law without the dependence of mean and slope would not pass
    assert not np.allclose(np.eye(4) * plain["q"][0, 0], known, atol=2e-3)


NAMES = [f"x{place}" for place in range(14)]
MANY = pv.Schema(
    {"y": pv.Boolean(), **{name: pv.Integer(0, 100, missing=50) for name in NAMES}},
    population="many",
    unit="person",
)
WIDE = pv.LogisticRegression(target="y", features=NAMES)


@pytest.mark.parametrize(
    ("relation", "records", "epsilon", "name"),
    [
        (pv.REPLACE_ONE, 2000, "0.1", "gaussian-moments"),
        (pv.REPLACE_ONE, 2000, "2", "objective-perturbation"),
        (pv.REPLACE_ONE, 34_000, "0.1", "objective-perturbation"),
        (pv.ADD_OR_REMOVE_ONE, 4000, "0.1", "gaussian-moments"),
        (pv.ADD_OR_REMOVE_ONE, 4000, "1", "objective-perturbation"),
    ],
)
def test_moments_are_planned_where_noise_dominates(
    relation: pv.Neighbours, records: int, epsilon: str, name: str
) -> None:
    plan = pv.plan(WIDE, MANY, records=records, epsilon=epsilon, delta="1e-5", neighbours=relation)
    assert plan.mechanism.name == name
    assert ("why moments" in str(plan)) == (name == "gaussian-moments")


def test_a_pure_release_is_one_of_moments() -> None:
    plan = pv.plan(pv.LogisticRegression("y ~ a + b"), SCHEMA, records=2000, epsilon=1)
    assert plan.mechanism.name == "laplace-moments"
    with pytest.raises(pv.PriviorError, match="need an intercept"):
        pv.plan(pv.LogisticRegression("y ~ a - 1"), SCHEMA, records=2000, epsilon=1)


def released(epsilon: str, records: int = 3000, **more: Any) -> pv.Release:
    rng = np.random.default_rng(7)
    a, b = rng.integers(-1, 4, records), rng.random(records) < 0.4
    yes = rng.random(records) < 1 / (1 + np.exp(-(1.2 * (a - 1) / 2 + 0.8 * (2 * b - 1) - 0.5)))
    table = pa.table({"y": np.where(yes, "yes", "no"), "a": a, "b": b})
    plan = pv.plan(pv.LogisticRegression("y ~ a + b"), SCHEMA, records=records, epsilon=epsilon, **more)
    return pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few", epsilon=20, delta="1e-3"))


def test_weights_intervals_and_predictions_follow(seeded_noise: object) -> None:
    release = released("8", delta="1e-5", mechanism=pv.GaussianMoments)
    posterior = pv.infer(release)
    found = posterior.found.weights
    assert np.allclose(found.mean(axis=0), [-0.5, 1.2, 0.8], atol=0.25)
    assert 0.02 < found.std(axis=0).max() < 0.2
    assert posterior.found.diagnostics.misfit < 2
    frame = {"a": [3, -1], "b": [True, False]}
    chances, ends = posterior.predict_proba(frame), posterior.predict_interval(frame)
    assert chances.sum(axis=1) == pytest.approx([1, 1])
    assert (ends[:, :, 0] < chances).all()
    assert (chances < ends[:, :, 1]).all()
    asked: Any = pv.ask(posterior, "P(y=yes | a=3, b=true)")
    assert asked.mean == pytest.approx(chances[0, 1], abs=0.02)
    again = type(posterior).with_state(posterior.releases, None, posterior.state)
    assert (again.predict_proba(frame) == chances).all()
    assert "about Normal" in " ".join(posterior.assumptions)
    narrow = pv.infer(release, prior=Fraction(1, 10))
    assert np.abs(narrow.weights[1:]).max() < np.abs(posterior.weights[1:]).max()
    with pytest.raises(pv.InferenceError, match="cannot be ignored"):
        pv.infer(release, noise="ignore")
    other = released("8", delta="1e-5", mechanism=pv.ObjectivePerturbation)
    with pytest.raises(pv.InferenceError, match="not put together"):
        type(posterior).given((release, other), None, ignore_noise=False)


def test_the_declared_maximum_may_be_the_number_itself(seeded_noise: object) -> None:
    """The number of records at the end of what is possible stops no chain: with a wall R-hat was 8."""
    release = released("0.5", delta="1e-5", mechanism=pv.GaussianMoments, neighbours="add-or-remove-one")
    found = pv.infer(release).found
    assert found.diagnostics.r_hat < 1.05
    assert found.diagnostics.acceptance > 0.6
    assert np.allclose(found.weights.mean(axis=0), [-0.5, 1.2, 0.8], atol=4 * found.weights.std(axis=0).max())


def test_chains_are_not_asked_about_what_is_public(seeded_noise: object) -> None:
    """Means of the logarithm of 9,000 over halves of chains differ by rounding: R-hat was infinite."""
    posterior = pv.infer(released("8", records=9000, delta="1e-5", mechanism=pv.GaussianMoments))
    assert posterior.found.diagnostics.r_hat < 1.05
    assert posterior.warnings == ()


def test_laplace_noise_is_wider_and_known(seeded_noise: object) -> None:
    posterior = pv.infer(released("8", mechanism=pv.LaplaceMoments))
    assert posterior.found.weights[:, 1].mean() == pytest.approx(1.2, abs=0.4)
    assert posterior.releases[0].plan.cost.delta == 0
