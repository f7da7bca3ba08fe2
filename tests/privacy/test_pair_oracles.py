"""The known numbers of the theory (T09), and what a curve gives at the edge of its range."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pytest

import privior as pv
from privior.privacy.pairs import (
    BetaPair,
    BoundedRangePair,
    FiniteBernoulli,
    FinitePair,
    GammaScalePair,
    GaussianPair,
    KNormPair,
    SignedSteps,
    TruncatedBernoulli,
    TruncatedExponential,
    TwoLevelsPair,
    dirichlet_draw,
    gamma_rate_draw,
    network_draw,
    normal_mean_draw,
    poisson_draw,
    virtual_records_draw,
    virtual_records_epsilon,
)

F = Fraction


@pytest.mark.parametrize(
    ("prior", "epsilon", "delta"),
    [(1, 1.0, 0.2689414214), ("3.46", 2.0, 4.173960576e-3), (10, 1.0, 3.559549457e-3)],
)
def test_dirichlet_draws(prior: object, epsilon: float, delta: float) -> None:
    assert dirichlet_draw([prior] * 3).delta(epsilon) == pytest.approx(delta, rel=2e-10)


def floor(at: Any, low: float, high: float) -> float:
    """Find the argument at which delta(1) of the pair falls, or rises, through 1e-6."""
    rising = at(high) > at(low)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if (at(middle) > 1e-6) == rising else (middle, high)
    return low


def test_prior_floors_and_rates_for_one_and_a_millionth() -> None:
    def added(a: float) -> float:
        pair = dirichlet_draw([a, a + 1], neighbours=pv.ADD_OR_REMOVE_ONE)
        return max(pair.delta(1.0), pair.mirror.delta(1.0))

    assert floor(lambda a: dirichlet_draw([a] * 3).delta(1.0), 10, 100) == pytest.approx(
        37.05412248, abs=1e-8
    )
    assert floor(lambda r: dirichlet_draw([1] * 3, r).delta(1.0), 0.01, 1) == pytest.approx(
        0.08784758, abs=1e-8
    )
    assert floor(added, 10, 100) == pytest.approx(24.14058908, abs=1e-8)
    assert floor(lambda mu: GaussianPair.of(mu).delta(1.0), 0.1, 1) == pytest.approx(0.23670438, abs=1e-8)


def test_renyi_of_order_two() -> None:
    """D_2 = ln((a+1)/(a-1)): a prior floor of coth(epsilon/2) gives (2, epsilon)."""
    for a in (1.5, 2.16395, 3.46):
        pair = BetaPair(F(str(a)), F(str(a)))
        assert pair.renyi(2.0) == pytest.approx(math.log((a + 1) / (a - 1)), rel=1e-12)
    assert BetaPair(F("2.163953414"), F("2.163953414")).renyi(2.0) <= 1 < BetaPair(F(2), F(2)).renyi(2.0)
    assert BetaPair(F(2), F(1), F(1)).renyi(2.0) == math.inf
    assert BetaPair(F(1), F(2), F(1)).renyi(2.0) < math.inf


def test_two_orders_are_not_to_be_aligned() -> None:
    """At k = 2 with priors (1, 5) the two orders differ: a curve of one order is not a guarantee."""
    pair = BetaPair(F(1), F(5))
    assert pair.delta(2.0) != pytest.approx(pair.mirror.delta(2.0), rel=0.1)
    assert dirichlet_draw([1, 5, 9]).delta(2.0) == max(pair.delta(2.0), pair.mirror.delta(2.0))


def test_bounded_range() -> None:
    pair = BoundedRangePair(F(2))
    assert pair.delta(0.0) == pytest.approx(0.46211716, abs=1e-8) == math.tanh(0.5)
    assert pair.delta(1.0) == pytest.approx(0.17904989, abs=1e-8)
    for order in (0.3, 1.0, 1.5, 4.0, 100.0):
        assert pair.renyi(order) <= min(2.0, order * float(pair.rho))
    assert BoundedRangePair(F(1, 1000)).renyi(2.0) == pytest.approx(2 * 1e-6 / 8, rel=1e-6)


FIFTHS = (F(1, 5), F(2, 5), F(3, 5), F(4, 5))


@pytest.mark.parametrize(
    ("family", "epsilon"),
    [
        (TruncatedBernoulli(F(1, 5), F(4, 5), 1), 1.38629436),
        (TruncatedBernoulli(F(1, 5), F(4, 5), 10), 2.36712624),
        (TruncatedBernoulli(F(1, 5), F(4, 5), 10**9), 2.77258872),
        (TruncatedExponential(F(1, 2), F(2), 1, F(0), F(1)), 0.859525105),
        (TruncatedExponential(F(1, 2), F(2), 10**9, F(0), F(1)), 1.5),
        (FiniteBernoulli(FIFTHS, (F(1),) * 4, 1), 1.38629436),
        (FiniteBernoulli(FIFTHS, (F(1),) * 4, 10), 2.68329489),
        (FiniteBernoulli(FIFTHS, (F(1),) * 4, 10**9), 2.77258872),
    ],
    ids=str,
)
def test_truncated_families(family: Any, epsilon: float) -> None:
    assert float(family.pure) == pytest.approx(epsilon, abs=6e-9)
    assert family.pair == SignedSteps(family.pure)
    assert family.pure <= family.oscillation == family.bounded_range.eta


@pytest.mark.parametrize("rate", [F(1), F(1, 3)])
def test_truncated_families_by_enumeration(rate: Fraction) -> None:
    """All neighbouring data, all losses on a grid of the parameter: never larger, and attained."""
    n, points = 4, [F(i, 10) for i in range(2, 9)]
    weights = [F(1 + i) for i in range(len(points))]
    family = FiniteBernoulli(tuple(points), tuple(weights), n, rate)

    def law(ones: int) -> list[float]:
        raw = [
            float(w) * float(p) ** (rate * ones) * float(1 - p) ** (rate * (n - ones))
            for p, w in zip(points, weights, strict=True)
        ]
        return [x / sum(raw) for x in raw]

    laws = [law(ones) for ones in range(n + 1)]
    losses = [abs(math.log(p / q)) for s in range(n) for p, q in zip(laws[s], laws[s + 1], strict=True)]
    assert max(losses) <= family.pure
    assert max(losses) == pytest.approx(float(family.pure), rel=1e-12)


@pytest.mark.parametrize(
    ("lower", "upper", "a", "b", "n", "rate"),
    [
        ("0.1", "0.6", "0.5", "3", 3, "1"),
        ("0.3", "0.95", "2", "0.25", 7, "0.5"),
        ("0.2", "0.8", "40", "1", 5, "1"),
    ],
)
def test_truncated_bernoulli_by_quadrature(lower: str, upper: str, a: str, b: str, n: int, rate: str) -> None:
    """The formula at its two worst data sets, and all other neighbours, by plain integrals."""
    import mpmath as mp

    family = TruncatedBernoulli(F(lower), F(upper), n, F(a), F(b), F(rate))
    low, high, r = float(F(lower)), float(F(upper)), float(F(rate))

    def mass(s: int) -> Any:
        x, y = float(F(a)) + r * s - 1, float(F(b)) + r * (n - s) - 1
        return mp.quad(lambda t: t**x * (1 - t) ** y, [low, (low + high) / 2, high])

    ends = [math.log(p / (1 - p)) for p in (low, high)]
    losses = []
    for s in range(n):
        step = float(mp.log(mass(s + 1) / mass(s)))
        losses += [r * ends[1] - step, step - r * ends[0]]
    assert float(family.pure) == pytest.approx(max(losses), rel=1e-12)
    assert float(family.oscillation) == pytest.approx(r * (ends[1] - ends[0]), rel=1e-12)


def test_truncated_exponential_by_quadrature() -> None:
    import mpmath as mp

    n, r = 3, 0.5
    family = TruncatedExponential(F("0.25"), F(3), n, F("0.5"), F(2), F(2), F("1.5"), F("0.5"))

    def mass(total: float) -> Any:
        return mp.quad(lambda h: h ** (0.5 + r * n) * mp.exp(-h * (2 + r * total)), [0.25, 1, 3])

    losses = []
    for total in (1.5, 2.0, 3.0, 4.5):  # of all neighbours' sums; the shift is 1.5
        step = float(mp.log(mass(total + 1.5) / mass(total)))
        losses += [step + r * 1.5 * 3, -step - r * 1.5 * 0.25]
    assert float(family.pure) == pytest.approx(max(losses), rel=1e-12)


def test_virtual_records() -> None:
    assert float(virtual_records_epsilon(10, F(1))) == pytest.approx(math.log(11), rel=1e-15)
    general = math.lgamma(0.5 + 0.3 + 7) - math.lgamma(0.5 + 0.3) - math.lgamma(0.5 + 7) + math.lgamma(0.5)
    assert float(virtual_records_epsilon(7, F("0.5"), F("0.3"))) == pytest.approx(general, rel=1e-12)
    exact = virtual_records_draw([2, 1, 3], 10)
    large = virtual_records_draw([2, 1, 3], 10**6)
    assert exact.pure == virtual_records_epsilon(10, F(1))
    assert isinstance(large, SignedSteps)
    assert float(large.step) == pytest.approx(math.log(1 + 10**6), rel=1e-15)


def test_conjugate_draws() -> None:
    gdp = normal_mean_draw(4, 9, 50, 10, rate="0.5", draws=3)
    assert gdp.mu == pytest.approx(math.sqrt(3) * 5 / (4 * math.sqrt(1 / 9 + 25 / 4)), rel=1e-14)
    assert gamma_rate_draw(2, 3, 10, 1, 4, rate="0.5", draws=2).delta(0.1) == pytest.approx(
        max(
            GammaScalePair(F(14), 1 + F(3, 2) / 8).delta(0.1),
            GammaScalePair(F(14), 1 + F(3, 2) / 8, steeper=True).delta(0.1),
        )
    )
    assert gamma_rate_draw(2, 3, 10, 0, 4, each=F(1, 2)).pure is None
    assert gamma_rate_draw(2, 3, 10, 0, 4, each=F(1, 2)).delta(0.1) == gamma_rate_draw(2, 3, 5, 0, 4).delta(
        0.1
    )
    assert poisson_draw(3, 8, rate="0.25").delta(0.5) == poisson_draw(3, 2).delta(0.5)


def test_a_network_reads_all_rows() -> None:
    """A row prior repeated over rows gives its smallest parameter twice: .264, not .188."""
    root, child = network_draw([[[1, 5]], [[1, 5], [1, 5]]])
    assert child.delta(1.0) == pytest.approx(0.2689414, abs=1e-7)
    assert root.delta(1.0) < child.delta(1.0)
    added = network_draw([[[1, 5]], [[2, 5], [1, 5]]], neighbours=pv.ADD_OR_REMOVE_ONE)
    assert added[0] == added[1] == dirichlet_draw([1, 5], neighbours=pv.ADD_OR_REMOVE_ONE)


def test_many_records_are_not_scanned() -> None:
    """With two levels and a public n the worst s is found among 10^9; its pair is nearly the Gamma pair."""
    public = dirichlet_draw([1, 3], records=10**9)
    limit = dirichlet_draw([1, 3], neighbours=pv.ADD_OR_REMOVE_ONE)
    for epsilon in (0.5, 2.0):
        both = max(limit.delta(epsilon), limit.mirror.delta(epsilon))
        assert both * (1 - 1e-8) <= public.delta(epsilon) <= both * (1 + 1e-8)
        assert public.delta(epsilon) < dirichlet_draw([1, 3]).delta(epsilon)


def test_k_norm_of_many_levels() -> None:
    """The closed form by the sums of squares of binomial coefficients, and the largest table."""
    for levels, epsilon in ((2, 1.0), (7, 0.5), (40, 2.0)):
        x = math.exp(-epsilon)
        sums = [sum(math.comb(m, j) ** 2 * x**j for j in range(m + 1)) for m in (levels - 2, levels - 1)]
        expected = sums[0] / sums[1] * (1 - x)
        assert KNormPair(levels, F(epsilon)).delta(0.0) == pytest.approx(expected, rel=1e-12)
    assert KNormPair(10**6, F(1)).delta(0.5) < KNormPair(10, F(1)).delta(0.5) < SignedSteps(F(1)).delta(0.5)
    assert 0 < KNormPair(3, F(10**4)).delta(9999.0) <= 1
    assert 0 < KNormPair(3, F(1, 10**9)).delta(0.0) < 1e-9


@pytest.mark.parametrize("epsilon", [-1e9, -800.0, 800.0, 1e9])
def test_far_out_curves_are_quick_and_safe(epsilon: float) -> None:
    for pair in (
        BetaPair(F(1), F(2)),
        dirichlet_draw([1, 3], neighbours=pv.ADD_OR_REMOVE_ONE),
        GammaScalePair(F(5), F(2)),
        GaussianPair(F(3)),
        BoundedRangePair(F(2)),
        KNormPair(4, F(1)),
    ):
        for one in (pair, pair.mirror):
            assert one.delta(epsilon) == (1.0 if epsilon < 0 else pytest.approx(0.0, abs=1e-290))


def test_outcomes_that_only_one_law_allows() -> None:
    pair = FinitePair.of(("1/2", "1/2", 0), (0, "1/4", "3/4"))
    assert pair.pure is None
    assert pair.renyi(1.0) == math.inf
    assert pair.renyi(0.5) == pytest.approx(-2 * math.log(math.sqrt(1 / 8)))
    assert pair.delta(5.0) == pytest.approx(0.5)
    assert pair.delta(0.0) == pytest.approx(0.75)
    with pytest.raises(pv.NumberError, match="not two laws"):
        FinitePair.of(("0.5", "0.4"), ("0.5", "0.5"))


@pytest.mark.parametrize(
    "build",
    [
        lambda: dirichlet_draw([1]),
        lambda: dirichlet_draw([1, 0]),
        lambda: dirichlet_draw([1, 2], rate=-1),
        lambda: dirichlet_draw([1, 2], records=0),
        lambda: gamma_rate_draw(1, 1, 5, 2, 1),
        lambda: TruncatedBernoulli(F(0), F(1, 2), 3),
        lambda: TruncatedExponential(F(1), F(2), 3, F(1), F(1)),
        lambda: FiniteBernoulli((F(0), F(1, 2)), (F(1), F(1)), 3),
        lambda: FiniteBernoulli((F(1, 3), F(1, 2)), (F(1), F(0)), 3),
    ],
)
def test_what_makes_no_sense_is_refused(build: Any) -> None:
    with pytest.raises(pv.NumberError):
        build()


@pytest.mark.parametrize(
    ("first", "second", "rate", "epsilon"),
    [
        (0.003308312478751261, 76204.00443354456, 4.31620166686067e-06, -7.504097635896884e-05),
        (0.880024125040771, 787229235.093678, 0.9441183984861197, 10.064197996574922),
        (292.88862055831913, 75163679.428836, 0.002711873597126122, 1.5845977672612862e-05),
        (1000.0, 1e9, 1.0, 0.0),
        (111329126.61026007, 2.145877862214323, 1.6798391536120858, -3.4402219203180957),
    ],
)
def test_lopsided_tails_are_quick(first: float, second: float, rate: float, epsilon: float) -> None:
    """On the wrong side of a tail interval arithmetic never ends; on the right one both orders agree."""
    pair = BetaPair(F(first), F(second), F(rate))
    swapped = 1 - math.exp(epsilon) + math.exp(epsilon) * pair.mirror.delta(-epsilon)
    assert pair.delta(epsilon) == pytest.approx(swapped, rel=1e-9, abs=1e-11)
    assert 0 < pair.delta(epsilon) < 1


@pytest.mark.parametrize(
    ("first", "second", "rate", "records"),
    [("0.3", "9", "1", 40), ("5", "5", "0.5", 40), ("0.05", "0.06", "7", 5), ("80", "3", "2", 60)],
)
def test_the_worst_common_counts_are_those_of_a_scan(
    first: str, second: str, rate: str, records: int
) -> None:
    pair = TwoLevelsPair(F(first), F(second), F(rate), records)
    every = [one for s in range(records) for one in (pair.shared(s), pair.shared(s).mirror)]
    for epsilon in (-1.0, 0.0, 1.0):
        truth = max(one.delta(epsilon) for one in every)
        assert truth <= pair.delta(epsilon) <= truth * (1 + 2e-10)
    for order in (0.5, 1.01):
        truth = max(one.renyi(order) for one in every)
        assert truth <= pair.renyi(order) <= truth * (1 + 2e-10)
