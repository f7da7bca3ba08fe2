"""Losses of Gibbs posteriors: convex functions of a record's predictor u = a.theta and of its target y.

A loss states constants, as exact numbers, on which a guarantee rests:

    slope         |d loss / du| is at most this (Lipschitz)
    smoothness    the second derivative is at most this
    convexity     and at least this
    concordance   |third derivative| <= concordance * second derivative; None if there is no such number

all for |u| <= reach, or for every u if `reach` is None. With rows of length R at most, a loss is slope * R
-Lipschitz in theta. It also computes itself: in floats with a stated error, and in interval arithmetic.

Each constant of privior's own losses is proved in the class's docstring. Of somebody else's loss nothing is
proved: its constants are tried at random public points (`check_loss`), a violated one is refused, and the
guarantee is called declared.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privior.arrays import Floats
from privior.checks import plain_fields
from privior.errors import ModelError
from privior.exact import decimal
from privior.proved_floats import bregman_share
from privior.registry import Registry

#: bounds of floats are widened by this, more than the rounding of a few operations
_WIDER = 1 + 2.0**-30


class Loss(ABC):
    """A convex loss of a predictor and a target: a frozen value."""

    #: the name in files
    name: ClassVar[str]
    #: whether targets are two levels, as -1 and 1; else numbers
    of_levels: ClassVar[bool] = False
    #: whether targets are numbers as the column has them; else divided by half the length of its range
    as_they_are: ClassVar[bool] = False
    #: beyond which |u| nothing is stated; then parameters are kept in a ball
    reach: Fraction | None = None
    #: between which targets lie
    targets: tuple[float, float] = (-1.0, 1.0)
    #: the least value of the second derivative
    convexity: Fraction = Fraction(0)
    concordance: Fraction | None = None
    #: the errors of `value` (a part of 1 + |value| + |u| + |y|), `derivative` and `bend` in floats
    value_error: ClassVar[float] = 2.0**-48
    derivative_error: ClassVar[float] = 2.0**-44
    bend_error: ClassVar[float] = 2.0**-44

    @property
    @abstractmethod
    def slope(self) -> Fraction:
        """The largest absolute value of the derivative."""

    @property
    @abstractmethod
    def smoothness(self) -> Fraction:
        """The largest second derivative."""

    @abstractmethod
    def value(self, u: Floats, y: Floats) -> Floats:
        """Return the loss of each record."""

    @abstractmethod
    def derivative(self, u: Floats, y: Floats) -> Floats:
        """Return the derivatives in u."""

    @abstractmethod
    def bend(self, u: Floats, y: Floats) -> Floats:
        """Return the second derivatives in u."""

    def enclosed(self, u: Any, y: float) -> Any:
        """Return the loss at a ball of interval arithmetic; None if it cannot be enclosed."""
        return None

    def least_bend(self, u: Floats, y: Floats, away: Floats) -> Floats:
        """Return numbers not above (loss(u+v) - loss(u) - v loss'(u)) / v^2 for all |v| <= away.

        They hold also for predictors that are off by 2^-32 / max(1, C). By `bregman_share`, if the loss has a
        concordance C: v in units of 1/C. A bend next to u is smaller by a part of 2^-32 at most.
        """
        if self.concordance is None:
            return np.zeros_like(u)
        least = np.maximum(0.0, self.bend(u, y) - self.bend_error)
        return least * bregman_share(away * float(self.concordance) * _WIDER)

    @property
    def samplable(self) -> bool:
        """Whether exact draws by shells are possible: there is a lower bound of how it bends."""
        return self.concordance is not None

    def differ(self, reach: Fraction) -> Fraction:
        """Bound |loss(u, y) - loss(v, z)| for |u|, |v| <= reach and all targets: twice what one varies."""
        return 2 * self.varies(reach)

    def varies(self, reach: Fraction) -> Fraction:
        """Bound the range of the loss of one target over |u| <= reach."""
        return 2 * self.slope * reach

    # What a predictor says of the target; None if the loss does not tell

    #: which quantile of the target a predictor is, if it is one
    quantile: Fraction | None = None

    def chance(self, u: Floats) -> Floats | None:
        """Return the probability of the second level."""
        return None

    def mean(self, u: Floats) -> Floats | None:
        """Return the mean of the target, in the units of the loss."""
        return None

    def scaled(self, half: Fraction, least: Fraction, most: Fraction) -> Loss:
        """Return the loss for targets divided by `half`, of a column with values from `least` to `most`."""
        return self

    def to_document(self) -> dict[str, object]:
        """Write the name and the fields as plain values."""
        return {"loss": self.name, **plain_fields(self)}

    def __str__(self) -> str:
        said = ", ".join(f"{name} {value}" for name, value in plain_fields(self).items())
        return f"{self.name} ({said})" if said else self.name


LOSSES: Registry[type[Loss]] = Registry("loss", "loss", "name", ModelError, ("privior.models",))


def to_loss(said: object) -> Loss:
    """Read a loss as a value, a name, or as files have it."""
    if isinstance(said, Loss):
        if not LOSSES.has(type(said)):
            raise ModelError(
                "the loss is not registered, so that no file could name it",
                where=type(said).__name__,
                advice="Put @LOSSES.register on its class: docs/gibbs.md.",
            )
        return said
    entries: dict[str, Any] = {"loss": said} if isinstance(said, str) else {}
    if isinstance(said, Mapping):
        entries = {str(name): value for name, value in said.items()}
    kind = LOSSES.named(entries.pop("loss", None))
    try:
        return kind(**entries)
    except TypeError:
        known: list[str] = [one.name for one in fields(kind)] if is_dataclass(kind) else []
        raise ModelError(
            "missing or unknown entries",
            where=kind.name,
            asked=", ".join(entries) or "none",
            allowed=", ".join(known) or "none: the name alone",
        ) from None


#: points that somebody's loss is tried at, and how far predictors and targets reach there
_TRIED, _FAR = 400, 8.0


def check_loss(loss: Loss) -> None:
    """Try the declared constants of a loss at public points, and refuse what is violated.

    The points come from a fixed rule, never from data. Derivatives are compared with finite differences of
    the loss; then, as Theorem 5 of the paper on Gibbs posteriors has it, tails of the log density ratio of
    two records' posteriors of one parameter with those that the declared slope promises.
    """
    reach = _FAR if loss.reach is None else float(loss.reach)
    u, y = _points(reach, loss)
    step = 1e-4
    u = np.clip(u, -reach + 2 * step, reach - 2 * step)
    ahead, here, behind = (loss.value(u + move, y) for move in (step, 0.0, -step))
    if not all(np.isfinite(one).all() for one in (ahead, here, behind)):
        raise _violated(loss, "the loss is not a number everywhere", "value", u, y, 0)
    slopes, bends = (ahead - behind) / (2 * step), (ahead - 2 * here + behind) / step**2
    tight, wide = 1e-6 * (1 + float(loss.slope)), 1e-6 * (1 + float(loss.smoothness)) + 1e-6
    near = loss.smoothness * Fraction(1, 10**4) + Fraction(1, 10**6)
    for what, name, wrong in (
        ("the slope is larger than declared", "slope", np.abs(slopes) > float(loss.slope) + tight),
        ("the loss bends more than declared", "smoothness", bends > float(loss.smoothness) + 1e3 * wide),
        ("the loss bends less than declared", "convexity", bends < float(loss.convexity) - 1e3 * wide),
        (
            "the derivative is not that of the loss",
            "derivative",
            np.abs(loss.derivative(u, y) - slopes) > float(near) + tight,
        ),
    ):
        if wrong.any():
            raise _violated(loss, what, name, u, y, int(np.argmax(wrong)))
    if loss.concordance is not None:
        for away in (0.1, 1.0, 3.0):
            for side in (-1, 1):
                inside = np.abs(u + side * away) <= reach
                moved = loss.value(u + side * away, y) - here - side * away * loss.derivative(u, y)
                least = loss.least_bend(u, y, np.full_like(u, away)) * away**2
                wrong = inside & (moved < least - 1e-6 * (1 + np.abs(here)))
                if wrong.any():
                    raise _violated(
                        loss, "it bends off faster than declared", "concordance", u, y, int(np.argmax(wrong))
                    )
    _check_tails(loss, reach, y)


def _check_tails(loss: Loss, reach: float, y: Floats) -> None:
    """Compare tails of two posteriors of one parameter, prior Normal(0, 1), with what the slope promises.

    Theorem 5: delta is at most P[log ratio >= epsilon]; by Lipschitz losses that is at most
    exp(-(epsilon - mu^2/2)^2 / (2 mu^2)), mu = 2 beta slope, for epsilon above mu^2/2.
    """
    theta = np.linspace(-min(reach, 8.0), min(reach, 8.0), 4001)
    targets = [np.full_like(theta, one) for one in (float(y.min()), float(y.max()))]
    for beta in (0.25, 1.0):
        logs = []
        for one in targets:
            log = -beta * loss.value(theta, one) - theta**2 / 2
            logs.append(log - log.max() - math.log(float(np.exp(log - log.max()).sum())))
        ratio, mu = logs[0] - logs[1], 2 * beta * float(loss.slope)
        for epsilon in (mu**2 / 2 + mu, mu**2 / 2 + 2 * mu):
            tail = float(np.exp(logs[0])[ratio >= epsilon].sum())
            if tail > math.exp(-((epsilon - mu**2 / 2) ** 2) / (2 * mu**2)) + 1e-6:
                raise _violated(loss, "the tails are heavier than the slope allows", "slope", theta, y, 0)


def _points(reach: float, loss: Loss) -> tuple[Floats, Floats]:
    """Return predictors and targets that fill their square evenly: a rule, so that nothing is random."""
    golden = (np.arange(_TRIED) * 0.6180339887498949) % 1
    u = reach * (2 * (np.arange(_TRIED) + 0.5) / _TRIED - 1)
    low, high = loss.targets
    y = np.where(golden < 0.5, low, high) if loss.of_levels else low + (high - low) * golden
    return u, np.asarray(y, np.float64)


def _violated(loss: Loss, what: str, constant: str, u: Floats, y: Floats, place: int) -> ModelError:
    declared = getattr(loss, constant, None)
    return ModelError(
        f"a declared constant of the loss does not hold: {what}",
        where=loss.name,
        asked=f"{constant} {decimal(declared) if isinstance(declared, Fraction) else ''}".strip(),
        allowed=f"what holds at u = {float(u[place]):.4g}, y = {float(y[place % y.size]):.4g}",
        advice="Declare constants that hold for every predictor within `reach`.",
    )
