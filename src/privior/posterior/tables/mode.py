"""The mode of cell probabilities: the point that maximum a posteriori answers take for the truth."""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats
from privior.errors import InferenceError


def dirichlet_mode(theta: Floats) -> Floats:
    """Return the mode of the Dirichlet law with the mean and the total variance of draws.

    The posterior is a mixture of Dirichlet laws over the counts that the noise leaves open; its own mode is
    that of the one law if there is no noise, and near it if no component stands apart. A cell whose parameter
    is 1 or less has no chance at the mode.
    """
    mean = theta.mean(axis=0)
    total = float(theta.var(axis=0).sum())
    if not np.allclose(theta.sum(axis=1), 1, atol=1e-6) or (theta < 0).any():
        raise InferenceError("the parameters are no probabilities of cells, whose mode is known")
    if total <= 0:
        return np.asarray(mean)
    excess = np.maximum(((1 - float(mean @ mean)) / total - 1) * mean - 1, 0)
    if excess.sum() <= 0:
        raise InferenceError("the posterior has no mode: no parameter is above 1")
    return np.asarray(excess / excess.sum())
