"""The exact errors: against enumeration, quadrature and simulation by other means."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, psi
from two_level_release import TwoLevels

from privior.errors import NumberError, PlanError
from privior.papers.dirichlet_prior import exact_prior, printed_prior
from privior.papers.expected_divergence import expected_divergence, expected_divergence_over_shares
from privior.papers.histogram_loss import (
    draw_loss,
    gaussian_loss,
    laplace_loss,
    laplace_scale,
    least_concentration,
    typical_concentration,
)
from privior.theory.draw_divergence import divergence


@pytest.mark.parametrize("counts", [(3, 0, 7), (1, 1, 1, 1), (50, 0)])
@pytest.mark.parametrize(("prior", "rate"), [("0.5", 1), (3, "0.25"), (40, 2)])
def test_the_loss_of_a_draw_is_that_of_its_beta_marginals(
    counts: tuple[int, ...], prior: object, rate: object
) -> None:
    n, k = sum(counts), len(counts)
    concentration = sum(c * c for c in counts) / n**2
    shapes = [float(str(rate)) * c + float(str(prior)) for c in counts]
    expected = sum(
        float(stats.beta(u, sum(shapes) - u).var() + (u / sum(shapes) - c / n) ** 2)
        for u, c in zip(shapes, counts, strict=True)
    )
    assert draw_loss(k, prior, n, concentration, rate) == pytest.approx(expected, rel=1e-9)


def test_the_concentrations_are_means_over_all_tables() -> None:
    """Dirichlet(1) chances make every table of counts equally likely."""
    tables = [(i, j, 6 - i - j) for i in range(7) for j in range(7 - i)]
    found = [sum(c * c for c in table) / 36 for table in tables]
    assert float(typical_concentration(3, 6)) == pytest.approx(np.mean(found))
    assert float(least_concentration(3, 6)) == min(found)
    assert float(least_concentration(3, 7)) == pytest.approx((9 + 4 + 4) / 49)


def test_laplace_noise_has_its_divergence() -> None:
    for order, size in ((2, 0.5), (5, 0.01), (1.5, 3.0)):
        scale = laplace_scale(size, order)
        y = np.linspace(-60 * scale, 60 * scale + 1, 2_000_001)
        p, q = -np.abs(y) / scale, -np.abs(y - 1) / scale
        moment = np.trapezoid(np.exp(order * p - (order - 1) * q), y) / (2 * scale)
        assert math.log(moment) / (order - 1) == pytest.approx(size, rel=1e-4)
    assert laplace_loss(10, 100, 2, 1) == pytest.approx(20 * laplace_scale(0.5, 2) ** 2 / 1e4)
    assert gaussian_loss(10, 100, 2, 1) == pytest.approx(10 * 2 / 1e4)


def test_the_prior_of_order_two_is_a_hyperbolic_cotangent() -> None:
    for size in ("0.01", "0.3", "2"):
        assert float(exact_prior(2, size)) == pytest.approx(1 / math.tanh(float(size) / 2), rel=1e-9)
        assert exact_prior(2, size) < printed_prior(2, size)


def _by_definition(u: np.ndarray, v: np.ndarray) -> float:
    """KL of Dirichlet laws as textbooks have it, in another grouping."""
    beta = [gammaln(w).sum() - gammaln(w.sum()) for w in (u, v)]
    return float(beta[1] - beta[0] + ((u - v) * (psi(u) - psi(u.sum()))).sum())


def test_expected_divergences_are_sums_over_all_tables() -> None:
    prior, other, n = [1.0, 2.0, 1.5], [4.0, 2.5, 1.5], 6
    shares = ("0.5", "0.3", "0.2")
    law = stats.multinomial(n, [float(share) for share in shares])
    total = 0.0
    for i, j in itertools.product(range(n + 1), repeat=2):
        if i + j <= n:
            counts = [i, j, n - i - j]
            one = divergence(counts, prior, other)
            assert one == pytest.approx(_by_definition(np.array(counts) + prior, np.array(counts) + other))
            total += float(law.pmf(counts)) * one
    assert expected_divergence(shares, n, prior, other) == pytest.approx(total)
    tables = [(i, j, n - i - j) for i in range(n + 1) for j in range(n + 1 - i)]  # equally likely
    mean = np.mean([divergence(table, [1] * 3, [3] * 3) for table in tables])
    assert expected_divergence_over_shares(3, 1, n, 1, 3) == pytest.approx(float(mean))


def test_lshist_is_rounded_and_clamped_laplace_noise() -> None:
    """200,000 draws, chi-square over the eleven outcomes."""
    generator = np.random.default_rng(8)
    drawn = np.clip(np.floor(3 + generator.laplace(0, 1 / 0.7, size=200_000)), 0, 10).astype(int)
    law = TwoLevels(3, 10).lshist("0.7")
    assert law.sum() == pytest.approx(1)
    counts = np.bincount(drawn, minlength=11)
    assert float(stats.chisquare(counts, 200_000 * law).pvalue) > 1e-6


def test_distances_are_those_of_beta_densities() -> None:
    case = TwoLevels(2, 5, "0.7", 3)
    y = (np.arange(400_000) + 0.5) / 400_000
    truth = stats.beta(2.7, 6).pdf(y)
    for j in range(1, 6):
        overlap = np.sqrt(truth * stats.beta(0.7 + j, 8 - j).pdf(y)).mean()
        assert float(case.distances[j]) == pytest.approx(math.sqrt(abs(1 - overlap)), abs=1e-3)
    assert case.distances[2] == 0
    assert case.sensitivity == max(case.distances[1], case.distances[3])


def test_what_is_outside_the_domain_is_refused() -> None:
    for wrong in (
        lambda: draw_loss(3, 1, 10, "0.2"),
        lambda: draw_loss(3, 1, 10, "1.1"),
        lambda: draw_loss(1, 1, 10, 1),
        lambda: draw_loss(3, 0, 10, 1),
        lambda: gaussian_loss(3, 0, 2, 1),
        lambda: gaussian_loss(3, 10, 1, 1),
        lambda: divergence([1, 2], [1], [1]),
        lambda: divergence([1], [1, 1], [1, 1]),
        lambda: expected_divergence(["0.5", "0.4"], 3, [1, 1], [2, 2]),
        lambda: TwoLevels(11, 10),
        lambda: TwoLevels(1, 10, 0),
        lambda: TwoLevels(1, 10).laplace_error(1, 1.0),
    ):
        with pytest.raises(NumberError):
            wrong()
    with pytest.raises(PlanError):
        exact_prior(2, "1e-15")
