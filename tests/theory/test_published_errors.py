"""What papers state about error: each verdict is borne out by exact laws or by simulation."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import hellinger_accuracy as accuracy
import hellinger_comparison as comparison
import histogram_utility as histogram
import numpy as np
import pytest
from prior_utility import equation_23, equation_24, theorem_6
from scipy.special import hyp1f1, polygamma
from two_level_release import TwoLevels

from privior.errors import NumberError, PlanError
from privior.papers.dirichlet_prior import equation_9, printed_prior, scaling
from privior.papers.histogram_loss import draw_loss
from privior.papers.published import Verdict, dirichlet
from privior.papers.published.hellinger import printed_sensitivity


@pytest.mark.parametrize(("order", "size"), [(2, "0.01"), (2, 1), (5, "0.3"), ("1.5", 3), (50, 20)])
def test_equation_9_is_enough_and_more_than_enough(order: object, size: object) -> None:
    claim = equation_9(order, size)
    assert claim.better is not None
    pair = dirichlet.PublishedDraw.of(claim.value).pair
    assert pair is not None
    assert pair.renyi(float(str(order))) <= float(str(size))
    assert (
        claim.better < float(printed_prior(order, size)) < claim.value < float(printed_prior(order, size)) + 1
    )
    assert claim.verdict is Verdict.LOOSE


def test_the_prior_scales_with_the_rate_as_said() -> None:
    for order, size, rate in itertools.product(
        (2, 5), ("0.1", "1", "20"), ("0.001", "0.1", "1", "10", "1000")
    ):
        claim = scaling(order, size, rate)
        left = float(printed_prior(order, size, rate) - (order - 1) * Fraction(rate))
        slope, r = order / float(size), float(rate)
        low, factor = (r * math.sqrt(slope), math.sqrt(2)) if left < 1 else (r * r * slope, 2)
        assert low * (1 - 1e-9) <= left <= factor * low * (1 + 1e-9)
        step = 1 + 1e-4
        higher = printed_prior(order, size, Fraction(rate) * Fraction(step))
        exponent = math.log(higher / printed_prior(order, size, rate)) / math.log(step)
        assert claim.better == pytest.approx(exponent, abs=2e-3)
        assert claim.verdict is (Verdict.VACUOUS if left >= 1 and left <= (order - 1) * r else Verdict.SOUND)


def test_a_dirichlet_vector_spreads_twice_as_much_as_the_proof_of_theorem_5_says() -> None:
    """Two levels, direction (1, -1)/sqrt 2: the moment generating function is Kummer's."""
    for shape, s in itertools.product((0.1, 1.0, 50.0), (0.5, 3.0, 20.0)):
        t = math.sqrt(2) * s  # u.Y = sqrt 2 B - 1/sqrt 2
        moment = math.log(float(hyp1f1(shape, 2 * shape, t))) - t / 2
        printed = s * s / 2 / (4 * (2 * shape + 1))
        assert moment <= 2 * printed
        if s * s < shape + 1:
            assert moment > printed
    # any levels, any direction: the variance of u.Y alone
    generator = np.random.default_rng(2)
    for parameters in generator.gamma(1.0, 5.0, size=(200, 4)):
        mean = parameters / parameters.sum()
        largest = np.linalg.eigvalsh(np.diag(mean) - np.outer(mean, mean)).max() / (parameters.sum() + 1)
        assert largest <= 1 / (2 * (parameters.sum() + 1)) + 1e-15


def _moment(parameters: np.ndarray, direction: np.ndarray, s: float) -> float:
    """E e^(s u.Y), Y ~ Dirichlet: sum_n s^n h_n / (A)_n, where sum_n h_n t^n = prod_i (1 - u_i t)^(-a_i).

    By n h_n = sum_(j=1..n) (sum_i a_i u_i^j) h_(n-j); entries moved to be non-negative, so nothing cancels.
    """
    low, total = float(direction.min()), float(parameters.sum())
    u = direction - low
    powers = np.array([float((parameters * u**j).sum()) for j in range(1, 200)])
    h, found, factor = [1.0], 1.0, 1.0
    for n in range(1, 200):
        h.append(float(powers[:n] @ np.array(h[::-1])) / n)
        factor *= s / (total + n - 1)
        found += factor * h[n]
    return found * math.exp(s * low)


def test_a_dirichlet_vector_is_sub_gaussian_of_twice_the_printed_variance() -> None:
    """Random laws and directions; the moment generating function by its power series."""
    generator = np.random.default_rng(7)
    assert _moment(np.array([2.0, 3.0]), np.array([1.0, 0.0]), 3.0) == pytest.approx(float(hyp1f1(2, 5, 3)))
    exceeds = 0
    for levels, _ in itertools.product((2, 3, 6), range(60)):
        parameters = generator.gamma(0.5, 4.0, size=levels) + 0.01
        u = generator.normal(size=levels)
        u = (u - u.mean()) / np.linalg.norm(u - u.mean())
        mean = float(u @ parameters / parameters.sum())
        s = float(generator.uniform(0.1, 4)) * math.sqrt(parameters.sum() + 1)
        log = math.log(_moment(parameters, u, s)) - s * mean
        printed = s * s / 2 / (4 * (parameters.sum() + 1))
        assert log <= 2 * printed
        exceeds += log > printed
    assert exceeds >= 5  # and the printed variance is not enough


def test_theorem_5_fails_for_small_chances_and_the_corrected_bound_does_not() -> None:
    for records, chance in itertools.product((1000, 10**6), (1e-9, 1e-12)):
        claim = histogram.theorem_5(2, 1, records, chance)
        assert claim.verdict is Verdict.FALSE
        assert claim.better is not None
        assert histogram.two_even_levels(1, records, claim.value) > chance
        assert histogram.two_even_levels(1, records, claim.better) < chance
    assert histogram.two_even_levels(1, 1000, histogram.theorem_5(2, 1, 1000, "0.01").value) < 0.01
    assert histogram.theorem_5(10, "3.46", 100, "0.05").verdict is Verdict.LOOSE


def test_the_corrected_bound_holds_in_simulations() -> None:
    """20,000 draws each; more than 5% failures plus five standard errors would fail."""
    generator = np.random.default_rng(3)
    for levels, prior, counts in (
        (2, 0.01, [50, 50]),
        (2, 1.0, [0, 3]),
        (5, 0.5, [10, 10, 0, 0, 0]),
        (10, 3.46, [100] + [0] * 9),
    ):
        gammas = generator.gamma(np.array(counts) + prior, size=(20_000, levels))
        drawn = gammas / gammas.sum(axis=1, keepdims=True)
        distances = np.linalg.norm(drawn - np.array(counts) / sum(counts), axis=1)
        bound = histogram.distance_bound(levels, prior, sum(counts), "0.05")
        assert (distances > bound).mean() <= 0.05 + 5 * math.sqrt(0.05 * 0.95 / 20_000)
        assert (distances > bound / 4).mean() > 0.05  # the bound is not empty


def test_equation_16_holds_up_to_six_for_small_divergences_only() -> None:
    for levels, goal, order, size in itertools.product((2, 100), ("0.5", "0.01"), (2, 20), ("0.01", "1")):
        claim = histogram.equation_16(levels, goal, "0.01", order, size)
        assert claim.verdict is Verdict.SOUND
        assert (claim.better or math.inf) <= 6 * claim.value
    previous = 0.0
    for large in (10, 1000, 10**5):  # the order as large as the divergence: the formula stays, the need grows
        claim = histogram.equation_16(10, "0.1", "0.05", large, large)
        assert claim.verdict is Verdict.FALSE
        loss = draw_loss(10, printed_prior(large, large), int(6 * claim.value), 1)
        assert math.sqrt(loss) > previous
        previous = math.sqrt(loss)
    assert previous > 0.9  # after six times the records, all in one level, where 0.1 was promised
    with pytest.raises(PlanError):
        histogram.equation_16(10, "0.1", "0.05", 2, 5)


def test_equation_17_is_above_the_quantile() -> None:
    generator = np.random.default_rng(4)
    for levels, chance in ((3, 0.1), (50, 0.02)):
        claim = histogram.equation_17(levels, 100, chance, 2, "0.5")
        lengths = np.linalg.norm(generator.normal(0, math.sqrt(4) / 100, size=(50_000, levels)), axis=1)
        assert (lengths > (claim.better or 0)).mean() == pytest.approx(chance, rel=0.15)
        assert (lengths > claim.value).mean() < chance / 2
        assert claim.verdict is Verdict.LOOSE


def test_who_needs_fewer_records_depends_on_the_data() -> None:
    even = histogram.equation_18(1000, "0.1", 2, "0.01", "1/1000")
    assert even.verdict is Verdict.FALSE
    assert (even.better or math.inf) < even.value
    spiked = histogram.equation_18(1000, "0.1", 2, "0.01", 1)
    assert spiked.verdict is Verdict.SOUND
    assert (spiked.better or 0) > even.value
    assert histogram.smaller_loss(10, 10, 2, 1, "0.1").verdict is Verdict.LOOSE
    assert histogram.smaller_loss(10, 10, 2, 1, 1).verdict is Verdict.FALSE
    with pytest.raises(PlanError):
        histogram.smaller_loss(10, 21, 2, 1, "0.1")


def test_theorem_6_holds_and_gives_away_much() -> None:
    for shares, records, shift in itertools.product(
        (["0.5", "0.5"], ["0.98", "0.01", "0.01"], ["0.1"] * 10), (1, 10, 1000), ("0.1", 2, 200)
    ):
        claim = equation_23(shares, records, 1, shift)
        assert 0 < (claim.better or 0) < claim.value
        assert claim.value == pytest.approx(
            sum(1 / float(share) for share in shares) * float(str(shift)) ** 2 / (records + 1)
        )
    uneven = theorem_6(["0.98", "0.01", "0.01"], 10**5, [1, 1, 1], [3, 3, 3])
    assert (uneven.better or 0) > 0.45 * uneven.value  # twice the curvature, and little else
    even = theorem_6(["1/3"] * 3, 10**5, [1, 1, 1], [3, 3, 3])
    assert (even.better or 0) < 0.01 * even.value  # the total gives back all of the leading term
    with pytest.raises(NumberError):
        theorem_6(["0.5", "0.5"], 10, ["0.5", 1], [1, 1])
    with pytest.raises(NumberError):
        theorem_6(["0.5", "0.5"], 10, [2, 2], [1, 3])


def test_equation_24_holds_with_its_constants() -> None:
    worst = 0.0
    for drawn, ratio in itertools.product((0.001, 0.1, 1.6, 1.7, 5.0, 300.0), (1.001, 2.0, 1000.0)):
        claim = equation_24(["0.5", "0.5"], 10, drawn * ratio, drawn)
        assert claim.better is not None
        if drawn < math.pi**2 / 6:
            assert claim.better <= claim.value
        else:
            assert claim.better <= 1.541 * claim.value
            worst = max(worst, claim.better / claim.value)
    assert worst > 1.4
    x = np.geomspace(1e-4, 1e4, 4000)
    second = np.diff(-polygamma(2, x) / polygamma(1, x) ** 2)
    assert (second > -1e-9).all()  # 1/psi' is convex
    assert (np.diff(-polygamma(2, x) * polygamma(1, x) ** -1.5) < 1e-9).all()  # psi'^(-1/2) is concave
    with pytest.raises(PlanError):
        equation_24(["0.5", "0.5"], 10, 1, 1)


CASES = [
    TwoLevels(ones, records, first, second)
    for records in (3, 10, 200)
    for ones in sorted({0, 1, 2, records // 2, records - 1, records})
    for first, second in ((1, 1), ("0.01", 1), (20, 5))
]


def test_the_error_of_lshist_is_bounded_by_steps() -> None:
    for case, epsilon, failure in itertools.product(CASES, ("0.1", "1", "10"), ("0.9", "0.3", "0.01")):
        steps = math.log(1 / float(failure)) / float(epsilon)
        ratio = case.laplace_error(epsilon, float(failure)) / case.sensitivity
        assert ratio <= 1.5 * math.ceil(steps)
        first = accuracy.theorem_4_1(case, epsilon, failure)
        assert first.value == pytest.approx(ratio / float(epsilon))
        third = accuracy.theorem_4_3(case, epsilon, failure)
        assert third.verdict is (Verdict.FALSE if ratio > 3 * steps else Verdict.SOUND)
        assert (third.verdict is Verdict.SOUND) or steps < 1
        assert (accuracy.corollary_4_4_1(case, epsilon).better or 0) <= 1


def test_theorems_4_2_to_4_4_fail_or_say_nothing() -> None:
    even = TwoLevels(5, 10)
    for epsilon in ("0.1", "0.01", "0.001"):
        claim = accuracy.theorem_4_2(even, epsilon)
        assert claim.verdict is Verdict.FALSE
        assert claim.better == pytest.approx(1 / float(epsilon))
    assert accuracy.theorem_4_2(even, 3).verdict is Verdict.LOOSE
    assert accuracy.theorem_4_3(even, 10, "0.4").verdict is Verdict.FALSE
    for k, epsilon in ((1, "0.1"), (5, "1")):
        claim = accuracy.theorem_4_4(k, epsilon)
        near = TwoLevels(500, 1000).lshist(epsilon)[500 - k : 501 + k].sum()
        assert claim.better == pytest.approx(float(near))
        assert claim.better is not None
        assert claim.better > claim.value


def test_theorem_4_5_fails_on_every_line() -> None:
    seen = set()
    for case, epsilon in itertools.product(CASES, ("0.001", "0.1", "2")):
        for distance in case.distances[case.distances > 0][:6] * (1 + 1e-9):
            t = min(1.0, float(distance))
            first = accuracy.theorem_4_5_laplace(case, epsilon, t)
            chance = case.lshist(epsilon)[case.distances < t].sum()
            assert (first.verdict is Verdict.FALSE) == (chance < first.value - 1e-12)
            seen.add((first.place, first.verdict))
            for upper, local in itertools.product((False, True), repeat=2):
                claim = accuracy.theorem_4_5_exponential(case, epsilon, t, upper=upper, local=local)
                assert claim.better is not None
                wrong = claim.better >= claim.value if upper else claim.better <= claim.value
                assert (claim.verdict is Verdict.FALSE) == wrong
                seen.add((claim.place, claim.verdict))
                sensitivity = case.sensitivity if local else printed_sensitivity()
                near = int((case.distances < t).sum()) - 1
                low, high = accuracy.near_bounds(near, case.records, float(epsilon) / (2 * sensitivity))
                assert low - 1e-12 <= claim.better <= high + 1e-12
    assert len(seen) == 10  # five lines, each holding somewhere and failing somewhere


def test_corollary_4_5_1_fails_for_a_huge_epsilon() -> None:
    case = TwoLevels(1, 3_607_816)
    between = float(case.distances[0] + case.distances[2]) / 2
    claim = comparison.corollary_4_5_1(case, 14, between)
    assert claim.value < case.records
    assert claim.verdict is Verdict.FALSE
    assert case.ehd(14)[case.distances < between].sum() > case.lshist(14)[case.distances < between].sum()
    assert comparison.corollary_4_5_1(TwoLevels(5, 10), 1, 0.9).verdict is Verdict.VACUOUS
    small = TwoLevels(500, 1000)
    assert comparison.corollary_4_5_1(small, 1, 1.01 * small.sensitivity).verdict is Verdict.LOOSE
    with pytest.raises(PlanError):
        comparison.corollary_4_5_1(small, 1, small.sensitivity / 10)


def test_corollary_4_5_2_fails_at_an_end() -> None:
    end, inside = TwoLevels(0, 10), TwoLevels(5, 10)
    claim = comparison.corollary_4_5_2(end, "0.1", float(end.distances[1]) * 1.001)
    assert claim.value > 10
    assert claim.verdict is Verdict.FALSE
    assert comparison.corollary_4_5_2(inside, "0.1", inside.sensitivity * 1.001).verdict is Verdict.LOOSE


def test_corollary_4_5_3_holds_unless_many_candidates_are_as_near_as_neighbours() -> None:
    for case, epsilon in itertools.product([*CASES, TwoLevels(40, 3000)], ("0.1", "0.5", 1, 3)):
        claim = comparison.corollary_4_5_3(case, epsilon)
        if case.near_as_neighbours.sum() <= 3:
            assert claim.verdict is not Verdict.FALSE
    assert comparison.corollary_4_5_3(TwoLevels(1, 65, "1e-36", 1), "0.05").verdict is Verdict.FALSE


def test_statements_say_what_they_are() -> None:
    case = TwoLevels(5, 10)
    for claim in (
        equation_9(2, 1),
        scaling(2, 1, 1),
        histogram.theorem_5(3, 1, 10, "0.1"),
        equation_24(["0.5", "0.5"], 10, 2, 1),
        accuracy.theorem_4_1(case, 1, "0.1"),
        comparison.corollary_4_5_3(case, 1),
    ):
        assert claim.place in str(claim)
        assert claim.verdict.value in str(claim)
        assert claim.reason
