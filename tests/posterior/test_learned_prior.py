"""A prior that is learned: its sums are those of brute force, and it knows uneven tables from even ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from test_posterior import ROWS, release_of

import privior as pv
from privior.models import LearnedPrior
from privior.posterior.counts.evidence import CellEvidence, Total
from privior.posterior.counts.learned_counts import LearnedCounts, learned_counts
from privior.posterior.tables.counts_given import _learned as learned_of


def of(observed: list[int], rate: float, most: int, known: bool) -> LearnedCounts:
    cells = len(observed)
    evidence = [CellEvidence(np.array(observed), np.full(cells, rate), np.zeros(cells))]
    return learned_counts(evidence, cells, pv.ExchangeablePrior(), Total(most, known))


def binomial(count: int, shape: float, mean: float) -> float:
    """A negative binomial: Poisson with a Gamma rate."""
    p = shape / (shape + mean)
    ways = math.exp(math.lgamma(count + shape) - math.lgamma(shape) - math.lgamma(count + 1))
    return float(ways * p**shape * (1 - p) ** count)


@pytest.mark.parametrize("observed", [[3], [-4, 9, 9], [9, 1, 3, 3, 0]])
def test_each_cell_is_the_sum_over_laws_and_counts(observed: list[int]) -> None:
    """Law by law, cell by cell, count by count."""
    found = of(observed, 0.6, 12, False)
    prior = pv.ExchangeablePrior().laws(12, len(observed))
    classes = list(zip(prior.shapes, prior.means, strict=True))
    pmf = np.array([[binomial(count, *each) for each in classes] for count in range(13)]) @ prior.weights.T
    likely = np.array([[math.exp(-0.6 * abs(one - count)) for count in range(13)] for one in observed])
    fits = likely @ pmf
    chances = prior.chances * fits.prod(axis=0)
    chances /= chances.sum()
    expected = (likely * np.arange(13)) @ pmf / fits @ chances
    assert found.mean == pytest.approx(expected, rel=1e-9)
    assert found.weights == pytest.approx(chances @ prior.weights, rel=1e-9)
    squares = (likely * np.arange(13) ** 2) @ pmf / fits @ chances
    assert found.stddev**2 == pytest.approx(squares - expected**2, rel=1e-9)


def test_laws_of_the_prior_are_laws() -> None:
    """Four fifths are single Gamma laws; means go from one record in all cells to all in one."""
    prior = pv.ExchangeablePrior().laws(10_000, 50)
    assert prior.chances.sum() == pytest.approx(1)
    assert prior.weights.sum(axis=1) == pytest.approx(1)
    assert (prior.weights >= 0).all()
    single = (prior.weights > 0).sum(axis=1) == 1
    assert prior.chances[: prior.means.size].sum() == pytest.approx(0.8)
    assert single[: prior.means.size].all()
    assert prior.means.min() == 1 / 50
    assert prior.means.max() >= 10_000


def test_an_even_table_under_wide_noise_is_given_equal_shares() -> None:
    """Nothing can be learned of single cells: hardly worse than equal shares, far better than the noise."""
    rng = np.random.default_rng(5)
    errors = []
    for _ in range(10):
        table = rng.multinomial(300, rng.dirichlet(np.ones(300)))
        noisy = table + np.round(rng.laplace(0, 10, 300)).astype(np.int64)
        mean = of(noisy.tolist(), 0.1, 3000, False).mean
        guesses = (
            mean / mean.sum(),
            np.full(300, 1 / 300),
            np.maximum(noisy, 0) / np.maximum(noisy, 0).sum(),
        )
        errors.append([np.linalg.norm(guess - table / 300) for guess in guesses])
    ours, even, clipped = np.mean(errors, axis=0)
    assert ours < 1.1 * even
    assert ours < 0.9 * clipped


def test_a_known_total_tells_laws_apart() -> None:
    """The same noisy counts, another total: cells are larger by as much as the total says."""
    observed = [20, -20] * 20
    few, many = (of(observed, 0.05, most, True) for most in (40, 4000))
    mean = [float(np.exp(found.weights @ np.log(found.means))) for found in (few, many)]
    assert mean[0] < 10 < 50 < mean[1]


@pytest.mark.parametrize("observed", [[3, 5, 0], [12, -4, 1], [4, 4, 4]])
def test_a_known_total_is_kept(observed: list[int]) -> None:
    found = of(observed, 0.6, 12, True)
    assert found.mean.sum() == pytest.approx(12)
    drawn = found.draws(5000, np.random.default_rng(0))
    assert set(drawn.sum(axis=1)) == {12}
    assert drawn.mean(axis=0) == pytest.approx(found.mean, abs=0.25)
    assert drawn.std(axis=0) == pytest.approx(found.stddev, rel=0.1)
    low, high = found.interval(0.9).T
    assert ((drawn >= low) & (drawn <= high)).mean(axis=0).min() >= 0.88


def test_even_and_uneven_tables_are_told_apart() -> None:
    """Better than the noisy counts on both, and than a flat prior where the table is uneven."""
    rng = np.random.default_rng(3)
    even = rng.multinomial(20_000, np.full(400, 1 / 400))
    falling = 1 / np.arange(1, 401) ** 1.5
    uneven = rng.multinomial(20_000, falling / falling.sum())
    for table in (even, uneven):
        noisy = table + np.round(rng.laplace(0, 10, 400)).astype(np.int64)
        found = of(noisy.tolist(), 0.1, 40_000, False)
        naive = np.maximum(noisy, 0)
        error = np.linalg.norm(found.mean / found.mean.sum() - table / 20_000)
        assert error < 0.8 * np.linalg.norm(naive / naive.sum() - table / 20_000)
    assert found.mean.sum() == pytest.approx(20_000, rel=0.05)


def test_probabilities_follow_from_rates() -> None:
    """With hardly any noise the rates are Gammas around the counts."""
    table = np.array([900, 90, 10, 0])
    found = of(table.tolist(), 30.0, 1000, True)
    assert found.mean == pytest.approx(table, abs=1e-6)
    rates = np.exp(found.log_rates(np.tile(table, (20_000, 1)), np.random.default_rng(1)))
    assert rates.mean(axis=0) == pytest.approx(found.expected_rates(table[None])[0], rel=0.05)
    assert rates[:, :3].mean(axis=0) == pytest.approx(table[:3], rel=0.25)


def test_inference_with_a_learned_prior() -> None:
    release = release_of(ROWS)
    posterior = pv.infer(release, prior=pv.ExchangeablePrior())
    assert isinstance(posterior.latent, LearnedCounts)
    assert posterior.mean().sum() == pytest.approx(1)
    assert "prior learned:" in str(posterior)
    ends = posterior.interval(0.9)
    assert (ends[:, 0] < posterior.mean()).all()
    assert (posterior.mean() < ends[:, 1]).all()
    assert posterior.draws(10, seed=1).shape == (10, len(posterior.cells))
    parts = posterior.variance_parts()
    assert (parts.sampling >= 0).all()
    assert parts.total == pytest.approx(posterior.stddev() ** 2)
    flat = pv.infer(release, prior=1)
    assert np.abs(posterior.counts().mean() - flat.counts().mean()).max() < 0.35 * len(ROWS)
    with pytest.raises(pv.InferenceError, match="learned from noisy counts"):
        pv.infer(release_of(ROWS), prior=pv.ExchangeablePrior(), noise="ignore")


@pytest.mark.parametrize("known", [True, False])
def test_intervals_of_counts_cover(known: bool) -> None:
    """Tables that no Dirichlet prior expects: 90% intervals of the counts cover 85% to 96% of them."""
    rng = np.random.default_rng(11)
    covered = []
    for _ in range(60):
        falling = 1 / np.arange(1, 41) ** 1.3
        table = rng.multinomial(2000, rng.permutation(falling) / falling.sum())
        q = math.exp(-0.3)
        noisy = table + rng.geometric(1 - q, 40) - rng.geometric(1 - q, 40)
        if known:
            noisy[0] += 2000 - noisy.sum()
        found = of(noisy.tolist(), 0.3, 2000 if known else 8000, known)
        low, high = found.interval(0.9).T
        covered.append(((low <= table) & (table <= high))[1:].mean())
    assert 0.85 <= np.mean(covered) <= 0.96


def test_draws_share_what_is_unknown_of_all_cells() -> None:
    """Each cell as its law says; the total far less certain than it would be if cells were independent."""
    rng = np.random.default_rng(2)
    table = rng.multinomial(200, rng.dirichlet(np.ones(200)))
    noisy = table + np.round(rng.laplace(0, 10, 200)).astype(np.int64)
    found = of(noisy.tolist(), 0.1, 2000, False)
    tables = found.draws(4000, np.random.default_rng(0))
    assert tables.mean(axis=0) == pytest.approx(found.mean, abs=0.15 * found.stddev.max())
    # Laws drawn at a hundred points: the spread of a cell is met within a tenth.
    assert np.median(tables.std(axis=0) / found.stddev) == pytest.approx(1, abs=0.1)
    alone = math.sqrt((found.stddev**2).sum())
    assert tables.sum(axis=1).std() > 2 * alone


def test_totals_of_draws_cover() -> None:
    """Dirichlet tables, wide noise: 90% intervals of the total cover 80% to 99% of them."""
    rng = np.random.default_rng(4)
    covered = []
    for _ in range(40):
        table = rng.multinomial(1000, rng.dirichlet(np.ones(50)))
        noisy = table + np.round(rng.laplace(0, 10, 50)).astype(np.int64)
        totals = of(noisy.tolist(), 0.1, 10_000, False).draws(1000, rng).sum(axis=1)
        low, high = np.quantile(totals, [0.05, 0.95])
        covered.append(low <= 1000 <= high)
    assert 0.8 <= np.mean(covered) <= 0.99


def test_wide_noise_on_a_large_table_is_refused() -> None:
    evidence = [CellEvidence(np.arange(10_000), np.full(10_000, 1e-4), np.zeros(10_000))]
    with pytest.raises(pv.InferenceError, match="too large"):
        learned_counts(evidence, 10_000, pv.ExchangeablePrior(), Total(10**9, False))


def test_in_which_order_names_are_listed_changes_nothing() -> None:
    """Planted: a column that has an order, whose neighbours resemble each other."""
    noisy = np.array([41, 0, 3, 160, -4, 22, 7, 0, 90, 5])
    order = np.random.default_rng(4).permutation(noisy.size)
    evidence = [[CellEvidence(one, np.full(10, 0.2), np.zeros(10))] for one in (noisy, noisy[order])]
    names, numbers = pv.Categorical([f"name {place}" for place in range(10)]), pv.Integer(0, 9, missing=0)
    for column, equal in ((names, True), (numbers, False)):
        plain, other = (
            learned_of(LearnedPrior(), each, [column], Total(400, known=False)) for each in evidence
        )
        assert np.allclose(plain.mean[order], other.mean, rtol=1e-9) is equal
