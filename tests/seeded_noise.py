"""Noise from a seed, for tests of what is made of a release: the same in every run, with the same verdict.

Whether noise has its law is tested elsewhere, without a seed. What a process of its own draws, which reads
the rows of a file, stays without one.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from privior.randomness import discrete, entropy

Drawn = Callable[[list[int]], list[int]]


class SeededOpenDP:
    """As much of OpenDP as draws noise, by NumPy; a Gaussian number is rounded to the nearest whole one."""

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng
        self.m = self

    def make_laplace(self, _domain: object, _metric: object, scale: float) -> Drawn:
        share = -np.expm1(-1 / scale)
        return lambda zeros: np.subtract(*self._rng.geometric(share, (2, len(zeros)))).tolist()

    def make_gaussian(self, _domain: object, _metric: object, scale: float) -> Drawn:
        return lambda zeros: np.rint(self._rng.normal(0, scale, len(zeros))).astype(int).tolist()

    def __getattr__(self, _name: str) -> Callable[..., Any]:
        return lambda *_given, **_named: None


def seed_noise(seed: int, patch: pytest.MonkeyPatch) -> None:
    """Let all noise that this process draws come from a seed."""
    rng = np.random.default_rng(seed)
    patch.setattr(entropy, "os", SimpleNamespace(urandom=rng.bytes, getpid=os.getpid))
    patch.setattr(discrete, "_opendp", lambda: SeededOpenDP(rng))
