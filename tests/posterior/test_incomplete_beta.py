"""The incomplete Beta function of numpy against that of mpmath, and of SciPy where parameters are extreme."""

from __future__ import annotations

from statistics import NormalDist

import mpmath
import numpy as np
import pytest

from privior.posterior.counts import incomplete_beta as module
from privior.posterior.counts.incomplete_beta import expit, first_guess, incomplete_beta


def _points(many: int) -> tuple[np.ndarray, ...]:
    draws = np.random.default_rng(1)
    a, b = 10 ** draws.uniform(-3, 3.9, (2, many))
    mean = a / (a + b)
    width = np.minimum(1 / np.sqrt((a + b + 1) * mean * (1 - mean)), 20)
    logit = np.clip(np.log(mean / (1 - mean)) + 4 * draws.normal(size=many) * width, -690, 36)
    return a, b, expit(logit), expit(-logit)


def _right(a: float, b: float, x: float, y: float) -> float:
    """From the end whose digits are known: x, or y near 1."""
    with mpmath.workdps(30):
        if x < 0.5:
            return float(mpmath.betainc(a, b, 0, mpmath.mpf(x), regularized=True))
        return float(1 - mpmath.betainc(b, a, 0, mpmath.mpf(y), regularized=True))


def _worst() -> float:
    points = _points(150)
    right = np.array([_right(*(float(one) for one in row)) for row in zip(*points, strict=True)])
    return float(np.abs(incomplete_beta(*points) - right).max())


def test_the_function_is_right_to_twelve_digits() -> None:
    assert _worst() < 2e-14


def test_a_fraction_cut_short_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The planted fault: too few terms."""
    monkeypatch.setattr(module, "_MOST_TERMS", 8)
    assert _worst() > 1e-9


@pytest.mark.parametrize(("a", "b"), [(1e-9, 5.0), (3.0, 1e9), (2e5, 3e5)])
def test_extreme_parameters_are_scipys(a: float, b: float) -> None:
    from scipy.special import betainc

    x = np.array([a / (a + b)])
    assert incomplete_beta(np.array([a]), np.array([b]), x, 1 - x)[0] == pytest.approx(betainc(a, b, x)[0])


def test_newtons_method_begins_near_a_normal_quantile() -> None:
    for tail in (0.5, 0.1, 0.05, 1e-3, 1e-9):
        assert first_guess(tail) == pytest.approx(-NormalDist().inv_cdf(tail), abs=1e-3)
