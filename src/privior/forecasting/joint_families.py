"""Forecasts for families of several parameters, in standard deviations of the prior, from public facts alone.

At parameters theta n records have sums of expectation n e(theta) and covariance n V(theta); noise of
covariance W is added. With G the slope of e the sums have the information n^2 G' (n V + W)^-1 G. What the
prior knows beside is added as information. A noisy number of records moves the sums by their expectation
per record. N draws from a posterior in which records have the weight r leave 1 + 1/(N r) times as much open
as the records themselves.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from privior.arrays import Floats
from privior.models import JointFamily
from privior.models.families import JointLikelihood
from privior.schema import Schema

#: the step of numeric derivatives, in standard deviations of the prior
_STEP = 1e-4


def joint_variances(model: JointFamily, schema: Schema, records: int, mechanism: Any) -> Floats:
    """Return the variances left open, as shares of the prior's: a row for each typical theta."""
    likelihood = model.at(schema)
    points, prior = likelihood.typical()
    if not records:
        return np.ones((len(points), prior.size))
    scale = np.sqrt(prior)
    found = []
    for theta in points:
        mean, covariance = _moments(model, likelihood, theta)
        sides = [
            [_moments(model, likelihood, theta + sign * step)[0] for sign in (1, -1)]
            for step in np.diag(_STEP * scale)
        ]
        slope = np.column_stack([(after - before) / (2 * _STEP) for after, before in sides])
        spread = records * covariance
        if mechanism is not None and not mechanism.draws_posterior:
            own = mechanism.variances[-len(likelihood.units) :]
            spread = spread + np.diag(likelihood.units**2 * np.array(own))
            if len(mechanism.variances) > len(own):
                spread = spread + mechanism.variances[0] * np.outer(mean, mean)
        elif mechanism is not None:
            spread = spread * (1 + 1 / (mechanism.draws * float(mechanism.weight)))
        information = records**2 * slope.T @ np.linalg.pinv(spread, hermitian=True) @ slope
        found.append(np.diag(np.linalg.inv(information + np.eye(prior.size))))
    return np.array(found)


def _moments(model: JointFamily, likelihood: JointLikelihood, theta: Floats) -> tuple[Floats, Floats]:
    """Return the expectation and the covariance of what one record adds, by the moments of a Normal law."""
    means, covariances = likelihood.normal(theta[np.newaxis])
    d, c = np.append(means[0] - likelihood.centre, 1.0), np.pad(covariances[0], (0, 1))
    first = [one[0] for one in model.products]  # a number by itself is its product with 1
    second = [one[1] if len(one) > 1 else -1 for one in model.products]
    shared = np.zeros((len(first), len(first)))
    for k, l in ((first, second), (second, first)):  # noqa: E741
        one, other = c[np.ix_(first, k)], c[np.ix_(second, l)]
        shared += one * other + np.outer(d[first], d[k]) * other + one * np.outer(d[second], d[l])
    return d[first] * d[second] + c[first, second], shared
