"""Enumeration over all neighbouring tables finds exactly the epsilon that is claimed, and finds planted lies.

T05: the sensitivity is attained and never exceeded. T08: what is charged is what was done.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pytest

import privior as pv
from privior.mechanisms import Mechanism
from privior.models import ExactStatistics, Observed
from privior.privacy import Guarantee, Neighbours, SignedSteps

SMALL = [(records, levels) for levels in (2, 3, 4) for records in (1, 2, 3, 4, 5)]
EPSILONS = [Fraction(1, 10), Fraction(1), Fraction(3)]
#: every size once, such that every epsilon meets every number of records and every number of levels
PAIRED = [(records, levels, EPSILONS[(records + levels) % 3]) for records, levels in SMALL]


@pytest.mark.parametrize(("records", "levels", "epsilon"), PAIRED)
def test_k_norm_laplace_and_lshist_are_exactly_epsilon(records: int, levels: int, epsilon: Fraction) -> None:
    mechanisms: list[Mechanism] = [
        pv.KNorm(levels, epsilon),
        pv.LSHist(levels, epsilon, records),
    ]
    if epsilon == 1:
        mechanisms += [
            pv.LaplaceCounts(levels, epsilon, neighbours=pv.REPLACE_ONE),
            pv.LaplaceCounts(levels, epsilon, neighbours=pv.ADD_OR_REMOVE_ONE),
        ]
    for mechanism in mechanisms:
        found = pv.audit(mechanism, records=records, margin=1)  # type: ignore[arg-type]
        assert found.holds
        assert found.largest_loss == pytest.approx(float(epsilon), rel=1e-9)


@pytest.mark.parametrize(("records", "levels"), SMALL)
def test_lsdim_costs_two_over_k_of_its_nominal_epsilon(records: int, levels: int) -> None:
    found = pv.audit(pv.LSDim(levels, 1, records), records=records, margin=1)
    share = 1 / 2 if levels == 2 else 2 / levels
    assert found.largest_loss == pytest.approx(share, rel=1e-9)
    assert found.holds


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_gaussian_curve_is_that_of_the_enumeration(relation: Neighbours) -> None:
    """delta by enumeration never exceeds the stated curve, and equals it up to the box."""
    mechanism = pv.GaussianCounts(3, 2, "0.05", neighbours=relation)
    found = pv.audit(mechanism, records=2, margin=7, epsilons=(0.0, 0.5, 2.0))
    assert found.outside < 1e-4
    assert found.claimed is None  # never pure
    with pytest.raises(pv.AuditError, match="needs an epsilon"):
        pv.audit(mechanism, records=1)
    with pytest.raises(pv.AuditError, match="too much probability"):
        pv.audit(mechanism, records=2, margin=1, epsilons=(2.0,))
    assert "nothing exceeds the claim" in str(found)
    for epsilon, delta in found.deltas.items():
        stated = mechanism.guarantee.delta(epsilon)
        assert delta <= stated <= delta * (1 + 1e-9) + 3 * found.outside
    assert found.holds
    assert found.deltas[2.0] <= 0.05


@dataclass(frozen=True)
class Overclaiming(pv.KNorm):  # type: ignore[misc]
    """A planted lie: half the noise that its guarantee needs."""

    def __init__(self, levels: int, epsilon: object) -> None:
        super().__init__(levels, epsilon)

    @property
    def guarantee(self) -> Guarantee:
        cost = pv.Budget(self.epsilon / 2, Fraction(0))
        return Guarantee(SignedSteps(self.epsilon / 2), pv.REPLACE_ONE, cost, "a lie")


@pytest.mark.parametrize("relation", [pv.REPLACE_ONE, pv.ADD_OR_REMOVE_ONE])
def test_several_rows_per_unit_are_enumerated(relation: Neighbours) -> None:
    """One unit may bring up to two records; noise for one record is found out."""
    honest = pv.LaplaceCounts(3, 1, neighbours=relation, max_rows=2)
    found = pv.audit(honest, records=4, margin=2, epsilons=(0.0, 0.3))
    assert found.holds
    assert found.largest_loss == pytest.approx(1)
    gaussian = pv.GaussianCounts(2, 2, "0.1", neighbours=relation, max_rows=2)
    assert pv.audit(gaussian, records=3, margin=25, epsilons=(0.5, 1.0)).holds


class ForOneRow(pv.LaplaceCounts):  # type: ignore[misc]
    """A planted lie: the noise of one row per unit, sold for two."""

    @property
    def laplace_scale(self) -> Fraction:
        return super().laplace_scale / self.max_rows


def test_noise_for_fewer_rows_is_found() -> None:
    found = pv.audit(ForOneRow(3, 1, max_rows=2), records=4, margin=2)
    assert found.largest_loss == pytest.approx(2)
    assert not found.holds


class Unlawful(pv.KNorm):  # type: ignore[misc]
    """A planted fault: its probabilities sum to more than one."""

    def log_likelihood(self, observed: Observed, statistics: ExactStatistics) -> float:
        return 0.0


def test_what_is_no_law_is_refused() -> None:
    with pytest.raises(pv.AuditError, match="no law"):
        pv.audit(Unlawful(2, 1), records=2)


@pytest.mark.parametrize("facts", [{"records": 0}, {"records": "2"}, {"records": 2, "margin": -1}])
def test_bad_facts_are_refused(facts: dict[str, Any]) -> None:
    with pytest.raises(pv.AuditError, match="out of range"):
        pv.audit(pv.KNorm(2, 1), **facts)


def test_an_overclaim_is_found() -> None:
    found = pv.audit(Overclaiming(3, 1), records=3, margin=1)
    assert not found.holds
    assert found.largest_loss == pytest.approx(1)
    assert found.pair[0] != found.pair[1]


def test_both_directions_are_compared() -> None:
    """Two tables with one record in two cells have two ordered pairs; one direction would give one."""
    assert pv.audit(pv.KNorm(2, 1), records=1).pairs == 2


def test_what_cannot_be_audited_is_refused(plan: pv.Plan) -> None:
    with pytest.raises(pv.AuditError, match="not a mechanism"):
        pv.audit(plan, records=2)  # type: ignore[arg-type]
    with pytest.raises(pv.AuditError, match="another number of records"):
        pv.audit(pv.LSHist(3, 1, records=4), records=5)


def test_too_large_is_refused() -> None:
    with pytest.raises(pv.AuditError, match="too many outputs"):
        pv.audit(pv.KNorm(9, 1), records=20)
