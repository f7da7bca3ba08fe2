"""OpenDP's noise, drawn by the thousand and handed out one by one: for tests of the law of many releases.

Each number is OpenDP's own, and used once; what is saved is asking for two or three at a time, which takes
far longer than drawing them. Not for tests of where noise comes from: forks would share what is left.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

_TOGETHER = 2000


def draw_in_bulk(patch: pytest.MonkeyPatch) -> None:
    """Let Laplace and Gaussian noise of each scale be drawn in bulk."""
    from opendp import measurements

    for name in ("make_laplace", "make_gaussian"):
        patch.setattr(measurements, name, in_bulk(getattr(measurements, name)))


def in_bulk(make: Callable[..., Any]) -> Callable[[object, object, float], Any]:
    """Return what makes a measurement that hands out noise; all of them are of whole numbers."""
    known: dict[float, Callable[[list[int]], list[int]]] = {}

    def made(domain: object, metric: object, scale: float) -> Callable[[list[int]], list[int]]:
        if scale not in known:
            known[scale] = handing_out(make(domain, metric, scale))
        return known[scale]

    return made


def handing_out(measurement: Callable[[list[int]], list[int]]) -> Callable[[list[int]], list[int]]:
    left: list[int] = []

    def next_ones(zeros: list[int]) -> list[int]:
        if len(zeros) > len(left):
            left.extend(measurement([0] * max(_TOGETHER, len(zeros))))
        return [left.pop() for _ in zeros]

    return next_ones
