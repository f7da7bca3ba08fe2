"""Whether somebody's function does with plain numbers what it does with intervals, at many points (T47).

An interval refuses to be looked at, but a function can know that it was given one by its type, or by what
came before. At the points that are looked at here - corners, ends, middles, whole numbers and points that
look drawn - the function is called with plain floats: each value must lie in what the function
returned for the interval of that one point, and be the same again; and with intervals it may not meet an
error that it catches. This finds faults and proves nothing
about what lies between the points.
"""

from __future__ import annotations

import math
import operator
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import sha256
from itertools import count, islice, product
from types import FrameType
from typing import Any

import numpy as np

from privior.privacy.certified_suprema import Enclosure, Sides, enclosure_of

#: how many points at least, and how many calls are made of them for all records together
_LEAST_POINTS, _CALLS, _CORNERS, _FEW = 48, 1500, 32, 3
#: where errors are caught that are nobody's function's
_OWN_ERRORS = (
    "numpy",
    "privior",
    "importlib",
    "_frozen_importlib",
    "_frozen_importlib_external",
    "zipimport",
)
#: how far rounding may take a float from the exact value, relative to it or, below 1, absolutely
_ROUNDING = 1e-7


class Caught:
    """Sees the errors that pass through somebody's function, whether or not it catches them.

    An error can hide a branch: what comes after `except` is done for intervals alone. numpy and the import of
    modules catch errors of their own, which say nothing.

    Attributes:
        error: the class of the last one; None if there was none
    """

    def __init__(self) -> None:
        self.error: str | None = None

    def __enter__(self) -> Caught:
        self._before = sys.gettrace()
        sys.settrace(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(self._before)

    def _called(self, frame: FrameType, event: str, argument: object) -> Any:
        if frame.f_globals.get("__name__", "").partition(".")[0] in _OWN_ERRORS:
            return None
        frame.f_trace_lines = False
        return self._inside

    def _inside(self, frame: FrameType, event: str, argument: Any) -> Any:
        if event == "exception" and not issubclass(argument[0], StopIteration | GeneratorExit):
            self.error = argument[0].__name__
        return self._inside


class PlainPoints:
    """What a function of (parameters, record) gives at points of a box, called with floats.

    Attributes:
        points: where it was asked
        values: for each point what it gave for each record; NaN for what is not a number
    """

    def __init__(
        self, function: Callable[[Sequence[Any], Any], Any], records: Sequence[object], box: Sides
    ) -> None:
        self._function, self._records = function, records
        self.points = list(islice(_chosen(box), max(_LEAST_POINTS, _CALLS // len(records))))
        self.values = [[self._value(point, x) for x in records] for point in self.points]

    def not_enclosed(self, enclosed: Callable[[object, Sequence[Enclosure]], Enclosure]) -> str | None:
        """Say where a value is not in the enclosure of it; None if there is no such point."""
        enclosure_of(partial(enclosed, self._records[0]), tuple((side, side) for side in self.points[0]))
        for point, values in zip(self.points, self.values, strict=True):  # now that all modules are imported
            thin = tuple((side, side) for side in point)
            for x, value in zip(self._records, values, strict=True):
                with Caught() as caught:
                    found = enclosure_of(partial(enclosed, x), thin)
                if caught.error is not None:
                    return f"with intervals it meets a {caught.error} and catches it, which may hide a branch"
                room = _ROUNDING * max(1.0, abs(value))
                if not found.lower - room <= value <= found.upper + room:
                    return (
                        f"with plain numbers it gives {_said(value)} at {_shown(point)}, "
                        f"with intervals {found.lower:.6g} to {found.upper:.6g}"
                    )
        return None

    def changed(self, *, few: bool = False) -> str | None:
        """Ask again, the last point first; say where something else came out, None if nowhere."""
        places = range(len(self.points))[::-1]
        for place in places[:_FEW] if few else places:
            for x, before in zip(self._records, self.values[place], strict=True):
                again = self._value(self.points[place], x)
                if again != before and not (math.isnan(again) and math.isnan(before)):
                    return f"it gives {_said(before)}, then {_said(again)} at {_shown(self.points[place])}"
        return None

    def _value(self, point: Sequence[float], record: object) -> float:
        try:
            with np.errstate(all="ignore"):
                try:
                    return float(self._function(tuple(point), record))
                except (AttributeError, TypeError):  # it may be written with .log(), .lgamma() and the like
                    return float(self._function(tuple(_Number(side) for side in point), record))
        except Exception:
            return math.nan


def _chosen(box: Sides) -> Iterator[tuple[float, ...]]:
    """Yield corners, the middle, and drawn points, half of whose coordinates are likely special values."""
    yield from islice(product(*box), _CORNERS)
    yield tuple((low + high) / 2 for low, high in box)
    special = [_special(low, high) for low, high in box]
    for number in count():
        yield tuple(
            likely[int(_share(number, side, "which") * len(likely))]
            if _share(number, side, "whether") < 0.3
            else low + (high - low) * _share(number, side, "where")
            for side, ((low, high), likely) in enumerate(zip(box, special, strict=True))
        )


def _share(*names: object) -> float:
    """Return a number from 0 to 1 that looks drawn, always the same for the same names."""
    return int.from_bytes(sha256(repr(names).encode()).digest()[:6]) / 2**48


def _special(low: float, high: float) -> list[float]:
    """Return values at which a function is likely to do something else."""
    parts = [low + (high - low) * part / 8 for part in range(9)]
    near = [math.nextafter(low, high), math.nextafter(high, low)]
    first = max(math.ceil(low), -8) if high > -8 else math.ceil(low)
    whole = [float(first + step) for step in range(17)] if math.isfinite(low) else []
    return [value for value in (*parts, *near, *whole, 0.1, 0.5, 0.9, 1e-9) if low <= value <= high]


def _said(value: float) -> str:
    return "no number" if math.isnan(value) else f"{value:.6g}"


def _shown(point: Sequence[float]) -> str:
    return "(" + ", ".join(f"{side:.6g}" for side in point) + ")"


class _Number(float):
    """A float with the methods of an enclosure, for functions that call these."""

    def __array_ufunc__(self, function: Any, method: str, *inputs: object, **options: object) -> object:
        plain = (float(one) if isinstance(one, _Number) else one for one in inputs)
        return _again(getattr(function, method)(*plain, **options))

    def maximum(self, other: float) -> float:
        """Return the larger of both."""
        return _Number(max(self, other))

    def minimum(self, other: float) -> float:
        """Return the smaller of both."""
        return _Number(min(self, other))


def _again(value: object) -> object:
    return _Number(value) if isinstance(value, float) else value


def _calls(compute: Callable[..., Any], *, mirrored: bool = False) -> Callable[..., object]:
    def method(self: _Number, *others: Any) -> object:
        plain = [float(one) if isinstance(one, _Number) else one for one in (self, *others)]
        return _again(compute(*(plain[::-1] if mirrored else plain)))

    return method


for _name in ("add", "sub", "mul", "truediv", "pow", "neg", "abs"):
    _compute = getattr(operator, _name)
    setattr(_Number, f"__{_name}__", _calls(_compute))
    if _name not in ("neg", "abs"):
        setattr(_Number, f"__r{_name}__", _calls(_compute, mirrored=True))
for _name in ("log", "log1p", "exp", "expm1", "sqrt", "sin", "cos", "tanh", "lgamma", "erf"):
    setattr(_Number, _name, _calls(getattr(math, _name)))
