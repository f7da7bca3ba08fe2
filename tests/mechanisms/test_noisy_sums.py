"""The noise that a release of sums adds has the law that it is sold with, on all sums together."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import privior as pv
from chi_square import fits
from privior.models import ExactStatistics

DRAWS = 600
SUMS = (40, -7)


def law(scales: tuple[Fraction, ...], gaussian: bool, off: float = 1.0) -> dict[tuple[int, ...], float]:
    """Return the chances of two noises that know nothing of each other, their scales off by a factor."""
    alone = []
    for scale in scales:
        wide = float(scale) * off
        heights = {
            z: math.exp(-((z / wide) ** 2) / 2 if gaussian else -abs(z) / wide) for z in range(-60, 61)
        }
        whole = math.fsum(heights.values())
        alone.append({z: height / whole for z, height in heights.items()})
    first, second = alone
    return {(y, z): one * other for y, one in first.items() for z, other in second.items()}


@pytest.mark.parametrize("delta", [0, "0.01"])
def test_noises_have_their_law_and_know_nothing_of_each_other(delta: object) -> None:
    mechanism = pv.NoisyStatistics([(1, 1), (-1, 2)], 4, delta, neighbours=pv.ADD_OR_REMOVE_ONE)
    exact = ExactStatistics(np.array(SUMS))
    sample = []
    for _ in range(DRAWS):
        seen = mechanism.release(exact).counts
        sample.append((seen[0] - SUMS[0], seen[1] - SUMS[1]))
    assert fits(sample, law(mechanism.scales, mechanism.gaussian))
    assert not fits(sample, law(mechanism.scales, mechanism.gaussian, off=0.5))
    assert not fits([(y, y) for y, _ in sample], law(mechanism.scales, mechanism.gaussian))
