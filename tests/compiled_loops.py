"""Compile the loops of inference before the tests begin: else each process of tests would, in a new clone.

What is compiled is kept beside the source, and loaded from there by whoever runs it next.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

import privior as pv
from privior.models import LearnedPrior, Observed
from privior.posterior.counts import chain, chain_counts, halving_loops, halving_sums, splitting
from privior.posterior.counts.compiled import Compiled
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.halved_counts import halved_counts
from privior.posterior.networks import (
    class_births,
    class_cells,
    class_learning,
    class_walk,
    joint_cascades,
    joint_learning,
    joint_numbers,
    joint_records,
    joint_sticks,
    joint_swaps,
    joint_walk,
)
from privior.posterior.networks.class_chains import ClassChains
from privior.posterior.networks.joint_chains import JointChains
from privior.posterior.networks.joint_evidence import joint_evidence
from privior.posterior.regression import moments_law
from privior.posterior.regression.moments_target import MomentsTarget, WeightLaw
from privior.posterior.tables.counts_given import total_of

#: where they are
_MODULES = (
    *(chain, halving_loops, halving_sums, splitting),
    *(class_births, class_cells, class_learning, class_walk, joint_sticks, joint_walk),
    *(joint_cascades, joint_learning, joint_numbers, joint_records, joint_swaps, moments_law),
)


def run() -> None:
    """Run each of them on next to nothing."""
    seen = [CellEvidence(np.array([300, 40, 5]), np.full(3, 0.3), np.zeros(3))]
    chain_counts._CountChains(seen, np.ones(3), Total(400, True), 1).run(1, 1)
    law, draws = np.full(2, 0.5), np.zeros(1, dtype=np.int64)
    splitting.split(law, law.cumsum(), law, draws, np.random.default_rng(1), draws.copy())
    Compiled.loaded = True
    halved_counts(seen, (3,), (True,), LearnedPrior(), Total(400, False), seed=1)
    network()
    regression()


def network() -> None:
    """Run a chain over a network of two columns, one of which learns its prior."""
    answers = pv.Categorical(["no", "yes"])
    schema = pv.Schema({"a": answers, "b": answers}, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"]})
    plan = pv.plan(model, schema, records=9, epsilon=1, mechanism=pv.LaplaceTables)
    numbers = tuple((2,) * layout.size for layout in plan.mechanism.layouts)
    release: Any = SimpleNamespace(plan=plan, statistics=Observed(plan.mechanism.layouts, numbers))
    evidence = joint_evidence([release], plan.model, total_of([release]))
    joint_sticks.box_table(1.0, 1.0, 1.0, 0.1, 2)
    for kind in (JointChains, ClassChains):
        kind(evidence, plan.model.parameters(schema), seed=1, chains=1).run(1, 8, 1, lambda part: None)


def regression() -> None:
    """Ask for the density of the latent moments of one feature."""
    facts = (np.eye(6), np.zeros(6), np.ones(6), WeightLaw(), np.eye(1), 5.0)
    MomentsTarget(1, 1, 9.0, True, True, *facts).density(np.zeros((1, 9)))


def signatures() -> dict[str, int]:
    """Return for how many kinds of arguments each loop is kept."""
    loops: dict[str, Any] = {
        f"{module.__name__}.{name}": one.fast if isinstance(one, Compiled) else one
        for module in _MODULES
        for name, one in vars(module).items()
        if isinstance(one, Compiled) or hasattr(one, "py_func")
    }
    return {name: len(one._cache._cache_file._load_index()) for name, one in loops.items()}


if __name__ == "__main__":
    run()
