"""The lemma behind smooth sensitivities, proved in interval arithmetic; enclosures; costs by enumeration."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, arb_series, ctx
from hellinger_laws import largest_loss

import privior as pv
from privior.mechanisms.hellinger.hellinger import global_sensitivity, local_sensitivity, smooth_sensitivity
from privior.privacy.hellinger import (
    Enumeration,
    all_tables,
    global_sensitivity_above,
    inverse_local_sensitivity,
    inverse_smooth_sensitivity,
    largest_local_change,
    local_change_above,
    number_of_tables,
)

F = Fraction


def derivatives(at: arb) -> tuple[arb, arb, arb]:
    """Enclose L, L' and L'' of L = ln phi."""
    t = arb_series([at, 1], 3)
    series = (t + arb(1) / 2).lgamma() - t.lgamma() - t.log() / 2
    return series[0], series[1], 2 * series[2]


def test_the_lemma() -> None:
    """W = 1/sqrt(1 - phi) is concave from 1e-7 to 1e14: between the points of a grid, for certain."""
    with ctx.workprec(400):
        point = arb(10) ** -7
        here = derivatives(point)
        steps = 0
        while not point > arb(10) ** 14:
            point = point * 101 / 100
            there = derivatives(point)
            least = ((-there[0]).expm1()) * (-there[2] - here[1] ** 2)
            assert least > arb(3) / 2 * here[1] ** 2
            here, steps = there, steps + 1
    assert steps > 4800


def test_the_proof_of_the_lemma_can_fail() -> None:
    """With 2 in place of 3/2 it would say that (1 - phi)^(-1) is concave, which is false."""
    with ctx.workprec(400):
        here, there = derivatives(arb(1000)), derivatives(arb(1001))
        assert not (-there[0]).expm1() * (-there[2] - here[1] ** 2) > 2 * here[1] ** 2


@pytest.mark.parametrize("counts", [(3, 3, 4), (5, 5), (0, 7), (9, 0), (0, 0, 5), (1, 0, 2, 30)])
@pytest.mark.parametrize("gamma", [F(1, 100), F(1)])
def test_enclosures_hold_what_floats_find(counts: tuple[int, ...], gamma: Fraction) -> None:
    prior = tuple(F(1 + cell, 3) for cell in range(len(counts)))
    alpha = [float(a) for a in prior]
    with ctx.workprec(120):
        local = inverse_local_sensitivity(counts, prior)
        smooth = inverse_smooth_sensitivity(counts, prior, gamma)
        assert float(local.rad()) < 1e-25
        assert float(local) == pytest.approx(1 / local_sensitivity(counts, alpha), rel=1e-13)
        assert float(smooth) == pytest.approx(1 / smooth_sensitivity(counts, alpha, float(gamma)), rel=1e-13)
    above = global_sensitivity_above(prior, sum(counts))
    assert above == pytest.approx(global_sensitivity(alpha, sum(counts)), rel=1e-13)


@pytest.mark.parametrize(("records", "expected"), [(10, 2.280435), (50, 2.587777)])
def test_known_temperatures(records: int, expected: float) -> None:
    listed = Enumeration.of((F(1), F(1)), records)
    found = listed.temperature(F(1))
    assert float(found) == pytest.approx(expected, abs=6e-7)
    assert listed.cost(found) <= 1 < listed.cost(found * F("1.000001"))


@pytest.mark.parametrize(("prior", "records"), [((0.5, 2.0), 9), ((1.0, 1.0, 1.0), 6), ((0.1, 3.0, 1.0), 5)])
@pytest.mark.parametrize("temperature", [F(1, 2), F(3)])
def test_the_cost_is_the_largest_loss(prior: tuple[float, ...], records: int, temperature: Fraction) -> None:
    """Against every output of every neighbouring pair, listed in another way."""
    listed = Enumeration.of([F(str(a)) for a in prior], records)
    brute = largest_loss(records, prior, lambda counts: float(temperature))
    assert listed.cost(temperature) == pytest.approx(brute, rel=1e-9)
    assert listed.cost(temperature) >= brute - 1e-13


@pytest.mark.parametrize(
    "prior", [(F(1, 3), F(2)), (F(10**8), F(3)), (F(10**12) + F(1, 3), F(10**12)), (F(1, 10**9), F(10**15))]
)
def test_distances_of_the_enumeration_are_enclosed(prior: tuple[Fraction, Fraction]) -> None:
    """Against interval arithmetic: a relative error below 2^-48, also where the prior is huge."""
    listed = Enumeration.of(prior, 60)
    with ctx.workprec(400):
        for one, other in ((0, 60), (0, 1), (30, 31), (17, 44), (59, 60)):
            total = arb(0)
            for a, c, z in zip(prior, listed.tables[one], listed.tables[other], strict=True):
                x, y = (arb(int(a.numerator)) / int(a.denominator) + int(value) for value in (c, z))
                total += ((x + y) / 2).lgamma() - (x.lgamma() + y.lgamma()) / 2
            true = (-total.expm1()).sqrt()
            assert abs(arb(listed.distances[one, other]) / true - 1) < arb(2) ** -48


def test_local_changes() -> None:
    """Two cells: the bound for any number of records is above what each number gives, and is the limit."""
    for a in (F(1, 10), F(1), F(7, 2)):
        bound = local_change_above((a, a + 1))
        found = [largest_local_change((a, a + 1), n) for n in (1, 2, 5, 40, 800)]
        assert all(change <= bound for change in found)
        assert found[-1] == pytest.approx(bound, rel=0.02)
    tables = all_tables(5, 3)
    inverse = {tuple(t): 1 / local_sensitivity(t, [1, 2, 3]) for t in tables.tolist()}
    worst = max(
        abs(inverse[a] - inverse[b])
        for a in inverse
        for b in inverse
        if np.abs(np.array(a) - np.array(b)).sum() == 2
    )
    assert largest_local_change((F(1), F(2), F(3)), 5) == pytest.approx(worst, rel=1e-11)


def test_large_sets_are_refused() -> None:
    assert number_of_tables(10, 3) == 66
    with pytest.raises(pv.PlanError, match="too many"):
        Enumeration.of((F(1),) * 3, 100)
    with pytest.raises(pv.PlanError, match="too many"):
        largest_local_change((F(1),) * 4, 1000)
    with pytest.raises(pv.PlanError, match="certified"):
        Enumeration.of((F(1), F(1)), 3).temperature(F(1, 10**13))
