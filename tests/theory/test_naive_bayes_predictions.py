"""Predictions of Appendix C: closed form and draws against integrals and sums."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from privior.papers.naive_bayes import averaged_joint, averaged_predictions, closed_form

TARGET = np.array([3.0, 5.0])
FEATURES = np.array([[[2.0, 4.0], [1.0, 1.5]], [[6.0, 1.0], [2.5, 2.0]]])
RECORDS = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])


def test_the_closed_form_is_the_integral() -> None:
    """C.1: the mean of a chance, or of its complement, under each Beta posterior, multiplied."""

    def mean(parameters: np.ndarray, one: bool) -> float:
        law = stats.beta(*parameters)
        return float(integrate.quad(lambda x: (x if one else 1 - x) * law.pdf(x), 0, 1)[0])

    for record, found in zip(RECORDS, closed_form(RECORDS, TARGET, FEATURES), strict=True):
        joint = [
            mean(TARGET, y == 1) * np.prod([mean(FEATURES[y, i], record[i] == 1) for i in range(2)])
            for y in (0, 1)
        ]
        assert found == pytest.approx(joint[1] / sum(joint), rel=1e-7)


def test_draws_are_averaged_before_or_after_they_are_normalised() -> None:
    """C.2 averages joint laws, privior predictions. They differ; many draws make C.2 the closed form."""
    rng = np.random.default_rng(3)
    target = rng.beta(TARGET[0], TARGET[1], 40_000)
    features = rng.beta(FEATURES[..., 0], FEATURES[..., 1], (40_000, 2, 2))
    first, second = averaged_joint(RECORDS, target, features), averaged_predictions(RECORDS, target, features)
    assert first == pytest.approx(closed_form(RECORDS, TARGET, FEATURES), abs=0.01)
    assert np.abs(first - second).max() > 0.02
    record, chance, table = RECORDS[1], target[:3], features[:3]
    joint = np.array(
        [
            [
                (c if y else 1 - c) * np.prod([t[y, i] if record[i] else 1 - t[y, i] for i in range(2)])
                for y in (0, 1)
            ]
            for c, t in zip(chance, table, strict=True)
        ]
    )
    few = averaged_joint(RECORDS, chance, table)[1], averaged_predictions(RECORDS, chance, table)[1]
    assert few[0] == pytest.approx(joint[:, 1].sum() / joint.sum())
    assert few[1] == pytest.approx((joint[:, 1] / joint.sum(axis=1)).mean())
