"""A review lists a small twin of a network's noise: two columns, all neighbours, both tables together."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

import privior as pv
from privior.curator import measure_statistics
from privior.models import ExactStatistics
from privior.reviews import Outcome

SCHEMA = pv.Schema({name: pv.Boolean() for name in "abc"}, population="few", unit="person")
MODEL = pv.BayesianNetwork({"a": [], "b": ["a"], "c": ["b"]}, prior=1)


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_the_review_lists_noise_on_tables(relation: pv.Neighbours) -> None:
    plan = pv.plan(MODEL, SCHEMA, records=30, epsilon=1, neighbours=relation, mechanism=pv.LaplaceTables)
    counts = ExactStatistics([10, 20, 5, 5, 10, 10, 5, 10, 5, 10])
    release = measure_statistics(plan, counts, ledger=pv.Ledger.in_memory())
    (found,) = [one for one in pv.review(release).checks if one.name == "enumeration"]
    assert found.verdict is Outcome.HOLDS
    assert "claimed 1, largest loss 1" in found.says


def test_a_planted_fault_is_noticed() -> None:
    """Noise for one table alone, on both: the loss is twice what is claimed."""
    plan = pv.plan(MODEL, SCHEMA, records=30, epsilon=1, mechanism=pv.LaplaceTables)
    twin = plan.mechanism.small(3, 2, 1)
    assert pv.audit(twin, records=2).holds
    object.__setattr__(twin.law, "scales", tuple(one / 2 for one in twin.law.scales))
    found = pv.audit(replace(twin), records=2)
    assert not found.holds
    assert found.largest_loss == pytest.approx(float(2 * Fraction(1)))
