"""The numbers of docs/errata.md about linear regression, and what else Appendix D states."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import pytest
from scipy import integrate

from privior.papers.published import Verdict, regression


def e12() -> Iterator[str]:
    x, y, w = np.array([0.6, 0.8]), 1.0, np.array([1.0, -1.0])
    printed, true = regression.gradients(x.tolist(), y, w.tolist(), 1.0)

    def height(record: np.ndarray) -> float:
        return -(float(record[-1] - w @ record[:-1]) ** 2) / 2

    steps = 1e-6 * np.eye(3)
    record = np.append(x, y)
    found = [(height(record + step) - height(record - step)) / 2e-6 for step in steps]
    assert true == pytest.approx(found, abs=1e-6)
    yield from (f"{np.linalg.norm(one):.4g}" for one in (printed, true))
    claim = regression.appendix_d(1, ["0"], 10, 1)
    assert (claim.value, claim.better) == (1.0, 121.0)
    assert claim.verdict is Verdict.FALSE
    mass = integrate.quad(lambda t: math.exp(-((1 - t) ** 2) / 2), -10, 10, points=[1])[0]
    loss = -0.5 - math.log(mass) + math.log(20)
    assert loss > claim.value
    yield f"{loss:.4g}"
    assert regression.sound_range(1, 1) == 4
    assert regression.sound_range(10, 1) == 121
    assert regression.sound_range("1/2", 1) == 2  # 8 Y R W / 2


def check_lemma_d1() -> None:
    """The posterior's logarithm differs from the Normal density's by a constant, inside of the ball."""
    rng = np.random.default_rng(5)
    x, y = rng.normal(size=(9, 2)), rng.normal(size=9)
    precision = np.array([[2.0, 0.5], [0.5, 1.0]])
    mean, spread = regression.lemma_d1(x.T @ x, x.T @ y, precision, 0.7)
    points = rng.normal(size=(5, 2))
    direct = -((y - points @ x.T) ** 2).sum(axis=1) / (2 * 0.49)
    direct -= np.einsum("ni,ij,nj->n", points, precision, points) / 2
    away = points - mean
    normal = -np.einsum("ni,ij,nj->n", away, np.linalg.inv(spread), away) / 2
    assert np.ptp(direct - normal) < 1e-9
