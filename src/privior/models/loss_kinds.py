"""Losses that privior proves the constants of: logistic, Huber, hinge and quantile smoothed, Poisson."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

import numpy as np

from privior.arrays import Floats
from privior.checks import fill
from privior.errors import ModelError, shown
from privior.exact import rational, round_up
from privior.models.losses import LOSSES, Loss
from privior.proved_floats import LOGISTIC_ERROR, exponential, logistic, softplus

#: more than what predictors may be off by, and than the rounding of a few operations
_WIDER = 1 + 2.0**-30
#: predictors of counts are kept within this: means from e^-8 to e^8
_MOST_PREDICTOR = 8


def _above_zero(said: object, name: str, kind: str, most: Fraction | int | None = None) -> Fraction:
    found = rational(said, name)
    if found <= 0 or (most is not None and found > most):
        allowed = "above 0" if most is None else f"above 0, up to {most}"
        raise ModelError(f"{name} is out of range", where=kind, asked=shown(said), allowed=allowed)
    return found


@final
@LOSSES.register
@dataclass(frozen=True)
class LogisticLoss(Loss):
    """log(1 + e^(-y u)), y = -1 or 1: minus the log likelihood of a logistic regression.

    The derivative is -y s, s = 1/(1 + e^(yu)) in (0, 1), so the slope is 1; the second one is s (1 - s), at
    most 1/4; the third is s (1 - s) (1 - 2s) up to its sign, at most the second: concordance 1. Both levels'
    losses lie between log(1 + e^-r) and log(1 + e^r) for |u| <= r, and reach both: each varies by r.
    """

    name: ClassVar[str] = "logistic"
    of_levels: ClassVar[bool] = True
    slope = Fraction(1)
    smoothness = Fraction(1, 4)
    concordance = Fraction(1)
    derivative_error: ClassVar[float] = LOGISTIC_ERROR

    def value(self, u: Floats, y: Floats) -> Floats:
        """Return log(1 + e^(-yu)), by a table with a proved error."""
        return softplus(-y * u)

    def derivative(self, u: Floats, y: Floats) -> Floats:
        """-y / (1 + e^(yu))."""
        return -y * logistic(-y * u)

    def bend(self, u: Floats, y: Floats) -> Floats:
        """Return the second derivative s (1 - s), s the logistic function."""
        share = logistic(u)
        return np.asarray(share * (1 - share))

    def enclosed(self, u: Any, y: float) -> Any:
        """Enclose log(1 + e^(-yu))."""
        return (-u * int(y)).exp().log1p()

    def chance(self, u: Floats) -> Floats:
        """1 / (1 + e^-u)."""
        return logistic(u)

    def varies(self, reach: Fraction) -> Fraction:
        """Bound the range of one loss by the reach, see above."""
        return reach


@final
@LOSSES.register
@dataclass(frozen=True)
class HuberLoss(Loss):
    """(u - y)^2 / 2 up to a threshold k, and k |u - y| - k^2 / 2 beyond it: outliers pull no harder.

    The derivative is u - y, cut to [-k, k]: slope k. The second one is 1 or 0: smoothness 1, no concordance.
    With e = k - |u - y| > 0 left to the kink, loss(u+v) - loss(u) - v loss'(u) is v^2/2 for |v| <= e, and at
    least what it is when u + v goes on beyond the nearer kink, e |v| - e^2/2, for larger ones; over v^2 that
    falls in |v|, so that exact draws by shells are possible. Beyond the kink the bound is 0.

    Attributes:
        threshold: k, in the units of the target
    """

    threshold: Fraction
    name: ClassVar[str] = "huber"
    smoothness = Fraction(1)
    samplable = True

    def __init__(self, threshold: object) -> None:
        fill(self, threshold=_above_zero(threshold, "threshold", self.name))

    @property
    def slope(self) -> Fraction:
        """The largest absolute derivative: the threshold."""
        return self.threshold

    def scaled(self, half: Fraction, least: Fraction, most: Fraction) -> HuberLoss:
        """The threshold in units of half the range."""
        return HuberLoss(self.threshold / half)

    def value(self, u: Floats, y: Floats) -> Floats:
        """Return the loss, a square near 0 and a line beyond the threshold."""
        k, away = float(self.threshold), np.abs(u - y)
        return np.where(away <= k, away**2 / 2, k * away - k * k / 2)

    def derivative(self, u: Floats, y: Floats) -> Floats:
        """Return the residual, cut at the threshold."""
        k = float(self.threshold)
        return np.clip(u - y, -k, k)

    def bend(self, u: Floats, y: Floats) -> Floats:
        """Return the second derivative: 1 near 0, and 0 beyond the threshold."""
        return (np.abs(u - y) <= float(self.threshold)).astype(np.float64)

    def mean(self, u: Floats) -> Floats:
        """The predictor, if errors are symmetric."""
        return u

    def least_bend(self, u: Floats, y: Floats, away: Floats) -> Floats:
        """See above; the distance to the kink is taken a little smaller than floats have it."""
        left = np.maximum(0.0, float(self.threshold) - np.abs(u - y) * _WIDER - (_WIDER - 1))
        part = left / np.maximum(np.maximum(away * _WIDER, left), 1e-300)
        return (part - part**2 / 2) / _WIDER

    def enclosed(self, u: Any, y: float) -> Any:
        """The residual's length, less what is beyond the threshold: (a^2 - (a-k)_+^2) / 2."""
        k, away = type(u)(self.threshold.numerator) / self.threshold.denominator, abs(u - y)
        beyond = away - k
        over = (
            beyond.nonnegative_part() if hasattr(beyond, "nonnegative_part") else (beyond + abs(beyond)) / 2
        )
        return (away**2 - over**2) / 2


class SoftplusLoss(Loss):
    """A loss that is a line but for w log(1 + e^(t/w)), w its width: the largest second derivative is 1/(4w).

    In floats the second derivative s (1 - s) / w is wrong by at most 2^-44 / w. t, as `SmoothHingeLoss` and
    `SmoothQuantileLoss` have it, is wrong by a part of 4 2^-53 of itself, w as a float included, which moves
    s (1 - s) by less than 2^-53 as |t s'(t)| and its like are below 1/4; s is wrong by 2^-46 at most,
    s (1 - s) by |1 - 2s| times that and its square; the rest are three roundings of numbers up to 1/4.
    Together that is below 2^-45, and divided by w.
    """

    width: Fraction

    @property
    def smoothness(self) -> Fraction:
        """The largest second derivative: 1/(4w)."""
        return 1 / (4 * self.width)

    @property
    def concordance(self) -> Fraction:  # type: ignore[override]
        """The bound 1/w of the third derivative, relative to the second."""
        return 1 / self.width

    @property
    def bend_error(self) -> float:  # type: ignore[override]
        """The error of `bend` in floats: 2^-44 / w, see above."""
        return 2.0**-44 / float(self.width)


@final
@LOSSES.register
@dataclass(frozen=True)
class SmoothHingeLoss(SoftplusLoss):
    """w log(1 + e^((1 - y u)/w)), y = -1 or 1: the hinge of support vector machines, smooth over a width w.

    A softplus in units of w: the slope is 1, the second derivative at most 1/(4w), concordance 1/w; t =
    (1 - y u)/w. The hinge itself is below it by w log 2 at most.

    Attributes:
        width: w
    """

    width: Fraction
    name: ClassVar[str] = "smooth-hinge"
    of_levels: ClassVar[bool] = True
    slope = Fraction(1)

    def __init__(self, width: object = "0.5") -> None:
        found = _above_zero(width, "width", self.name)
        fill(self, width=found)

    def _units(self, u: Floats, y: Floats) -> Floats:
        return np.asarray((1 - y * u) / float(self.width))

    def value(self, u: Floats, y: Floats) -> Floats:
        """Return w log(1 + e^((1 - yu) / w)), by a table with a proved error."""
        return float(self.width) * softplus(self._units(u, y))

    def derivative(self, u: Floats, y: Floats) -> Floats:
        """-y times a logistic function."""
        return -y * logistic(self._units(u, y))

    def bend(self, u: Floats, y: Floats) -> Floats:
        """s (1 - s) / w."""
        share = logistic(self._units(u, y))
        return np.asarray(share * (1 - share) / float(self.width))

    def enclosed(self, u: Any, y: float) -> Any:
        """Enclose w log(1 + e^((1 - yu) / w))."""
        w = type(u)(self.width.numerator) / self.width.denominator
        return w * ((1 - u * int(y)) / w).exp().log1p()


@final
@LOSSES.register
@dataclass(frozen=True)
class SmoothQuantileLoss(SoftplusLoss):
    """q r + w log(1 + e^(-r/w)), r = y - u: the check function of the q-quantile, smooth over a width w.

    The derivative in u is -q + s, s in (0, 1): slope max(q, 1 - q). The second one is s (1 - s) / w, at most
    1/(4w); concordance 1/w, as of any softplus; t = (u - y)/w.

    Attributes:
        share: q, the quantile
        width: w, in the units of the target
    """

    share: Fraction
    width: Fraction
    name: ClassVar[str] = "smooth-quantile"

    def __init__(self, share: object, width: object) -> None:
        found = _above_zero(share, "share", self.name)
        if found >= 1:
            raise ModelError("a quantile is between 0 and 1", where=self.name, asked=shown(share))
        fill(self, share=found, width=_above_zero(width, "width", self.name))

    @property
    def quantile(self) -> Fraction:  # type: ignore[override]
        """The share q of which the loss is about the quantile."""
        return self.share

    @property
    def slope(self) -> Fraction:
        """The larger of q and 1 - q."""
        return max(self.share, 1 - self.share)

    def scaled(self, half: Fraction, least: Fraction, most: Fraction) -> SmoothQuantileLoss:
        """The width in units of half the range."""
        return SmoothQuantileLoss(self.share, self.width / half)

    def value(self, u: Floats, y: Floats) -> Floats:
        """Return the smoothed check loss, by a table with a proved error."""
        w = float(self.width)
        return float(self.share) * (y - u) + w * softplus((u - y) / w)

    def derivative(self, u: Floats, y: Floats) -> Floats:
        """Return -q + s, s the logistic function."""
        return logistic((u - y) / float(self.width)) - float(self.share)

    def bend(self, u: Floats, y: Floats) -> Floats:
        """s (1 - s) / w."""
        s = logistic((u - y) / float(self.width))
        return np.asarray(s * (1 - s) / float(self.width))

    def enclosed(self, u: Any, y: float) -> Any:
        """Enclose the smoothed check loss."""
        q, w = (type(u)(one.numerator) / one.denominator for one in (self.share, self.width))
        return q * (y - u) + w * ((u - y) / w).exp().log1p()


@final
@LOSSES.register
@dataclass(frozen=True)
class PoissonLoss(Loss):
    """e^u - y u, counts y in [0, Y], for |u| <= B: minus the log likelihood of a Poisson regression.

    Parameters are kept in a ball in which no predictor exceeds B. There the derivative e^u - y lies between
    e^-B - Y and e^B: slope max(e^B, Y - e^-B). The second and the third one are e^u: smoothness e^B,
    convexity e^-B, concordance 1. Over |u| <= B the loss of one count varies by slope * 2 B at most.

    Attributes:
        bound: B
        most: Y; from the column if it is not said
    """

    bound: Fraction
    most: Fraction | None
    name: ClassVar[str] = "poisson"
    as_they_are: ClassVar[bool] = True
    concordance = Fraction(1)
    value_error: ClassVar[float] = 2.0**-44  # e^8 is known within 2^-38
    derivative_error: ClassVar[float] = 2.0**-36
    bend_error: ClassVar[float] = 2.0**-36

    def __init__(self, bound: object = 3, most: object = None) -> None:
        found = _above_zero(bound, "bound", self.name, _MOST_PREDICTOR)
        fill(self, bound=found, most=None if most is None else _above_zero(most, "most", self.name))

    @property
    def reach(self) -> Fraction:  # type: ignore[override]
        """B: beyond it nothing is stated, and parameters are kept in a ball."""
        return self.bound

    @property
    def targets(self) -> tuple[float, float]:  # type: ignore[override]
        """Between which targets lie: 0 and Y."""
        return 0.0, float(self.most or 1)

    def _grown(self, sign: int) -> Fraction:
        """Return e^(sign B) as floats have it, rounded outwards."""
        found = Fraction(float(exponential(np.array([sign * round_up(self.bound)]))[0]))
        return found * (1 + sign * Fraction(1, 2**40))

    @property
    def slope(self) -> Fraction:
        """The larger of e^B and Y - e^-B."""
        return max(self._grown(1), (self.most or Fraction(1)) - self._grown(-1))

    @property
    def smoothness(self) -> Fraction:
        """The largest second derivative: e^B."""
        return self._grown(1)

    @property
    def convexity(self) -> Fraction:  # type: ignore[override]
        """The least second derivative: e^-B."""
        return self._grown(-1)

    def scaled(self, half: Fraction, least: Fraction, most: Fraction) -> PoissonLoss:
        """Counts are as they are; the largest one is the column's."""
        if least < 0:
            raise ModelError(
                "a Poisson regression is for counts", where=self.name, asked=f"values from {least}"
            )
        return PoissonLoss(self.bound, max(most, Fraction(1)))

    def value(self, u: Floats, y: Floats) -> Floats:
        """Return e^u - yu, by a table with a proved error."""
        return exponential(u) - y * u

    def derivative(self, u: Floats, y: Floats) -> Floats:
        """e^u - y."""
        return exponential(u) - y

    def mean(self, u: Floats) -> Floats:
        """e^u, within e^-B and e^B."""
        return exponential(np.clip(u, -float(self.bound), float(self.bound)))

    def bend(self, u: Floats, y: Floats) -> Floats:
        """Return the second derivative e^u."""
        return exponential(u)

    def enclosed(self, u: Any, y: float) -> Any:
        """Enclose e^u - yu."""
        return u.exp() - u * y
