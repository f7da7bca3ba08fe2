"""Whether predictions come true: the intervals of the study, and the releases that it simulates."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from privior.papers.studies import logistic_calibration as study

DELTA = Fraction(1, 10**6)


def test_intervals_are_never_of_no_width() -> None:
    """Jeffreys' where records are independent, wider where those of a table are alike, none of few."""
    many = np.full((40, 3), [50.0, 10.0, 1.0])
    yes = np.zeros((40, 3))
    yes[:, 0] = stats.binom.ppf((np.arange(40) + 0.5) / 40, 50, 0.3)
    plain = study._shares(many, yes, many.sum(axis=0) * 0.5)
    assert len(plain) == 2  # the third part has 40 records
    for row, ones, whole in zip(plain, (yes[:, 0].sum(), 0.0), (2000, 400), strict=True):
        low, high = stats.beta.ppf([0.05, 0.95], ones + 0.5, whole - ones + 0.5)
        assert row["low"] == pytest.approx(low if ones else 0, abs=2e-3)
        assert row["high"] == pytest.approx(high, abs=2e-3)
        assert float(row["low"] or 0) < float(row["high"] or 0)
    yes[:, 0] = np.where(np.arange(40) % 2, 50, 0)  # a table has one level alone: as many as tables
    (alike, _) = study._shares(many, yes, many.sum(axis=0) * 0.5)
    low, high = stats.beta.ppf([0.05, 0.95], 20.5, 20.5)
    assert alike["low"] == pytest.approx(low)
    assert alike["high"] == pytest.approx(high)


def test_the_minimiser_is_where_the_tilted_objective_is_flat() -> None:
    generator, noise = (np.random.default_rng([3, 1]) for _ in range(2))
    rows = np.column_stack([np.ones(200), np.random.default_rng(4).uniform(-1, 1, (200, study.SIZE))])
    labels = np.where(rows[:, 1] > 0, 1.0, -1.0)
    (theta,) = study._perturbed(DELTA)(rows, labels, generator)
    model, schema = study._public()
    law = study.ObjectivePerturbation(model, schema, 1, DELTA, expected=study._SMALL)
    tilt = math.sqrt(law.variance) * noise.standard_normal(study.SIZE + 1)
    signed = rows * labels[:, None]
    slope = -(1 / (1 + np.exp(signed @ theta))) @ signed + float(law.ridge) * theta + tilt
    assert np.abs(slope).max() < 1e-6


def test_moments_with_little_noise_find_the_weights() -> None:
    """Twenty thousand records next to the noise of epsilon 1."""
    generator = np.random.default_rng(5)
    theta = np.array([0.2, 1.0, -0.7, 0.4, 0.0])
    rows = np.column_stack([np.ones(20_000), generator.uniform(-1, 1, (20_000, study.SIZE))])
    labels = np.where(generator.uniform(size=len(rows)) < study._chance(rows @ theta), 1.0, -1.0)
    weights = study._moments(DELTA)(rows, labels, generator)
    assert np.abs(weights.mean(axis=0) - theta).max() < 0.15
