"""Mixtures of Beta laws over a count, against the plain sum of incomplete Beta functions."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import betainc

from privior.posterior.counts.beta_mixture import BetaMixture
from privior.posterior.counts.law import IntegerLaw


def pair(mass: ArrayLike, low: int, n: int, prior: tuple[float, float]) -> BetaMixture:
    """The mixture of two cells, of which the first has this law."""
    values = np.asarray(mass, dtype=np.float64)
    law = IntegerLaw(low, values / values.sum())
    other = IntegerLaw(n - law.high, law.mass[::-1].copy())
    return BetaMixture([law, other], np.array(prior), n)


def plain_cdf(mixture: BetaMixture, cell: int, x: float) -> float:
    law, a = mixture.marginals[cell], mixture.prior[cell]
    counts = law.low + np.arange(law.mass.size)
    return float(law.mass @ betainc(a + counts, mixture.prior.sum() - a + mixture.records - counts, x))


LAPLACE = np.exp(-0.5 * np.abs(np.arange(61) - 30))
CASES = {
    "thousand": pair(LAPLACE, 270, 1000, (0.5, 0.7)),
    "million": pair(LAPLACE, 3 * 10**5, 10**6, (0.5, 0.7)),
    "billion": pair(LAPLACE, 3 * 10**8, 10**9, (0.5, 0.7)),
    "billion, small count": pair(LAPLACE, 0, 10**9, (0.01, 2)),
    "all records": pair(LAPLACE, 940, 1000, (0.5, 0.001)),
    "two modes": pair([1.0, *[1e-9] * 400, 1.0], 0, 1000, (0.001, 3)),
    "one count": pair([1.0], 7, 50, (1, 1)),
    "nothing": pair([1.0], 0, 0, (0.2, 3)),
    "wide": pair(np.exp(-1e-3 * np.abs(np.arange(20001) - 12000)), 1000, 10**5, (1, 1)),
    "strong prior": pair(LAPLACE, 100, 1000, (1e6, 5e6)),
}


@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
@pytest.mark.parametrize("name", CASES)
def test_interval_ends_are_quantiles(name: str, level: float) -> None:
    mixture = CASES[name]
    for cell, ends in enumerate(mixture.interval(level)):
        for x, tail in zip(ends, ((1 - level) / 2, (1 + level) / 2), strict=True):
            # One step of a float may already change the probability, where x is close to 0 or to 1.
            below, above = (plain_cdf(mixture, cell, min(x * (1 + step), 1.0)) for step in (-4e-16, 4e-16))
            if x > 1e-290:
                assert min(below, above) - 2e-10 <= tail <= max(below, above) + 2e-10


@pytest.mark.parametrize("name", CASES)
def test_the_telescoped_distribution_function_is_the_plain_one(name: str) -> None:
    mixture = CASES[name]
    for cell in (0, 1):
        mean, deviation = mixture.mean[cell], mixture.stddev[cell]
        for away in (-2, -0.3, 0, 1, 3):
            x = min(max(mean + away * deviation, 1e-9), 1 - 1e-9)
            assert mixture.cdf(cell, x) == pytest.approx(plain_cdf(mixture, cell, x), abs=2e-9)
        assert mixture.cdf(cell, 0.0) == 0
        assert mixture.cdf(cell, 1.0) == 1


@pytest.mark.parametrize("name", CASES)
def test_mean_and_deviation_are_those_of_the_parts(name: str) -> None:
    mixture = CASES[name]
    law, size = mixture.marginals[0], mixture.prior.sum() + mixture.records
    means = (mixture.prior[0] + law.low + np.arange(law.mass.size)) / size
    mean = law.mass @ means
    variance = law.mass @ (means * (1 - means) / (size + 1) + (means - mean) ** 2)
    assert mixture.mean[0] == pytest.approx(mean, rel=1e-12)
    assert mixture.stddev[0] == pytest.approx(np.sqrt(variance), rel=1e-9)


def test_many_cells_at_once_are_each_alone() -> None:
    rng = np.random.default_rng(1)
    laws = [
        IntegerLaw(int(rng.integers(0, 300)), rng.dirichlet(np.ones(rng.integers(1, 90)))) for _ in range(60)
    ]
    mixture = BetaMixture(laws, rng.uniform(0.01, 5, 60), 3000)
    ends = mixture.interval(0.8)
    for cell in range(60):
        assert [plain_cdf(mixture, cell, x) for x in ends[cell]] == pytest.approx([0.1, 0.9], abs=1e-11)
