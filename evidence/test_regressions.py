"""Regressions: intervals that cover what was drawn from the prior, and errors on a real table of incomes.

Coverage: parameters and moments are drawn from the law that inference takes for granted, noise is added as
the mechanism states it, and 90% intervals are looked at. Rivals that take noisy moments for true ones must
fail.

Incomes: 30 splits of a table with 14 features, default settings, clipped mean squared error; the splits, and
the rows of `ssp_laplace_ridge` (pure epsilon, which is another guarantee) and of least squares are those of
the peers that were measured before.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from record import Certificate, store
from regression_tables import (
    clipped_error,
    columns,
    least_squares,
    plain_ridge,
    private_mean,
    release,
    split,
)
from scipy.stats import wishart

import privior as pv
from privior.arrays import Floats
from privior.mechanisms import MomentNoise
from privior.posterior.regression import moments_target as law
from privior.posterior.regression.observations import Observations
from privior.posterior.regression.regression_draws import FREEDOM, sampled

SETS, RECORDS, FEATURES = 300, 1000, 3
REPEATS = 30
#: the error of the peer that adds Laplace noise to moments, by training rows and epsilon
PEER = {
    (2000, "0.1"): 0.14093,
    (2000, "0.5"): 0.09034,
    (2000, "1"): 0.07941,
    (None, "0.1"): 0.08219,
    (None, "0.5"): 0.06727,
    (None, "1"): 0.06339,
}
#: the largest share of the peer's excess over least squares
BAR = {
    (2000, "0.1"): 0.5,
    (2000, "0.5"): 0.5,
    (2000, "1"): 0.5,
    (None, "0.1"): 0.5,
    (None, "0.5"): 0.25,
    (None, "1"): 0.25,
}
CELLS = {
    "Gaussian, replace-one, epsilon 1": (pv.GaussianMoments, pv.REPLACE_ONE, "1"),
    "Gaussian, private number, epsilon 0.5": (pv.GaussianMoments, pv.ADD_OR_REMOVE_ONE, "0.5"),
    "Laplace, replace-one, epsilon 2": (pv.LaplaceMoments, pv.REPLACE_ONE, "2"),
}


def drawn_from_prior(
    mechanism: MomentNoise, rng: np.random.Generator
) -> tuple[Floats, float, float, Floats, Observations]:
    """Return weights, intercept, size of errors, a record's features, and what is released of them."""
    layout = mechanism.layout
    d, terms, n = len(layout.design.features), layout.design.terms, RECORDS
    s = math.exp(rng.normal(*law.LOG_S))
    v = math.exp(rng.normal(law.LOG_V[0] - math.log(terms), law.LOG_V[1]))
    tau = s * math.sqrt(math.exp(rng.normal(*law.LOG_SIGNAL)) / (d * v))
    scatter = np.atleast_2d(wishart.rvs(d + FREEDOM, np.eye(d) * v / (d + FREEDOM), random_state=rng))
    lower = np.linalg.cholesky(scatter)
    mu, alpha = rng.normal(0, law.MEAN_STDDEV / math.sqrt(terms), d), rng.normal(0, law.ALPHA_STDDEV)
    w = rng.normal(0, tau, d)
    t = lower.T @ w + s / math.sqrt(n) * rng.standard_normal(d)
    rho, a = s**2 * rng.chisquare(n - d - 1) / n, alpha + s / math.sqrt(n) * rng.standard_normal()
    square = scatter + np.outer(mu, mu)
    moments = n * np.concatenate(
        [square[np.triu_indices(d)], mu, lower @ t + mu * a, [a, t @ t + rho + a**2, 1]]
    )
    units = np.array([one.unit for one in layout.moments])[: len(layout.published)]
    spread = units * np.sqrt(mechanism.variances)
    noise = (
        rng.laplace(size=units.size) / math.sqrt(2) if mechanism.heavy else rng.standard_normal(units.size)
    )
    seen = moments[: units.size] + spread * noise
    heavy = np.full(units.size, int(mechanism.heavy))
    said = Observations(np.eye(moments.size)[: units.size], seen, spread**2, heavy, units.size)
    return w, alpha - float(mu @ w), s, rng.multivariate_normal(mu, scatter), said


@pytest.mark.parametrize("name", CELLS)
def test_intervals_cover_what_was_drawn_from_the_prior(name: str) -> None:
    certificate = Certificate.of(__file__)
    kind, relation, epsilon = CELLS[name]
    names = [f"x{place}" for place in range(FEATURES)]
    kinds = {one: pv.Integer(0, 1000) for one in ("y", *names)}
    schema = pv.Schema(kinds, population="drawn", unit="person")
    model = pv.LinearRegression(target="y", features=names)
    mechanism = (
        kind(model, schema, epsilon, neighbours=relation)
        if kind is pv.LaplaceMoments
        else kind(model, schema, epsilon, "1e-5", neighbours=relation)
    )
    rng = np.random.default_rng([1, list(CELLS).index(name)])
    hits: list[list[float]] = []
    naive: list[float] = []
    worst = []
    public = relation is pv.REPLACE_ONE
    for number in range(SETS):
        w, b, s, x, said = drawn_from_prior(mechanism, rng)
        found = sampled(
            said, mechanism.layout, model, RECORDS * (1 if public else 2), public=public, seed=number
        )
        inside = [_within(one, draws) for one, draws in zip(w, found.weights.T, strict=True)]
        mean = found.intercept + found.weights @ x
        hits.append(
            [
                float(np.mean(inside)),
                _within(b, found.intercept),
                _within(s, found.stddev),
                _within(b + float(x @ w), mean),
            ]
        )
        alone = np.sqrt(np.diag(found.within))[1:]
        middle = found.weights.mean(axis=0)
        naive.append(float(np.mean(np.abs(w - middle) <= 1.645 * alone)))
        worst.append(found.diagnostics.r_hat)
    covered, error = np.mean(hits, axis=0), 0.3 / math.sqrt(SETS)
    slug = "".join(letter if letter.isalnum() else "-" for letter in name.lower()).replace("--", "-")
    store(
        f"regression-coverage-{slug}",
        certificate,
        title=f"Coverage of regressions from noisy moments: {name}",
        claim=f"90% intervals cover 87 to 93%, give or take two standard errors, of {SETS} data sets drawn "
        "from the prior",
        header=("intervals of", "covered"),
        rows=[
            *(
                (what, f"{one:.3f}")
                for what, one in zip(
                    ("weights", "intercept", "stddev of errors", "predicted means"), covered, strict=True
                )
            ),
            ("weights, the noise's part left out", f"{np.mean(naive):.3f}"),
            ("share of fits with R-hat above 1.05", f"{np.mean(np.array(worst) > 1.05):.3f}"),
        ],
    )
    assert (np.abs(covered - 0.9) <= 0.03 + 2 * error).all(), covered
    assert abs(covered.mean() - 0.9) <= 0.01 + 2 * error
    assert np.mean(naive) < 0.8


def _within(truth: float, draws: Floats) -> float:
    low, high = np.quantile(draws, [0.05, 0.95])
    return float(low <= truth <= high)


@pytest.mark.parametrize("train", [2000, None])
def test_errors_on_incomes(train: int | None) -> None:
    certificate = Certificate.of(__file__)
    rows, failures = [], []
    for epsilon in ("0.1", "0.5", "1"):
        found = np.array([_errors(repeat, train, epsilon) for repeat in range(REPEATS)])
        ours, ridge, exact, mean = found.mean(axis=0)
        error = float(found[:, 0].std(ddof=1)) / math.sqrt(REPEATS)
        peer = PEER[train, epsilon] - exact
        share = (ours - exact) / peer
        paired = found[:, 0] - found[:, 3]
        rows.append(
            (
                epsilon,
                f"{ours:.4f} ±{error:.4f}",
                f"{ridge:.4f}",
                f"{mean:.4f}",
                f"{exact:.4f}",
                f"{share:.2f} (bar {BAR[train, epsilon]})",
                f"{(ours - exact) / (ridge - exact):.2f}",
            )
        )
        if share > BAR[train, epsilon] + 2 * error / peer:
            failures.append(f"epsilon {epsilon}: {share:.2f} of the peer's excess")
        if paired.mean() > 2 * paired.std(ddof=1) / math.sqrt(REPEATS):
            failures.append(f"epsilon {epsilon}: worse than a private mean")
    store(
        f"regression-incomes-{train or 'all'}",
        certificate,
        title=f"Incomes by 14 features, {train or 15_444} training rows, replace-one, delta 1e-5",
        claim="clipped squared error: a share of the excess of ssp_laplace_ridge (pure), never worse than a "
        "private mean",
        header=(
            "epsilon",
            "error",
            "ridge",
            "private mean",
            "no privacy",
            "of the peer's excess",
            "of the ridge's",
        ),
        rows=rows,
    )
    assert not failures, failures


def _errors(repeat: int, train: int | None, epsilon: str) -> tuple[float, float, float, float]:
    rows, held = split(repeat, train)
    made = release(rows, epsilon, pv.REPLACE_ONE)
    posterior = pv.infer(made)
    frame = {name: values[held] for name, values in columns().items()}
    ours = clipped_error(posterior.predict(frame), held)
    mu = made.plan.guarantee.pair.mu or 0.0
    alone = private_mean(rows, held, mu, np.random.default_rng(repeat))
    return ours, plain_ridge(made, held), least_squares(rows, held), alone
