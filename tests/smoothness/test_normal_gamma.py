"""Normal-Gamma laws on a box against sums over a fine grid of the plane."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special, stats

from privior.smoothness.normal_gamma import NormalGammaLaw

Floats = NDArray[np.float64]
LAWS = [
    NormalGammaLaw(0.3, 2.0, 3.0, 1.5),
    NormalGammaLaw(0.3, 2.0, 0.6, 1.5, means=(-1.0, 2.0)),
    NormalGammaLaw(0.3, 2.0, 3.0, 1.5, means=(-0.5, 1.0), precisions=(0.5, 4.0)),
    NormalGammaLaw(5.0, 30.0, 20.0, 9.0, means=(-0.5, 1.0), precisions=(0.5, 4.0)),  # the box is far off
    NormalGammaLaw(0.3, 900.0, 70.0, 9.0, means=(-0.5, 1.0), precisions=(0.5, 4.0)),
]


def plane(law: NormalGammaLaw) -> tuple[Floats, Floats, Floats]:
    """Means, precisions and the logs of their masses, by the middle rule."""
    first, last = max(law.means[0], -60.0), min(law.means[1], 60.0)
    low, high = max(law.precisions[0], 1e-4), min(law.precisions[1], 40.0)
    wide = law.means[0] == -math.inf
    size = 3000 if wide else 1200
    edges = np.sinh(np.linspace(math.asinh(first), math.asinh(last), size + 1))
    logs = np.linspace(math.log(low), math.log(high), 1201)
    mu, tau = (edges[1:] + edges[:-1]) / 2, np.exp((logs[1:] + logs[:-1]) / 2)
    volume = np.log(np.diff(edges))[:, np.newaxis] + np.log(np.diff(logs)) + np.log(tau)
    away = (mu[:, np.newaxis] - law.mean) ** 2
    found = (law.shape - 0.5) * np.log(tau) - tau * (law.rate + law.strength * away / 2)
    return mu[:, np.newaxis], tau, found + volume


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_masses_and_laws_of_lines(law: NormalGammaLaw) -> None:
    mu, tau, logs = plane(law)
    assert law.log_mass == pytest.approx(float(special.logsumexp(logs)), abs=2e-3)
    chances = np.exp(logs - special.logsumexp(logs))
    assert law.mean_precision() == pytest.approx(float((chances * tau).sum()), rel=2e-3)
    assert law.mean_log_precision() == pytest.approx(float((chances * np.log(tau)).sum()), abs=2e-3)
    for slope, shift in ((2.0, -0.4), (-1.0, 0.7)):
        line = tau * (slope * mu + shift)
        levels = np.quantile(line, [0.2, 0.5, 0.8])
        found = law.below(slope, shift, levels)
        for level, share in zip(levels, found, strict=True):
            assert share == pytest.approx(float(chances[line <= level].sum()), abs=3e-3)
        outer = law.below(slope, shift, np.array([-1e9, 1e9]))
        assert outer == pytest.approx([0, 1], abs=1e-12)


def test_without_a_box_the_mass_is_known() -> None:
    law = LAWS[0]
    closed = special.gammaln(law.shape) - law.shape * math.log(law.rate)
    assert law.log_mass == pytest.approx(closed + math.log(2 * math.pi / law.strength) / 2, abs=1e-12)
    spread = math.sqrt(law.rate / (law.shape * law.strength))
    # mu alone is Student's, and tau (mu - c) <= 0 says that mu is at most c
    truth = stats.t.cdf((np.array([-1.0, 0.5]) - law.mean) / spread, 2 * law.shape)
    found = [float(law.below(1.0, -c, np.zeros(1))[0]) for c in (-1.0, 0.5)]
    assert found == pytest.approx(truth, abs=1e-9)
