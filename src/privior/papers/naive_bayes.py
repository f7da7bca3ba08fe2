"""Predictions of naive Bayes as in Appendix C of the paper on networks: in closed form, and by draws.

C.1: with Beta posteriors the chance of a class is proportional to a product of means. C.2: draws of the
parameters are put into the joint density, which is averaged over the draws and then normalised. That is the
prediction of the average of the draws' joint laws; the average of each draw's own prediction, which privior
takes, is another number: it weights draws alike, instead of by how likely each makes the record.
"""

from __future__ import annotations

import numpy as np

from privior.arrays import Floats, Integers


def log_joint(records: Integers, target: Floats, features: Floats) -> Floats:
    """Return log p(y) + sum log p(x_i | y) for both classes, (records, 2), or (draws, records, 2).

    Args:
        records: zeros and ones, (records, d)
        target: the chance of class 1, one or one for each draw
        features: the chances of a one, (2, d), or one such table for each draw
    """
    with np.errstate(divide="ignore"):
        ones, zeros = np.log(features), np.log1p(-features)
        classes = np.log(np.stack([1 - target, target], axis=-1))
    x = np.asarray(records, dtype=np.float64)
    found = x @ np.swapaxes(ones, -1, -2) + (1 - x) @ np.swapaxes(zeros, -1, -2)
    return np.asarray(found + classes[..., np.newaxis, :])


def closed_form(records: Integers, target: Floats, features: Floats) -> Floats:
    """C.1: return the chance of class 1 of each record, from Beta parameters.

    Args:
        records: zeros and ones, (records, d)
        target: Beta parameters of class 1 and class 0, (2,)
        features: of a one and a zero, (2 classes, d, 2)
    """
    means = features[..., 0] / features.sum(axis=-1)
    return _normalised(log_joint(records, np.asarray(target[0] / target.sum()), means))


def averaged_joint(records: Integers, target: Floats, features: Floats) -> Floats:
    """C.2, as published: average the joint density over draws, then normalise."""
    logs = log_joint(records, target, features)
    most = logs.max(axis=(0, 2), keepdims=True)
    return _normalised(np.log(np.exp(logs - most).mean(axis=0)))


def averaged_predictions(records: Integers, target: Floats, features: Floats) -> Floats:
    """Normalise each draw's prediction, then average."""
    logs = log_joint(records, target, features)
    return np.asarray(_normalised(logs).mean(axis=0))


def _normalised(logs: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(np.clip(logs[..., 0] - logs[..., 1], -700, 700))))
