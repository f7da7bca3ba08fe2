"""What inference takes is told before the spend, from public facts."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import privior as pv
from privior.forecasting.effort import MOST_COST, Effort
from privior.plans import Plan
from privior.posterior.counts import total_blocks
from privior.posterior.counts.dirichlet_blocks import DirichletBlocks
from privior.posterior.counts.dirichlet_weights import DirichletWeights
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.exact_counts import exact_counts


def plan_of(cells: int, records: int = 1000, **more: Any) -> Plan:
    schema = pv.Schema({"x": pv.Integer(1, cells)}, population="p", unit="person")
    return pv.plan(pv.DirichletCategorical("x", prior=1), schema, records=records, epsilon=1, **more)


def told(plan: pv.Plan) -> list[str]:
    return [line for line in plan.warnings if "Inference" in line or "posterior of" in line]


def test_a_large_table_is_announced_and_a_small_one_is_not() -> None:
    assert told(plan_of(100)) == []
    (line,) = told(plan_of(100_000))
    assert "s of one core" in line
    assert "MB" in line
    assert line in str(plan_of(100_000))


def test_what_cannot_be_summed_is_announced_with_what_to_do() -> None:
    plan = plan_of(400_000)
    (line,) = told(plan)
    assert "cannot be summed exactly" in line
    assert "Take fewer cells" in line
    million = Effort.of(10**6, 50, 1000, known=True)
    assert million.about == "about 30 s"
    assert million.in_short == "about 30 s of one core, by sampling"
    assert "for about 20 s of one core, and may not converge" in line
    assert "only single cells can be asked" in line
    assert million.warning() == line.replace("400000", "1000000").replace("about 20 s", "about 30 s")
    wide = Effort(150_000, 2 * MOST_COST, 1.0)  # whole tables of fewer cells are kept
    assert "single cells" not in wide.warning()


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_the_estimate_is_near_what_the_sum_counts_itself(relation: pv.Neighbours) -> None:
    plan = plan_of(1500, mechanism=pv.LaplaceCounts, neighbours=relation)
    rng = np.random.default_rng(5)
    noise = plan.mechanism.cell_noise
    assert noise is not None
    observed = rng.multinomial(1000, np.full(1500, 1 / 1500)) + rng.laplace(0, 2, 1500).round().astype(
        np.int64
    )
    evidence = [CellEvidence(observed, noise.rates, noise.curvatures)]
    known = relation is pv.REPLACE_ONE
    found = exact_counts(evidence, np.ones(1500), Total(most=1000, known=known))
    assert found is not None
    assert plan.effort is not None
    assert found.diagnostics.cost / 4 < plan.effort.cost < found.diagnostics.cost * 4


def test_a_table_that_cannot_be_summed_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cells' windows alone took minutes for a million cells."""
    weights = DirichletWeights.of([], np.ones(300), 50, [])
    assert DirichletBlocks(weights, known=True).add_all()
    monkeypatch.setattr(total_blocks, "MOST_COST", 1e6)
    monkeypatch.setattr(total_blocks, "tilt_for", lambda *_: pytest.fail("it is begun"))
    assert not DirichletBlocks(weights, known=True).add_all()


def test_more_cells_wider_noise_and_unknown_totals_take_more() -> None:
    plain = Effort.of(1000, 50, 10**6, known=True)
    assert Effort.of(2000, 50, 10**6, known=True).cost > plain.cost
    assert Effort.of(1000, 5000, 10**6, known=True).cost > plain.cost
    assert Effort.of(1000, 50, 10**6, known=False).cost > plain.cost
    assert Effort.of(10**6, 50, 10**6, known=True).cost > MOST_COST
