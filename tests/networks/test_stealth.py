"""Stealth: what Corollary 3 of Zhang, Rubinstein and Dimitrakakis claims, and what is true."""

from __future__ import annotations

import numpy as np
import pytest

import privior as pv
from privior.papers.published.statement import Verdict
from privior.papers.stealth import corollary_3, stealth

NO_ARCS = [(one,) for one in range(40)]
CLIQUE = [tuple(range(one + 1)) for one in range(4)]


def test_the_claim_fails_for_small_shifts() -> None:
    """Two counterexamples: the table of all columns, and released ones with all records alike."""
    full, released = corollary_3("0.4", NO_ARCS, joint=True), corollary_3("0.1", CLIQUE)
    assert (round(full.value, 3), round(released.value, 3)) == (0.33, 0.095)
    assert full.better == pytest.approx(0.129, abs=0.01)
    assert released.better == pytest.approx(0.016, abs=0.004)
    assert full.verdict is released.verdict is Verdict.FALSE
    assert "costs the same once more" in str(full)
    assert corollary_3("1/2", NO_ARCS, joint=True).verdict is Verdict.LOOSE


def test_the_table_of_all_columns_by_hand() -> None:
    """Without arcs the worst cell has every noise but that of the number of records against it."""
    noise = np.random.default_rng(5).laplace(size=(100_000, 41))
    true = (noise[:, 0] + 0.8 * 41 >= np.abs(noise[:, 1:]).sum(axis=1)).mean()
    assert corollary_3("0.4", NO_ARCS, joint=True).better == pytest.approx(true, abs=0.012)


def test_a_plan_says_how_likely_negative_cells_are() -> None:
    schema = pv.Schema({name: pv.Boolean() for name in "abc"}, population="few", unit="person")
    model = pv.BayesianNetwork({"a": [], "b": ["a"], "c": ["b"]}, prior=1)
    plan = pv.plan(model, schema, records=500, epsilon=1, mechanism=pv.FourierTables)
    plain, shifted = stealth(plan), stealth(plan, "0.3")
    assert plain.claimed == 0
    assert plain.worst < 0.05 < plain.of_prior
    assert shifted.worst > plain.worst
    assert shifted.of_prior > plain.of_prior
    assert "costs the same once more. (epsilon 1" in str(plain)
