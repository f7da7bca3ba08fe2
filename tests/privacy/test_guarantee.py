"""What a guarantee answers: curves both ways, attackers, words."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import pytest

import privior as pv
from privior.errors import NumberError
from privior.privacy import REPLACE_ONE, Budget, Guarantee
from privior.privacy.pairs import DominatingPair, FinitePair, GaussianPair, SignedSteps, dirichlet_draw


def test_pure_guarantee() -> None:
    guarantee = pv.KNorm(cells=3, epsilon=1).guarantee
    assert guarantee.pure == 1
    assert guarantee.epsilon() == 1
    assert guarantee.delta(1) == 0
    assert guarantee.attacker_belief() == pytest.approx(1 / (1 + math.exp(-1)))
    assert "73.2%" in guarantee.claim()


def test_gaussian_guarantee_is_not_pure_and_says_so() -> None:
    guarantee = pv.GaussianCounts(cells=3, epsilon=1, delta="1e-6").guarantee
    assert guarantee.pure is None
    assert guarantee.epsilon() == math.inf
    assert guarantee.attacker_belief() is None
    assert "right with probability at most" in guarantee.claim()
    assert guarantee.epsilon(1e-6) == pytest.approx(1, abs=1e-4)
    assert guarantee.delta(guarantee.epsilon(1e-3)) <= 1e-3


def test_gaussian_noise_is_as_small_as_the_exact_curve_allows() -> None:
    """The exact curve needs stddev 1/mu*, sqrt(2)/mu* under replace-one, mu*(1, 1e-6) = .23670438."""
    added = pv.GaussianCounts(cells=3, epsilon=1, delta="1e-6", neighbours=pv.ADD_OR_REMOVE_ONE)
    replaced = pv.GaussianCounts(cells=3, epsilon=1, delta="1e-6")
    assert float(added.stddev) == pytest.approx(1 / 0.23670438, rel=5e-3)
    assert float(replaced.stddev) == pytest.approx(math.sqrt(2) / 0.23670438, rel=5e-3)
    for mechanism in (added, replaced):
        assert Fraction(mechanism.guarantee.delta(1)) <= mechanism.delta
        less = mechanism.stddev * Fraction(999, 1000)
        with pytest.raises(pv.PlanError, match="does not give the stated guarantee"):
            pv.GaussianCounts(3, 1, "1e-6", neighbours=mechanism.neighbours, stddev=Fraction(float(less)))


def test_several_rows_per_person_cost_more() -> None:
    one = pv.GaussianCounts(cells=3, epsilon=1, delta="1e-6")
    five = pv.GaussianCounts(cells=3, epsilon=1, delta="1e-6", max_rows=5)
    assert five.stddev > 5 * one.stddev
    assert pv.LaplaceCounts(cells=3, epsilon=1, max_rows=5).laplace_scale == 10


@pytest.mark.parametrize(
    "epsilon", [0, -1, "nan", float("nan"), float("inf"), "1e400", "x", "", None, True, "1/0", 1e-300]
)
def test_a_budget_that_is_no_budget_is_refused(epsilon: object) -> None:
    with pytest.raises(pv.NumberError, match="epsilon"):
        pv.Budget.of(epsilon)


@pytest.mark.parametrize("delta", [-1, 1, 2, "nan", "1e-20", "1e-400"])
def test_a_delta_that_is_none_is_refused(delta: object) -> None:
    with pytest.raises(pv.NumberError, match="delta"):
        pv.Budget.of(1, delta)


def test_answers_at_both_ends_of_the_range() -> None:
    """Documented budgets neither overflow nor take for ever."""
    for epsilon in ("1e-9", "10000"):
        guarantee = pv.KNorm(3, epsilon).guarantee
        assert 0 <= guarantee.delta(1) <= 1
        assert guarantee.attacker_accuracy() <= 1
        assert guarantee.epsilon("1e-6") <= float(guarantee.cost.epsilon)
    tiny = pv.GaussianCounts(3, "1e-6", "1e-12")
    assert Fraction(tiny.guarantee.delta("1e-6")) <= tiny.delta


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -1, 1, "x", None])
def test_a_curve_is_not_asked_for_nonsense(bad: object) -> None:
    guarantee = pv.KNorm(3, 1).guarantee
    with pytest.raises(pv.NumberError):
        guarantee.epsilon(bad)
    if bad not in (-1, 1):
        with pytest.raises(pv.NumberError):
            guarantee.delta(bad)
    with pytest.raises(pv.NumberError):
        guarantee.attacker_belief(1.5)


@pytest.mark.parametrize("rows", [0, -1, 0.5, "2", None, True, 10**7])
def test_a_number_of_rows_that_is_none_gives_no_guarantee(rows: Any) -> None:
    for build in (
        lambda: pv.LaplaceCounts(3, 1, max_rows=rows),
        lambda: pv.GaussianCounts(3, 1, "1e-6", max_rows=rows),
        lambda: pv.Sensitivity.of_counts(pv.REPLACE_ONE, rows),
    ):
        with pytest.raises(pv.PlanError, match="max_rows"):
            build()


@pytest.mark.parametrize("cells", [1, 0, -3, 2.5, "3", None, True, pytest.param(10**5000, id="huge")])
def test_a_number_of_cells_that_is_none_is_refused(cells: Any) -> None:
    with pytest.raises(pv.PlanError, match="cells"):
        pv.KNorm(cells, 1)


def test_relations_may_be_named() -> None:
    assert pv.Sensitivity.of_counts("replace-one").l1 == 2
    with pytest.raises(pv.PlanError, match="neighbour"):
        pv.Sensitivity.of_counts("both")


def test_budgets_are_exact() -> None:
    """T31: ten times one tenth is one, whatever the way it is typed."""
    tenths = [pv.Budget.of(tenth) for tenth in ("0.1", 0.1, Fraction(1, 10), "1/10", "1e-1") * 2]
    total = tenths[0]
    for tenth in tenths[1:]:
        total = total + tenth
    assert total == pv.Budget.of(1)


def promised(pair: DominatingPair) -> Guarantee:
    return Guarantee(pair, REPLACE_ONE, Budget.of(1), "a test")


def test_the_worse_of_both_orders_is_promised() -> None:
    """Adding a record and removing it have different curves; at this prior they differ by four digits."""
    pair = dirichlet_draw(["24.14058908"] * 3, neighbours="add-or-remove-one")
    assert pair.delta(1.0) < 1e-9
    assert promised(pair).delta(1) == pytest.approx(1e-6, rel=1e-6)
    assert promised(pair).delta(1) == promised(pair.mirror).delta(1)
    assert promised(pair).renyi(2.0) == max(pair.renyi(2.0), pair.mirror.renyi(2.0))


def test_the_trade_off_is_that_of_the_best_test() -> None:
    """For a shift of a normal law by mu it is Phi(Phi^-1(1 - alpha) - mu); a grid may only lie below."""
    from statistics import NormalDist

    normal = NormalDist()
    for mu in (Fraction(1, 10), Fraction(1, 2), Fraction(2)):
        guarantee = promised(GaussianPair(mu**2))
        for alpha in (1e-6, 0.01, 0.05, 0.3, 0.7, 0.99):
            exact = normal.cdf(normal.inv_cdf(1 - alpha) - float(mu))
            assert exact - 2e-3 < guarantee.trade_off(alpha) <= exact + 1e-12
    assert promised(SignedSteps(Fraction(1))).trade_off(0.0) == pytest.approx(1.0)
    assert promised(SignedSteps(Fraction(1))).trade_off(1.0) == 0.0


@pytest.mark.parametrize("prior", [0.01, 0.3, 0.5, 0.9])
def test_the_best_guess_is_found_by_listing_all_guesses(prior: float) -> None:
    p = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)]
    q = [Fraction(1, 10), Fraction(3, 10), Fraction(6, 10)]
    best = 0.0
    for first, second in ((p, q), (q, p)):
        for guess in itertools.product((0, 1), repeat=3):
            right = [
                prior * float(a) if yes else (1 - prior) * float(b)
                for a, b, yes in zip(first, second, guess, strict=True)
            ]
            best = max(best, sum(right))
    stated = promised(FinitePair.of(p, q)).attacker_accuracy(prior)
    assert best <= stated <= best + 1e-9


def test_what_does_not_exist_says_so() -> None:
    draw = promised(dirichlet_draw([2, 3, 4]))
    for missing in (lambda: draw.gdp, lambda: draw.zcdp, lambda: draw.renyi(0), lambda: draw.trade_off(2)):
        with pytest.raises(NumberError):
            missing()
    assert draw.pure is None
    assert draw.renyi(3.5) == math.inf
    assert promised(GaussianPair(Fraction(1, 4))).gdp == pytest.approx(0.5)
    assert promised(GaussianPair(Fraction(1, 4))).zcdp == Fraction(1, 8)
    assert promised(SignedSteps(Fraction(1))).zcdp == Fraction(1, 2)


@pytest.mark.parametrize("most", [1, 7, 100])
def test_the_rho_of_gaussian_noise_grows_with_the_square_of_what_a_record_moves(most: int) -> None:
    """A sum of values from 0 to `most`: what is charged where rho is charged is no less than is told."""
    guarantee = pv.NoisyStatistics([(0, most)], 1, "1e-6").guarantee
    for order in (2.0, 5.0, 40.0):
        assert guarantee.renyi(order) <= order * float(guarantee.zcdp) * (1 + 1e-12)
    assert guarantee.renyi(5.0) == pytest.approx(5 * float(guarantee.zcdp), rel=1e-9)  # and no more
