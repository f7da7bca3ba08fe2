"""Private MAP: a draw from a public grid, by the likelihood or as published; all tables enumerated."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import privior as pv
from chi_square import fits
from privior.mechanisms import to_mechanism
from privior.models import ExactStatistics, Observed
from privior.privacy.hellinger import all_tables

SCHEMA = pv.Schema(
    {
        **{name: pv.Boolean() for name in "abc"},
        "pips": pv.Integer(0, 6),
        "error": pv.Bounded(-2, 2, grid="0.5"),
        "kind": pv.Categorical(["x", "y", "z"]),
    },
    population="few",
    unit="person",
)
ARC = pv.BayesianNetwork({"a": [], "b": ["a"]}, prior=2)
CHAIN = pv.BayesianNetwork({"a": [], "b": ["a"], "c": ["b"]}, prior=1)


def laws(plan: pv.Plan, records: int, strength: float | None) -> dict[tuple[int, ...], np.ndarray]:
    """The chance of every model for every table, from the definition."""
    family: Any = plan.model
    prior = np.array([float(one) for one in family.prior])
    chances = np.array([[float(one) for one in law] for law in family.chances])
    found = {}
    for table in all_tables(records, chances.shape[1]):
        likelihood = np.prod(chances ** np.array(table), axis=1)
        if strength is None:
            weights = prior * likelihood ** float(plan.mechanism.weight)
        else:
            posterior = prior * likelihood / (prior * likelihood).sum()
            weights = prior * np.exp(strength * posterior)
        found[tuple(int(one) for one in table)] = weights / weights.sum()
    return found


def largest_loss(found: dict[tuple[int, ...], np.ndarray]) -> float:
    most = 0.0
    for table, law in found.items():
        for i, j in itertools.permutations(range(len(table)), 2):
            if table[i]:
                other = [count - (k == i) + (k == j) for k, count in enumerate(table)]
                most = max(most, float(np.abs(np.log(law / found[tuple(other)])).max()))
    return most


@pytest.mark.parametrize(("model", "steps", "records"), [(ARC, 4, 4), (CHAIN, 3, 3)])
def test_networks_of_two_and_three_nodes_by_enumeration(model: Any, steps: int, records: int) -> None:
    """The loss over all tables is what is asked for at most; the weight is no smaller than need be."""
    tempered = pv.PrivateMAP(model, steps).plan(SCHEMA, records=records, epsilon="0.7")
    truth = laws(tempered, records, None)
    assert 0.69 < largest_loss(truth) <= 0.7 * (1 + 1e-9)
    law: Any = tempered.mechanism
    assert law.weight < 1
    with pytest.raises(pv.PlanError, match="does not give the stated guarantee"):
        pv.ModelDraws(law.model, records, "0.7", weight=law.weight * 2, point=True)
    published = pv.PrivateMAP(model, steps, published=True).plan(SCHEMA, records=records, epsilon="0.7")
    scored: Any = published.mechanism
    chances = np.log([[float(one) for one in row] for row in scored.model.chances])
    ratios = chances[:, :, None] - chances[:, None, :]
    eta = float((ratios.max(axis=0) - ratios.min(axis=0)).max())
    assert float(scored.moved) == pytest.approx(math.tanh(eta / 4), rel=1e-9)
    exact = laws(published, records, 0.7 / (2 * math.tanh(eta / 4)))
    assert 0 < largest_loss(exact) <= 0.7
    for plan, found in ((tempered, truth), (published, exact)):
        mechanism: Any = plan.mechanism
        for table in list(found)[::7]:
            stated = mechanism.log_laws(np.array([table]))[0]
            assert np.exp(stated) == pytest.approx(found[table], abs=1e-9)
        assert plan.cost == pv.Budget.of("0.7")


@pytest.mark.parametrize("published", [False, True])
def test_draws_follow_the_law_and_no_other(published: bool) -> None:
    """Eight records, epsilon so large that the form of the score is seen."""
    family = pv.FiniteFamily("a", {"low": ["3/4", "1/4"], "even": ["1/2", "1/2"], "high": ["1/4", "3/4"]})
    plan = pv.PrivateMAP(family, published=published).plan(SCHEMA, records=8, epsilon=4)
    law: Any = plan.mechanism
    counts = ExactStatistics(np.array([2, 6]))
    sample = [law.release(counts).counts.index(1) for _ in range(1500)]
    exact = {
        place: math.exp(law.log_likelihood(one, counts))
        for place, one in enumerate(map(Observed.of, ((1, 0, 0), (0, 1, 0), (0, 0, 1))))
    }
    assert sum(exact.values()) == pytest.approx(1)
    assert fits(sample, exact)
    other: Any = pv.PrivateMAP(family, published=published).plan(SCHEMA, records=8, epsilon="1.5").mechanism
    assert not fits(sample, dict(enumerate(np.exp(other.log_laws(np.array([[2, 6]]))[0]))))


def test_a_point_may_be_sharper_than_the_posterior() -> None:
    """Above the range of the log likelihood ratio the weight is above 1; the posterior's own stays at 1."""
    family = pv.PrivateMAP(pv.BetaBernoulli("a"), ["0.3", "0.5", "0.7"]).family(SCHEMA)
    point = pv.ModelDraws(family, 400, 8, point=True)
    assert point.weight > 4
    assert pv.ModelDraws(family, 400, 8).weight == 1
    assert 8 - 1e-4 < float(point.guarantee.cost.epsilon) <= 8
    at = point.log_laws(np.array([[270, 130]]))[0]
    assert int(np.argmax(at)) == 0
    assert np.exp(at[0]) > 0.99


@pytest.mark.parametrize(
    ("model", "grid"),
    [
        (pv.BetaBernoulli("a", pv.Beta(2, 3)), 9),
        (pv.BetaBinomial("pips", 6), ["0.1", "0.5", "0.8"]),
        (pv.GammaPoisson("pips", pv.Gamma(3, 2)), 7),
        (pv.NormalMean("error", pv.Normal(0, stddev=2), stddev=1), ["-1", "0", "1"]),
        (pv.LaplaceScale("error", 0, pv.Gamma(3, 2)), 4),
        (pv.DirichletCategorical("kind", prior=2), 5),
    ],
    ids=lambda one: getattr(one, "family", ""),
)
def test_every_family_with_a_grid(model: Any, grid: Any) -> None:
    """The chances are those of the family at its grid, the base measure is the prior's density there."""
    door = pv.PrivateMAP(model, grid)
    family = door.family(SCHEMA)
    assert all(sum(law) == 1 for law in family.chances)
    plan = door.plan(SCHEMA, records=60, epsilon=2)
    assert plan.mechanism.name == "model-draws"
    column = model.columns[0]
    values: Any = {
        "a": [True, False, False],
        "pips": [1, 2, 3],
        "error": [0.5, 0, -0.5],
        "kind": ["x", "y", "x"],
    }[column]
    release = pv.measure(
        plan, pa.table({column: values * 20}), ledger=pv.Ledger.in_memory(population="few", epsilon=2)
    )
    assert release.draws.shape == (1, len(family.chances[0]))
    assert pv.infer(release).best() in family.names
    if model.family == "beta-bernoulli":
        assert float(family.prior[0] / family.prior[4]) == pytest.approx(
            _beta(family.chances[0][1]) / _beta(family.chances[4][1]), rel=1e-9
        )


def _beta(x: Any) -> float:
    return float(x) * (1 - float(x)) ** 2


def test_what_is_written_is_read_and_old_files_stay_as_they_are() -> None:
    family = pv.FiniteFamily("a", {"low": ["3/4", "1/4"], "high": ["1/4", "3/4"]}, [1, 2])
    for options, entry in (({}, None), ({"point": True}, "point"), ({"published": True}, "published")):
        made = pv.ModelDraws(family, 9, 2, **options)  # type: ignore[arg-type]
        document = made.to_document()
        assert {"point", "published"} & set(document) == ({entry} if entry else set())
        assert to_mechanism(document, family, SCHEMA) == made
    assert pv.PrivateMAP(family, base=(1, 5)).family(SCHEMA).prior == (Fraction(1), Fraction(5))


def test_what_does_not_fit_is_refused() -> None:
    for door, says in (
        (pv.PrivateMAP(CHAIN, 12), "too many points"),
        (pv.PrivateMAP(CHAIN, 1), "number of steps"),
        (pv.PrivateMAP(pv.BetaBernoulli("a")), "grid of the parameter"),
        (pv.PrivateMAP(pv.BetaBernoulli("a"), ["0", "0.5"]), "no density|excludes"),
        (pv.PrivateMAP(ARC, 3, base=(1, 2)), "one weight for each point"),
        (pv.PrivateMAP(pv.NormalMeanPrecision("error", pv.NormalGamma(0, 1, 3, 2)), 3), "no grid"),
    ):
        with pytest.raises(pv.PriviorError, match=says):
            door.plan(SCHEMA, records=9, epsilon=1)
    with pytest.raises(pv.PlanError, match="not both"):
        pv.ModelDraws(pv.PrivateMAP(ARC, 3).family(SCHEMA), 9, 1, point=True, published=True)


def test_grids_are_listed_by_their_points_alone() -> None:
    """Eight levels and nine steps: eight points, where listing all numbers of steps would take 8^8."""
    eight = pv.Schema({"a": pv.Integer(0, 7)}, population="few", unit="person")
    plan = pv.PrivateMAP(pv.BayesianNetwork({"a": []}, prior=1), 9).plan(eight, records=9, epsilon=1)
    family: Any = plan.model
    assert len(family.chances) == 8
    with pytest.raises(pv.PlanError, match="a single point"):
        pv.PrivateMAP(pv.BayesianNetwork({"a": []}, prior=1), 8).plan(eight, records=9, epsilon=1)


def test_points_name_their_nodes_and_rows_and_the_grid_is_said() -> None:
    """A network's point is read without the order of its tables at hand."""
    plan = pv.PrivateMAP(ARC, 4).plan(SCHEMA, records=40, epsilon=3)
    family: Any = plan.model
    assert "a: 1/4 3/4; b given a=false: 1/2 1/2; b given a=true: 3/4 1/4" in family.names
    place = family.names.index("a: 1/4 3/4; b given a=false: 1/2 1/2; b given a=true: 3/4 1/4")
    assert family.chances[place] == (Fraction(1, 8), Fraction(1, 8), Fraction(9, 16), Fraction(3, 16))
    table = pa.table({"a": [True, False] * 20, "b": [True, True] * 20})
    posterior = pv.infer(pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="few", epsilon=3)))
    (said,) = posterior.assumptions
    assert f"one of these {len(family.names)} models" in said
    assert "between two of them is not in the intervals" in posterior.findings()[0].words()
