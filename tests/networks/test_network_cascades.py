"""Cascades alone, against all data sets of a few records listed one by one."""

from __future__ import annotations

import inspect
from functools import cache
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from listed_data_sets import by_listing
from numba import njit

import privior as pv
from privior.models import ExactStatistics, Observed
from privior.posterior.networks import joint_cascades
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import joint_evidence
from privior.posterior.tables.counts_given import total_of

RECORDS = 5
LEVELS = {"a": 2, "b": 3, "c": 2}
#: what follows what: through a neighbouring clique, or both in one row
GRAPHS = {"chain": {"a": [], "b": ["a"], "c": ["b"]}, "triangle": {"a": [], "b": ["a"], "c": ["a", "b"]}}
#: the root of the mean square of standardised differences: about 1 for the right law
LARGE = 1.7


@cache
def case(graph: str) -> tuple[JointChains, np.ndarray]:
    """Return chains over a network, and the expected entries of its tables."""
    parents = GRAPHS[graph]
    columns = {name: pv.Categorical([str(one) for one in range(many)]) for name, many in LEVELS.items()}
    schema = pv.Schema(columns, population="few", unit="person")
    model = pv.BayesianNetwork(parents, prior="3/4")
    plan = pv.plan(model, schema, records=RECORDS, epsilon=3, delta="1e-2", mechanism=pv.GaussianTables)
    draw = np.random.default_rng(2)
    numbers = tuple(tuple(draw.integers(-1, 4, size=one.size).tolist()) for one in plan.mechanism.layouts)
    observed = Observed(plan.mechanism.layouts, numbers)
    release: Any = SimpleNamespace(plan=plan, statistics=observed)
    priors = dict(zip(model.columns, model.parameters(schema), strict=True))
    wanted = by_listing(
        model.parents,
        LEVELS,
        {node: np.asarray(one).reshape(-1, LEVELS[node]) for node, one in priors.items()},
        [RECORDS],
        lambda counts: plan.mechanism.log_likelihood(observed, ExactStatistics(counts)),
    )
    chains = JointChains(
        joint_evidence([release], model, total_of([release])), model.parameters(schema), 1, chains=1
    )
    return chains, np.concatenate([wanted.tables[node].ravel() for node in model.columns])


def walking(names: dict[str, Any]) -> Any:
    """Return a loop that tries cascades of all nodes, and stores states."""
    cascade = names["cascade"]

    @njit
    def walk(rng, many, tables, paths, nodes, noise, state, scratch, places, states):  # type: ignore[no-untyped-def]
        for row in range(states.shape[0]):
            for _ in range(many):
                node = int(rng.random() * nodes.column.size)
                cascade(rng, node, tables, paths, nodes, noise, state.counts, state.prior, scratch)
            states[row] = state.counts[places]

    return walk


def far_off(graph: str, walk: Any) -> float:
    """Return how many standard errors the entries are away after many cascades."""
    chains, wanted = case(graph)
    states = np.zeros((60_000, wanted.size), dtype=np.int64)
    walk(
        *(np.random.default_rng(3), 6, chains.tables, chains.paths, chains.nodes, chains.noise),
        *(chains.states[0], chains.scratch[0], chains.layout.places, states),
    )
    chances = chains.chances(states + chains.states[0].prior[chains.layout.places])[0]
    batches = chances.reshape(60, -1, wanted.size).mean(axis=1)
    error = batches.std(axis=0, ddof=1) / np.sqrt(len(batches))
    return float(np.sqrt(np.mean(((batches.mean(axis=0) - wanted) / (error + 1e-5)) ** 2)))


@pytest.fixture(scope="module")
def walk() -> Any:
    """The walk by the package's own cascades, compiled once."""
    return walking(vars(joint_cascades))


@pytest.mark.parametrize("graph", GRAPHS)
def test_cascades_keep_the_law_of_all_data_sets(graph: str, walk: Any) -> None:
    assert far_off(graph, walk) < LARGE


#: a line of a cascade, and what is planted there
PLANTED = {
    "the record counts itself": ("p, q = (counts[old + y] - 1 + prior", "p, q = (counts[old + y] + prior"),
    "what is below stays": ("                    if x != y:", "                    if x > 9:"),
    "the choice of records forgotten": ("gain -= rise(counts[q] + 1.0, d) + rise(", "gain -= 0 * rise("),
    "a step bound by the source alone": ("log_uniform(min(float(both)", "log_uniform(min(float(counts[p])"),
    "the Hastings term of a split upside down": (
        "d = more - counts[q]",
        "d, gain = more - counts[q], -gain",
    ),
    "a rejected record stays changed": (
        "range(many):\n        for s in",
        "range(many - 1):\n        for s in",
    ),
}


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(fault, marks=[] if "split" in fault else [pytest.mark.slow], id=fault)
        for fault in PLANTED
    ],
)
def test_a_planted_fault_is_noticed(fault: str) -> None:
    right, wrong = PLANTED[fault]
    source = inspect.getsource(joint_cascades)
    assert source.count(right) == 1
    source = source.replace(right, wrong).replace("@inner", "@njit").replace("cache=True, ", "")
    names: dict[str, Any] = {"__name__": "planted"}
    exec(source, names)
    wrong_walk = walking(names)
    assert any(far_off(graph, wrong_walk) > LARGE for graph in GRAPHS)
