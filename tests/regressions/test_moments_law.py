"""The compiled law of latent moments against laws of scipy, and chains that start far away."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from privior.models.weight_prior import STANDARD
from privior.posterior.diagnostics import split_r_hat
from privior.posterior.regression import hamiltonian
from privior.posterior.regression import moments_law as law
from privior.posterior.regression.hamiltonian import Shape, walk
from privior.posterior.regression.moments_target import MomentsTarget, WeightLaw
from privior.posterior.regression.regression_draws import _given_moments

D, TERMS, FREEDOM = 3, 3, 7.0
BASIS = np.linalg.qr(np.random.default_rng(4).standard_normal((D, D)))[0]
#: three levels beside a first one without a feature
LEVELS = np.vstack([np.eye(D), -np.ones((1, D))])
KNOWN = WeightLaw(np.array([0.1, 0.0, -0.2]), np.eye(D) * 0.3 + 0.05)


def target_of(public: bool, intercept: bool, prior: WeightLaw, seen: Any) -> MomentsTarget:
    rows = np.eye(15)[: 14 if public else 15]
    return MomentsTarget(
        D,
        TERMS,
        200.0,
        public,
        intercept,
        rows,
        seen[: len(rows)],
        np.full(len(rows), 0.01),
        prior,
        BASIS,
        FREEDOM,
        (0.3, 0.6),
    )


def of(target: MomentsTarget, point: Any) -> dict[str, Any]:
    return {name: value[0] for name, value in target.parts(point[None]).items()}


def natural(target: MomentsTarget, point: Any) -> Any:
    """The numbers that laws are stated of: scatter of the features themselves, and everything else."""
    one = of(target, point)
    scatter = BASIS @ one["L"] @ one["L"].T @ BASIS.T
    rest = [scatter[np.tril_indices(D)], one["t"], [one["rho"], math.sqrt(one["s2"]), one["v"]]]
    rest += [one["mu"], [one["a"]]] if target.intercept else []
    rest += [[one["tau"]]] if target.prior.covariance is None else []
    rest += [one["scales"]] if target.prior.heavy else []
    rest += [] if target.public else [[one["n"]]]
    return np.concatenate(rest)


def by_scipy(target: MomentsTarget, point: Any) -> float:
    """The log density, from what `moments_law` says in words; that of t is p(t | w) p(w) / p(w | t)."""
    one = of(target, point)
    n, s, v, lower, mu, t, a = (
        one["n"],
        math.sqrt(one["s2"]),
        one["v"],
        one["L"],
        one["mu"],
        one["t"],
        one["a"],
    )
    rotated = lower @ lower.T
    scatter = BASIS @ rotated @ BASIS.T
    found = float(stats.wishart.logpdf(scatter, FREEDOM, np.eye(D) * v / FREEDOM))
    found += stats.lognorm.logpdf(s, law.LOG_S[1], scale=math.exp(law.LOG_S[0]))
    found += stats.lognorm.logpdf(v, law.LOG_V[1], scale=math.exp(law.LOG_V[0]) / TERMS)
    # rho: n rho / s^2 is chi-square
    found += stats.chi2.logpdf(n * one["rho"] / s**2, n - D - int(target.intercept)) + math.log(n / s**2)
    if target.intercept:
        found += stats.norm.logpdf(mu, 0, law.MEAN_STDDEV / math.sqrt(TERMS)).sum()
        found += stats.norm.logpdf(a, 0, math.hypot(law.ALPHA_STDDEV, s / math.sqrt(n)))
    if target.prior.covariance is None:
        signal = one["tau"] ** 2 * D * v / s**2
        # of tau: the signal's law times d signal / d tau
        found += stats.lognorm.logpdf(signal, law.LOG_SIGNAL[1], scale=math.exp(law.LOG_SIGNAL[0]))
        found += math.log(2 * signal / one["tau"])
        effects = np.eye(D) if target.prior.effects is None else target.prior.effects
        squares = one["tau"] ** 2 * (v / np.diag(effects @ scatter @ effects.T)) ** STANDARD
        if target.prior.heavy:
            found += stats.invgamma.logpdf(one["scales"], law.TAILS / 2, scale=law.TAILS / 2).sum()
            squares = squares * one["scales"]
        of_weights = stats.multivariate_normal(np.zeros(D), effects.T @ np.diag(squares) @ effects)
    else:
        assert target.prior.mean is not None
        of_weights = stats.multivariate_normal(
            BASIS @ target.prior.mean, BASIS @ target.prior.covariance @ BASIS.T
        )
    w = np.array([0.3, -0.2, 0.1])
    mean, covariance = _given_moments(target, target.parts(point[None]))
    found += stats.multivariate_normal(lower.T @ w, s**2 / n * np.eye(D)).logpdf(t)
    found += of_weights.logpdf(BASIS @ w) - stats.multivariate_normal(mean[0], covariance[0]).logpdf(w)
    square = rotated + np.outer(mu, mu)
    both = [square[np.triu_indices(D)], mu, lower @ t + mu * a, [a, t @ t + one["rho"] + a**2, 1]]
    told = n * np.concatenate(both)[: len(target.seen)]
    return float(found + stats.norm.logpdf(target.seen, told, 10).sum())


@pytest.mark.parametrize(
    ("public", "intercept", "prior"),
    [
        (True, True, WeightLaw()),
        (False, True, WeightLaw()),
        (False, True, WeightLaw(heavy=True)),
        (True, True, WeightLaw(effects=LEVELS)),
        (False, True, WeightLaw(heavy=True, effects=LEVELS)),
        (True, False, WeightLaw()),
        (True, False, KNOWN),
    ],
)
def test_the_density_is_that_of_its_words(public: bool, intercept: bool, prior: WeightLaw) -> None:
    """Up to a constant, at points far apart; coordinates enter by a Jacobian of differences alone."""
    rng = np.random.default_rng(1)
    target = target_of(public, intercept, prior, 30 * rng.standard_normal(15) + 20)
    points = 0.4 * rng.standard_normal((6, target.size)) - 0.3
    if not public:
        points[:, -1] = np.log(rng.uniform(60, 300, 6))
    off = replace(target, freedom=FREEDOM + 0.1)
    away, wrong = [], []
    for point in points:
        step = 1e-6 * np.eye(target.size)
        turned = np.array([natural(target, point + one) - natural(target, point - one) for one in step])
        jacobian = float(np.linalg.slogdet(turned / 2e-6)[1])
        known = by_scipy(target, point) + jacobian
        away.append(target.density(point[None])[0][0] - known)
        wrong.append(off.density(point[None])[0][0] - known)
    assert np.ptp(away) < 1e-4
    assert np.ptp(wrong) > 1e-2  # one tenth of a degree of freedom would be noticed


def steep(points: Any) -> Any:
    """A density that is round about 0 and very steep far away; nothing is possible beyond 50."""
    near = np.clip(points, -50, 50)
    height = -(near**2).sum(axis=1) / 2 - (near**4).sum(axis=1)
    return np.where((near == points).all(axis=1), height, -np.inf), -near - 4 * near**3


def far_apart(rng: np.random.Generator) -> float:
    starts = np.concatenate([rng.standard_normal((7, 2)), [[9.0, -9.0]]])
    shape = Shape(np.zeros(2), np.eye(2) / 2)
    found = walk(steep, shape, rng, chains=8, forgotten=60, kept=60, starts=starts)
    return split_r_hat(found.states)


def test_a_chain_that_starts_where_it_is_steep_does_not_stand_there(monkeypatch: pytest.MonkeyPatch) -> None:
    assert far_apart(np.random.default_rng(2)) < 1.1
    monkeypatch.setattr(hamiltonian, "_SHORTER", 1.0)
    assert far_apart(np.random.default_rng(2)) > 2  # it would, with the steps of the others
