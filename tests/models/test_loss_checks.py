"""What somebody declares of a loss is tried in the units of the column, out to where weights reach."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np
import pytest

import privior as pv
from privior.errors import ModelError
from privior.extend import LOSSES, Loss
from privior.models import PoissonLoss
from privior.models.loss_checks import check_in_units
from privior.randomness import Bits


@dataclass(frozen=True)
class SomeLogCosh(Loss):
    """k (log cosh(u - y)), k = 1 as it is written: slope 1, smoothness 1, concordance 2."""

    smoothness = Fraction(1)
    concordance = Fraction(2)
    slope = Fraction(1)

    def times(self, u: Any, y: Any) -> Any:
        """How steep it is."""
        return np.ones_like(u)

    def value(self, u: Any, y: Any) -> Any:
        """The loss."""
        return self.times(u, y) * (np.logaddexp(u - y, y - u) - np.log(2))

    def derivative(self, u: Any, y: Any) -> Any:
        """Its derivative."""
        return self.times(u, y) * np.tanh(u - y)

    def bend(self, u: Any, y: Any) -> Any:
        """Its second derivative."""
        return self.times(u, y) * (1 - np.tanh(u - y) ** 2)


@final
@LOSSES.register
@dataclass(frozen=True)
class HonestLogCosh(SomeLogCosh):
    """As declared."""

    name: ClassVar[str] = "honest-log-cosh"


@final
@LOSSES.register
@dataclass(frozen=True)
class SteepInUnits(SomeLogCosh):
    """Ten times as steep, in the units of a column, as it says."""

    steepness: int = 1
    name: ClassVar[str] = "steep-in-units"

    def times(self, u: Any, y: Any) -> Any:
        """As scaled."""
        return np.full_like(u, self.steepness)

    def scaled(self, half: Fraction, least: Fraction, most: Fraction) -> SteepInUnits:
        """Another loss, with the same constants."""
        return SteepInUnits(10)


@final
@LOSSES.register
@dataclass(frozen=True)
class SteepWhereTargetsAreLarge(Loss):
    """max(y, 1) log(1 + e^u): slope 1 for the targets that it is tried at as it is written."""

    name: ClassVar[str] = "steep-where-targets-are-large"
    as_they_are: ClassVar[bool] = True
    slope = Fraction(2)
    smoothness = Fraction(2)
    concordance = Fraction(1)

    def value(self, u: Any, y: Any) -> Any:
        """A softplus, times the target where that is large."""
        return np.maximum(y, 1) * np.logaddexp(0, u)

    def derivative(self, u: Any, y: Any) -> Any:
        """Its derivative."""
        return np.maximum(y, 1) / (1 + np.exp(-u))

    def bend(self, u: Any, y: Any) -> Any:
        """Its second derivative."""
        share = 1 / (1 + np.exp(-u))
        return np.maximum(y, 1) * share * (1 - share)


@final
@LOSSES.register
@dataclass(frozen=True)
class SteepForFewTargets(SomeLogCosh):
    """Five times as steep for targets within a stretch of [-1, 1] that a lattice of targets may miss."""

    low: float = 0.3
    high: float = 0.301
    name: ClassVar[str] = "steep-for-few-targets"

    def times(self, u: Any, y: Any) -> Any:
        """5 within the stretch."""
        return np.where((y > self.low) & (y < self.high), 5.0, 1.0)


def schema(most: int) -> pv.Schema:
    return pv.Schema(
        {"y": pv.Integer(0, most), "z": pv.Boolean(missing=False), "x": pv.Boolean()},
        population="p",
        unit="person",
    )


def planned(loss: Loss, most: int = 1000, **more: Any) -> pv.GibbsDraws:
    return pv.GibbsDraws(pv.GibbsPosterior(loss, "y ~ x", **more), schema(most), 20, 1, "1e-5")


def test_an_honest_loss_passes_without_a_ball_and_in_every_ball() -> None:
    planned(HonestLogCosh())
    for radius in ("1/2", 1):
        planned(HonestLogCosh(), radius=radius)


def test_a_loss_that_is_steeper_in_the_units_of_the_column_is_refused() -> None:
    with pytest.raises(ModelError, match="does not hold") as refused:
        planned(SteepInUnits())
    assert "slope 1" in str(refused.value)
    assert "u = " in str(refused.value)


def test_a_loss_that_is_steeper_for_targets_of_the_column_is_refused() -> None:
    """As it is written it is tried for targets from -1 to 1; the column has 1000, where the slope is 1000."""
    with pytest.raises(ModelError, match="does not hold") as refused:
        planned(SteepWhereTargetsAreLarge())
    assert "slope 2" in str(refused.value)
    planned(HonestLogCosh(), 3)


def test_every_target_of_a_short_column_is_tried() -> None:
    """.3013 is one of the 1000 targets of a column that ends at 999, the only wrong one; none of 201 is."""
    planned(SteepForFewTargets(0.3012, 0.3015), 200)
    for _ in range(10):
        with pytest.raises(ModelError, match="slope 1"):
            planned(SteepForFewTargets(0.3012, 0.3015), 999)


def test_few_targets_of_a_long_column_are_found_by_random_ones() -> None:
    """2% of a million targets: 998 random ones miss them with probability .98^998 < 2e-9."""
    with pytest.raises(ModelError, match="slope 1"):
        planned(SteepForFewTargets(0.3, 0.34), 999_999)


def test_what_was_released_is_never_refused_by_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Plans are tried where they are made, at other points each time; reading one tries no random point."""
    made = planned(HonestLogCosh())
    document = {"temperature": made.temperature, "precision": made.precision, "epsilon": 1, "delta": "1e-5"}
    monkeypatch.setattr("privior.mechanisms.regression.gibbs_draws.check_in_units", refuse)
    with pytest.raises(AssertionError, match="tried"):
        planned(HonestLogCosh())
    read = pv.GibbsDraws.from_entries({**document, "records": 20}, made.model, made.schema)
    assert read == made


def refuse(*_: object) -> None:
    raise AssertionError("tried")


@dataclass(frozen=True)
class Lying(SomeLogCosh):
    """One constant is not what it is declared to be."""

    name: ClassVar[str] = "lying"
    claimed: str = ""
    says: Fraction | None = None

    def __getattribute__(self, name: str) -> Any:
        """The constant, as claimed."""
        if name not in ("claimed", "says") and name == object.__getattribute__(self, "claimed"):
            return object.__getattribute__(self, "says")
        return object.__getattribute__(self, name)


def numbers(places: Any) -> Any:
    return places / 10 - 1


@pytest.mark.parametrize(
    ("claimed", "says"),
    [
        ("slope", Fraction(99, 100)),
        ("smoothness", Fraction(9, 10)),
        ("convexity", Fraction(1, 100)),
        ("concordance", Fraction(1, 4)),
        ("targets", (-1.0, 0.5)),
        ("varies", lambda reach: reach),
        ("derivative", lambda u, y: np.tanh(u - y) * 0.99),
        ("value", lambda u, y: np.log(np.cosh(1000 * (u - y))) / 1000),
    ],
)
def test_each_constant_is_tried(claimed: str, says: Any) -> None:
    check_in_units(HonestLogCosh(), 21, numbers, 8.0, Bits())
    with pytest.raises(ModelError) as refused:
        check_in_units(Lying(claimed, says), 21, numbers, 8.0, Bits())
    assert claimed in str(refused.value)


@pytest.mark.parametrize(
    "loss",
    [
        pv.LogisticLoss(),
        pv.HuberLoss("0.1"),
        pv.SmoothHingeLoss("0.05"),
        pv.SmoothQuantileLoss("0.9", "0.05"),
        PoissonLoss(2, 20),
    ],
    ids=str,
)
def test_proved_constants_pass(loss: Loss) -> None:
    """Also of losses that are sharp or have a kink: what is refused is wrong."""

    def targets(places: Any) -> Any:
        low, high = loss.targets
        return low + (high - low) * (places if loss.of_levels else places / 20)

    for far in (2.0,) if loss.reach else (0.003, 1.0, 8.0, 5000.0):
        check_in_units(loss, 2 if loss.of_levels else 21, targets, far, Bits())
