"""Every number of four digits in docs/errata.md is computed here, and what is computed is on the page."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import mpmath as mp
import numpy as np
import pytest
from agent_errata import d9, d10, d11
from gibbs_errata import c4, c5, c6, c7, c8, c9
from hellinger_laws import Counts, Floats, hellinger, largest_loss, local_sensitivity
from network_errata import e6, e7, e8, e9, e10, e11
from regression_errata import check_lemma_d1, e12
from sampling_errata import a13, a14, a15
from scipy import integrate, optimize, stats
from utility_errata import b6, b7, b8, d5, d6, d7, d8, laplace_line, local_lines

from privior.papers import sampling_utility
from privior.papers.published import Verdict, dirichlet, gibbs, networks
from privior.papers.published import hellinger as published_hellinger
from privior.papers.published import posterior_sampling as sampling
from privior.papers.stealth import corollary_3
from privior.privacy.pairs import (
    BetaPair,
    FiniteBernoulli,
    TruncatedBernoulli,
    TruncatedExponential,
    both_orders,
    dirichlet_draw,
)

F = Fraction
PAGE = Path(__file__).resolve().parents[2] / "docs" / "errata.md"
PRINTED = math.sqrt(1 - math.pi / 4)
FIFTH = TruncatedBernoulli(F(1, 5), F(4, 5), 10**9)


def show(number: float, digits: int) -> str:
    return f"{number:.{digits}g}"


def a1() -> Iterator[str]:
    bernoulli = sampling.theorem_8_lipschitz(sampling.bernoulli_lipschitz("0.2"), 1, FIFTH)
    slow = TruncatedExponential(F(1, 2), F(2), 10**9, F(0), F(1))
    exponential = sampling.theorem_8_lipschitz(2, 1, slow)
    assert bernoulli.verdict is exponential.verdict is Verdict.LOOSE
    assert exponential.value == 4
    assert exponential.better == pytest.approx(1.5, abs=1e-8)
    few = TruncatedBernoulli(F(1, 5), F(4, 5), 10)
    yield from (show(bernoulli.value, 9), show(bernoulli.better or 0, 9), show(float(few.pure), 9))
    finite = FiniteBernoulli(tuple(F(i, 5) for i in range(1, 5)), (F(1),) * 4, 10)
    yield show(float(finite.pure), 9)


def a2() -> Iterator[str]:
    claim = sampling.theorem_8_stochastic(*sampling.lemma_21(5, 10))
    assert claim.verdict is Verdict.VACUOUS
    yield show(claim.value, 4)
    slope = optimize.brentq(lambda a: float(2 ** (1 - 2 * a) / mp.beta(a, a)) - 1, 1.1, 10)
    assert float(sampling.lemma_21(float(slope) + 0.01, 10)[0]) > 1 > float(sampling.lemma_21(2, 10)[0])
    yield show(float(slope), 4)
    printed = 2 / min(0.5 * math.exp(-0.5), 2 * math.exp(-2))
    yield show(math.sqrt(printed / 2 * (1 + 2 * 0.5 + 1 / 2)), 4)
    yield show(float(TruncatedExponential(F(1, 2), F(2), 1, F(0), F(1), F(2)).pure), 4)


def exponential_ratio(records: int, low: float, high: float, rate: float) -> float:
    """C of Lemma 19 for n records with sum 0, n/2 or n: the largest likelihood over its mean."""

    def prior(t: float) -> float:
        return rate * math.exp(-rate * t) / (math.exp(-rate * low) - math.exp(-rate * high))

    def ratio(total: float) -> float:
        def likelihood(t: float) -> float:
            return t**records * math.exp(-t * total)

        best = min(max(records / total, low), high) if total else high
        mean = integrate.quad(lambda t: likelihood(t) * prior(t), low, high, epsabs=0, limit=200)[0]
        return likelihood(best) / float(mean)

    return max(ratio(total) for total in (0.0, records / 2, float(records)))


def a3() -> Iterator[str]:
    yield from (show(exponential_ratio(n, 0.5, 2, 2), 4) for n in (1, 10, 100))
    points = [0.2, 0.4, 0.6, 0.8]
    for records in (1, 10, 1000):
        likelihoods = [
            [s * math.log(p) + (records - s) * math.log(1 - p) for p in points] for s in range(records + 1)
        ]
        ratio = max(4 / sum(math.exp(x - max(row)) for x in row) for row in likelihoods)
        assert ratio <= 4
        if records < 1000:
            yield show(ratio, 4)


def a4() -> Iterator[str]:
    slope, base, _ = sampling.lemma_21(5, 10)
    claim = sampling.corollary_9(slope, base, 5, None)
    assert claim.verdict is Verdict.FALSE
    yield show(1 - claim.value, 4)
    # the posteriors of x and of its neighbour have the ratio of y/(1-y) to a constant: not bounded
    assert BetaPair(F(5), F(14)).pure is None
    assert BetaPair(F(5), F(14)).delta(10.0) > 0


def a5() -> Iterator[str]:
    low, high, reach = 0.5, 0.6, 0.1
    printed = high / (2 * min(1 / (2 * high), 1 / (2 * low) * math.exp(-reach / low)))
    assert printed < 1
    yield show(printed, 4)


def a6() -> Iterator[str]:
    low, high, at = 0.1, 0.2, 10.0
    printed = min(math.sqrt(high / low) * math.exp(low * high**2 / 2), math.exp(high**3 / 2))

    def density(theta: float) -> float:
        return math.sqrt(theta) * math.exp(-theta * at**2 / 2)

    scale = math.exp(-low) - math.exp(-high)
    mean = integrate.quad(lambda t: density(t) * math.exp(-t) / scale, low, high, epsabs=0)[0]
    yield from (show(printed, 4), show(density(low) / float(mean), 4))


def a7() -> Iterator[str]:
    def distance(angle: float) -> float:
        x, y = np.array([1.0, 0.0]), np.array([math.cos(angle), math.sin(angle)])
        return float(np.linalg.norm(np.outer(x, x) - np.outer(y, y)) + 2 * np.linalg.norm(x - y))

    found = optimize.minimize_scalar(lambda t: -distance(t), bounds=(1, 3.1), method="bounded")
    generator = np.random.default_rng(1)
    points = generator.normal(size=(2000, 2, 3))
    points /= np.maximum(1, np.linalg.norm(points, axis=2, keepdims=True))
    for x, y in points:
        assert np.linalg.norm(np.outer(x, x) - np.outer(y, y)) + 2 * np.linalg.norm(x - y) < 4.7097
    yield show(-float(found.fun), 7)


def a8() -> Iterator[str]:
    """Three unconnected binary nodes, chances in [.2, .8], one record: the draws are independent."""
    one = TruncatedBernoulli(F(1, 5), F(4, 5), 1)
    claim, truth = 2 * math.log(5), 3 * float(one.pure)
    assert truth > claim
    yield from (show(claim, 4), show(truth, 4))


def a9() -> Iterator[str]:
    """One draw of a chance in [.2, .8] with a flat prior from one record, 0 or 1: densities on a line."""
    slope = math.log(4)
    failure = 0.3
    threshold = 3 / (4 * slope) * math.log(1 / failure)
    assert threshold <= 1  # rho(x, y) = 1 satisfies the printed condition
    variation = integrate.quad(lambda t: abs(2 * t - 1) / 0.3 / 2, 0.2, 0.8, points=[0.5])[0]
    best = (1 + float(variation)) / 2
    assert best < 1 - failure
    yield from (show(threshold, 4), show(best, 2), show(1 - failure, 2))


def a10() -> Iterator[str]:
    claim = sampling_utility.lemma_11(20, "0.5", responses=10_001)
    assert claim.verdict is Verdict.FALSE
    chance = sampling_utility.chance_of_coins(20, 10_001, claim.value)
    assert chance > 0.5
    yield from (show(claim.value, 4), show(chance, 3))
    three = sampling_utility.lemma_11(1000, "0.05", responses=3)
    assert three.better == pytest.approx(three.value)


def a11() -> Iterator[str]:
    eta = F(1, 10)
    claim = sampling_utility.lemma_15(eta)
    assert claim.verdict is Verdict.LOOSE
    assert claim.value == 0.2
    yield show(claim.better or 0, 4)
    yield show(2 * math.sqrt(2 * claim.value), 4)  # Lemma 14 with Pinsker's inequality
    yield show(sampling_utility.own_prior_loss(eta), 4)


def a12() -> Iterator[str]:
    chances, prior = np.array([0.4, 0.5, 0.999]), np.array([0.5, 0.49, 0.01])
    posterior = prior * chances**10 / (prior @ chances**10)
    private = posterior * [1, 1, 0] / posterior[:2].sum()
    outside = float(posterior[2])
    claim = sampling_utility.theorem_17("0.01", 10**6, "0.05", responses=3, outside_given_data=outside)
    assert claim.verdict is Verdict.FALSE
    loss = float(
        posterior.max() - posterior[private.argmax()]
    )  # three responses, each right for one parameter
    assert claim.value < loss <= (claim.better or 0)
    yield from (show(loss, 4), show(claim.value, 3))
    yield "0.999"


def b1() -> Iterator[str]:
    yield show(published_hellinger.printed_sensitivity(), 6)
    assert published_hellinger.hellinger_sensitivity([1, 1, 1], 10) == pytest.approx(PRINTED, abs=1e-12)
    yield show(published_hellinger.hellinger_sensitivity([1, 1], 10), 6)
    yield show(published_hellinger.hellinger_sensitivity(["0.5"] * 3, 10), 6)
    loss = largest_loss(10, (0.01, 0.01), lambda _: 0.1 / (2 * PRINTED))
    assert published_hellinger.theorem_3_1_exponential("0.1", ["0.01"] * 2, 10).verdict is Verdict.FALSE
    assert loss / 0.1 < (published_hellinger.theorem_3_1_exponential(1, ["0.01"] * 2, 10).better or 0)
    yield show(loss / 0.1, 5)


def b2() -> Iterator[str]:
    claim = published_hellinger.theorem_3_1_laplace(1, 10, "LSDim")
    assert (claim.verdict, claim.better) == (Verdict.LOOSE, 0.2)
    yield "0.2"


def b3() -> Iterator[str]:
    """EHDS with so large a gamma that S is the local sensitivity, one pair of neighbours."""
    prior = (40.0,) * 3
    pair: tuple[Counts, Counts] = ((160, 0, 0), (159, 1, 0))
    inverse = {counts: 1 / local_sensitivity(counts, prior) for counts in pair}
    assert max(inverse.values()) < 100  # so for gamma = 100 no other data set can enter the maximum
    epsilon = 0.001
    loss = largest_loss(160, prior, lambda c: epsilon * inverse[c] / 4, [pair])
    assert published_hellinger.theorem_3_1_smooth(epsilon, 100).verdict is Verdict.FALSE
    yield show(loss / epsilon, 4)


def b4() -> Iterator[str]:
    def ratio(prior: tuple[float, ...], one: Counts, other: Counts) -> float:
        def slope(counts: Counts) -> float:
            return 0.01 / (2 * local_sensitivity(counts, prior))

        return largest_loss(sum(one), prior, slope, [(one, other)]) / 0.01

    yield show(ratio((0.1, 0.1), (999, 1), (998, 2)), 4)
    yield show(ratio((50.0,) * 3, (100, 0, 0), (99, 1, 0)), 4)


def b5() -> Iterator[str]:
    def chances(records: int, ones: int, epsilon: float) -> tuple[Floats, Floats]:
        grid = np.arange(records + 1)
        laws = np.stack([grid + 1.0, records - grid + 1.0], axis=1)
        distances = hellinger(laws, laws[ones])
        weights = np.exp(-epsilon * distances / (2 * PRINTED))
        return distances, weights / weights.sum()

    # below: no ones, ten records; t just above the distance of one step, so k = 1
    distances, law = chances(10, 0, 0.1)
    low = (2 * math.exp(-0.1) + 1) / 10
    found = law[distances < distances[1] * (1 + 1e-9)].sum()
    assert found < low
    yield from (show(low, 4), show(float(found), 4))
    # above: half ones, 10^4 records; t so small that k = 0
    _, law = chances(10**4, 5000, 1.0)
    high = 1 / (10**4 * math.exp(-1))
    assert law[5000] > high
    yield from (show(high, 4), show(float(law[5000]), 4))
    yield "0.001"
    yield from local_lines()
    yield from laplace_line()


def c1() -> Iterator[str]:
    def gap(e: float) -> float:
        claim = gibbs.corollary_8_first(e)
        return (claim.better or 0) - claim.value

    yield show(float(optimize.brentq(gap, 1, 5, xtol=1e-9)), 4)
    four = gibbs.corollary_8_first(4)
    assert four.verdict is Verdict.FALSE
    yield from (show(four.value, 4), show(four.better or 0, 4))
    assert gibbs.theorem_7(math.sqrt(2), 1, 1, 4).verdict is Verdict.VACUOUS


def c2() -> Iterator[str]:
    def gap(e: float) -> float:
        claim = gibbs.corollary_8_second(e, "1e-6")
        return (claim.better or 0) - claim.value

    yield show(float(optimize.brentq(gap, 5, 12, xtol=1e-9)), 4)
    ten = gibbs.corollary_8_second(10, "1e-6")
    assert ten.verdict is Verdict.FALSE
    yield show(ten.better or 0, 4)


def c3() -> Iterator[str]:
    """Logistic loss with an intercept, one record with feature 0, label 1 or -1; beta = 1."""
    radius, epsilon, delta = 0.1, 1.0, 1e-6
    precision = (2 * radius / epsilon) ** 2 * (1 + 2 * math.log(1 / delta))
    assert epsilon / (2 * radius) * math.sqrt(precision / (1 + 2 * math.log(1 / delta))) == pytest.approx(1)

    def excess(b: float) -> float:
        mine, other = 1 / (1 + math.exp(-b)), 1 / (1 + math.exp(b))
        return 2 * max(0, mine - math.exp(epsilon) * other) * math.exp(-precision * b * b / 2)

    found = integrate.quad(excess, 1, 12, epsabs=1e-12)[0] * math.sqrt(precision / (2 * math.pi))
    yield show(float(found), 4)
    mu = gibbs.gibbs_pair(1, F(math.sqrt(radius**2 + 1)), F(precision))
    assert found < mu.delta(epsilon)  # and the right Lipschitz constant covers it


def d1() -> Iterator[str]:
    for smallest, epsilon in ((1, 1), ("3.46", 2), (10, 1)):
        claim = dirichlet.theorem_4(dirichlet.PublishedDraw.of(smallest), epsilon)
        assert claim.verdict is Verdict.LOOSE
        yield from (show(claim.value, 4), show(claim.better or 0, 4))
    draw = dirichlet.PublishedDraw.of

    def root(excess: Callable[[float], float], low: float, high: float) -> float:
        return float(optimize.brentq(excess, low, high, xtol=1e-9))

    yield show(root(lambda a: dirichlet.theorem_4(draw(a), 1).value - 1e-6, 20, 100), 4)
    yield show(root(lambda a: dirichlet_draw([a] * 3).delta(1.0) - 1e-6, 20, 100), 4)
    yield show(root(lambda r: dirichlet.theorem_4(draw(1, r), 1).value - 1e-6, 0.01, 0.2), 4)
    yield show(root(lambda r: dirichlet_draw([1] * 3, r).delta(1.0) - 1e-6, 0.01, 0.2), 4)


def d2() -> Iterator[str]:
    def printed(a: float) -> float:
        return dirichlet.theorem_2(dirichlet.PublishedDraw.of(a), 2).value - 1

    yield show(float(optimize.brentq(printed, 2, 5, xtol=1e-9)), 4)
    floor = 1 / math.tanh(0.5)
    assert both_orders(BetaPair(F(floor), F(floor))).renyi(2.0) == pytest.approx(1, abs=1e-12)
    yield show(floor, 6)
    yield show(float(optimize.brentq(lambda a: float(mp.zeta(2, a - 1)) - 1, 1.5, 5)), 4)


def d3() -> Iterator[str]:
    claim = dirichlet.equation_6(dirichlet.PublishedDraw.of("1.001"), 2)
    yield "1.001"
    assert claim.verdict is Verdict.FALSE
    yield from (show(claim.value, 4), show(claim.better or 0, 4))
    third = dirichlet.equation_6(dirichlet.PublishedDraw.of(1), 3)
    assert third.better == math.inf
    yield show(third.value, 4)


def d4() -> Iterator[str]:
    """Expected squared losses, ten levels, ten records, order-2 divergence 1, prior 3.46 (the paper's)."""
    levels, records, prior = 10, 10, 3.46
    total = levels * prior
    gaussian = levels * 2 / records**2  # d sigma^2, sigma^2 = l D2^2 / (2 N^2 D), l = 2, D2^2 = 2, D = 1

    def loss(counts: list[int]) -> float:
        u = np.array(counts) + prior
        mean = u / u.sum()
        return float(
            (mean * (1 - mean)).sum() / (u.sum() + 1) + ((mean - np.array(counts) / records) ** 2).sum()
        )

    assert records + total == pytest.approx(44.6)
    flat, spiked = loss([1] * 10), loss([10] + [0] * 9)
    assert flat < gaussian < spiked
    yield from (show(flat, 3), show(gaussian, 1), show(spiked, 3))


def e1() -> Iterator[str]:
    star = [[0], *([i, 0] for i in range(1, 6))]
    claim = networks.corollary_2(1, star)
    assert (claim.verdict, len(networks.downward_closure(star))) == (Verdict.LOOSE, 12)
    yield show(claim.better or 0, 4)
    clique = networks.corollary_2(1, [[0, 1, 2, 3]])
    assert clique.better == 0.5
    yield "0.5"


def e2() -> Iterator[str]:
    assert networks.theorem_4_lipschitz([1, 1], 1, [1, 1]).verdict is Verdict.VACUOUS
    # the printed assumption at the same x_i under two parents: |log p(1|0) - log p(1|1)| <= L_i * 0
    theta = {0: 0.3, 1: 0.6}
    assert abs(math.log(theta[0] / theta[1])) > 0
    yield from ()


def e3() -> Iterator[str]:
    """The statement of Lemma 3 gives c' below the smallest c; its proof ends with one above it."""
    nodes, slope, base = 10, 1.0, 4.0
    stated, proved = slope - math.log(nodes) / base, slope * math.log(nodes)
    assert stated < slope < proved
    # ten independent nodes with P[l_i > L] = e^-L: the union is larger than e^(-proved L)
    union = 1 - (1 - math.exp(-base)) ** nodes
    assert math.exp(-proved * base) < union <= math.exp(-stated * base)
    yield from (show(stated, 4), show(proved, 4), show(union, 3), show(math.exp(-proved * base), 3))


def e4() -> Iterator[str]:
    claim = networks.theorem_4_stochastic(20, "0.01", 1, "0.9", 1)
    assert claim.verdict is Verdict.LOOSE
    yield from (show(claim.value, 4), show(claim.better or 0, 4))
    worse = networks.theorem_4_stochastic(10, "0.01", "1.5", "0.5", 1)
    assert worse.verdict is Verdict.VACUOUS
    yield show(worse.value, 4)


def e5() -> Iterator[str]:
    full, released = (
        corollary_3("0.4", [(one,) for one in range(40)], joint=True),
        corollary_3("0.1", [tuple(range(one + 1)) for one in range(4)]),
    )
    assert full.verdict is released.verdict is Verdict.FALSE
    # without arcs: the sum of 40 |noises| is a Gamma law, and must stay below 2 t |N| + one more noise
    exact, _ = integrate.quad(
        lambda x: stats.gamma(40).cdf(0.8 * 41 + x) * math.exp(-abs(x)) / 2, -32.8, 60, points=[0]
    )
    assert full.better == pytest.approx(exact, abs=0.01)
    yield from (show(full.value, 4), show(exact, 3))
    yield from (show(released.value, 4), show(released.better or 0, 2))


ENTRIES = {
    f.__name__.upper(): f
    for f in (
        a1,
        a2,
        a3,
        a4,
        a5,
        a6,
        a7,
        a8,
        a9,
        a10,
        a11,
        a12,
        a13,
        a14,
        a15,
        b1,
        b2,
        b3,
        b4,
        b5,
        b6,
        b7,
        b8,
        c1,
        c2,
        c3,
        c4,
        c5,
        c6,
        c7,
        c8,
        c9,
        d1,
        d2,
        d3,
        d4,
        d5,
        d6,
        d7,
        d8,
        d9,
        d10,
        d11,
        e1,
        e2,
        e3,
        e4,
        e5,
        e6,
        e7,
        e8,
        e9,
        e10,
        e11,
        e12,
    )
}


def sections() -> dict[str, str]:
    parts = re.split(r"^### ([A-E]\d+)\. ", PAGE.read_text("utf-8"), flags=re.MULTILINE)
    return {name: text.split("\n## ")[0] for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def test_every_entry_is_computed() -> None:
    assert set(sections()) == set(ENTRIES)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_page_holds_what_is_computed(name: str) -> None:
    text = sections()[name]
    computed = list(ENTRIES[name]())
    for number in computed:
        assert re.search(rf"(?<![\d.]){re.escape(number)}(?!\d)", text), f"{name} lacks {number}"
    long = [n for n in re.findall(r"\d+\.\d+(?:e-?\d+)?", text) if len(n.split("e")[0].replace(".", "")) >= 4]
    for number in long:
        assert number in computed, f"{name} says {number}, which nothing computes"


def test_lemma_d1_of_networks_holds() -> None:
    check_lemma_d1()
