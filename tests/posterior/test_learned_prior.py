"""A prior that is learned: the mixture is that of brute force, and it knows uneven tables from even ones."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.special import gammaln, logsumexp
from test_posterior import ROWS, release_of

import privior as pv
from privior.posterior.evidence import CellEvidence, Total
from privior.posterior.mixed_counts import MixedCounts, mixed_counts

GRID = (0.05, 0.5, 3.0)


def brute_force(observed: list[int], rate: float, most: int, known: bool) -> tuple[Any, Any]:
    """Weigh every table under every prior; return the posterior of the priors and the expected counts."""
    k = len(observed)
    tables = [np.array(c) for c in itertools.product(range(most + 1), repeat=k)]
    tables = [c for c in tables if (c.sum() == most if known else c.sum() <= most)]
    logs = np.empty((len(GRID), len(tables)))
    for i, a in enumerate(GRID):
        for j, c in enumerate(tables):
            n = c.sum()
            prior = gammaln(n + 1) + gammaln(k * a) - gammaln(n + k * a)
            prior += np.sum(gammaln(c + a) - gammaln(c + 1) - gammaln(a))
            logs[i, j] = prior - rate * np.abs(np.array(observed) - c).sum()
    weights = np.exp(logs - logsumexp(logs))
    return weights.sum(axis=1), weights.sum(axis=0) @ np.array(tables)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("observed", [[3, 5, 0], [12, -4, 1], [4, 4, 4], [-9, 30, 2]])
def test_the_mixture_is_that_of_all_tables_and_priors(observed: list[int], known: bool) -> None:
    evidence = [CellEvidence(np.array(observed), np.full(3, 0.6), np.zeros(3))]
    mixed = mixed_counts(evidence, 3, pv.LearnedPrior(GRID), Total(12, known))
    shares, mean = brute_force(observed, 0.6, 12, known)
    assert mixed.shares == pytest.approx(shares, abs=1e-9)
    assert mixed.mean == pytest.approx(mean, abs=1e-9)
    rng = np.random.default_rng(0)
    drawn = mixed.draws(20_000, rng)
    assert drawn.mean(axis=0) == pytest.approx(mean, abs=0.15)
    assert drawn.std(axis=0) == pytest.approx(mixed.stddev, rel=0.05, abs=0.02)
    low, high = mixed.interval(0.9).T
    inside = (drawn >= low) & (drawn <= high)
    assert (inside.mean(axis=0) >= 0.88).all()
    parameters = mixed.parameters(1000, rng)
    assert set(np.unique(np.round(parameters % 1, 6))) <= {0.05, 0.5, 0.0}


def test_even_and_uneven_tables_are_told_apart() -> None:
    rng = np.random.default_rng(3)
    even = rng.multinomial(20_000, np.full(100, 0.01))
    uneven = np.zeros(100, dtype=np.int64)
    uneven[:3] = (15_000, 4_000, 1_000)
    expected = []
    for table in (even, uneven):
        noisy = table + np.round(rng.laplace(0, 5, 100)).astype(np.int64)
        evidence = [CellEvidence(noisy, np.full(100, 0.2), np.zeros(100))]
        mixed = mixed_counts(evidence, 100, pv.LearnedPrior(), Total(40_000, known=False))
        expected.append(float(mixed.shares @ mixed.values))
        learned = np.linalg.norm(mixed.mean - table)
        assert learned < np.linalg.norm(noisy - table)
    assert expected[0] > 10
    assert expected[1] < 0.05


@pytest.mark.parametrize("known", [True, False])
def test_the_ceiling_is_above_the_evidence(known: bool) -> None:
    from privior.posterior.exact_counts import evidence_ceiling, exact_counts

    rng = np.random.default_rng(5)
    for k, n in ((3, 40), (20, 1000), (50, 200)):
        noisy = rng.multinomial(n, rng.dirichlet(np.full(k, 0.3))) + rng.integers(-9, 10, k)
        evidence = [CellEvidence(noisy, np.full(k, 0.3), np.zeros(k))]
        for a in (0.05, 1.0, 30.0):
            prior, total = np.full(k, a), Total(n if known else 10 * n, known)
            exact = exact_counts(evidence, prior, total)
            assert exact is not None
            assert exact.log_evidence <= evidence_ceiling(evidence, prior, total) + 1e-6


def test_inference_with_a_learned_prior() -> None:
    posterior = pv.infer(release_of(ROWS), prior=pv.LearnedPrior())
    assert isinstance(posterior.latent, MixedCounts)
    assert posterior.mean().sum() == pytest.approx(1)
    assert "prior learned:" in str(posterior)
    assert (posterior.interval(0.9)[:, 0] < posterior.mean()).all()
    assert posterior.draws(10, seed=1).shape == (10, len(posterior.cells))
    assert np.isfinite(posterior.variance_parts().total).all()
    with pytest.raises(pv.InferenceError, match="learned from noisy counts"):
        pv.infer(release_of(ROWS), prior=pv.LearnedPrior(), noise="ignore")


def test_one_prior_is_that_prior() -> None:
    release = release_of(ROWS)
    alone = pv.infer(release, prior=pv.LearnedPrior([2]))
    assert alone.counts().mean() == pytest.approx(pv.infer(release, prior=2).counts().mean(), abs=1e-9)
    assert alone.prior == pytest.approx(2)


@pytest.mark.parametrize("bad", [[], [0], [1, 1], ["x"], [-1], [1e300]])
def test_a_list_of_priors_that_is_none_is_refused(bad: Any) -> None:
    with pytest.raises(pv.ModelError):
        pv.LearnedPrior(bad)
