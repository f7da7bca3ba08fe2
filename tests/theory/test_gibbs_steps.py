"""The assumptions and the steps of the paper on Gibbs posteriors, for given laws: each by quadrature."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from gibbs_quadrature import Floats, delta, law, line
from scipy import integrate

import privior as pv
from privior.papers.gibbs_laws import GibbsLaws, huber_loss, linear_loss, logistic_loss
from privior.papers.published import Verdict, gibbs, gibbs_proofs, gibbs_steps, gibbs_strong

#: two labels of one record; two records of two lengths; losses with bends, far apart and near
LOGISTIC = GibbsLaws(0.8, 1.5, logistic_loss(0.7), (logistic_loss(1.0), logistic_loss(-1.0)))
UNEQUAL = GibbsLaws(0.8, 1.5, logistic_loss(0.7), (logistic_loss(1.0), logistic_loss(-0.4)))
BENT = GibbsLaws(0.8, 1.5, huber_loss(0.2), (huber_loss(0.6), huber_loss(-0.6)))
FAR = GibbsLaws(0.8, 1.5, huber_loss(0.2), (huber_loss(9.0), huber_loss(-9.0)))
STRAIGHT = GibbsLaws(0.5, 2.0, lambda t: 0 * t, (linear_loss(1.0), linear_loss(-1.0)))
ALL = pytest.mark.parametrize("laws", [LOGISTIC, UNEQUAL, BENT, FAR, STRAIGHT])


@ALL
def test_the_steps_of_theorem_7_hold_for_laws_of_every_shape(laws: GibbsLaws) -> None:
    """(18), (19) and (20) with L = 1; with a constant that is too small they fail, and that is noticed."""
    for claim in (gibbs_steps.equation_18(laws, 1), gibbs_steps.equation_20(laws, 1)):
        assert claim.verdict in (Verdict.SOUND, Verdict.LOOSE)
        assert claim.better is not None
        assert 0.3 * claim.value < claim.better <= claim.value * (1 + 1e-7)
    for above in (0.05, 0.3, 1.0, 2.0):
        tail = gibbs_steps.equation_19(laws, 1, above)
        assert tail.verdict is Verdict.LOOSE
        assert tail.better is not None
        assert tail.better == pytest.approx(laws.tail(laws.divergence + above))
        assert tail.better <= tail.value
    assert gibbs_steps.equation_18(laws, "0.3").verdict is Verdict.FALSE
    assert gibbs_steps.equation_20(laws, "0.3").verdict is Verdict.FALSE
    assert gibbs_steps.equation_19(laws, "0.05", "0.3").verdict is Verdict.FALSE


@ALL
def test_the_slopes_are_those_of_the_losses(laws: GibbsLaws) -> None:
    """By the losses alone, on another grid: beta times the largest difference of their slopes."""
    theta = np.linspace(-11, 11, 400_001)
    slopes = [np.gradient(own(theta), theta) for own in laws.own]
    steepest = laws.temperature * float(np.abs(slopes[0] - slopes[1]).max())
    assert gibbs_steps.equation_18(laws, 1).better == pytest.approx(steepest, rel=1e-4)
    assert gibbs_steps.equation_20(laws, 1).better == pytest.approx(steepest / 2, rel=1e-3)


def test_the_tail_of_19_is_that_of_an_even_grid() -> None:
    """And the numbers that errata C8 has; the bound is far above, for two labels are 1 apart and not 2."""
    theta = np.linspace(-12, 12, 400_001)
    logs = []
    for own in LOGISTIC.own:
        log = -0.8 * (LOGISTIC.common(theta) + own(theta)) - 1.5 * theta**2 / 2
        logs.append(log - math.log(integrate.trapezoid(np.exp(log), theta)))
    ratio, density = logs[0] - logs[1], np.exp(logs[0])
    mean = integrate.trapezoid(density * ratio, theta)
    for above, exact, bound in ((0.1, 0.4335, 0.9971), (0.6, 0.1593, 0.8999), (1.5, 0.0068, 0.5173)):
        tail = integrate.trapezoid(density * (ratio >= mean + above), theta)
        claim = gibbs_steps.equation_19(LOGISTIC, 1, above)
        assert claim.better == pytest.approx(tail, abs=2e-3)
        assert claim.better == pytest.approx(exact, abs=1e-4)
        assert claim.value == pytest.approx(bound, abs=1e-4)


@pytest.mark.parametrize("laws", [LOGISTIC, BENT])
@pytest.mark.parametrize(
    "function", [np.abs, np.tanh, lambda x: np.sqrt(1 + x**2), huber_loss(0.4), logistic_loss(1.0)]
)
def test_functions_that_are_not_linear_stay_below_17(
    laws: GibbsLaws, function: Callable[[Floats], Floats]
) -> None:
    """Under laws that are not Normal: |x|, and smooth ones, all 1-Lipschitz; thirty times one is not."""
    for above in (0.1, 0.6, 1.5):
        claim = gibbs_steps.equation_17_of(laws, function, 1, above)
        assert claim.verdict is Verdict.LOOSE
        assert claim.better is not None
        assert claim.better <= claim.value
    steep = gibbs_steps.equation_17_of(laws, lambda x: 30 * function(x), 1, 1.5)
    assert steep.verdict is Verdict.FALSE


def test_17_of_a_linear_function_is_the_tail_of_a_normal_law() -> None:
    normal = GibbsLaws(1.0, 2.0, lambda t: 0 * t, (linear_loss(0.0), linear_loss(0.0)))
    claim = gibbs_steps.equation_17_of(normal, lambda x: x, 1, 0.7)
    printed = gibbs_proofs.equation_17(2, 1, "0.7")
    assert claim.value == pytest.approx(printed.value)
    assert claim.better == pytest.approx(printed.better, abs=2e-3)


# Assumptions


def test_neither_a_whole_space_nor_second_derivatives_are_needed() -> None:
    """Assumption 6 (i) and (ii): losses with bends, on an interval, stay below the exact curve."""
    found = 0.0
    for laws in (
        BENT,
        GibbsLaws(1.0, 1.0, huber_loss(0.3), (huber_loss(2.5), huber_loss(-2.5)), (-2.0, 3.0)),
        GibbsLaws(1.0, 1.0, logistic_loss(1.0), (linear_loss(1.0), linear_loss(-1.0)), (-0.5, 0.5)),
    ):
        for epsilon in (0.2, 0.5, 1.0, 2.5):
            claim = gibbs_proofs.assumption_6(laws, str(laws.precision), 1, epsilon)
            assert claim.verdict is Verdict.LOOSE
            assert claim.better is not None
            bound = gibbs.gibbs_pair(laws.temperature, 1, laws.precision).delta(epsilon)
            assert claim.better <= bound + 1e-9
            found = max(found, claim.better / bound)
    assert found > 0.2  # the cases are no easy ones


def test_an_intercept_has_a_prior_too() -> None:
    """Assumption 6 (iii): m = 1 for features, and a nearly flat prior of the intercept, which decides."""
    flat = GibbsLaws(0.2, 0.01, lambda t: 0 * t, (logistic_loss(1.0), logistic_loss(-1.0)))
    claim = gibbs_proofs.assumption_6(flat, 1, 1, 1)
    assert claim.verdict is Verdict.VACUOUS
    assert claim.better is not None
    assert claim.better > 3 * claim.value
    assert gibbs_proofs.assumption_6(flat, "0.01", 1, 1).verdict is Verdict.LOOSE
    assert gibbs_proofs.assumption_6(STRAIGHT, 2, "0.1", "0.5").verdict is Verdict.FALSE  # steeper than said


def alike(records: int, temperature: float = 1.0) -> GibbsLaws:
    """Return the laws of records of one label, of which the last one has the other label in the second."""
    return GibbsLaws(
        temperature,
        1.0,
        lambda t: (records - 1) * logistic_loss(1.0)(t),
        (logistic_loss(1), logistic_loss(-1)),
    )


def chances(laws: GibbsLaws) -> Floats:
    """Return the chances of an even grid under the first law."""
    theta = line(14)[:, 0]
    losses = laws.common(theta) + laws.own[0](theta)
    return law(line(14), laws.temperature * losses + laws.precision * theta**2 / 2)


def test_the_mean_must_be_within_kappa_for_all_data() -> None:
    """(10): it grows with the records, and beta n L / m is always enough, which straight losses attain."""
    means = []
    for records in (1, 5, 20, 100):
        laws = alike(records)
        mean = abs(float(chances(laws) @ line(14)[:, 0]))
        claim = gibbs_strong.equation_10(laws, records)
        assert claim.verdict is Verdict.LOOSE
        assert claim.better == pytest.approx(mean, abs=1e-6)
        means.append(mean)
        assert gibbs_strong.equation_10(laws, mean / 2).verdict is Verdict.VACUOUS
        assert gibbs_strong.assumption_9(laws, 1, mean / 2).verdict is Verdict.VACUOUS
    assert means == sorted(means)
    tilted = GibbsLaws(0.5, 2.0, lambda t: -3 * t, (linear_loss(1.0), linear_loss(1.0)))
    assert gibbs_strong.equation_10(tilted, 1).verdict is Verdict.SOUND  # beta n L / m = 0.5 * 4 / 2


def test_a_ball_around_the_origin_holds_what_chebyshev_says_only_if_it_is_large() -> None:
    """Assumption 9(i), of laws that are not centred."""
    laws = alike(20)
    kappa = gibbs_strong.equation_10(laws, 20).better
    for radius, verdict in ((0.1, Verdict.FALSE), (kappa, Verdict.FALSE), (9, Verdict.VACUOUS)):
        claim = gibbs_strong.assumption_9(laws, radius, kappa)
        assert claim.verdict is verdict
        mass = chances(laws)[np.abs(line(14)[:, 0]) <= float(radius or 0)].sum()
        assert claim.better == pytest.approx(float(mass), abs=3e-3)
    widest = gibbs_strong.assumption_9(laws, (kappa or 0) + 1.999, kappa)
    assert widest.verdict is Verdict.LOOSE
    assert widest.value == 0.75
    with pytest.raises(pv.NumberError):
        gibbs_strong.assumption_9(laws, 1, kappa, alpha=1)
    with pytest.raises(pv.NumberError):
        gibbs_strong.assumption_9(GibbsLaws(1.0, 1.0, laws.common, laws.own, (-1.0, 1.0)), 1, kappa)


@pytest.mark.parametrize(("constant", "wrong"), [("0.01", True), ("0.1", True), ("1", False)])
def test_theorem_10_is_false_only_where_a_case_shows_it(constant: str, wrong: bool) -> None:
    """Losses with a ridge on an interval, by another quadrature: a delta above the printed one, or not."""
    claim = gibbs_strong.theorem_10(1, 1, 1, 1000, "0.1", "0.5", constant=constant)
    own = 0.1
    reach = 4 / math.sqrt(101)  # four standard deviations, below alpha = 2 of the prior's; L = s + own R = 1
    theta = line(reach)
    ridge = theta[:, 0] ** 2 / 2 * (1 + 1000 * own)
    one, two = (law(theta, ridge + sign * (1 - own * reach) * theta[:, 0]) for sign in (-1, 1))
    exact = delta(one, two, 0.5)
    assert exact == pytest.approx(3.27e-4, rel=0.01)
    assert (exact > claim.value) is wrong
    assert claim.verdict is (Verdict.FALSE if wrong else Verdict.LOOSE)
    if wrong:
        assert claim.better == pytest.approx(exact, rel=0.01)


def test_theorem_10_is_not_called_false_where_only_a_bound_is_larger() -> None:
    """At so small a temperature no law that can be computed shows it."""
    claim = gibbs_strong.theorem_10("0.1", 1, 1, 1000, "0.1", 1, constant="0.01")
    assert claim.verdict is Verdict.VACUOUS
    assert claim.better is None
    assert claim.exact is not None
    assert claim.exact.delta(1.0) > claim.value
