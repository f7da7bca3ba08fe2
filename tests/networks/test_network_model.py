"""What a network is: graphs, priors, documents, tables; and what is refused before anything is read."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.mechanisms.networks.node_tables import MOST_SCALES, shares
from privior.models import to_model

SCHEMA = pv.Schema(
    {
        name: pv.Categorical([f"{name}{level}" for level in range(size)])
        for name, size in zip("abcd", (2, 3, 2, 4), strict=True)
    },
    population="few",
    unit="person",
)
GRAPH: dict[str, list[str]] = {"c": ["a", "b"], "a": [], "b": ["a"]}


@pytest.mark.parametrize(
    ("graph", "says"),
    [
        ({"a": ["b"], "b": ["c"], "c": ["a"]}, r"cycle(.|\n)*leave one of these parents out"),
        ({"a": ["a"]}, "its own"),
        ({"a": ["z"]}, "no node of the network"),
        ({"a": [], "b": ["a", "a"]}, "twice"),
        ({"a": "bc"}, "not a list of nodes"),
        ({"a": [["b"]], "b": []}, "no node of the network"),
        ({"a": [], "b": "a"}, r"not a list of nodes(.|\n)*a list too: \[\"a\"\]"),
        ({}, "no nodes"),
        ({"a": [], 3: []}, "without a name"),
        (7, "not the graph"),
    ],
)
def test_a_graph_that_is_none_is_refused(graph: Any, says: str) -> None:
    with pytest.raises(pv.ModelError, match=says) as refused:
        pv.BayesianNetwork(graph)
    assert "Nothing was spent" in str(refused.value)


def test_a_prior_may_be_nested_as_deeply_as_a_file_likes() -> None:
    deep: object = [1, 2]
    for _ in range(5000):
        deep = [deep]
    assert pv.BayesianNetwork({"a": []}, prior={"a": deep}) == pv.BayesianNetwork(
        {"a": []}, prior={"a": [1, 2]}
    )


def test_a_cycle_is_named() -> None:
    with pytest.raises(pv.ModelError) as refused:
        pv.BayesianNetwork({"a": ["c"], "b": ["a"], "c": ["b"], "d": ["a"]})
    assert refused.value.asked == "a -> b -> c -> a"


def test_what_does_not_fit_the_schema_is_refused_when_it_is_planned() -> None:
    def planned(model: Any, schema: pv.Schema = SCHEMA, **more: Any) -> pv.Plan:
        return pv.plan(model, schema, records=10, epsilon=1, **more)

    with pytest.raises(pv.SchemaError):
        planned(pv.BayesianNetwork({"z": []}))
    wide = {f"x{place}": pv.Integer(0, 99) for place in range(4)}
    large = pv.Schema(wide, population="few", unit="person")
    with pytest.raises(pv.ModelError, match="too many cells, that of x3 100000000"):
        planned(pv.BayesianNetwork({name: list(wide)[:place] for place, name in enumerate(wide)}), large)
    with pytest.raises(pv.ModelError, match="one parameter per entry") as refused:
        planned(pv.BayesianNetwork({"a": []}, prior={"a": [1, 2, 3]}))
    assert refused.value.where == "a"
    with pytest.raises(pv.ModelError, match="name every node"):
        pv.BayesianNetwork(GRAPH, prior={"a": 1})
    with pytest.raises(pv.ModelError, match="features"):
        pv.NaiveBayes("a", ["a", "b"])
    with pytest.raises(pv.PlanError, match="not a mechanism for bayesian-network"):
        planned(pv.BayesianNetwork(GRAPH), mechanism=pv.KNorm)
    with pytest.raises(pv.PlanError, match="not a mechanism for dirichlet-categorical"):
        planned(pv.DirichletCategorical("a"), mechanism=pv.LaplaceTables)
    with pytest.raises(pv.PlanError, match="delta > 0"):
        planned(pv.BayesianNetwork(GRAPH), mechanism=pv.GaussianTables)
    dropping = pv.Schema({"a": pv.Categorical(["x", "y"], missing=pv.DROP)}, population="few", unit="person")
    with pytest.raises(pv.ModelError, match="dropped under replace-one"):
        planned(pv.BayesianNetwork({"a": []}), dropping)


@pytest.mark.parametrize(
    ("prior", "of_c"),
    [
        ("1/2", [Fraction(1, 2)] * 12),
        (pv.BDeu(6), [Fraction(1, 2)] * 12),
        ({"bdeu": 6}, [Fraction(1, 2)] * 12),
        ({"a": 1, "b": np.ones((2, 3)), "c": [[[1, 2]] * 3] * 2}, [Fraction(1), Fraction(2)] * 6),
        ("learned", None),
        (pv.ExchangeablePrior(), None),
    ],
)
def test_priors_are_read_and_written(prior: Any, of_c: list[Fraction] | None) -> None:
    model = pv.BayesianNetwork(GRAPH, prior=prior)
    found = model.prior.of("c", 12)
    assert (None if found is None else list(found)) == of_c
    assert to_model(model.to_document()) == model
    assert model.with_prior(model.prior) == model
    assert model.with_prior(3).prior.of("a", 2) == (Fraction(3), Fraction(3))
    assert str(model).startswith("BayesianNetwork(3 nodes, 3 arcs, prior ")


@pytest.mark.parametrize("prior", [0, -1, "many", {"bdeu": 0}, {"a": "x"}, {}, True, None, [1, 2]])
def test_a_prior_that_is_none_is_refused(prior: Any) -> None:
    with pytest.raises(pv.ModelError):
        pv.BayesianNetwork({"a": []}, prior=prior)


def test_the_order_of_the_nodes_is_part_of_the_plan() -> None:
    """Tables are released in it, so two orders are two plans: `nodes` is a list in files."""
    plans = [
        pv.plan(pv.BayesianNetwork(graph, prior=1), SCHEMA, records=10, epsilon=1)
        for graph in (GRAPH, dict(sorted(GRAPH.items())))
    ]
    assert plans[0].digest != plans[1].digest
    assert pv.Plan.from_document(plans[0].to_document()) == plans[0]
    assert [one.name for one in plans[0].mechanism.layouts] == ["c", "a", "b"]
    assert [one.shape for one in plans[0].mechanism.layouts] == [(6, 2), (1, 2), (2, 3)]
    assert plans[0].model.order == ("a", "b", "c")


def test_shares_follow_from_the_numbers_of_cells() -> None:
    sizes = (2, 2, 8, 8, 12, 50, 54, 300, 4)
    found = shares(sizes)
    assert sum(found) == 1
    assert len(set(found)) == MOST_SCALES
    assert [found[place] for place in np.argsort(sizes)] == sorted(found)
    assert float(found[7] / found[0]) == pytest.approx((300 / 2) ** 0.5, rel=0.2)
    assert shares((4, 16)) == (Fraction(1, 3), Fraction(2, 3))
    assert set(shares((6,) * 40)) == {Fraction(1, 40)}


def test_scales_that_promise_less_are_refused() -> None:
    for kind in (pv.LaplaceTables, pv.GaussianTables):
        plan = pv.plan(
            pv.BayesianNetwork(GRAPH, prior=1), SCHEMA, records=10, epsilon=1, delta="1e-5", mechanism=kind
        )
        document: Any = plan.to_document()
        for wrong in (
            [one * 15 // 16 for one in plan.mechanism.scales],
            plan.mechanism.scales[:-1],
            "1",
            [0, 0, 0],
        ):
            written = [str(one) for one in wrong] if not isinstance(wrong, str) else wrong
            with pytest.raises(pv.PlanError):
                pv.Plan.from_document({**document, "mechanism": {**document["mechanism"], "scales": written}})


def test_a_plan_tells_size_effort_and_which_tables_drown() -> None:
    model = pv.BayesianNetwork({"a": [], "b": ["a"], "c": ["a", "b"], "d": ["a", "b", "c"]}, prior=1)
    plan = pv.plan(model, SCHEMA, records=500, epsilon="0.5")
    facts = dict(plan.facts())
    assert facts["model"].endswith("4 tables, 68 cells in all, the largest 48")
    assert "MB" in facts["inference"]
    assert any(
        warning.startswith("The noise drowns 1 of 4 tables") and ": d." in warning
        for warning in plan.warnings
    )
    more = pv.plan(model, SCHEMA, records=100_000, epsilon=4)
    assert not any("drowns" in warning for warning in more.warnings)
    assert more.forecast.error < plan.forecast.error < plan.without_release.error
    assert plan.without_noise.error < plan.forecast.error


def test_sensitivity_adds_up_over_the_tables() -> None:
    unit = pv.Unit("person", column="who", max_rows=3)
    several = pv.Schema(dict(SCHEMA.columns), population="few", unit=unit)
    model = pv.BayesianNetwork(GRAPH, prior=1)
    replaced = model.sensitivity(several, pv.REPLACE_ONE)
    assert (replaced.l1, replaced.l2_squared, replaced.total_fixed) == (18, 54, False)
    assert model.sensitivity(several, pv.ADD_OR_REMOVE_ONE).l1 == 9
    plan = pv.plan(model, several, records=50, epsilon=1, delta="1e-5", mechanism=pv.GaussianTables)
    assert plan.guarantee.reason.startswith("concentrated divergence")
    assert sum(6 / scale for scale in pv.plan(model, several, records=50, epsilon=1).mechanism.scales) <= 1
