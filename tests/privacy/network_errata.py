"""The numbers of docs/errata.md about networks: draws, MAP, noise on updates and on coefficients."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import integrate, optimize, special, stats

from privior.papers import fourier_theory, update_noise
from privior.papers.published import Verdict, network_points
from privior.papers.studies.naive_bayes_runs import true_epsilon
from privior.papers.table_1 import table_1

CHAIN: list[tuple[int, ...]] = [(0,), *((one, one - 1) for one in range(1, 8))]
CLIQUE = [tuple(range(one + 1)) for one in range(8)]
ALONE: list[tuple[int, ...]] = [(one,) for one in range(8)]


def show(number: float, digits: int) -> str:
    return f"{number:.{digits}g}"


def divergence(a: float, b: float, c: float, d: float) -> float:
    """Of Beta(c, d) from Beta(a, b), by quadrature."""
    one, two = stats.beta(a, b), stats.beta(c, d)
    found, _ = integrate.quad(
        lambda x: one.pdf(x) * (one.logpdf(x) - two.logpdf(x)), 1e-12, 1 - 1e-12, limit=400
    )
    return float(found)


def mean_divergence(counts: tuple[int, int], scale: float, prior: float) -> float:
    """The mean of f by simulation-free quadrature over both noises, cut to [0, n]."""
    n = sum(counts)
    nodes, weights = np.polynomial.legendre.leggauss(400)

    def law(count: int) -> tuple[np.ndarray, np.ndarray]:
        parts, masses = [], []
        for low, high in ((0, count), (count, n)):
            if high > low:
                x = (low + high) / 2 + (high - low) / 2 * nodes
                parts.append(x)
                masses.append(weights * (high - low) / 2 * np.exp(-np.abs(x - count) / scale) / (2 * scale))
        ends = [math.exp(-count / scale) / 2, math.exp(-(n - count) / scale) / 2]
        return np.concatenate([*parts, [0, n]]), np.concatenate([*masses, ends])

    (x, p), (y, q) = law(counts[0]), law(counts[1])
    a, b = prior + counts[0], prior + counts[1]
    c, d = prior + x[:, None], prior + y[None, :]
    f = special.betaln(c, d) - special.betaln(a, b) + (a - c) * special.psi(a) + (b - d) * special.psi(b)
    f += (c - a + d - b) * special.psi(a + b)
    return float(p @ f @ q)


def e6() -> Iterator[str]:
    beyond = update_noise.theorem_1("0.01", 1, (200, 0), "0.01")
    assert beyond.verdict is Verdict.FALSE
    yield show(beyond.better or 0, 4)
    even, ones = (update_noise.theorem_1_expectation(1, 1, c, refined=True) for c in ((100, 100), (200, 0)))
    assert even.verdict is ones.verdict is Verdict.FALSE
    assert even.better == pytest.approx(mean_divergence((100, 100), 2.0, 1.0), rel=3e-3)
    assert ones.better == pytest.approx(mean_divergence((200, 0), 2.0, 1.0), rel=3e-3)
    yield from (show(even.value, 4), show(even.better or 0, 3), show(ones.better or 0, 3))
    assert update_noise.theorem_1_expectation(1, 1, (100, 100), refined=False).verdict is Verdict.LOOSE
    lemma = update_noise.lemma_a3((2, 2), (100, 100), (200, 100))
    assert lemma.verdict is Verdict.FALSE
    assert lemma.better == pytest.approx(divergence(102, 102, 202, 102), rel=1e-6)
    yield from (show(-lemma.value, 4), show(lemma.better or 0, 4))
    count = update_noise.expected_update(200, 200, 2)
    simulated = np.clip(200 + np.random.default_rng(1).laplace(0, 2, 10**6), 0, 200).mean()
    assert count.better == pytest.approx(simulated, abs=0.01)
    assert (round(count.value), round(count.better or 0)) == (299, 199)
    ranges = update_noise.lemma_a4((2, 2), (200, 0), 200)
    assert ranges.verdict is Verdict.LOOSE
    yield from (show(ranges.value, 4), show(ranges.better or 0, 4))
    assert update_noise.lemma_1(17).verdict is update_noise.lemma_a2(2, 5).verdict is Verdict.SOUND
    union = update_noise.proposition_1(1, 17, 33, "0.1")
    exact = optimize.brentq(lambda z: (1 - math.exp(-z / 34)) ** 66 - 0.9, 100, 400)
    assert union.better == pytest.approx(exact, rel=1e-9)
    yield from (show(union.value, 4), show(exact, 5))
    found = [update_noise.in_degrees(families, 1, 1000) for families in (ALONE, CHAIN, CLIQUE)]
    assert [m for m, _ in found] == [8, 15, 255]
    yield from (show(mean, 4) for _, mean in found)


def e7() -> Iterator[str]:
    found = [fourier_theory.remark_1(1, families) for families in (ALONE, CHAIN, CLIQUE)]
    assert [one.verdict for one in found[:2]] == [Verdict.FALSE] * 2
    assert (found[0].value, found[1].value) == (0.125, 0.25)
    yield show(found[0].value, 3)
    # a cell of the last table of the chain, by simulating noisy coefficients and putting them together
    noise = 2 * 16 * np.random.default_rng(2).laplace(size=(200_000, 4))
    cell = noise @ np.array([1, 1, -1, -1]) / 4
    assert fourier_theory.noise_of_cells(1, CHAIN, CHAIN[-1])[1] == pytest.approx(cell.std(), rel=0.01)
    yield from (show(one.better or 0, 4) for one in found)
    table = np.random.default_rng(3).integers(0, 9, (2, 2, 2, 2)).astype(np.float64)
    for kept in ([0], [1, 3], [0, 1, 2, 3]):
        assert (fourier_theory.theorem_2(table, kept).better or 0) < 1e-12
    bound = fourier_theory.theorem_3(1, CHAIN, CHAIN[-1], 1, "0.1")
    assert bound.verdict is Verdict.LOOSE
    assert (round(bound.value), round(bound.better or 0, -1)) == (1674, 1080)


def e8() -> Iterator[str]:
    claim = network_points.naive_bayes_sampler(2, 16, 50)
    assert claim.verdict is Verdict.FALSE
    w = math.exp(-1)
    # one feature: Beta(1, 51) and Beta(2, 50) cut to the box; the ratio is largest where x is
    masses = [stats.beta(*ab).sf(w) - stats.beta(*ab).sf(1 - w) for ab in ((1, 51), (2, 50))]
    x = np.linspace(w, 1 - w, 10_001)
    ratio = stats.beta(2, 50).logpdf(x) - stats.beta(1, 51).logpdf(x) - math.log(masses[1] / masses[0])
    assert claim.better == pytest.approx(16 * np.abs(ratio).max(), rel=1e-6)
    yield from (show(w, 4), show(claim.better or 0, 4))
    eta = true_epsilon("sampler_paper_1", 2) or 0
    assert eta == pytest.approx(34 * math.log((1 - w) / w))
    yield show(eta, 4)
    ends = [special.betainc(51 - k, 1 + k, 0.3) for k in (0, 1)]
    yield from (show(abs(math.log(ends[0] / ends[1])), 4), show(2 * math.log(7 / 3), 4))
    assert round(true_epsilon("sampler_paper_100", 2) or 0, 0) == 1841


def e9() -> Iterator[str]:
    claim = network_points.theorem_4_network(3, 50)
    assert claim.verdict is Verdict.VACUOUS
    yield show(claim.value, 4)
    printed, whole = network_points.ratios_of_network([1, 2, 2], 50)
    assert (printed, whole) == (8, 132651)
    assert 1 / float(special.beta(51, 1)) == pytest.approx(51)
    slope = math.log(4)
    one, every = network_points.lemma_2_at_records([slope] * 3)
    assert every == pytest.approx(6 * slope)
    yield from (show(one, 4), show(every, 4))


def e10() -> Iterator[str]:
    finite = network_points.corollary_4_finite(1, "1.2")
    yield from (show(finite.better or 0, 4), show(finite.value, 4))
    density = network_points.corollary_4_density(1, "0.2", 1000)
    assert density.verdict is Verdict.FALSE
    # the score at the end is n/0.8 or so; the ratio there by hand, on a grid of its own
    x = 0.2 + np.concatenate([[0], np.geomspace(1e-13, 0.6, 50_000)])
    widths = np.diff(x)

    def log_law(ones: int) -> np.ndarray:
        density = x**ones * ((1 - x) / 0.8) ** (1000 - ones)
        density = density / (widths * (density[1:] + density[:-1]) / 2).sum()
        score = density / (2 * math.sqrt(math.log(4)))
        weight = np.exp(score - score.max())
        return np.asarray(score - score.max() - math.log((widths * (weight[1:] + weight[:-1]) / 2).sum()))

    assert density.better == pytest.approx(np.abs(log_law(0) - log_law(1)).max(), rel=1e-3)
    yield show(density.better or 0, 4)


def e11() -> Iterator[str]:
    lemma = network_points.lemma_4(20, 2, [0.99, 0.01], [1, 1], "0.49")
    assert lemma.verdict is Verdict.FALSE
    assert lemma.better == pytest.approx(1 / (1 + math.exp(5 * 0.98)), rel=1e-12)
    yield from (show(lemma.value, 4), show(lemma.better or 0, 4), show(math.exp(-20 * 0.49 / 4) / 0.5, 4))
    rows = table_1([(0,), (1, 0), (2, 0)], 200, 2)
    assert {row["mechanism"] for row in rows} == {"Laplace", "Fourier", "Sampler", "MAP"}
    verdicts = {(row["mechanism"], row["place"]): row["verdict"] for row in rows}
    assert verdicts["Sampler", "Appendix C.2"] == verdicts["MAP", "Corollary 4"] == "false"
    assert verdicts["Laplace", "Corollary 1"] == "sound"
    assert all(row["true"] is not None for row in rows)
