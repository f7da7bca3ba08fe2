"""Losses of Gibbs posteriors: convex functions of a record's predictor u = a.theta and of its target y.

A loss states constants, as exact numbers, on which a guarantee rests:

    slope         |d loss / du| is at most this (Lipschitz)
    smoothness    the second derivative is at most this
    convexity     and at least this
    concordance   |third derivative| <= concordance * second derivative; None if there is no such number

all for |u| <= reach, or for every u if `reach` is None. With rows of length R at most, a loss is slope * R
-Lipschitz in theta. It also computes itself: in floats with a stated error, and in interval arithmetic.

Each constant of privior's own losses is proved in the class's docstring. Of somebody else's loss nothing is
proved: its constants are tried at public points (`loss_checks`), a violated one is refused, and the guarantee
is called declared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from privior.arrays import Floats
from privior.checks import plain_fields
from privior.errors import ModelError
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

    def varies(self, reach: Fraction) -> Fraction:
        """Bound the range of the loss of one target over |u| <= reach, its largest less its least value.

        Two targets' losses may be far apart and vary little: of pure releases only this counts.
        """
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
