"""What is expected of features with given moments: against records, and Beta laws against their moments."""

from __future__ import annotations

import numpy as np
import pytest

from privior.posterior.regression.feature_law import FeatureLaw, beta_nodes


def test_nodes_have_the_moments_of_beta_laws() -> None:
    """Two levels are two nodes; of even numbers moments up to the seventh are exact."""
    mean, variance = np.array([0.0, 0.3, -0.4, 0.2]), np.array([1 / 3, 0.91, 0.84, 0.05])
    nodes, shares = beta_nodes(mean, variance)
    assert shares.sum(axis=1) == pytest.approx(np.ones(4))
    assert (nodes * shares).sum(axis=1) == pytest.approx(mean)
    assert (nodes**2 * shares).sum(axis=1) - mean**2 == pytest.approx(variance)
    assert [(nodes[0] ** k * shares[0]).sum() for k in (3, 4, 5, 6, 7)] == pytest.approx(
        [0, 1 / 5, 0, 1 / 7, 0], abs=1e-12
    )
    assert nodes[1:3, [0, -1]] == pytest.approx(np.array([[-1, 1], [-1, 1]]), abs=1e-6)
    assert shares[1:3, 1:3] == pytest.approx(np.zeros((2, 2)), abs=1e-6)


@pytest.mark.parametrize("low", [-1.0, 0.0])
def test_features_that_lead_are_not_taken_for_normal(low: float) -> None:
    """Gradient and curvature of 300,000 records: by Normal features alone they are far off."""
    rng, n = np.random.default_rng(1), 300_000
    features = rng.uniform(-1, 1, (n, 5))
    features[:, 0] = np.where(rng.random(n) < 0.4, 1.0, low)
    features[:, 1] = (features[:, 0] + features[:, 1]) / 2
    theta = np.array([0.3, 5 / (1 - low), 0.4, 2.0, -0.5, 0.3])
    rows = np.column_stack([np.ones(n), features])
    p = 1 / (1 + np.exp(-(rows @ theta)))
    gradient, hessian = p @ rows / n, (rows * (p * (1 - p))[:, None]).T @ rows / n
    law = FeatureLaw.normal(np.ones(1), features.mean(axis=0)[None], np.cov(features.T)[None])

    def away(one: FeatureLaw) -> float:
        found, curved = one.gradient(theta[None])
        off = found[0] - gradient
        assert np.linalg.eigvalsh(curved[0])[0] > 0
        return float(np.sqrt(off @ np.linalg.solve(hessian, off))) + float(np.abs(curved[0] - hessian).max())

    assert away(law.led_by(((0, low), (2, -1.0)))) < 0.01
    assert away(law) > 0.1


def test_slopes_of_the_gradient_are_the_curvature() -> None:
    rng = np.random.default_rng(2)
    root = rng.standard_normal((3, 3)) / 4
    law = FeatureLaw.normal(np.array([50.0]), np.array([[0.2, -0.1, 0.3]]), (root @ root.T)[None])
    law = law.led_by(((1, -1.0),))
    theta, step = np.array([[0.1, 0.5, -1.0, 0.7]]), 1e-5
    each = [
        (law.gradient(theta + step * one)[0] - law.gradient(theta - step * one)[0])[0] / (2 * step)
        for one in np.eye(4)
    ]
    assert np.allclose(np.array(each), law.gradient(theta)[1][0], rtol=1e-4, atol=1e-3)
