"""Losses: the stated constants hold and are attained, floats are as good as stated, and lies are refused."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from privior import proved_floats
from privior.errors import ModelError
from privior.models.loss_checks import check_loss
from privior.models.loss_kinds import (
    HuberLoss,
    LogisticLoss,
    PoissonLoss,
    SmoothHingeLoss,
    SmoothQuantileLoss,
)
from privior.models.losses import Loss, to_loss

Floats = NDArray[np.float64]
KINDS = [
    LogisticLoss(),
    HuberLoss("0.4"),
    SmoothHingeLoss("0.3"),
    SmoothQuantileLoss("0.3", "0.2"),
    PoissonLoss(2, 1),
]


def test_functions_of_floats_are_as_good_as_stated() -> None:
    """Against 40 digits; not merely within the bound, but not far below it either."""
    generator = np.random.default_rng(1)
    t = np.concatenate([generator.uniform(-44, 44, 300), generator.normal(size=300) * 3])
    t = np.concatenate([t, [0.0, -40.0, 40.0, 1 / 32, 3 / 32]])
    with mp.workdps(40):
        for x in t.tolist():
            point, inside = np.array([x]), np.array([min(max(x, -40), 40)])
            plus, share, grown = mp.log1p(mp.e**x), 1 / (1 + mp.e ** (-x)), mp.e ** float(inside[0])
            assert abs(mp.mpf(float(proved_floats.softplus(point)[0])) - plus) <= proved_floats.ERROR * (
                1 + plus
            )
            assert abs(float(proved_floats.logistic(point)[0]) - share) <= proved_floats.LOGISTIC_ERROR
            assert abs(float(proved_floats.exponential(inside)[0]) - grown) <= proved_floats.ERROR * grown
        for s in (1e-9, 1e-3, 0.3, 0.5, 0.6, 2.0, 10.0, 50.0, 1e4):
            exact = (mp.e ** (-mp.mpf(s)) + s - 1) / mp.mpf(s) ** 2
            assert 0.9997 * exact <= float(proved_floats.bregman_share(np.array([s]))[0]) <= exact


@pytest.mark.parametrize("loss", KINDS, ids=lambda loss: loss.name)
def test_constants_hold_and_are_attained(loss: Loss) -> None:
    """By finite differences on a fine grid: never above, and within a part of what is stated."""
    check_loss(loss)
    reach = 6.0 if loss.reach is None else float(loss.reach)
    u = np.linspace(-reach, reach, 2001)
    step = 1e-3
    slopes, bends = [], []
    for y in (-1.0, 1.0) if loss.of_levels else (-1.0, 0.0, 0.5, 1.0):
        if loss.as_they_are and y < 0:
            continue
        at = np.full_like(u, y)
        ahead, here, behind = (loss.value(u + move, at) for move in (step, 0.0, -step))
        inside = slice(2, -2)
        slopes.append(np.abs(ahead - behind)[inside] / (2 * step))
        bends.append((ahead - 2 * here + behind)[inside] / step**2)
        np.testing.assert_allclose(
            loss.derivative(u, at)[inside], ((ahead - behind) / (2 * step))[inside], atol=2e-3
        )
    slope, most, least = max(map(np.max, slopes)), max(map(np.max, bends)), min(map(np.min, bends))
    assert slope <= float(loss.slope) * (1 + 1e-6)
    assert slope >= float(loss.slope) * 0.98
    assert most <= float(loss.smoothness) * (1 + 1e-3)
    assert most >= float(loss.smoothness) * 0.95
    assert least >= float(loss.convexity) - 1e-4 * (1 + float(loss.smoothness))


@pytest.mark.parametrize("loss", KINDS, ids=lambda loss: loss.name)
def test_losses_bend_no_less_than_stated(loss: Loss) -> None:
    """`least_bend` bounds the Bregman divergence over all steps up to `away`, and is not idle."""
    generator = np.random.default_rng(4)
    reach = 3.0 if loss.reach is None else float(loss.reach)
    u = generator.uniform(-reach, reach, 4000)
    y = generator.choice([-1.0, 1.0], 4000) if loss.of_levels else generator.uniform(0, 1, 4000)
    away = generator.uniform(0.05, 3, 4000)
    step = away * generator.uniform(-1, 1, 4000)
    step = np.clip(u + step, -reach, reach) - u if loss.reach else step
    gap = loss.value(u + step, y) - loss.value(u, y) - step * loss.derivative(u, y)
    least = loss.least_bend(u, y, away) * step**2
    assert (gap >= least - 1e-13).all()
    assert least.max() > 0.1 * gap.max()


@pytest.mark.parametrize("width", ["0.001", "0.3", "40"])
def test_bends_of_narrow_losses_are_as_good_as_stated(width: str) -> None:
    """Against 40 digits: the error grows as the width falls, and so does what is stated; not idly."""
    worst = 0.0
    for loss in (SmoothHingeLoss(width), SmoothQuantileLoss("0.3", width)):
        t = np.random.default_rng(7).uniform(-6, 6, 400)
        u, y = (1 - t * float(width), 1.0) if loss.of_levels else (0.25 + t * float(width), 0.25)
        found = loss.bend(u, np.full_like(u, y))
        with mp.workdps(40):
            w = mp.mpf(loss.width.numerator) / loss.width.denominator
            for x, bend in zip(u.tolist(), found.tolist(), strict=True):
                s = 1 / (1 + mp.exp(-((1 - mp.mpf(x)) if loss.of_levels else (mp.mpf(x) - mp.mpf(y))) / w))
                worst = max(worst, float(abs(mp.mpf(bend) - s * (1 - s) / w)) / loss.bend_error)
    assert 0.005 < worst <= 1


@dataclass(frozen=True)
class Declared(Loss):
    """log cosh, by somebody else: slope 1, smoothness 1, concordance 2."""

    name: ClassVar[str] = "log-cosh-of-a-test"
    slope: Fraction = Fraction(1)
    smoothness: Fraction = Fraction(1)
    convexity: Fraction = Fraction(0)
    concordance: Fraction | None = Fraction(2)

    def value(self, u: Floats, y: Floats) -> Floats:
        return np.asarray(np.logaddexp(u - y, y - u) - np.log(2))

    def derivative(self, u: Floats, y: Floats) -> Floats:
        return np.tanh(u - y)

    def bend(self, u: Floats, y: Floats) -> Floats:
        return 1 - np.tanh(u - y) ** 2


def test_somebody_elses_constants_are_tried() -> None:
    check_loss(Declared())
    for name, lie in (
        ("slope", {"slope": Fraction(1, 2)}),
        ("smoothness", {"smoothness": Fraction(1, 2)}),
        ("convexity", {"convexity": Fraction(1, 10)}),
        ("concordance", {"concordance": Fraction(1, 4)}),
    ):
        with pytest.raises(ModelError, match="does not hold") as refused:
            check_loss(Declared(**lie))
        assert name in str(refused.value)
        assert "u = " in str(refused.value)
    with pytest.raises(ModelError, match="not registered"):
        to_loss(Declared())


def test_losses_are_written_and_read() -> None:
    for loss in KINDS:
        assert to_loss(loss.to_document()) == loss
        assert loss.name in str(loss)
    assert to_loss("logistic") == LogisticLoss()
    for wrong in ("no-such-loss", {"loss": "huber"}, {"loss": "logistic", "width": 1}, 3):
        with pytest.raises(ModelError):
            to_loss(wrong)
    for bad in (lambda: HuberLoss(0), lambda: SmoothQuantileLoss(1, 1), lambda: PoissonLoss(9)):
        with pytest.raises(ModelError):
            bad()
