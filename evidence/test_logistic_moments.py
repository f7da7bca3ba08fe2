"""Logistic regression from noisy moments: coverage of intervals, and the rule that plans it, on made tables.

Coverage: weights are drawn from the prior, features evenly over their ranges; and, published without a bar,
half of them of two levels: an index of few such features is not Normal, which is all that moments tell. Noise
is Normal numbers of the stated variances, unrounded. A rival that takes it for ten times smaller must fail.

The rule: tables of correlated, skewed and two-level features whose index has a standard deviation of .7, 1.5
or 2.5. Both mechanisms are simulated, and the excess of the log loss over that of the true chances is
compared with what would have been planned from public facts. The rule's constants were chosen with such
tables of other seeds.
"""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from record import Certificate, store

import privior as pv
from privior.arrays import Floats
from privior.posterior.regression.index_draws import sampled_from_moments
from privior.posterior.regression.logistic_draws import LogisticDraws
from privior.posterior.regression.logistic_numbers import chance
from privior.posterior.regression.observations import Observations

DELTA, SETS, FEATURES, TABLES = "1e-5", 200, 6, 4
RELATIONS = ("replace-one", "add-or-remove-one")


def public(size: int, prior: Any = "learned") -> tuple[pv.Schema, pv.LogisticRegression]:
    """Return schema and model of so many features from -1000 to 1000."""
    names = [f"x{place}" for place in range(size)]
    kinds: dict[str, Any] = {"y": pv.Boolean(), **{one: pv.Integer(-1000, 1000) for one in names}}
    schema = pv.Schema(kinds, population="made", unit="person")
    return schema, pv.LogisticRegression(target="y", features=names, prior=prior)


def said(
    law: pv.GaussianMoments, rows: Floats, signs: Floats, records: int, rng: np.random.Generator
) -> Observations:
    """Return what is released of records, by the law of the noise."""
    reach = np.array([one.reach for one in law.layout.design.features], float)
    numbers = np.column_stack([np.ones(len(rows)), np.rint(rows[:, 1:] * reach), signs])
    sums = numbers.T @ numbers
    true = np.array([sums[place] for place in law.layout.places])
    noisy = true + np.sqrt(law.variances) * rng.standard_normal(len(true))
    plan = SimpleNamespace(mechanism=law, records=records, neighbours=law.neighbours)
    release: Any = SimpleNamespace(plan=plan, statistics=SimpleNamespace(counts=noisy))
    return Observations.of([release])


def inferred(law: pv.GaussianMoments, found: Observations, records: int, seed: int) -> LogisticDraws:
    """Return draws of the weights."""
    known = law.neighbours is pv.REPLACE_ONE
    scale: float | None = law.model.scale  # type: ignore[attr-defined]
    return sampled_from_moments(found, law.layout, scale, records, public=known, seed=seed, kept=60)


@pytest.mark.parametrize("levels", [0, 3])
@pytest.mark.parametrize("relation", RELATIONS)
def test_intervals_cover_what_was_drawn_from_the_prior(relation: str, levels: int) -> None:
    certificate, records = Certificate.of(__file__), 2000
    schema, model = public(FEATURES, prior=1)
    law = pv.GaussianMoments(model, schema, "0.5", DELTA, neighbours=relation)
    most = records if relation == "replace-one" else 2 * records
    rng = np.random.default_rng([23, RELATIONS.index(relation), levels])
    hits, naive, widths, worst = list[Any](), list[Any](), list[float](), 0.0
    for number in range(SETS):
        theta = rng.standard_normal(FEATURES + 1)
        rows = np.column_stack([np.ones(records), rng.uniform(-1, 1, (records, FEATURES))])
        rows[:, 1 : 1 + levels] = np.where(rng.random((records, levels)) < 0.3, 1.0, -1.0)
        signs = np.where(rng.random(records) < chance(rows @ theta), 1.0, -1.0)
        told = said(law, rows, signs, most, rng)
        for way, one in ((hits, told), (naive, replace(told, variances=told.variances / 100))):
            if way is naive and number % 4:
                continue
            found = inferred(law, one, most, number)
            low, high = np.quantile(found.weights, [0.05, 0.95], axis=0)
            way.append((low <= theta) & (theta <= high))
            if way is hits:
                widths.append(float((high - low).mean()))
                worst = max(worst, found.diagnostics.r_hat or 0.0)
    covered, ignoring, each = float(np.mean(hits)), float(np.mean(naive)), np.mean(hits, axis=0)
    store(
        f"logistic-moments-coverage-{'two-levels-' if levels else ''}{relation}",
        certificate,
        title=f"Coverage of 90% intervals of logistic weights by moments, 2,000 records, {relation}, "
        f"{levels} of {FEATURES} features of two levels",
        claim="epsilon 0.5: 85% to 95% of the weights that were drawn from the prior; less than 80% if noise "
        "is taken for a tenth of what it is"
        + ("; published without a bar: not a Normal index" if levels else ""),
        header=("data sets", "covered", "each weight", "mean width", "noise a tenth", "largest R-hat"),
        rows=[
            (
                str(SETS),
                f"{covered:.3f}",
                f"{each.min():.2f} to {each.max():.2f}",
                f"{np.mean(widths):.3g}",
                f"{ignoring:.3f}",
                f"{worst:.3f}",
            )
        ],
    )
    assert levels or 0.85 <= covered <= 0.95
    assert ignoring < 0.8


def made(records: int, size: int, width: float, rng: np.random.Generator) -> tuple[Floats, ...]:
    """Return rows and signs to learn from, rows to predict, and their true chances."""
    many = records + 3000
    features = rng.uniform(-1, 1, (many, size))
    features[:, ::3] = (features[:, ::3] + rng.uniform(-1, 1, (many, 1))) / 2
    levels = features[:, 1::3].shape[1]
    features[:, 1::3] = np.where(rng.random((many, levels)) < rng.uniform(0.2, 0.5, levels), 1.0, -1.0)
    features[:, 2::3] = 2 * rng.beta(1, 3, features[:, 2::3].shape) - 1
    weights = rng.standard_normal(size)
    weights *= width / (features @ weights).std()
    index = features @ weights
    chances = chance(index - index.mean() + rng.normal())
    signs = np.where(rng.random(many) < chances, 1.0, -1.0)
    rows = np.column_stack([np.ones(many), features])
    return rows[:records], signs[:records], rows[records:], chances[records:]


def minimised(law: pv.ObjectivePerturbation, rows: Floats, signs: Floats, rng: np.random.Generator) -> Floats:
    """Return the minimiser, in floats."""
    signed, ridge, theta = rows * signs[:, None], float(law.ridge), np.zeros(rows.shape[1])
    tilt = math.sqrt(law.variance) * rng.standard_normal(rows.shape[1])
    for _ in range(60):
        q = chance(-(signed @ theta))
        hessian = (signed * (q * (1 - q))[:, None]).T @ signed + ridge * np.eye(len(theta))
        step = np.linalg.solve(hessian, ridge * theta + tilt - q @ signed)
        theta = theta - step / max(1.0, float(np.abs(signed @ step).max()) / 3)
        if np.abs(step).max() < 1e-9:
            break
    return theta


def excess(true: Floats, said_: Floats) -> float:
    """Return the mean divergence of two chances."""
    p, q = np.clip(true, 1e-12, 1 - 1e-12), np.clip(said_, 1e-9, 1 - 1e-9)
    return float((p * np.log(p / q) + (1 - p) * np.log((1 - p) / (1 - q))).mean())


def test_the_rule_takes_what_is_better_where_it_matters() -> None:
    certificate, lines = Certificate.of(__file__), []
    taken, best, each = [], [], []
    for size in (5, 14):
        schema, model = public(size)
        for relation in RELATIONS:
            for records in (1000, 4000):
                for epsilon in ("0.1", "0.5"):
                    most = records if relation == "replace-one" else 2 * records
                    plan = pv.plan(
                        model, schema, records=most, epsilon=epsilon, delta=DELTA, neighbours=relation
                    )
                    laws = (
                        pv.ObjectivePerturbation(
                            model, schema, epsilon, DELTA, expected=records, neighbours=relation
                        ),
                        pv.GaussianMoments(model, schema, epsilon, DELTA, neighbours=relation),
                    )
                    lost = []
                    for number in range(TABLES):
                        rng = np.random.default_rng([24, size, records, number])
                        rows, signs, new, chances = made(records, size, (0.7, 1.5, 2.5)[number % 3], rng)
                        weights = minimised(laws[0], rows, signs, rng)
                        found = inferred(laws[1], said(laws[1], rows, signs, most, rng), most, number)
                        predicted = chance(found.weights[::4] @ new.T).mean(axis=0)
                        lost.append((excess(chances, chance(new @ weights)), excess(chances, predicted)))
                    means = np.mean(lost, axis=0)
                    place = [one.name for one in laws].index(plan.mechanism.name)
                    taken.append(means[place])
                    best.append(means.min())
                    each.append(means)
                    lines.append(
                        (
                            str(size),
                            relation,
                            str(records),
                            epsilon,
                            f"{means[0]:.4f}",
                            f"{means[1]:.4f}",
                            plan.mechanism.name,
                        )
                    )
    whole = np.mean(each, axis=0)
    lines.append(("all", "", "", "", f"{whole[0]:.4f}", f"{whole[1]:.4f}", f"taken: {np.mean(taken):.4f}"))
    store(
        "logistic-moments-rule",
        certificate,
        title="What is planned for logistic regressions, and what would have been better, on made tables",
        claim="what is taken loses less on average than either mechanism always, and at most 10% more than "
        "the better one of each cell",
        header=(
            "features",
            "neighbours",
            "records",
            "epsilon",
            "objective perturbation",
            "moments",
            "planned",
        ),
        rows=lines,
    )
    assert np.mean(taken) <= whole.min()
    assert np.mean(taken) <= 1.1 * np.mean(best)
