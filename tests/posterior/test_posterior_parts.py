"""Averages, marginal counts and the two parts of the variance, against simulation and brute force."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from privior.models.statistics import Observed
from privior.posterior.counts.chain_counts import chain_counts
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.events import quoted

SCHEMA = pv.Schema(
    {"sex": pv.Categorical(["f", "m"]), "age": pv.Integer(3, 5), "smoker": pv.Boolean()},
    population="p",
    unit="person",
)
ROWS = [("f", 3, True)] * 20 + [("f", 5, False)] * 13 + [("m", 4, False)] * 30 + [("m", 5, True)] * 7
#: a noise of the tests' own, since real noise is new each time and simulations are compared here
NOISY = (-2, 21, 1, -1, 15, 2, 0, 1, 28, -1, -1, 7)
MANY = 100_000


def release_of(epsilon: object = 1, **facts: object) -> pv.Release:
    table = pa.table({name: [row[at] for row in ROWS] for at, name in enumerate(SCHEMA.columns)})
    model = pv.DirichletCategorical(("sex", "age", "smoker"), prior=1)
    plan = pv.plan(model, SCHEMA, records=len(ROWS), epsilon=epsilon, **facts)  # type: ignore[arg-type]
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory())
    return replace(release, statistics=Observed.of(NOISY))


@pytest.fixture(scope="module")
def posterior() -> pv.CategoricalPosterior:
    found: pv.CategoricalPosterior = pv.infer(release_of())
    return found


@pytest.fixture(scope="module")
def private_total() -> pv.CategoricalPosterior:
    found: pv.CategoricalPosterior = pv.infer(release_of(neighbours=pv.ADD_OR_REMOVE_ONE))
    return found


def test_averages(posterior: pv.CategoricalPosterior) -> None:
    theta = posterior.draws(MANY, seed=1).reshape(MANY, 2, 3, 2)
    average = posterior.average("age")
    assert average.name == "mean(age)"
    assert average.mean == pytest.approx(posterior.mean().reshape(2, 3, 2).sum(axis=(0, 2)) @ [3, 4, 5])
    ends = np.quantile(theta.sum(axis=(1, 3)) @ [3, 4, 5], [0.05, 0.95])
    assert average.interval(0.9) == pytest.approx(tuple(ends), abs=0.02)
    given = posterior.average("age", given={"sex": "f", "smoker": [True, False]})
    assert given.name == "mean(age | sex=f, smoker in {false, true})"
    women = theta[:, 0].sum(axis=2)
    assert given.mean == pytest.approx(np.mean(women @ [3, 4, 5] / women.sum(axis=1)), abs=0.02)
    assert posterior.average("smoker").mean == pytest.approx(posterior.probability({"smoker": True}).mean)
    for column, says in (("sex", "not numbers"), ("weight", "not a column")):
        with pytest.raises(pv.InferenceError, match=says):
            posterior.average(column)


def test_names_are_questions(posterior: pv.CategoricalPosterior) -> None:
    assert posterior.probability({"sex": "f"}).name == "P(sex=f)"
    both = posterior.probability({"age": {5, 3}}, given={"smoker": "yes"})
    assert both.name == "P(age in {3, 5} | smoker=true)"
    assert quoted("a, b") == "'a, b'"


@pytest.mark.parametrize("kind", ["posterior", "private_total"])
def test_marginal_counts(kind: str, request: pytest.FixtureRequest) -> None:
    found: pv.CategoricalPosterior = request.getfixturevalue(kind)
    whole = found.counts()
    tables = whole.draws(MANY, seed=2).reshape(MANY, 2, 3, 2)
    marginal = found.counts("smoker", "sex")
    sums = tables.sum(axis=2).transpose(0, 2, 1).reshape(MANY, 4)
    assert marginal.mean() == pytest.approx(whole.mean().reshape(2, 3, 2).sum(axis=1).T.ravel())
    assert marginal.mean() == pytest.approx(sums.mean(axis=0), abs=0.1)
    assert marginal.stddev() == pytest.approx(sums.std(axis=0), rel=0.05)
    expected = np.quantile(sums, [0.05, 0.95], axis=0, method="inverted_cdf").T
    assert np.abs(marginal.interval(0.9) - expected).max() <= 1
    again = whole.draws(5, seed=2).reshape(5, 2, 3, 2).sum(axis=2).transpose(0, 2, 1).reshape(5, 4)
    assert np.array_equal(marginal.draws(5, seed=2), again)
    assert marginal.draws(7, seed=0).shape == (7, 4)
    if kind == "posterior":
        assert (marginal.draws(50, seed=0).sum(axis=1) == len(ROWS)).all()


def test_all_columns_in_any_order_are_exact(posterior: pv.CategoricalPosterior) -> None:
    whole = posterior.counts()
    assert posterior.counts("sex", "age", "smoker") == whole
    turned = posterior.counts("smoker", "sex", "age")
    assert turned.latent.exact

    def put(values: np.ndarray) -> np.ndarray:
        return values.reshape(2, 3, 2).transpose(2, 0, 1).ravel()

    assert np.array_equal(turned.mean(), put(whole.mean()))
    assert np.array_equal(turned.stddev(), put(whole.stddev()))
    assert np.array_equal(turned.interval(0.8)[:, 1], put(whole.interval(0.8)[:, 1]))
    assert np.array_equal(turned.draws(1, seed=3)[0], put(whole.draws(1, seed=3)[0]))
    assert not posterior.counts("smoker").latent.exact
    for columns, says in ((("sex", "sex"), "twice"), (("weight",), "not a column")):
        with pytest.raises(pv.InferenceError, match=says):
            posterior.counts(*columns)


@pytest.mark.parametrize("kind", ["posterior", "private_total"])
def test_variance_parts(kind: str, request: pytest.FixtureRequest) -> None:
    found: pv.CategoricalPosterior = request.getfixturevalue(kind)
    parts = found.variance_parts()
    assert parts.total == pytest.approx(found.stddev() ** 2, rel=1e-12)
    first = 1.0 + found.counts().draws(MANY, seed=4)
    size = first.sum(axis=1, keepdims=True)
    share = first / size
    assert parts.privacy == pytest.approx(share.var(axis=0), rel=0.1)
    assert parts.sampling == pytest.approx((share * (1 - share) / (size + 1)).mean(axis=0), rel=0.03)
    assert found.draws(MANY, seed=5).var(axis=0) == pytest.approx(parts.total, rel=0.1)
    if kind == "posterior":
        exact = (found.counts().stddev() / (len(ROWS) + 12)) ** 2
        assert parts.privacy == pytest.approx(exact, rel=1e-9)


def test_less_noise_leaves_less_to_privacy() -> None:
    loud, quiet = (pv.infer(release_of(epsilon)).variance_parts() for epsilon in ("0.3", 20))
    assert quiet.privacy.sum() < 0.05 * loud.privacy.sum()
    ignored = pv.infer(release_of(), noise="ignore")
    assert (ignored.variance_parts().privacy == 0).all()
    assert ignored.variance_parts().sampling == pytest.approx(ignored.stddev() ** 2, rel=1e-12)


def test_variance_parts_of_chains() -> None:
    release = release_of()
    noise = release.plan.mechanism.cell_noise
    assert noise is not None
    evidence = CellEvidence(release.statistics.array(), noise.rates, noise.curvatures)
    latent = chain_counts([evidence], np.ones(12), Total(len(ROWS), known=True))
    sampled = pv.CategoricalPosterior((release,), release.plan.model, latent)
    exact = pv.infer(release).variance_parts()
    parts = sampled.variance_parts()
    assert parts.total == pytest.approx(sampled.stddev() ** 2, rel=1e-12)
    assert parts.sampling == pytest.approx(exact.sampling, rel=0.1)
    assert parts.privacy.sum() == pytest.approx(exact.privacy.sum(), rel=0.3)
