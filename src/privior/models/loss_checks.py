"""Trying the constants that somebody declares of a loss, at public points; a violated one is refused.

Privior's own losses are proved (`loss_kinds`); of somebody else's nothing is, and the guarantee rests on
what it declares. `check_loss` tries the loss as it was written, at points of a fixed rule: wherever a model
is made or read. `check_in_units` tries what a guarantee is computed from, the loss in the units of a
column: at the column's own targets, out to where the design and the ball let predictors be, at points of a
fixed rule and at fresh random ones, before a plan.

**What this finds, and what not.** Of up to `_MOST_TARGETS` possible targets every one is tried, so that no
column with so few has a target at which a slope is larger at each predictor. Of more, both ends are tried and
as many random ones: what holds for a share p of them is missed with probability (1 - p)^`_MOST_TARGETS` at
most. Between two neighbouring predictors the mean slope is compared as well, and how far the loss rises
between them with the slopes at both; of a convex loss slopes are largest at the ends, which are tried. What
is wrong for so few targets of a long column, or in a stretch of predictors too short to be hit or to move
these means, or beyond the predictors that are tried where no ball bounds them, is not found.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from privior.arrays import Floats, Integers
from privior.errors import ModelError
from privior.exact import decimal
from privior.models.losses import Loss
from privior.randomness import Bits

#: points that a loss is tried at as it was written, and how far predictors reach there
_TRIED, _FAR = 400, 8.0
#: in the units of a column: so many targets, places of the rule, and random predictors, of all targets
#: together and of each at least
_MOST_TARGETS, _RULED, _RANDOM, _EACH = 1000, 17, 1024, 16
#: what values may be wrong by, a part of 1 + |value| + |u| + |y|, whatever the loss says of itself
_NOISE = 2.0**-46


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


def check_in_units(
    loss: Loss, values: int, targets: Callable[[Integers], Floats], far: float, bits: Bits
) -> None:
    """Try the constants of a loss in the units of a column, which a guarantee is computed from.

    Args:
        loss: in these units
        values: how many the column may have
        targets: what draws make of the places of values
        far: how far predictors are tried
        bits: of the system, for points that nobody foresees
    """
    u, y = _around(targets(_some(values, bits)), far, bits)
    value = _tried(loss, loss.value, u.shape)
    step = min(1e-4, far / 100)
    inside = np.clip(u, 2 * step - far, far - 2 * step)
    ahead, here, behind = (value(inside + move, y) for move in (step, 0.0, -step))
    derivative = _tried(loss, loss.derivative, u.shape)
    left, at, right = (derivative(inside + move, y) for move in (-step, 0.0, step))
    slope, smooth, convex = float(loss.slope), float(loss.smoothness), float(loss.convexity)
    noise = _NOISE * (1 + np.abs(here) + np.abs(inside) + np.abs(y))
    wide = (inside + step) - (inside - step)
    slopes, bends = (ahead - behind) / wide, (right - left) / wide
    tight, bent = 1e-6 * (1 + slope), 1e-3 * (1 + smooth) + 4 * _NOISE * (1 + slope) / step
    # from each predictor to the next: by the mean slope, and by the slope at the first one
    gap = np.diff(inside, axis=1)
    rise, beside = np.diff(here, axis=1), noise[:, 1:] + noise[:, :-1]
    beyond, spare = rise - gap * at[:, :-1], beside + 2 * tight * gap
    for what, name, wrong in (
        ("the slope is larger than declared", "slope", np.abs(slopes) > slope + tight + 4 * noise / step),
        ("the slope is larger than declared", "slope", np.abs(rise) > (slope + tight) * gap + beside),
        (
            "the derivative is not that of the loss",
            "derivative",
            np.abs(at - slopes) > smooth * step + tight + 4 * noise / step,
        ),
        ("the loss bends more than declared", "smoothness", bends > smooth + bent),
        ("the loss bends more than declared", "smoothness", beyond > smooth * gap**2 / 2 + spare),
        ("the loss bends less than declared", "convexity", bends < convex - bent),
        ("the loss bends less than declared", "convexity", beyond < convex * gap**2 / 2 - spare),
    ):
        _refuse(loss, what, name, wrong, inside, y)
    varied = np.ptp(here, axis=1, keepdims=True) > float(loss.varies(Fraction(far))) * (1 + 1e-9) + 2 * noise
    _refuse(loss, "the loss varies more than declared", "varies", varied, inside, y)
    for away in (0.1, 1.0, 3.0) if loss.samplable else ():
        for side in (-1, 1):
            held = (np.abs(u + side * away) <= far) | (loss.reach is None)
            moved = value(u + side * away * held, y) - value(u, y) - side * away * derivative(u, y)
            least = _tried(loss, partial(_least, loss, away), u.shape)(u, y) * away**2
            wrong = held & (moved < least - 1e-6 * (1 + np.abs(here)))
            _refuse(loss, "it bends off faster than declared", "concordance", wrong, u, y)
    _check_tails(loss, far, y)
    low, high = loss.targets
    outside = np.broadcast_to((y < low) | (y > high), u.shape)
    _refuse(loss, "the column has other targets than declared", "targets", outside, u, y)


def _some(values: int, bits: Bits) -> Integers:
    """Return the places of all values of a column, or of both ends and of random ones."""
    if values <= _MOST_TARGETS:
        return np.arange(values)
    return np.append([0, values - 1], [bits.below(values) for _ in range(_MOST_TARGETS - 2)])


def _around(y: Floats, far: float, bits: Bits) -> tuple[Floats, Floats]:
    """Return predictors from small to large, one row for each target, and the targets as a column.

    Evenly and at random from end to end, near 0 and near the target.
    """
    near, column = min(_FAR, far), y[:, None]
    ruled = np.linspace(-1, 1, _RULED)
    each = max(_EACH, _RANDOM // len(y))
    random = 2 * _uniform(3 * each * len(y), bits).reshape(3, len(y), each) - 1
    shared = np.broadcast_to(np.concatenate([far * ruled, near * ruled]), (len(y), 2 * _RULED))
    parts = [shared, column + near * ruled, far * random[0], near * random[1], column + near * random[2]]
    return np.sort(np.clip(np.concatenate(parts, axis=1), -far, far), axis=1), column


def _uniform(count: int, bits: Bits) -> Floats:
    """Return numbers of [0, 1)."""
    whole = np.frombuffer(bits.bits(64 * count).to_bytes(8 * count, "little"), np.uint64)
    return np.asarray((whole >> np.uint64(11)) * 2.0**-53)


def _tried(
    loss: Loss, function: Callable[[Floats, Floats], Floats], shape: tuple[int, ...]
) -> Callable[[Floats, Floats], Floats]:
    """Return what takes a table of predictors and a column of targets, and refuses what is no number."""

    def numbers(u: Floats, y: Floats) -> Floats:
        with np.errstate(all="ignore"):
            found = function(u.ravel(), np.broadcast_to(y, shape).ravel())
        table = np.asarray(found, np.float64).reshape(shape)
        _refuse(loss, "the loss is not a number everywhere", "value", ~np.isfinite(table), u, y)
        return table

    return numbers


def _least(loss: Loss, away: float, u: Floats, y: Floats) -> Floats:
    return loss.least_bend(u, y, np.full_like(u, away))


def _refuse(loss: Loss, what: str, constant: str, wrong: NDArray[np.bool_], u: Floats, y: Floats) -> None:
    """Refuse a constant with the first point at which it is wrong."""
    if wrong.any():
        row, place = divmod(int(np.argmax(wrong)), wrong.shape[1])
        raise _violated(loss, what, constant, u[row], y[row], place)


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
