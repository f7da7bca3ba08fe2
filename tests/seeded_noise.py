"""Noise from a seed, for tests of what is made of a release: the same in every run, with the same verdict.

Whether noise has its law is tested elsewhere, without a seed. What a process of its own draws, which reads
the rows of a file, stays without one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import pytest

from privior.randomness import entropy

Drawn = Callable[[list[int]], list[int]]


def seed_noise(seed: int, patch: pytest.MonkeyPatch) -> None:
    """Let all noise that this process draws come from a seed; a Gaussian number is rounded to a whole one."""
    rng = np.random.default_rng(seed)

    def laplace(_domain: object, _metric: object, scale: float) -> Drawn:
        share = -np.expm1(-1 / scale)
        return lambda zeros: np.subtract(*rng.geometric(share, (2, len(zeros)))).tolist()

    def gaussian(_domain: object, _metric: object, scale: float) -> Drawn:
        return lambda zeros: np.rint(rng.normal(0, scale, len(zeros))).astype(int).tolist()

    patch.setattr(entropy, "os", SimpleNamespace(urandom=rng.bytes, getpid=os.getpid))
    patch.setattr("opendp.measurements.make_laplace", laplace)
    patch.setattr("opendp.measurements.make_gaussian", gaussian)
