"""Normalisers of conjugate laws in floating point, many at once: for inference, never for draws."""

from __future__ import annotations

import math

import numpy as np

from privior.models.laws.conjugate import Conjugate, Ends, Floats
from privior.special import betainc, betaln, gammainc, gammaincc, gammaln, ndtr

#: points on which a small mass is summed, and how many masses at a time, so that all of it stays in caches
_POINTS, _TOGETHER = 4001, 32


def log_normaliser(kind: type[Conjugate], first: Floats, second: Floats, ends: Ends) -> Floats:
    """Return the log of the integral of the density, written without constant, between two ends.

    Args:
        kind: which law
        first: its first parameter, one for each integral
        second: its second parameter (of a Normal law: the variance)
        ends: where the parameter lies; None for no end but the law's own
    """
    low, high = (None if end is None else float(end) for end in ends)
    match kind.name:
        case "beta":
            whole = betaln(first, second)
        case "gamma":
            whole = gammaln(first) - first * np.log(second)
        case _:
            whole = np.log(2 * math.pi * second) / 2
    first_end, last_end = (None if end is None else float(end) for end in kind.support)
    if (low is None or low == first_end) and (high is None or high == last_end):
        return np.asarray(whole)
    share = _share(kind, first, second, low, high)
    with np.errstate(divide="ignore"):
        found = whole + np.log(share)
    small = share < 1e-8  # digits were lost in a difference of two nearly equal numbers
    if small.any():
        places = np.flatnonzero(small)
        for start in range(0, places.size, _TOGETHER):
            some = places[start : start + _TOGETHER]
            found[some] = _summed(kind, first[some], second[some], low, high)
    return np.asarray(found)


def _share(
    kind: type[Conjugate], first: Floats, second: Floats, low: float | None, high: float | None
) -> Floats:
    """Return the share of the law between the ends."""
    if low is not None and high is None:  # the upper tail itself, with all its digits
        if kind.name == "gamma":
            return np.asarray(gammaincc(first, second * max(low, 0.0)))
        return np.asarray(ndtr((first - low) / np.sqrt(second)))

    def below(point: float | None, otherwise: float) -> Floats:
        if point is None:
            return np.full(first.shape, otherwise)
        match kind.name:
            case "beta":
                return np.asarray(betainc(first, second, min(max(point, 0.0), 1.0)))
            case "gamma":
                return np.asarray(gammainc(first, second * max(point, 0.0)))
            case _:
                return np.asarray(ndtr((point - first) / np.sqrt(second)))

    return below(high, 1.0) - below(low, 0.0)


def _summed(
    kind: type[Conjugate], first: Floats, second: Floats, low: float | None, high: float | None
) -> Floats:
    """Sum the density on a grid that is finer towards both ends, in logs: the mass lies at one of them."""
    u = np.linspace(-18.0, 18.0, _POINTS)
    inner = 1 / (1 + np.exp(-u))
    lows, widths = _between(kind, first, second, low, high)
    points = lows + widths * inner
    steps = np.log(widths * inner * (1 - inner) * (u[1] - u[0]))
    match kind.name:
        case "beta":
            logs = (first[:, None] - 1) * np.log(points) + (second[:, None] - 1) * np.log1p(-points)
        case "gamma":
            logs = (first[:, None] - 1) * np.log(points) - second[:, None] * points
        case _:
            logs = -((points - first[:, None]) ** 2) / (2 * second[:, None])
    logs += steps
    most = logs.max(axis=1, keepdims=True)
    most[np.isneginf(most)] = 0.0
    logs -= most
    with np.errstate(divide="ignore"):
        return np.asarray(most[:, 0] + np.log(np.exp(logs, out=logs).sum(axis=1)))


def _between(
    kind: type[Conjugate], first: Floats, second: Floats, low: float | None, high: float | None
) -> tuple[Floats, Floats]:
    """Return where to begin and how far to go, for each law, or the same for all.

    A tail beyond one end, of a share so small that the end is far out: the log density falls there at a rate
    that is never below s, so that beyond 45 / s less than e^-45 of the tail is left.
    """
    if low is not None and high is not None:
        return np.full((1, 1), low), np.full((1, 1), high - low)
    end = low if low is not None else high
    if end is None:
        raise ValueError("a law without ends is not small")
    if kind.name == "gamma":
        rates = second - np.maximum(first - 1, 0.0) / end
    else:
        rates = np.abs(end - first) / second
    widths = (45 / rates)[:, None]
    return (np.full_like(widths, end) if low is not None else end - widths), widths
