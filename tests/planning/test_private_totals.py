"""Forecasts where the number of records is private: the posterior of a whole table, and its scenarios."""

from __future__ import annotations

import numpy as np
import pytest

import privior as pv
from privior.forecasting import Expect, forecast
from privior.forecasting.one_cell import CountNoise
from privior.forecasting.scenarios import noises, strata, tables
from privior.forecasting.table_errors import NoiseSpectrum
from privior.forecasting.whole_tables import posterior_means
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.latent import latent_counts

Prior = tuple[float, ...]


def paired(numbers: list[float], priors: list[Prior]) -> list[tuple[bool, float, Prior]]:
    """Put every number with every prior, and each of them with Laplace and with Gaussian noise."""
    return [((i + j) % 2 == 0, one, two) for i, one in enumerate(numbers) for j, two in enumerate(priors)]


def inferred(
    seen: np.ndarray, law: CountNoise, prior: np.ndarray, records: int, *, known: bool = False
) -> np.ndarray:
    """What `infer` gives."""
    rates = np.full(prior.size, law.rate if law.laplace else 0.0)
    curvatures = np.full(prior.size, 0.0 if law.laplace else 1 / law.parameter)
    total = Total(most=records, known=known)
    means = [latent_counts([CellEvidence(y, rates, curvatures)], prior, total).mean for y in seen.astype(int)]
    return np.array(means)


def released(
    law: CountNoise, prior: np.ndarray, records: int, size: int, expect: Expect = Expect.TYPICAL
) -> tuple[np.ndarray, np.ndarray]:
    counts = tables(tuple(prior.tolist()), records, expect, size)
    return counts, counts + noises(law, size, prior.size)[0]


@pytest.mark.parametrize(
    ("laplace", "variance", "prior"), paired([0.2, 30.0, 1e4], [(0.3, 0.1), (1.0, 1.0, 5.0), (10.0,) * 6])
)
def test_the_means_of_a_small_table_are_those_of_infer(
    laplace: bool, variance: float, prior: tuple[float, ...]
) -> None:
    law, alpha, records = CountNoise(variance, laplace), np.array(prior), 100
    _, seen = released(law, alpha, records, 12)
    found, exact = posterior_means(seen, law, alpha, records), inferred(seen, law, alpha, records)
    assert proportions(found) == pytest.approx(proportions(exact), rel=2e-3, abs=1e-5)
    assert found.sum(axis=1) == pytest.approx(exact.sum(axis=1), rel=1e-4 if alpha.sum() < 10 else 0.2)
    apart = inferred(seen, law, alpha, records, known=True)  # the comparison can fail
    assert proportions(found) != pytest.approx(proportions(apart), rel=2e-3, abs=1e-5)


@pytest.mark.parametrize(
    ("laplace", "share", "prior"),
    paired([0.002, 0.05, 1.0], [(0.2,) * 3, (1.0, 3.0, 0.5, 2.0, 1.0), (60.0,) * 8]),
)
def test_bins_leave_the_error_of_a_larger_table_as_it_is(
    laplace: bool, share: float, prior: tuple[float, ...]
) -> None:
    alpha, records = np.array(prior), 3000
    law = CountNoise((share * records) ** 2, laplace)
    for expect in Expect:
        counts, seen = released(law, alpha, records, 8, expect)
        found, exact = posterior_means(seen, law, alpha, records), inferred(seen, law, alpha, records)
        off = np.linalg.norm(proportions(found) - proportions(exact))
        error = np.linalg.norm(proportions(exact) - proportions(counts))
        assert off < 0.15 * error


def proportions(means: np.ndarray) -> np.ndarray:
    return np.asarray(means / means.sum(axis=1, keepdims=True))


def test_scenarios_have_the_laws_they_stand_for() -> None:
    prior, records, size = np.array([0.5, 2.0, 1.5]), 400, 384
    for expect in Expect:
        counts = tables(tuple(prior.tolist()), records, expect, size)
        assert (counts.sum(axis=1) == records).all()
        assert counts.min() >= 0
        assert counts.mean(axis=0) == pytest.approx(records * expect.shares(prior), rel=0.03)
    typical = tables(tuple(prior.tolist()), records, Expect.TYPICAL, size)
    share, total = prior / prior.sum(), prior.sum()
    spread = records * share * (1 - share) * (records + total) / (1 + total)
    assert typical.var(axis=0) == pytest.approx(spread, rel=0.08)
    for variance in (1e-6, 0.02, 3.0, 1e9):
        for laplace in (True, False):
            noise, weights = noises(CountNoise(variance, laplace), size, 3)
            assert weights.sum() == pytest.approx(1)
            assert (noise == np.round(noise)).all()
            assert weights @ (noise**2).mean(axis=1) == pytest.approx(variance, rel=0.1)
            assert abs(weights @ noise.mean(axis=1)) < 0.15 * np.sqrt(variance)
    assert (strata(50, 3) == strata(50, 4)[:, :3]).all()  # nothing is random
    assert (np.sort((50 * strata(50, 3)).astype(int), axis=0) == np.arange(50)[:, None]).all()


@pytest.mark.parametrize("records", [10**3, 10**6, 10**9, 10**12])
def test_two_noisy_counts_of_a_huge_table_move_its_proportions(records: int) -> None:
    """(c + z) / (n + z + z') is off by ((1-p) z - p z') / n, so V (p^2 + (1-p)^2) / n^2 twice, squared."""
    for variance in (1e-8, 1.0, 1e-6 * records**2):
        spectrum = NoiseSpectrum.alike(variance, 2, laplace=True, total_known=False)
        ahead = forecast(spectrum, np.ones(2), records)
        bound = np.sqrt(4 / 3 * variance) / records
        assert 0.75 * bound < ahead.l2 < 1.05 * bound
        assert ahead.total_variation < ahead.l2


def test_noise_in_one_cell_moves_the_proportions_of_all_others() -> None:
    """Noise of +1 or -1 in one of ten even cells moves it by (1-p)/n, and each of the others by p/n."""
    records, variance = 500, 2e-4
    spectrum = NoiseSpectrum.alike(variance, 10, laplace=True, total_known=False)
    ahead = forecast(spectrum, np.full(10, 10.0), records, Expect.UNIFORM)
    assert ahead.total_variation == pytest.approx(10 * variance * (0.9 + 0.9) / 2 / records, rel=0.1)
    assert ahead.l2**2 == pytest.approx(10 * variance * (0.81 + 9 * 0.01) / records**2, rel=0.2)


def test_much_noise_leaves_the_prior_and_none_leaves_the_table() -> None:
    schema = pv.Schema({"x": pv.Categorical([f"level {i}" for i in range(6)])}, population="p", unit="person")
    for expect in Expect:
        plan = pv.plan(
            pv.DirichletCategorical("x", prior=1),
            schema,
            records=500,
            epsilon="1e-9",
            neighbours="add-or-remove-one",
            expect=expect,
        )
        assert plan.forecast.l2 == pytest.approx(plan.without_release.l2, rel=0.05)
        assert plan.forecast.kl < 1.1 * plan.without_release.kl + 0.02
        assert plan.at(50).forecast.l2 < 1e-6
