"""A prior that is learned: its sums are those of brute force, and it knows uneven tables from even ones."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from test_posterior import ROWS, release_of

import privior as pv
from privior.posterior.evidence import CellEvidence, Total
from privior.posterior.learned_counts import LearnedCounts, learned_counts


def of(observed: list[int], rate: float, most: int, known: bool) -> LearnedCounts:
    cells = len(observed)
    evidence = [CellEvidence(np.array(observed), np.full(cells, rate), np.zeros(cells))]
    return learned_counts(evidence, cells, pv.LearnedPrior(), Total(most, known))


def binomial(count: int, shape: float, mean: float) -> float:
    """A negative binomial: Poisson with a Gamma rate."""
    p = shape / (shape + mean)
    ways = math.exp(math.lgamma(count + shape) - math.lgamma(shape) - math.lgamma(count + 1))
    return float(ways * p**shape * (1 - p) ** count)


@pytest.mark.parametrize("observed", [[3], [-4], [9]])
def test_one_cell_is_the_sum_over_its_counts(observed: list[int]) -> None:
    """One cell teaches the weights its own class only; its law is the mixture with their posterior."""
    found = of([*observed, *observed], 0.6, 12, False)
    one, two = (law.mean for law in found.laws)
    assert one == pytest.approx(two, abs=0.2)
    fits = [
        sum(binomial(c, shape, mean) * math.exp(-0.6 * abs(observed[0] - c)) for c in range(13))
        for shape, mean in zip(found.shapes, found.means, strict=True)
    ]
    # Two cells that share one Dirichlet(1/J) vector: pairs of classes in closed form.
    size = len(fits)
    pairs = {
        (i, j): fits[i] * fits[j] * (1 / size) * ((1 / size + (i == j)) / 2)
        for i, j in itertools.product(range(size), repeat=2)
    }
    whole = sum(pairs.values())
    classes = [sum(pairs[i, j] for j in range(size)) / whole for i in range(size)]
    expected = sum(
        chance
        * sum(c * binomial(c, shape, mean) * math.exp(-0.6 * abs(observed[0] - c)) for c in range(13))
        / fit
        for chance, shape, mean, fit in zip(classes, found.shapes, found.means, fits, strict=True)
    )
    assert (one + two) / 2 == pytest.approx(expected, rel=0.05)


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
    posterior = pv.infer(release, prior=pv.LearnedPrior())
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
        pv.infer(release_of(ROWS), prior=pv.LearnedPrior(), noise="ignore")


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


def test_wide_noise_on_a_large_table_is_refused() -> None:
    evidence = [CellEvidence(np.zeros(10_000, dtype=np.int64), np.full(10_000, 1e-4), np.zeros(10_000))]
    with pytest.raises(pv.InferenceError, match="too large"):
        learned_counts(evidence, 10_000, pv.LearnedPrior(), Total(10**9, False))
