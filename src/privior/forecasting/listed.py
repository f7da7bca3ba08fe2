"""The error of the posterior mean where all tables and all outputs are listed: sums, nothing else.

Given an output r the posterior of the true counts x is known for every x, and so is the law of the truth that
is expected: the error of the posterior mean is a sum over x.
"""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats, Integers
from privior.forecasting.expect import Expect
from privior.forecasting.one_cell import log_rising
from privior.special import gammaln, xlogy


def listed_errors(
    tables: Integers,
    volumes: Floats,
    likely: Floats,
    weights: Floats,
    prior: Floats,
    expect: Expect,
) -> tuple[Floats, float]:
    """Return the expected errors and the expected variance of the counts, all cells together.

    Args:
        tables: that stand for all, as (number, cells)
        volumes: how many each stands for
        likely: log P(output | table), as (tables, outputs)
        weights: how many outputs each stands for
        prior: the parameters
        expect: the truth
    """
    x, records = tables.astype(np.float64), float(tables[0].sum())
    believed = true = log_rising(x, prior).sum(axis=1) + np.log(volumes)
    if expect is not Expect.TYPICAL:
        true = (xlogy(x, expect.shares(prior)) - gammaln(x + 1)).sum(axis=1) + np.log(volumes)
    posterior, _ = _normalised(likely + believed[:, None])
    truth, log_weights = (posterior, _) if true is believed else _normalised(likely + true[:, None])
    chances = np.exp(log_weights - log_weights.max()) * weights
    chances /= chances.sum()
    means, expected = posterior.T @ x, truth.T @ x
    smooth = (means + prior) / (records + prior.sum())
    gaps = [
        (np.abs(cell[:, None] - mean) * truth).sum(axis=0) for cell, mean in zip(x.T, means.T, strict=True)
    ]
    errors = (
        (truth.T @ x**2 + means * (means - 2 * expected)) / records**2,
        np.stack(gaps, axis=1) / records,
        (means + expected - 2 * np.sqrt(means) * (truth.T @ np.sqrt(x))) / records,
        truth.T @ xlogy(x / records, x / records) - expected / records * np.log(smooth),
    )
    hidden = float(chances @ (posterior.T @ x**2 - means**2).sum(axis=1))
    return np.array([max(0.0, float(chances @ one.sum(axis=1))) for one in errors]), max(0.0, hidden)


def _normalised(logs: Floats) -> tuple[Floats, Floats]:
    """Return weights that add up to 1 in each column, and the logs of what they added up to."""
    top = logs.max(axis=0)
    weights = np.exp(logs - top)
    total = weights.sum(axis=0)
    return weights / total, top + np.log(total)
