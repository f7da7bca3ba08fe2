"""Inference for families of several parameters against integrals, and its own consistency."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from joint_cases import CASES, SCHEMA, Case
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp

import privior as pv
from privior.mechanisms.laws import gaussian_log_pmf, laplace_log_pmf
from privior.models import Observed
from privior.posterior.families.joint_chain import JointTarget

Floats = NDArray[np.float64]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_innovations_and_densities_agree(case: Case) -> None:
    """The density of T is that of w over the slope of T in w; `coloured` and `bound` are inverses."""
    likelihood = case.model.at(SCHEMA)
    rng = np.random.default_rng(3)
    theta = np.array([case.draw(rng) for _ in range(5)])
    theta = likelihood.clipped(theta)
    n = np.full(5, 23.0)
    white = likelihood.white(n, rng)
    totals = likelihood.coloured(n, theta, white)
    assert np.allclose(likelihood.whiten(n, totals, theta), white)
    free = likelihood.free(theta)
    assert np.allclose(likelihood.bound(free), theta)

    def slope(function: object, at: Floats) -> Floats:
        step = 1e-5
        sides = [
            (function(at + step * unit) - function(at - step * unit)) / (2 * step)  # type: ignore[operator]
            for unit in np.eye(at.shape[1])
        ]
        return np.asarray(np.linalg.slogdet(np.stack(sides, axis=-1))[1])

    assert np.allclose(likelihood.log_slope(free), slope(likelihood.bound, free), atol=1e-5) or np.ptp(
        likelihood.log_slope(free) - slope(likelihood.bound, free)
    ) == pytest.approx(0, abs=1e-5)
    apart = likelihood.log_density(n, totals, theta) + slope(
        lambda w: likelihood.coloured(n, theta, w), white
    )
    apart = apart - likelihood.log_white(n, white)
    assert np.ptp(apart) == pytest.approx(0, abs=1e-4)
    other = likelihood.log_density(2 * n, 2 * totals, theta) + slope(
        lambda w: likelihood.coloured(2 * n, theta, w), likelihood.whiten(2 * n, 2 * totals, theta)
    )
    other = other - likelihood.log_white(2 * n, likelihood.whiten(2 * n, 2 * totals, theta))
    assert np.allclose(other, apart[0], atol=1e-4)  # the constant does not depend on n


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_conjugate_law_is_bayes(case: Case) -> None:
    """Draws given T are those from the prior, weighted by the likelihood."""
    likelihood = case.model.at(SCHEMA)
    rng = np.random.default_rng(4)
    theta = likelihood.clipped(case.draw(rng)[np.newaxis])
    n = np.array([40.0])
    totals = likelihood.coloured(n, theta, likelihood.white(n, rng))
    many = 40_000
    records, sums = np.full(many, 40.0), np.repeat(totals, many, axis=0)
    drawn = likelihood.conjugate(records, sums, rng)
    inside = np.isfinite(likelihood.log_prior(drawn))
    drawn = drawn[inside]
    # against draws from the prior of the same sums, re-weighted
    prior = likelihood.conjugate(np.zeros(40 * many), np.zeros((40 * many, totals.shape[1])), rng)
    prior = prior[np.isfinite(likelihood.log_prior(prior))]
    logs = likelihood.log_density(np.full(len(prior), 40.0), np.repeat(totals, len(prior), axis=0), prior)
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    enough = 1 / (weights**2).sum()
    assert enough > 300
    mean = weights @ prior
    spread = np.sqrt(weights @ (prior - mean) ** 2)
    assert np.all(np.abs(drawn.mean(axis=0) - mean) < 6 * spread / np.sqrt(enough))
    assert np.all(np.abs(drawn.std(axis=0) / spread - 1) < 6 / np.sqrt(enough))


@pytest.mark.parametrize(
    ("public", "delta"),
    [(True, "0"), (True, "1e-5"), (False, "0"), pytest.param(False, "1e-5", marks=pytest.mark.slow)],
)
def test_mean_and_precision_against_an_integral(delta: str, public: bool) -> None:
    """(mu, tau) on a grid, the sums on another, the number of records one by one."""
    prior = pv.NormalGamma(0, 4, 20, 40)
    model = pv.NormalMeanPrecision("error", prior)
    relation = pv.REPLACE_ONE if public else pv.ADD_OR_REMOVE_ONE
    ranges = [one.bounds(SCHEMA) for one in model.summands(SCHEMA, relation)]
    mechanism = pv.NoisyStatistics(ranges, "1.5", delta, neighbours=relation)
    seen = (300, 4500) if public else (31, 300, 4500)
    records = 30 if public else 60
    observed = Observed.of(seen)
    target = JointTarget(model, model.at(SCHEMA), SCHEMA, records, public, [(mechanism, observed)])
    found = target.draws()
    assert found.diagnostics.r_hat is not None
    assert found.diagnostics.r_hat < 1.02
    unit = 0.1
    mu, log_tau = np.linspace(-2.5, 2.5, 41), np.linspace(np.log(0.15), np.log(1.4), 41)
    t1 = np.linspace(-80 * unit * 25, 80 * unit * 25, 81)
    logs = np.full((mu.size, log_tau.size), -np.inf)
    law = gaussian_log_pmf if mechanism.gaussian else laplace_log_pmf
    scales = [float(s) ** 2 if mechanism.gaussian else 1 / float(s) for s in mechanism.scales]
    for n in [30] if public else range(2, 61):
        q = np.linspace(0.5, 400, 100)
        first, second = np.meshgrid(t1, q, indexing="ij")
        t2 = second + first**2 / n
        inside = (np.abs(first) <= n * 8) & (t2 <= n * 64)
        noise = law(seen[-2] - np.rint(first / unit).astype(np.int64), scales[-2])
        noise = noise + law(seen[-1] - np.rint(t2 / unit**2).astype(np.int64), scales[-1])
        noise = np.where(inside, noise, -np.inf)
        if not public:
            noise = noise + law(np.array([seen[0] - n]), scales[0])[0]
        for j, tau in enumerate(np.exp(log_tau)):
            half = (n - 1) / 2
            squares = half * np.log(tau / 2) - gammaln(half) + (half - 1) * np.log(q) - tau * q / 2
            inner = logsumexp(noise + squares, axis=1)
            normal = np.log(tau / n) / 2 - tau * (t1[None] - n * mu[:, None]) ** 2 / (2 * n)
            logs[:, j] = np.logaddexp(logs[:, j], logsumexp(normal + inner[None], axis=1))
    tau = np.exp(log_tau)
    logs = logs + 19.5 * log_tau - tau * (40 + 2 * mu[:, None] ** 2) + log_tau
    masses = np.exp(logs - logs.max())
    masses /= masses.sum()
    for values, points, axis in ((found.theta[:, 0], mu, 1), (np.log(found.theta[:, 1]), log_tau, 0)):
        law_ = masses.sum(axis=axis)
        mean = law_ @ points
        spread = np.sqrt(law_ @ (points - mean) ** 2)
        assert abs(values.mean() - mean) < 0.05 * spread
        assert abs(values.std() / spread - 1) < 0.04


@pytest.mark.parametrize("case", [case for case in CASES if case.cut is not None], ids=lambda case: case.name)
def test_the_posterior_given_pure_draws_is_bayes(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against parameters from the prior and sums given them, weighted by the chance of the draws.

    Draws take long to weigh, so chains begin with few sweeps; more follow while they disagree.
    """
    monkeypatch.setattr("privior.posterior.families.joint_chain._SWEEPS", 100)
    model, records, rng = case.cut, 60, np.random.default_rng(6)
    assert model is not None
    plan = pv.plan(model, SCHEMA, records=records, epsilon=100, mechanism=pv.PosteriorDraws, draws=2)
    table = pa.table(case.table(rng, case.draw(rng), records))
    release = pv.measure(plan, table, ledger=pv.Ledger.in_memory(population="clinic", epsilon=100))
    found = pv.infer(release).draws(20_000, seed=1)
    likelihood, number = model.at(SCHEMA), 60_000
    prior = likelihood.conjugate(np.zeros(number), np.zeros((number, likelihood.units.size)), rng)
    prior = prior[np.isfinite(likelihood.log_prior(prior))]
    n = np.full(len(prior), float(records))
    sums = np.rint(likelihood.coloured(n, prior, likelihood.white(n, rng)) / likelihood.units)
    mechanism = plan.mechanism
    assert isinstance(mechanism, pv.PosteriorDraws)
    logs = mechanism.log_likelihoods(release.statistics, sums.T.astype(np.int64))
    weights = np.exp(logs - logs.max())
    weights /= weights.sum()
    enough = min(1 / (weights**2).sum(), 4000)  # draws of chains are not independent
    assert enough > 300
    mean = weights @ prior
    spread = np.sqrt(weights @ (prior - mean) ** 2)
    assert np.all(np.abs(found.mean(axis=0) - mean) < 6 * spread / np.sqrt(enough))
    assert np.all(np.abs(found.std(axis=0) / spread - 1) < 6 / np.sqrt(enough))
