"""Guarantees together, near, for groups and under a metric: refused in words, and right by brute force."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import privior as pv
from privior.errors import NumberError, PlanError
from privior.privacy import ADD_OR_REMOVE_ONE, REPLACE_ONE, Budget, Guarantee, MetricGuarantee
from privior.privacy.pairs import (
    ApproximatePair,
    BetaPair,
    Concentrated,
    DominatingPair,
    FinitePair,
    GaussianPair,
    GroupPair,
    KNormPair,
    SignedSteps,
    Within,
    WorstOf,
    both_orders,
    dirichlet_draw,
)
from privior.privacy.pairs.group import group

F = Fraction
EPSILONS = (-2.0, -0.4, 0.0, 0.3, 1.0, 2.5)
Law = Sequence[Fraction]


def promised(pair: DominatingPair, neighbours: Any = REPLACE_ONE, **cost: object) -> Guarantee:
    return Guarantee.on_curve(pair, neighbours, "a test", **cost)


def stick(first: Law, second: Law, epsilon: float) -> float:
    """The hockey-stick divergence, outcome by outcome."""
    factor = math.exp(epsilon)
    return math.fsum(max(0.0, float(p) - factor * float(q)) for p, q in zip(first, second, strict=True))


# ---- sums -------------------------------------------------------------------------------------------------


def test_two_tables_and_a_mechanism_together() -> None:
    """Two binary roots with priors (1, 5) and (5, 1): .2032 at epsilon 2, not the aligned .1585."""
    one, two = (promised(dirichlet_draw(prior), epsilon=2) for prior in ((1, 5), (5, 1)))
    assert (one + two).delta(2) == pytest.approx(0.2032, abs=1e-4)
    noisy = pv.KNorm(3, "0.5").guarantee
    every = Guarantee.together([one, two, noisy])
    assert every.delta(2) > (one + two).delta(2)
    assert every.cost.delta == max(one.cost.delta, two.cost.delta)
    assert every.reason.count("+") == 2
    assert every.slack(2.0) < 1e-3


def test_pure_promises_add_up_exactly() -> None:
    tenth = pv.KNorm(3, "0.1").guarantee
    ten = 10 * tenth
    assert ten.pure == 1
    assert ten.cost == Budget.of(1)
    assert (tenth + pv.LSDim(5, 1, 100).guarantee).cost == Budget.of("0.5")
    assert ten.epsilon(1e-6) < 1


def test_closed_forms_stay_what_they_are() -> None:
    third = promised(GaussianPair(F(1, 9)), delta="1e-6")
    assert (9 * third).gdp == pytest.approx(1)
    assert (third + third).zcdp == F(1, 9)
    assert (9 * third).cost.delta == F(1, 10**6)
    assert (2 * promised(Concentrated(F(1, 8)), delta="1e-6")).zcdp == F(1, 4)


def test_adding_keeps_the_direction_to_the_end() -> None:
    """Under add-or-remove-one every release has the record on the same side, however they are bracketed."""
    skew = FinitePair.of(("0.9", "0.1"), ("0.5", "0.5"))
    parts = [promised(pair, ADD_OR_REMOVE_ONE, epsilon=1) for pair in (skew, skew.mirror, skew)]
    flat, nested = Guarantee.together(parts), (parts[0] + parts[1]) + parts[2]
    loose = Guarantee.together([replace(part, neighbours=REPLACE_ONE) for part in parts])
    for epsilon in (0.5, 1.0, 2.0, 3.0):
        assert nested.delta(epsilon) == pytest.approx(flat.delta(epsilon), rel=1e-9)
        assert loose.delta(epsilon) >= flat.delta(epsilon)
    assert loose.delta(4.0) > 0 == flat.delta(4.0)


def test_what_does_not_add_up_is_refused_in_words() -> None:
    one = pv.KNorm(3, 1).guarantee
    added = pv.LaplaceCounts(3, 1, neighbours=ADD_OR_REMOVE_ONE).guarantee
    with pytest.raises(PlanError, match=r"different neighbour relations[^$]*replacing\(\)"):
        one + added
    with pytest.raises(PlanError, match="different units of protection"):
        one + replace(one, unit="household")
    with pytest.raises(PlanError, match="nothing to compose"):
        Guarantee.together([])
    with pytest.raises(TypeError):
        one + 1  # type: ignore[operator]
    for times in (0, -1, True, 2.5):
        with pytest.raises(PlanError, match="not a number of repetitions"):
            one * times  # type: ignore[operator]


def test_many_draws_are_quick() -> None:
    """3,000 draws in a second, 100,000 in ten; twice that here, in CPU time of a busy machine."""
    draw = promised(dirichlet_draw([1000, 1000, 1000]), delta="1e-6")
    for times, most in ((3000, 2.0), (100_000, 20.0)):
        begin = time.process_time()
        several = times * draw
        assert time.process_time() - begin < most
        assert several.cost.delta == F(1, 10**6)
        mu = math.sqrt(2 * times / 1000)
        assert several.cost.epsilon == pytest.approx(GAUSSIAN(mu), rel=0.02)


def GAUSSIAN(mu: float) -> float:  # noqa: N802
    return promised(GaussianPair(F(mu) ** 2), delta="1e-6").epsilon("1e-6")


# ---- sampler error ----------------------------------------------------------------------------------------


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 9)), min_size=3, max_size=4),
    st.integers(0, 3),
    st.integers(0, 3),
)
@settings(max_examples=60, deadline=None)
def test_a_sampler_that_is_a_little_off(weights: list[tuple[int, int]], up: int, down: int) -> None:
    """Each law moves by tau from one outcome to another: what was stated still holds."""
    laws = [[F(w[i], sum(x[i] for x in weights)) for w in weights] for i in (0, 1)]
    tau = min(F(1, 20), *laws[0], *laws[1])
    moved = [list(law) for law in laws]
    for law, (source, target) in zip(moved, ((up % 3, 0), (0, down % 3)), strict=True):
        law[source] -= tau
        law[target] += tau
    exact = promised(FinitePair(tuple(laws[0]), tuple(laws[1])), epsilon=1)
    near = exact.within(tau)
    for epsilon in EPSILONS:
        assert near.delta(epsilon) >= stick(moved[0], moved[1], epsilon) - 1e-15
        assert near.delta(epsilon) <= exact.delta(epsilon) + (1 + math.exp(epsilon)) * float(tau) + 1e-12


def test_sampler_errors_add_up_and_are_charged_once() -> None:
    tau = F(1, 10**9)
    one = pv.KNorm(3, 1).guarantee.within(tau)
    assert one.pure is None
    assert one.cost.epsilon == 1
    assert float(one.cost.delta) == pytest.approx((1 + math.e) * 1e-9, rel=1e-9)
    three = one + 2 * one
    assert three.sampler_error == 3 * tau
    ideal = 3 * pv.KNorm(3, 1).guarantee
    assert three.delta(2) == pytest.approx(ideal.delta(2) + 3e-9 * (1 + math.exp(2)), rel=1e-6)
    assert three.delta(50) == pytest.approx(3e-9 * (1 + math.exp(3)), rel=1e-3)  # no more beyond the loss
    assert three.renyi(2) == math.inf
    assert "on average" in three.claim()
    with pytest.raises(NumberError):
        _ = one.zcdp
    with pytest.raises(NumberError, match="total variation"):
        one.within(2)
    assert pv.KNorm(3, 1).guarantee.within(0).cost == Budget.of(1)


def test_the_smallest_epsilon_of_a_curve_that_would_rise() -> None:
    near = Within(GaussianPair(F(1, 4)), F(1, 10**8))
    deltas = [near.delta(e / 4) for e in range(60)]
    assert all(later <= earlier for earlier, later in itertools.pairwise(deltas))
    guarantee = promised(GaussianPair(F(1, 4)), delta="1e-6").within("1e-8")
    found = guarantee.epsilon("1e-6")
    assert guarantee.delta(found) <= 1e-6 < guarantee.delta(found * (1 - 1e-9))
    assert guarantee.epsilon("1e-9") == math.inf  # never below 2e-8


# ---- one epsilon and delta --------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=4), st.floats(0, 2))
@settings(max_examples=60, deadline=None)
def test_an_epsilon_and_a_delta_bound_the_whole_curve(weights: list[tuple[int, int]], loss: float) -> None:
    if any(sum(w[i] for w in weights) == 0 for i in (0, 1)):
        return
    one, two = ([F(w[i], sum(x[i] for x in weights)) for w in weights] for i in (0, 1))
    chance = max(stick(one, two, loss), stick(two, one, loss))
    if chance >= 1:
        return
    bound = ApproximatePair(F(loss), F(chance))
    for epsilon in (*EPSILONS, loss, -loss):
        assert max(stick(one, two, epsilon), stick(two, one, epsilon)) <= bound.delta(epsilon) + 1e-12


# ---- groups -----------------------------------------------------------------------------------------------


def geometric(shift: int, epsilon: float, size: int = 60) -> list[float]:
    weights = [math.exp(-epsilon * abs(x - shift)) for x in range(-size, size + 1)]
    return [w / sum(weights) for w in weights]


@pytest.mark.parametrize("size", [2, 3, 5])
def test_a_unit_with_several_records(size: int) -> None:
    """A noisy count that moves by 1 for each record, and randomly chosen chains of laws."""
    law = promised(SignedSteps(F(1, 2)), ADD_OR_REMOVE_ONE)
    unit = law.for_units("household", size)
    assert (unit.unit, unit.pure) == ("household", F(size, 2))
    for epsilon in EPSILONS:
        truth = stick(geometric(0, 0.5), geometric(size, 0.5), epsilon)  # type: ignore[arg-type]
        assert truth <= unit.delta(epsilon) + 1e-12
    assert GroupPair(KNormPair(3, F(1, 2)), size).delta(size / 2) == 0


@given(st.lists(st.lists(st.integers(1, 20), min_size=3, max_size=3), min_size=3, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_chain_of_laws(weights: list[list[int]]) -> None:
    laws = [[F(w, sum(row)) for w in row] for row in weights]
    steps = WorstOf(tuple(FinitePair(tuple(p), tuple(q)) for p, q in itertools.pairwise(laws)))
    way = GroupPair(steps, len(laws) - 1)
    for epsilon in EPSILONS:
        assert stick(laws[0], laws[-1], epsilon) <= way.delta(epsilon) + 1e-12
        assert stick(laws[-1], laws[0], epsilon) <= way.mirror.delta(epsilon) + 1e-12
    for order in (0.5, 1.0, 1.5, 3.0):
        pairs = list(zip(laws[0], laws[-1], strict=True))
        truth = (
            sum(float(p) * math.log(p / q) for p, q in pairs)
            if order == 1
            else math.log(sum(float(p) ** order * float(q) ** (1 - order) for p, q in pairs)) / (order - 1)
        )
        assert truth <= way.renyi(order) + 1e-12


def test_closed_forms_of_groups() -> None:
    assert group(GaussianPair(F(1, 4)), 3) == GaussianPair(F(9, 4))
    assert group(Concentrated(F(1, 4)), 3) == Concentrated(F(9, 4))
    assert group(SignedSteps(F(1, 4)), 3) == SignedSteps(F(3, 4))
    assert group(BetaPair(F(1), F(2)), 1) == BetaPair(F(1), F(2))
    thrice = group(ApproximatePair(F(1), F(1, 1000)), 3)
    assert isinstance(thrice, ApproximatePair)
    assert float(thrice.chance) == pytest.approx(1e-3 * (math.exp(3) - 1) / (math.e - 1))
    exact = promised(GaussianPair(F(1, 4)), delta="1e-6")
    loose = GroupPair(GaussianPair(F(1, 4)), 2)
    for epsilon in (0.5, 2.0, 4.0):
        assert exact.for_units("person", 2).delta(epsilon) <= loose.delta(epsilon)
    with pytest.raises(NumberError, match="number of records"):
        exact.for_units("person", 0)
    for wrong in (GroupPair(GaussianPair(F(1, 4)), 1), GaussianPair(F(1, 4)), 2 * exact):
        assert wrong.delta(2.0) < exact.for_units("person", 2).delta(2.0)  # composing twice is not enough


def test_groups_of_a_draw_cover_the_draws_of_units() -> None:
    """A person with two rows moves two counts of a Dirichlet: enumerated moves stay below."""
    person = promised(dirichlet_draw([4, 5, 6]), epsilon=1).for_units("person", 2)
    moved_twice = both_orders(BetaPair(F(4), F(5), F(2)))
    for epsilon in EPSILONS:
        assert moved_twice.delta(epsilon) <= person.delta(epsilon)


def test_replacing_is_removing_and_adding() -> None:
    added = promised(dirichlet_draw([9, 9, 9], neighbours="add-or-remove-one"), ADD_OR_REMOVE_ONE, epsilon=1)
    replaced = added.replacing()
    assert replaced.neighbours is REPLACE_ONE
    assert replaced.cost.epsilon == 2
    assert replaced.replacing() == replaced
    exact = promised(dirichlet_draw([9, 9, 9]), epsilon=1)
    for epsilon in EPSILONS:
        assert exact.delta(epsilon) <= replaced.delta(epsilon)
    assert replaced + exact
    laplace = pv.LaplaceCounts(3, 1, neighbours=ADD_OR_REMOVE_ONE).guarantee
    assert laplace.replacing().pure == 2


# ---- pseudo-metrics ---------------------------------------------------------------------------------------


def test_guarantees_under_a_metric() -> None:
    one = MetricGuarantee.of("sum of absolute differences", 2, "Theorem 8(1)")
    other = MetricGuarantee.of("sum of absolute differences", "0.5", "noise", delta="1e-7")
    both = one + 3 * other
    assert (both.epsilon, both.delta) == (F(7, 2), F(3, 10**7))
    record = both.for_records(10)
    assert record.cost == Budget(F(35), F(3, 10**6))
    assert record.delta(35) == pytest.approx(3e-6)
    assert one.for_records("0.5", unit="patient").pure == 1
    assert one.for_records("0.5", unit="patient").unit == "patient"
    with pytest.raises(PlanError, match="different pseudo-metrics"):
        one + MetricGuarantee.of("square root of the distance", 1, "Theorem 8(2)")
    with pytest.raises(NumberError, match="vacuous"):
        MetricGuarantee.of("Hamming", 0, "Theorem 8(2)", delta=37).for_records(1)
    for bad in (lambda: one.for_records(0), lambda: one * 0, lambda: MetricGuarantee.of("d", -1, "x")):
        with pytest.raises(NumberError):
            bad()


def test_exponential_draws_under_a_metric() -> None:
    """Rates in [.5, 2]: the loss per unit of data is 1.5, the oscillation; data in [0, 1] give it too."""
    from privior.privacy.pairs import TruncatedExponential

    metric = MetricGuarantee.of("sum of absolute differences", "1.5", "oscillation")
    stated = metric.for_records(1).pure
    exact = TruncatedExponential(F(1, 2), F(2), 1, F(0), F(1), F(1)).pure
    assert stated is not None
    assert exact < stated
